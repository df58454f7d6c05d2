"""A sentence as the support model reads it: in its normalised form, in words with their kinds, and
in the encoder's tokens. Sentences of summaries and of sources are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

import numpy as np

from faithkit.language import reading
from faithkit.language.inflection import verb_of
from faithkit.language.layout.chat_words import CHAT_WORDS
from faithkit.language.lexicon import (
    ACRONYMS,
    BEFORE_TIMES,
    COORDINATORS,
    LETTERED,
    META_TEXT_WORDS,
    NAMES_IN_S,
    NEGATIONS_AND_MODALS,
    STOP_WORDS,
    SURNAMES,
    TEXTS,
)
from faithkit.language.mapped import Mapped
from faithkit.language.sentences import closed_sentences, ends_sentence, source_sentences, speakers
from faithkit.language.words import Segment, words
from faithkit.models.protocols import Bools, Ints
from faithkit.models.wordpiece import Encoding, WordPiece
from faithkit.support.copies import decorations, is_same_case, words_and_signs

LONGEST = 160
"""Tokens of the longest sentence that is read as it is; a longer one is read in several pieces."""

HEADLINE_LETTERS, HEADLINE_WORDS = 4, 4
"""A sentence of so many words of so many letters, all of them with a capital, is a headline."""

MIN_SHARED_WORDS = 3
"""Content words that a sentence shares with one of the source, from which it makes a claim."""

_OF_PATIENT = re.compile(r"(?:the|this|a) patient\b", re.IGNORECASE)
_OF_NARRATOR = re.compile(r"the narrator\b(?!['’])", re.IGNORECASE)
_WORD_CHARACTER = re.compile(r"\w")
_CLAUSE_END = re.compile("[,;:–—]")
_PLAIN_NUMBER = re.compile(r"\d+(?:,\d{2,3})*(?:\.\d+)?(?:st|nd|rd|th)?")
_CLOSERS = "\"'’”)]%"
_POSSESSIVE = re.compile(r"['’]s?$")

_BRITISH_ISE = re.compile(r"(?<=\w{3})([iy])s(e|ed|es|ing|ations?)$")
_BRITISH_OUR = re.compile(r"(?<=\w{2})our")

_stemming = Lock()
"""Held while a word is stemmed: the stemmer is for one thread at a time."""


class Kind(IntEnum):
    """Word class, as the network's feature code distinguishes it."""

    FUNCTION = 0
    CONTENT = 1
    NUMBER = 2
    NAME = 3


