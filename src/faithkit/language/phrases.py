"""What chat models put around a summary ("Sure!", "Here is a summary of the article:", "I hope this
helps!"): it states nothing of the source, so it is left out before a summary is read.

A sentence is such a phrase only where it begins like one and has no word outside a closed list, so
that no claim goes with it ("Let me know if Anna was arrested." stays). Each sentence is judged by
itself, so text that is appended changes nothing before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.lexicon import CHAT_WORDS
from faithkit.language.mapped import Mapped, Piece, replaced, stripped
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment

_SUMMARY = (
    r"(?:summar(?:y|ies|i[sz]\w+)|overview|recap|synopsis|rundown|gist|outline|points|takeaways|"
    r"highlights)"
)
_SAYING = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|absolutely|definitely|ok(?:ay)?|alright|great|got it|"
    r"understood|no problem|(?:i(?:'m| am|'d be| would be) )?(?:glad|happy) to help|"
    r"you(?:'re| are)(?: very)? welcome|thank(?:s| you)(?: (?:so|very) much)?|"
    r"have a (?:great|nice|good) day)(?!\w)[ ,.!-]*",
    re.IGNORECASE,
)
"""A sentence by itself, or the beginning of another phrase."""

_BEGINNING = re.compile(
    rf"""here(?:'s|[ ]is|[ ]are|[ ]you[ ]go)\b
    | (?:this|below|above|the[ ]following|what[ ]follows|based[ ]on
        |as[ ](?:you[ ])?(?:requested|asked)|i|i'll|i've|let[ ]me|we
        |the[ ]\w+[ ](?:can|may|could)[ ]be)\b .* \b{_SUMMARY}\b
    | (?:(?:a|an|the|my|your)[ ])? (?:[\w-]+[ ])? {_SUMMARY}\b (?![ ](?:is|are|was|has|can)\b)
    | (?:i[ ])? (?:really[ ])? hope\b
    | (?:please[ ])? (?:just[ ]|do[ ])? (?:feel[ ]free|let[ ]me[ ]know|ask)\b
    | if[ ](?:you|there|this|it)\b .* \b(?:let[ ]me[ ]know|ask|happy|glad|help|free)\b
    | is[ ]there[ ](?:anything|something)[ ](?:else|more)\b
    | (?:would|do)[ ]you[ ](?:like|want|need|prefer)\b
    | i(?:'m|[ ]am|'d[ ]be|[ ]would[ ]be)[ ](?:happy|glad|here)\b | does[ ]this[ ]help\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a longer phrase begins."""

_LABEL = re.compile(
    rf"""(?: tl[ ]?;[ ]?dr | tldr | (?:[a-z-]+[ ])?summary | {_SUMMARY} | conclusion | answer
        | response | output | abstract
        | (?:main|key|bullet)[ ](?:points?|takeaways?|ideas?|facts?|findings?|highlights?)
      ) (?:[ ]?:|[ ]-)(?:\s+|$)
    | (?: in[ ](?:summary|short|brief|conclusion|a[ ]nutshell|sum|essence) | briefly | overall
        | to[ ](?:sum(?:[ ]it)?(?:[ ]all)?(?:[ ]up)?|summari[sz]e|conclude|recap) | summing[ ]up
        | all[ ]in[ ]all
      ) [ ]?[:,](?:\s+|$)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What may precede a claim in its sentence."""

_HEADING = re.compile(
    r"(?:tl ?; ?dr|tldr|conclusion|(?:main|key) (?:ideas?|facts?|findings?))$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d]+")


def without_phrases(text: Mapped) -> Mapped:
    """The text without these phrases; a sentence that had one before it begins with a capital."""
    pieces = [piece for sentence in closed_sentences(text.text) for piece in _left_out(sentence)]
    return stripped(replaced(text, pieces)) if pieces else text


def _left_out(sentence: Segment) -> Iterator[Piece]:
    """Nothing, in place of a sentence that is a phrase or of the phrases it begins with."""
    start, rest = sentence.start, sentence.text
    while length := _phrase(rest):
        start, rest = start + length, rest[length:]
    if start > sentence.start:
        yield Piece("", sentence.start, start)
        if rest and len(rest[0].upper()) == 1:
            yield Piece(rest[0].upper(), start, start + 1)


def _phrase(text: str) -> int:
    """Characters of the phrase that a sentence begins with, blanks after it included; 0 for
    none."""
    if _is_phrase(text):
        return len(text)
    if label := _LABEL.match(text):
        return label.end()
    ends = (colon.end() for colon in re.finditer(r":\s+", text[:200]))
    return next((end for end in ends if _is_phrase(text[:end])), 0)


def _is_phrase(text: str) -> bool:
    plain = text.strip("\"'()[]*-: .!?")
    if not plain or not all(word in CHAT_WORDS for word in _WORD.findall(plain.lower())):
        return bool(_HEADING.match(plain))
    saying = _SAYING.match(plain)
    rest = plain[saying.end() :] if saying else plain
    return not rest or bool(_BEGINNING.match(rest) or _HEADING.match(rest))
