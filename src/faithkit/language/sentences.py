"""Sentences of a text, with character offsets: by spaCy's splitting model, which loads on first use
(`sentences`), or by rule (`closed_sentences`, `source_sentences`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from faithkit.language import pipeline
from faithkit.language.calendar_words import SHORT_WEEKDAYS
from faithkit.language.layout.headings import heading_of_fragments
from faithkit.language.lexicon import (
    ABBREVIATIONS,
    AFTER_HOURS,
    BEFORE_TAXES,
    CHAT_ABBREVIATIONS,
    CLOSING_ABBREVIATIONS,
    CLOSING_DOSES,
    CURRENCY_CODES,
    HOUR_ABBREVIATIONS,
    LETTERED,
    NAME_ABBREVIATIONS,
    NUMBER_ABBREVIATIONS,
    SENTENCE_STARTERS,
    SMALL_ABBREVIATIONS,
    UNIT_LETTERS,
    UNITS_WITH_POINT,
)
from faithkit.language.speech.conversations import alternating_speakers
from faithkit.language.speech.dialogues import (
    parse_opening,
    speakers_from_openings,
    unrecognised_openings,
)
from faithkit.language.speech.letters import letter_writers
from faithkit.language.speech.signatures import letter_signers
from faithkit.language.words import Segment

if TYPE_CHECKING:
    from spacy.language import Language

SPLITTER = "en_core_web_sm-3.8.0/senter+turns"
"""Names the sentence splitter in a signature; change it when the rules below change."""

CLOSED_SPLITTER = "closed-7"
"""Names the rules of `closed_sentences` and `source_sentences`; change it when they change."""


_BLANK_LINE = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


# A new line begins a sentence where a speaker's turn ("Anna:", "DR. LEE:") or a bullet begins; any
# other single line end may be a hard-wrapped line, so the splitting model decides.
TURN = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}:\s"
"""How a speaker's turn begins: "Anna: ", "DR. LEE: "."""

_LINE_START = re.compile(rf"\n(?=[ \t]*(?:{TURN}|[-*•] |#+ ))")


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[Segment, ...]:
    """Sentences without the white space around them. Blank lines, speakers' turns and bullets
    always begin one; inside a paragraph the model decides."""
    blocks = list(_split_blocks(text))
    documents = _sentence_model().pipe(block.text for block in blocks)
    pieces = [
        _strip_segment(text, block.start + sentence.start_char, block.start + sentence.end_char)
        for block, document in zip(blocks, documents, strict=True)
        for sentence in document.sents
    ]
    return tuple(sentence for sentence in pieces if sentence.text)


# Possessive, and from the first mark on only: a row of 50,000 points takes no time.
_STOP = r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+"

_END = rf"{_STOP}(?=\s)"

_OPENING, _QUOTES = "(\"'“‘[", "\"'”’"

_CLOSED_END = re.compile(rf"{_END}|\n")

_CLOSED_END_IN_PARAGRAPH = re.compile(_END)

_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]", re.IGNORECASE)

_NEXT_WORD = re.compile(r"\s+\(?(\w+)")


def closed_sentences(text: str) -> tuple[Segment, ...]:
    """Sentences by rule: one ends with ".", "!", "?" or "…" (and the quotes and brackets after it)
    before white space, or at a line's end, but neither with an abbreviation's point nor with a
    quotation (`"Stop!" she cried.`) after which the sentence goes on in small letters. So what is
    appended after any other finished sentence never changes the ones before it, which a splitting
    model does not promise. White space around a sentence is left out."""
    return tuple(_split_by_rule(text, 0, len(text), _CLOSED_END))


@lru_cache(maxsize=512)
def source_sentences(text: str) -> tuple[Segment, ...]:
    """Sentences by the rule of `closed_sentences`, but for lines: a blank line, a speaker's turn or
    a bullet ends one, and any other line end may be that of a hard-wrapped line. It needs no
    splitting model, so a single check starts at once."""
    return tuple(
        piece
        for block in _split_blocks(text)
        for piece in _split_by_rule(text, block.start, block.end, _CLOSED_END_IN_PARAGRAPH)
    )


