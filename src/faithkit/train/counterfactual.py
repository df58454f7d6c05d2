"""Rows beside edited sources: the same claim occurs with both labels, so that it does not help to
learn claims by heart [Kaushik et al. 2020, counterfactually augmented data; Longpre et al. 2021,
§3, entities substituted in the source].

Renamed: words that a source shares with its claims are replaced by others throughout the source. A
claim that is renamed with it keeps its labels; one that is not is unsupported in these words.
Exchanged: where a supported claim and its changed copy differ in a phrase that the source has, a
source with the two phrases exchanged supports the copy and not the claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.words import Segment, words
from faithkit.models.protocols import Floats
from faithkit.support.encoders import read_tokenizer, read_words
from faithkit.support.sentences import stem
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

COUNTERFACTUAL = "counterfactual"
"""The file of rows beside edited sources."""

REPLACED = 0.15
"""Share of the words that a source has in common with its claims that is replaced."""

RENAMED_TOO = 0.5
"""Share of the claims that are renamed with their source."""

NEAREST, FARTHEST = 3, 25
"""Ranks of the words that replace a word, by the cosine of their vectors: nearer ones often mean
the same, farther ones nothing like it."""

LONGEST_PHRASE = 4
"""Words of a phrase that is exchanged."""

_DIGITS = re.compile(r"\d{1,4}")
_LETTERS = re.compile(r"[a-z]{3,}")
_POSSESSIVE = re.compile(r"['’]s?$")
_ENDINGS = ("ing", "ed", "ly", "est", "er", "s")
_CLOSED = tuple(
    text.split()
    for text in (
        "two three four five six seven eight nine ten eleven twelve twenty thirty",
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april june july august september october november december",
    )
)
"""Words that another of the same list replaces."""

_SOURCES = 3
"""Sources in which a word occurs in small letters that is no name."""


class Alternatives:
    """Words that can stand in a word's place, by the vectors of an encoder's vocabulary.

    vocabulary  the encoder's pieces and their numbers
    vectors     [pieces, width]
    names       names, as they are written; one replaces a name that the vocabulary does not have
    common      words that occur in small letters: no names
    """

    def __init__(
        self, vocabulary: Mapping[str, int], vectors: Floats, names: Sequence[str],
        common: frozenset[str],
    ) -> None:  # fmt: skip
        self._names, self.common = sorted(set(names)), common
        known = {name.casefold() for name in names} | common
        known -= STOP_WORDS
        pieces = [piece for piece in vocabulary if _LETTERS.fullmatch(piece) and piece in known]
        centred = vectors[[vocabulary[piece] for piece in pieces]].astype(np.float32)
        centred -= centred.mean(axis=0)
        self._unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
        self._pieces, self._row = pieces, {piece: row for row, piece in enumerate(pieces)}
        self._found: dict[str, list[str]] = {}

    def of(self, word: str, random: Random) -> str | None:
        """Another word of the kind of this one, which is in small letters, or None."""
        for closed in _CLOSED:
            if word in closed:
                return random.choice([other for other in closed if other != word])
        if _DIGITS.fullmatch(word):
            return _other_number(word, random)
        if word not in self._row:
            return None if word in self.common else random.choice(self._names).casefold()
        if word not in self._found:
            order = np.argsort(-(self._unit @ self._unit[self._row[word]]))
            near = [self._pieces[row] for row in order[1 : 4 * FARTHEST]]
            self._found[word] = [near_one for near_one in near if self._is_like(word, near_one)]
        near = self._found[word][NEAREST:FARTHEST]
        return random.choice(near) if near else None

    def _is_like(self, word: str, other: str) -> bool:
        """Whether both are names or neither is, with one ending and not one stem."""
        same_kind = (word in self.common) == (other in self.common)
        return same_kind and _ending(word) == _ending(other) and stem(word) != stem(other)


def alternatives_of(encoder: Path, rows: Iterable[Labelled]) -> Alternatives:
    """The alternatives in the vocabulary of an encoder, and the names in the rows' sources. Raises
    ModelError where it is no BERT or MPNet."""
    vectors = read_words(encoder)[:]
    return Alternatives(read_tokenizer(encoder).vocabulary, vectors, *words_of_rows(rows))


def _ending(word: str) -> str:
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "")


def _other_number(digits: str, random: Random) -> str | None:
    """Another number of as many digits; of a year one within twelve years."""
    value = int(digits)
    reach = 12 if 1900 <= value <= 2100 else max(3, value * 2 // 5)
    near = range(max(0, value - reach), value + reach + 1)
    others = [str(n) for n in near if n != value and len(str(n)) == len(digits)]
    return random.choice(others) if others else None


class _Word(NamedTuple):
    """A word of a text, and what is looked up of it: in small letters and without "'s"."""

    start: int
    end: int
    text: str
    key: str


def _words(text: str) -> list[_Word]:
    return [_word(found) for found in words(text)]


def _word(found: Segment) -> _Word:
    plain = _POSSESSIVE.sub("", found.text)
    return _Word(found.start, found.start + len(plain), plain, plain.casefold())


def words_of_rows(rows: Iterable[Labelled]) -> tuple[list[str], frozenset[str]]:
    """The names in the rows' sources, and the words that occur in small letters."""
    sources = dict.fromkeys(row.source for row in rows)
    every = Counter(text for source in sources for text in {word.text for word in _words(source)})
    common = frozenset(
        word for word, count in every.items() if count >= _SOURCES and _LETTERS.fullmatch(word)
    )
    names = [word for word in every if word.istitle() and word.isalpha() and len(word) > 2]
    return sorted(word for word in names if word.casefold() not in common), common


