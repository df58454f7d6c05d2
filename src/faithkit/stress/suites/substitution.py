"""Names, numbers and dates of a claim exchanged in it and in its source by one map.

The map is a bijection, it touches the claim, and what it brings in occurs in neither text, so its
inverse gives the texts back. New names are famous ones of the same kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random

from faithkit.language.calendar_words import MONTHS, WEEKDAYS
from faithkit.language.lexicon import SPELLED, STOP_WORDS, word_set
from faithkit.language.parse import Entity, entities
from faithkit.rewrites.parsed import starts_with_vowel
from faithkit.stress.suites import famous


def substitution(source: str, claim: str, random: Random) -> dict[str, str]:
    """Old names, numbers, months and weekdays to new ones, all that can be exchanged safely; empty
    where there are none.

    Every key occurs in the claim or is another form of one that does (a last name, "French" for
    "France"); no two keys have one value; no value and no word of one occurs in either text.
    """
    texts = f"{source}\n{claim}"
    chosen: dict[str, str] = {}
    in_claim, in_source = entities([claim, source])
    for options in (
        *(_names(entity, texts, random) for entity in _agreed(in_claim, in_source)),
        *(_number(text, texts, random) for text in _numbers_of(claim)),
        *(_calendar(names, source, claim, random) for names in (MONTHS, WEEKDAYS)),
    ):
        for more in options:
            if _fits(more, chosen, source, claim, texts) and _in_order({**chosen, **more}, claim):
                chosen |= more
                break
    return chosen


def _fits(
    more: Mapping[str, str], chosen: Mapping[str, str], source: str, claim: str, texts: str
) -> bool:
    """Whether these replacements can be added to a map; see `substitution`."""
    if set(more) & set(chosen) or not any(_stands_in(old, claim) for old in more):
        return False
    if not any(_stands_in(old, claim) and _stands_in(old, source) for old in more):
        return False
    every = {**chosen, **more}
    parts = [word.lower() for new in every.values() for word in _parts(new)]
    olds = [word.lower() for old in every for word in _parts(old)]
    if len(set(every.values())) < len(every) or set(parts) & set(olds):
        return False
    new_parts = {word for new in more.values() for word in _parts(new)}
    used = {word for new in chosen.values() for word in _parts(new)}
    if any(_occurs(word, texts) for word in new_parts) or new_parts & used:
        return False
    trial = substitute(texts, every)
    inverse = {new: old for old, new in every.items()}
    return not any(_occurs(old, trial) for old in every) and substitute(trial, inverse) == texts


def _in_order(chosen: Mapping[str, str], claim: str) -> bool:
    """Whether the claim's numbers keep their order: "more than" stays true."""
    values = [(_value(text), _value(chosen.get(text, text))) for text in _numbers_of(claim)]
    return all((a < b) == (c < d) for a, c in values for b, d in values)


def _parts(name: str) -> list[str]:
    """The distinctive words of a name."""
    return [word for word in re.findall(r"[\w.,]+", name) if word.lower() not in ("de", "la")]


def _occurs(word: str, text: str) -> bool:
    """Whether the word occurs in any casing, also as part of a hyphenated word or number."""
    return re.search(_bounded(word), text, re.IGNORECASE) is not None


def _stands_in(word: str, text: str) -> bool:
    return re.search(_bounded(word), text) is not None


def _bounded(word: str) -> str:
    """A pattern for the word itself, in the plural of a people, or within "19-year-old", "£5m"."""
    if word[0].isdigit():
        return rf"(?<![\d.,])(?<!\d[.,]){re.escape(word)}(?!\d|[.,]\d)"
    return rf"(?<!\w){re.escape(word)}(?=s?(?!\w))"


def substitute(text: str, replacements: Mapping[str, str]) -> str:
    """Replaces every key by its value, the longest first, and adapts "a" and "an"."""
    if not replacements:
        return text
    keys = sorted(replacements, key=lambda old: (-len(old), old))
    pattern = rf"(?:(?P<article>\b[Aa]n?)(?P<gap>\s+))?(?P<old>{'|'.join(map(_bounded, keys))})"

    def new(match: re.Match[str]) -> str:
        word = replacements[match["old"]]
        if not match["article"]:
            return word
        article = match["article"][0] + ("n" if starts_with_vowel(word) else "")
        return f"{article}{match['gap']}{word}"

    return re.sub(pattern, new, text)


# Names


def _agreed(in_claim: Sequence[Entity], in_source: Sequence[Entity]) -> list[Entity]:
    """The names of the claim that the source has under the same label; a person by the fullest name
    that the source has for them."""
    names: dict[tuple[str, str], None] = {}
    source_names = {(_bare(entity.text), entity.label) for entity in in_source}
    for entity in in_claim:
        name = _bare(entity.text)
        fuller = [
            other
            for other, label in source_names
            if label == entity.label == "PERSON" and other.endswith(f" {name}")
        ]
        longer = any(name != other and _stands_in(name, other) for other, _ in source_names)
        if (fuller or (name, entity.label) in source_names) and (
            entity.label == "PERSON" or not longer
        ):
            names[max([name, *fuller], key=lambda text: (len(text), text)), entity.label] = None
    return [Entity(0, len(name), name, label) for name, label in names]


