"""Public benchmarks as Examples: one reader for each release, which is found by name and imported
at its first use.

`load("qags_xsum", data_dir="data")` reads a file that the user has. Nothing is downloaded, except
by `hf:ID`. The names are in `table.py`, origins and licences in `sources.json`.

All readers fill the fields of `Example` in the same way. `rating`: human faithfulness, higher is
better. `label`: 1 consistent, 0 not. `document`: the source document; if a release does not name
it, the first 16 hex digits of the SHA-256 of its text. `pair`: the pair or seed in sets of pairs
and edits. `spans`: the characters that any annotator marked, labelled with their kind;
`meta["spans"]` has the spans of each annotator. `meta`: everything else, with the same names in all
datasets (dataset, origin, era, cut, split, error_types, grade, evidence).
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
"""The folders in the data directory in which a file is searched, in this order."""

PLAIN_NAMES = frozenset({"train", "dev", "val", "test", "response", "source_info", "annotations"})
"""File names that do not identify a release; such a file is only searched in the release's
folder."""

VALIDATION = ("val", "valid", "validation", "dev")
"""The names of the split on which thresholds are chosen; they are synonyms."""


def entry(name: str) -> Entry:
    """The entry of a dataset. Raises ConfigError, with the most similar name and all names, if it
    is unknown."""
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

    name      a name in `DATASETS`, or `hf:ID` (see `hub.py`)
    data_dir  the directory of the files; FAITHKIT_DATA is searched too
    split     one of the dataset's splits (`val`, `valid`, `validation` and `dev` are synonyms);
              default: all of them
    columns   field to column, for `hf:` only

    Raises ConfigError on an unknown name or split, DataError if a file is missing or malformed.
    """
    return list(iter_examples(name, data_dir=data_dir, split=split, columns=columns))


def iter_examples(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """As `load`, but one example at a time. Names and files are checked by the call itself."""
    if name.startswith("hf:"):
        from faithkit.datasets import hub

        return _distinct(name, hub.read(name, split, columns))
    if columns:
        raise ConfigError(f"'{name}' has its reader; columns= is for hf:ID only")
    dataset = entry(name)
    chosen = _split(name, dataset, split)
    return _distinct(name, _read(dataset, chosen, _paths(name, dataset, chosen, data_dir)))


def split_of(example: Example) -> str:
    """The split of a row in its release; "" if it has none."""
    return str(example.meta.get("split") or example.meta.get("cut") or "")


def is_validation(example: Example) -> bool:
    """Whether the row belongs to a validation split, which is for choosing thresholds."""
    return split_of(example) in VALIDATION


def info(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """A description of a dataset: its entry in the table, its source, and its files.

    `files` has an item for each file: name, path (None if absent), the expected rows and sha256
    (None if not recorded), and `same`, whether the file has that hash (None if undetermined).
    Another hash is not an error, as the file may be another version of the release.
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
    """The contents of `sources.json`: homepage, paper, licence, and the recorded rows and sha256 of
    files."""
    text = package_files("faithkit.datasets").joinpath("sources.json").read_text("utf-8")
    recorded: dict[str, Any] = json.loads(text)
    return recorded


def find_file(spec: str, *, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """The first existing file for `folder/name`, or for one of several alternatives `a|b`; None if
    there is none.

    Searches `data_dir`, then `FAITHKIT_DATA`; in each also the folders `bench`, `train` and `raw`;
    in each of these the release's folder, then, if the file's name identifies it, the folder
    itself.
    """
    for option in spec.split("|"):
        for root in _roots(data_dir):
            for path in _candidates(root, option):
                if path.is_file():
                    return path
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


def _candidates(root: Path, option: str) -> list[Path]:
    """The paths in a data directory at which a file may be."""
    relative = Path(option)
    names = [relative]
    if relative.name != option and relative.name.split(".")[0].split("-")[0] not in PLAIN_NAMES:
        names.append(Path(relative.name))
    return [root / folder / name for folder in FOLDERS for name in names]


def _split(name: str, dataset: Entry, split: str | None) -> str | None:
    """The dataset's own name of a split; None: all splits. Raises ConfigError if it has no such
    split."""
    if split is None or split in dataset.splits:
        return split
    synonyms = [item for item in dataset.splits if split in VALIDATION and item in VALIDATION]
    if synonyms:
        return synonyms[0]
    if not dataset.splits:
        raise ConfigError(f"dataset '{name}' has no splits, so not '{split}'")
    raise ConfigError(
        f"dataset '{name}' has no split '{split}'.{did_you_mean(split, dataset.splits)}"
    )


def _paths(
    name: str, dataset: Entry, split: str | None, data_dir: str | os.PathLike[str] | None
) -> dict[str | None, list[Path]]:
    """The files to read, by split; under None if all splits are in the same files."""
    if not dataset.split_files:
        return {None: [_required_file(name, dataset, spec, data_dir) for spec in dataset.files]}
    wanted = [split] if split else list(dataset.split_files)
    present = [key for key in wanted if find_file(dataset.split_files[key], data_dir=data_dir)]
    hint = f"; the splits that exist: {', '.join(present)} (choose with split=)" if present else ""
    return {
        key: [_required_file(name, dataset, dataset.split_files[key], data_dir, hint)]
        for key in wanted
    }


def _required_file(
    name: str, dataset: Entry, spec: str, data_dir: str | os.PathLike[str] | None, hint: str = ""
) -> Path:
    """The path of a file. Raises DataError, which says where to get it, if it is missing."""
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
    """The examples. Raises DataError if two of them have the same id."""
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            raise DataError(f"dataset '{name}': two rows have the id '{example.id}'")
        seen.add(example.id)
        yield example
