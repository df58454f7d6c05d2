"""What a summary says that its documents do not tell ("The context does not mention the price.",
"Price: N/A", `"price": null`): that states nothing of the source, so it is left out.

Only where the source has no word for it either: "The documents do not mention the price." is a
claim, and a wrong one, where they have "price". A text that the source tells of itself ("The report
does not mention it.", where an auditor has written a report) stays too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language.inflection import uninflected
from faithkit.language.layout.chat_words import CHAT_WORDS, REFUSAL_WORDS
from faithkit.language.lexicon import STOP_WORDS, word_set
from faithkit.language.mapped import Piece

MOST_WORDS = 14
"""Words of what is not told."""

_OWN = r"(?:provided|given|above|supplied|retrieved|attached)"
"""What only the texts that a model was given are called."""
_NAMES = r"""(?:contexts?|documents?|docs?|texts?|sources?|passages?|excerpts?|snippets?|chunks?
    |articles?|transcripts?|reports?|papers?|story|post|conversation|dialogue)"""
_TEXTS = rf"""(?:
    (?:the|this|these|your|any[ ](?:of[ ](?:the|these)[ ])?)[ ]?
    (?: (?:{_OWN}|available|source|original|input|reference)[ ]
        (?:{_NAMES}|information|materials?|content|data|records?|search[ ]results|results|notes?)
      | {_NAMES} )
    (?:[ ](?:{_OWN}|itself|themselves|here))?)"""
_IN_TEXTS = rf"(?:[ ](?:anywhere[ ])?(?:in|within|by|from)[ ]{_TEXTS})"

_HOW = r"(?:explicitly|directly|specifically|clearly|actually|even|also)"
_TELL = r"""(?:mention|specif(?:y|ie)|state|say|include|contain|provide|give|list|describe|discuss
    |address|cover|indicate|disclose|reveal|explain|name|offer|have|show|detail|clarif(?:y|ie)
    |identif(?:y|ie)|refer[ ]to|talk[ ]about)"""
_TOLD = r"(?:mentioned|specified|stated)"
_TOLD_THERE = r"""(?:mentioned|specified|stated|given|provided|included|disclosed|available|found
    |described|listed|discussed|covered|addressed|indicated|named|explained|present)"""
_ABOUT = r"(?:about|on|of|regarding|concerning|for|as[ ]to|related[ ]to)"
_FACTS = r"""(?:(?:any|enough|sufficient|specific|further|additional|explicit|direct)[ ])*
    (?:information|info|details?|mention|anything|references?)"""
_NO_FACTS = rf"no[ ]{_FACTS}"
_IS, _NOT = r"(?:is|are|was|were)", r"(?:[ ]not|n't)"
_TOPIC = r"(?P<topic>[^,;:.!?\n\"]{2,120}?)"
_BEFORE = r"(?:(?:please[ ])?note(?:[ ]that|:)?[ ]|(?:however|unfortunately|also),[ ]|but[ ])*"

_SENTENCES = tuple(
    re.compile(f"{_BEFORE}(?:{frame})", re.IGNORECASE | re.VERBOSE)
    for frame in (
        rf"{_TEXTS}[ ](?:do|does|did){_NOT}(?:[ ]{_HOW})?[ ]{_TELL}[ ]"
        rf"(?:{_FACTS}[ ]{_ABOUT}[ ])?{_TOPIC}",
        rf"(?:none[ ]of[ ]{_TEXTS}|no[ ]{_NAMES})[ ](?:{_HOW}[ ])?{_TELL}s?[ ]"
        rf"(?:{_FACTS}[ ]{_ABOUT}[ ])?{_TOPIC}",
        rf"there(?:[ ]{_IS}|'s)[ ]{_NO_FACTS}[ ]{_ABOUT}[ ]{_TOPIC}{_IN_TEXTS}?",
        rf"{_NO_FACTS}[ ]{_IS}[ ]{_TOLD_THERE}[ ]{_ABOUT}[ ]{_TOPIC}{_IN_TEXTS}?",
        rf"{_NO_FACTS}[ ]{_ABOUT}[ ]{_TOPIC}[ ]{_IS}[ ]{_TOLD_THERE}{_IN_TEXTS}?",
        rf"i[ ](?:could(?:{_NOT})|can(?:not|'t|[ ]not)|did(?:{_NOT})|(?:was|am)[ ]unable[ ]to)[ ]"
        rf"(?:find|see|locate)[ ](?:{_FACTS}[ ]{_ABOUT}[ ])?{_TOPIC}{_IN_TEXTS}",
        rf"{_TOPIC}[ ]{_IS}{_NOT}(?:[ ]{_HOW})?[ ](?:{_TOLD}{_IN_TEXTS}?|{_TOLD_THERE}{_IN_TEXTS})",
        rf"{_TOPIC}(?:[ ]?:|[ ]-)[ ](?:(?:not|none)[ ](?:{_TOLD}|provided|given|found|listed)"
        rf"{_IN_TEXTS}?|(?:not|none)[ ]{_TOLD_THERE}{_IN_TEXTS}|n/a|null)",
    )
)
_CUE = re.compile(r"\b(?:not|no|none|n/a|null|unable)\b|n't\b", re.IGNORECASE)

_JOINING = word_set("""
and but although though because while whereas however so that except only unless until after before
""")
"""Words with which something else may be told beside what is not."""

_WORD = re.compile(r"\w+")
_NAMED = re.compile(rf"\b{_NAMES}\b", re.IGNORECASE | re.VERBOSE)
_GIVEN = re.compile(rf"\b{_OWN}\b")
_TEXT_LABEL = re.compile(
    rf"^[^\w\n]*(?:the[ ])?{_NAMES}(?:[ ]?[^\w\n]?[ ]?\d+[^\w\n]?)?[ ]*(?:[:(].*)?$",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""A line such as "Context:" or "Document 2: prices", which says where a text begins."""


