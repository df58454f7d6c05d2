"""What a judge's answer says: yes or no, a rating, or the form of a clinical protocol [FCLLM].

Pure functions from text to `Reading`. What cannot be read is an outcome, never a guess; two known
failures of judges are flagged: an answer against its own reasoning, and an omission taken for an
inconsistency. What is asked is in `prompts/`, and how often in `judge.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer comes to.

    outcome  ok, unparsable or refused
    value    in [0, 1], higher is more faithful; None unless ok
    parts    what else it says, as numbers
    quotes   for the clinical form: the summary's words said to be wrong, and the truth
    """

    outcome: Outcome
    value: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    quotes: tuple[str, str] = ("", "")


UNPARSABLE = Reading(Outcome.UNPARSABLE)

_THOUGHT = re.compile(r"^.*</think>", re.DOTALL)
_REFUSAL = re.compile(
    r"\b(?:I\s*(?:['’]m|\s+am)\s+(?:sorry|unable|not\s+able)"
    r"|I\s+(?:cannot|can\s?not|can['’]t|won['’]t|will\s+not)"
    r"|I\s+must\s+decline|as\s+an\s+AI)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\byes\b[\s\"'*.]*(?:and|or|/|&|but)[\s\"'*]*no\b|\bno\b[\s\"'*.]*(?:and|or|/|&|but)[\s\"'*]*yes\b",
    re.IGNORECASE,
)
# "no" before a further word is "no contradiction", not an answer.
_VERDICT = r"(yes\b|no\b(?!\s+\w))"
_CLOSING = re.compile(
    r"\banswer\s*(?:is|would be|should be|must be)?\s*[:=]?[\s\"'“*_`(]*"
    r"(yes\b|no\b(?!\s+(?!because|as\b|since|and\b|or\b)\w))",
    re.IGNORECASE,
)
_OPENING = re.compile(rf"^[\W_]*{_VERDICT}", re.IGNORECASE)
_LAST_LINE = re.compile(r"(?:^|\n)[\W_]*(yes|no)[\W_]*$", re.IGNORECASE)


