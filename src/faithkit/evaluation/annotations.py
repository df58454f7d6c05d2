"""Annotations in a long table (item, annotator, value a row) or a wide one (a column for each
annotator), how far the annotators agree, and where they do not.

What lives here: reading and checking such a file, choosing the statistics that its values allow,
and the list of disagreements. What does not: the statistics (`meta/agreement.py`). Source of the
shares of all-same, two-same and all-different answers, and of the weighted kappa on ratings: [LSS].
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal, get_args

from faithkit import meta, writing
from faithkit.datasets.rows import Row, read_rows
from faithkit.records import JSON, ConfigError, DataError, did_you_mean

Value = str | float
Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)
ENDINGS = (".csv", ".tsv", ".jsonl")


NOT_ANNOTATORS = ("source", "summary", "document", "pair", "group", "system")
"""Columns of a file of pairs; in a wide table they are no annotators unless they are named."""

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Fields:
    """Which column of the file holds what.

    annotators  the columns of a wide table, one an annotator; empty: see `read_annotations`
    """

    item: str | None = None
    annotator: str | None = None
    value: str | None = None
    annotators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotations:
    """The values that annotators gave to items.

    values   item to annotator to value; an annotator who gave none is not in it
    texts    the same values as the file has them, but for blanks: at the ends of a value they are
             gone, and several in a row are one space
    empty    cells of the file that have no value
    numeric  whether every value is a number, or was given a place by `order`
    layout   what the file was read as, in words
    """

    annotators: tuple[str, ...]
    values: Mapping[str, Mapping[str, Value]]
    texts: Mapping[str, Mapping[str, str]]
    empty: int
    numeric: bool
    layout: str

    @property
    def count(self) -> int:
        """How many values were given."""
        return sum(len(row) for row in self.values.values())

    def values_of(self, annotator: str) -> list[Value | None]:
        """The annotator's value of each item, None if missing."""
        return [row.get(annotator) for row in self.values.values()]

    def by_item(self) -> list[list[Value | None]]:
        """[items][annotators], None where an annotator gave none."""
        return [[row.get(name) for name in self.annotators] for row in self.values.values()]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Two annotators on the items that both judged; `weighted` is None for names."""

    first: str
    second: str
    raw: meta.Agreement
    plain: meta.Agreement
    weighted: meta.Agreement | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item that annotators judged differently.

    size  largest difference of two values; of names, how many different ones there are less one
    """

    item: str
    answers: Mapping[str, str]
    size: float

    def to_dict(self) -> dict[str, JSON]:
        return {"item": self.item, "size": self.size, "answers": dict(self.answers)}


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """The annotators' agreement in a file of annotations.

    layout         what the file was read as, in words
    annotations    values given, over all items and annotators
    missing        cells of items x annotators without a value
    shares         of items with exactly three answers; None for the reason in `shares_reason`
    disagreements  the items on which annotators differ, the largest difference first
    """

    layout: str
    items: int
    annotators: tuple[str, ...]
    annotations: int
    empty: int
    missing: int
    alphas: tuple[meta.Agreement, ...]
    kappas: tuple[Kappa, ...]
    shares: meta.SharedAnswers | None
    shares_reason: str | None
    disagreements: tuple[Disagreement, ...]

    def to_dict(self) -> dict[str, JSON]:
        return {
            "layout": self.layout,
            "items": self.items,
            "annotators": list(self.annotators),
            "annotations": self.annotations,
            "rows_without_a_value": self.empty,
            "missing": self.missing,
            "alpha": [alpha.to_dict() for alpha in self.alphas],
            "kappa": [
                {
                    "first": kappa.first,
                    "second": kappa.second,
                    "raw": kappa.raw.to_dict(),
                    "cohen": kappa.plain.to_dict(),
                    "quadratic": None if kappa.weighted is None else kappa.weighted.to_dict(),
                }
                for kappa in self.kappas
            ],
            "shares": None if self.shares is None else self.shares.to_dict(),
            "shares_reason": self.shares_reason,
            "disagreements": [item.to_dict() for item in self.disagreements],
        }


@dataclass(frozen=True, slots=True)
class _Cell:
    """One judgement and the column of its row that it is in."""

    row: Row
    field: str
    item: str
    annotator: str