def turns(pieces: Sequence[Segment]) -> list[str]:
    """[sentences], the speaker whose turn a sentence opens; "" for a sentence that opens none, and
    for all in a text that is no dialogue (`dialogues.speakers_from_openings`). Paragraphs in a row
    that open alike count once: they may be items of one list with their label (`labels.py`)."""
    openings = [parse_opening(piece.text) for piece in pieces]
    repeats = [
        place > 0
        and opening is not None
        and opening == openings[place - 1]
        and pieces[place].start - pieces[place - 1].end > 1
        for place, opening in enumerate(openings)
    ]
    distinct = [
        None if is_repeated else opening
        for opening, is_repeated in zip(openings, repeats, strict=True)
    ]
    names = speakers_from_openings(distinct, len(pieces) - sum(repeats))
    for place in range(1, len(names)):
        if repeats[place]:
            names[place] = names[place - 1]
    return names


def speakers(pieces: Sequence[Segment], text: str) -> list[str]:
    """[sentences], the speaker of each sentence that continues a turn; "" for a sentence that opens
    one. After a line that may open a turn, but whose name is not recognised
    (`dialogues.unrecognised_openings`), it is what stands before the colon, if there is one. In
    texts that are no dialogue: the writer of a letter, the speaker of an unattributed quotation, or
    the heading of a fragment."""
    openers, texts = turns(pieces), [piece.text for piece in pieces]
    if not any(openers):
        if any(writers := letter_writers(texts)):
            return writers
        candidates = zip(
            letter_signers(texts),
            alternating_speakers(pieces, text),
            heading_of_fragments(pieces, text),
            strict=True,
        )
        return [signer or person or heading for signer, person, heading in candidates]
    continuing: list[str] = []
    speaker = ""
    for name, unrecognised in zip(openers, unrecognised_openings(texts, openers), strict=True):
        speaker = (name or speaker) if unrecognised is None else unrecognised
        continuing.append("" if name or unrecognised is not None else speaker)
    return continuing


def speaker_at(text: str, place: int) -> str:
    """Who speaks at a character of a dialogue whose sentence does not open a turn; else ""."""
    index = bisect_right(source_sentences(text), place, key=lambda piece: piece.start) - 1
    return _all_speakers(text)[index] if index >= 0 else ""


@lru_cache(maxsize=16)
def _all_speakers(text: str) -> tuple[str, ...]:
    return tuple(speakers(source_sentences(text), text))


NEAR = 100
"""Characters after the end of a sentence in which a next word begins."""


def _split_by_rule(text: str, start: int, end: int, rule: re.Pattern[str]) -> list[Segment]:
    sentences: list[Segment] = []
    for match in rule.finditer(text, start, end):
        if not _sentence_goes_on(text, start, match, end):
            sentences.append(_strip_segment(text, start, match.end()))
            start = match.end()
    sentences.append(_strip_segment(text, start, end))
    return [sentence for sentence in sentences if sentence.text]


