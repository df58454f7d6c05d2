"""Annotations in a long file (item, annotator, value a row), and how far the annotators agree.

What lives here: reading and checking such a file, and choosing the statistics that its values
allow. What does not: the statistics (`meta/agreement.py`). Source of the shares of all-same,
two-same and all-different answers, and of the weighted kappa on ratings: [LSS].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal, get_args

from faithkit import meta
from faithkit.datasets.rows import Row, read
from faithkit.records import JSON, ConfigError, DataError, did_you_mean

Value = str | float
Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Fields:
    """Which column of the file holds what."""

    item: str = "item"
    annotator: str = "annotator"
    value: str = "value"


@dataclass(frozen=True, slots=True)
class Annotations:
    """Who said what of which item.

    values   item to annotator to value; an annotator who gave none is not in it
    empty    rows of the file that have no value
    numeric  whether every value is a number, or was given a place by `order`
    """

    annotators: tuple[str, ...]
    values: Mapping[str, Mapping[str, Value]]
    empty: int
    numeric: bool

    @property
    def given(self) -> int:
        return sum(len(row) for row in self.values.values())

    def by(self, annotator: str) -> list[Value | None]:
        """One annotator's values, an entry per item."""
        return [row.get(annotator) for row in self.values.values()]

    def by_item(self) -> list[list[Value | None]]:
        """[items][annotators], None where an annotator gave none."""
        return [[row.get(name) for name in self.annotators] for row in self.values.values()]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Two annotators on the items that both judged; `weighted` is None for names."""

    first: str
    second: str
    plain: meta.Agreement
    weighted: meta.Agreement | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All that a file of annotations says of its annotators' agreement.

    missing  cells of items x annotators without a value
    shares   of items with exactly three answers; None where `shares_reason` says why
    """

    items: int
    annotators: tuple[str, ...]
    given: int
    empty: int
    missing: int
    alphas: tuple[meta.Agreement, ...]
    kappas: tuple[Kappa, ...]
    shares: meta.SharedAnswers | None
    shares_reason: str | None

    def to_dict(self) -> dict[str, JSON]:
        return {
            "items": self.items,
            "annotators": list(self.annotators),
            "annotations": self.given,
            "rows_without_a_value": self.empty,
            "missing": self.missing,
            "alpha": [alpha.to_dict() for alpha in self.alphas],
            "kappa": [
                {
                    "first": kappa.first,
                    "second": kappa.second,
                    "cohen": kappa.plain.to_dict(),
                    "quadratic": None if kappa.weighted is None else kappa.weighted.to_dict(),
                }
                for kappa in self.kappas
            ],
            "shares": None if self.shares is None else self.shares.to_dict(),
            "shares_reason": self.shares_reason,
        }


def read_annotations(
    path: Path,
    fields: Fields | None = None,
    *,
    order: Sequence[str] = (),
    names: bool = False,
    empty_is_answer: bool = False,
) -> Annotations:
    """Reads CSV, TSV, JSONL, JSON, Parquet or XLSX by ending.

    order            grades from the lowest up: each value becomes its place, from 0
    names            values are names even where they look like numbers
    empty_is_answer  an empty text is an answer (nothing is supported [LSS]), not a missing one;
                     null is missing either way
    Raises DataError naming file, line and field: a missing column, an empty name, an annotator who
    judged an item twice, numbers mixed with names, a grade that `order` does not have.
    """
    fields = fields or Fields()
    if not path.is_file():
        raise DataError(f"{path}: {'is a directory' if path.is_dir() else 'no such file'}")
    values: dict[str, dict[str, Value]] = {}
    annotators: dict[str, None] = {}
    places: dict[tuple[str, str], str] = {}
    kept: list[tuple[Row, str, str]] = []
    empty = 0
    for row in read(path, (fields.item, fields.annotator, fields.value)):
        item, annotator = row.name(fields.item), row.name(fields.annotator)
        if (item, annotator) in places:
            raise DataError(
                f"{row.place}: '{annotator}' judged '{item}' already, on "
                f"{places[item, annotator].rsplit(', ', 1)[-1]}"
            )
        places[item, annotator] = row.place
        values.setdefault(item, {})
        annotators.setdefault(annotator)
        text = _text(row, fields.value)
        if text is None or (not text.strip() and not empty_is_answer):
            empty += 1
            continue
        values[item][annotator] = text
        kept.append((row, item, annotator))
    if not kept:
        raise DataError(
            f"{path}: no annotations"
            if not places
            else f"{path}, field '{fields.value}': all {empty} rows are empty"
        )
    numeric = _numbered(kept, values, fields.value, order, names)
    return Annotations(tuple(annotators), values, empty, numeric)