def read_annotations(
    path: Path,
    fields: Fields | None = None,
    *,
    order: Sequence[str] = (),
    names: bool = False,
    empty_is_answer: bool = False,
) -> Annotations:
    """Reads CSV, TSV, JSONL, JSON, Parquet or XLSX by ending.

    A long table has the columns `item`, `annotator` and `value`, or those that `fields` names. A
    file with neither `annotator` nor `value`, or `fields.annotators`, is a wide table: the item is
    `item`, `id` or the first column, and every other column is an annotator but for NOT_ANNOTATORS.

    order            grades from the lowest up: each value becomes its place, from 0
    names            values are names even where they look like numbers
    empty_is_answer  an empty text is an answer (nothing is supported [LSS]), not a missing one;
                     null is missing either way
    Raises DataError naming file, line and field: a missing column, an empty name, an annotator who
    judged an item twice, numbers mixed with names, a grade that `order` does not have.
    """
    if not path.is_file():
        raise DataError(f"{path}: {'is a directory' if path.is_dir() else 'no such file'}")
    layout, cells = _cells(path, fields or Fields())
    values: dict[str, dict[str, Value]] = {}
    annotators: dict[str, None] = {}
    places: dict[tuple[str, str], str] = {}
    answered: list[_Cell] = []
    empty = 0
    for cell in cells:
        key = cell.item, cell.annotator
        if key in places:
            raise DataError(
                f"{cell.row.place}: '{cell.annotator}' judged '{cell.item}' already, on "
                f"{places[key].rsplit(', ', 1)[-1]}"
            )
        places[key] = cell.row.place
        values.setdefault(cell.item, {})
        annotators.setdefault(cell.annotator)
        text = _text(cell.row, cell.field)
        if text is None or (not text and not empty_is_answer):
            empty += 1
            continue
        values[cell.item][cell.annotator] = text
        answered.append(cell)
    if not answered:
        raise DataError(f"{path}: no annotations" + (f"; all {empty} are empty" if places else ""))
    texts = {
        item: {annotator: str(value) for annotator, value in row.items()}
        for item, row in values.items()
    }
    numeric = _numbered(answered, values, order, names)
    return Annotations(tuple(annotators), values, texts, empty, numeric, layout)


def _cells(path: Path, fields: Fields) -> tuple[str, Iterator[_Cell]]:
    """A description of the file's layout, and its judgements."""
    rows = list(read_rows(path))
    header = list(dict.fromkeys(name for row in rows for name in row.values))
    long = fields.annotator or fields.value or {"annotator", "value"} & set(header)
    if long and fields.annotators:
        raise ConfigError(
            "--annotators names the columns of a wide table, --annotator and --value those of a "
            "long one; give the one or the other"
        )
    if not rows or (long and not fields.annotators):
        wanted = (fields.item or "item", fields.annotator or "annotator", fields.value or "value")
        return f"a row for each judgement: {', '.join(wanted)}", _long(path, *wanted)
    item = fields.item or next((name for name in ("item", "id") if name in header), header[0])
    columns = fields.annotators or tuple(
        name for name in header if name != item and name not in NOT_ANNOTATORS
    )
    for name in (item, *columns):
        if name not in header:
            raise DataError(f"{path}: no column '{name}'.{did_you_mean(name, header)}")
    if len(columns) < 2:
        raise DataError(
            f"{path}: {len(columns)} column{'' if len(columns) == 1 else 's'} of annotators beside "
            f"'{item}'; expected a column for each of two or more, or the columns item, annotator "
            "and value"
        )
    shown = f"a row for each item ('{item}') with a column for each annotator: {', '.join(columns)}"
    return shown, _wide(rows, item, columns)


def _long(path: Path, item: str, annotator: str, value: str) -> Iterator[_Cell]:
    for row in read_rows(path, (item, annotator, value)):
        yield _Cell(row, value, row.name(item), row.name(annotator))


def _wide(rows: Sequence[Row], item: str, columns: Sequence[str]) -> Iterator[_Cell]:
    for row in rows:
        for name in columns:
            yield _Cell(row, name, row.name(item), name)


def _text(row: Row, field: str) -> str | None:
    """The value as text, None if it is missing. Leading, trailing and repeated white space is
    removed, so that it does not make two answers different."""
    value = row.values.get(field)
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise row.wrong(field, "a name, a text or a number")
    return _spaced(str(value))


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _number(text: Value) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _numbered(
    answered: Sequence[_Cell],
    values: dict[str, dict[str, Value]],
    order: Sequence[str],
    names: bool,
) -> bool:
    """Replaces texts by numbers, or by the ranks of grades. Returns False, and changes nothing, if
    the values are names. Raises DataError if only some of them are numbers or grades."""
    grades = {_spaced(grade): float(rank) for rank, grade in enumerate(order)}
    if len(grades) < len(order):
        raise ConfigError(f"--order names a grade twice: {', '.join(order)}")
    if names:
        return False
    texts = [values[cell.item][cell.annotator] for cell in answered]
    numbers = [grades.get(str(text)) if grades else _number(text) for text in texts]
    if not grades and all(number is None for number in numbers):
        return False
    for cell, text, number in zip(answered, texts, numbers, strict=True):
        if number is None:
            shown = str(text)
            expected = (
                f"a grade of --order.{did_you_mean(shown, grades)}"
                if grades
                else f"a number as in the other rows, found '{shown[:40]}'. If the values are "
                "names, say so with --level nominal"
            )
            raise DataError(f"{cell.row.place}, field '{cell.field}': expected {expected}")
        values[cell.item][cell.annotator] = number
    return True


