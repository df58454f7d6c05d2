"""What a judge's answer says where it is not yes or no: a rating, or the form of a clinical
protocol [FCLLM]. Pure functions from text to `Reading`, as in `answers.py`, whose rules hold here
as well: the last rating that is given as one counts, and no other number is taken for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from faithkit.metrics.judge.answers import FREE, OPEN, OTHERS, UNPARSABLE, Reading, plain, unread
from faithkit.records import Outcome

_NUMBER = r"(?P<number>-?\d+(?:\.\d+)?)(?![\w%]|[.,]\d|-(?!star)\w|\s+of\s+\d)"
_GRADE = (
    r"(?:rating|score|grade|mark|stars|points|answer|verdict|consistency|faithfulness|result|"
    r"overall)"
)
_ABOUT = r"(?:\s+(?:a|an|about|around|therefore|thus|only))*"
_DONE = r"(?=\W*$|[.,;!\n]|\s+(?:stars?|points?|from|because|since|as|for|on|out)\b)"
"""After a number that counts nothing."""

_RATED = (
    # Rating: 4; the score is 4; "rating": 4; a score of 4; rating for consistency: 4
    rf"{OTHERS}\b{_GRADE}\b(?:\s+(?:for|of|on)\s+\w+)?[\"'”’]?[ \t]*(?:\([^)\n]*\)[ \t]*)?"
    r"(?:[:=]|[ \t][-–—](?=[ \t])|\n|\bof\b|\b(?:is|would\s+be|should\s+be|must\s+be)\b)"
    rf"{_ABOUT}(?:\s*[:=])?{OPEN}{_NUMBER}",
    # I would rate it 4; I give this summary a 4; I'd say it's about 4
    r"\bI(?:['’]d|['’]ll|\s+(?:would|will|must|can|have\s+to|therefore|thus))*\s+"
    r"(?:rate|score|grade|give|award|assign|say|choose|pick|answer|go)\b"
    rf"[^\n\d.;!?-]{{0,70}}?\b{_NUMBER}",
    # it deserves a 4; the summary is a 4; it is rated 4; can be rated as 4
    r"\b(?:it|this|summary)\s+(?:deserves|gets|merits|earns|receives|scores)"
    rf"(?:\s+(?:a|an|rating|score|of))*{OPEN}{_NUMBER}{_DONE}",
    rf"\b(?:it|this|summary)\s+is\s+an?\s+{_NUMBER}{_DONE}",
    rf"\brated(?:\s+(?:as|at|a|an|with|of))*\s+{_NUMBER}",
    # 90% consistent
    rf"\b{_NUMBER}\s+(?:percent\s+)?(?:consistent|faithful|accurate)\b",
    # a line or a last sentence of its own
    rf"[.!)]\s+{_NUMBER}\W*$",
    rf"(?:^|(?<=\n))(?:- )?[^\w\n-]*{_NUMBER}(?:[-\s]*(?:stars?|points?))?[^\w\n]*(?=\n|$)",
)
_RATINGS = [re.compile(pattern, re.IGNORECASE) for pattern in _RATED]
_OPENING = re.compile(
    rf"(?:- )?[^\w\n-]*(?:[Aa]n?\s+)?{_NUMBER}"
    r"(?=\s*$|[ \t]*[.,:;!()–—\n-]|[-\s]+(?:because|since|as|stars?|points?)\b)"
)
_RANGE = re.compile(r"\s*(?:-|–|—|to|or|and|but)\s*\d", re.IGNORECASE)
_SCALE = r"\s*(?:/|\(?(?:out\s+)?of)\s*"
"""Between a rating and the end of its scale: "4/5", "4 out of 5"."""
_OTHER_SCALE = re.compile(rf"{_SCALE}\d", re.IGNORECASE)


def read_rating(text: str, low: int, high: int) -> Reading:
    """A number of the scale, brought to [0, 1]; the last that is given as the rating. Outside of
    the scale, on another one ("8/10" of 100), a range or none: unparsable. Parts: `rating`, the
    number itself."""
    text = plain(text)
    # "4 out of 5", "4/5", "80%": the end of the scale is no second number; nor is the scale itself.
    text = re.sub(rf"(?:from\s+)?(?<![\w.]){low}\s*(?:-|–|—|to)\s*{high}(?![\w%])", "", text)
    # After a number only: "a rating of 5" is one.
    text = re.sub(
        rf"(\d(?:[-\s]*(?:stars?|points?))?){_SCALE}{high}(?:\.0)?(?!\.?\d)",
        r"\1",
        text,
        flags=re.IGNORECASE,
    )
    if high == 100:
        text = text.replace("%", "")
    ratings = sorted(
        (match for pattern in _RATINGS for match in pattern.finditer(text)
         if not match.groupdict().get("other")),
        key=lambda match: match.start("number"),
    )  # fmt: skip
    opening = _OPENING.match(text)
    if not ratings and opening and not _is_listed(text, opening):
        ratings = [opening]
    if not ratings:
        return unread(text)
    rating, end = float(ratings[-1]["number"]), ratings[-1].end("number")
    if _RANGE.match(text, end) or _OTHER_SCALE.match(text, end) or not low <= rating <= high:
        return UNPARSABLE
    return Reading(Outcome.OK, (rating - low) / (high - low), {"rating": rating})


def _is_listed(text: str, opening: re.Match[str]) -> bool:
    """True where the number that opens a text counts the items of a list."""
    following = int(float(opening["number"])) + 1
    return text.startswith((".", ")"), opening.end("number")) and bool(
        re.search(rf"\n\s*{following}[.)]", text)
    )


# --- the clinical form -------------------------------------------------------------------------

ELEMENTS = ("population", "intervention", "comparison", "outcomes")
_YES_NO = {"yes": 1.0, "no": 0.0}
_STRENGTH = {"strong": 4.0, "moderate": 3.0, "weak": 2.0, "no evidence": 1.0, "no claim": 0.0}
_DIRECTION = {"positive": 1.0, "no effect": 0.0, "negative": -1.0}
_ASPECTS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    **{f"{element} {aspect}": (f"{element}_{aspect}", _YES_NO)
       for element in ELEMENTS for aspect in ("mentioned", "consistent")},
    "strength in summary": ("strength_summary", _STRENGTH),
    "strength in abstract": ("strength_abstract", _STRENGTH),
    "strength right": ("strength_right", _YES_NO),
    "direction in summary": ("direction_summary", _DIRECTION),
    "direction in abstract": ("direction_abstract", _DIRECTION),
    "direction right": ("direction_right", _YES_NO),
    "overall": ("overall", {str(grade): float(grade) for grade in range(4)}),
}  # fmt: skip
"""A line of the form to the part it becomes, and the numbers that its words become."""

_LINE = re.compile(
    r"^[\W\d]*([a-z ]+?)(?:\s(?:grade|rating|score))?[\"'\s]*(?:\([^)\n]*\)\s*)?"
    r"(?:[:=|]|\s[-–—]\s)[ \t]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)


def read_form(text: str) -> Reading:
    """The clinical form, TreatFact's protocol [FCLLM]. The value is `overall` / 3; without an
    overall grade the form is unparsable. Parts: each aspect that is filled in, under the names of
    `datasets/treatfact.py`: yes 1, no 0; strong 4, moderate 3, weak 2, no evidence 1, no claim 0;
    positive 1, no effect 0, negative -1. NA and what cannot be read is left out."""
    # Every key of a JSON on a line of its own, as in the form.
    text = re.sub(r",\s*(?=\")", "\n", plain(text))
    parts: dict[str, float] = {}
    lines: dict[str, str] = {}
    for name, entry in _LINE.findall(text):
        line = " ".join(name.casefold().split())
        lines.setdefault(line, entry)
        if line in _ASPECTS:
            part, meanings = _ASPECTS[line]
            # Words after the form ("Overall: it is fine") fill in nothing.
            if (number := _number_of_word(entry, meanings)) is not None:
                parts[part] = number
    if "overall" not in parts:
        return Reading(unread(text).outcome if not parts else Outcome.UNPARSABLE, None, parts)
    quotes = (
        _quoted(lines.get(line, "")) for line in ("other misrepresentation", "truth in abstract")
    )
    return Reading(Outcome.OK, parts["overall"] / 3, parts, (next(quotes), next(quotes)))


def _number_of_word(entry: str, meanings: Mapping[str, float]) -> float | None:
    """The number of the one word that an entry begins with; None for NA, another word or two."""
    entry = entry.strip(" \"'.|")
    entry = re.sub(r"^(\d)\.0(?!\d)", r"\1", entry)
    entry = re.sub(rf"^(\d){_SCALE}3\b(?!\.\d)", r"\1", entry, flags=re.IGNORECASE)
    if re.match(rf"\d(?:[.,]\d|{_SCALE}\d)", entry, re.IGNORECASE):
        return None  # between two grades, or on another scale
    choices = "|".join(meanings)
    match = re.match(rf"({choices}){FREE}", entry, re.IGNORECASE)
    if not match:
        return None
    rest = entry[match.end() :]
    if re.match(
        rf"[\s\"']*(?:,|or|and|/|&|to|-|–)[\s\"']*(?:{choices}){FREE}", rest, re.IGNORECASE
    ):
        return None
    return meanings[match[1].casefold()]


def _quoted(entry: str) -> str:
    match = re.search(r"[\"“](.+?)[\"”]", entry)
    return match[1].strip() if match else ""
