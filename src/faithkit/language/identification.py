"""Whether a text can be read by what knows English only: is it in another language, or is it code
or a table of numbers?

By rule, from scripts and function words, and only where that is sure: a name, a list of names, a
headline, a quotation or a word or two are taken for English, and so is prose in the layout of code
(a chat with "<anna>", a contract's lines that end in ";"). No model is loaded. Figures:
docs/support.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
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

CODE_CUES = 0.1
"""Share of the lines with a cue that hardly any prose has ("()", "==", "</a>") from which a text
can be code; a single line is none."""

PROSE_WORDS = 0.1
"""Share of the words outside strings and comments that are function words and no keywords, from
which a text is prose: most English has more, hardly any code has as much."""

LEAST_ITEMS, LONGEST_ITEM = 3, 5
"""Items of a list, and words of one."""

_ENGLISH = lexicon.STOP_WORDS | lexicon.COMMON_ENGLISH
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u0250-\u02af\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5a]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@lru_cache(maxsize=512)
def unsupported(text: str) -> Outcome | None:
    """`unsupported_language` or `unsupported_text` where the text is surely none that English
    models can read, else None."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)  # of "𝗥𝗲𝘃𝗲𝗻𝘂𝗲"
    if _is_foreign(plain):
        return Outcome.UNSUPPORTED_LANGUAGE
    return Outcome.UNSUPPORTED_TEXT if _is_code(text) or _is_table(text) else None


def _is_foreign(text: str) -> bool:
    letters = 0 if text.isascii() else len(_LETTER.findall(text))
    if letters and 1 - len(_LATIN.findall(text)) / letters > FOREIGN_SCRIPT:
        return True
    written_words = [match.group() for match in _WORD.finditer(text) if not _is_symbol(text, match)]
    words = Counter(word.lower() for word in written_words)
    total = len(written_words)
    if _is_menu(text, words):
        return False
    if _has_function_words(words, total):
        words_outside_names = Counter(word.lower() for word in _outside_names(text))
        if words_outside_names == words or _has_function_words(words_outside_names, total):
            return True
    words_with_accents = {
        word for word in written_words if word[0].islower() and not word.isascii()
    }
    accented_share = sum(words[word] for word in words_with_accents) / max(total, 5)
    english_words = sum(words[word] for word in words.keys() & _ENGLISH)
    return (
        len(words_with_accents) > 1
        and accented_share >= FOREIGN_LETTERS
        and english_words <= 0.07 * total
    )


def _is_symbol(text: str, match: re.Match[str]) -> bool:
    """Whether a word is one or two letters before a number, as chemistry has it ("Na 131"), beside
    a slash, as in "w/o", or of an abbreviation with points, as "y.o."."""
    word = match.group()
    if len(word) > 2:
        return False
    if "/" in (text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]):
        return True
    if _IN_POINTS.search(text, max(0, match.start() - 2), match.end() + 2):
        return True
    return word[0].isupper() and _NUMBER_NEXT.match(text, match.end()) is not None


_NUMBER_NEXT = re.compile(r"[:=+]?\s?\d")
_IN_POINTS = re.compile(r"(?<!\w)[a-z]\.[a-z](?!\w)", re.IGNORECASE)


def _is_menu(text: str, words: Counter[str]) -> bool:
    """Whether a text is a list of LEAST_ITEMS short items or more without a question, a verb or a
    pronoun of another language: dishes, figures of a dance ("moules marinières, pas de deux")."""
    if (
        "?" in text
        or "!" in text
        or not _WORDS_OF_DISHES.issuperset(words.keys() & _LANGUAGES.keys())
    ):
        return False
    sizes = [size for item in _BETWEEN_ITEMS.split(text) if (size := len(_WORD.findall(item)))]
    return len(sizes) >= LEAST_ITEMS and max(sizes) <= LONGEST_ITEM


_BETWEEN_ITEMS = re.compile(r"[,;:.!?()|\n\d]|\b(?:and|or)\b")


