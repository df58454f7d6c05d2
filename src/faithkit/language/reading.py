"""A sentence as the support model reads it: what can be written in several ways is written in one.

Contractions are written out; numbers are digits, amounts have one scale ("2.5m" and "2,500,000"
are "2.5 million"), with the unit in full after them ("£5" is "5 pounds"), dates are "February 3
2019", ranges "5 to 7"; and two negations that cancel are gone ("It is not true that he did not go"
is "he went"). Each character is mapped to its part of the sentence, so no word is lost
and every verdict can be shown where it belongs. What lives here: the order of the rules,
contractions and negations. What does not: numbers (`numerals.py`, `notation.py`, `roman.py`),
amounts (`amounts.py`, `units.py`, `doses.py`), signs (`signs.py`), dates (`dates.py`,
`weekdays.py`, `centuries.py`), times (`clock.py`), ages and lives (`persons.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTH
from faithkit.language.inflection import inflect
from faithkit.language.layout import flags
from faithkit.language.mapped import (
    Mapped,
    Piece,
    Rule,
    apply_rules,
    identity_map,
    keep_group,
    replace_match,
)
from faithkit.language.notations import (
    adverts,
    amounts,
    bounds,
    centuries,
    changes,
    clock,
    compass,
    dates,
    deadlines,
    deviations,
    doses,
    episodes,
    formulas,
    frequencies,
    grades,
    laboratory,
    losses,
    minutes,
    notation,
    numerals,
    persons,
    quantities,
    ratios,
    references,
    roman,
    sciences,
    shares,
    shorthand,
    signs,
    spoken,
    terms,
    units,
    weekdays,
)
from faithkit.language.notations.dates import month_name
from faithkit.language.notations.numerals import plain_number
from faithkit.language.speech import corrections
from faithkit.language.words import Segment, number_values, plain_letters, words


@lru_cache(maxsize=4096)
def read(text: str) -> Mapped:
    """The text in the one form that the rules of this module give."""
    reading = identity_map(text)
    lower = text.lower()
    for cue, rules in _RULES:
        if cue.search(lower):
            reading, before = apply_rules(reading, rules), reading
            lower = lower if reading is before else reading.text.lower()
    return reading


_SCALE_AFTER = re.compile(r" (million|billion|trillion)\b", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"\b({MONTH}) $", re.IGNORECASE)


def values(text: str, given: Sequence[Segment] | None = None) -> list[tuple[Segment, str]]:
    """The numbers of a text that was read, as `words.numbers` gives them, but in their scale: that
    of "2.5 million" is "2500000"; days with their month: that of "February 3" is "3 February"; and
    "third" to "twelfth" besides, which "3rd" and "12th" are too.

    given  the text's words, where they are known
    """
    text_words = words(text) if given is None else given
    values = [
        (word, lexicon.ORDINALS[lower])
        for word in text_words
        if (lower := word.text.lower()) in lexicon.ORDINALS
    ]
    numbers = [(word, value) for word in text_words for value in number_values(word.text)]
    for word, value in numbers:
        scale = _SCALE_AFTER.match(text, word.end)
        month = _MONTH_BEFORE.search(text, max(0, word.start - 12), word.start)
        if scale:
            value = plain_number(Decimal(value) * lexicon.SCALES[plain_letters(scale[1])])
        elif month and len(value) <= 2:
            value = f"{value} {month_name(month[1])}"
        values.append((word, value))
    return values


_BLANKS = re.compile(r"\s\s+|[^\S ]")
_SEVERAL_BLANKS = re.compile(r"\s(?<! )|\s\s")
"""Whether there are any of them, found faster."""


def _merge_blanks(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, " ")


_SHARP_S = re.compile("[ßẞ]")


def _replace_sharp_s(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Weiß" as "Weiss"."""
    return replace_match(match, "ss" if match.group() == "ß" else "SS")


# Contractions

_APOSTROPHE = "['’]"
_BEFORE_NOT = "is|are|was|were|has|have|had|do|does|did|could|would|should|must|might|need|ought"
_CONTRACTION = re.compile(
    rf"""\b (?P<start>ca|wo|sha) (?P<short_not>\s? n{_APOSTROPHE}t) \b
    | (?P<not>\s? n{_APOSTROPHE}t | (?<=\bcan) not) \b
    | \b (?P<first>{_BEFORE_NOT}) (?P<bare_not>nt) \b
    | (?P<verb>\s? {_APOSTROPHE} (?:re|ve|ll|m)) \b
    | \b (?P<who>it|he|she|who|that|what|here|there) (?P<is>{_APOSTROPHE}s) \b""",
    re.IGNORECASE | re.VERBOSE,
)

