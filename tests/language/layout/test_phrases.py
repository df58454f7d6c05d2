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
        "tl;dr ", "Most importantly, ", "Takeaway: ", "**Bottom line:** ", "Main message: ",
        "Big picture: ", "Quick take: ", "At a glance: ", "In detail: ", "What to watch: ",
        "In one sentence: ",
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
    "lead_in",
    [
        "The main point is that", "The key takeaway of the article is that",
        "The bottom line is that", "The most important point is that", "The gist is that",
        "According to the text,", "Based on the provided text,", "As stated in the text,",
        "The passage explains that", "The article also notes that", "Per the article,",
        "It is worth noting that", "In summary, according to the article,",
        "Document 1 states that", "According to Source 2,",
    ],
)  # fmt: skip
def test_what_leads_in_a_clause_is_left_out(lead_in: str) -> None:
    assert plain_summary(f"{lead_in} the bridge reopens.", "").text == CLAIM
    assert plain_summary(f"It rained. {lead_in} the bridge reopens.", "").text.endswith(CLAIM)
    assert plain_summary(f"{lead_in} this.", "").text != "This."


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("According to the report, the bridge reopens.", "The report was late."),
        ("The bottom line is that the bridge reopens.", "He said the bottom line is that it does."),
        ("The article says so.", ""),
        ("The author says that the bridge reopens.", ""),
        ("The text denies that the bridge reopens.", ""),
        ("According to the mayor, the bridge reopens.", ""),
        ("The main problem is that the bridge reopens.", ""),
        ("Take-away food: it rains.", ""),
        ("Bottom line: 12.", ""),
    ],
)
def test_a_lead_in_stays_where_it_may_say_something(summary: str, source: str) -> None:
    assert plain_summary(summary, source).text == summary


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.", "I can't assist with that request.",
        "As an AI language model, I cannot access the article.", "I'm sorry.",
        "I cannot access external links.", "I’m unable to access the article.",
        "I can't comply with that request.", "I'm sorry, I cannot fulfill this request.",
        "Unfortunately, I'm not able to help with this.", "I cannot provide a summary.",
        "There is no text to summarize.", "It seems that no text was provided.",
        "Please provide the text you would like me to summarize.",
        "I don't have access to the article.",
    ],
)  # fmt: skip
def test_refusals_are_left_out(text: str) -> None:
    assert plain_summary(text, "").text == ""
    assert plain_summary(f"{text} {CLAIM}", "").text == CLAIM


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("I can't help Anna with that.", ""),
        ("I cannot swim.", ""),
        ("There is no doubt.", ""),
        ("There is no information about the price.", "The price rose."),
        ("No answer was given.", ""),
        ("Anna is unable to access the article.", ""),
        ("The article does not mention the price.", "The price rose."),
        ("I can't open the link.", "Since Monday I am unable to open the site."),
    ],
)
def test_what_somebody_cannot_do_is_no_refusal(summary: str, source: str) -> None:
    assert plain_summary(summary, source).text == summary


@pytest.mark.parametrize(
    "field",
    ["Confidence: 95%", "**Confidence:** High", "Word count: 7", "Reading time: 1 min",
     "Sentiment: negative", "#business #earnings"],
)  # fmt: skip
def test_what_is_told_of_a_summary_is_left_out(field: str) -> None:
    assert plain_summary(f"{CLAIM}\n\n{field}", "").text.strip() == CLAIM


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("Confidence in banks fell.", ""),
        ("Confidence: it fell to 95 in May.", ""),
        ("Sentiment: negative", "Market sentiment was poor."),
        ("Language: English", ""),
        ("#1 in Leeds", ""),
    ],
)
def test_what_may_be_told_of_the_source_stays(summary: str, source: str) -> None:
    assert plain_summary(summary, source).text == summary


@pytest.mark.parametrize(
    "footer",
    ["*Generated by AI*", "_AI-generated. Please verify._", "Generated with ChatGPT",
     "This summary was generated by AI and may contain errors.", "AI can make mistakes."],
)  # fmt: skip
def test_footers_are_left_out(footer: str) -> None:
    assert plain_summary(f"{CLAIM}\n\n{footer}", "").text.strip() == CLAIM


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Please verify the address of Anna.", ""),
        ("Please review the report before the meeting.", ""),
        ("AI generated the image of Anna.", ""),
        ("The image was generated by AI.", "The image is no work of AI, she says."),
        ("Please verify.", "Anna: Please verify it."),
    ],
)
def test_what_the_source_may_tell_of_ai_is_no_footer(text: str, source: str) -> None:
    assert plain_summary(text, source).text == text


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


def test_an_offer_is_left_out_whatever_it_offers_unless_the_source_makes_one() -> None:
    offer = "Let me know if you'd like more background on the lens."
    assert plain_summary(f"{CLAIM} {offer}", "You can see the lens.").text == CLAIM
    kept = plain_summary(f"{CLAIM} {offer}", "Ann: Let me know if you come.").text
    assert kept == f"{CLAIM} {offer}"


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