@dataclass(frozen=True)
class Sentence:
    """A sentence in words and tokens; punctuation is no word. Its tokens are found when they are
    asked for, since of most sentences of a source they never are.

    start, end  characters in the text
    form        its normalised form (`reading.read`), with the places the characters come from
    offsets     [words, 2], characters in the form
    keys        [words], the stem, of a number its value, of a code such as "B12" or a time all of
                it: equal keys are the same word
    kinds       [words], a `Kind` each
    tokenizer   the encoder's
    named       words at its beginning that are the name of who speaks it, and not its own
    """

    start: int
    end: int
    form: Mapped
    offsets: tuple[tuple[int, int], ...]
    keys: tuple[str, ...]
    kinds: Ints
    tokenizer: WordPiece
    named: int = 0

    @cached_property
    def _tokens(self) -> Encoding:
        return self.tokenizer.encode(self.form.text)

    @cached_property
    def ids(self) -> Ints:
        """[tokens], the encoder's, without special tokens."""
        return np.array(self._tokens.ids, dtype=np.int64)

    @cached_property
    def owner(self) -> Ints:
        """[tokens], the word that a token belongs to, -1 of punctuation."""
        owner = np.full(len(self._tokens.ids), -1, dtype=np.int64)
        i = 0
        for token, (start, end) in enumerate(self._tokens.offsets):
            while i < len(self.offsets) and self.offsets[i][1] <= start:
                i += 1
            if i < len(self.offsets) and self.offsets[i][0] < end:
                owner[token] = i
        return owner

    @cached_property
    def wording(self) -> tuple[str, ...]:
        """[its own words and signs], as they are written in its form, in small letters."""
        own = self.offsets[self.named :]
        return words_and_signs(self.form.text, own, own[0][0] - 1 if self.named else 0)

    def is_copy_of(self, other: Sentence) -> bool:
        """Whether a sentence with the same wording differs from the other in typography alone: its
        pictures are the other's, or one of them has none, and no capital says something else."""
        pictures, others = decorations(self.form.text), decorations(other.form.text)
        if pictures and others and pictures != others:
            return False
        return is_same_case(self._written, other._written)

    @property
    def _written(self) -> list[str]:
        return [self.form.text[start:end] for start, end in self.offsets[self.named :]]

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """[words], as written in its form, in small letters and without "'s"; of a number its
        key."""
        return tuple(
            key
            if kind == Kind.NUMBER
            else _POSSESSIVE.sub("", self.form.text[start:end]).casefold()
            for key, kind, (start, end) in zip(self.keys, self.kinds, self.offsets, strict=True)
        )

    @cached_property
    def has_capital(self) -> Bools:
        """[words], whether a word that is no number begins with a capital."""
        text = self.form.text
        capital = [text[start].isupper() for start, _ in self.offsets]
        with_capital: Bools = np.array(capital, dtype=np.bool_) & (self.kinds != Kind.NUMBER)
        return with_capital

    @property
    def clauses(self) -> Ints:
        """[words], the number of the clause that a word is in: one begins after a comma, a
        semicolon, a colon or a dash, and with "and", "but", "or" or "nor"."""
        text, ends = self.form.text, [0, *(end for _, end in self.offsets)]
        begins = [
            _CLAUSE_END.search(text, end, start) is not None
            or text[start:stop].lower() in COORDINATORS
            for end, (start, stop) in zip(ends, self.offsets, strict=False)
        ]
        return np.cumsum(begins)

    @property
    def content(self) -> Bools:
        """[words], whether a word is none of the function words."""
        content: Bools = self.kinds != Kind.FUNCTION
        return content

    @property
    def checkable(self) -> Bools:
        """[words], whether a word can be wrong by itself: one with content, a number, a negation
        or a modal verb."""
        spans = self.offsets
        written = [
            self.form.text[start:end].casefold() in NEGATIONS_AND_MODALS for start, end in spans
        ]
        return self.content | np.array(written, dtype=np.bool_)

    def is_meta_statement(self, in_source: Ints) -> bool:
        """Whether it only talks about a text or a summary ("the document discusses"): it names one,
        and all its content words are such talk. A text that the source has a word for may be one
        that the source tells of ("The report was accurate."), so that is a claim.

        in_source  [words], whether the source has the word anywhere
        """
        texts, talk = _talk_stems()
        content = {key for key, kind in zip(self.keys, self.kinds, strict=True) if kind}
        in_both = {key for key, occurs in zip(self.keys, in_source, strict=True) if occurs}
        named = content & texts
        return bool(named) and content <= talk and named.isdisjoint(in_both)

    def is_surely_claim(self, shared: Bools) -> bool:
        """Whether it surely makes a claim, whatever leads it in ("The gist is that ..."): a
        sentence of the evidence has OWN_WORDS of its content words that are no such talk, or it
        tells of a patient, of whom notes say but "62F", or of the narrator ("The narrator was
        nine."), in words that are no talk about a text.

        shared  [evidence, words], whether an evidence sentence has the word
        """
        if _OF_PATIENT.match(self.form.text):
            return True
        talk = _lead_in_stems()
        own = self.content & np.array([key not in talk for key in self.keys], dtype=np.bool_)
        if _OF_NARRATOR.match(self.form.text):
            return bool(own[2:].any())
        return bool((shared & own).sum(axis=1).max(initial=0) >= MIN_SHARED_WORDS)

    def char_offsets(self) -> Ints:
        """[words, 2], characters of each word in the text."""
        spans = [self.form.span(start, end) for start, end in self.offsets]
        return self.start + np.array(spans, dtype=np.int64).reshape(-1, 2)


