"""The judged table: rows with human judgements, and a column of values for each metric.

`bench`, `calibrate`, `combine` and `leaderboard` work on it. What lives here: the table, what it
takes from an example, and which judgements it offers. No texts, no files, no statistics: the
examples come from `examples.py`, the columns from `scoring.py` or `joining.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faithkit.cut_tally import CutTally
from faithkit.datasets import is_validation
from faithkit.meta.columns import (
    CodedBuilder,
    Column,
    FloatBuilder,
    FloatColumn,
    TextBuilder,
    take,
)
from faithkit.meta.sample import Ints
from faithkit.records import (
    TRANSIENT,
    UNITS,
    ConfigError,
    Coverage,
    DataError,
    Example,
    Outcome,
    Signature,
    did_you_mean,
)

NO_SCORE = "no row in the results"
"""The outcome of a row that a file of saved scores does not have."""

Numbers = list[float | None]
Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """An example without its texts.

    document      the source's identity, which the bootstrap resamples
    pair          rows that are compared with each other in ranking, None if absent
    label         1 consistent, 0 not, None if unlabelled
    error_types, error_groups
                  names of the annotated errors, by the finer and the coarser scheme
    subset        part of the benchmark (origin/era), None where the release has no parts
    outside       true for a row that belongs to no part of a release that has them (AggreFact's
                  human-written and lead-3 summaries are of no era): it counts for the whole set,
                  and in no part, no average by part and no choice of a threshold
    validation    true for rows that thresholds may be chosen on
    """

    id: str
    document: str
    pair: str | None = None
    system: str | None = None
    label: int | None = None
    rating: float | None = None
    error_types: tuple[str, ...] = ()
    error_groups: tuple[str, ...] = ()
    subset: str | None = None
    outside: bool = False
    validation: bool = False

    @property
    def ranked_within(self) -> str:
        """The group within which rows are ranked against each other: the pair, else the
        document."""
        return self.pair or self.document


def judged_row(example: Example) -> JudgedRow:
    """The fields of an example that the table keeps. Raises DataError if its errors are not
    names."""
    outside = bool(example.meta.get("outside"))
    parts = [str(example.meta[key]) for key in ("origin", "era") if example.meta.get(key)]
    return JudgedRow(
        id=example.id,
        document=example.document,
        pair=example.pair,
        system=example.system,
        label=example.label,
        rating=example.rating,
        error_types=error_names(example, "error_types"),
        error_groups=error_names(example, "error_groups"),
        subset=None if outside else "/".join(parts) or None,
        outside=outside,
        validation=is_validation(example),
    )


def error_names(example: Example, key: str) -> tuple[str, ...]:
    """A list of names in `meta`, or a single one. Raises DataError on anything else."""
    value = example.meta.get(key)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise DataError(f"row '{example.id}', field '{key}': expected a list of names, found {value!r}")


class JudgedRows(Column[JudgedRow]):
    """The rows of a table, as a column for each of their fields: some 30 bytes and its id."""

    __slots__ = ("columns",)

    def __init__(self, columns: Mapping[str, Column[Any]]) -> None:
        self.columns = columns

    @classmethod
    def of(cls, rows: Iterable[JudgedRow]) -> JudgedRows:
        """Each row is let go once it is read."""
        builders: dict[str, Any] = {item.name: CodedBuilder() for item in fields(JudgedRow)}
        builders |= {"id": TextBuilder(), "rating": FloatBuilder()}
        appends = [(name, builder.append) for name, builder in builders.items()]
        for row in rows:
            for name, append in appends:
                append(getattr(row, name))
        return cls({name: builder.done() for name, builder in builders.items()})

    def __len__(self) -> int:
        return len(self.columns["id"])

    def read(self, rows: Any) -> list[JudgedRow]:
        read = (column.read(rows) for column in self.columns.values())
        return [JudgedRow(*row) for row in zip(*read, strict=True)]

    def take(self, rows: Any) -> JudgedRows:
        return JudgedRows({name: column.take(rows) for name, column in self.columns.items()})


class PartsColumn(Column[Mapping[str, float]]):
    """The parts of each row, 8 bytes for each name."""

    __slots__ = ("named", "rows")

    def __init__(self, named: Mapping[str, FloatColumn], rows: int) -> None:
        self.named = named
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def read(self, rows: Any) -> list[Mapping[str, float]]:
        named = {name: column.read(rows) for name, column in self.named.items()}
        return [
            {name: part for name, column in named.items() if (part := column[row]) is not None}
            for row in range(len(range(self.rows)[rows]))
        ]

    def take(self, rows: Any) -> PartsColumn:
        return PartsColumn({name: c.take(rows) for name, c in self.named.items()}, len(rows))


class CoverageColumn(Column[Coverage]):
    """The coverage of each row, 4 bytes for each count that any row has; the others are 0."""

    __slots__ = ("counts", "rows")

    def __init__(self, counts: Mapping[str, NDArray[Any]], rows: int) -> None:
        self.counts = counts
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def read(self, rows: Any) -> list[Coverage]:
        counts = {name: column[rows].tolist() for name, column in self.counts.items()}
        return [
            Coverage(**{name: column[row] for name, column in counts.items()})
            for row in range(len(range(self.rows)[rows]))
        ]

    def take(self, rows: Any) -> CoverageColumn:
        numbers = np.asarray(rows, dtype=np.int64)
        return CoverageColumn({n: column[numbers] for n, column in self.counts.items()}, len(rows))

    def tally(self, scored: NDArray[np.bool_]) -> CutTally:
        """Adds up the coverage of the rows that have a score."""
        cut = np.zeros(self.rows, dtype=bool)
        seen, cuts = {}, {}
        for name in UNITS:
            seen[name], cuts[name] = 0, 0
            if name in self.counts:
                seen[name] = int(self.counts[name][scored].sum())
            if (of_name := self.counts.get(f"{name}_cut")) is not None:
                cuts[name] = int(of_name[scored].sum())
                cut |= of_name > 0
        return CutTally(int(scored.sum()), int((cut & scored).sum()), seen, cuts)


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """One metric's scores on the rows of a table, in their order; a value is None if absent.

    signature   the short form, which is printed
    verdicts    the metric's own: 1 consistent, 0 not, 0.5 undecided, None if absent
    parts       the components of the value, and what is given beside it, by name
    coverages   what the metric saw of the texts, and what was cut
    trained_on  names of the data that the metric or its models were trained on, None if unknown
    made_by     the whole signature, None where the saved scores do not hold it
    """

    label: str
    signature: str
    unit: str
    values: Values
    outcomes: Sequence[str]
    verdicts: Values = ()
    parts: Sequence[Mapping[str, float]] = ()
    coverages: Sequence[Coverage] = ()
    trained_on: tuple[str, ...] | None = ()
    made_by: Signature | None = None

    def is_final(self) -> bool:
        """False where another try may change an outcome (such as a server that timed out)."""
        return TRANSIENT.isdisjoint(self.outcomes)

    def missing(self) -> dict[str, int]:
        """Count by outcome of the rows that have no value."""
        pairs = zip(self.values, self.outcomes, strict=True)
        return dict(Counter(outcome for value, outcome in pairs if value is None))

    def incomplete(self) -> int:
        """Rows without a score, or with an outcome that is not ok."""
        return sum(outcome != Outcome.OK for outcome in self.outcomes)

    def cut(self, tally: CutTally | None = None) -> CutTally:
        """How much of the texts the metric did not see, over all rows; added to `tally`."""
        tally = CutTally() if tally is None else tally
        if isinstance(self.coverages, CoverageColumn):
            scored = np.fromiter((o != NO_SCORE for o in self.outcomes), bool, len(self.outcomes))
            tally.add_tally(self.coverages.tally(scored))
            return tally
        for coverage, outcome in zip(self.coverages, self.outcomes, strict=False):
            if outcome != NO_SCORE:
                tally.add(coverage)
        return tally

    def part(self, name: str) -> Values:
        """One part on each row. Raises ConfigError on a part that no row has."""
        names = self.part_names()
        if name not in names:
            hint = did_you_mean(name, names) if names else " It has none."
            raise ConfigError(f"{self.label} has no part '{name}'.{hint}")
        if isinstance(self.parts, PartsColumn):
            return self.parts.named[name]
        return [parts.get(name) for parts in self.parts]

    def part_names(self) -> list[str]:
        """The names of the parts that any row has, in order of first appearance."""
        if isinstance(self.parts, PartsColumn):
            return list(self.parts.named)
        return list(dict.fromkeys(name for parts in self.parts for name in parts))

    def take(self, numbers: Sequence[int] | Ints) -> MetricColumn:
        """The rows with these numbers."""
        kept: dict[str, Any] = {
            name: take(getattr(self, name), numbers)
            for name in ("values", "outcomes", "verdicts", "parts", "coverages")
            if getattr(self, name)
        }
        return replace(self, **kept)


@dataclass(slots=True)
class JudgedTable:
    """Rows with human judgements and the metrics' columns on them, by the metrics' labels.

    tasks            what the rows are a benchmark of: rating, detection, ranking, error_types
    notes            what was left out before any statistic, in words
    used             which rows of the file or dataset these are, in words; "" where all are
    documents_named  whether rows name their document, or it is the identity of the source's text
    """

    name: str
    rows: Sequence[JudgedRow]
    columns: dict[str, MetricColumn] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    used: str = ""
    documents_named: bool = False

    @property
    def ids(self) -> Sequence[str]:
        return self.of_rows("id")

    @property
    def documents(self) -> Sequence[str]:
        return self.of_rows("document")

    @property
    def systems(self) -> Sequence[str | None]:
        return self.of_rows("system")

    @property
    def labels(self) -> Sequence[int | None]:
        return self.of_rows("label")

    @property
    def ratings(self) -> Values:
        return self.of_rows("rating")

    def of_rows(self, name: str) -> Sequence[Any]:
        """A field of every row."""
        if isinstance(self.rows, JudgedRows):
            return self.rows.columns[name]
        return [getattr(row, name) for row in self.rows]

    def column(self, metric: str) -> MetricColumn:
        """A metric's column. Raises ConfigError on a metric without one."""
        if metric not in self.columns:
            raise ConfigError(f"no scores of '{metric}' here.{did_you_mean(metric, self.columns)}")
        return self.columns[metric]

    def unscored(self, metric: str) -> dict[str, list[str]]:
        """Outcome to the ids of the rows that have no value because of it."""
        column = self.column(metric)
        ids: dict[str, list[str]] = {}
        for row, value, outcome in zip(self.rows, column.values, column.outcomes, strict=True):
            if value is None:
                ids.setdefault(outcome, []).append(row.id)
        return ids

    def take(self, numbers: Sequence[int] | Ints, notes: Sequence[str] = ()) -> JudgedTable:
        """The rows with these numbers, with notes of what is left out."""
        return replace(
            self,
            rows=take(self.rows, numbers),
            columns={label: column.take(numbers) for label, column in self.columns.items()},
            notes=[*self.notes, *notes],
        )


