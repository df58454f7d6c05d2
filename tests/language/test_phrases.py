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


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("Points: 12.", ""),
        ("Points: 12.", "Points: 30. Rebounds: 12."),
        ("Output: 40 tonnes.", ""),
        ("Answer: no.", ""),
        ("Conclusion: guilty.", ""),
        ("Response: 12 percent of patients.", "Nausea: 5 percent.\nResponse: 55 percent."),
        ("Output: 12 tonnes a day.", "Its output fell to 40 tonnes a day, exports to 12."),
        ("Points: the bridge reopens.", "The bridge reopened when the points were dry."),
        ("Output: Down to 12 tonnes.", "Exports: 3 tonnes. Output: 12 tonnes."),
        ("- Highlights: two late goals.", "Match report\n* Highlights: three late goals"),
        ("Key findings: two of the patients died.", "Key findings - one patient died."),
    ],
)
def test_a_label_stays_where_it_may_name_a_row_of_the_source(summary: str, source: str) -> None:
    assert plain_summary(summary, source).text == summary.removeprefix("- ")


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("Answer: The bridge reopens.", "Anna gave no answer about the bridge."),
        ("Output: The bridge reopens.", "The bridge reopened."),
        ("Response: Sure! The bridge reopens.", "The bridge reopened."),
        ("Summary: rain.", "It rained."),
        ("In short, rain.", "It rained. In short, it was wet."),
        ("TL;DR: rain.", "It rained."),
        ("Summary:\n\nThe bridge reopens.", "The summary says little."),
    ],
)
def test_a_label_that_names_nothing_of_the_source_is_left_out(summary: str, source: str) -> None:
    assert plain_summary(summary, source).text in {CLAIM, "Rain."}


SAID = "Ben: Sure! Here is the new version of the report. Let me know if you have any questions."


@pytest.mark.parametrize(
    ("summary", "left"),
    [
        ("Here is the new version of the report.", "Here is the new version of the report."),
        ("Sure! Here is the new version of the report.", "Here is the new version of the report."),
        ("Here's the new summary of the report: The bridge reopens.", CLAIM),
        ("Sure! The bridge reopens. I hope this helps!", CLAIM),
        ("let me know if you have any questions", "let me know if you have any questions"),
        ("Let me know if you have other questions.", ""),
    ],
)
def test_a_phrase_that_the_source_has_is_a_claim(summary: str, left: str) -> None:
    assert plain_summary(summary, SAID).text == left


def test_a_source_keeps_its_phrases() -> None:
    assert plain_source("Bob: Sure! In summary, no.").text == "Bob: Sure! In summary, no."


@pytest.mark.parametrize(
    "text", ["N/A", "N/A.", "none", "**None**", "null", "nil", "Unknown.", "(empty)",
             "Not available.", "[1]", "[1][2].", "[^1]", "[1, 2]"],
)  # fmt: skip
def test_a_placeholder_for_a_summary_is_left_out(text: str) -> None:
    assert plain_summary(text, "It rained in Leeds.").text == ""


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Unknown", "The cause is unknown."),
        ("None", "None of them came."),
        ("None of them came.", "It rained."),
        ("Unknown: the cause.", "It rained."),
        ("[2019]", "It rained."),
        ("Empty chairs", "It rained."),
    ],
)
def test_what_the_source_has_or_says_more_is_no_placeholder(text: str, source: str) -> None:
    assert plain_summary(text, source).text == text
