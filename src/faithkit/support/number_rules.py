"""What a summary derives from numbers of the evidence and puts in words, "most", "doubled", "rose",
"over 300", is compared with these numbers, but only where one sentence of the evidence says the
same of one number of the kind: in every doubtful case nothing is said.

What lives here: shares, changes, bounds. What does not: two things that are compared, and
results (`comparison_rules.py`), by how much something changed (`factors.py`), a part and its whole
(`parts.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from faithkit.language.calendar_words import MONTH, MONTHS
from faithkit.language.lexicon import word_set
from faithkit.models.protocols import Bools
from faithkit.support import comparison_rules, parts
from faithkit.support.factors import FACTOR_CUE, factors
from faithkit.support.sentences import Kind, Sentence
from faithkit.support.statements import (
    BOUND_CUE,
    PERCENT,
    Amount,
    NumericFinding,
    Statement,
    findings_for,
    is_temporal,
    is_value_verb,
    match_level,
    same_kind,
)

OFF = 0.15
"""A number that differs so much, as a share of the larger one, is not "about" the other."""
SAME_RATIO, OTHER_RATIO = 0.05, 0.2
"""A ratio so near to 2 is "doubled", one that is further away is not; between it may be."""


def confirmed_and_refuted(claim: Sentence, evidence: Sequence[Sentence]) -> tuple[Bools, Bools]:
    """[words of the claim], twice: whether the numbers of a sentence of the evidence confirm what
    each says and those of none refute it, and whether they refute it and those of none confirm it.

    A sentence that confirms has all other content of the claim, too. Nothing is refuted where
    another sentence with numbers has most of the claim's content, or any has all its words.
    """
    right, wrong, surely_wrong = (np.zeros(len(claim.keys), dtype=np.bool_) for _ in range(3))
    rules = [rule for cue, rule in RULES if cue.search(claim.form.text)]
    if not rules:
        return right, wrong
    own = Statement(claim)
    others = [Statement(sentence) for sentence in evidence if _BASIS.search(sentence.form.text)]
    said = {own.keys[word] for word in np.flatnonzero(own.must_match).tolist()}
    repeating = [sentence for sentence in evidence if said <= set(sentence.keys)]
    for other in others:
        for found in (one for rule in rules for one in rule(own, other)):
            words = list(found.words)
            if found.is_true:
                right[words] = True
                continue
            wrong[words] = True
            is_said = any(found.in_other_words or s is not other.sentence for s in repeating)
            if not is_said and _is_alone(own, other, others):
                surely_wrong[words] = True
    return right & ~wrong, surely_wrong & ~right


def _is_alone(claim: Statement, evidence: Statement, others: Sequence[Statement]) -> bool:
    """Whether no other sentence with numbers has more than half of the claim's content: what is
    compared may be said of several things, "12 were killed in Kabul, 8 in Kunar"."""
    content = set(claim.content_keys)
    same = evidence.keys
    return all(
        other.keys == same or 2 * len(content & set(other.keys)) <= len(content) for other in others
    )


# Shares


class Share(NamedTuple):
    """The percentages that a wording holds of for sure, and those that it does not hold of."""

    true: tuple[float, float]
    false: tuple[float, float]


_MOST = Share((50.01, 100.0), (0.0, 49.99))
_MINORITY = Share((0.0, 49.99), (50.01, 100.0))
_SIZE = r"(?:(?:large|big|vast|great|overwhelming|clear|narrow|slim|small|slight|tiny) )?"
_PARTS = {"half": 50.0, "a third": 33.33, "a quarter": 25.0, "a fifth": 20.0, "a tenth": 10.0,
          "2 thirds": 66.67, "3 quarters": 75.0}  # fmt: skip
_PART = "|".join(_PARTS)
_SHARE = re.compile(
    rf"(?P<most>\b(?:a|the) {_SIZE}majority\b|(?<!the )(?<!at )(?<!'s )(?<!its )(?<!their )\bmost\b"
    rf"(?! but)(?! likely))|(?P<minority>\ba {_SIZE}minority\b)"
    rf"|\b(?:(?P<more>(?:well |just )?over|more than)|(?P<less>less than|fewer than|under)) "
    rf"(?P<part>{_PART})\b|(?P<not_all>\b(?:(?:most|some) but )?not all\b)"
    r"|(?P<all>(?:^|(?<=\bthat ))all\b)"
    r"|(?P<few>^(?:very )?few\b)",
    re.IGNORECASE,
)
_OF = re.compile(
    r"(?<![\d.,])(?P<part>\d+) (?:(?:out )?of|in) (?:the |its |their |all |those |these )?"
    r"(?P<whole>\d+)(?![\d.,]| (?:[mb]illion|thousand|trillion))"
    r"|\bof (?:the |its |their |all )?(?P<whole_2>\d+)(?: [a-z]+){1,2}, (?P<part_2>\d+)(?![\d.,])",
    re.IGNORECASE,
)
_NO_SHARE_BEFORE = re.compile(
    r"\b(?:by|up|down|rose|fell|grew|increased|dropped|another) $", re.IGNORECASE
)
_NO_SHARE_AFTER = word_set("""
more less fewer higher lower up down off increase decrease rise fall drop growth discount chance
interest point points cut reduction likely above below
""")


def _shares(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "A majority of voters" is wrong where "38% of voters" is the only percentage."""
    if (part := _part(evidence)) is None:
        return
    low, high, basis = part
    for match in _SHARE.finditer(claim.text):
        phrase = claim.words_between(*match.span())
        after = claim.next_key_to_match(phrase.stop) if phrase else ""
        if not after or after not in _subjects(evidence, basis):
            continue
        share = _share(match)
        right = share.true[0] <= low and high <= share.true[1]
        wrong = share.false[0] <= low and high <= share.false[1]
        agreed = match_level(claim, phrase, evidence, basis)
        yield from findings_for(claim, phrase, agreed, right if right or wrong else None)


