"""How much of the summary is copied: novel n-grams and sentences, extractive coverage and density
(Grusky et al. 2018), conciseness. Shallow features, also those of [STRESS §3]; no model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from faithkit.language.mapped import Mapped, Piece, identity_map, is_mark, replace_pieces
from faithkit.language.sentences import CLOSED_SPLITTER, closed_sentences
from faithkit.language.words import Segment, words
from faithkit.metrics.base import Metric
from faithkit.records import Coverage, Example, Outcome, Score, Span, scored, unscored

Words = Sequence[str]


def ngrams(tokens: Words, n: int) -> list[tuple[str, ...]]:
    """All n-grams in order, repeats kept."""
    return list(zip(*(tokens[i:] for i in range(n)), strict=False))


def novel_share(summary: Words, source: Words, n: int) -> float | None:
    """Share of the summary's n-grams that the source lacks; None with fewer than n words."""
    grams = ngrams(summary, n)
    if not grams:
        return None
    in_source = set(ngrams(source, n))
    return sum(gram not in in_source for gram in grams) / len(grams)


def fragments(summary: Words, source: Words) -> list[int]:
    """Lengths of the extractive fragments: from left to right, the longest run of summary words
    that occurs in the source (Grusky et al. 2018, figure 3)."""
    places: dict[str, list[int]] = {}
    for position, word in enumerate(source):
        places.setdefault(word, []).append(position)
    lengths: list[int] = []
    start = 0
    while start < len(summary):
        longest = 0
        for index in places.get(summary[start], ()):
            # A run that cannot beat the longest is not followed, so repeats cost little.
            end = start + longest
            if end >= len(summary) or index + longest >= len(source):
                continue
            if source[index + longest] != summary[end]:
                continue
            length = 0
            while (
                start + length < len(summary)
                and index + length < len(source)
                and summary[start + length] == source[index + length]
            ):
                length += 1
            longest = max(longest, length)
        if longest:
            lengths.append(longest)
        start += max(longest, 1)
    return lengths


class Novelty(Metric):
    """Value: the share of the summary's word pairs that occur in the source. Parts: novel 1-
    to 4-gram and sentence ratios, coverage, density, conciseness (source words / summary words).
    Words are compared in lower case, in whichever form their accents and apostrophes are written.
    """

    name = "novelty"
    bounds = (0.0, 1.0)
    marks_words = False
    unit = "share of the summary's word pairs that also occur in the source"
    limitations = (
        "Measures copying, not truth: copied words in another place count as supported, and a "
        "faithful paraphrase counts against its summary."
    )
    splitter = CLOSED_SPLITTER

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        read = _unified(example.summary)
        source_text = _unified(example.source).text
        source = [word.text.lower() for word in _plain(source_text)]
        segments = _plain(read.text)
        summary = [word.text.lower() for word in segments]
        split = closed_sentences(read.text)
        coverage = Coverage(
            source_tokens=len(source), summary_tokens=len(summary), summary_sentences=len(split)
        )
        if not source or not summary:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        shares = {n: novel_share(summary, source, n) for n in range(1, 5)}
        copied = fragments(summary, source)
        flat = _flat(source_text)
        parts = {f"novel_{n}gram": share for n, share in shares.items() if share is not None}
        parts["novel_sentence"] = sum(_flat(s.text) not in flat for s in split) / len(split)
        parts["coverage"] = sum(copied) / len(summary)
        parts["density"] = sum(length**2 for length in copied) / len(summary)
        parts["conciseness"] = len(source) / len(summary)
        in_source = set(source)
        spans = [
            Span(*read.span(word.start, word.end), "novel")
            for word in segments
            if word.text.lower() not in in_source
        ]
        pairs = shares[2]
        # One word has no pair: then the word itself is looked for.
        copied_share = 1.0 - (pairs if pairs is not None else parts["novel_1gram"])
        return scored(example, self.name, copied_share, parts=parts, spans=spans, coverage=coverage)


_APOSTROPHES = str.maketrans(dict.fromkeys("‘’‛ʼ′´＇", "'"))


def _unified(text: str) -> Mapped:
    """The text with letters and their marks composed (NFC) and one form of apostrophe."""
    text = text.translate(_APOSTROPHES)
    if unicodedata.is_normalized("NFC", text):
        return identity_map(text)
    pieces = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and is_mark(text[end]):
            continue
        word = text[start:end]
        composed = unicodedata.normalize("NFC", word)
        if composed != word:
            pieces.append(Piece(composed, start, end, whole=True))
        start = end
    return replace_pieces(identity_map(text), pieces)


def _plain(text: str) -> list[Segment]:
    return [word for word in words(text) if word.text[0].isalnum()]


def _flat(text: str) -> str:
    """Words joined by single spaces, so that quotes and spacing do not make a sentence novel."""
    return " ".join(["", *re.findall(r"\w+", text.lower()), ""])
