"""Public benchmarks as Examples: one reader for each release, found by name, imported when asked.

`load("qags_xsum", data_dir="data")` reads a file that the user has; nothing is downloaded, except
by `hf:ID`, which says so. The names are in `table.py`, origins and licences in `sources.json`.

Every reader maps into `Example` in the same way. `rating`: human faithfulness, higher is better.
`label`: 1 consistent, 0 not. `document`: the source document; where a release does not name
it, the first 16 hex digits of the SHA-256 of its text. `pair`: in sets of pairs and edits the pair
or seed. `spans`: what any annotator
marked, labelled with its kind; `meta["spans"]` has each annotator's. `meta`: everything else, with
the same names everywhere (dataset, origin, era, cut, split, error_types, grade, evidence).
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from faithkit.datasets.table import DATASETS, TASKS, Entry
from faithkit.records import ConfigError, DataError, Example, did_you_mean

__all__ = [
    "DATASETS",
    "TASKS",
    "VALIDATION",
    "Entry",
    "entry",
    "find_file",
    "info",
    "is_validation",
    "iter_examples",
    "load",
    "sources",
    "split_of",
]

DATA_VARIABLE = "FAITHKIT_DATA"
UNVERIFIED = "not verified"
"""Said of a licence that nobody here has read; "none stated" is one that a release lacks."""
FOLDERS = ("", "bench", "train", "raw")
"""Where below the data directory a file is looked for, in this order."""

PLAIN_NAMES = frozenset({"train", "dev", "val", "test", "response", "source_info", "annotations"})
"""Names that say nothing of their release: such a file is only found in the release's folder."""

VALIDATION = ("val", "valid", "validation", "dev")
"""Names of the split that thresholds and the like are chosen on; they mean the same."""


def entry(name: str) -> Entry:
    """The table's entry. Raises ConfigError naming the nearest and all choices."""
    if name not in DATASETS:
        raise ConfigError(f"Unknown dataset '{name}'.{did_you_mean(name, [*DATASETS, 'hf:ID'])}")
    return DATASETS[name]