def labels_of(table: JudgedTable, consistent_from: float | None = None) -> Sequence[int | None]:
    """1 consistent, 0 not, None where unlabelled.

    consistent_from  the least rating that counts as consistent; then ratings decide, not labels
    Raises DataError where there is neither label nor cut-off, or no rating to cut.
    """
    rated = [rating for rating in table.ratings if rating is not None]
    if consistent_from is not None:
        if not rated:
            raise DataError(
                f"{table.name}: no row has a rating, so --consistent-from has nothing "
                "to cut; is the rating in another column?"
            )
        return [
            None if rating is None else int(rating >= consistent_from) for rating in table.ratings
        ]
    if any(label is not None for label in table.labels):
        return table.labels
    if rated:
        raise DataError(
            f"{table.name}: rows have ratings ({min(rated):g} to {max(rated):g}) but no labels; "
            "name the least rating that counts as consistent with --consistent-from"
        )
    raise DataError(f"{table.name}: no row has a label or a rating; are they in other columns?")


def judgements_of(table: JudgedTable) -> tuple[str, Values]:
    """`rating`, or `label` where no row has a rating, and that column. DataError with neither."""
    if any(rating is not None for rating in table.ratings):
        return "rating", table.ratings
    if any(label is not None for label in table.labels):
        return "label", table.labels
    raise DataError(f"{table.name}: no row has a rating or a label; are they in other columns?")
