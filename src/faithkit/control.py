"""Control characters of a text, made visible.

A summary, an id or a column's name may hold escape sequences, NUL, or marks that turn the direction
of writing round, and with them a file could rewrite what a person reads (CWE-150; Trojan Source,
Boucher and Anderson 2021). All of it is shown as `\\u001b` here, which inside JSON means the same
text.
"""

from __future__ import annotations

import re

_COMMANDS = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and line end
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # Bidi_Control (Unicode 15, PropList)
    "\u2028\u2029"  # further line ends
    "\ud800-\udfff"  # halves of a surrogate pair, which no terminal can be sent
    "]"
)


def escaped(text: str) -> str:
    """Every character as JSON escapes it."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(f"\\u{unit:04x}" for unit in units)


def neutral(text: str) -> str:
    """The text with everything that commands a terminal made visible; tabs and line ends stay."""
    return _COMMANDS.sub(lambda match: escaped(match[0]), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """As `neutral`, with tabs and line ends made visible too."""
    return neutral(text).replace("\n", "\\n").replace("\t", "\\t")
