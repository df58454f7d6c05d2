"""Planted errors of entity (EntE), circumstance (CircE) and coreference (CorefE), in the types of
FRANK (Pagnoni et al. 2021, section 3): names, numbers, dates, units and pronouns.

Each maker gives the ways in which it can make one sentence untrue, often none, with the words that
it changed marked. It refuses a change that may leave the sentence true: another name of the same
thing, "more than 40" for "more than 50".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random

from faithkit.language.calendar_words import MONTHS, WEEKDAYS
from faithkit.language.lexicon import SPELLED, TENS
from faithkit.language.parse import Entity
from faithkit.rewrites import lexicon
from faithkit.rewrites.parsed import (
    Edit,
    Edits,
    Maker,
    Page,
    Parsed,
    article,
    capitalised,
)

NAMES = ("PERSON", "ORG", "GPE", "NORP", "LOC", "FAC", "EVENT")


# Entities


def _clean(entity: Entity) -> Entity | None:
    """The entity without "the" and "'s", or None for what is hardly a name."""
    match = re.match(r"(?:[Tt]he )?(.*?)(?: ?['’]s?)?$", entity.text)
    if match is None or entity.label not in NAMES:
        return None
    name = match.group(1)
    if not re.fullmatch(r"[A-Z][\w.&-]+(?: [\w.&-]+){0,4}", name) or re.search(r"\d|\.$|_", name):
        return None
    start = entity.start + match.start(1)
    return Entity(start, start + len(name), name, entity.label)


def proper_names(sentence: Parsed) -> Iterator[Entity]:
    """The named entities that are whole proper names, without \"the\" and \"'s\"."""
    for entity in sentence.entities:
        name = _clean(entity)
        if name is not None:
            inside = [t.pos for t in sentence.tokens if t.start < name.end and name.start < t.end]
            neighbours = [t.pos for t in sentence.tokens if t.end in (name.start, name.start - 1)]
            neighbours += [t.pos for t in sentence.tokens if t.start in (name.end, name.end + 1)]
            if "PROPN" not in neighbours and ("PROPN" in inside or name.label == "NORP"):
                yield name


def is_same(name: str, other: str, document: str) -> bool:
    """Whether two names may be of one thing: a shared word or letter sequence, an acronym, a known
    alias, or names that stand side by side in the document."""
    a, b = (re.sub(r"^(the|an?) ", "", text.lower()) for text in (name, other))
    if set(a.split()) & set(b.split()) or a[:4] == b[:4] or a in b or b in a:
        return True
    for short, long in ((name, other), (other, name)):
        initials = "".join(word[0] for word in long.split() if word[0].isupper())
        if len(short) < 6 and short.replace(".", "").upper() == initials:
            return True
    if any(a in places and b in places for places in lexicon.SAME_PLACE):
        return True
    side = (re.escape(name), re.escape(other))
    side_by_side = rf"{side[0]}[\s(,]+{side[1]}|{side[1]}[\s(,]+{side[0]}"
    return re.search(side_by_side, document) is not None


def _alike(entity: Entity, other: Entity) -> bool:
    """Whether two names have the same label and form: "Americans" is no replacement for
    "French"."""
    if entity.label != other.label:
        return False
    return entity.label != "NORP" or entity.text.endswith("s") == other.text.endswith("s")


def _swaps(sentence: Parsed, page: Page, candidates: Iterable[Entity]) -> list[Edits]:
    options: list[Edits] = []
    others = list(candidates)
    for entity in proper_names(sentence):
        for new in dict.fromkeys(c.text for c in others if _alike(c, entity)):
            if new in sentence.text or is_same(entity.text, new, page.document):
                continue
            places = re.finditer(rf"\b{re.escape(entity.text)}\b", sentence.text)
            index = next(i for i, t in enumerate(sentence.tokens) if t.end > entity.start)
            edits = tuple(Edit(m.start(), m.end(), new) for m in places)
            if edits and edits[0].start == entity.start:
                options.append((*edits, *article(sentence, index, new)))
    return options


