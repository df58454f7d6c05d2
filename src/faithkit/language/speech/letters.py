"""Letters and e-mails: who wrote the text below a header ("From: Anna", "Subject: Key")."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_SENDER = 5
"""Words of a sender's name."""

_FIELD = re.compile(
    r"(?P<name>from|to|b?cc|reply-to|sent|date|subject|importance|attachments?) ?:(?P<value>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(r"\s*[<\[(,;].*", re.DOTALL)
_LISTED = re.compile(r"(?P<last>[^\W\d][\w'’-]+), (?P<first>[A-Z][a-z'’-]+)(?= <|$)")
_OTHERS = re.compile(r"-{2,}|.{1,100} wrote:(?:\s|$)|Begin forwarded message:", re.DOTALL)
"""What quoted letters begin with, which may be answered between their lines."""
_GREETING = re.compile(r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b", re.IGNORECASE)


def letter_writers(texts: Sequence[str]) -> list[str]:
    """[sentences], who wrote one that is below the header of a letter; "" of all others."""
    written: list[str] = []
    header: dict[str, str] = {}
    now, has_letters = "", False
    for text in texts:
        field = _FIELD.match(text)
        if field:
            header[field["name"].lower()] = field["value"].strip()
        elif _OTHERS.match(text):
            now, header = "", {}
        elif "from" in header:
            is_letter = "subject" in header or "sent" in header or _GREETING.match(text)
            has_letters = has_letters or bool(is_letter)
            now, header = _sender(header["from"]) if has_letters else "", {}
        written.append("" if field else now)
    return written


def _sender(value: str) -> str:
    """The name in "Anna Meyer <anna@x.org>", "Anna Meyer, CFO" and "Meyer, Anna"."""
    listed = _LISTED.match(value)
    if listed:
        return f"{listed['first']} {listed['last']}"
    name = _ADDRESS.sub("", value).strip(" \"'")
    return name if len(name.split()) <= LONGEST_SENDER else ""
