"""Which column of a user's file holds which field of a pair, and what its labels mean."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from faithkit.fields import of_others
from faithkit.records import JSON, ConfigError, did_you_mean, nearest

NO_COLUMN = "none"
"""The name that means no column: the field is not read even where the file has it."""

LABELS: Mapping[str, int | None] = {"1": 1, "true": 1, "0": 0, "false": 0}
"""The labels that are read without `Columns.labels`: 1 is consistent."""

LONGEST_NAME = 40
"""Characters of a column's name that is worth proposing."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of the user's file holds which field of an Example.

    An optional field that is None is not wanted (see `without`): its column, if there is one, is
    not checked and goes to `meta` like any other. `NO_COLUMN` is the same as a user says it.
    labels  what each label of the file means, in small letters: 1, 0 or None (no label); without it
            `LABELS`
    """

    source: str = "source"
    summary: str = "summary"
    id: str | None = "id"
    document: str | None = "document"
    pair: str | None = "pair"
    system: str | None = "system"
    label: str | None = "label"
    rating: str | None = "score"
    labels: Mapping[str, int | None] | None = None

    @property
    def by_field(self) -> dict[str, str]:
        """Field to column, of those that are read."""
        wanted = {field: getattr(self, field) for field in FIELDS}
        return {
            field: name
            for field, name in wanted.items()
            if field in REQUIRED or name not in (None, NO_COLUMN)
        }

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that a file must have: those of the texts, and those that are not named as
        they are by default."""
        return tuple(
            name
            for field, name in self.by_field.items()
            if field in REQUIRED or name != DEFAULTS[field]
        )

    @property
    def customised(self) -> bool:
        """Whether the user named any column, or what labels mean."""
        named = (getattr(self, field) not in (None, DEFAULTS[field]) for field in FIELDS)
        return self.labels is not None or any(named)

    def to_dict(self) -> dict[str, JSON]:
        """The columns that the user named: `columns`, field to name, and `labels`; empty if
        none."""
        record: dict[str, JSON] = {}
        named = {field: getattr(self, field) for field in FIELDS}
        columns: dict[str, JSON] = {
            field: name for field, name in named.items() if name not in (None, DEFAULTS[field])
        }
        if columns:
            record["columns"] = columns
        if self.labels is not None:
            record["labels"] = dict(self.labels)
        return record

    def without(self, *unneeded: str) -> Columns:
        """These columns without those of `unneeded` fields that the user did not name."""
        dropped: dict[str, Any] = {
            field: None for field in unneeded if getattr(self, field) == DEFAULTS[field]
        }
        return replace(self, **dropped)

    def proposed(self, names: Sequence[str]) -> str:
        """A hint for an error that names the existing columns most similar to the missing ones, as
        options of the command; "" if none is similar."""
        free = [name for name in names if name not in self.by_field.values()]
        near = {
            field: nearest(name, [other for other in free if other not in of_others(name, free)])
            for field, name in self.by_field.items()
            if name in self.needed and name not in names
        }
        shown = " ".join(
            f"--column {shlex.quote(f'{field}={name}')}"
            for field, name in near.items()
            if name is not None and len(name) <= LONGEST_NAME
        )
        return f" To read that: {shown}." if shown else ""


REQUIRED = ("source", "summary")
FIELDS = tuple(item.name for item in fields(Columns) if item.name != "labels")
DEFAULTS = {field: getattr(Columns(), field) for field in FIELDS}
OPTIONAL_FIELDS = tuple(field for field in FIELDS if field not in (*REQUIRED, "id"))
"""Fields of what is known of a pair; a metric reads only those that it says it needs."""


def parse_columns(
    named: Sequence[str], labels: str | None = None, unread: Collection[str] = ()
) -> Columns:
    """Columns from texts such as `source=article`, and from a text for `parse_labels`.

    unread  fields that are not read at all
    Raises ConfigError on any other form, an unknown or unread field, and a field named twice.
    """
    fields = [field for field in FIELDS if field not in unread]
    columns: dict[str, str] = {}
    for text in named:
        field, equals, column = (part.strip() for part in text.partition("="))
        if not equals or not column:
            raise ConfigError(
                f"--column wants FIELD=NAME, such as source=article, found '{text}'. Fields: "
                f"{', '.join(fields)}."
            )
        if field in unread:
            raise ConfigError(
                f"--column {text}: this command reads no '{field}'. Fields: {', '.join(fields)}."
            )
        if field not in fields:
            raise ConfigError(
                f"--column {text}: there is no field '{field}'.{did_you_mean(field, fields)}"
            )
        if field in columns:
            raise ConfigError(f"--column names the field '{field}' twice: {', '.join(named)}")
        columns[field] = column
    if labels is not None and "label" in unread:
        raise ConfigError("--labels: this command reads no labels.")
    meanings = None if labels is None else parse_labels(labels)
    return replace(Columns(), labels=meanings, **columns).without(*unread)


def parse_labels(text: str) -> dict[str, int | None]:
    """`hallucinated=0,ok=1,unsure=none` as `Columns.labels`. Raises ConfigError on any other form,
    and on a label that is given twice."""
    meanings = {"1": 1, "0": 0, NO_COLUMN: None}
    labels: dict[str, int | None] = {}
    for piece in text.split(","):
        label, _, meaning = (part.strip().lower() for part in piece.rpartition("="))
        if not label or meaning not in meanings or label in labels:
            raise ConfigError(
                f"--labels wants each label once with its meaning, 1 (consistent), 0 or none, such "
                f"as hallucinated=0,ok=1; found '{piece.strip()}' in '{text}'."
            )
        labels[label] = meanings[meaning]
    return labels