_CONTRACTED = re.compile(
    rf"nt\b|n{_APOSTROPHE}t|{_APOSTROPHE}(?:re|ve|ll|m)|(?:it|e|who|at){_APOSTROPHE}s|cannot"
)


def _expand_contraction(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "didn't" and "didnt" as "did not". "it's" is taken for "it is"; other words with "'s" stay,
    for most are possessives."""
    if start := match["start"]:
        first = Piece(lexicon.CONTRACTED_NOT[plain_letters(start)], *match.span("start"))
        return first, Piece(" not", *match.span("short_not"))
    if match["not"]:
        return (Piece(" not", *match.span("not")),)
    if match["bare_not"]:
        return keep_group(match, "first"), Piece(" not", *match.span("bare_not"))
    if verb := match["verb"]:
        short = re.split(_APOSTROPHE, plain_letters(verb))[1]
        return (Piece(f" {lexicon.CONTRACTED_VERBS[short]}", *match.span("verb")),)
    return keep_group(match, "who"), Piece(" is", *match.span("is"))


_WITH = re.compile(r"(?<![\w/.])[Ww]/(?P<out>o)?(?= [A-Za-z])")


def _expand_with(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "w/o milk" as "without milk", "w/ milk" as "with milk"."""
    return replace_match(match, "without" if match["out"] else "with")


# Negations

_BREAKS = "|".join(lexicon.CLAUSE_BREAKS)
_INSIDE = rf"(?:(?!\b(?:{_BREAKS})\b)[^,;:.!?])"
_CANCELLED = re.compile(
    rf"""(?P<opening>\bit[ ](?:is|was)[ ](?:not[ ](?:true|correct|accurate|so|the[ ]case)
        |false|untrue|incorrect|inaccurate)[ ]that[ ])(?P<first>\w[\w'’-]*)
    (?P<rest>{_INSIDE}*?(?:,{_INSIDE}+,{_INSIDE}*?)?)
    (?:\b(?P<do>does|did|do)[ ]not[ ](?P<verb>[a-z]+)
        |\b(?P<helper>is|are|was|were|am|has|have|had|can|could|will|would|should|must|may|might)
        (?P<not>[ ]not)|(?P<never>\bnever[ ])(?P<next>\w+))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TENSES = {"does": "VBZ", "did": "VBD", "do": "VB"}
_FAILED = re.compile(
    r"(?:\b(?P<do>does|did|do) not fail to (?P<verb>[a-z]+)"
    r"|(?<!\bhad )(?<!\bhas )(?<!\bhave )(?<!\bnot )(?<!\bis )(?<!\bwas )(?<!\bare )(?<!\bwere )"
    r"(?<!\ba )(?<!\bthe )(?<!\bbeen )(?<!\bhaving )\b(?P<failed>failed|fails) to(?= [a-z]))\b",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:no|not) (?P<than>fewer than|less than|more than)\b", re.IGNORECASE)


def _cancel_negations(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "It is not true that he did not go" as "he went". Removed words are mapped to
    those that stay: to the first and to the verb."""
    first = Piece(match["first"], match.start(), match.end("first"))
    rest = keep_group(match, "rest")
    if match["do"]:
        verb = inflect(match["verb"].lower(), _TENSES[plain_letters(match["do"])])
        return first, rest, Piece(verb, match.start("do"), match.end("verb"))
    if match["helper"]:
        helper = Piece(match["helper"], match.start("helper"), match.end("not"))
        return first, rest, helper
    return first, rest, Piece(match["next"], match.start("never"), match.end("next"))


def _replace_failed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "failed to go" as "did not go", "did not fail to go" as "went"."""
    if match["do"]:
        return replace_match(
            match, inflect(match["verb"].lower(), _TENSES[plain_letters(match["do"])])
        )
    start, end = match.span()
    do = "did" if plain_letters(match["failed"]) == "failed" else "does"
    return Piece(do, start, end), Piece(" not", start, end)


def _replace_bound(match: re.Match[str]) -> tuple[Piece, ...]:
    bound = "at most" if plain_letters(match["than"]) == "more than" else "at least"
    return replace_match(match, bound)


# Numbers in compounds

_COMPOUND = re.compile(
    r"(?<![\w.,:/-])(?:\d[\d,.]*(?:-[A-Za-z][a-z]+)(?:-[a-z]+)*|[a-z]{2,}-\d[\d,.]*(?![\w/-]))(?![\w/-])"
)
_HYPHEN = re.compile("-")


def _split_compound(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a 10-month sentence" as "a 10 month sentence", "post-1945" as "post 1945": in capitals it
    may be a code ("Su-30")."""
    start = match.start()
    pieces = []
    for hyphen in _HYPHEN.finditer(match.group()):
        end = match.start() + hyphen.start()
        pieces += [Piece(match.string[start:end], start, end), Piece(" ", end, end + 1)]
        start = end + 1
    return (*pieces, Piece(match.string[start : match.end()], start, match.end()))


_DIGIT = re.compile(r"\d")
_RULES: tuple[tuple[re.Pattern[str], tuple[Rule, ...]], ...] = (
    (_SEVERAL_BLANKS, (Rule(_BLANKS, _merge_blanks),)),
    (_SHARP_S, (Rule(_SHARP_S, _replace_sharp_s),)),
    (signs.SYMBOLS_CUE, signs.SYMBOLS),
    (formulas.FORMULAS_CUE, formulas.FORMULAS),
    (grades.GRADES_CUE, grades.GRADES),
    (changes.CHANGES_CUE, changes.CHANGES),
    (signs.UNEQUAL_CUE, signs.UNEQUAL),
    (signs.RESULTS_CUE, signs.RESULTS),
    (
        re.compile(_APOSTROPHE + r"|cannot|nt\b"),
        (Rule(_CONTRACTION, _expand_contraction, _CONTRACTED),),
    ),
    (re.compile(r"\bw/"), (Rule(_WITH, _expand_with),)),
    (adverts.ADVERTS_CUE, adverts.ADVERTS),
    (minutes.MINUTES_CUE, minutes.MINUTES),
    (shorthand.SHORTHAND_CUE, shorthand.SHORTHAND),
    (flags.FLAGS_CUE, flags.FLAGS),
    (persons.AGES_CUE, persons.AGES),
    (centuries.CENTURIES_CUE, centuries.CENTURIES),
    (episodes.EPISODES_CUE, episodes.EPISODES),
    (spoken.SPOKEN_CUE, spoken.SPOKEN),
    (dates.DECADES_CUE, dates.DECADES),
    (units.PARTS_CUE, units.PARTS),
    (numerals.WORDS_CUE, numerals.WORDS),
    (shares.SHARES_CUE, shares.SHARES),
    (roman.ROMAN_CUE, roman.ROMAN),
    (weekdays.WEEKDAYS_CUE, weekdays.WEEKDAYS),
    (corrections.CORRECTIONS_CUE, corrections.CORRECTIONS),
    (
        _DIGIT,
        (
            *references.REFERENCES,
            *laboratory.LABORATORY,
            *deviations.DEVIATIONS,
            *notation.NOTATION,
            *sciences.SCIENCES,
            *dates.SHORT_YEARS,
            *ratios.RATIOS,
            *clock.TIMES,
            *losses.LOSSES,
            *signs.NEGATIVES,
            *amounts.RANGES,
            *numerals.HUNDREDS,
            *amounts.AMOUNTS,
            *shares.POINTS,
            *doses.DOSES,
            *dates.DATES,
            *terms.PRICES,
            *bounds.OPEN_ENDS,
            *persons.LIVES,
        ),
    ),
    (deadlines.DEADLINES_CUE, deadlines.DEADLINES),
    (frequencies.FORTNIGHTS_CUE, frequencies.FORTNIGHTS),
    (terms.TERMS_CUE, terms.TERMS),
    (bounds.BOUNDS_CUE, bounds.BOUNDS),
    (compass.COMPASS_CUE, compass.COMPASS),
    (doses.PERIODS_CUE, (*doses.PERIODS, *doses.TWICE)),
    (re.compile(r"\d-[a-z]|[a-z]-\d"), (Rule(_COMPOUND, _split_compound),)),
    (quantities.QUANTITIES_CUE, quantities.QUANTITIES),
    (
        re.compile(r"\b(?:not?|never|fail(?:s|ed)|it (?:is|was))\b"),
        (
            Rule(_FAILED, _replace_failed, re.compile("fail")),
            Rule(_CANCELLED, _cancel_negations, re.compile("that")),
            Rule(_BOUND, _replace_bound, re.compile("than")),
        ),
    ),
)
"""A cue, and the rules in their order that are applied to a text with it."""