def _share(match: re.Match[str]) -> Share:
    if match["most"] or match["minority"]:
        return _MOST if match["most"] else _MINORITY
    if match["all"] or match["not_all"]:
        every, not_every = (100.0, 100.0), (0.0, 99.99)
        return Share(every, not_every) if match["all"] else Share(not_every, every)
    if match["few"]:
        return Share((0.0, 10.0), (50.0, 100.0))
    bound = _PARTS[match["part"].lower()]
    above, below = (bound + 0.01, 100.0), (0.0, bound - 0.01)
    return Share(above, below) if match["more"] else Share(below, above)


def _part(evidence: Statement) -> tuple[float, float, Sequence[int]] | None:
    """The only share of a sentence in percent, at least and at most, and its words."""
    shares = [amount for amount in evidence.amounts if amount.unit == PERCENT]
    of = list(_OF.finditer(evidence.text))
    if len(shares) + len(of) != 1:
        return None
    if of:
        part, whole = (float(of[0][name] or of[0][f"{name}_2"]) for name in ("part", "whole"))
        words = evidence.words_between(*of[0].span())
        kinds = evidence.sentence.kinds
        basis = [word for word in words if kinds[word] in (Kind.NUMBER, Kind.FUNCTION)]
        if part > whole or not whole or not evidence.years.keys().isdisjoint(basis):
            return None
        return 100 * part / whole, 100 * part / whole, basis
    (share,) = shares
    start = evidence.sentence.offsets[share.words.start][0]
    after = evidence.words[share.end] if share.end < len(evidence.words) else ""
    if (
        _NO_SHARE_BEFORE.search(evidence.text, max(0, start - 12), start)
        or after in _NO_SHARE_AFTER
    ):
        return None
    low, high = max(share.low, 0.0), min(share.high, 100.0)
    return (low, high, range(share.words.start, share.end)) if share.value <= 100 else None


def _subjects(evidence: Statement, basis: Sequence[int]) -> set[str]:
    """The keys of the words that a share may be said of: the next, and the one before a comma in
    "Of the patients, 44%"."""
    before = basis[0] - 1
    subjects = {evidence.next_key_to_match(basis[-1] + 1)}
    if before > 0 and evidence.words[0] == "of" and "," in evidence.between(before, basis[0]):
        subjects.add(evidence.next_key_to_match(1))
    between = set(range(basis[0], basis[-1])) - set(basis)  # "Of 60 pupils, 24"
    return subjects | {evidence.keys[word] for word in between}


# Bounds


