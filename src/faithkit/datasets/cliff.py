"""CLIFF (Cao and Wang 2021) with the error types of AggreFact: `CLIFF_error_types.csv`.

600 summaries of BART and Pegasus over CNN/DM and XSum. A summary is consistent (label 1) where its
error type is `correct`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.aggrefact import ERAS, ORIGINS, error_types
from faithkit.datasets.rows import Names, read_rows
from faithkit.datasets.spans import annotated
from faithkit.records import Example

REQUIRED = ("origin", "id", "doc", "summ", "model_name", "cut", "error_type", "annotated_span")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """`meta`: origin, era, cut, split, error_types, annotated_span, spans_not_found."""
    named = Names()
    for row in read_rows(paths[0], REQUIRED):
        origin, model = row.one_of("origin", ORIGINS), row.name("model_name")
        cut, types = row.one_of("cut", ("val", "test")), error_types(row, "error_type")
        summary = row.text("summ")
        spans, texts_of_spans = annotated(row, "annotated_span", summary, types)
        yield row.example(
            named(f"cliff/{origin}/{row.name('id')}/{model}"),
            row.text("doc"),
            summary,
            document=row.name("id"),
            system=model,
            label=int(not types),
            spans=spans,
            meta={
                "origin": origin,
                "era": ERAS.get(model.lower()),
                "cut": cut,
                "split": cut,
                "error_types": types,
                **texts_of_spans,
            },
        )
