"""The stem of an English word (Porter 2, as in Snowball 3.1, https://snowballstem.org/algorithms).

Equal to the package snowballstemmer, which the tests compare it with and which takes seven times as
long: a check stems every word of its source. Steps, regions (R1, R2) and lists have the
names of the algorithm's description.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

VOWELS = frozenset("aeiouy")
_NOT_SHORT = frozenset("aeiouywxY")
_BEFORE_LI = frozenset("cdeghkmnrt")
_DOUBLED = frozenset("bb dd ff gg mm nn pp rr tt".split())  # noqa: SIM905

_WHOLE = {
    **{word: word for word in "andes atlas bias cosmos howe news sky".split()},  # noqa: SIM905
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli",
    "early": "earli", "only": "onli", "singly": "singl",
}  # fmt: skip
"""Words with a stem of their own."""

_REGION_1 = re.compile("arsen|commun|emerg|gener|inter|later|organ|past|univers")
"""Beginnings after which R1 begins."""

_AFTER_VOWEL = re.compile("[aeiouy][^aeiouy]")

_STEP_2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent",
    "izer": "ize", "ization": "ize", "ational": "ate", "ation": "ate", "ator": "ate",
    "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful", "ousli": "ous",
    "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble",
    "ogist": "og", "ogi": "og", "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
_STEP_3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic",
    "ful": "", "ness": "", "ative": "",
}  # fmt: skip
_STEP_4 = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion".split(),  # noqa: SIM905
    "",
)


def stem(word: str) -> str:
    """The stem of a word in lower case; one of two letters or fewer stays."""
    if word in _WHOLE:
        return _WHOLE[word]
    if len(word) < 3:
        return word
    word = _marked(word.removeprefix("'"))
    first, second = _regions(word)
    word = _step_1b(_step_1a(word), first)
    if word[-1:] in ("y", "Y") and len(word) > 2 and word[-2] not in VOWELS:
        word = word[:-1] + "i"
    word = _step_2(word, first)
    word = _step_3(word, first, second)
    word = _step_4(word, second)
    return _step_5(word, first, second).replace("Y", "y")


def _marked(word: str) -> str:
    """The word with "Y" for each "y" that is a consonant: at its beginning or after a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for i, letter in enumerate(letters):
        if letter == "y" and (i == 0 or letters[i - 1] in VOWELS):
            letters[i] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin: after the first letter after a vowel that is none, and the same again
    from there."""
    first = _REGION_1.match(word) or _AFTER_VOWEL.search(word)
    if first is None:
        return len(word), len(word)
    second = _AFTER_VOWEL.search(word, first.end())
    return first.end(), second.end() if second else len(word)


def _ending(word: str, endings: Mapping[str, str], longest: int) -> str:
    """The longest of the endings, of up to so many letters, that the word has; empty if none."""
    for length in range(longest, 0, -1):
        if word[-length:] in endings:
            return word[-length:]
    return ""


def _has_vowel(text: str) -> bool:
    return not VOWELS.isdisjoint(text)


def _ends_short(text: str) -> bool:
    """Whether a text ends in a short syllable."""
    if text.endswith("past"):
        return True
    if len(text) == 2:
        return text[0] in VOWELS and text[1] not in VOWELS
    return (
        len(text) > 2
        and text[-1] not in _NOT_SHORT
        and text[-2] in VOWELS
        and text[-3] not in VOWELS
    )


def _step_1a(word: str) -> str:
    if "'" in word:
        for ending in ("'s'", "'s", "'"):
            if word.endswith(ending):
                word = word[: -len(ending)]
                break
    if not word.endswith(("s", "ied")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _step_1b(word: str, first: int) -> str:
    for ending in ("eedly", "ingly", "edly", "eed", "ing", "ed"):
        if word.endswith(ending):
            break
    else:
        return word
    left = word[: -len(ending)]
    if ending in ("eed", "eedly"):
        kept = len(left) < first or left in ("succ", "proc", "exc")
        return word if kept else left + "ee"
    if ending == "ing":
        if left in ("even", "cann", "inn", "earr", "herr", "out"):
            return word
        if len(left) == 2 and left[1] == "y" and left[0] not in VOWELS:
            return left[0] + "ie"
    if not _has_vowel(left):
        return word
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if left[-2:] in _DOUBLED:
        return left if len(left) == 3 and left[0] in "aeo" else left[:-1]
    return left + "e" if len(left) == first and _ends_short(left) else left


def _step_2(word: str, first: int) -> str:
    ending = _ending(word, _STEP_2, 7)
    left = word[: len(word) - len(ending)]
    if not ending or len(left) < first:
        return word
    if (ending == "ogi" and left[-1:] != "l") or (ending == "li" and left[-1:] not in _BEFORE_LI):
        return word
    return left + _STEP_2[ending]


def _step_3(word: str, first: int, second: int) -> str:
    ending = _ending(word, _STEP_3, 7)
    left = word[: len(word) - len(ending)]
    if not ending or len(left) < (second if ending == "ative" else first):
        return word
    return left + _STEP_3[ending]


def _step_4(word: str, second: int) -> str:
    ending = _ending(word, _STEP_4, 5)
    left = word[: len(word) - len(ending)]
    if len(left) < second or (ending == "ion" and left[-1:] not in ("s", "t")):
        return word
    return left


def _step_5(word: str, first: int, second: int) -> str:
    left = word[:-1]
    if word.endswith("e"):
        goes = len(left) >= second or (len(left) >= first and not _ends_short(left))
        return left if goes else word
    return left if word.endswith("ll") and len(left) >= second else word