def read_sentences(
    pieces: Sequence[Segment], tokenizer: WordPiece, speakers: Sequence[str] = ()
) -> list[Sentence]:
    """The pieces in order; one without a word is left out, one of more than LONGEST tokens is read
    in pieces that end between words.

    speakers  of each piece, whose name is read before it ("": nobody's); none: of no piece
    """
    read: list[Sentence] = []
    for piece, speaker in zip(pieces, speakers or [""] * len(pieces), strict=True):
        sentence = _sentence(piece, tokenizer, speaker)
        if len(sentence.keys) <= sentence.named:
            continue
        parts = _halves(piece) if _is_too_long(sentence) else []
        names = [speaker] * len(parts)
        read += read_sentences(parts, tokenizer, names) if parts else [sentence]
    return read


def read_source(text: str, tokenizer: WordPiece, *, named: bool = False) -> list[Sentence]:
    """The sentences of a source.

    named  whether each sentence of a dialogue is read with who speaks it (`sentences.speakers`):
           a turn's later sentences do not say so themselves
    """
    pieces = source_sentences(text)
    return read_sentences(pieces, tokenizer, speakers(pieces, text) if named else ())


def read_summary(text: str, tokenizer: WordPiece) -> list[Sentence]:
    """The sentences of a summary, each with a mark at its end, so that a point that is left out
    makes no difference."""
    return list(map(_with_mark, read_sentences(closed_sentences(text), tokenizer)))


def _with_mark(sentence: Sentence) -> Sentence:
    """A sentence that ends with a word, or with what closes a quote or a bracket, with a point."""
    text, starts, ends = sentence.form
    if not text or ends_sentence(text) or not (text[-1].isalnum() or text[-1] in _CLOSERS):
        return sentence
    form = Mapped(f"{text}.", [*starts, starts[-1]], [*ends, ends[-1]])
    return replace(sentence, form=form)


def _is_too_long(sentence: Sentence) -> bool:
    """Whether it has more than LONGEST tokens; of most it is seen without them, since a token has
    at least one character (outside ASCII one may be several after folding)."""
    text = sentence.form.text
    if text.isascii() and len(text) - text.count(" ") <= LONGEST:
        return False
    return len(sentence.ids) > LONGEST


def _halves(piece: Segment) -> list[Segment]:
    """The piece cut at the white space that is nearest to its middle, which is left out, or in the
    middle where it has none; empty where it is a single character."""
    text, middle = piece.text, len(piece.text) // 2
    if not middle:
        return []
    blanks = [match.start() for match in re.finditer(r"\s", text)]
    cut = min(blanks, key=lambda place: abs(place - middle), default=middle) or middle
    start, second = piece.start, text[cut:].lstrip()
    return [
        Segment(start, start + cut, text[:cut]),
        Segment(piece.end - len(second), piece.end, second),
    ]


def _before(name: str, form: Mapped) -> Mapped:
    """A form with a name before it that is mapped to the form's first character."""
    size = len(name)
    first, end = form.span(0, 1)
    return Mapped(name + form.text, [first] * size + [*form.starts], [end] * size + [*form.ends])


def _sentence(piece: Segment, tokenizer: WordPiece, speaker: str = "") -> Sentence:
    form = reading.read(piece.text)
    named = 0
    if speaker and form.text:
        form = _before(f"{speaker}: ", form)
        named = sum(bool(_WORD_CHARACTER.search(word.text)) for word in words(f"{speaker}: "))
    tokens = words(form.text)
    own = [word for word in tokens if _WORD_CHARACTER.search(word.text)]
    values = {word.start: value for word, value in reversed(reading.values(form.text, tokens))}
    lower = [word.text.lower().replace("’", "'") for word in own]
    capitals = _tell_names([word.text for word in own])
    kinds = []
    for i, word in enumerate(own):
        is_name = capitals and i > 0 and word.text[0].isupper()
        is_function = (
            lower[i] in STOP_WORDS
            and not (is_name and _names(own, lower, i))
            and not (i > 0 and _is_label(form.text, word, lower[i - 1]))
        )
        is_number = word.start in values
        kinds.append(_kind(is_number=is_number, is_function=is_function, is_name=is_name))
    return Sentence(
        piece.start,
        piece.end,
        form,
        tuple((word.start, word.end) for word in own),
        tuple(
            _number_key(word.text, values[word.start]) if word.start in values else stem(low)
            for word, low in zip(own, lower, strict=True)
        ),
        np.array(kinds, dtype=np.int64),
        tokenizer,
        named,
    )


