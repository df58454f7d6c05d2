"""Words of a summary that a limit on its length has cut in two: "a trawler off kod ..."."""

from __future__ import annotations

import re
from functools import lru_cache

from faithkit.language import thesaurus
from faithkit.language.lexicon import LIGHT_VERBS, STOP_WORDS
from faithkit.language.mapped import Mapped, Piece, replace_match, substitute

_CUT = re.compile(r"(?<![\w'’.-])(?P<start>[^\W\d_]{3,})(?= ?\.\.\.(?![.\w]))")
_LETTERS = re.compile(r"[^\W\d_]+")


def with_whole_words(text: Mapped, source: str) -> Mapped:
    """A summary with the whole word for the start of one before "...", where that is no word by
    itself and a single word of the source starts so."""
    if "..." not in text.text:
        return text
    return substitute(text, _CUT, lambda match: _whole_word(match, source))


def _whole_word(match: re.Match[str], source: str) -> tuple[Piece, ...]:
    start = match["start"].lower()
    if start in STOP_WORDS | LIGHT_VERBS or thesaurus.entries(start):
        return ()
    written = [word for word in _words(source) if word.startswith(start)]
    return replace_match(match, _in_case(written[0], match["start"])) if len(written) == 1 else ()


def _in_case(word: str, start: str) -> str:
    """The word with the capitals that its start has."""
    return word.upper() if start.isupper() else start + word[len(start) :]


@lru_cache(maxsize=16)
def _words(source: str) -> frozenset[str]:
    return frozenset(map(str.lower, _LETTERS.findall(source)))
