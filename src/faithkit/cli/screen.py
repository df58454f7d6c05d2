"""What every word on the screen passes through: texts of the user's cannot command the terminal.

What commands a terminal is said in `control.py`. Plain output and error messages pass through the
streams of `guarded`, tables and marked texts through the Console of `console.py`, which has colours
of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from faithkit.control import escaped, neutral
from faithkit.control import one_line as one_line

_PROGRESS = re.compile(r"(?:\r|\x1b\[A)+")
"""How the progress bars of other libraries begin what they write on standard error."""


class _Guarded:
    """A text stream that writes only what is neutral, and what its encoding has. It has no
    `buffer`, so that nothing is written past it."""

    def __init__(self, stream: TextIO, progress: bool) -> None:
        self.unguarded = stream
        self._progress = progress

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.unguarded, name)

    def write(self, text: str) -> int:
        lead = _PROGRESS.match(text) if self._progress else None
        start = lead.end() if lead else 0
        shown = text[:start] + neutral(text[start:])
        encoding = self.unguarded.encoding or "utf-8"
        try:
            shown.encode(encoding)
        except UnicodeEncodeError:
            shown = "".join(one if _has(encoding, one) else escaped(one) for one in shown)
        self.unguarded.write(shown)
        return len(text)

    def close(self) -> None:
        """Leaves the stream open, which is not this one's to close: a logging handler that was
        made while it stood in for standard error (absl's) closes it at exit."""
        self.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def guarded() -> Iterator[None]:
    """Standard output and standard error write only what is neutral."""
    before = sys.stdout, sys.stderr
    sys.stdout = cast(TextIO, _Guarded(sys.stdout, progress=False))
    sys.stderr = cast(TextIO, _Guarded(sys.stderr, progress=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
