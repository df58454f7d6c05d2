"""Spans that people marked in a summary, as a user's file or a dataset has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faithkit.records import Example

FIELD = "spans"
"""The field of a user's file that holds them."""

FAITHFUL_KINDS = frozenset(
    {"supported", "consistent", "faithful", "correct", "non-hallucinated", "no error"}
)
"""Kinds of spans, in small letters, that a person marked as being right."""

KIND_KEYS = ("kind", "label", "type", "category", "error_type")


@dataclass(frozen=True, slots=True)
class HumanSpan:
    """Characters `start:end` of the summary, what a person says of them, and who."""

    start: int
    end: int
    kind: str = ""
    annotator: str = ""

    @property
    def error(self) -> bool:
        """Whether they are marked as an error."""
        return self.kind.casefold() not in FAITHFUL_KINDS


def human_spans(example: Example) -> tuple[list[HumanSpan], str]:
    """The spans that people marked, in the order of the text, and what is wrong with them, in
    words ("" if nothing): a field `spans` of a user's file may be of any shape.

    A span is `[start, end]`, with a kind and an annotator behind it where they are known, or an
    object with these keys. A span that several people marked alike is there once for each.
    """
    if example.spans:
        return [HumanSpan(span.start, span.end, span.label) for span in example.spans], ""
    return read_spans(example.meta.get(FIELD), example.summary)


def read_spans(given: Any, summary: str) -> tuple[list[HumanSpan], str]:
    """As `human_spans`, of what a field `spans` holds."""
    if given is None or given == "":
        return [], ""
    if not isinstance(given, list | tuple):
        return [], f"field '{FIELD}': expected a list of spans, found {type(given).__name__}"
    spans = []
    for number, item in enumerate(given, start=1):
        span = _span(item)
        if span is None or not 0 <= span.start < span.end <= len(summary):
            return [], (
                f"field '{FIELD}', item {number}: expected [start, end, kind] within the "
                f"{len(summary)} characters of the summary, found {item!r:.80}"
            )
        spans.append(span)
    return sorted(spans, key=lambda span: (span.start, span.end)), ""


def _span(item: Any) -> HumanSpan | None:
    if isinstance(item, Mapping):
        kind = next((item[key] for key in KIND_KEYS if item.get(key) is not None), "")
        values = [item.get("start"), item.get("end"), kind, item.get("annotator", "")]
    elif isinstance(item, list | tuple) and len(item) >= 2:
        values = [*item[:4], "", ""][:4]
    else:
        return None
    start, end, kind, annotator = values
    if type(start) is not int or type(end) is not int:
        return None
    return HumanSpan(start, end, str(kind), str(annotator))