def _has_function_words(words: Counter[str], total: int) -> bool:
    """Whether enough of so many words are function words of one other language."""
    words_by_language: Counter[str] = Counter()
    for word, count in words.items():
        for language in _LANGUAGES.get(word, ()):
            words_by_language[language] += count
    for language, count in words_by_language.most_common(2):
        listed = lexicon.FUNCTION_WORDS[language]
        english_words = sum(words[word] for word in words.keys() & _ENGLISH - listed)
        foreign_words = words.keys() & listed - _ENGLISH
        is_sure = len(foreign_words) > 1 and foreign_words - lexicon.NAME_PARTICLES
        if is_sure and count > 2 * english_words and count >= FOREIGN_WORDS * total:
            return True
    return False


def _outside_names(text: str) -> list[str]:
    """The words without those in small letters within a name: "de la" of "Juan de la Cruz"."""
    outside: list[str] = []
    small_words_inside: list[str] = []
    name_ends = None  # where a name ends so far, if the last word may be one's
    for match in _WORD.finditer(text):
        word = match.group()
        follows_name = name_ends is not None and not text[name_ends : match.start()].strip(" \n\t.")
        if follows_name and (
            word in _PARTICLES or (small_words_inside and word in _INNER_PARTICLES)
        ):
            small_words_inside.append(word)
            name_ends = match.end()
            continue
        if not (follows_name and word[0].isupper()):
            outside += small_words_inside
        small_words_inside = []
        outside.append(word)
        name_ends = match.end() if word[0].isupper() else None
    return outside + small_words_inside


def _languages_by_word() -> dict[str, list[str]]:
    by_word: dict[str, list[str]] = {}
    for language, listed in lexicon.FUNCTION_WORDS.items():
        for word in listed - _ENGLISH:
            by_word.setdefault(word, []).append(language)
    return by_word


_LANGUAGES = _languages_by_word()
"""A word's languages but English."""

_INNER_PARTICLES = frozenset({"der", "den", "des", "und", "zu"})
"""Particles of names that follow another one alone ("van der"): between the nouns of German they
say much."""

_PARTICLES = (lexicon.NAME_PARTICLES | {"et"}) - _INNER_PARTICLES
"""Other words in small letters between those of a name."""


_WORDS_OF_DISHES = lexicon.NAME_PARTICLES | {
    *("à", "ai", "al", "all", "alla", "alle", "ao", "au", "auf", "aux", "com", "con", "deux", "en"),
    *("et", "mit", "na", "pas", "sur", "und"),
}
"""Function words of other languages in names of dishes and the like."""


_LINE_OF_CODE = re.compile(
    r"""[ \t]*(?: .*[;{}] | [)\]}]+[,;]? | </?\w+[^<>]*>.* | //.* | @[\w.]+(?:\(.*\))? | return\b.*
    | (?:def|class|if|elif|else|for|while|try|except|with|import|from|function|const|let|var|public
        |private|static|func|fn|package|[#]include)\b.*(?:[:;({]|import[ ].*|\))
    | [\w.\[\]"']+[ ]?(?:[-+*/|]?=|:=)[ ]?\S.* | [\w.]+\(.*\) )[ \t]*$""",
    re.VERBOSE,
)


_CODE_CUE = re.compile(
    r"""\w\(\) | (?<![\w.])[A-Za-z_][\w.]+\((?!e?s\))      # a call, and no "item(s)"
    | ^[ \t]*[{}] | [{}][,;]?[ \t]*$
    | [=!<>]= | [-=]> | && | \|\| | \+\+ | [-+*/|:]= | \w::\w
    | =[ ]?["'\[({]                                          # a name is given a string, a list
    | (?<![\w@<])[A-Za-z]\w*_\w                             # snake_case, and no "<anna_b>"
    | </\w | />                                              # tags
    | ^[ \t]*(?:import|using|package|require|include)[ ][\w.:]+;?[ \t]*$
    | ^[ \t]*(?:from[ ][\w.]+[ ]import\b | [#]include | (?:var|let|const|int|void)[ ]\w+[ ]=)""",
    re.VERBOSE,
)
"""What lines of code have and hardly any prose."""