def is_not_mentioned(text: str, source: str) -> bool:
    """Whether a sentence says of something only that the documents, which do not have it, do not
    tell it."""
    plain = text.strip("\"'()[]*-: .!?")
    if not _CUE.search(plain):
        return False
    for pattern in _SENTENCES:
        if found := pattern.fullmatch(plain):
            frame = plain[: found.start("topic")] + plain[found.end("topic") :]
            return _is_missing(found["topic"], source) and not _is_told(frame.lower(), source)
    return False


_FIELD = re.compile(
    r'(?:"(?P<key>[\w -]{1,40})":\s*(?:null|"(?:n/?a|null|not (?:mentioned|specified|provided|given'
    r"|stated|found|listed))?\"))\s*(?:,\s*)?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[^\W\d_][^\W\d_A-Z]*|\d+")


def without_empty_fields(text: str, source: str) -> Iterator[Piece]:
    """Nothing, in place of the fields of JSON that have no value, as `"email": null`."""
    if text.lstrip().startswith(("{", "[")):
        for field in _FIELD.finditer(text):
            if _is_missing(" ".join(_PARTS.findall(field["key"])), source):
                yield Piece("", *field.span())


def _is_missing(topic: str, source: str) -> bool:
    """Whether something is no clause and has a word, other than of talk about texts, that the
    source does not have; or is just "enough information to answer the question"."""
    words = _WORD.findall(topic.lower())
    if len(words) > MOST_WORDS or not _JOINING.isdisjoint(words):
        return False
    if all(word in REFUSAL_WORDS for word in words):
        return bool(words)
    own = [word for word in words if word not in STOP_WORDS | CHAT_WORDS]
    return not _stems(source).issuperset(map(uninflected, own))


def _is_told(frame: str, source: str) -> bool:
    """Whether the source tells of a text that has the same name as those that were given."""
    if _GIVEN.search(frame):
        return False
    names = {name.rstrip("s") for name in _NAMED.findall(frame)}
    told = _TEXT_LABEL.sub("", source) if names else ""
    return any(name.lower().rstrip("s") in names for name in _NAMED.findall(told))


@lru_cache(maxsize=16)
def _stems(source: str) -> frozenset[str]:
    return frozenset(map(uninflected, _WORD.findall(source.lower())))