def load(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[Example]:
    """All examples of a dataset, in the file's order.

    `name` is a name of `DATASETS` or `hf:ID` (see `hub.py`); `split` one of the entry's splits
    (`val`, `valid`, `validation` and `dev` mean the same), without it all of them; `columns` maps
    fields to columns and is for `hf:` only. Raises ConfigError on an unknown name or split,
    DataError on a file that is missing or not as it should be.
    """
    return list(iter_examples(name, data_dir=data_dir, split=split, columns=columns))


def iter_examples(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """As `load`, one example at a time. Names and files are checked before the first is read."""
    if name.startswith("hf:"):
        from faithkit.datasets import hub

        return _distinct(name, hub.read(name, split, columns))
    if columns:
        raise ConfigError(f"'{name}' has its reader; columns= is for hf:ID only")
    dataset = entry(name)
    chosen = _split(name, dataset, split)
    return _distinct(name, _read(dataset, chosen, _paths(name, dataset, chosen, data_dir)))


def split_of(example: Example) -> str:
    """The split that the release puts a row into ("" if it names none)."""
    return str(example.meta.get("split") or example.meta.get("cut") or "")


def is_validation(example: Example) -> bool:
    """Whether the release made the row for choosing thresholds and the like."""
    return split_of(example) in VALIDATION


def info(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """A dataset: the table's entry, its source, and where its files are.

    `files` has one item a file: name, path (None if it is absent), rows and sha256 (None
    if we have not seen the file), and `same`, whether the file has that hash (None if
    undetermined: a release's other version is not an error).
    """
    dataset = entry(name)
    source = sources()[dataset.source]
    records = {item["name"]: item for item in source["files"]}
    specs = [*dataset.files, *dataset.split_files.values()]
    return {
        "name": name,
        "title": dataset.title,
        "tasks": list(dataset.tasks),
        "splits": list(dataset.splits),
        "unlabelled": dataset.unlabelled,
        **{key: value for key, value in source.items() if key != "files"},
        "files": [_file_info(spec, records, data_dir) for spec in specs],
    }


def _file_info(
    spec: str, records: Mapping[str, Mapping[str, Any]], data_dir: str | os.PathLike[str] | None
) -> dict[str, Any]:
    path = find_file(spec, data_dir=data_dir)
    name = spec.split("|")[0]
    record = records.get(name, {})
    expected = record.get("sha256")
    same = None
    if path and expected:
        with path.open("rb") as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == expected
    return {"name": name, "path": str(path) if path else None, "rows": record.get("rows"),
            "sha256": expected, "same": same}  # fmt: skip


@cache
def sources() -> dict[str, Any]:
    """`sources.json`: homepage, paper, licence, and rows and sha256 of the files that were seen."""
    text = package_files("faithkit.datasets").joinpath("sources.json").read_text("utf-8")
    recorded: dict[str, Any] = json.loads(text)
    return recorded


def find_file(spec: str, *, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """The first file there is for `folder/name` (or `a|b`), or None.

    Looks in `data_dir`, then in `FAITHKIT_DATA`; in each also in `bench`, `train` and `raw`; in
    each of those in the release's folder, then, if its name says what it is, outside of it.
    """
    for option in spec.split("|"):
        for root in _roots(data_dir):
            for place in _places(root, option):
                if place.is_file():
                    return place
    return None


def _roots(data_dir: str | os.PathLike[str] | None) -> list[Path]:
    roots = []
    if data_dir is not None:
        roots.append(Path(data_dir))
        if not roots[0].is_dir():
            raise DataError(f"the data directory {roots[0]} is not there, or is not a directory")
    if os.environ.get(DATA_VARIABLE):
        roots.append(Path(os.environ[DATA_VARIABLE]))
    return roots


def _places(root: Path, option: str) -> list[Path]:
    relative = Path(option)
    names = [relative]
    if relative.name != option and relative.name.split(".")[0].split("-")[0] not in PLAIN_NAMES:
        names.append(Path(relative.name))
    return [root / folder / name for folder in FOLDERS for name in names]


def _split(name: str, dataset: Entry, split: str | None) -> str | None:
    if split is None or split in dataset.splits:
        return split
    same = [item for item in dataset.splits if split in VALIDATION and item in VALIDATION]
    if same:
        return same[0]
    if not dataset.splits:
        raise ConfigError(f"dataset '{name}' has no splits, so not '{split}'")
    raise ConfigError(
        f"dataset '{name}' has no split '{split}'.{did_you_mean(split, dataset.splits)}"
    )


def _paths(
    name: str, dataset: Entry, split: str | None, data_dir: str | os.PathLike[str] | None
) -> dict[str | None, list[Path]]:
    """The files to read, by split (None: one set of files for all)."""
    if not dataset.split_files:
        return {None: [_needed(name, dataset, spec, data_dir) for spec in dataset.files]}
    wanted = [split] if split else list(dataset.split_files)
    have = [key for key in wanted if find_file(dataset.split_files[key], data_dir=data_dir)]
    hint = f"; the splits that exist: {', '.join(have)} (choose with split=)" if have else ""
    return {
        key: [_needed(name, dataset, dataset.split_files[key], data_dir, hint)] for key in wanted
    }


def _needed(
    name: str, dataset: Entry, spec: str, data_dir: str | os.PathLike[str] | None, hint: str = ""
) -> Path:
    path = find_file(spec, data_dir=data_dir)
    if path is not None:
        return path
    source = sources()[dataset.source]
    roots = [str(root) for root in _roots(data_dir)]
    looked = f"looked in {', '.join(roots)}" if roots else "no data directory was given"
    options = spec.split("|")
    others = f" (or as {', '.join(options[1:])})" if len(options) > 1 else ""
    raise DataError(
        f"dataset '{name}': the file {options[0]} is missing ({looked}){hint}. "
        f"Get it from {source['get']} (licence: {source['licence'] or UNVERIFIED}), put it at "
        f"DIRECTORY/{options[0]}{others}, and name the directory with --data-dir or {DATA_VARIABLE}"
    )


def _read(
    dataset: Entry, split: str | None, paths: Mapping[str | None, list[Path]]
) -> Iterator[Example]:
    module, _, function = dataset.reader.partition(":")
    reader: Callable[..., Iterator[Example]] = getattr(
        importlib.import_module(f"faithkit.datasets.{module}"), function
    )
    for part, files in paths.items():
        options = dataset.options if part is None else {**dataset.options, "split": part}
        for example in reader(files, **options):
            if part is not None or split is None or example.meta.get("split") == split:
                yield example


def _distinct(name: str, examples: Iterator[Example]) -> Iterator[Example]:
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            raise DataError(f"dataset '{name}': two rows have the id '{example.id}'")
        seen.add(example.id)
        yield example