def agreement(
    annotations: Annotations, levels: Sequence[Level] = (), *, draws: int = DRAWS, seed: int = 0
) -> AgreementReport:
    """Alpha at each level, raw agreement and kappa of each two annotators, each with its interval
    by item, the shares of equal answers, and the items on which annotators differ.

    levels  those asked for; without any, all that the values allow
    Raises ConfigError on ordinal or interval for names, DataError with a single annotator.
    """
    unfit = [level for level in levels if level != "nominal" and not annotations.numeric]
    if unfit:
        raise ConfigError(
            f"--level {unfit[0]} needs numbers, and the values are names; give the grades from "
            "the lowest up with --order"
        )
    if len(annotations.annotators) < 2:
        raise DataError(
            f"only one annotator ('{annotations.annotators[0]}'): nothing to agree with"
        )
    chosen = list(levels) or (list(LEVELS) if annotations.numeric else ["nominal"])
    by_item = annotations.by_item()
    shares, reason = _shares(annotations)
    return AgreementReport(
        layout=annotations.layout,
        items=len(annotations.values),
        annotators=annotations.annotators,
        annotations=annotations.count,
        empty=annotations.empty,
        missing=len(annotations.values) * len(annotations.annotators) - annotations.count,
        alphas=tuple(
            meta.krippendorff_alpha(by_item, level, draws=draws, seed=seed) for level in chosen
        ),
        kappas=_kappas(annotations, draws, seed),
        shares=shares,
        shares_reason=reason,
        disagreements=_disagreements(annotations),
    )


def _disagreements(annotations: Annotations) -> tuple[Disagreement, ...]:
    disagreements = []
    for item, row in annotations.values.items():
        numbers = [value for value in row.values() if isinstance(value, float)]
        different = {*row.values()}
        size = max(numbers) - min(numbers) if numbers else float(len(different) - 1)
        if len(different) > 1:
            disagreements.append(Disagreement(item, annotations.texts[item], size))
    return tuple(sorted(disagreements, key=lambda disagreement: -disagreement.size))


def check_ending(path: Path) -> None:
    """Raises ConfigError on an ending that no list of disagreements has."""
    if path.suffix.lower() not in ENDINGS:
        raise ConfigError(f"{path}: disagreements are written as {', '.join(ENDINGS)}")


def write_disagreements(path: Path, report: AgreementReport) -> None:
    """All disagreements as CSV, TSV (item, size, a column for each annotator) or JSONL by ending.

    Raises DataError where the file cannot be written.
    """
    check_ending(path)
    text = io.StringIO()
    if path.suffix.lower() == ".jsonl":
        for disagreement in report.disagreements:
            text.write(json.dumps(disagreement.to_dict(), ensure_ascii=False) + "\n")
    else:
        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        rows = [["item", "size", *report.annotators]]
        for disagreement in report.disagreements:
            answers = [disagreement.answers.get(name, "") for name in report.annotators]
            rows.append([disagreement.item, f"{disagreement.size:g}", *answers])
        writing.write_cells(text, rows, delimiter)
    writing.write_text(path, text.getvalue())


def _kappas(annotations: Annotations, draws: int, seed: int) -> tuple[Kappa, ...]:
    """Raw agreement and kappa of each pair of annotators with at least one item in common."""
    columns = {name: annotations.values_of(name) for name in annotations.annotators}
    kappas = []
    for first, second in combinations(annotations.annotators, 2):
        pair = columns[first], columns[second]
        if not any(a is not None and b is not None for a, b in zip(*pair, strict=True)):
            continue
        raw = meta.raw_agreement(*pair, draws=draws, seed=seed)
        plain = meta.cohen_kappa(*pair, draws=draws, seed=seed)
        weighted = None
        if annotations.numeric:
            weighted = meta.cohen_kappa(*pair, weights="quadratic", draws=draws, seed=seed)
        kappas.append(Kappa(first, second, raw, plain, weighted))
    return tuple(kappas)


def _shares(annotations: Annotations) -> tuple[meta.SharedAnswers | None, str | None]:
    """The shares of all-same, two-same and all-different answers over the items with three answers,
    whoever gave them; None and the reason if no item has three, or one has more."""
    sizes = [len(row) for row in annotations.values.values()]
    if max(sizes) != 3:
        number = "more than three" if max(sizes) > 3 else "three"
        subject = "some item has" if max(sizes) > 3 else "no item has"
        return None, f"{subject} {number} answers"
    items: list[list[str | None]] = []
    for row in annotations.values.values():
        answers: list[str | None] = [str(value) for value in row.values()]
        items.append(answers + [None] * (3 - len(answers)))
    return meta.shared_answers(items), None
