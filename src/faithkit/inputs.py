"""The forms in which `faithkit.score` takes examples from Python: Example, dict, tuple or table.

Tables are recognised by what they can do, so that no package of tables is imported.
Files are read by `files.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from faithkit.columns import DEFAULTS
from faithkit.fields import id_of_system
from faithkit.records import ConfigError, DataError, Example, Span, did_you_mean
from faithkit.report.human import read_spans

ExampleLike = Example | Mapping[str, Any] | Sequence[str]
"""One example: an Example, a dict with the fields of one, or a (source, summary) tuple."""

EXPECTED = "an Example, a dict with 'source' and 'summary', or a (source, summary) tuple"
NAMES = ("id", "document", "pair", "system")
"""Fields that are names, for which a whole number is text."""

ROWS_AT_ONCE = 1000
"""Rows of a pandas DataFrame that are turned into Python at once."""


def examples_of(
    given: ExampleLike | Iterable[ExampleLike], column: Mapping[str, str] | None = None
) -> Iterator[Example]:
    """The examples in order; those without an id are numbered from "1" by their place.

    One example may be given alone. Other keys of a dict than an Example's fields go into `meta`,
    but for `score`, which is the rating, as in a file, where there is no `rating`.
    A table gives its rows: a pandas or polars DataFrame, a pyarrow Table, a `datasets.Dataset`, a
    dict of columns. A missing text of a table is empty, as in a file.

    column  which key or column holds a field, such as {"source": "article"}
    Raises DataError: at once where these are no examples at all, else at the example that is wrong.
    """
    return (example for example, _ in _placed_of(given, column))


def unique_examples_of(
    given: ExampleLike | Iterable[ExampleLike], column: Mapping[str, str] | None = None
) -> list[Example]:
    """As `examples_of`, all at once, and none has the id of another: where ids repeat across
    systems they become `ID/SYSTEM`, as in a file. Raises DataError on an id that is given twice for
    one system."""
    placed = list(_placed_of(given, column))
    ids = [example.id for example, has_id in placed if has_id]
    by_system = len({*ids}) < len(ids)
    numbers: dict[str, int] = {}
    for number, (example, has_id) in enumerate(placed, start=1):
        identity = id_of_system(example) if by_system else example.id
        if has_id and (earlier := numbers.setdefault(identity, number)) != number:
            raise DataError(
                f"example {number}: id '{example.id}' was already used by example {earlier}; ids "
                "must be unique, or unique for each system"
            )
    unique = []
    for example, has_id in placed:
        if not has_id:
            example = replace(example, id=_free(example.id, numbers))
        elif by_system:
            example = replace(example, id=id_of_system(example))
        unique.append(example)
    return unique


def _free(number: str, taken: Collection[str]) -> str:
    """The number of an example without an id; `row N` where N is the id of another."""
    while number in taken:
        number = f"row {number}"
    return number


def _placed_of(
    examples: ExampleLike | Iterable[ExampleLike], column: Mapping[str, str] | None
) -> Iterator[tuple[Example, bool]]:
    """The examples, each with whether it was given an id."""
    _check_fields(column or {})
    if (rows := _rows_of(examples)) is not None:
        texts = [(column or {}).get(field, field) for field in ("source", "summary")]
        return _examples((_filled(row, texts) for row in rows), column)
    if isinstance(examples, Example | Mapping) or _is_pair(examples):
        return _examples([examples], column)
    if isinstance(examples, str | bytes) or not isinstance(examples, Iterable):
        hint = " For a file use `faithkit score FILE`." if hasattr(examples, "__fspath__") else ""
        raise DataError(
            f"examples should be a list, each {EXPECTED}, or a table, found {_shown(examples)}. "
            f"One pair is given as score([(source, summary)]).{hint}"
        )
    return _examples(examples, column)


def _rows_of(table: Any) -> Iterator[Mapping[str, Any]] | None:
    """The rows of a table, each a dict; None where this is no table."""
    if isinstance(table, Mapping):
        columns = {str(name): value for name, value in table.items() if _is_column(value)}
        return _rows_of_columns(columns) if columns and len(columns) == len(table) else None
    if hasattr(table, "to_batches") and hasattr(table, "schema"):  # pyarrow
        return (row for batch in table.to_batches() for row in batch.to_pylist())
    if hasattr(table, "iter_rows") and hasattr(table, "columns"):  # polars
        return (row for row in table.iter_rows(named=True))
    if hasattr(table, "iloc") and not hasattr(table, "columns"):
        raise DataError(
            "examples should have two texts each, found a pandas Series, which is one column or "
            "one row; give the data frame, with column={'source': ..., 'summary': ...}"
        )
    if hasattr(table, "iloc") and hasattr(table, "to_dict"):  # pandas
        starts = range(0, len(table), ROWS_AT_ONCE)
        return (row for start in starts
                for row in table.iloc[start : start + ROWS_AT_ONCE].to_dict("records"))  # fmt: skip
    if hasattr(table, "column_names") and hasattr(table, "features"):  # datasets
        return (row for row in table)
    return None


def _rows_of_columns(columns: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise DataError(f"the columns should have one length, found {shown}")
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _is_column(value: object) -> bool:
    """A list or an array; a text, a dict and a set are single values."""
    return hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(
        value, str | bytes | Mapping
    )  # fmt: skip


def _filled(row: Mapping[str, Any], texts: Collection[str]) -> dict[str, Any]:
    """A table's row without its missing values (None, NaN, NaT), but for `texts`, the columns that
    are empty then; a number of NumPy's is Python's."""
    plain = {
        name: value.item() if getattr(value, "shape", None) == () else value
        for name, value in row.items()
    }
    filled = {name: value for name, value in plain.items() if not _is_missing(value)}
    return filled | {name: "" for name in texts if name in plain and name not in filled}


def _is_missing(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NaTType", "NAType")


def _check_fields(column: Mapping[str, str]) -> None:
    names = [field.name for field in fields(Example)]
    for name in column:
        if name not in names:
            raise ConfigError(f"column: there is no field '{name}'.{did_you_mean(name, names)}")


def _examples(
    items: Iterable[Any], column: Mapping[str, str] | None = None
) -> Iterator[tuple[Example, bool]]:
    for number, item in enumerate(items, start=1):
        try:
            named = _named(item, column) if column and isinstance(item, Mapping) else item
            yield _example(named, number), _has_id(named)
        except DataError as error:
            raise DataError(f"example {number}{error}") from error


def _named(row: Mapping[str, Any], column: Mapping[str, str]) -> dict[str, Any]:
    """The row with its fields under their own names."""
    for name in column.values():
        if name not in row:
            raise DataError(f": no key '{name}'.{did_you_mean(name, map(str, row))}")
    used = set(column.values())
    others = {key: value for key, value in row.items() if key not in used and key not in column}
    return others | {field: row[name] for field, name in column.items()}


def _has_id(item: Any) -> bool:
    if isinstance(item, Mapping):
        return item.get("id") not in (None, "")
    return isinstance(item, Example)


def _example(item: Any, number: int) -> Example:
    if isinstance(item, Example):
        return item
    if _is_pair(tuple(item) if isinstance(item, list) else item):
        return _made({"source": item[0], "summary": item[1]}, number)
    if isinstance(item, Mapping):
        return _made(item, number)
    raise DataError(f" should be {EXPECTED}, found {_shown(item)}")


def _made(row: Mapping[str, Any], number: int) -> Example:
    for key in ("source", "summary"):
        if key not in row:
            raise DataError(f": no key '{key}'.{did_you_mean(key, map(str, row))}")
    if "rating" not in row and DEFAULTS["rating"] in row:
        row = {"rating" if key == DEFAULTS["rating"] else key: row[key] for key in row}
    names = {field.name for field in fields(Example)}
    values = {key: value for key, value in row.items() if key in names}
    others = {key: value for key, value in row.items() if key not in names}
    for name in NAMES:
        if isinstance(values.get(name), int) and not isinstance(values[name], bool):
            values[name] = str(values[name])
    values["id"] = values.get("id") or str(number)
    values["document"] = values.get("document") or ""
    meta = values.get("meta")
    if not isinstance(meta, Mapping | None):
        raise DataError(f": field 'meta' should be a dict, found {_shown(meta)}")
    values["meta"] = {**others, **(meta or {})}
    try:
        values["spans"] = _spans(values.get("spans"), values["summary"])
        return Example(**values)
    except (DataError, TypeError) as error:
        raise DataError(f": {error}") from error


def _spans(given: Any, summary: Any) -> tuple[Span, ...]:
    """Spans that people marked, as Spans or in the forms of a file (docs/page.md)."""
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, tuple | list) and all(isinstance(item, Span) for item in given):
        return tuple(given)
    spans, problem = read_spans(given, summary if isinstance(summary, str) else "")
    if problem:
        raise DataError(problem)
    return tuple(Span(span.start, span.end, span.kind or "unsupported") for span in spans)


def _is_pair(item: object) -> bool:
    """Two texts. A list of them at the top is taken for two examples, which is an error."""
    return (
        isinstance(item, tuple) and len(item) == 2 and all(isinstance(text, str) for text in item)
    )


def _shown(item: object) -> str:
    if isinstance(item, str):
        return "text"
    if isinstance(item, tuple | list):
        inside = " and ".join(map(_shown, item)) if len(item) == 2 else str(len(item))
        return f"a {type(item).__name__} of {inside}"
    return "None" if item is None else type(item).__name__
