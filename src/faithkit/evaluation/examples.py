"""Judged examples: a file of pairs, or a dataset by name.

What lives here: which rows a name selects, which of them are the validation split, and the judged
table of them. What does not: reading a file (`files.py`) and a release (`datasets/`), and scoring
(`scoring.py`).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from faithkit import datasets, files
from faithkit.columns import Columns
from faithkit.datasets import DATASETS, VALIDATION, is_validation, split_of
from faithkit.datasets.aggrefact import ERA_OF_CATEGORY
from faithkit.datasets.releases import parts as parts_of
from faithkit.evaluation.judged import JudgedRow, JudgedRows, JudgedTable, judged_row
from faithkit.records import ConfigError, DataError, Example, did_you_mean

ERAS = frozenset(ERA_OF_CATEGORY.values())
"""The eras of AggreFact's summarisers [FCLLM]."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Examples that are checked and can be walked more than once.

    name        what the user called them
    sha256      of a file's ids and texts, as in a run's manifest; None for a dataset
    validation  whether only the rows of the validation split are walked; `count` is theirs then
    used        which rows these are, in words, where some are left out
    note        what the reader saw in a file that the user may want to know
    """

    name: str
    examples: Iterable[Example]
    count: int
    sha256: str | None = None
    validation: bool = False
    used: str = ""
    note: str = ""

    def with_fields(self, wanted: Collection[str], columns: Columns) -> Pairs:
        """See `files.Rows.with_fields`; a dataset has all its fields."""
        if not isinstance(self.examples, files.Rows):
            return self
        return dataclasses.replace(self, examples=self.examples.with_fields(wanted, columns))

    def __iter__(self) -> Iterator[Example]:
        for example in self.examples:
            if not self.validation or is_validation(example):
                yield example

    def table(self) -> JudgedTable:
        """The judgements without any scores: what can be checked before a metric is run.

        Raises DataError where some rows of a file name their document and others do not.
        """
        named = bytearray()

        def read() -> Iterator[JudgedRow]:
            for example in self:
                named.append(files.names_document(example))
                yield judged_row(example)

        table = JudgedTable(self.name, JudgedRows.of(read()), used=self.used)
        if self.sha256 is not None:
            files.check_named(self.name, table.ids, named)
        table.documents_named = any(named)
        return table


@contextmanager
def open_file_of(name: str, columns: Columns | None = None) -> Iterator[Pairs | None]:
    """The file whose rows a benchmark name selects; None of a dataset, and of several parts."""
    parts = parts_of(name)
    plain, _ = split_filters(parts[0], name)
    if len(parts) > 1 or not _is_file(plain):
        yield None
        return
    with open_pairs(plain, columns) as pairs:
        yield pairs


def validation_rows(pairs: Pairs) -> Pairs:
    """The validation split of pairs that have one beside other rows, else all of them."""
    splits = Counter(split_of(example) for example in pairs.examples)
    count = sum(number for split, number in splits.items() if split in VALIDATION)
    if count in (0, pairs.count):
        return pairs
    others = ", ".join(
        f"{number} of {split or 'no split'}"
        for split, number in sorted(splits.items())
        if split not in VALIDATION
    )
    used = f"{count} of {pairs.count} rows used, those of the validation split; left out: {others}"
    return dataclasses.replace(pairs, count=count, validation=True, used=used)


@contextmanager
def open_pairs(
    name: str,
    columns: Columns | None = None,
    *,
    data_dir: str | None = None,
    stdin_format: str = "jsonl",
) -> Iterator[Pairs]:
    """A file of pairs, `-` for standard input, or a dataset as `faithkit bench -d` names it.

    Raises DataError as `files.open_pairs` and the readers do, and on a name that is neither;
    ConfigError on column options for a dataset, which has columns of its own.
    """
    plain = name.partition("[")[0].partition("+")[0].strip()
    if plain in DATASETS or name.startswith("hf:"):
        _, examples = read(name, data_dir, None, columns)
        yield Pairs(name, examples, len(examples))
        return
    if name != "-" and not Path(name).exists() and not Path(name).suffix:
        raise DataError(f"'{name}' is neither a file nor a dataset.{did_you_mean(name, DATASETS)}")
    with files.open_pairs(name, columns, stdin_format) as rows:
        yield Pairs(name, rows, rows.count, rows.sha256, note=rows.note)


def read(
    name: str, data_dir: str | None, limit: int | None, columns: Columns | None = None
) -> tuple[tuple[str, ...], list[Example]]:
    """The tasks and examples that a benchmark name asks for.

    `A+B` pools datasets; `A[origin=xsum,label=1]` keeps the rows whose field or meta has these
    values; `A[documents=20]` those of the first 20 documents, as `limit` does for every dataset. A
    may be a file of labelled or rated pairs: its tasks are what its rows allow, and rows without
    a document belong to that of their source's text. Raises ConfigError on a malformed name and on
    `columns` of a dataset, which has its own, DataError where nothing is left or only some rows
    name their document.
    """
    tasks: dict[str, None] = {}
    rows: list[Example] = []
    parts = parts_of(name)
    for part in parts:
        plain, filters = split_filters(part, name)
        if _is_file(plain):
            whole = _read_file(plain, columns)
        else:
            if columns is not None and columns.customised:
                raise ConfigError(
                    f"'{name}' is a dataset with a reader of its own; column options are for files"
                )
            apart = plain in DATASETS and bool(datasets.entry(plain).split_files)
            split = filters.pop("split", None) if apart else None  # the other files may be missing
            whole = datasets.load(plain, data_dir=data_dir, split=split)
        most = _whole_number(filters.pop("documents", None), part) or limit
        kept = [e for e in whole if all(_has(e, key, value) for key, value in filters.items())]
        if most is not None:
            first = set(list(dict.fromkeys(e.document for e in kept))[:most])
            kept = [e for e in kept if e.document in first]
        if not kept:
            raise DataError(f"dataset '{part}': none of {len(whole)} rows is left"
                            + "".join(_choices(whole, key) for key in filters))  # fmt: skip
        if plain in DATASETS:
            tasks |= dict.fromkeys(datasets.entry(plain).tasks)
        kept = _mark_outside(kept)
        if len(parts) > 1:
            kept = [dataclasses.replace(e, id=f"{plain}/{e.id}") for e in kept]
        rows += kept
    return tuple(tasks) or _tasks(name, JudgedTable(name, [*map(judged_row, rows)])), rows


def judged(
    name: str, data_dir: str | None, limit: int | None, columns: Columns | None = None
) -> JudgedTable:
    """The judged table of a benchmark name, without scores. Raises as `read`, whose rows it has. A
    file is walked, and none of its texts is kept."""
    plain = name.strip()
    if _is_file(plain) and parts_of(name) == [plain] and "[" not in plain and limit is None:
        of_era: set[bool] = set()

        def walked(pairs: Pairs) -> Iterator[Example]:
            for example in pairs:
                of_era.add(example.meta.get("era") in ERAS)
                yield example

        with open_pairs(plain, columns) as pairs:
            table = dataclasses.replace(pairs, examples=walked(pairs)).table()
        if len(of_era) == 1:
            return dataclasses.replace(table, name=name, tasks=_tasks(name, table))
    tasks, rows = read(name, data_dir, limit, columns)
    return JudgedTable(name, JudgedRows.of(map(judged_row, rows)), tasks=tasks)


def _is_file(plain: str) -> bool:
    return bool(Path(plain).suffix) and not plain.startswith("hf:")


def _read_file(path: str, columns: Columns | None) -> list[Example]:
    with open_pairs(path, columns) as pairs:
        pairs.table()  # checks the documents
        return list(pairs)


def _tasks(name: str, table: JudgedTable) -> tuple[str, ...]:
    """What rows of no known dataset allow: `rating` where one is rated, `detection` where one is
    labelled, `error_types` where one names its errors. Raises DataError where none is rated or
    labelled."""
    allowed = {"rating": any(rating is not None for rating in table.ratings),
               "detection": any(label is not None for label in table.labels)}  # fmt: skip
    if not any(allowed.values()):
        raise DataError(f"dataset '{name}': no row has a label or a rating to compare with")
    allowed["error_types"] = any(map(any, map(table.of_rows, ("error_types", "error_groups"))))
    return tuple(task for task, possible in allowed.items() if possible)


def _mark_outside(rows: list[Example]) -> list[Example]:
    """Rows of no era in a release that goes by eras are outside of its parts."""
    without_era = [e.meta.get("era") not in ERAS for e in rows]
    if all(without_era) or not any(without_era):
        return rows
    return [
        dataclasses.replace(e, meta={**e.meta, "outside": True}) if outside else e
        for e, outside in zip(rows, without_era, strict=True)
    ]


def _whole_number(text: str | None, part: str) -> int | None:
    if text is not None and not (text.isdecimal() and int(text) > 0):
        raise ConfigError(f"dataset '{part}': documents should be a whole number, found '{text}'")
    return None if text is None else int(text)


def split_filters(part: str, name: str) -> tuple[str, dict[str, str]]:
    """`A[key=value,...]` as A and its filters. Raises ConfigError on a malformed one."""
    plain, _, inside = part.partition("[")
    pairs = [piece.partition("=") for piece in inside.rstrip("]").split(",") if piece]
    if any(not key or not equals for key, equals, _ in pairs):
        raise ConfigError(f"dataset '{name}': expected NAME[key=value,...], found '{part}'")
    return plain.strip(), {key.strip(): value.strip() for key, _, value in pairs}


def _has(example: Example, key: str, value: str) -> bool:
    if key == "split" and value in VALIDATION:
        return is_validation(example)
    return _field(example, key) == value


def _field(example: Example, key: str) -> str:
    return str(getattr(example, key) if hasattr(example, key) else example.meta.get(key))


def _choices(rows: Sequence[Example], key: str) -> str:
    """What a filter could have asked for."""
    values = sorted({_field(row, key) for row in rows} - {"None"})
    if not values:
        return f"; no row has '{key}'"
    shown = ", ".join(values[:8]) + (", ..." if len(values) > 8 else "")
    return f"; '{key}' can be {shown}"
