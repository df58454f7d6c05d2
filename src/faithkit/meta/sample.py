"""What the statistics of meta-evaluation work on and give back: Sample, Measure and Estimate.

What lives here: checked, aligned columns (metric values, human judgements, source documents,
systems, subsets) with a count of every row left out; the shape of a statistic; its typed result.
What does not: any statistic (`correlation.py`, `detection.py`) and resampling (`bootstrap.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from faithkit.meta.columns import CodedColumn, FloatColumn
from faithkit.records import JSON, DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Values = Sequence[float | None] | NDArray[np.float64] | NDArray[np.int64]
"""One number per row; None where the row has none. NaN and infinity are refused."""


def column(values: Values, name: str) -> tuple[Floats, Bools]:
    """The numbers, [rows], with 0 for missing ones, and a mask of the rows that have one.

    Raises DataError on anything that is not None or a finite number, naming the row.
    """
    if isinstance(values, FloatColumn):
        present = ~np.isnan(values.numbers)
        numbers = np.where(present, values.numbers, 0.0)
        if not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise _not_a_number(name, row, values[row])
        return numbers, present
    if not set(map(type, values)) <= _PLAIN:
        for row, value in enumerate(values):
            if value is not None and not isinstance(value, (int, float, np.number, np.bool_)):
                raise _not_a_number(name, row, value)
    present = np.array([value is not None for value in values], dtype=bool)
    numbers = np.array([0.0 if value is None else float(value) for value in values], dtype=float)
    odd = np.flatnonzero(~np.isfinite(numbers))
    if len(odd):
        raise _not_a_number(name, int(odd[0]), values[int(odd[0])])
    return numbers, present


_PLAIN = {float, int, bool, type(None), np.float64, np.int64}


def _not_a_number(name: str, row: int, value: object) -> DataError:
    return DataError(
        f"{name}, row {row}: expected a finite number or None, found {value!r}; "
        "a row without a value is None, never NaN or infinity"
    )


def number_list(value: JSON, name: str) -> tuple[float, ...]:
    """A JSON list of finite numbers. Raises DataError on anything else."""
    if not isinstance(value, list):
        raise DataError(f"'{name}' should be a list of numbers, found {value!r}")
    checked: list[float | None] = []
    for item in value:
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            raise DataError(f"'{name}' should hold numbers, found {item!r}")
        checked.append(item)
    return tuple(float(number) for number in column(checked, name)[0])


def check_keys(row: Mapping[str, JSON], expected: Collection[str], kind: str) -> None:
    """Raises DataError unless a saved record has exactly these keys."""
    if set(row) != set(expected):
        raise DataError(
            f"a saved {kind} has the keys {', '.join(sorted(expected))}; "
            f"found {', '.join(sorted(row)) or 'none'}"
        )


def codes(values: Sequence[Hashable] | Ints, name: str, why: str) -> tuple[Ints, tuple[str, ...]]:
    """Each row's name as an integer, and the names in order of first appearance.

    Raises DataError on None or an empty name: a missing one is not guessed.
    """
    if isinstance(values, CodedColumn):
        return _recoded_column(values, name, why)
    code_of: dict[Hashable, int] = {}
    for row, value in enumerate(values):
        if value is None or value == "":
            raise DataError(f"row {row} has no {name}: {why}")
        code_of.setdefault(value, len(code_of))
    coded = np.array([code_of[value] for value in values], dtype=np.int64)
    return coded, tuple(str(value) for value in code_of)


def _recoded_column(
    values: CodedColumn[Hashable], name: str, why: str
) -> tuple[Ints, tuple[str, ...]]:
    """`codes` of a column that is already coded; its codes need not be in order of first
    appearance."""
    present, first, code_of_row = np.unique(values.codes, return_index=True, return_inverse=True)
    names = [values.values[code] for code in present.tolist()]
    absent = [row for row, value in zip(first.tolist(), names, strict=True) if value in (None, "")]
    if absent:
        raise DataError(f"row {min(absent)} has no {name}: {why}")
    order = np.argsort(first)
    new_code = np.empty(len(order), dtype=np.int64)
    new_code[order] = np.arange(len(order))
    return new_code[code_of_row], tuple(str(names[number]) for number in order.tolist())


def hash_order(names: Iterable[Hashable]) -> Ints:
    """The positions of names in the order of their hashes: what is drawn in this order does not
    depend on the order of the rows."""
    hashes = [sha256(str(name).encode()).digest() for name in names]
    return np.array(sorted(range(len(hashes)), key=hashes.__getitem__), dtype=np.int64)


def same_length(**columns: Sequence[object] | NDArray[np.float64] | NDArray[np.int64]) -> int:
    """The number of rows. Raises DataError when the columns do not all have it."""
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise DataError(f"columns should have one entry per row each, found lengths {shown}")
    return next(iter(lengths.values()))


@dataclass(frozen=True, slots=True)
class Sample:
    """The rows that have all the values a statistic needs, as arrays of length n.

    scores      [n], the metric
    human       [n], the human judgement, or None where the statistic compares with nothing
    cluster     [n], codes 0..clusters-1 of the source document, or None where none were given
    system      [n], codes into `systems`; subset likewise
    rows        [n], the position each row had in the columns given to `sample`
    unscored    rows left out for want of a metric value
    unlabelled  rows left out that have a metric value but no human judgement
    """

    scores: Floats
    human: Floats | None
    cluster: Ints | None
    clusters: int
    system: Ints | None
    systems: tuple[str, ...]
    subset: Ints | None
    subsets: tuple[str, ...]
    rows: Ints
    unscored: int = 0
    unlabelled: int = 0

    @property
    def n(self) -> int:
        return len(self.scores)

    def judgements(self) -> Floats:
        """`human`. Raises DataError if there is none."""
        if self.human is None:
            raise DataError("this statistic compares with human judgements; none were given")
        return self.human

    def labels(self) -> Bools:
        """`human` as consistent or not. Raises DataError unless all of it is 0 or 1."""
        human = self.judgements()
        odd = np.flatnonzero((human != 0) & (human != 1))
        if len(odd):
            raise DataError(
                f"row {self.rows[odd[0]]}: expected label 1 (consistent) or 0, found "
                f"{human[odd[0]]:g}; ratings need a cut-off before detection statistics"
            )
        return np.asarray(human == 1)

    def groups(self) -> Ints:
        """`cluster`. Raises DataError if rows came without their source document."""
        if self.cluster is None:
            raise DataError(
                "this needs the group (source document) of every row; give `groups`, "
                "for example a hash of the source text"
            )
        return self.cluster

    def scattered(self, values: Floats, length: int) -> FloatColumn:
        """Values of these rows at their positions among `length` rows, None elsewhere."""
        every = np.full(length, np.nan)
        every[self.rows] = values
        return FloatColumn(every)

    def where(self, mask: Bools | Ints) -> Sample:
        """The rows under `mask`, or with these numbers; cluster codes keep their meaning, so draws
        stay joint."""
        return replace(
            self,
            scores=self.scores[mask],
            human=None if self.human is None else self.human[mask],
            cluster=None if self.cluster is None else self.cluster[mask],
            system=None if self.system is None else self.system[mask],
            subset=None if self.subset is None else self.subset[mask],
            rows=self.rows[mask],
        )


def sample(
    scores: Values,
    human: Values | None = None,
    *,
    groups: Sequence[Hashable] | None = None,
    systems: Sequence[Hashable] | None = None,
    subsets: Sequence[Hashable] | None = None,
) -> Sample:
    """Checks and aligns columns of one length; rows without a value are left out and counted.

    scores   the metric, None where unscored
    human    a rating or a label (1 consistent, 0 not), None where unlabelled
    groups   the source document of each row: what the bootstrap resamples
    systems  the summariser of each row, for system-level statistics
    subsets  the part of the benchmark each row belongs to, for averages by subset
    Raises DataError on unequal lengths, NaN or infinity, and a missing group, system or subset.
    """
    columns = {"scores": scores, "human": human, "groups": groups, "systems": systems}
    columns["subsets"] = subsets
    same_length(**{name: values for name, values in columns.items() if values is not None})
    numbers, scored = column(scores, "scores")
    keep = scored
    human_numbers = None
    if human is not None:
        human_numbers, labelled = column(human, "human")
        keep = scored & labelled
        human_numbers = human_numbers[keep]
    rows = np.flatnonzero(keep)
    coded: dict[str, tuple[Ints | None, tuple[str, ...]]] = {}
    for name, values, why in (
        ("group", groups, "intervals resample source documents, so each row must name its own"),
        ("system", systems, "system-level statistics average over each system's rows"),
        ("subset", subsets, "averages by subset need every row's subset"),
    ):
        if values is None:
            coded[name] = (None, ())
            continue
        coded[name] = _recoded(*codes(values, name, why), rows)
    return Sample(
        scores=numbers[rows],
        human=human_numbers,
        cluster=coded["group"][0],
        clusters=len(coded["group"][1]),
        system=coded["system"][0],
        systems=coded["system"][1],
        subset=coded["subset"][0],
        subsets=coded["subset"][1],
        rows=rows,
        unscored=int((~scored).sum()),
        unlabelled=int((scored & ~keep).sum()),
    )


def _recoded(coded: Ints, names: Sequence[str], rows: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Codes 0..k-1 of the remaining rows, in the order of their previous codes."""
    present, code_of_row = np.unique(coded[rows], return_inverse=True)
    return code_of_row.astype(np.int64), tuple(names[code] for code in present.tolist())


