"""Numbers of a part and of a whole that are taken for each other: "6 in 10" is neither "6%" nor "6
voters", what a pair weighs is not what "each" of it weighs, and the third of five children has four
siblings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.support.statements import (
    PERCENT,
    NumericFinding,
    Statement,
    findings_for,
    match_level,
)

# Shares

_RATIO = re.compile(
    r"(?<![\w.,])(?P<part>\d+) (?P<between>in|out of) (?:every )?(?P<all>\d+)(?![\w.,-]?\d)",
    re.IGNORECASE,
)
RATIO_CUE = re.compile(r"\d")


def ratios(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "6% of voters" and "6 voters" are wrong where "6 in 10 voters" are all that is known; "out
    of 10 voters" may be a count of them."""
    matches = list(_RATIO.finditer(evidence.text))
    if len(matches) != 1 or len(claim.amounts) != 1 or _RATIO.search(claim.text):
        return
    (match,), (amount,) = matches, claim.amounts
    part, whole = float(match["part"]), float(match["all"])
    basis = evidence.words_between(*match.span())
    is_of_two = amount.is_exact and 0 < part < whole < 100 and amount.value in (part, whole)
    is_all = len(evidence.numbers) == 2 and len(claim.numbers) == 1
    if not is_of_two or not is_all or not basis:
        return
    if amount.unit == PERCENT:
        phrase = range(amount.words.start, amount.end)
    elif match["between"].lower() == "in" and amount.unit == evidence.next_key_to_match(basis.stop):
        phrase = amount.words
    else:
        return
    agreed = match_level(claim, phrase, evidence, basis)
    yield from findings_for(claim, phrase, agreed, False, in_other_words=False)


# Each of several, and all of them

EACH_CUE = re.compile(r"\beach\b", re.IGNORECASE)
_OF_EACH = re.compile(r"\b(?:each|apiece|every|per|a piece|individual(?:ly)?)\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:(?:pair|set) of|together|altogether|in (?:all|total)|combined|between them)\b",
    re.IGNORECASE,
)


def each(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "Each chair sold for 800 pounds" is wrong where "a pair of chairs sold for 800 pounds"."""
    if not _ALL.search(evidence.text) or _OF_EACH.search(evidence.text):
        return
    matches = list(EACH_CUE.finditer(claim.text))
    if len(matches) != 1 or len(claim.amounts) != 1:
        return
    (amount,) = claim.amounts
    others = [other for other in evidence.amounts if other.unit == amount.unit]
    if not amount.unit or len(others) != 1 or amount.value != others[0].value:
        return
    phrase = [*claim.words_between(*matches[0].span()), *amount.words]
    of_all = evidence.words_between(*_span(_ALL, evidence.text))
    basis = [*(word for other in evidence.amounts for word in other.words), *of_all]
    agreed = match_level(claim, phrase, evidence, basis)
    yield from findings_for(claim, phrase, agreed, False, in_other_words=False)


def _span(pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    match = pattern.search(text)
    return match.span() if match else (0, 0)


# Brothers and sisters

SIBLING_CUE = re.compile(
    r"\b(?:has|had|have|having|with) (?P<number>\d+) (?P<kin>siblings|brothers|sisters)\b",
    re.IGNORECASE,
)
_OF_CHILDREN = re.compile(
    r"\b(?:one|1|only|eldest|oldest|youngest|middle|first|second|third|fourth|fifth|sixth"
    r"|\d{1,2}(?:st|nd|rd|th)) of (?P<number>\d+) (?P<kin>children|siblings|brothers|sisters)\b",
    re.IGNORECASE,
)


def siblings(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "He had 5 siblings" is wrong where "he was the third of 5 children", 4 is right."""
    matches, others = (
        list(pattern.finditer(statement.text))
        for pattern, statement in ((SIBLING_CUE, claim), (_OF_CHILDREN, evidence))
    )
    if not len(matches) == len(others) == 1:
        return
    (match,), (other,) = matches, others
    kin = match["kin"].lower()
    if kin != other["kin"].lower() and (kin, other["kin"].lower()) != ("siblings", "children"):
        return
    number, every = int(match["number"]), int(other["number"])
    verdict = True if number == every - 1 else False if number == every else None
    phrase = claim.words_between(*match.span())
    agreed = match_level(claim, phrase, evidence, evidence.words_between(*other.span()))
    yield from findings_for(claim, phrase, agreed, verdict, in_other_words=False)
