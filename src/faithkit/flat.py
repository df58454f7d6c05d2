"""Scores as flat columns, for CSV, TSV, Parquet and data frames.

A row of scores is nested: spans, evidence and coverage are lists and objects, which no spreadsheet
and no SQL reads. Here it becomes plain columns, with the verdict, the probability and the marked
words as text; spans and evidence with their offsets are in JSONL only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from faithkit.records import (
    UNITS,
    VERDICTS,
    Coverage,
    Example,
    Outcome,
    Score,
    Signature,
    canonical_json,
    probability_of,
    verdict_of,
)
from faithkit.report.marks import count_of_marks, marks_of

MARKS = "marks"
LEADING = ("id", "metric", "value", "outcome", "verdict", "probability", "marked", MARKS)
"""The columns of every table. `marked`: the doubtful words, the most doubtful first; `marks`: how
many spans are marked, of which neighbours are one in `marked`; empty for a row without a value and
for a metric that marks no words."""

PART, TEXT, INPUT = "part.", "text.", "input."
"""What the columns of parts and of texts begin with, and a kept column of the input whose name is
that of another column."""

COVERAGE = tuple(f"{unit}{cut}" for unit in UNITS for cut in ("", "_cut"))
SIGNATURE = "signature"
BETWEEN_MARKS = " | "

PARQUET_BLOCK = 4096
"""Rows that are written to a Parquet file at once."""


class Described(Protocol):
    """What a table says of the metric of a row: a `Metric` or a `ShownMetric`."""

    @property
    def unit(self) -> str:
        """What the value means, which says whether it is a probability."""

    @property
    def marks_words(self) -> bool:
        """Whether it marks unsupported words."""


@dataclass(slots=True)
class Header:
    """The columns that some rows need; made by one pass over them.

    kept  names of the input's own columns, in order; `kept_as` in the table
    """

    parts: dict[str, None] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)
    coverage: dict[str, None] = field(default_factory=dict)
    kept: dict[str, None] = field(default_factory=dict)

    def add(self, score: Score) -> None:
        """The columns of one more row."""
        self.parts |= dict.fromkeys(score.parts)
        self.texts |= dict.fromkeys(score.texts)
        self.coverage |= dict.fromkeys(score.coverage.counts())

    def keep(self, example: Example) -> None:
        """The columns of the input itself."""
        self.kept |= dict.fromkeys(input_columns(example))

    @property
    def own(self) -> list[str]:
        """Every column but those of the input, in order."""
        hidden = ("verdict", "probability")
        return [
            *LEADING,
            *(f"{PART}{name}" for name in self.parts if name not in hidden),
            *(f"{TEXT}{name}" for name in self.texts),
            *(name for name in COVERAGE if name in self.coverage),
            SIGNATURE,
        ]

    @property
    def columns(self) -> list[str]:
        """Every column, in order; those of the input last."""
        return [*self.own, *self.kept_as.values()]

    @property
    def kept_as(self) -> dict[str, str]:
        """By the name of a column of the input, its name in the table, which no other has."""
        own, names = {*self.own}, {}
        taken = own | {*self.kept}
        for name in self.kept:
            shown = name
            while shown in taken and (shown != name or name in own):
                shown = f"{INPUT}{shown}"
            names[name] = shown
        return names

    def kind(self, column: str) -> type:
        """float, int or str: the type of a column's cells, None aside."""
        if column not in self.own:
            return str
        if column in ("value", "probability") or column.startswith(PART):
            return float
        return int if column in (MARKS, *COVERAGE) else str


def input_columns(example: Example) -> dict[str, Any]:
    """The columns of the input beside the id: the texts, and whatever else the row had."""
    named = {
        name: value
        for name in ("source", "summary", "pair", "system", "label", "rating")
        if (value := getattr(example, name)) is not None
    }
    return named | {name: value for name, value in example.meta.items() if name not in named}


