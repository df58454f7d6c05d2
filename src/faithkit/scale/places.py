"""Where the files of a run are: on this machine, or in any store that fsspec reaches by a URL
(`s3://bucket/folder`). What lives here: names to paths, sizes and stamps, and putting files there.
"""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from faithkit import rows, writing
from faithkit.records import ConfigError, DataError, FaithkitError

PATTERN = frozenset("*?[")


def place(text: str) -> Path:
    """The path that a text names: of this machine, or of a URL a `UPath`, which has the methods of
    a Path. Raises ConfigError where what the URL needs is not installed."""
    if not is_remote(text):
        return Path(text)
    try:
        from upath import UPath

        return cast("Path", UPath(text))
    except (ImportError, ValueError) as error:
        raise ConfigError(f"{text}: {error}. URLs need: pip install 'faithkit[scale]'") from error


def is_remote(text: str | Path) -> bool:
    """Whether it is a URL."""
    return "://" in str(text)


@contextmanager
def reaching(path: str | Path) -> Iterator[None]:
    """Turns whatever a store raises inside into a DataError that names the file."""
    try:
        yield
    except FaithkitError:
        raise
    except Exception as error:
        if not (is_remote(path) or isinstance(error, OSError)):
            raise
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            full = error.filename or f"what belongs to {path}"
            raise DataError(f"cannot write {full}: {writing.reason(error)}") from error
        problem = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise DataError(f"{path}: cannot be reached or read ({problem})") from error


def inputs(pattern: str) -> list[Path]:
    """The files that a name means, sorted: a file, those of a folder that end as a format does, or
    those that match a pattern (`*`, `?`, `[]`, `**`). `dir/*.parquet|*.jsonl` means both in `dir`.

    Raises DataError if there is none.
    """
    first, *others = pattern.split("|")
    folder = first[: first.rfind("/") + 1]
    pieces = [first, *(piece if "/" in piece else folder + piece for piece in others)]
    if Path(pattern).exists():
        pieces = [pattern]
    files: dict[str, Path] = {}
    for piece in pieces:
        with reaching(piece):
            paths = _matching(piece)
        if not paths and not is_remote(piece) and Path(piece).is_dir():
            raise DataError(f"the folder {piece} has no file of a format that can be read")
        if not paths:
            raise DataError(f"{piece}: no such file, and no file of a format that can be read")
        files |= {str(path): path for path in paths}
    return [files[name] for name in sorted(files)]


def _matching(piece: str) -> list[Path]:
    path = place(piece)
    if is_remote(piece) and PATTERN & set(piece):
        import fsspec

        system, inside = fsspec.core.url_to_fs(piece)
        return [place(system.unstrip_protocol(name)) for name in system.glob(inside)]
    if path.is_file():
        return [path]
    if path.is_dir():
        return [file for file in path.iterdir() if file.is_file() and _readable(file)]
    # Path.glob takes no pattern that begins at the root.
    names = glob.glob(piece, recursive=True)  # noqa: PTH207
    return [Path(name) for name in names if Path(name).is_file()]


def _readable(file: Path) -> bool:
    try:
        return not file.name.startswith((".", "_")) and bool(rows.format_of(file))
    except DataError:
        return False


def names(paths: list[Path]) -> list[str]:
    """Each file below the folder that all share, with forward slashes: the same on any machine."""
    parts = [_absolute(path).split("/") for path in paths]
    # Of the first folder, the second, and so on: how many before the first that differ.
    levels = zip(*(folders for *folders, _ in parts), strict=False)
    shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, levels))
    return ["/".join(of_path[shared:]) for of_path in parts]


def _absolute(path: Path) -> str:
    return str(path) if is_remote(path) else path.absolute().as_posix()


def stamp(path: Path) -> tuple[int, str]:
    """(bytes, what changes when the file is written again). Raises DataError."""
    with reaching(path):
        if is_remote(path):
            remote: Any = path
            return path.stat().st_size, str(remote.fs.ukey(remote.path))
        status = path.stat()
        return status.st_size, str(status.st_mtime_ns)


def put(file: Path, target: Path) -> None:
    """Moves a whole local file to its place: afterwards there is all of it, or nothing new."""
    with reaching(target):
        if not is_remote(target):
            with file.open("r+b") as written:
                os.fsync(written.fileno())
            file.replace(target)
            return
        remote: Any = target
        remote.fs.put_file(str(file), remote.path)
        file.unlink()