def entity_intrinsic(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """A name becomes another of the document."""
    return _swaps(sentence, page, (e for other in page.sentences for e in proper_names(other)))


def entity_extrinsic(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """A name becomes one that the document does not have."""
    names = [
        entity
        for other in page.others
        for foreign in other.sentences
        for entity in proper_names(foreign)
    ]
    return _swaps(sentence, page, (e for e in names if e.text not in page.document))


# Numbers, dates, units

_AT_LEAST = re.compile(r"\b(more than|over|at least|above|exceed\w*|minimum of)\s*[£$€]?$", re.I)
_AT_MOST = re.compile(
    r"\b(less than|fewer than|under|below|up to|at most|maximum of)\s*[£$€]?$", re.I
)
_ROUGHLY = re.compile(
    r"\b(about|around|nearly|almost|some|approximately|roughly|circa)\s*[£$€]?$", re.I
)


def number(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    """A near miss: one more or less, digits exchanged, ten times, another number of the document;
    after "more than" and the like, one that this does not cover."""
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens):
        entity = sentence.entity_at(index)
        if entity is not None and entity.label not in (
            "CARDINAL", "MONEY", "PERCENT", "QUANTITY", "ORDINAL", "TIME",
        ) and not _is_age(sentence, index):  # fmt: skip
            continue
        before = sentence.text[: token.start]
        if re.search(r"[A-Za-z]-$|[A-Z]$", before) or re.match(
            r" ?[-–]\d", sentence.text[token.end :]
        ):
            continue
        new = _other_number(token.text, before, page.document, random)
        if new is not None:
            options.append((Edit(token.start, token.end, new), *article(sentence, index, new)))
    for score in _SCORE.finditer(sentence.text):
        home, away = int(score[1]), int(score[3])
        new = f"{home + 1}{score[2]}{away}" if home > away else f"{home}{score[2]}{away + 1}"
        options.append((Edit(score.start(), score.end(), new),))
    return options


_SCORE = re.compile(r"(?<![\w.,:/–-])(\d{1,2})([-–])(\d{1,2})(?![\w,:/–-]|\.\d)")


def _is_age(sentence: Parsed, index: int) -> bool:
    token = sentence.tokens[index]
    after = sentence.text[token.end : token.end + 12]
    return after.startswith(("-year-old", " years old")) or (
        sentence.text[: token.start].endswith((", ", "aged "))
        and re.match(r" ?, [a-z]", after) is not None
    )


def _other_number(text: str, before: str, document: str, random: Random) -> str | None:
    lower = text.lower()
    if lower in SPELLED[2:]:
        value = SPELLED.index(lower)
        near = [float(n) for n in range(2, 21) if 1 <= abs(n - value) <= 3]
        choice = _fitting(value, near, before, random)
        return SPELLED[int(choice)] if choice and choice <= 20 else None
    if lower in TENS:
        near = [10.0 * n for n in range(2, 10)]
        choice = _fitting(10.0 * TENS.index(lower) + 20, near, before, random)
        return TENS[int(choice) // 10 - 2] if choice and choice <= 90 else None
    match = re.fullmatch(r"([£$€]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(m|bn|k|%|)", text)
    if match is None or text in ("0", "1") or re.fullmatch(r"(19|20)\d\d", text):
        return None
    sign, integer, fraction, suffix = match[1], match[2].replace(",", ""), match[3] or "", match[4]
    choice = _fitting(
        float(integer + fraction),
        [*_near_misses(integer, fraction), *_like(text, document)],
        before,
        random,
    )
    if choice is None:
        return None
    places = max(len(fraction) - 1, 0)
    return f"{sign}{choice:{',' if ',' in text else ''}.{places}f}{suffix}"


def _near_misses(integer: str, fraction: str) -> list[float]:
    """One more, one less (of the last place, or of the second place of a long number), ten times,
    and the first two digits exchanged."""
    value = float(integer + fraction)
    step = 10.0 ** (len(integer) - 2) if len(integer) > 2 else 10.0 ** -max(len(fraction) - 1, 0)
    misses = [value + step, value - step, value * 10]
    if len(integer) > 1 and integer[1] not in (integer[0], "0"):
        misses.append(float(integer[1] + integer[0] + integer[2:] + fraction))
    return misses


def _like(text: str, document: str) -> list[float]:
    """Other numbers of the document with as many digits, years left out."""
    shape = re.sub(r"\d", r"\\d", re.escape(text))
    alike = set(re.findall(rf"(?<![\w.,£$€-]){shape}(?![\w,-]|\.\d)", document))
    return [
        float(re.sub(r"[^\d.]", "", m))
        for m in sorted(alike)
        if not re.fullmatch(r"(19|20)\d\d", m)
    ]


def _fitting(value: float, choices: list[float], before: str, random: Random) -> float | None:
    """A choice that the words before the number do not cover, and that needs a plural."""
    if _AT_LEAST.search(before):
        choices = [c for c in [*choices, value * 2] if c > 1.05 * value]
    elif _AT_MOST.search(before):
        choices = [c for c in choices if c < 0.95 * value]
    elif _ROUGHLY.search(before):
        choices = [c for c in [*choices, value * 2] if not 0.7 * value < c < 1.4 * value]
    choices = [c for c in choices if c > 1 and abs(c - value) > 1e-9]
    return random.choice(choices) if choices else None


def date(sentence: Parsed, _page: Page, random: Random) -> list[Edits]:
    """A month, a weekday, a year or a day of the month becomes another."""
    options: list[Edits] = []
    for entity in sentence.entities:
        if entity.label != "DATE":
            continue
        for match in re.finditer(r"\w+", entity.text):
            new = _other_date(match.group(), entity.text, random)
            if new is not None:
                start = entity.start + match.start()
                options.append((Edit(start, start + len(match.group()), new),))
    return options


def _other_date(word: str, phrase: str, random: Random) -> str | None:
    for names in (MONTHS, WEEKDAYS):
        if word in names and (word != "May" or re.search(r"May\b", phrase)):
            return random.choice([name for name in names if name not in phrase])
    if re.fullmatch(r"(19|20)\d\d", word):
        return str(int(word) + random.choice([-10, -4, -3, -2, -1, 1, 2, 3]))
    if re.fullmatch(r"(19|20)\d0s", word):
        return f"{int(word[:-1]) + random.choice([-20, -10, 10])}s"
    if re.fullmatch(r"[1-9]|[12]\d|30", word) and any(month in phrase for month in MONTHS):
        return str(random.choice([d for d in range(1, 29) if abs(d - int(word)) in (1, 2, 7, 10)]))
    return None


def unit(sentence: Parsed, _page: Page, random: Random) -> list[Edits]:
    """The unit after a number, or the currency before it, becomes another."""
    return [
        *_unit_words(sentence, random),
        *_currencies(sentence, random),
        *_short_units(sentence),
    ]


def _unit_words(sentence: Parsed, random: Random) -> list[Edits]:
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens):
        before, after = sentence.text[: token.start], sentence.text[token.end :]
        counted = index > 0 and sentence.tokens[index - 1].tag == "CD"
        if not (counted or re.search(r"\d-?$", before)) or after.startswith((" old", "-old")):
            continue
        lower = token.text.lower()
        singular = "foot" if lower == "feet" else lower.removesuffix("s")
        for new in _other_units(singular, before):
            shown = new if singular == lower else {"foot": "feet"}.get(new, lexicon.plural(new))
            options.append((Edit(token.start, token.end, shown),))
    return [random.choice(options)] if options else []


def _other_units(unit: str, before: str) -> list[str]:
    """Units near this one that the words before the number do not cover: "more than two days" is
    true of two weeks."""
    group = next((group for group in lexicon.UNITS if unit in group), [])
    index = group.index(unit) if group else 0
    above, below = group[index + 1 : index + 3], group[max(index - 2, 0) : index]
    number = re.sub(r"[\w.,]*[ -]?$", "", before)
    if _AT_LEAST.search(number) or _AT_MOST.search(number):
        if group == lexicon.UNITS[-1]:
            return []
        return above if _AT_LEAST.search(number) else below
    return below + above


def _currencies(sentence: Parsed, random: Random) -> list[Edits]:
    """The amount is marked with its sign, which is no word."""
    options: list[Edits] = []
    for match in re.finditer(r"([£$€])(\d[\d.,]*\w*(?<!\.))", sentence.text):
        new = random.choice([sign for sign in lexicon.CURRENCIES if sign != match[1]])
        options.append((Edit(match.start(), match.end(), new + match[2]),))
    return options


def _short_units(sentence: Parsed) -> list[Edits]:
    options: list[Edits] = []
    for match in re.finditer(r"([£$€]?)(\d[\d.,]*)(m|bn|km|kg|mph|cm|lb|ft)\b", sentence.text):
        if (match[3] in ("m", "bn")) != bool(match[1]):
            continue  # "5m" without a sign may be metres
        for new in lexicon.SHORT_UNITS[match[3]]:
            new = new if match[1] else f" {new}"
            options.append((Edit(match.start(2), match.end(), match[2] + new),))
    return options


# Pronouns

_GENDER = {
    "he": "she", "she": "he", "him": "her", "himself": "herself", "herself": "himself",
}  # fmt: skip


def pronoun(sentence: Parsed, _page: Page, random: Random) -> list[Edits]:
    """All of one gender's pronouns become the other's, or one becomes many, or many one."""
    options: list[Edits] = []
    groups: dict[str, list[Edit]] = {"m": [], "f": []}
    for index, token in enumerate(sentence.tokens):
        lower = token.text.lower()
        new = _GENDER.get(lower)
        if lower in ("her", "his"):
            possessive = {"her": "his", "his": "her"}[lower]
            new = possessive if token.tag == "PRP$" else {"her": "him", "his": "hers"}[lower]
        if new is not None:
            new = capitalised(new) if token.text[0].isupper() else new
            groups["f" if lower in ("she", "her", "herself") else "m"].append(
                Edit(token.start, token.end, new)
            )
        his_or_her = random.choice(["his", "her"])
        if token.tag == "PRP$" and token.text == "their":
            options.append((Edit(token.start, token.end, his_or_her),))
        # In the past only "was" and "were" show the number.
        head = sentence.tokens[token.head]
        past = head.tag == "VBD" and head.lemma != "be" and token.head == index + 1
        if past and token.dep == "nsubj" and lower in ("he", "she", "they"):
            new = "they" if lower != "they" else {"his": "he", "her": "she"}[his_or_her]
            new = capitalised(new) if token.text[0].isupper() else new
            options.append((Edit(token.start, token.end, new),))
    return options + [tuple(edits) for edits in groups.values() if edits]


MAKERS: dict[str, Maker] = {
    "entity_intrinsic": entity_intrinsic,
    "number": number,
    "date": date,
    "unit": unit,
    "pronoun": pronoun,
}
BORROWING: dict[str, Maker] = {"entity_extrinsic": entity_extrinsic}
"""These take words from other documents."""
