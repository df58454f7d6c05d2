"""The user's question in a prompt ("Context: ... Question: Why did Ann leave?"): it is left out of
a source, since what it takes for granted is said by nobody.

A question with an answer after it ("Question: ... Answer: ...", as in an interview or a list of
frequent questions) stays, and so does one in a letter or a form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.sentences import ends_sentence

_MARKS = r"[ \t>#*_-]*"
_QUESTION = re.compile(
    rf"{_MARKS}(?:(?:the )?(?:user(?:'s)? )?(?:question|query)|q){_MARKS}"
    rf"(?::{_MARKS}(?P<text>.*)|$)",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    rf"{_MARKS}(?:(?:final |your )?(?:answer|response)|a){_MARKS}(?::{_MARKS}(?P<text>.*)|$)",
    re.IGNORECASE,
)
_INLINE_ANSWER = re.compile(r"\?[\s*_]+(?:answer|a):[\s*_]*(?P<text>.*)", re.IGNORECASE)
_CONTEXT = re.compile(
    rf"{_MARKS}(?:(?:(?:retrieved|provided|relevant|reference|search) )*"
    r"(?:contexts?|documents|passages|excerpts|chunks|snippets"
    r"|(?:document|passage|excerpt|chunk|snippet|source) #?\d+"
    r"|(?:retrieved|provided|relevant|reference|search) (?:text|information|sources|results))"
    rf"{_MARKS}(?::.*|$)|\[\d{{1,2}}\] .*)",
    re.IGNORECASE,
)
_SHORT = re.compile(rf"{_MARKS}q{_MARKS}:", re.IGNORECASE)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_PERSON = re.compile(
    r"\b(?:I|me|my|mine|asks|asked|called|rang|phoned|wrote|emailed|contacted|[ei]nquired)\b"
)
"""Who speaks of himself, and what is told of one who asks."""
_TAGGED = re.compile(
    r"<(?P<tag>(?:user_?)?(?:question|query))>[^<>]*</(?P=tag)>[ \t]*\n?", re.IGNORECASE
)


def without_question(text: Mapped) -> Mapped:
    """The text without the one question in it that is a user's."""
    lowered = text.text.lower()
    if not any(label in lowered for label in ("question", "query", "q:")):
        return text
    tagged = list(_TAGGED.finditer(text.text))
    if len(tagged) == 1 and "<answer" not in lowered and "<context" in lowered:
        return replace_pieces(text, [Piece("", *tagged[0].span())])
    lines = text.text.split("\n")
    asked = list(_unanswered(lines))
    if len(asked) != 1 or not _is_users(lines, *asked[0]):
        return text
    ends = [0, *accumulate(len(line) + 1 for line in lines)]
    first, end = asked[0]
    return replace_pieces(text, [Piece("", ends[first], min(ends[end], len(text.text)))])


def _unanswered(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first line and the end of each question with a label that no answer follows."""
    for first, line in enumerate(lines):
        label = _QUESTION.fullmatch(line.rstrip())
        if label is None:
            continue
        end = first + 1
        if not label["text"]:
            end += _blank_lines(lines[end:])
        while end < len(lines) and lines[end].strip() and not _begins_part(lines[end]):
            end += 1
        asked = "\n".join(lines[first:end]).rstrip(" \n*_")
        inline = _INLINE_ANSWER.search(asked)
        if not (inline["text"] if inline else _is_answered(lines, end)) and "?" in asked:
            yield first, end


def _begins_part(line: str) -> bool:
    """Whether a line begins another part of a prompt."""
    rules = (_ANSWER, _QUESTION, _CONTEXT)
    return bool(_HEADING.match(line)) or any(rule.fullmatch(line.rstrip()) for rule in rules)


def _is_answered(lines: Sequence[str], place: int) -> bool:
    """Whether an answer that is not left open begins at a line or at the blank lines before it."""
    place += _blank_lines(lines[place:])
    answer = _ANSWER.fullmatch(lines[place].rstrip()) if place < len(lines) else None
    return answer is not None and bool(answer["text"] or any(map(str.strip, lines[place + 1 :])))


def _blank_lines(lines: Sequence[str]) -> int:
    return next((place for place, line in enumerate(lines) if line.strip()), len(lines))


def _is_users(lines: Sequence[str], first: int, end: int) -> bool:
    """Whether the question is beside what it is to be answered from ("Context:"), or is the last
    paragraph of a text with finished sentences in which nobody speaks of himself or asks."""
    before, after = lines[:first], lines[end:]
    if any(_CONTEXT.fullmatch(line.rstrip()) for line in (*before, *after)):
        return True
    said = [line.strip() for line in before if line.strip()]
    if not said or lines[first - 1].strip() or not ends_sentence(said[-1]):
        return False
    is_last = not any(line.strip() and not _ANSWER.fullmatch(line.rstrip()) for line in after)
    is_told = _SHORT.match(lines[first]) or any(map(_PERSON.search, lines))
    return is_last and not is_told