def _number_key(word: str, value: str) -> str:
    """The key of a word with a number: its value where nothing else in the word can be wrong, as in
    "1,200", else all of it. A hyphen in a code may be left out, a zero before digits may not."""
    word = _POSSESSIVE.sub("", word)
    is_padded = len(word) > 1 and word[0] == "0" and word.isdigit()
    if word.isalpha() or (_PLAIN_NUMBER.fullmatch(word) and not is_padded):
        return value
    return word.casefold().replace("-", "")


def _tell_names(words: Sequence[str]) -> bool:
    """Whether the capitals of a sentence's words say which are names: not in capitals or in a
    headline, where every longer word after the first has one."""
    longer = [word for word in words[1:] if len(word) >= HEADLINE_LETTERS and word[0].isalpha()]
    is_headline = len(longer) >= HEADLINE_WORDS and all(word[0].isupper() for word in longer)
    return not (is_headline or " ".join(words).isupper())


def _names(tokens: Sequence[Segment], lower: Sequence[str], index: int) -> bool:
    """Whether the word at this index, which has a capital and is spelled like a function word, is a
    name: "WHO" in capitals, "May" beside a number or after a word that a time follows, and "More"
    after a first name."""
    before, after = lower[index - 1 : index], lower[index + 1 : index + 2]
    if lower[index] == "may":
        by_number = any(word[0].isdigit() for word in [*before, *after])
        return by_number or not BEFORE_TIMES.isdisjoint(before)
    if lower[index] in SURNAMES:
        return tokens[index - 1].text.istitle() and STOP_WORDS.isdisjoint(before)
    return tokens[index].text.isupper() and lower[index] in ACRONYMS


def _is_label(text: str, word: Segment, before: str) -> bool:
    """Whether a word that is spelled like a function word is a label: the letter of "hepatitis A"
    and "section 4(2)(a)", the grade of "It was A.", or an acronym alone in brackets, "(ALL)".

    before  the word before it, in small letters
    """
    in_brackets = text[word.start - 1 : word.start] + text[word.end : word.end + 1] == "()"
    if in_brackets and len(word.text) == 1:
        return text[word.start - 2 : word.start - 1] in (")", *"0123456789") or before in LETTERED
    if in_brackets:
        return word.text.isupper()
    if word.text == "A" and text[word.end : word.end + 1] in ("", *".,;:!?)"):
        return True
    return word.text in ("A", "S", "T") and before in LETTERED


def _kind(*, is_number: bool, is_function: bool, is_name: bool) -> Kind:
    if is_number:
        return Kind.NUMBER
    if is_function:
        return Kind.FUNCTION
    return Kind.NAME if is_name else Kind.CONTENT


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The word's stem (Snowball): an irregular verb's form is that of the verb, spelling variants
    with "-ise" and "our" are one, in every inflection ("colours", "favourite", "organisations").
    "Carlos" is not "Carlo"."""
    plain = verb_of(word.replace("’", "'").removesuffix("'s").removesuffix("'"))
    if plain in NAMES_IN_S:
        return plain
    plain = _BRITISH_OUR.sub("or", _BRITISH_ISE.sub(r"\1z\2", plain))
    with _stemming:
        return str(_stemmer().stemWord(plain)) or word


@lru_cache(maxsize=1)
def _talk_stems() -> tuple[frozenset[str], frozenset[str]]:
    """Stems of `lexicon.TEXTS` and of `lexicon.META_TEXT_WORDS`."""
    return frozenset(map(stem, TEXTS)), frozenset(map(stem, META_TEXT_WORDS))


@lru_cache(maxsize=1)
def _lead_in_stems() -> frozenset[str]:
    """Stems of what talk around a summary and about a text is made of."""
    return frozenset(map(stem, CHAT_WORDS | META_TEXT_WORDS))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english", 0)  # without a memory: `stem` has one