def counterfactual_rows(
    rows: Sequence[Labelled], alternatives: Alternatives, seed: int, versions: int
) -> list[Labelled]:
    """The claims of the rows beside edited sources: each source is renamed so many times, and every
    pair of a claim and its copy that allows it has its phrases exchanged."""
    by_source: dict[str, list[Labelled]] = {}
    for row in rows:
        if row.target is not None and not row.context:
            by_source.setdefault(row.source, []).append(row)
    made: list[Labelled] = []
    for source, claims in by_source.items():
        for version in range(versions):
            random = Random(f"{seed} {version} {source}")
            made += _beside_renamed(source, claims, alternatives, random)
        made += exchanged_rows(claims)
    return made


def _beside_renamed(
    source: str, claims: Sequence[Labelled], alternatives: Alternatives, random: Random
) -> Iterator[Labelled]:
    other = _renaming(source, claims, alternatives, random)
    if not other:
        return
    edited = _renamed(source, other)
    in_source = {word.key for word in _words(source)}
    for claim in claims:
        found = [word for word in _words(claim.summary) if word.key in other]
        if not found:
            continue
        if random.random() >= RENAMED_TOO:
            yield _without_support(claim, edited, [(word.start, word.end) for word in found])
        elif not any(word.key in other and word.key.isdigit() for word in found) or all(
            word.key in in_source for word in _words(claim.summary) if word.key.isdigit()
        ):
            yield _renamed_row(claim, edited, other)


def _renaming(
    source: str, claims: Sequence[Labelled], alternatives: Alternatives, random: Random
) -> dict[str, str]:
    """What some of the words that the source shares with its claims are replaced by. A word of
    which there is another form ("ship", "ships") is not replaced."""
    of_source, of_claims = _words(source), [w for row in claims for w in _words(row.summary)]
    forms: dict[str, set[str]] = {}
    for word in [*of_source, *of_claims]:
        forms.setdefault(stem(word.key), set()).add(word.key)
    small = {word.key for word in of_source if word.text[:1].islower()}
    names = {w.key for w in of_source if w.text[:1].isupper()} - alternatives.common
    shared = sorted({word.key for word in of_source} & {word.key for word in of_claims})
    usable = [
        word
        for word in shared
        if word not in STOP_WORDS
        and len(forms[stem(word)]) == 1
        and (word.isdigit() or word in small or word in names)
    ]
    picked = random.sample(usable, min(len(usable), max(2, round(REPLACED * len(usable)))))
    present = {word.key for word in of_source} | {word.key for word in of_claims}
    other = {word: alternatives.of(word, random) for word in picked}
    return {word: new for word, new in other.items() if new and new not in present}


def _renamed(text: str, other: Mapping[str, str]) -> str:
    """The text with its words replaced."""
    return "".join(piece for piece, _ in _pieces(text, other))


