"""Grades with another sign than in the evidence: "A" where it has "A*", "AA+" where it has "AA-".
In the form of a sentence they are words, "A-star" (`language.notations.grades`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from faithkit.models.protocols import Bools
from faithkit.support.sentences import Sentence

_GRADE = re.compile(r"(?P<letters>[A-F]|AAA?|BBB?|CCC?)(?P<sign>-(?:plus|minus|star))?")
_ENDS = re.compile(
    r"$|[.,;:!?)]|[\"']| (?:after|and|at|by|for|from|in|on|or|to|while|with)\b|\W*→| \|"
)
"""What stands after a grade without a sign: "A" is mostly the article."""
_BEFORE = re.compile(
    r"\b(?:an?|got|grade[sd]?|mark|outlook|rat(?:ed|ings?)|rat(?:ed|es) it|scored?|was|is|to|from)"
    r"[: ]+$",
    re.IGNORECASE,
)


def in_other_grade(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is a grade whose letters the evidence has as a grade, but
    nowhere with this sign or without one."""
    changed = np.zeros(len(claim.keys), dtype=np.bool_)
    own = list(_grades(claim))
    others = [grade for sentence in evidence for _, *grade in _grades(sentence)] if own else []
    for word, letters, sign in own:
        signs = {other for same, other in others if same == letters}
        changed[word] = bool(signs) and sign not in signs
    return changed


def _grades(sentence: Sentence) -> Iterator[tuple[int, str, str]]:
    """The grades of a sentence: the word, its letters, and its sign, "" of none."""
    text = sentence.form.text
    for word, (start, end) in enumerate(sentence.offsets):
        match = _GRADE.fullmatch(text, start, end)
        if match is None:
            continue
        is_sure = match["sign"] or len(match["letters"]) > 1
        if is_sure or (_ENDS.match(text, end) and _BEFORE.search(text, max(0, start - 20), start)):
            yield word, match["letters"], match["sign"] or ""
