"""Edits of a summary that change its form only: order, casing, white space, quotes, contractions,
dates, and a further sentence that the source says word for word [STRESS].

Each is `edit(summary, source, random) -> str | None`, None where it does not apply. What needs the
parse to change words or clauses is in `wording.py`; the table of all edits is in `edits.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from random import Random

from faithkit.language.calendar_words import MONTHS
from faithkit.language.lexicon import word_set
from faithkit.language.sentences import sentences
from faithkit.language.words import Segment, content_words
from faithkit.rewrites.parsed import Parsed, has_quotes, is_clause, read, usable


@lru_cache(maxsize=256)
def parsed(text: str) -> tuple[Parsed, ...]:
    """The sentences of a text with their parse."""
    return tuple(read([(sentence.start, sentence.text) for sentence in sentences(text)]))


_CLOSED = re.compile(r"[.!?…][\s\"'”’)\]]*$")


def changed(new: str, summary: str) -> str | None:
    return None if new == summary else new


# Order

_LEANING = word_set(
    "but and or so yet also then later however meanwhile afterwards instead therefore thus "
    "nevertheless still moreover furthermore besides another other others both such same latter "
    "former this that these those earlier previously subsequently since"
)
_SUBJECTS = word_set("nsubj nsubjpass csubj expl")
_PERSONS = word_set("he she him her his hers himself herself")
_THINGS = word_set("they them their theirs themselves it its itself")


def leans(sentence: Parsed) -> bool:
    """Whether it may need the sentence before it: a verb without a subject, a connective or
    "another" among its first words, or a pronoun before anything that it could stand for."""
    tokens = sentence.tokens
    if tokens[sentence.root].pos == "VERB" and not sentence.deps(sentence.root) & _SUBJECTS:
        return True
    if {token.text.lower() for token in tokens[:3] if token.tag != "IN"} & _LEANING:
        return True
    named = noun = False
    for token in tokens:
        lower = token.text.lower()
        if (lower in _PERSONS and not named) or (lower in _THINGS and not noun):
            return True
        named |= token.pos == "PROPN"
        noun |= token.pos in ("PROPN", "NOUN")
    return False


def shuffled(summary: str, _source: str, random: Random) -> str | None:
    """The sentences shuffled. One that leans on the sentence before it stays after it, and
    the first, which tells what it is about, stays first where there are three such groups; two
    change places unless the second begins with what the first brought in ("The man", "Mr Lee")."""
    sentences = parsed(summary)
    if not all(_CLOSED.search(sentence.text) for sentence in sentences):
        return None
    blocks: list[list[Parsed]] = []
    for sentence in sentences:
        if blocks and leans(sentence):
            blocks[-1].append(sentence)
        else:
            blocks.append([sentence])
    if len(blocks) < 2 or leans(sentences[0]):
        return None
    if len(blocks) == 2 and blocks[1][0].tokens[0].text in ("The", "Mr", "Mrs", "Ms"):
        return None
    kept = 1 if len(blocks) > 2 else 0
    order = list(range(len(blocks)))
    while order == sorted(order):
        order = order[:kept] + random.sample(order[kept:], len(blocks) - kept)
    texts = [sentence.text for index in order for sentence in blocks[index]]
    gaps = [summary[first.end : second.start] or " " for first, second in pairwise(sentences)]
    return "".join(part for pair in zip(texts, [*gaps, ""], strict=True) for part in pair)


# An irrelevant sentence

_NEEDS_CONTEXT = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|these|those|such|another|"
    r"i|me|my|we|us|our|you|your|here|latter|former|same|also|however|pictured|left|right|above|below)\b"
    r"|^(?:that|but|and|or|so|yet|then|later|however|meanwhile|there|instead|still|while)\b",
    re.IGNORECASE,
)

_MOST_OVERLAP = 1 / 3
"""Share of its content words that a sentence may have in common with the summary."""


def irrelevant_added(summary: str, source: str, _random: Random) -> str | None:
    """Appends the source sentence that shares the fewest words with the summary, among those that
    can be understood alone, without pronouns or quotations."""
    if not _CLOSED.search(summary):
        return None
    content = content_words(summary)
    candidates = [
        sentence
        for sentence in sentences(source)
        if _stands_alone(sentence) and _overlap(sentence.text, content) <= _MOST_OVERLAP
    ]
    for sentence in sorted(candidates, key=lambda s: (_overlap(s.text, content), s.start)):
        if is_clause(read([(0, sentence.text)])[0]):
            return f"{summary.rstrip()} {sentence.text}"
    return None


def _stands_alone(sentence: Segment) -> bool:
    text = sentence.text
    return usable(text) and not has_quotes(text) and not _NEEDS_CONTEXT.search(text)


def _overlap(text: str, other: set[str]) -> float:
    content = content_words(text)
    return len(content & other) / len(content) if content else 1.0


# Casing and white space


def lower_case(summary: str, _source: str, _random: Random) -> str | None:
    """No capitals, save in words with two of them ("NATO", "US")."""
    lower = re.sub(
        r"\b\w[\w.]*",
        lambda m: m[0] if len(re.findall(r"[A-Z]", m[0])) > 1 else m[0].lower(),
        summary,
    )
    return changed(lower, summary)


def headline_case(summary: str, _source: str, _random: Random) -> str | None:
    """Every word of more than three letters with a capital, as in a headline."""
    return changed(
        re.sub(r"(?<![\w'’])[a-z](?=[a-z]{3})", lambda m: m[0].upper(), summary), summary
    )


def wide_spaces(summary: str, _source: str, _random: Random) -> str | None:
    """Two blanks wherever there is white space."""
    return changed(re.sub(r"\s+", "  ", summary.strip()), summary)


# Quotes

_STRAIGHT = str.maketrans("“”‘’", "\"\"''")


def other_quotes(summary: str, _source: str, _random: Random) -> str | None:
    """Straight quotes and apostrophes become curly; where there are only curly ones, straight."""
    if re.search(r"[\"'`]", summary):
        return _curly(summary)
    return changed(summary.translate(_STRAIGHT), summary)


def _curly(text: str) -> str:
    text = text.replace("``", '"').replace("''", '"').replace("`", "‘")
    parts: list[str] = []
    inside = {'"': False, "'": text.startswith("‘")}
    for index, letter in enumerate(text):
        if letter == "‘":
            inside["'"] = True
        if letter not in "\"'":
            parts.append(letter)
            continue
        before, after = text[:index], text[index + 1 :]
        opening = _opens(letter, before, after, inside[letter])
        if letter == '"' or opening or not _is_apostrophe(before, after):
            inside[letter] = opening
        parts.append(("“" if opening else "”") if letter == '"' else ("‘" if opening else "’"))
    return "".join(parts)


def _opens(letter: str, before: str, after: str, inside: bool) -> bool:
    if letter == "'" and _is_apostrophe(before, after):
        return False
    spaced_before = not before or before[-1].isspace() or before[-1] in "([“‘-–—"
    spaced_after = not after or after[0].isspace()
    if spaced_before != spaced_after:
        return spaced_before
    if letter == "'" and not inside and re.search(r"s\s$", before):
        return False  # "Wiggins ' record"
    return spaced_before and not inside


def _is_apostrophe(before: str, after: str) -> bool:
    if re.match(r"\d\ds?\b", after) and not before[-1:].isalnum():
        return True
    if re.match(r"(?:s|re|m|ll|ve|d|t)\b", after) and before.strip():
        return before[-1:].isalpha() or before[-1:].isspace()
    return before[-1:].isalnum() and after[:1].isalnum()


# Contractions

_NOT_SUBJECT = r"(?! (?:he|she|it|they|we|you|I)\b)"
_HELPERS = "did|does|do|is|are|was|were|has|have|had|would|could|should|must|need"
_APOSTROPHE = "['’]"
_EXPANDED = (
    (rf"\b({_HELPERS}) ?n{_APOSTROPHE}t\b{_NOT_SUBJECT}", r"\1 not"),
    (rf"\b([Cc])a ?n{_APOSTROPHE}t\b{_NOT_SUBJECT}", r"\1annot"),
    (rf"\b([Ww])o ?n{_APOSTROPHE}t\b{_NOT_SUBJECT}", r"\1ill not"),
    (rf"\b(I) ?{_APOSTROPHE}m\b", r"\1 am"),
    (rf"\b([Yy]ou|[Ww]e|[Tt]hey) ?{_APOSTROPHE}re\b", r"\1 are"),
    (rf"\b(I|[Yy]ou|[Ww]e|[Tt]hey) ?{_APOSTROPHE}ve\b", r"\1 have"),
    (rf"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t) ?{_APOSTROPHE}ll\b", r"\1 will"),
    (
        rf"\b([Hh]e|[Ss]he|[Ii]t|[Tt]here|[Tt]hat|[Ww]hat) ?{_APOSTROPHE}s"
        r"(?= (?:been|got|had|become)\b)",
        r"\1 has",
    ),
    (
        rf"\b([Hh]e|[Ss]he|[Ii]t|[Tt]here|[Tt]hat|[Ww]hat) ?{_APOSTROPHE}s"
        r"(?= (?:an?|the|not|no|now|very|too|in|on|at|to|\w+ing)\b)",
        r"\1 is",
    ),
)
_CONTRACTED = (
    (rf"\b((?i:{_HELPERS})) not\b(?! (?:only|just|to)\b|-)", r"\1n't"),
    (r"\b([Cc])an ?not\b(?! (?:only|just|help but)\b)", r"\1an't"),
    (r"\b([Ww])ill not\b(?! (?:only|just)\b)", r"\1on't"),
    (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]here) is(?= [a-z])", r"\1's"),
    (r"\b([Yy]ou|[Ww]e|[Tt]hey) are(?= [a-z])", r"\1're"),
    (r"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he) will(?= [a-z])", r"\1'll"),
)


def contractions(summary: str, _source: str, _random: Random) -> str | None:
    """ "didn't" becomes "did not", all of them; where there is none, "did not" becomes "didn't"."""
    for patterns in (_EXPANDED, _CONTRACTED):
        new = summary
        for pattern, replacement in patterns:
            new = re.sub(pattern, replacement, new)
        if new != summary:
            return new
    return None


# Dates

_MONTH = "|".join(
    [name for name in MONTHS if name not in ("March", "May")]
    + [name.lower() for name in MONTHS if name not in ("March", "May")]
    + ["March", "May"]
)
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_RANGE = (
    r"(?! ?(?:[-–/:%]|(?:and|to|or|until) (?:the )?\d|million|billion|per|[ap]\.?m\b)|[.,]\d|\w)"
)
_MONTH_FIRST = re.compile(
    rf"(?<![-–/])\b(?P<month>{_MONTH}) {_DAY}{_RANGE}(?: ?, {_YEAR}(?![\w-]))?(?! , \d| ?, \d)"
)
_DAY_FIRST = re.compile(
    r"(?<![-–/:.,$£€])(?<!\d and )(?<!\d to )(?<!\d - )(?<!th and )\b(?P<the>[Tt]he )?"
    rf"\b{_DAY}(?P<of> of)? (?P<month>{_MONTH})\b(?! ?[-–/])(?: {_YEAR}(?![\w-])(?P<next> \w)?)?"
)


def dates(summary: str, _source: str, _random: Random) -> str | None:
    """ "May 29, 1943" becomes "29 May 1943", all of them; where there is none, the other way."""
    if _MONTH_FIRST.search(summary):
        return _MONTH_FIRST.sub(_with_day_first, summary)
    return changed(_DAY_FIRST.sub(_with_month_first, summary), summary)


def _with_day_first(match: re.Match[str]) -> str:
    return " ".join(part for part in match.group("day", "month", "year") if part)


def _with_month_first(match: re.Match[str]) -> str:
    the = match["the"] or ""
    if the and match["year"]:
        return match[0]
    date = f"{'' if match['of'] else the}{match['month']} {int(match['day'])}"
    if not match["year"]:
        return date
    return f"{date}, {match['year']}" + (f",{match['next']}" if match["next"] else "")