_TAGS = re.compile(r"</?(?:document|summary)(?:-\d+)?>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """What a model wrote, without the thoughts of one that thinks first."""
    return _THOUGHT.sub("", text).strip()


def written(text: str) -> str:
    """What a model wrote, without thoughts and without the tags of the prompts."""
    return _TAGS.sub("", without_thoughts(text)).strip()


def read_verdict(text: str, reasoned: bool) -> Reading:
    """Yes (1) or no (0).

    reasoned  the answer was to close a chain of thought; else it was to be one word

    Parts: `answer`; `contradiction` 1 where the reasoning says the opposite, or two closing
    sentences differ; `omission` 1 where a "no" has only what the summary leaves out as its reason.
    The last closing sentence counts.
    """
    text = without_thoughts(text)
    found = list(_CLOSING.finditer(text))
    if not found and not reasoned and (opening := _OPENING.match(text)):
        found = [opening]
    if not found and (last := _LAST_LINE.search(text)):
        found = [last]
    if not found:
        return Reading(Outcome.REFUSED) if is_refusal(text) else UNPARSABLE
    last = found[-1]
    if _BOTH.search(text[last.start() :]):
        return UNPARSABLE
    answers = [one[1].casefold() == "yes" for one in found]
    reasoning = f"{text[: last.start()]} {text[last.end() :]}"
    says = stance(reasoning)
    contradicts = len(set(answers)) > 1 or (says is not None and says != answers[-1])
    parts = {
        "answer": float(answers[-1]),
        "contradiction": float(contradicts),
        "omission": float(not answers[-1] and blames_omission(reasoning)),
    }
    return Reading(Outcome.OK, float(answers[-1]), parts)


def is_refusal(text: str) -> bool:
    """True where a text without an answer begins by declining to give one."""
    return _REFUSAL.search(text[:200]) is not None


_NOT = r"(?:\b(?:not|no|never|nothing|without|cannot|neither)\b|n['’]t\b)"
_CLAIM = re.compile(
    rf"(?P<negated>{_NOT}[^.;:!?]{{0,30}}?)?\b(?P<word>inconsisten\w+|unsupported|unfaithful\w*|"
    r"inaccura\w+|incorrect|contradict\w*|consistent|supported|supports|faithful|accurate|correct)\b",
    re.IGNORECASE,
)
_BAD = re.compile(r"^(?:inconsisten|unsupp|unfaith|inaccur|incorrect|contradict)", re.IGNORECASE)


def stance(reasoning: str) -> bool | None:
    """What reasoning says of the summary by its last word on it: True consistent, False not, None
    where it says neither."""
    found = list(_CLAIM.finditer(reasoning))
    if not found:
        return None
    last = found[-1]
    return bool(_BAD.match(last["word"])) == bool(last["negated"])


_OMISSION = re.compile(
    r"\b(?:summary|claim|it)\b[^.]{0,40}?\b(?:omit\w*|leav\w+ out|left out|miss(?:es|ing)|lacks?|"
    r"incomplete|(?:does not|doesn['’]t|did not|fails? to|not) "
    r"(?:mention|include|say|cover|provide|capture|contain|tell)\w*)",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"contradict|incorrect|\bwrong|unsupported|"
    r"(?:document|article|source|text|abstract)\b[^.]{0,40}?\b(?:not|never|nowhere|no)\b|"
    r"not (?:in|supported by|mentioned in|stated in|found in) the",
    re.IGNORECASE,
)


def blames_omission(reasoning: str) -> bool:
    """True where reasoning holds against a summary that it leaves something out, and nothing
    else."""
    return bool(_OMISSION.search(reasoning)) and not _FAULT.search(reasoning)


_NUMBER = r"(?<![\w.,])-?\d+(?:\.\d+)?(?![\w])"
_RANGE = re.compile(rf"{_NUMBER}\s*(?:-|–|to|or|and)\s*{_NUMBER}")
_RATED = re.compile(
    rf"\b(?:rating|score|rate|number|answer)\b[^\n\d-]{{0,30}}({_NUMBER})", re.IGNORECASE
)


def read_rating(text: str, low: int, high: int) -> Reading:
    """A number of the scale, brought to [0, 1]. Outside of it, two numbers or none: unparsable.
    Parts: `rating`, the number itself."""
    text = without_thoughts(text)
    # "4 out of 5", "4/5", "80%": the end of the scale is no second number.
    text = re.sub(rf"\s*(?:/|out of)\s*{high}(?!\d)", "", text)
    if high == 100:
        text = text.replace("%", "")
    numbers = [float(one) for one in re.findall(_NUMBER, text)]
    if not numbers:
        return Reading(Outcome.REFUSED) if is_refusal(text) else UNPARSABLE
    if _RANGE.search(text):
        return UNPARSABLE
    if len(set(numbers)) > 1:
        if rated := _RATED.findall(text):
            numbers = [float(rated[-1])]
        elif not re.match(rf"^[\W_]*{_NUMBER}[\s.*]*(?:\n|$)", text):
            return UNPARSABLE
    rating = numbers[0]
    if not low <= rating <= high:
        return UNPARSABLE
    return Reading(Outcome.OK, (rating - low) / (high - low), {"rating": rating})


ELEMENTS = ("population", "intervention", "comparison", "outcomes")
_YES_NO = {"yes": 1.0, "no": 0.0}
_STRENGTH = {"strong": 4.0, "moderate": 3.0, "weak": 2.0, "no evidence": 1.0, "no claim": 0.0}
_DIRECTION = {"positive": 1.0, "no effect": 0.0, "negative": -1.0}
_ASPECTS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    **{f"{element} {what}": (f"{element}_{what}", _YES_NO)
       for element in ELEMENTS for what in ("mentioned", "consistent")},
    "strength in summary": ("strength_summary", _STRENGTH),
    "strength in abstract": ("strength_abstract", _STRENGTH),
    "strength right": ("strength_right", _YES_NO),
    "direction in summary": ("direction_summary", _DIRECTION),
    "direction in abstract": ("direction_abstract", _DIRECTION),
    "direction right": ("direction_right", _YES_NO),
    "overall": ("overall", {str(grade): float(grade) for grade in range(4)}),
}  # fmt: skip
"""A line of the form to the part it becomes, and the numbers that its words become."""

_LINE = re.compile(r"^[\W\d_]*([a-z ]+?)[\s*_]*[:=][\s*_]*(.*)$", re.IGNORECASE | re.MULTILINE)


def read_form(text: str) -> Reading:
    """The clinical form, TreatFact's protocol [FCLLM]. The value is `overall` / 3; without an
    overall grade the form is unparsable. Parts: each aspect that is filled in, under the names of
    `datasets/treatfact.py`: yes 1, no 0; strong 4, moderate 3, weak 2, no evidence 1, no claim 0;
    positive 1, no effect 0, negative -1. NA and what cannot be read is left out."""
    text = without_thoughts(text)
    lines = {name.strip().casefold(): said.strip() for name, said in _LINE.findall(text)}
    parts = {}
    for line, (part, meanings) in _ASPECTS.items():
        if (number := _meant(lines.get(line, ""), meanings)) is not None:
            parts[part] = number
    if "overall" not in parts:
        refused = not parts and is_refusal(text)
        return Reading(Outcome.REFUSED if refused else Outcome.UNPARSABLE, None, parts)
    quotes = (
        _quoted(lines.get(line, "")) for line in ("other misrepresentation", "truth in abstract")
    )
    return Reading(Outcome.OK, parts["overall"] / 3, parts, (next(quotes), next(quotes)))


def _meant(said: str, meanings: Mapping[str, float]) -> float | None:
    """The number of the one word that an entry begins with; None for NA, another word or two."""
    said = said.strip(" \"'*_.").casefold()
    found = [word for word in meanings if re.match(rf"{word}\b", said)]
    if len(found) != 1 or _BOTH.match(said) or re.match(rf"{found[0]}\s*(?:,|or|/)\s*\w", said):
        return None
    return meanings[found[0]]


def _quoted(said: str) -> str:
    found = re.search(r"[\"“](.+?)[\"”]", said)
    return found[1].strip() if found else ""
