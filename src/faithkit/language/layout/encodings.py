"""Letters of UTF-8 that a program read as Windows-1252, as they were meant: "Â£5" is "£5", "â€œ" a
quotation mark, "Ã©" is "é".
"""

from __future__ import annotations

import re
import unicodedata

from faithkit.language.mapped import Mapped, Piece, substitute

_UNUSED = "\x81\x8d\x8f\x90\x9d"
"""What Windows-1252 leaves out; programs keep these, or lose them."""
_LETTERS = {
    byte: bytes([byte]).decode("cp1252") if chr(byte) not in _UNUSED else chr(byte)
    for byte in range(0x80, 0x100)
}
_BYTES = {letter: byte for byte, letter in _LETTERS.items()}


def _any(letters: str) -> str:
    """A pattern for one of the letters, with its marks composed or not."""
    apart = (unicodedata.normalize("NFD", letter) for letter in letters)
    return "|".join(map(re.escape, dict.fromkeys([*letters, *apart])))


_FOLLOWING = f"(?:{_any(''.join(_LETTERS[byte] for byte in range(0x80, 0xC0)))})"
_WRONG = re.compile(
    rf"(?:(?:{_any('Â')}){_FOLLOWING}|(?:{_any('Ã')})(?!\xa0){_FOLLOWING}"
    rf"|(?:{_any('â')}){_FOLLOWING}{{2}}|ð(?:{_any('Ÿ')}){_FOLLOWING}{{2}}"
    rf"|(?:{_any('â')})€(?=[\s.,;:!?)\]]|$))(?![\u0300-\u036f])"
)
_CUT = "â€"
"""A closing quotation mark whose last letter is lost."""


def with_right_encoding(text: Mapped) -> Mapped:
    """The text with the letters that were meant."""
    return text if text.text.isascii() else substitute(text, _WRONG, _right)


def _right(match: re.Match[str]) -> tuple[Piece, ...]:
    written = unicodedata.normalize("NFC", match.group())
    try:
        meant = bytes(_BYTES[letter] for letter in written).decode()
    except UnicodeDecodeError:
        meant = "”" if written == _CUT else ""
    return (Piece(meant, *match.span(), whole=True),) if meant else ()
