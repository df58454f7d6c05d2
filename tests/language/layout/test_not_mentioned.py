"""What a summary says that its documents do not tell."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary

SOURCE = "Operating profit fell to $37 million because of higher energy costs. Revenue rose 8%."
CLAIM = "Revenue rose 8%."


@pytest.mark.parametrize(
    "text",
    [
        "The context does not mention the outlook.", "The documents don't mention the outlook.",
        "The provided documents do not explicitly mention the outlook.",
        "The text provided did not include any information about the outlook.",
        "The sources do not say anything about the outlook.", "The outlook is not mentioned.",
        "The outlook isn't specified in the provided context.", "No document mentions the outlook.",
        "There is no information about the outlook in the documents.",
        "There's no mention of the outlook.", "The passages do not say when the plant opened.",
        "None of the documents mentions the outlook.", "No information is given about the outlook.",
        "I could not find the outlook in the documents.", "Outlook: not mentioned", "Outlook: N/A",
        "- Outlook: not specified in the documents", "- Email: not provided",
        "**Note:** The context does not mention the outlook.",
        "However, the text does not specify who pays.",
        "Information about the outlook is not provided in the context.",
        "The provided context does not contain enough information to answer the question.",
    ],
)  # fmt: skip
def test_it_is_left_out(text: str) -> None:
    assert plain_summary(f"{CLAIM}\n\n{text}", SOURCE).text.strip() == CLAIM
    assert plain_summary(text, SOURCE).text == ""


@pytest.mark.parametrize(
    "text",
    [
        "The documents do not mention the operating profit.", "Operating profit: N/A",
        "There is no information about energy costs.", "Profits are not mentioned.",
        "The text does not mention the outlook, but Anna was arrested.",
        "The text does not mention the outlook and Anna was arrested.",
        "The report does not mention that Anna stole the car.", "Lunch is not provided.",
        "There is no evidence of fracture.", "The price was not disclosed.",
        "Parking: not available", "Allergies: none", "VAT: not included",
        "The mayor did not mention the outlook.", "The data do not show a benefit.",
        "The contents do not include batteries.",
        "The passage does not provide any details about the content of the revenue.",
    ],
)  # fmt: skip
def test_a_claim_stays(text: str) -> None:
    assert plain_summary(text, SOURCE).text == text


@pytest.mark.parametrize(
    ("text", "source", "left"),
    [
        ("The report does not mention asbestos.", "The auditor's report was late.", False),
        ("The provided report does not mention asbestos.", "The auditor's report was late.", True),
        ("The context does not mention asbestos.", "Context:\nThe auditor was late.", True),
        ("The document does not mention asbestos.", "Document 1: prices\nSoup is £5.", True),
    ],
)
def test_a_text_that_the_source_tells_of_is_none_of_the_documents(
    text: str, source: str, left: bool
) -> None:
    assert (plain_summary(text, source).text == "") == left


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{"email": null, "revenue": "rose"}', '{"revenue": "rose"}'),
        ('{"revenue": "rose", "homeAddress": "N/A"}', '{"revenue": "rose", }'),
        ('{"revenue": null}', '{"revenue": null}'),
        ('He typed "email": null.', 'He typed "email": null.'),
    ],
)
def test_fields_of_json_without_a_value_are_left_out(text: str, plain: str) -> None:
    assert plain_summary(text, SOURCE).text == plain
