"""Spans that people marked in a summary, from a user's file or a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faithkit.records import Example

FIELD = "spans"
"""The field of a user's file with the spans."""

FAITHFUL_KINDS = frozenset(
    {"supported", "consistent", "faithful", "correct", "non-hallucinated", "no error"}
)
"""Kinds of spans, in lower case, that are not errors."""

KIND_KEYS = ("kind", "label", "type", "category", "error_type")


@dataclass(frozen=True, slots=True)
class HumanSpan:
    """The characters `start:end` of the summary, the kind of error or support, and the
    annotator."""

    start: int
    end: int
    kind: str = ""
    annotator: str = ""

    @property
    def error(self) -> bool:
        """Whether the span is marked as an error."""
        return self.kind.casefold() not in FAITHFUL_KINDS


def human_spans(example: Example) -> tuple[list[HumanSpan], str]:
    """The spans that people marked, in the order of the text, and a message that says why they
    cannot be read ("" if they can), as the field `spans` of a user's file may have any form.

    A span is `[start, end]`, optionally followed by a kind and an annotator, or an object with
    these keys. A span that several people marked is returned once for each of them.
    """
    if example.spans:
        return [HumanSpan(span.start, span.end, span.label) for span in example.spans], ""
    return read_spans(example.meta.get(FIELD), example.summary)


def read_spans(values: Any, summary: str) -> tuple[list[HumanSpan], str]:
    """As `human_spans`, of what a field `spans` holds."""
    if values is None or values == "":
        return [], ""
    if not isinstance(values, list | tuple):
        return [], f"field '{FIELD}': expected a list of spans, found {type(values).__name__}"
    spans = []
    for number, item in enumerate(values, start=1):
        span = _span(item)
        if span is None or not 0 <= span.start < span.end <= len(summary):
            return [], (
                f"field '{FIELD}', item {number}: expected [start, end, kind] within the "
                f"{len(summary)} characters of the summary, found {item!r:.80}"
            )
        spans.append(span)
    return sorted(spans, key=lambda span: (span.start, span.end)), ""


def _span(item: Any) -> HumanSpan | None:
    """An item of the field as a span; None if it has another form."""
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
