"""What learned metrics share: reading what a command saved; of those made of other metrics,
whether a component is still what it was fitted with, and whether it keeps the contract.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faithkit.metrics.base import Metric
from faithkit.records import (
    JSON,
    ConfigError,
    DataError,
    Example,
    FaithkitError,
    ModelError,
    Score,
    Signature,
    canonical_json,
)


def read_saved(path: Path, kind: str, command: str) -> dict[str, Any]:
    """The record that `faithkit COMMAND -o` wrote. Raises DataError if the file holds no such
    record."""
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: invalid JSON ({error})") from error
    if not isinstance(row, dict) or row.get("kind") != kind:
        raise DataError(
            f"{path}: not a saved {kind.removeprefix('faithkit ')}; expected the file that "
            f"`faithkit {command} -o` writes"
        )
    return row


@contextmanager
def fields_of(path: Path, kind: str) -> Iterator[None]:
    """Turns errors while the fields of a saved `kind` are read into DataErrors naming the file."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"{path}: no field {error}") from error
    except (DataError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: not a whole {kind} ({error})") from error


def content_hash(row: JSON) -> str:
    """12 hex digits of a SHA-256 over the contents of a file, independent of its path."""
    return hashlib.sha256(canonical_json(row).encode()).hexdigest()[:12]


def trained_on(pairs: JSON, made_of: Iterable[Metric] = ()) -> frozenset[str]:
    """The data that a fitted metric was trained on: the name of the pairs, if the file says it, and
    what its components were trained on."""
    names = {str(pairs)} if pairs else set()
    return frozenset(names).union(*(metric.trained_on for metric in made_of))


def drift(then: Signature, now: Signature) -> list[str]:
    """The differences between two signatures as `field: then, now`; empty if they are equal."""
    before, after = then.to_dict(), now.to_dict()
    differences = []
    for key in before:
        old, new = before[key], after[key]
        if isinstance(old, dict) and isinstance(new, dict):
            differences += [
                f"{key[:-1]} {name}: {old.get(name, 'none')} then, {new.get(name, 'none')} now"
                for name in sorted(old.keys() | new.keys())
                if old.get(name) != new.get(name)
            ]
        elif old != new:
            differences.append(f"{key}: {old} then, {new} now")
    return differences


def check_drift(file: str, request: str, then: Signature, now: Signature, command: str) -> None:
    """Raises ConfigError if a component differs from the one that `command` fitted `file` with."""
    if changed := drift(then, now):
        raise ConfigError(
            f"{file}: '{request}' is not what this was fitted with ({'; '.join(changed)}). Fit it "
            f"again with `faithkit {command}`, or accept it with the option drift=allow."
        )


def scores_of(metric: Metric, request: str, file: str, examples: Sequence[Example]) -> list[Score]:
    """The component's score of each example, in order. Raises ModelError naming component and file
    if it fails or returns other rows."""
    try:
        scores = metric.score(examples)
    except FaithkitError:
        raise
    except Exception as error:
        raise ModelError(
            f"component '{request}' of {file} failed: {type(error).__name__}: {error}"
        ) from error
    if [score.id for score in scores] != [example.id for example in examples]:
        raise ModelError(
            f"component '{request}' of {file} did not give one score for each example in order"
        )
    return scores
