"""Sentences for users that say why a row has no ordinary value."""

from __future__ import annotations

from faithkit.language.identification import unsupported
from faithkit.records import Example, Outcome, Score

REASONS = {
    Outcome.NO_CONTENT: "The source has nothing that the summary can be compared with.",
    Outcome.NO_CLAIMS: "The summary claims nothing that can be checked.",
    Outcome.TRUNCATED_SUMMARY: (
        "The summary is too long for the model, and a score of its beginning would not be one of "
        "all of it."
    ),
    Outcome.UNPARSABLE: "The answer of the judge could not be read.",
    Outcome.REFUSED: "The judge refused to answer.",
    Outcome.OFF_TOPIC: "The judge wrote about something else, or neither verdict was probable.",
    Outcome.TOO_LONG: (
        "The source and the summary together are too long for the judge, and nothing was to be cut."
    ),
    Outcome.TIMEOUT: "The model or the server did not answer in time.",
    Outcome.MODEL_ERROR: "The model failed, or its result was not a number.",
    Outcome.UNSUPPORTED_LANGUAGE: "{} is in a language that cannot be read here.",
    Outcome.UNSUPPORTED_TEXT: "{} is code or a table of numbers, and not running text.",
}
"""The reason for each outcome except `ok`, if neither text is empty; {} is the text that it is said
of."""


def reason(example: Example, score: Score) -> str:
    """Why a score has no ordinary value, and which text is empty, if one is; "" for an ordinary
    score."""
    if score.outcome is Outcome.OK:
        return ""
    empty = [
        name
        for name, text in (("source", example.source), ("summary", example.summary))
        if not text.strip()
    ]
    if score.outcome is not Outcome.NO_CONTENT or not empty:
        sentence = REASONS[score.outcome]
        if "{}" in sentence:
            sentence = sentence.format(_unread(example, score.outcome))
    elif len(empty) == 2:
        sentence = "The source and the summary are empty, so there is nothing to score."
    elif empty == ["source"]:
        sentence = "The source is empty, so there is nothing to compare the summary with."
    else:
        sentence = "The summary is empty, so there is nothing to check."
    if score.value is None:
        return sentence
    return f"{sentence} The value is the one that the metric gives to every such row."


def _unread(example: Example, outcome: Outcome) -> str:
    """Which text has this outcome."""
    if unsupported(example.source) is not outcome:
        return "The summary"
    both = unsupported(example.summary) is outcome
    return "Each of the two texts" if both else "The source"