def _pieces(text: str, other: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Pieces of the text with its words replaced, and where each began in the text."""
    end = 0
    for word in _words(text):
        if word.key in other:
            yield text[end : word.start], end
            new = other[word.key]
            is_shouted = word.text.isupper() and len(word.text) > 1
            yield (
                (
                    new.upper()
                    if is_shouted
                    else new.capitalize()
                    if word.text[:1].isupper()
                    else new
                ),
                word.start,
            )
            end = word.end
    yield text[end:], end


def _renamed_row(claim: Labelled, source: str, other: Mapping[str, str]) -> Labelled:
    """The claim with its words replaced, and its labels where they are then."""
    place = np.zeros(len(claim.summary) + 1, dtype=np.int64)
    text = ""
    for piece, start in _pieces(claim.summary, other):
        place[start:] = len(text) + np.minimum(np.arange(len(place) - start), len(piece))
        text += piece
    labels = tuple((int(place[a]), int(place[b]), share) for a, b, share in claim.labels)
    return replace(claim, file=COUNTERFACTUAL, source=source, summary=text, labels=labels, pair="")


def _without_support(claim: Labelled, source: str, places: Sequence[tuple[int, int]]) -> Labelled:
    """The claim beside a source that does not have its words at these places."""
    labels = (*claim.labels, *((start, end, 1.0) for start, end in places))
    target = UNSUPPORTED if claim.is_supported else claim.target
    return replace(claim, file=COUNTERFACTUAL, source=source, labels=labels, target=target, pair="")


@dataclass(frozen=True, slots=True)
class _Difference:
    """A phrase of a claim, what its copy has in its place, and where in the claim it is."""

    phrase: str
    copy: str
    start: int
    end: int


def exchanged_rows(claims: Sequence[Labelled]) -> Iterator[Labelled]:
    """For each supported claim of a source and each changed copy of it that differs in a phrase, or
    in two that changed places, both beside a source with the phrases exchanged."""
    pairs: dict[str, list[Labelled]] = {}
    for row in claims:
        if row.pair and row.target is not None and (row.is_supported or not row.target[0]):
            pairs.setdefault(row.pair, []).append(row)
    for rows in pairs.values():
        for claim in (row for row in rows if row.is_supported):
            for copy in (row for row in rows if not row.is_supported):
                found = _differences(claim.summary, copy.summary)
                if edited := _exchanged(claim.source, claim.summary, found):
                    places = [(one.start, one.end) for one in found]
                    yield _without_support(claim, edited, places)
                    labels = ((0, len(copy.summary), 0.0),)
                    yield replace(
                        copy, file=COUNTERFACTUAL, source=edited, labels=labels, target=ENTAILED,
                        pair="",
                    )  # fmt: skip


def _differences(claim: str, copy: str) -> list[_Difference]:
    first, second = words(claim), words(copy)
    matcher = SequenceMatcher(
        None, [w.text for w in first], [w.text for w in second], autojunk=False
    )
    return [
        _Difference(
            claim[first[a].start : first[b - 1].end] if a < b else "",
            copy[second[c].start : second[d - 1].end] if c < d else "",
            first[a].start if a < b else 0,
            first[b - 1].end if a < b else 0,
        )
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _exchanged(source: str, claim: str, found: Sequence[_Difference]) -> str | None:
    """The source with the phrases of a difference exchanged; None where that says nothing about
    the claim, or more than the difference."""
    if not found or len(found) > 2 or (len(found) == 2 and found[0].phrase != found[1].copy):
        return None
    if len(found) == 2 and found[0].copy != found[1].phrase:
        return None
    one, two = found[0].phrase, found[0].copy
    keys = [[word.key for word in _words(text)] for text in (one, two)]
    has_content = all(any(key not in STOP_WORDS for key in each) for each in keys)
    if not (one and two and has_content) or max(map(len, keys)) > LONGEST_PHRASE:
        return None
    other = {one.casefold(): two, two.casefold(): one}
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, other))})(?!\w)", re.IGNORECASE)
    in_source = {match.group().casefold() for match in pattern.finditer(source)}
    if one.casefold() not in in_source or len(pattern.findall(claim)) != len(found):
        return None
    return pattern.sub(lambda match: other[match.group().casefold()], source)
