"""Whether saved scores are of pairs as these are now, by what a run says beside its output.

A run into a file leaves the hash of its input; one into a folder leaves the hash of each shard.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from faithkit import files, manifests
from faithkit.columns import Columns
from faithkit.evaluation.examples import Pairs
from faithkit.records import DataError

log = logging.getLogger("faithkit")


@dataclass(frozen=True, slots=True)
class _Compared:
    """What was scored, beside the pairs.

    path       what was scored, as the run was given it
    same       whether ids and texts are the same
    this_file  whether the pairs are in the very file that was scored
    """

    path: str
    same: bool
    this_file: bool


def check_scored_texts(path: Path, pairs: Pairs) -> None:
    """Raises DataError where the scores at `path` are of other texts than `pairs` has: those that
    the file had before it was changed, or of another file where rows have no ids to join them by.

    Where this cannot be told, because the scores are of another file or have no manifest, a line
    is logged. A dataset has ids and does not change.
    """
    if pairs.sha256 is None:
        return
    compared = _compared(path, pairs)
    if compared is None:
        log.warning(
            "%s: there is no manifest of its run beside it, so whether its scores are of the texts "
            "of %s was not checked", path, pairs.name
        )  # fmt: skip
    elif compared.same:
        return
    elif compared.this_file:
        raise DataError(
            f"{path} holds scores of other texts than {pairs.name} has now: the file was changed "
            "since, or its columns are read differently. Score it again"
        )
    elif _are_numbered(pairs):
        raise DataError(
            f"{path} holds scores of {compared.path}, whose texts are not those of {pairs.name}; "
            "the rows have no ids to join them by"
        )
    else:
        log.warning(
            "%s holds scores of %s, joined by id with %s; the texts were not compared",
            path, compared.path, pairs.name,
        )  # fmt: skip


def _are_numbered(pairs: Pairs) -> bool:
    """Whether each row's id is its number, which fits any file."""
    return all(example.id == str(number) for number, example in enumerate(pairs.examples, start=1))


def _compared(path: Path, pairs: Pairs) -> _Compared | None:
    """None where there is no manifest that says what was scored."""
    try:
        scored = json.loads(manifests.manifest_of(path).read_text(encoding="utf-8"))["input"]
        if path.is_dir():
            plan = json.loads((path / manifests.PLAN).read_text(encoding="utf-8"))
            return _compared_with_shards(str(scored["path"]), plan, Path(pairs.name))
        named, sha256 = str(scored["path"]), scored["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    this_file = _is_same_file(manifests.input_of(path, named), Path(pairs.name))
    return _Compared(named, sha256 == pairs.sha256, this_file)


def _compared_with_shards(named: str, plan: Mapping[str, Any], pairs: Path) -> _Compared:
    """Compares the file of the plan that is `pairs`, or the only one, which may have been copied.
    Raises KeyError, TypeError or ValueError on what is no plan."""
    this_file = [_is_same_file(Path(file["path"]), pairs) for file in plan["files"]]
    if any(this_file):
        number = this_file.index(True)
    elif len(this_file) == 1:
        number = 0
    else:
        return _Compared(named, same=False, this_file=False)
    return _Compared(named, _has_shards(pairs, plan, number), any(this_file))


def _has_shards(pairs: Path, plan: Mapping[str, Any], number: int) -> bool:
    """Whether `pairs` has the rows of the shards of the plan's file of this number, by its rows, so
    that a column may have been added."""
    if not pairs.is_file():
        return False
    format = plan["files"][number]["format"]
    shards = [shard for shard in plan["shards"] if shard[0] == number]
    columns = Columns(**plan["columns"])
    prefix = shards[0][2] if shards else ""
    count = sum(shard[3] for shard in shards)
    rows = files.Rows(pairs, format, columns, count, "", prefix=prefix).placed()
    try:
        for *_, of_shard, sha256 in shards:
            hashed = hashlib.sha256()
            for _, example in islice(rows, of_shard):
                files.hash_example(hashed, example, plan["needs"])
            if hashed.hexdigest() != sha256:
                return False
        return next(rows, None) is None
    except DataError:  # no longer rows at all
        return False


def _is_same_file(file: Path | None, pairs: Path) -> bool:
    with suppress(OSError):
        return file is not None and file.samefile(pairs)
    return False