def cells(
    score: Score, example: Example, header: Header, metric: Described
) -> dict[str, str | int | float | None]:
    """One row of the table, by column; None where the row has nothing there."""
    counts_marks = metric.marks_words and score.value is not None
    marked = [example.summary[mark.start : mark.end] for mark in marks_of(example.summary, [score])]
    row: dict[str, Any] = {
        "id": score.id,
        "metric": score.metric,
        "value": score.value,
        "outcome": str(score.outcome),
        "verdict": verdict_of(score.parts),
        "probability": probability_of(score, metric.unit),
        "marked": BETWEEN_MARKS.join(" ".join(words.split()) for words in marked) or None,
        MARKS: count_of_marks(score) if counts_marks else None,
        SIGNATURE: canonical_json(score.signature.to_dict()) if score.signature else None,
    }
    row |= {f"{PART}{name}": value for name, value in score.parts.items()}
    row |= {f"{TEXT}{name}": text for name, text in score.texts.items()}
    counts = score.coverage.counts()
    row |= {name: counts.get(name, 0) for name in header.coverage}
    if header.kept:
        names = header.kept_as
        row |= {names[name]: _text(value) for name, value in input_columns(example).items()}
    return {name: row.get(name) for name in header.columns}


def _text(value: Any) -> str | None:
    """A value of the input as text: JSON where this has it; a date, a decimal as they are written,
    and bytes as the text that they are."""
    if isinstance(value, str | None):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    try:
        return canonical_json(value)
    except TypeError:
        nested = isinstance(value, list | tuple | dict)
        return json.dumps(value, ensure_ascii=False, default=str) if nested else str(value)


def score_of(row: Mapping[str, Any]) -> Score:
    """The inverse of `cells`, but for spans and evidence, which are not in a table, and for texts
    that are empty. Raises KeyError, TypeError, ValueError or DataError on another row."""
    filled = {name: value for name, value in row.items() if value not in (None, "")}
    parts = {
        name.removeprefix(PART): float(value)
        for name, value in filled.items()
        if name.startswith(PART)
    }
    codes = {name: code for code, name in VERDICTS.items()}
    if "verdict" in filled:
        parts["verdict"] = codes[filled["verdict"]]
    value = float(filled["value"]) if "value" in filled else None
    if "probability" in filled and float(filled["probability"]) != value:
        parts["probability"] = float(filled["probability"])
    signature = filled.get(SIGNATURE)
    return Score(
        str(row["id"]),
        str(row["metric"]),
        value,
        Outcome(row["outcome"]),
        parts=parts,
        coverage=Coverage(**{name: int(filled[name]) for name in COVERAGE if name in filled}),
        signature=Signature(**json.loads(signature)) if signature else None,
        texts={
            name.removeprefix(TEXT): str(text)
            for name, text in filled.items()
            if name.startswith(TEXT)
        },
        unlisted_marks=int(float(filled.get(MARKS, 0))) if MARKS in row else None,
    )


def header_of(
    rows: Iterable[tuple[Example, Sequence[Score]]], keep_columns: bool = False
) -> Header:
    """The columns of all rows. keep_columns: those of the input too."""
    header = Header()
    for example, scores in rows:
        if keep_columns:
            header.keep(example)
        for score in scores:
            header.add(score)
    return header


def arrow_schema(header: Header) -> Any:
    """The table's `pyarrow.Schema`."""
    import pyarrow as pa

    types = {float: pa.float64(), int: pa.int64(), str: pa.string()}
    return pa.schema([(name, types[header.kind(name)]) for name in header.columns])


def write_parquet(target: Path, rows: Iterator[Mapping[str, Any]], header: Header) -> None:
    """Writes the rows, in blocks. Raises OSError."""
    import pyarrow as pa
    import pyarrow.parquet

    schema = arrow_schema(header)
    with pyarrow.parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        while block := list(islice(rows, PARQUET_BLOCK)):
            writer.write_table(pa.Table.from_pylist(block, schema=schema))
