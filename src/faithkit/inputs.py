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

WANTED = "an Example, a dict with 'source' and 'summary', or a (source, summary) tuple"
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
            f"examples should be a list, each {WANTED}, found {_shown(given)}. One pair is given "
            f"as score([(source, summary)]).{hint}"
        )
    if hasattr(given, "to_dict"):
        raise DataError(
            f"examples should be a list, each {WANTED}, found {_shown(given)}. Give a table's rows "
            "as dicts: table.to_dict('records')."
        )
    return _examples(given)


def _examples(given: Iterable[Any]) -> Iterator[Example]:
    for number, example in enumerate(given, start=1):
        try:
            yield _example(example, number)
        except DataError as error:
            raise DataError(f"example {number}{error}") from error


def _example(example: Any, number: int) -> Example:
    if isinstance(example, Example):
        return example
    if _is_pair(tuple(example) if isinstance(example, list) else example):
        return _made({"source": example[0], "summary": example[1]}, number)
    if isinstance(example, Mapping):
        return _made(example, number)
    raise DataError(f" should be {WANTED}, found {_shown(example)}")


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


def _is_pair(example: object) -> bool:
    """Two texts. A list of them at the top is taken for two examples, which is an error."""
    return (
        isinstance(example, tuple)
        and len(example) == 2
        and all(isinstance(text, str) for text in example)
    )


def _shown(example: object) -> str:
    if isinstance(example, str):
        return "text"
    if isinstance(example, tuple | list):
        inside = " and ".join(map(_shown, example)) if len(example) == 2 else str(len(example))
        return f"a {type(example).__name__} of {inside}"
    return "None" if example is None else type(example).__name__