def _bounds(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "Over 400 pages" is wrong where "346 pages" are the only ones."""
    for amount in claim.amounts:
        others = [other for other in evidence.amounts if other.unit == amount.unit]
        if amount.is_exact or len(others) != 1 or _is_period(claim, amount):
            continue
        (other,) = others
        if not amount.unit and not _stand_alike(claim, amount, evidence, other):
            continue
        agreed = match_level(claim, amount.words, evidence, other.words, is_value_verb(evidence))
        yield from findings_for(claim, amount.words, agreed, _holds(amount, other))


def _stand_alike(claim: Statement, amount: Amount, evidence: Statement, other: Amount) -> bool:
    """Whether two numbers of nothing named follow the same word, "the hall seats 1,150"."""
    before, after = amount.words.start, other.words.start
    same = min(before, after) > 0 and claim.keys[before - 1] == evidence.keys[after - 1]
    return same and len(evidence.amounts) == 1


def _is_period(claim: Statement, amount: Amount) -> bool:
    """Whether "over 5 years" may say how long rather than how much longer."""
    return claim.words[amount.words.start] == "over" and is_temporal(claim)(amount.end - 1)


def _holds(bound: Amount, number: Amount) -> bool | None:
    """Whether a number is within a bound; of "about N" whether it rounds to N."""
    value = number.value
    is_clear = number.is_exact and (bound.low > -np.inf or bound.high < np.inf)
    if not is_clear or value == bound.value:
        return None  # "about 20" may be "of 20", "more than 20" a slip
    if np.isinf(bound.low) or np.isinf(bound.high):
        return bound.low < value < bound.high
    if abs(value - bound.value) > OFF * max(value, bound.value):
        return False
    is_below = bound.high > bound.value or value <= bound.value
    return True if is_below and _rounded(value, bound.value) else None


def _rounded(value: float, to: float) -> bool:
    """Whether a number is another when it has as few digits."""
    digits = 0
    while to % 10 ** (digits + 1) == 0 and digits < 15:
        digits += 1
    return abs(value - to) <= 0.5 * 10**digits and abs(value - to) <= 0.1 * to


# Changes

_FACTORS = {"halved": 0.5, "doubled": 2.0, "tripled": 3.0, "trebled": 3.0, "quadrupled": 4.0}
_UP = (
    "rose|risen|rises|increased|increases|grew|grown|grows|climbed|climbs|raised"
    "|(?:went|goes|gone) up"
)
_DOWN = (
    "fell|fallen|falls|dropped|drops|declined|declines|decreased|decreases|shrank|shrunk|shrinks"
    "|lowered|reduced|(?:went|goes|gone) down"
)
_CHANGE = re.compile(
    rf"(?P<more>\bmore than )?(?P<almost>\b(?:nearly|almost) )?\b(?P<factor>{'|'.join(_FACTORS)})\b"
    rf"|\b(?P<up>{_UP})\b|\b(?P<down>{_DOWN})\b",
    re.IGNORECASE,
)
_MOVES = word_set("""
rise rose risen rises rising raise raised raises raising fall fell fallen falls falling increase
increased increases increasing decrease decreased decreases decreasing grow grew grown grows growing
go went gone goes going climb climbed climbs climbing drop dropped drops dropping decline declined
declines declining shrink shrank shrunk jump jumped jumps soar soared surge surged plunge plunged
cut cuts reduced reduce lowered slipped expanded moved moves changed changes up down
""")
_FROM = re.compile(r"(?:^|\s)from $", re.IGNORECASE)
_UP_FROM = re.compile(r",? (?P<way>up|down) from $", re.IGNORECASE)
_AGAINST = re.compile(r",? ?(?:compared (?:with|to)|against|versus|vs\.?) $", re.IGNORECASE)
_EARLIER = re.compile(
    r",? (?:(?:a|the) (?:year|month|week|quarter|season|decade) (?:before|earlier|ago)"
    r"|(?:in the |the )?previous (?:year|month|week|quarter|season)"
    r"|last (?:year|month|week|quarter|season)|in (?P<year>1\d{3}|20\d\d))\b",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r" \((?:(?:in )?\d{4}|(?:prior|previous|last) year): ", re.IGNORECASE)
_NO_CHANGE = word_set("""
loss losses deficit minus negative rank ranked ranking place places position seed odds
spot handicap target budget forecast expected average estimate estimated ratio score goal goals lead
par tie scored won lost beat
""")


def _changes(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "Tripled" and "fell" are wrong where it "rose from 5% to 10%"."""
    matches = list(_CHANGE.finditer(claim.text))
    if len(matches) != 1 or claim.amounts or (change := _change(evidence)) is None:
        return
    (match,) = matches
    first, second = change
    phrase = claim.words_between(*match.span())
    basis = {
        *first.words,
        *second.words,
        *(i for i, word in enumerate(evidence.words) if word in _MOVES),
        *evidence.functions(evidence.amounts[0].end, evidence.amounts[1].end + 3),
    }
    if not _is_of_the_later(claim.years.values(), evidence.years.values()):
        return
    if not _is_of_the_later(_months(claim).values(), _months(evidence).values()):
        return
    units, is_when = {first.unit, second.unit}, is_temporal(evidence)
    agreed = match_level(
        claim, phrase, evidence, basis, lambda word: is_when(word) or evidence.keys[word] in units
    )
    yield from findings_for(claim, phrase, agreed, _has_changed(match, first.value, second.value))


def _is_of_the_later(claim: Collection[int], evidence: Collection[int]) -> bool:
    """Whether a claim does not name the earlier of two times alone: "fell in May" where only May
    and June are known."""
    return len(claim) != 1 or max(evidence, default=None) in claim


def _months(statement: Statement) -> dict[int, int]:
    """The months by their words."""
    names = {name.lower(): month for month, name in enumerate(MONTHS)}
    return {word: names[name] for word, name in enumerate(statement.words) if name in names}


def _has_changed(match: re.Match[str], first: float, second: float) -> bool | None:
    if first == second or first <= 0 or second <= 0:
        return None
    if not match["factor"]:
        return (second > first) == bool(match["up"])
    off = second / first / _FACTORS[match["factor"].lower()]
    if match["more"] or match["almost"]:
        off = off if (match["factor"].lower() == "halved") != bool(match["almost"]) else 1 / off
        # Now "beyond" is below 1 for what has changed by more than the factor.
        return True if 1 - OTHER_RATIO < off < 1 else False if not 0.5 < off < 1.1 else None
    if abs(off - 1) <= SAME_RATIO:
        return True
    return False if not 1 - OTHER_RATIO < off < 1 / (1 - OTHER_RATIO) else None


def _change(evidence: Statement) -> tuple[Amount, Amount] | None:
    """The earlier and the later amount of a sentence with two amounts of a kind."""
    if len(evidence.amounts) != 2 or not _NO_CHANGE.isdisjoint(evidence.words):
        return None
    one, two = evidence.amounts
    if not same_kind(evidence, one, two):
        return None
    between = evidence.between(one.end - 1, two.words.start)
    moves = not _MOVES.isdisjoint(evidence.words[max(0, one.words.start - 5) : one.words.start])
    if _FROM.search(evidence.between(one.words.start - 2, one.words.start)) and moves:
        return (one, two) if between.endswith(" to ") else None
    if match := _UP_FROM.search(between):
        return (two, one) if (one.value > two.value) == (match["way"].lower() == "up") else None
    after = evidence.sentence.offsets[two.end - 1][1]
    if _AGAINST.search(between):
        earlier = _EARLIER.match(evidence.text, after)
        last = max(evidence.years.values(), default=0)
        of_last = earlier and len(evidence.years) > 1 and earlier["year"] == str(last)
        return (two, one) if earlier and not of_last else None
    if _IN_BRACKETS.fullmatch(between) and len(evidence.years) < 2:
        return two, one
    return _by_years(evidence, one, two)


def _by_years(evidence: Statement, one: Amount, two: Amount) -> tuple[Amount, Amount] | None:
    """By the years, or the months in their order, that stand beside two amounts."""
    times = evidence.years or _months(evidence)
    if len(times) != 2:
        return None
    (first, when), (second, later) = sorted(times.items())
    places = one.words.start, two.words.start
    in_turn = first < places[0] < second < places[1] or places[0] < first < places[1] < second
    if not in_turn or when == later or (when > later and not evidence.years):
        return None
    return (one, two) if when < later else (two, one)


_BASIS = re.compile(rf"\d|\b(?:{MONTH})\b|(?i:{FACTOR_CUE.pattern})")
"""What a sentence has that a rule may compare with."""

Rule = Callable[[Statement, Statement], Iterator[NumericFinding]]
RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (_SHARE, _shares),
    (BOUND_CUE, _bounds),
    (_CHANGE, _changes),
    (comparison_rules.COMPARISON_CUE, comparison_rules.comparisons),
    (comparison_rules.ORDER_CUE, comparison_rules.orders),
    (comparison_rules.RESULT_CUE, comparison_rules.results),
    (comparison_rules.VOTE_CUE, comparison_rules.votes),
    (FACTOR_CUE, factors),
    (parts.RATIO_CUE, parts.ratios),
    (parts.EACH_CUE, parts.each),
    (parts.SIBLING_CUE, parts.siblings),
)
"""What a claim has where a rule may find something, and the rule."""
