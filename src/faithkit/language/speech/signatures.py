"""Letters and notes without a header: one that begins with a greeting ("Dear Jean,") is written by
who signs it ("Love, Kate"). What does not live here: letters below a header (`letters.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_LETTER = 200
"""Sentences between a greeting and the signature."""

_TITLE = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Lady|Aunt|Auntie|Uncle)\.? "
_PERSON = rf"(?:{_TITLE})?[A-Z][\w'-]*\.?(?: [A-Z][\w'-]*\.?){{0,2}}"
_EVERYBODY = (
    r"(?:sirs?|madam|all|everyone|everybody|both|team|friends?|colleagues?|neighbours?|diary)"
)
_GREETED = rf"(?:{_PERSON}|{_EVERYBODY})"
_WORD = (
    r"(?i:(?:my |our )?(?:very )?dear(?:est)?|hi|hello|hey|good (?:morning|afternoon|evening)"
    r"|liebe[rs]?|ch[eè]re?)"
)
_GREETING = re.compile(
    rf"(?:{_WORD} (?P<greeted>{_GREETED})(?:(?:,| and| &| or)(?: {_WORD})? {_GREETED})*"
    rf"(?:[,!:.](?=\s|$)|$| - )|{_WORD}(?: there)?,$|(?P<alone>{_PERSON}),$)"
)
_KIN = (
    "sister|brother|son|daughter|mother|father|mum|dad|friend|husband|wife|cousin|niece|nephew|aunt"
    "|uncle|grandson|granddaughter|neighbour|servant"
)
_CLOSING = (
    r"(?i:(?:(?:lots|all|with|much|my|our|of) ){0,3}love"
    r"|(?:(?:with|all|my|very|our) ){0,3}(?:best|kind|kindest|warm|warmest)(?: (?:wishes|regards))?"
    r"|(?:with )?regards"
    r"|(?:(?:ever|very|as|always|most) )?yours(?: (?:sincerely|faithfully|truly|ever|always|aye"
    r"|affectionately))?|(?:yours )?sincerely(?: yours)?|(?:(?:ever|as) )?(?:your|yr)\.? (?:\w+ )?"
    rf"(?:(?:\w+\.?|\w+,) )?(?:{_KIN})|cheers|(?:many )?thanks(?: again| in advance)?|thank you"
    r"|take care|hugs|warmly|fondly|respectfully|affectionately|cordially|in haste|as ever|x{1,4}"
    r"|see you(?: soon)?|bye(?: for now)?|god bless)"
)
_NAMES = rf"{_PERSON}(?:(?:,| and| &|, and) {_PERSON})*"
_POSTSCRIPT = r"(?:P\.? ?){1,3}S\b"
_SIGNED = re.compile(
    rf"(?:{_CLOSING}[,!.]?|(?:{_KIN}),)\s+(?:- )?(?P<name>{_NAMES}?)(?: x+)?(?: {_POSTSCRIPT}\.?)?"
)
_CLOSED = re.compile(rf"{_CLOSING}[,!.]?")
_NAME = re.compile(rf"(?:- )?(?P<name>{_NAMES})(?: x+)?")
_AFTER = re.compile(_POSTSCRIPT, re.IGNORECASE)
_ENDS_IN_ONE = re.compile(rf" {_POSTSCRIPT}\.?$")


def letter_signers(texts: Sequence[str]) -> list[str]:
    """[sentences], who signs the letter that one belongs to; "" of its signature, and of what is in
    no letter that has both a greeting and a signature of somebody else than who is greeted."""
    signed = [""] * len(texts)
    first = 0
    while first < len(texts):
        greeting = _GREETING.match(texts[first])
        last, name = _signature(texts, first) if greeting else (first, "")
        if greeting is None or not name or name in (greeting["greeted"], greeting["alone"]):
            first += 1
            continue
        signed[first:last] = [name] * (last - first)
        first = _after(texts, last)
        has_more = first < len(texts) and (
            _AFTER.match(texts[first]) or _ENDS_IN_ONE.search(texts[first - 1])
        )
        if has_more:
            end = _end(texts, first)
            signed[first:end] = [name] * (end - first)
            first = end
    return signed


def _signature(texts: Sequence[str], greeting: int) -> tuple[int, str]:
    """Where the signature of a letter begins and who signs; no name where it has none. A name
    alone is one at the letter's end or before a postscript."""
    end = _end(texts, greeting + 1)
    for place in range(greeting + 1, end):
        if signed := _SIGNED.fullmatch(texts[place]):
            return place, _plain(signed["name"])
        alone = _NAME.fullmatch(texts[place])
        follows = texts[place + 1] if place + 1 < end else ""
        if _CLOSED.fullmatch(texts[place]):
            below = _NAME.fullmatch(follows)
            return place, _plain(below["name"]) if below else ""
        if alone and place > greeting + 1 and (not follows or _AFTER.match(follows)):
            return place, _plain(alone["name"])
    return greeting, ""


def _after(texts: Sequence[str], signature: int) -> int:
    """The sentence after a signature."""
    return signature + (2 if _CLOSED.fullmatch(texts[signature]) else 1)


def _end(texts: Sequence[str], start: int) -> int:
    """Where the next letter begins, or this one would be too long."""
    most = min(len(texts), start + LONGEST_LETTER)
    return next((place for place in range(start, most) if _GREETING.match(texts[place])), most)


def _plain(name: str) -> str:
    """A name without a point at its end, unless it is an initial's ("K.")."""
    *_, last = name.split()
    return name if len(last) == 2 else name.rstrip(".")