def _bare(name: str) -> str:
    return re.sub(r"^[Tt]he |['’]s?$| ['’]s?$", "", name)


def _names(entity: Entity, texts: str, random: Random) -> Iterator[dict[str, str]]:
    """Ways in which a name can be exchanged, in a random order; none where it is unsure."""
    name = entity.text
    if not re.fullmatch(r"[A-Z][\w.-]*(?: (?:[A-Z][\w.-]*|de|la|van|von))*", name):
        return
    pool: list[dict[str, str]] = []
    if entity.label == "PERSON" and name not in famous.CLUBS:
        pool = _people(name, texts)
    elif entity.label in ("PERSON", "GPE", "NORP", "ORG"):
        pool = _places_and_bodies(name, entity, texts)
    yield from (more for more in random.sample(pool, len(pool)) if _reads_well(more, texts))


def _reads_well(more: Mapping[str, str], texts: str) -> bool:
    """Whether "Hicks'" stays right: the new name ends in "s" if the old one is used like that."""
    return all(
        old.endswith("s") == new.endswith("s")
        or not re.search(rf"{re.escape(old)} ?['’](?!s)", texts)
        for old, new in more.items()
    )


def _people(name: str, texts: str) -> list[dict[str, str]]:
    """Word by word, so that a last or a first name alone is exchanged too. None of the words may be
    a common one."""
    words = name.split()
    if len(words) not in (2, 3) or any(_is_common(word, texts) for word in words):
        return []
    woman = _is_woman(words, texts)
    if woman is None:
        return []
    people = [person.split() for person in (famous.WOMEN if woman else famous.MEN)]
    return [dict(zip(words, person, strict=True)) for person in people if len(person) == len(words)]


def _is_common(word: str, texts: str) -> bool:
    lower = word.lower()
    return (
        len(word) < 3
        or lower in STOP_WORDS
        or re.search(rf"\b{re.escape(lower)}\b", texts) is not None
    )


def _mentions(name: str, texts: str) -> list[int]:
    return [match.end() for match in re.finditer(_bounded(name), texts)]


_HE = re.compile(r"\b(?:he|his|him|himself|Mr|man|boy|father|son|husband|brother)\b", re.IGNORECASE)
_SHE = re.compile(
    r"\b(?:she|her|herself|Mrs|Ms|Miss|woman|girl|mother|daughter|wife|sister)\b", re.IGNORECASE
)
_NEAR = 90


def _is_woman(words: Sequence[str], texts: str) -> bool | None:
    """What the words soon after each mention of the last name say, or else how the first name ends;
    None where they are divided."""
    votes = [0, 0]
    for end in _mentions(words[-1], texts):
        near = texts[max(end - 25, 0) : end + _NEAR]
        matches = [pattern.search(near) for pattern in (_HE, _SHE)]
        places = [match.start() if match else _NEAR * 2 for match in matches]
        if places[0] != places[1]:
            votes[int(places[1] < places[0])] += 1
    if not any(votes):
        return words[0].endswith("a")
    if min(votes) > max(votes) / 3:
        return None
    return votes[1] > votes[0]


def _places_and_bodies(name: str, entity: Entity, texts: str) -> list[dict[str, str]]:
    for country, people in famous.COUNTRIES.items():
        if name in (country, people, f"{people}s"):
            return [
                {country: other, people: others}
                for other, others in famous.COUNTRIES.items()
                if others[-2:] == people[-2:] or not re.search(rf"\b{people}s\b", texts)
            ]
    pool: Sequence[str] = []
    if entity.label == "NORP" or _alone_elsewhere(name, texts):
        return []
    if name in famous.CLUBS:
        pool = famous.CLUBS
    elif name in famous.STATES:
        pool = famous.STATES
    elif entity.label == "GPE" and not _is_abroad(name):
        pool = famous.CITIES
    elif entity.label == "ORG" and re.fullmatch(r"[A-Z]{2,5}", name):
        pool = _initials(name, texts)
    elif entity.label == "ORG" and not re.search(rf"\b[Tt]he {re.escape(name)}\b", texts):
        pool = famous.COMPANIES
    return [{name: other} for other in pool]


def _initials(name: str, texts: str) -> list[str]:
    """Those that take "the" as this one does; none where it does so only sometimes."""
    every, with_the = (len(re.findall(rf"{the}\b{name}\b", texts)) for the in ("", "[Tt]he "))
    if with_the in (0, every):
        return famous.THE_INITIALS if with_the else famous.INITIALS
    return []


