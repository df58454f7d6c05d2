"""Two things that a summary compares, "Ann is older than Bob", "Ann came before Bob", "Leeds beat
Hull", by the number, the time or the score that one sentence of the evidence gives each of them.

What lives here: comparisons, orders in time, results, votes. What does not: shares, changes and
bounds (`number_rules.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from faithkit.language.calendar_words import MONTH, MONTHS, WEEKDAYS
from faithkit.language.lexicon import CURRENCIES, CURRENCY_CODES, LONG_BOOKS, word_set
from faithkit.support.sentences import Kind, stem
from faithkit.support.statements import (
    MatchLevel,
    NumericFinding,
    Statement,
    findings_for,
    is_temporal,
    match_level,
    same_kind,
)

_MONEY = "money"
_TIME = "year month week day hour minute second"
_LENGTH = "metres kilometres centimetres millimetres miles feet inches yards"
_DIMENSIONS = {
    "older": (1, "year"), "younger": (-1, "year"),
    "longer": (1, f"{_TIME} {_LENGTH}"), "shorter": (-1, f"{_TIME} {_LENGTH}"),
    "taller": (1, _LENGTH), "deeper": (1, _LENGTH), "wider": (1, _LENGTH),
    "heavier": (1, "kilograms grams pounds tonnes tons"),
    "lighter": (-1, "kilograms grams pounds tonnes tons"),
    "dearer": (1, _MONEY), "cheaper": (-1, _MONEY),
    "more expensive": (1, _MONEY), "less expensive": (-1, _MONEY),
    "larger": (1, "people inhabitants residents square hectares acres"),
    "bigger": (1, "people inhabitants residents square hectares acres"),
    "smaller": (-1, "people inhabitants residents square hectares acres"),
    "hotter": (1, "degrees"), "warmer": (1, "degrees"), "colder": (-1, "degrees"),
    "higher": (1, ""), "lower": (-1, ""), "more": (1, ""), "fewer": (-1, ""), "less": (-1, ""),
}  # fmt: skip
"""Comparatives, whether they say more or less, and of which units; "" of any."""
_THAN = re.compile(
    rf"\b(?P<word>{'|'.join(sorted(_DIMENSIONS, key=len, reverse=True))})\b"
    r"(?P<between>(?: [\w'-]+){0,4}?) than\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\b(?P<word>before|after|(?P<than>earlier|later) than)\b", re.IGNORECASE)
_OLDEST = 120
HALF_A_YEAR, HALF_A_MORNING = 6, 3

_TIMES = (
    re.compile(rf"\b(?P<month>{MONTH}) (?P<day>\d{{1,2}}) (?P<year>\d{{4}})\b"),
    re.compile(rf"\b(?P<month>{MONTH}) (?P<day>\d{{1,2}})\b(?! \d)"),
    re.compile(rf"\b(?P<month>{MONTH})\b(?! \d)(?P<day>)"),
    re.compile(
        r"(?<![\d.:])(?P<hour>\d{1,2})(?:[.:](?P<minute>\d\d))?"
        r"(?: (?P<half>am|pm)\b|(?!\w|[.:]\d|%))"
    ),
    re.compile(r"(?<![\d.,])(?P<year>1[0-9]\d\d|20\d\d)(?![\d.,]\d|s)"),
)
"""Dates, days without a year, times of day, and years."""
_AT_A_TIME = re.compile(r"\b(?:at|by|from|until|till) $", re.IGNORECASE)


class Value(NamedTuple):
    """What one of two things has: a number or a time, its words, and which kind of time."""

    value: tuple[float, ...]
    words: range
    kind: str = ""


def comparisons(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "Dave earns more than Carla" is wrong where "Carla earns $90,000 and Dave $70,000"."""
    matches = list(_THAN.finditer(claim.text))
    amounts = evidence.amounts
    if len(matches) != 1 or len(amounts) != 2 or not all(one.is_exact for one in amounts):
        return
    (match,) = matches
    word = match["word"].lower()
    sign, units = _DIMENSIONS[word]
    one, two = amounts
    unit = one.unit or two.unit
    if not same_kind(evidence, one, two):
        return
    is_age = units == "year" and not unit and max(one.value, two.value) < _OLDEST
    if not is_age and not (unit and _measures(unit, units)):
        return
    phrase = claim.words_between(match.start("word"), match.end("word"))
    than = claim.words_between(match.end() - 4, match.end())
    noun = claim.keys[phrase.stop] if match["between"] and word in ("more", "fewer", "less") else ""
    if noun and noun not in evidence.keys[one.words.start : one.end + 2]:
        return
    values = [Value((amount.value,), range(amount.words.start, amount.end)) for amount in amounts]
    extra = {unit, *_measuring()}
    yield from _compared(claim, evidence, (phrase, than), values, sign, extra)


