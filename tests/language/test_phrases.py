"""A chat model's phrases around a summary."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary

CLAIM = "The bridge reopens."


@pytest.mark.parametrize(
    "opener",
    [
        "Sure! ", "Sure!\n\n", "Sure thing! ", "Of course. ", "Certainly! Here is the summary:\n",
        "TL;DR: ", "TLDR - ", "tl;dr\n\n", "**TL;DR:** ", "Summary: ", "**Summary**\n\n",
        "## Summary\n", "Here is a summary:\n", "Here's a summary of the article: ",
        "Certainly! Here's a concise summary of the article:\n\n",
        "Sure, here is a 3-sentence summary of the text you provided:\n\n",
        "Here are the key points from the meeting:\n\n", "Key takeaways:\n",
        "In summary, ", "In short, ", "To summarize: ", "Overall, ", "In conclusion, ",
        "Based on the provided article, here is a brief summary:\n\n",
        "This is a short summary of the conversation:\n\n",
        "The article can be summarized as follows:\n\n",
        "I'd be happy to help! Here's a one-paragraph summary:\n\n",
        "As requested, here is a summary of the text. ", "Below is a summary of the document:\n\n",
        "Okay, here's the summary.\n\n",
    ],
)  # fmt: skip
def test_openers_are_left_out(opener: str) -> None:
    assert plain_summary(f"{opener}{CLAIM}", "").text == CLAIM
    assert plain_summary(f"{opener}the bridge reopens.", "").text in (
        CLAIM,
        CLAIM.replace("T", "t"),
    )
    assert plain_summary(opener, "").text == ""


@pytest.mark.parametrize(
    "closer",
    [
        "I hope this helps!", "Hope this helps.", "Let me know if you have any questions!",
        "Let me know if you'd like a shorter version.", "Would you like me to expand on it?",
        "Feel free to ask if you need further clarification.", "Is there anything else?",
        "Please let me know if you want any changes.", "You're welcome!", "Thank you!",
        "If you have any other questions, feel free to ask!",
    ],
)  # fmt: skip
def test_closers_are_left_out(closer: str) -> None:
    assert plain_summary(f"{CLAIM}\n\n{closer}", "").text == CLAIM
    assert plain_summary(f"{CLAIM} {closer}", "").text == CLAIM


@pytest.mark.parametrize(
    "claim",
    [
        "Let me know if Anna was arrested.",
        "I hope Anna wins.",
        "Here is the murderer of Bob: Carl.",
        "The summary is wrong.",
        "Sure, Anna won.",
        "Points were deducted from Rovers.",
        "Highlights of the day were few.",
        "Here, Anna won.",
        "Overall sales rose.",
        "Summary trials were held.",
        "Of course Anna left.",
        "The report is about Anna.",
        "Would you like to live in Paris?",
        "Thank you notes were sent to Anna.",
    ],
)
def test_claims_are_no_phrases(claim: str) -> None:
    assert plain_summary(claim, "").text == claim


def test_a_source_keeps_its_phrases() -> None:
    assert plain_source("Bob: Sure! In summary, no.").text == "Bob: Sure! In summary, no."
