"""Where the manifest of a run is, and which files the folder of a sharded run has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from faithkit.records import DataError

PLAN = "plan.json"
"""The file by which the output folder of a sharded run is recognised."""


def manifest_of(output: Path) -> Path:
    """The path of an output's manifest: beside a file, inside a folder of shards."""
    if output.is_dir():
        return output / "manifest.json"
    return output.with_name(output.name + ".manifest.json")


def journal_of(output: Path) -> Path:
    """Where the rows of a run are until it ends: in the output itself if that is JSONL."""
    if output.suffix.lower() in (".jsonl", ".ndjson"):
        return output
    return output.with_name(output.name + ".partial.jsonl")


def unfinished(output: Path) -> str:
    """What is said of an output whose run has not ended: how many of its rows are there. "" of any
    other, and without a manifest. Raises DataError if there is no such file."""
    said = _unfinished(output)
    if not output.is_file():
        raise DataError(f"{output}: no such file{f'; {said}' if said else ''}")
    return said


def _unfinished(output: Path) -> str:
    try:
        manifest = json.loads(manifest_of(output).read_text(encoding="utf-8"))
        status, total, metrics = manifest["status"], manifest["rows"], len(manifest["metrics"])
        if status != "running" or not metrics:
            return ""
        journal = journal_of(output)
        with journal.open("rb") as file:
            lines = sum(line.endswith(b"\n") for line in file)
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    where = "" if journal == output else f" (in {journal.name})"
    return (
        f"the run has not ended; {lines // metrics:,} of {total:,} rows are scored{where}. The "
        "command that began it goes on from there"
    )


def input_of(output: Path, named: str) -> Path | None:
    """The file of pairs that the manifest of `output` names: as it was given, or beside the scores;
    None where it is at none of these places."""
    path = Path(named)
    places = (path, output.parent / path, output.parent / path.name)
    return next((place for place in places if place.is_file()), None)


def shard_name(number: int) -> str:
    """The name of a shard's scores in the folder of its run."""
    return f"{number:06d}.jsonl"


def is_sharded(folder: Path) -> bool:
    """Whether it is the output folder of a sharded run."""
    return (folder / PLAN).is_file()


def shards_of(folder: Path) -> Iterator[Path]:
    """The files of a complete run into a folder, in order. Raises DataError if there is none."""
    try:
        manifest = json.loads(manifest_of(folder).read_text(encoding="utf-8"))
        status, count = manifest["status"], manifest["shards"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{folder} is a folder without the manifest of a run; expected a file of scores, or "
            "the folder that `faithkit score -o FOLDER/` wrote"
        ) from error
    if status != "complete":
        raise DataError(f"{folder}: the run is not complete; the command that began it goes on")
    yield from (folder / shard_name(number) for number in range(count))