def orders(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "Bob arrived before Ann" is wrong where "Ann arrived at 9.10 and Bob at 9.40"."""
    matches = list(_ORDER.finditer(claim.text))
    values = _times(evidence)
    if len(matches) != 1 or len(values) != 2:
        return
    (match,) = matches
    phrase = claim.words_between(*match.span())
    sign = 1 if match["word"].lower().startswith(("after", "later")) else -1
    yield from _compared(claim, evidence, (phrase, phrase), values, sign, frozenset())


def _measures(unit: str, units: str) -> bool:
    """Whether a unit is one of those, or any where none is named."""
    if units == _MONEY:
        return unit in _money()
    return not units or unit in {stem(one) for one in units.split()}


@lru_cache(maxsize=1)
def _measuring() -> frozenset[str]:
    """What says of a number which dimension it is of: "987 metres high", "weighs 9 kg"."""
    return frozenset(map(stem, word_set("high tall long old aged wide deep weighs costs takes")))


@lru_cache(maxsize=1)
def _money() -> frozenset[str]:
    names = [*CURRENCIES.values(), *CURRENCY_CODES.values(), "cents", "pence"]
    return frozenset(stem(name.split()[-1].lower()) for name in names)


def _times(evidence: Statement) -> list[Value]:
    """The times of a sentence that are all of one kind, where it has no other numbers."""
    for pattern in _TIMES:
        matches = list(pattern.finditer(evidence.text))
        if "hour" in pattern.groupindex:
            matches = [
                match
                for match in matches
                if match["half"]
                or (match["minute"] and _AT_A_TIME.search(evidence.text, 0, match.start()))
            ]
        if not matches:
            continue
        values = [_moment(match, evidence.words_between(*match.span())) for match in matches]
        known = {word for value in values for word in value.words}
        kinds = {value.kind for value in values}
        return values if known.issuperset(evidence.numbers) and len(kinds) == 1 else []
    return []


def _moment(match: re.Match[str], words: range) -> Value:
    """A time with what orders it among others of its kind."""
    parts = match.groupdict()
    if "hour" in parts:
        hour, minute, half = int(parts["hour"]), int(parts["minute"] or 0), parts["half"]
        if not half:
            return Value((hour, minute), words, "hour")
        return Value((hour % 12 + 12 * (half == "pm"), minute), words, "am or pm")
    month = (MONTHS.index(parts["month"]), int(parts["day"] or 0)) if "month" in parts else ()
    if "year" in parts:
        return Value((int(parts["year"]), *month), words, "year")
    return Value(month, words, "month")


def _compared(
    claim: Statement,
    evidence: Statement,
    phrase: tuple[range, range],
    values: list[Value],
    sign: int,
    passed_over: Collection[str],
) -> Iterator[NumericFinding]:
    """Whether what stands before the phrase has the greater value (`sign` 1) or the smaller one
    than what stands after it.

    phrase       the comparative and "than"
    passed_over  keys of words of the evidence that the claim need not have
    """
    first, second = values
    if first.value == second.value or not _is_clear(first, second):
        return
    both = {*phrase[0], *phrase[1]}
    basis = {*first.words, *second.words}
    own = [word for word in np.flatnonzero(claim.must_match).tolist() if word not in both]
    left = {claim.keys[word] for word in own if word < phrase[1].start}
    right = {claim.keys[word] for word in own if word >= phrase[1].stop}
    boundary = _boundary(evidence, first.words.stop, second.words.start)
    if boundary is None or not left or not right:
        return
    is_when = is_temporal(evidence)
    foreign = [
        word
        for word in np.flatnonzero(evidence.must_match).tolist()
        if word not in basis
        and evidence.keys[word] not in left | right | set(passed_over)
        and not is_when(word)
    ]
    if foreign:
        return
    parts = {*evidence.keys[:boundary]}, {*evidence.keys[boundary:]}
    owner = _owner(left, right, parts, _names(claim) | _names(evidence))
    if owner is not None:
        more = values[owner].value > values[1 - owner].value
        yield from findings_for(claim, sorted(both), MatchLevel.FULL, more == (sign > 0))


def _is_clear(first: Value, second: Value) -> bool:
    """Whether two values are in order for sure: of months without a year the second one named is
    the later one, within half a year; of times without "am" and "pm" the earlier one is earlier
    where they are near to each other, "11.30 and 1.15" may be noon between."""
    distance = second.value[0] - first.value[0]
    if first.kind == "month":
        return 0 <= distance <= HALF_A_YEAR
    return first.kind != "hour" or abs(distance) <= HALF_A_MORNING


def _boundary(evidence: Statement, start: int, end: int) -> int | None:
    """The first word of the clause after the first value that the second one is in."""
    clauses = evidence.clauses
    for word in range(start, end + 1):
        if clauses[word] > clauses[start - 1]:
            return word
    return None


def _names(statement: Statement) -> set[str]:
    kinds = statement.sentence.kinds.tolist()
    return {key for key, kind in zip(statement.keys, kinds, strict=True) if kind == Kind.NAME}


def _owner(
    left: set[str], right: set[str], parts: tuple[set[str], set[str]], names: set[str]
) -> int | None:
    """Which part of the evidence tells of what is on the left: the other one has all that is on the
    right alone. What the first part says may be left out in the second, a verb but no name."""
    for owner in (0, 1):
        mine, other = parts[owner], parts[1 - owner]
        only_right, only_left = right - left, left - right
        if not only_right or not only_right <= other or only_right & mine:
            continue
        if not only_left & (mine - other) or not left <= mine | other:
            continue
        elsewhere = only_left & (other - mine)
        if not elsewhere or (owner == 1 and not elsewhere & names):
            return owner
    return None


# Results

_NAME = r"[A-Z][\w'&.-]*(?: [A-Z][\w'&.-]*){0,3}"
_SCORE = re.compile(
    rf"(?:(?:Final score|Full[- ]time|FT|Result|Final): )?"
    rf"(?P<one>{_NAME}) (?P<n>\d{{1,2}})(?P<half> \(\d{{1,2}}\))?"
    rf"(?:,? (?P<two>{_NAME}) (?P<m>\d{{1,2}})(?: \(\d{{1,2}}\))?"
    rf"| to (?P<m_2>\d{{1,2}}) (?P<two_2>{_NAME}))[.!]?"
)
"""A sentence that is only a score: "Leeds 3 Hull 1", "Leeds 3 (1) Hull 1 (1)" with what it was at
half-time, "Leeds 3 to 1 Hull"."""
_BEAT = re.compile(
    rf"(?:\(\d{{1,2}}\) )?(?P<one>{_NAME})(?: \([^()]{{1,30}}\))? (?:beat|beats|defeated)"
    rf" (?:\(\d{{1,2}}\) )?(?P<two>{_NAME})"
    r"(?=[.,;!]?$|[,;] | \(|(?: by)? \d| (?:on|in|at|to|after) )"
)
"""What a sentence begins with that says who beat whom: "(5) T. Nkosi (RSA) beat (4) B. Laurent"."""
HIGHEST_SCORE = 50
"""In games with higher ones the lower may win."""
_NO_TEAMS = frozenset([*MONTHS, *WEEKDAYS, *LONG_BOOKS]) | word_set("""
Page Chapter Section Part Act Scene Article Verse Volume Figure Table Room Level Step Question
Answer Item Group Class Grade Week Day Round Game Set Match Route Line Unit Lot Type Phase Hole Par
""")
_RESULT = re.compile(
    r"\b(?:(?P<passive>(?:was|were) (?:beaten|defeated) by)|(?P<won>beat|beats|defeated|defeats"
    r"|won(?: (?:against|over))?|wins)|(?P<lost>lost(?: (?:to|against))?|loses(?: to)?)"
    r"|(?P<drew>drew(?: (?:with|against))?|draws with|tied(?: with)?))\b",
    re.IGNORECASE,
)


def results(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "Hull beat Leeds" is wrong where "Leeds 3 Hull 1" is all that a line says, and "Hull won"
    where a sentence begins "Leeds beat Hull"."""
    matches = list(_RESULT.finditer(claim.text))
    score = _score(evidence)
    if len(matches) != 1 or score is None:
        return
    (match,) = matches
    names, points = score
    phrase = claim.words_between(*match.span())
    numbers = {evidence.keys[word] for word in evidence.numbers}
    shared = names[0] & names[1]
    must_match = [word for word in np.flatnonzero(claim.must_match).tolist() if word not in phrase]
    left = {claim.keys[word] for word in must_match if word < phrase.start} - shared
    right = {claim.keys[word] for word in must_match if word >= phrase.stop} - shared - numbers
    first = next((team for team in (0, 1) if left and left <= names[team]), None)
    if match["drew"] and first is None and left <= names[0] | names[1] and not right:
        first = 0 if left & names[0] and left & names[1] else None
    if first is None or not right <= names[1 - first]:
        return
    difference = points[first] - points[1 - first]
    if match["drew"]:
        verdict = difference == 0
    else:
        verdict = difference > 0 if match["won"] else difference < 0
    yield from findings_for(claim, phrase, MatchLevel.FULL, verdict)


def _score(evidence: Statement) -> tuple[list[set[str]], list[int]] | None:
    """The keys of the names of two teams and their points, of a sentence that is only a score; 1
    and 0 of one that says who beat whom."""
    beat = _BEAT.match(evidence.text)
    if beat and not _RESULT.search(evidence.text, beat.end()):
        teams = [evidence.words_between(*beat.span(part)) for part in ("one", "two")]
        return [{evidence.keys[word] for word in team} for team in teams], [1, 0]
    score = _SCORE.fullmatch(evidence.text)
    if not score:
        return None
    parts = "one", "two" if score["two"] else "two_2"
    teams = [evidence.words_between(*score.span(part)) for part in parts]
    points = [int(score["n"]), int(score["m"] or score["m_2"])]
    names = [{evidence.keys[word] for word in team} for team in teams]
    written = {score[part].split()[0] for part in parts}
    if max(points) > HIGHEST_SCORE or not _NO_TEAMS.isdisjoint(written):
        return None
    if score["half"] and points[0] == points[1]:  # which may be decided by penalties
        return None
    return names, points


# Votes

_VOTE = re.compile(
    r"(?<![\d.,-])(?P<most>\d+)(?: votes?)? to (?P<least>\d+|nil|none|zero)(?![\d.,%]\d|[- ]\d)",
    re.IGNORECASE,
)
_VOTES = frozenset(
    map(
        stem,
        word_set("""
vote voted votes rule ruled ruling decided decision approved passed rejected judges panel jury
council councillors committee board court bench elected senate commissioners
"""),
    )
)
_NO_VOTE = frozenset(
    map(
        stem,
        word_set("""
abstained abstention abstentions abstaining match game goal goals score scored beat won win league
lead minutes
"""),
    )
)
_UNANIMOUS = re.compile(
    r"(?:(?P<not>\b(?:not|non)[- ](?:\w+ )?)|(?<![\w-]))unanimous(?:ly)?\b"
    r"|\b(?P<split>divided|split)\b|\b(?P<narrow>narrow|narrowly)\b",
    re.IGNORECASE,
)


def votes(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "The ruling was not unanimous" is wrong where "the panel ruled 3 to 0"."""
    matches = list(_UNANIMOUS.finditer(claim.text))
    counts = list(_VOTE.finditer(evidence.text))
    keys = set(evidence.keys)
    if len(matches) != 1 or len(counts) != 1 or not keys & _VOTES or keys & _NO_VOTE:
        return
    (match,), (count,) = matches, counts
    all_agree = not count["least"].isdigit() or int(count["least"]) == 0
    if int(count["most"]) < 2 or (match["narrow"] and not all_agree):
        return
    phrase = claim.words_between(*match.span())
    says_so = not (match["not"] or match["split"] or match["narrow"])
    of_vote = [word for word, key in enumerate(claim.keys) if key == stem("vote")]
    agreed = match_level(
        claim,
        [*phrase, *of_vote],
        evidence,
        evidence.words_between(*count.span()),
        lambda word: evidence.keys[word] in _VOTES or evidence.words[word] == "against",
    )
    if agreed:
        yield from findings_for(claim, phrase, MatchLevel.FULL, says_so == all_agree)


COMPARISON_CUE, ORDER_CUE, RESULT_CUE, VOTE_CUE = _THAN, _ORDER, _RESULT, _UNANIMOUS
