"""The unified JSONL format, a common format for several releases and for a user's own exports.

Fields: `id, source, summary`, and if known `dataset, document, pair, group, system, score, label,
spans, error_types, evidence, grade, cut, era`. `score` becomes `rating`. Fields that an Example
does not have go to `meta` in a normalised form: `error_types` and `annotated_span` are lists (the
files hold the source code of a Python list, a single name, or "correct"); `era` is OLD, EXFORMER or
FTSOTA; `split` is `cut`. Spans of several annotators are merged; the original ones are
`meta["spans"]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from faithkit.datasets.aggrefact import ERA_OF_CATEGORY
from faithkit.datasets.rows import ONE_ZERO, Row, read_rows
from faithkit.datasets.spans import Mark, annotated, texts, union
from faithkit.records import DataError, Example, Span

NO_ERROR = frozenset({"", "correct", "Non-hallucinated"})
"""The names for "no error" in the releases."""

USED = ("id", "source", "summary", "document", "pair", "group", "system", "score", "label", "spans")


def read(paths: Sequence[Path], *, pairs: bool = False) -> Iterator[Example]:
    """The examples of one file in the unified format.

    pairs  what the field `group` is: the pair, or seed, of edits of the same summary; otherwise the
           source document

    Raises DataError on a repeated id.
    """
    first_places: dict[str, str] = {}
    for row in read_rows(paths[0], ("id", "source", "summary")):
        identity = row.name("id")
        if identity in first_places:
            raise DataError(
                f"{row.place}: the id '{identity}' is already at {first_places[identity]}"
            )
        first_places[identity] = row.place.rsplit(", ", 1)[-1]
        yield _example(row, identity, pairs)


def _example(row: Row, identity: str, pairs: bool) -> Example:
    source, summary = row.text("source"), row.text("summary")
    meta = row.rest(*USED)
    document, pair = row.optional_name("document"), row.optional_name("pair")
    if pairs:
        pair = pair or row.name("group")
    else:
        document = document or row.optional_name("group")
    if meta.get("error_types") is not None:
        meta["error_types"] = _error_types(row)
    if "era" in meta:
        meta["era"] = ERA_OF_CATEGORY.get(meta["era"], meta["era"])
    if "cut" in meta:
        meta["split"] = meta["cut"]
    spans = _spans(row, summary, meta)
    return row.example(
        identity,
        source,
        summary,
        document=document or "",
        pair=pair,
        system=row.optional_name("system"),
        label=None if row.values.get("label") is None else row.choice("label", ONE_ZERO),
        rating=None if row.values.get("score") is None else row.number("score"),
        spans=spans,
        meta=meta,
    )


def _error_types(row: Row) -> list[str]:
    value = row.values["error_types"]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [item for item in value if item not in NO_ERROR]
    if not isinstance(value, str):
        raise row.wrong("error_types", "a list of names, or its text")
    types = texts(value) if value.startswith("[") else [value]
    if types is None:
        raise row.wrong("error_types", "a list of names, or its text")
    return [item for item in types if item not in NO_ERROR]


def _spans(row: Row, summary: str, meta: dict[str, Any]) -> tuple[Span, ...]:
    """The merged spans; puts the original ones into `meta`."""
    if row.values.get("spans") is not None:
        meta["spans"] = row.items("spans")
        marks = [_mark(row, item, len(summary)) for item in meta["spans"]]
        return union(summary, [mark for mark in marks if mark[2] not in NO_ERROR])
    if not isinstance(meta.get("annotated_span"), str):
        return ()
    spans, texts_of_spans = annotated(row, "annotated_span", summary, meta.get("error_types") or [])
    meta |= texts_of_spans
    return spans


def _mark(row: Row, item: object, size: int) -> Mark:
    """The mark of an item `[start, end, kind, annotator]`. Its end may be one character after the
    end of the summary. Raises DataError on any other item."""
    if not isinstance(item, list) or len(item) < 3:
        raise row.wrong("spans", "a list of [start, end, kind, annotator]")
    start, end, kind = item[:3]
    are_integers = all(
        isinstance(edge, int) and not isinstance(edge, bool) for edge in (start, end)
    )
    if not are_integers or not 0 <= start < end <= size + 1 or not isinstance(kind, str):
        raise DataError(
            f"{row.place}, field 'spans': expected 0 <= start < end <= {size} and a kind, "
            f"found {item!r}"
        )
    return start, end, kind
