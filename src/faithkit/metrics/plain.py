"""What a metric reads in place of the texts as given: their plain form (`language/normalise.py`),
and nothing at all of a text that English models cannot read (`language/identification.py`).

The one place where metrics meet both. A metric asks for it by decorating its `score`; the spans and
the evidence that it returns are those of the given texts again. What is left out of the plain form
is named in its texts (`language/left_out.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, wraps
from typing import TypeVar

from faithkit.language.identification import unsupported
from faithkit.language.layout.wrapping import unwrapped
from faithkit.language.left_out import LEFT_OUT, describe_left_out, find_left_out
from faithkit.language.mapped import Mapped, identity_map
from faithkit.language.normalise import NORMALISER, plain_source, plain_summary
from faithkit.models.protocols import ENGLISH
from faithkit.records import Evidence, Example, Outcome, Score, Span, is_blank, unscored

M = TypeVar("M")
Scoring = Callable[[M, Sequence[Example]], list[Score]]


def language_of(*models: object) -> str | None:
    """The one language that these models know, where one of them says so."""
    return next(filter(None, (getattr(model, "language", None) for model in models)), None)


def reads_plain_texts(score: Scoring[M]) -> Scoring[M]:
    """A metric's `score` that reads texts in plain form. A summary of nothing but phrases ("Sure!
    Here is a summary:") is `no_claims`; besides, as `reads_its_language`."""

    @wraps(score)
    def wrapped(self: M, examples: Sequence[Example]) -> list[Score]:
        scores_by_position: dict[int, Score] = {}
        readable: dict[int, tuple[Example, Mapped, Mapped]] = {}
        texts: dict[int, dict[str, str]] = {}
        for position, example in enumerate(examples):
            source = plain_source(example.source)
            summary = plain_summary(example.summary, example.source)
            in_plain_form = example
            if (source.text, summary.text) != (example.source, example.summary):
                in_plain_form = replace(example, source=source.text, summary=summary.text)
            outcome = _outcome(self, example, in_plain_form)
            texts[position] = _texts_left_out(example, outcome, summary)
            if outcome is None:
                readable[position] = (in_plain_form, source, summary)
            else:
                scores_by_position[position] = unscored(
                    example, _name(self), outcome, texts=texts[position]
                )
        scores = score(self, [in_plain_form for in_plain_form, _, _ in readable.values()])
        for (position, (_, source, summary)), scored in zip(readable.items(), scores, strict=True):
            with_texts = replace(scored, texts={**scored.texts, **texts[position]})
            scores_by_position[position] = _in_given_texts(with_texts, source, summary)
        return [scores_by_position[position] for position in range(len(examples))]

    wrapped.normaliser = NORMALISER  # type: ignore[attr-defined]
    return wrapped


def reads_its_language(score: Scoring[M]) -> Scoring[M]:
    """A metric's `score` that gives an outcome instead of a value where the source or the summary
    is not in the one language that the metric knows (its attribute `language`, none for any), or is
    code or a table."""

    @wraps(score)
    def wrapped(self: M, examples: Sequence[Example]) -> list[Score]:
        outcomes = [_outcome(self, example, example) for example in examples]
        readable = [e for e, outcome in zip(examples, outcomes, strict=True) if outcome is None]
        scores = iter(score(self, readable))
        return [
            next(scores) if outcome is None else unscored(example, _name(self), outcome)
            for example, outcome in zip(examples, outcomes, strict=True)
        ]

    return wrapped


def _name(metric: object) -> str:
    return str(metric.name)  # type: ignore[attr-defined]


def _outcome(metric: object, example: Example, plain: Example) -> Outcome | None:
    """Why the metric does not read an example; None where it does, an empty one too, of which it
    says itself what it is."""
    if is_blank(example):
        return None
    if getattr(metric, "language", None) == ENGLISH:
        for text in (example.source, unwrapped(identity_map(example.summary)).text):
            if outcome := unsupported(text):
                return outcome
    if plain.source.strip() and not plain.summary.strip():
        return Outcome.NO_CLAIMS
    return None


def _texts_left_out(example: Example, outcome: Outcome | None, summary: Mapped) -> dict[str, str]:
    """What is left out of the texts, by the name under which a score has it; empty where every
    word is read, or nothing is. `summary`: in plain form."""
    if outcome not in (None, Outcome.NO_CLAIMS) or is_blank(example):
        return {}
    summary_parts = list(find_left_out(example.summary, summary))
    description = describe_left_out(summary_parts, _find_left_out_of_source(example.source))
    return {LEFT_OUT: description} if description else {}


@lru_cache(maxsize=128)
def _find_left_out_of_source(text: str) -> tuple[str, ...]:
    """The parts of a source that are left out, found once for all its summaries."""
    return tuple(find_left_out(text, plain_source(text)))


def _in_given_texts(score: Score, source: Mapped, summary: Mapped) -> Score:
    return replace(
        score,
        spans=tuple(
            Span(*summary.span(span.start, span.end), span.label, span.score)
            for span in score.spans
        ),
        evidence=tuple(
            Evidence(
                *source.span(item.start, item.end),
                *summary.span(item.summary_start, item.summary_end),
                item.label,
                item.score,
            )
            for item in score.evidence
        ),
    )