_MANY_NAMES = word_set("US UK U.S. U.K. USA America England Britain Scotland Wales EU London")


def _is_abroad(name: str) -> bool:
    """Whether this is no city for sure: a country of many names, or with a point of the compass."""
    return (
        name in _MANY_NAMES or re.match(r"(?:North|South|East|West|New|United)\b", name) is not None
    )


def _alone_elsewhere(name: str, texts: str) -> bool:
    """Whether a word of the name is used without the rest: "City" for "Manchester City"."""
    rest = re.sub(_bounded(name), " ", texts)
    return any(_occurs(word, rest) for word in _parts(name) if word.lower() not in STOP_WORDS)


# Numbers and dates

_NUMBER = re.compile(r"(?<![\w.,:/–-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d:/]|[.,]\d)(?!st|nd|rd|th)")
_RANGES = ((2, 12), (13, 17), (18, 28), (29, 31), (32, 59), (60, 99))
"""A number becomes another of its range, so that days, hours, shares of a hundred and those under
age stay such."""
_WORDS = re.compile(rf"(?<![\w-])(?:{'|'.join(SPELLED[2:])})(?!\w)", re.IGNORECASE)


def _numbers_of(text: str) -> list[str]:
    """The numbers of a text that may be exchanged, each once: digits, then words up to twenty."""
    return list(dict.fromkeys([*_NUMBER.findall(text), *_WORDS.findall(text)]))


def _value(number: str) -> float:
    if number.lower() in SPELLED:
        return float(SPELLED.index(number.lower()))
    return float(number.replace(",", ""))


def _number(text: str, texts: str, random: Random) -> Iterator[dict[str, str]]:
    """The number in digits, with and without commas, and in a word; not where "21st" has it."""
    value = _value(text)
    if value < 2 or re.search(rf"(?<!\d){re.escape(text)}(?:st|nd|rd|th)\b", texts):
        return
    if value == 2 and _occurs("both", texts):
        return
    text = text.lower()
    digits = text if text[0].isdigit() else f"{value:.0f}"
    for other in _other_values(value, digits, random):
        forms = {
            old: new
            for old, new in zip_longest(_forms(value, digits), _forms(other, digits))
            if old is not None and _stands_in(old, texts)
        }
        if None not in forms.values() and not any(_occurs(new, texts) for new in forms.values()):
            yield forms


def _forms(value: float, like: str) -> list[str]:
    """The ways in which a number may be written: with and without commas, and as a word."""
    places = len(like.partition(".")[2])
    shown = [f"{value:.{places}f}", f"{value:,.{places}f}"]
    if places == 0 and value <= 20:
        word = SPELLED[int(value)]
        shown += [word, word.capitalize()]
    return shown


def _other_values(value: float, text: str, random: Random) -> list[float]:
    """Ten other values: a year near by; of the same range below a hundred; else of as many digits,
    with the same zeros at the end, between half and one and a half times as much."""
    if re.fullmatch(r"(?:19|20)\d\d", text):
        near = [value + step for step in range(-9, 10) if abs(step) > 1 and value + step <= 2029]
        return random.sample(near, min(10, len(near)))
    integer, _, fraction = text.replace(",", "").partition(".")
    if fraction or value >= 100:
        digits = integer + fraction
        zeros = len(digits) - len(digits.rstrip("0"))
        unit = 10**zeros
        core = int(digits) // unit
        choices = [
            n * unit / 10 ** len(fraction)
            for n in range(max(core // 2, 1), core + core // 2 + 3)
            if n % 10 and n != core and len(str(n * unit)) == len(digits.lstrip("0"))
        ] if core < 10**6 else []  # fmt: skip
        choices = [choice for choice in choices if choice >= 2 or value < 2]
    else:
        low, high = next((low, high) for low, high in _RANGES if value <= high)
        low, high = (18, 28) if low == 29 else (low, high)
        near_by = 3 if high == 12 else high
        choices = [float(n) for n in range(low, high + 1) if 0 < abs(n - value) <= near_by]
    return random.sample(choices, min(10, len(choices)))


def _calendar(
    names: Sequence[str], source: str, claim: str, random: Random
) -> Iterator[dict[str, str]]:
    """The claim's months, or weekdays, turned by the same number of places."""
    in_claim = [name for name in names if _stands_in(name, claim)]
    texts = f"{source}\n{claim}"
    if any(name in ("May", "March") or re.search(_FEAST.format(name), texts) for name in in_claim):
        return
    for step in random.sample(range(1, len(names)), len(names) - 1):
        yield {name: names[(names.index(name) + step) % len(names)] for name in in_claim}


_FEAST = r"\b(?:Good|Black|Easter|Ash|Super|Palm|Cyber) {0}\b|\b{0} [A-Z]"