Kernel = Callable[[Floats], tuple[Floats, Bools]]
"""Cluster multiplicities, [clusters, draws], to the statistic of each draw, [draws], and a mask of
the draws in which it is defined (the value elsewhere is 0 and means nothing)."""


NARROW_ENTRIES = 1 << 20
"""Rows x draws of an array of a kernel, 8 MB, above which it takes fewer draws at once."""


def narrow(kernel: Kernel, rows: int) -> Kernel:
    """Wraps a kernel so that it is given fewer draws at once and its arrays [rows, draws] stay
    small. Only for kernels in which the value of a draw does not depend on the number of draws."""
    width = max(1, NARROW_ENTRIES // max(rows, 1))

    def by_parts(counts: Floats) -> tuple[Floats, Bools]:
        draws = counts.shape[1]
        if draws <= width:
            return kernel(counts)
        parts = [kernel(counts[:, start : start + width]) for start in range(0, draws, width)]
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])

    return by_parts


def _rows(data: Sample) -> int:
    return data.n


def _never(_: Sample) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Measure:
    """A statistic of a Sample.

    undefined  why it has no value on this sample, or None
    point      its value, by scipy or scikit-learn where they have it
    kernel     the same statistic of many resamples at once, given cluster multiplicities
    too_many   why it has no interval on so large a sample, or None
    units      what `Estimate.n` counts
    """

    name: str
    undefined: Callable[[Sample], str | None]
    point: Callable[[Sample], float]
    kernel: Callable[[Sample], Kernel]
    units: Callable[[Sample], int] = _rows
    too_many: Callable[[Sample], str | None] = _never


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with what it was computed from. `value` is None exactly when `reason` is set.

    n                units it is over: rows, or systems for a system-level statistic
    unscored         rows left out for want of a metric value
    unlabelled       rows left out for want of a human judgement
    low, high        percentile bootstrap interval at `level`, None where not asked for or where
                     `interval_reason` says why there is none
    groups           source documents that were resampled
    draws            resamples with a value; `undefined_draws` had none and are left out
    """

    statistic: str
    value: float | None
    n: int
    unscored: int = 0
    unlabelled: int = 0
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    groups: int | None = None
    draws: int = 0
    undefined_draws: int = 0
    interval_reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


def ratio(numerator: Floats, denominator: Floats) -> tuple[Floats, Bools]:
    """numerator / denominator where the denominator is positive, else 0 and not defined."""
    defined = denominator > 0
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=defined), defined


def cluster_sums(values: Floats, data: Sample) -> Floats:
    """values, [n], summed within each cluster, [clusters]."""
    return np.bincount(data.groups(), weights=values, minlength=data.clusters).astype(float)


def ranks_within(values: Floats, data: Sample) -> Floats:
    """Mid-rank of each row among the rows of its cluster, minus their mean rank, [n]."""
    cluster = data.groups()
    order = np.lexsort((values, cluster))
    changes = np.diff(cluster[order], prepend=-1) != 0
    documents = np.flatnonzero(changes)
    changes[1:] |= np.diff(values[order]) != 0
    ranks = np.empty(data.n)
    ranks[order] = _middles(np.flatnonzero(changes), data.n) - _middles(documents, data.n)
    return ranks


def _middles(starts: Ints, length: int) -> Floats:
    """For each of `length` positions, the middle of the run it belongs to. starts: the first
    position of each run."""
    ends = np.append(starts[1:], length)
    return np.repeat((starts + ends - 1) / 2, ends - starts)