_TAG_OF_TEXT = re.compile(
    r"</?(?:p|div|span|section|article|header|footer|main|nav|h\d|ul|ol|li|dl|dt|dd|table|thead"
    r"|tbody|tr|td|th|b|i|em|strong|u|a|br|hr|img|blockquote|small|sup|sub)\b[^<>]*>",
    re.IGNORECASE,
)
"""Tags of a page's text."""

_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w.-]+|\bwww\.\S+|\bhttps?://\S+")
"""Of mail and of pages."""

_PHONE = re.compile(r"\+\d[\d ()-]{6,}\d")

_STRING_OR_COMMENT = re.compile(
    r"""\"[^\"\n]*\" | (?<!\w)'[^'\n]*'(?!\w)
    | /\*[^*]*\*/ | //[^\n]* | ^[ \t]*(?:[#]|/?\*|--)[^\n]*""",
    re.VERBOSE | re.MULTILINE,
)
"""Strings and comments."""

_ELEMENT = re.compile(r"[ \t]*</?[\w:.-]+(?:\s[^<>{}]*)?/?>[^{}]*")
_ANY_TAG = re.compile(r"</?[\w:.-]+(?:\s[^<>{}]*)?/?>")
_ROW_OF_DATA = re.compile(
    r"""[ \t]*(?:\[\[?[\w.-]+\]\]?|#.*|[\w.-]+ = (?:"[^"\n]*"|'[^'\n]*'|[\w.:+-]+))[ \t]*"""
)
_SETTING = re.compile(r"[ \t]*(?:#.*|(?:export )?[A-Z][A-Z\d_]*=[^\s(){}]*)[ \t]*")
_TWO_WORDS = re.compile(r"[^\W\d_]+,? [^\W\d_]+")

_NAME = re.compile(r"[A-Za-z_][\w'’-]*")


def _is_code(text: str) -> bool:
    """Whether of five lines or more that are not blank three in four look like code, and one in
    ten and two or more have a cue of it, and their words are not those of prose."""
    text = _ADDRESS.sub(" ", _TAG_OF_TEXT.sub(" ", text))
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 5 or sum(map(_looks_like_code, lines)) < 0.75 * len(lines):
        return False
    if _is_data(lines):
        return False
    cues = sum(_CODE_CUE.search(line) is not None for line in lines)
    return cues >= max(2, CODE_CUES * len(lines)) and not _is_prose(text)


def _is_data(lines: Sequence[str]) -> bool:
    """Whether there are only elements of XML, with lines of text between them, or rows of TOML,
    that have a value of two words or more; or only the settings of a program ("DB_PORT=5432")."""
    if all(map(_SETTING.fullmatch, lines)):
        return True
    if all(map(_ROW_OF_DATA.fullmatch, lines)):
        values = [line.partition("=")[2] for line in lines]
    else:
        others = [line for line in lines if not _ELEMENT.fullmatch(line)]
        if 2 * len(others) > len(lines) or any(map(_looks_like_code, others)):
            return False
        values = [_ANY_TAG.sub(" | ", line) for line in lines]
    return any(map(_TWO_WORDS.search, values))


def _looks_like_code(line: str) -> bool:
    return _LINE_OF_CODE.match(line) is not None


def _is_prose(text: str) -> bool:
    names = _NAME.findall(_STRING_OR_COMMENT.sub(" ", text).lower())
    return sum(name in lexicon.NO_KEYWORDS for name in names) >= PROSE_WORDS * max(len(names), 1)


_SCORE = re.compile(r"\d{1,3}[-–]\d{1,3}\.?")


def _is_table(text: str) -> bool:
    """Whether of twenty cells (words or numbers) or more four in five are numbers; scores ("6-4")
    are none."""
    cells = re.findall(r"[^\s,;|]+", _PHONE.sub("phone", text))
    numbers = sum(map(_is_number, cells))
    return len(cells) >= 20 and numbers >= 0.8 * len(cells)


def _is_number(cell: str) -> bool:
    begins_like_number = cell[0] in "+-.$£€0123456789"
    return begins_like_number and not _LETTER.search(cell) and not _SCORE.fullmatch(cell)
