"""Whether a text can be read by what knows English only: is it in another language, or is it code
or a table of numbers?

By rule, from scripts and function words, and only where that is sure: a name, a headline, a
quotation or a word or two are taken for English. No model is loaded. Figures: docs/support.md.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.records import Outcome

FOREIGN_SCRIPT = 0.6
"""Share of the letters that are of no Latin alphabet, from which a text is in another language."""

FOREIGN_WORDS = 0.1
"""Share of the words that are function words of one other language and none of English, from which
a text is in it; if they are more than twice as many as the function words of English alone."""

FOREIGN_LETTERS = 0.2
"""Share of the words in small letters with a letter beyond "z", from which a text of five words or
more with hardly an English function word is in another language. (A capital may make it a name.)"""

_ENGLISH = lexicon.STOP_WORDS | lexicon.COMMON_ENGLISH
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u0250-\u02af\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5a]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@lru_cache(maxsize=512)
def unsupported(text: str) -> Outcome | None:
    """`unsupported_language` or `unsupported_text` where the text is surely none that English
    models can read, else None."""
    if _is_foreign(text):
        return Outcome.UNSUPPORTED_LANGUAGE
    return Outcome.UNSUPPORTED_TEXT if _is_code(text) or _is_table(text) else None


def _is_foreign(text: str) -> bool:
    letters = 0 if text.isascii() else len(_LETTER.findall(text))
    if letters and 1 - len(_LATIN.findall(text)) / letters > FOREIGN_SCRIPT:
        return True
    given = _WORD.findall(text)
    words = Counter(word.lower() for word in given)
    total = len(given)
    hits: Counter[str] = Counter()
    for word, count in words.items():
        for language in _LANGUAGES.get(word, ()):
            hits[language] += count
    for language, count in hits.most_common(2):
        listed = lexicon.FUNCTION_WORDS[language]
        english = sum(words[word] for word in words.keys() & _ENGLISH - listed)
        foreign = words.keys() & listed - _ENGLISH
        sure = len(foreign) > 1 and foreign - lexicon.NAME_PARTICLES
        if sure and count > 2 * english and count >= FOREIGN_WORDS * total:
            return True
    marked = {word for word in given if word[0].islower() and not word.isascii()}
    share = sum(words[word] for word in marked) / max(total, 5)
    english = sum(words[word] for word in words.keys() & _ENGLISH)
    return len(marked) > 1 and share >= FOREIGN_LETTERS and english <= 0.07 * total


def _languages() -> dict[str, list[str]]:
    languages: dict[str, list[str]] = {}
    for language, listed in lexicon.FUNCTION_WORDS.items():
        for word in listed - _ENGLISH:
            languages.setdefault(word, []).append(language)
    return languages


_LANGUAGES = _languages()
"""A word's languages but English."""


_LINE_OF_CODE = re.compile(
    r"""[ \t]*(?: .*[;{}] | [)\]}]+[,;]? | </?\w+[^<>]*>.* | //.* | @\w+.* | return\b.*
    | (?:def|class|if|elif|else|for|while|try|except|with|import|from|function|const|let|var|public
        |private|static|func|fn|package|[#]include)\b.*(?:[:;({]|import[ ].*|\))
    | [\w.\[\]"']+[ ]?(?:[-+*/|]?=|:=)[ ]?\S.* | [\w.]+\(.*\) )[ \t]*$""",
    re.VERBOSE,
)


def _is_code(text: str) -> bool:
    """Whether of five lines or more that are not blank three in four look like code."""
    lines = [line for line in text.splitlines() if line.strip()]
    code = sum(_LINE_OF_CODE.match(line) is not None for line in lines)
    return len(lines) >= 5 and code >= 0.75 * len(lines)


def _is_table(text: str) -> bool:
    """Whether of twenty cells (words or numbers) or more four in five are numbers."""
    cells = re.findall(r"[^\s,;|]+", text)
    numbers = sum(cell[0] in "+-.$£€0123456789" and not _LETTER.search(cell) for cell in cells)
    return len(cells) >= 20 and numbers >= 0.8 * len(cells)
