"""The forms in which `faithkit.score` takes examples from Python: Example, dict or tuple.

Files are read by `files.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from faithkit.records import DataError, Example, did_you_mean

Given = Example | Mapping[str, Any] | Sequence[str]
"""One example: an Example, a dict with the fields of one, or a (source, summary) tuple."""

EXPECTED = "an Example, a dict with 'source' and 'summary', or a (source, summary) tuple"
NAMES = ("id", "document", "pair", "system")
"""Fields that are names, for which a whole number is text."""


def examples_of(given: Given | Iterable[Given]) -> Iterator[Example]:
    """The examples in order; those without an id are numbered from "1" by their place.

    One example may be given alone. Other keys of a dict than an Example's fields go into `meta`.
    Raises DataError: at once where these are no examples at all, else at the example that is wrong.
    """
    if isinstance(given, Example | Mapping) or _is_pair(given):
        return _examples([given])
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        hint = " For a file use `faithkit score FILE`." if hasattr(given, "__fspath__") else ""
        raise DataError(
            f"examples should be a list, each {EXPECTED}, found {_shown(given)}. One pair is given "
            f"as score([(source, summary)]).{hint}"
        )
    if hasattr(given, "to_dict"):
        raise DataError(
            f"examples should be a list, each {EXPECTED}, found {_shown(given)}. Give a table's "
            "rows as dicts: table.to_dict('records')."
        )
    return _examples(given)


def _examples(given: Iterable[Any]) -> Iterator[Example]:
    for number, item in enumerate(given, start=1):
        try:
            yield _example(item, number)
        except DataError as error:
            raise DataError(f"example {number}{error}") from error


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
    names = {field.name for field in fields(Example)}
    values = {key: value for key, value in row.items() if key in names}
    others = {key: value for key, value in row.items() if key not in names}
    for name in NAMES:
        if isinstance(values.get(name), int) and not isinstance(values[name], bool):
            values[name] = str(values[name])
    values["id"] = values.get("id") or str(number)
    values["document"] = values.get("document") or ""
    values["spans"] = tuple(values.get("spans") or ())
    values["meta"] = {**others, **(values.get("meta") or {})}
    try:
        return Example(**values)
    except (DataError, TypeError) as error:
        raise DataError(f": {error}") from error


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
