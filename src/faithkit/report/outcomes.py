"""Why a row has no value, in a sentence for a person who looks at it."""

from __future__ import annotations

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
    Outcome.UNSUPPORTED_LANGUAGE: (
        "The source or the summary is in a language that cannot be read here."
    ),
    Outcome.UNSUPPORTED_TEXT: (
        "The source or the summary is code or a table of numbers, and not running text."
    ),
}
"""Of each outcome but `ok`, where neither text is empty."""


def reason(example: Example, score: Score) -> str:
    """Why the score is no ordinary one; "" of an ordinary one. Says which text is empty."""
    if score.outcome is Outcome.OK:
        return ""
    empty = [
        name
        for name, text in (("source", example.source), ("summary", example.summary))
        if not text.strip()
    ]
    if score.outcome is not Outcome.NO_CONTENT or not empty:
        said = REASONS[score.outcome]
    elif len(empty) == 2:
        said = "The source and the summary are empty, so there is nothing to score."
    elif empty == ["source"]:
        said = "The source is empty, so there is nothing to compare the summary with."
    else:
        said = "The summary is empty, so there is nothing to check."
    if score.value is None:
        return said
    return f"{said} The value is the one that the metric gives to every such row."