def _text(row: Row, field: str) -> str | None:
    value = row.values[field]
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise row.wrong(field, "a name, a text or a number")
    return str(value)


def _number(text: Value) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _numbered(
    kept: Sequence[tuple[Row, str, str]],
    values: dict[str, dict[str, Value]],
    field: str,
    order: Sequence[str],
    names: bool,
) -> bool:
    """Turns texts into numbers where all of them are numbers or grades; whether it did."""
    grades = {grade: float(place) for place, grade in enumerate(order)}
    if len(grades) < len(order):
        raise ConfigError(f"--order names a grade twice: {', '.join(order)}")
    if names:
        return False
    found = [
        grades.get(str(values[item][who]).strip()) if grades else _number(values[item][who])
        for _, item, who in kept
    ]
    if not grades and all(number is None for number in found):
        return False
    for (row, item, who), number in zip(kept, found, strict=True):
        if number is None:
            shown = str(values[item][who])
            wanted = (
                f"a grade of --order.{did_you_mean(shown, grades)}"
                if grades
                else f"a number as in the other rows, found '{shown[:40]}'. If the values are "
                "names, say so with --level nominal"
            )
            raise DataError(f"{row.place}, field '{field}': expected {wanted}")
        values[item][who] = number
    return True


def agreement(annotations: Annotations, levels: Sequence[Level] = ()) -> AgreementReport:
    """Alpha at each level, kappa of each two annotators, and the shares of equal answers.

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
        items=len(annotations.values),
        annotators=annotations.annotators,
        given=annotations.given,
        empty=annotations.empty,
        missing=len(annotations.values) * len(annotations.annotators) - annotations.given,
        alphas=tuple(meta.krippendorff_alpha(by_item, level) for level in chosen),
        kappas=_kappas(annotations),
        shares=shares,
        shares_reason=reason,
    )


def _kappas(annotations: Annotations) -> tuple[Kappa, ...]:
    """Of every two annotators with an item in common."""
    columns = {name: annotations.by(name) for name in annotations.annotators}
    found = []
    for first, second in combinations(annotations.annotators, 2):
        one, two = columns[first], columns[second]
        if not any(a is not None and b is not None for a, b in zip(one, two, strict=True)):
            continue
        weighted = meta.cohen_kappa(one, two, weights="quadratic") if annotations.numeric else None
        found.append(Kappa(first, second, meta.cohen_kappa(one, two), weighted))
    return tuple(found)


def _shares(annotations: Annotations) -> tuple[meta.SharedAnswers | None, str | None]:
    """Whoever gave them, three answers an item."""
    sizes = [len(row) for row in annotations.values.values()]
    if max(sizes) != 3:
        what = "more than three" if max(sizes) > 3 else "three"
        lacks = "some item has" if max(sizes) > 3 else "no item has"
        return None, f"{lacks} {what} answers"
    items: list[list[str | None]] = []
    for row in annotations.values.values():
        answers: list[str | None] = [str(value) for value in row.values()]
        items.append(answers + [None] * (3 - len(answers)))
    return meta.shared_answers(items), None