def _sentence_goes_on(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether the sentence from `start` goes on after the marks of a match."""
    marks = match.group()
    following = _NEXT_WORD.match(text, match.end(), min(end, match.end() + NEAR))
    if marks == ".":
        return _is_abbreviation(text[start : match.end()], following[1] if following else "")
    if marks == ".)":
        *_, word = ["", *text[start : match.start()].rsplit(maxsplit=1)]
        word = word.lstrip(_OPENING).lower()
        is_listed = word in ABBREVIATIONS or _DOTTED.fullmatch(word) is not None
        return is_listed and following is not None and not following[1][0].isupper()
    if match.start() > start and marks in ("...", "…") and text[match.start() - 1].isspace():
        return following is not None and following[1][0].islower()
    if marks[-1] in _QUOTES and marks.rstrip(_QUOTES) != ".":
        return following is not None and following[1][0].islower()
    return False


_AT_END = re.compile(rf"{_STOP}\Z")


def ends_sentence(text: str) -> bool:
    """Whether a text without blanks at its end ends with a finished sentence."""
    stop = _AT_END.search(text)
    return stop is not None and (stop.group() != "." or not _is_abbreviation(text))


def _is_abbreviation(text: str, following: str = "") -> bool:
    """Whether the point at the end of a text is an abbreviation's and ends no sentence before the
    word that follows; of the text only its last two words are read."""
    *before, written = text.rsplit(maxsplit=2)[-2:]
    previous = before[0] if before else ""
    written = written[:-1].lstrip(_OPENING)
    word = written.lower()
    if following[:1].isdigit() and _comes_before_number(written, previous):
        return True
    if _ROMAN.fullmatch(following) and word != "no" and word in NUMBER_ABBREVIATIONS:
        return True
    if word in _POINTED_SCALES and following.lower() in CURRENCY_CODES:
        return True
    begins_sentence = following[:1].isupper() and following.lower() in SENTENCE_STARTERS
    if written in NAME_ABBREVIATIONS:
        return following[:1].isupper() and not begins_sentence
    if following[:1].islower() and word in UNITS_WITH_POINT and previous[-1:].isdigit():
        return True
    if len(word) == 1 and "a" <= word <= "z":
        return not (begins_sentence or (following[:1].isupper() and _is_label(written, previous)))
    if word in SMALL_ABBREVIATIONS and (written == word or word[:3] in _DAYS):
        return not following[:1].isupper() or (word in BEFORE_TAXES and following.isupper())
    if word in HOUR_ABBREVIATIONS or word in CLOSING_DOSES:
        return not begins_sentence and not (following[:1].isupper() and _ends_time(word, following))
    if word in CLOSING_ABBREVIATIONS or written == "al" or _DOTTED.fullmatch(word):
        return not begins_sentence or word in ABBREVIATIONS
    if following[:1].isupper() and (begins_sentence or not written[:1].isupper()):
        return word in ABBREVIATIONS
    return word in ABBREVIATIONS or _has_no_vowel(written, previous)


_ROMAN = re.compile("[VX]|[IVXLC]{2,}")
_POINTED_SCALES = frozenset(["mio", "mrd"])
"""Scales after which the currency stands: "1.5 Mio. EUR"."""
_DAYS = frozenset(day.lower() for day in SHORT_WEEKDAYS)
_NO_VOWEL = re.compile(r"[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]{1,4}")


def _has_no_vowel(written: str, previous: str) -> bool:
    """Whether a word has no vowel, as abbreviations have none ("Cllr", "tbsp"); a unit after a
    number may end a sentence ("5 km"), and so may what chats write ("thx")."""
    if _NO_VOWEL.fullmatch(written) is None or written.lower() in CHAT_ABBREVIATIONS:
        return False
    return not previous[-1:].isdigit()


def _comes_before_number(written: str, previous: str) -> bool:
    """Whether a word is an abbreviation before a number ("cl. 4.2"): a listed one, or a short one
    without a vowel that is no unit."""
    if written.lower() in NUMBER_ABBREVIATIONS or written in NAME_ABBREVIATIONS:
        return True
    return _has_no_vowel(written, previous)


def _is_label(letter: str, previous: str) -> bool:
    """Whether a single letter is a label ("Plan B") or a unit ("230 V"), and no initial."""
    number = previous.lstrip(_OPENING)
    is_year = len(number) == 4 and number.isdigit()
    is_unit = number[-1:].isdigit() and not is_year and letter in UNIT_LETTERS
    return is_unit or number.lower() in LETTERED


def _ends_time(word: str, following: str) -> bool:
    """Whether a sentence ends between "p.m." or "b.d." and a word with a capital."""
    is_zone = following.isupper() and len(following) < 5
    return word in CLOSING_DOSES or not (is_zone or following in AFTER_HOURS)


def _split_blocks(text: str) -> Iterator[Segment]:
    """Paragraphs and turns, each short enough for spaCy."""
    starts = [0]
    for pattern in (_BLANK_LINE, _LINE_START):
        starts += [match.end() for match in pattern.finditer(text)]
    starts = sorted(set(starts))
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield from pipeline.blocks(text, start, end)


def _strip_segment(text: str, start: int, end: int) -> Segment:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Segment(start, end, text[start:end])


@lru_cache(maxsize=1)
def _sentence_model() -> Language:
    model = pipeline.load(
        exclude=("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner")
    )
    model.enable_pipe("senter")
    return model
