"""One record of a file: its fields, and the checks of a field, so that every error of every reader
names file, line and field.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faithkit.records import DataError, Example, did_you_mean, is_unicode

OWN_NAMES = frozenset(
    {"source", "summary", "id", "document", "pair", "system", "label", "score", "rating"}
)
"""Names of columns that each hold a field of their own."""


def of_others(name: str, names: Iterable[str]) -> set[str]:
    """Of these columns, those that hold another field than the one of this name: none of them is a
    misspelling of it."""
    own = OWN_NAMES - {name} if name in OWN_NAMES else frozenset[str]()
    return {other for other in names if other.casefold() in own}


class MissingField(DataError):
    """A field that is needed is not there, but those of these `names` are."""

    field: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, what: str, field: str, names: Sequence[str], hint: str) -> MissingField:
        """what: the place and the kind of the field, `file, line 1: no column`."""
        error = cls(f"{what} '{field}'.{hint}")
        error.field, error.names = field, tuple(names)
        return error


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file: its fields, and `place` (`file, line N`) for errors. In a table a text
    that is missing is an empty cell."""

    place: str
    values: Mapping[str, Any]
    of_table: bool = False

    def wrong(self, field: str, wanted: str) -> DataError:
        """The error for a field that does not hold what it should."""
        value = self.values.get(field)
        shown = "null" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
        return DataError(f"{self.place}, field '{field}': expected {wanted}, found {shown}")

    def get(self, field: str) -> Any:
        """The value of a field that must be there. Raises DataError with the nearest name."""
        if field not in self.values:
            names = [*self.values]
            hint = did_you_mean(field, names, of_others(field, names))
            raise MissingField.of(f"{self.place}: no field", field, names, hint)
        return self.values[field]

    def text(self, field: str) -> str:
        """A text, possibly empty; half a surrogate pair is refused, for it cannot be stored."""
        value = self.get(field)
        if not isinstance(value, str):
            raise self.wrong(field, "text")
        if not is_unicode(value):
            raise self.wrong(field, "Unicode text (this has half a surrogate pair)")
        return value

    def name(self, field: str) -> str:
        """An identity: text that is not blank, or a whole number."""
        value = self.get(field)
        blank = not isinstance(value, str | int) or not str(value).strip()
        if blank or isinstance(value, bool) or not is_unicode(str(value)):
            raise self.wrong(field, "a name or a whole number")
        return str(value)

    def optional_name(self, field: str) -> str | None:
        """As `name`, or None where the field is missing, null or empty."""
        return None if self.values.get(field) in (None, "") else self.name(field)

    def choice(self, field: str, meaning: Mapping[str, int]) -> int:
        """The number that `meaning` gives to the field's value; any other value is an error."""
        value = self.get(field)
        readable = isinstance(value, str | int) and not isinstance(value, bool)
        key = str(value).strip() if readable else ""
        if key not in meaning:
            raise self.wrong(field, " or ".join(repr(name) for name in meaning))
        return meaning[key]

    def one_of(self, field: str, allowed: Sequence[str]) -> str:
        """A text that must be one of `allowed`."""
        value = self.get(field)
        if value not in allowed:
            raise self.wrong(field, " or ".join(repr(name) for name in allowed))
        return str(value)

    def number(self, field: str, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number from `low` to `high`, as a number or (in CSV) as text."""
        value = self.get(field)
        try:
            number = float(value) if isinstance(value, str | int | float) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if isinstance(value, bool) or not math.isfinite(number) or not low <= number <= high:
            bounds = "" if (low, high) == (-math.inf, math.inf) else f" from {low:g} to {high:g}"
            raise self.wrong(field, f"a number{bounds}")
        return number

    def whole(self, field: str) -> int:
        """A whole number, as a number or (in CSV) as text."""
        number = self.number(field)
        if number != int(number):
            raise self.wrong(field, "a whole number")
        return int(number)

    def items(self, field: str) -> list[Any]:
        """A JSON list."""
        value = self.get(field)
        if not isinstance(value, list):
            raise self.wrong(field, "a list")
        return value

    def inner(self, field: str, label: str, item: object) -> Row:
        """The item `label` of the list in `field`, as a row of its own."""
        if not isinstance(item, dict):
            raise self.wrong(field, f"a list of JSON objects ({label} is not one)")
        return Row(f"{self.place}, {field} {label}", item)

    def rest(self, *used: str) -> dict[str, Any]:
        """The fields that no part of the Example holds, for its `meta`."""
        return {key: value for key, value in self.values.items() if key not in used}

    def example(self, id: str, source: str, summary: str, **fields: Any) -> Example:
        """The Example; what is wrong with it is said with this row's place."""
        try:
            return Example(id, source, summary, **fields)
        except DataError as error:
            raise DataError(f"{self.place}: {error}") from error


def id_of_system(example: Example) -> str:
    """The id of a row among rows of several systems about one text."""
    system = example.system or example.meta.get("system")
    return f"{example.id}/{system}" if system else example.id
