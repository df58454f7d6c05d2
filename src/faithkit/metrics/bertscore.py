"""BERTScore of the summary against its source (Zhang et al. 2020; settings of [MFAS §3.1]).

Greedy matching of contextual token vectors. Two ways to encode the source: sentence by sentence
(the default: nothing is truncated, and each sentence is encoded once however many summaries it
serves), or as one document, as the `bert-score` package and the code released with [MFAS] do,
truncation included.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np

from faithkit.language.sentences import SPLITTER
from faithkit.language.words import Segment, has_word, is_content, words
from faithkit.metrics.align import COSINES, precision_recall_f1
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import map_in_chunks
from faithkit.metrics.marks import best_matches, sentences_or_whole
from faithkit.metrics.options import check_range
from faithkit.metrics.overlap import Measure
from faithkit.metrics.plain import language_of, reads_its_language
from faithkit.models.protocols import Floats, Ints, TokenEncoder, TokenStates
from faithkit.records import (
    ConfigError,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    scored,
    unscored,
)

# Below it a content word has no match, by encoder and layer. The best F1 against the
# words that an edit of bump1 put in is at 0.53 (bench/layers.py); a little lower marks fewer, so
# that what is marked deserves a look: on the first 50 documents of xsumfaith_dev 0.45 marks 8% of
# the content words, of which two of three annotators doubted 71% (0.53: 17%, 68%; bench/words.py).
THRESHOLDS = {("mini", 5): 0.45}
OTHER_THRESHOLD = 0.45


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text's tokens: unit vectors [tokens, width], character offsets [tokens, 2], weights
    [tokens] (0 for special tokens), and the first token of each of its sentences."""

    vectors: Floats
    offsets: Ints
    weights: Floats
    starts: tuple[int, ...]
    pieces: tuple[Segment, ...]
    cut: int


@dataclass(frozen=True, slots=True)
class Match:
    """Greedy match of a summary's tokens with a source's.

    word_similarity  [summary tokens], each token's best similarity in the source
    best_token       [summary tokens], where
    by_sentence      [summary tokens, source sentences], the best within each sentence
    """

    precision: float
    recall: float
    word_similarity: Floats
    best_token: Ints
    by_sentence: Floats


def match(summary: Tokens, source: Tokens) -> Match:
    """BERTScore's precision and recall, weighted by the tokens' weights. Cosines in [-1, 1].
    Both sides must have a token of positive weight."""
    similarity = np.clip(summary.vectors @ source.vectors.T, -1.0, 1.0)
    best_summary = similarity.max(axis=1)
    best_source = similarity.max(axis=0)
    return Match(
        precision=float(np.average(best_summary, weights=summary.weights)),
        recall=float(np.average(best_source, weights=source.weights)),
        word_similarity=best_summary,
        best_token=similarity.argmax(axis=1),
        by_sentence=np.maximum.reduceat(similarity, source.starts, axis=1),
    )


def rescale(value: float, baseline: float) -> float:
    """`(value − baseline) / (1 − baseline)`, the rescaling of Zhang et al. 2020 §5.4."""
    return (value - baseline) / (1 - baseline)


class BertScore(Metric):
    """Options:

    model      any encoder; `paper` is roberta-large-mnli at layer 8 [MFAS §4.1]
    layer      which layer's states (default: the encoder's own)
    source     `sentences`: encoded one by one, nothing cut; `document`: as one text, cut to the
               model's context, special tokens matched too, as the bert-score package does;
               `document_tokens`: the same without them, as the code released with [MFAS] does
    measure    the value: precision (is each summary word in the source?), recall or f1
    idf        a file with one text a line, whose document frequencies weight the tokens
    baseline   P, R, F baselines to rescale by (one number, or three with commas); a rescaled
               score can go below -1, and the bounds with it
    threshold  a content word whose best match is under it is marked unsupported
    """

    name = "bertscore"
    bounds = (-1.0, 1.0)
    unit = "mean similarity of each summary token with its best source token"
    limitations = (
        "Tokens are matched one by one, so who did what to whom does not count and exchanged names "
        "are seldom seen. Values of different encoders and layers cannot be compared, and none is "
        "a probability."
    )
    models: ClassVar[dict[str, str]] = {"model": "tokens:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"model": "roberta-large-mnli", "layer": "8", "source": "document_tokens"}
    }
    splitter = SPLITTER

    def __init__(
        self,
        model: TokenEncoder,
        layer: int | None = None,
        source: Literal["sentences", "document", "document_tokens"] = "sentences",
        measure: Measure = "precision",
        idf: str | None = None,
        baseline: str | None = None,
        threshold: float | None = None,
    ) -> None:
        check_range(self.name, "threshold", threshold, COSINES)
        self._encoder = model
        self.language = language_of(model)
        self._layer = model.default_layer if layer is None else layer
        if not 0 <= self._layer <= model.layers:
            raise ConfigError(f"{model.id} has layers 0 to {model.layers}, found layer={layer}")
        self._whole = source != "sentences"
        self._special_tokens = source == "document"
        self._measure = measure
        name = model.id.partition("@")[0]
        usual = THRESHOLDS.get((name, self._layer), OTHER_THRESHOLD)
        self._threshold = usual if threshold is None else threshold
        self._baseline = _baselines(baseline)
        if self._baseline:
            lowest = self._baseline[get_args(Measure).index(measure)]
            self.bounds = (rescale(-1.0, lowest), 1.0)
        self._idf = _document_frequencies(model, Path(idf)) if idf else None
        self.resolved: dict[str, str | int | float] = {
            "layer": self._layer,
            "threshold": self._threshold,
        }
        if idf:
            digest = hashlib.sha256(Path(idf).read_bytes()).hexdigest()
            self.resolved["idf"] = f"{Path(idf).name}@{digest[:12]}"

    @reads_its_language
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return map_in_chunks(examples, self._score_chunk)

    def _score_chunk(self, examples: Sequence[Example]) -> list[Score]:
        states = self._encode(examples)
        texts = dict.fromkeys(text for e in examples for text in (e.source, e.summary))
        tokens = {text: self._tokens(text, states) for text in texts}
        return [self._score(e, tokens[e.summary], tokens[e.source]) for e in examples]

    def _pieces(self, text: str) -> tuple[Segment, ...]:
        return sentences_or_whole(text, "document" if self._whole else "sentence")

    def _encode(self, examples: Sequence[Example]) -> dict[str, TokenStates]:
        """The states of every distinct sentence (or document) of the examples."""
        texts: dict[str, None] = {}

        def distinct() -> Iterator[str]:
            """They are split while the encoder runs on those before."""
            for example in examples:
                for text in (example.source, example.summary):
                    for piece in self._pieces(text):
                        if piece.text not in texts:
                            texts[piece.text] = None
                            yield piece.text

        states = self._encoder.encode_tokens(distinct(), layer=self._layer, windows=not self._whole)
        return dict(zip(texts, states, strict=True))

    def _tokens(self, text: str, states: Mapping[str, TokenStates]) -> Tokens | None:
        """The tokens of all sentences of a text in one sequence; None if it has no token."""
        vectors: list[Floats] = []
        offsets: list[Ints] = []
        weights: list[Floats] = []
        starts: list[int] = []
        kept: list[Segment] = []
        size = cut = 0
        for piece in self._pieces(text):
            state = states[piece.text]
            plain = state.offsets[:, 0] < state.offsets[:, 1]
            # A special token weighs nothing, and only the package's way may match one.
            keep = np.ones_like(plain) if self._special_tokens else plain
            cut += state.cut
            if not plain.any():
                continue
            weight = np.where(plain, self._weights(state.ids), 0.0)
            vectors.append(state.vectors[keep])
            offsets.append(state.offsets[keep] + np.where(plain[keep], piece.start, 0)[:, None])
            weights.append(weight[keep].astype(np.float32))
            starts.append(size)
            kept.append(piece)
            size += int(keep.sum())
        if not vectors:
            return None
        joined = np.concatenate(weights)
        if not joined.any():
            # Every token occurs in every document of the idf file: then all count alike.
            joined = (np.concatenate(offsets)[:, 1] > np.concatenate(offsets)[:, 0]).astype(
                np.float32
            )
        return Tokens(
            np.concatenate(vectors),
            np.concatenate(offsets),
            joined,
            tuple(starts),
            tuple(kept),
            cut,
        )

    def _weights(self, ids: Ints) -> Floats:
        if self._idf is None:
            return np.ones(len(ids), dtype=np.float32)
        table, unseen = self._idf
        return np.array([table.get(int(token), unseen) for token in ids], dtype=np.float32)

    def _score(self, example: Example, summary: Tokens | None, source: Tokens | None) -> Score:
        coverage = _coverage(summary, source)
        if summary is None or source is None:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        if not has_word(example.summary):
            return unscored(example, self.name, Outcome.NO_CLAIMS, coverage=coverage)
        if summary.cut:
            return unscored(example, self.name, Outcome.TRUNCATED_SUMMARY, coverage=coverage)
        matched = match(summary, source)
        parts = precision_recall_f1(matched.precision, matched.recall)
        if self._baseline:
            parts = {
                key: rescale(value, baseline)
                for (key, value), baseline in zip(parts.items(), self._baseline, strict=True)
            }
        spans, nearest = self._unmatched(example, summary, source, matched)
        return scored(
            example,
            self.name,
            parts[self._measure],
            parts=parts,
            spans=spans,
            evidence=[*_best_sentences(summary, source, matched), *nearest],
            coverage=coverage,
        )

    def _unmatched(
        self, example: Example, summary: Tokens, source: Tokens, matched: Match
    ) -> tuple[list[Span], list[Evidence]]:
        """Content words whose least similar token is below the threshold, and for each the most
        similar words of the source."""
        spans: list[Span] = []
        nearest: list[Evidence] = []
        starts, ends = summary.offsets[:, 0], summary.offsets[:, 1]
        for word in words(example.summary):
            if not is_content(word.text):
                continue
            inside = np.flatnonzero((starts < word.end) & (ends > word.start) & (starts < ends))
            if not len(inside):
                continue
            weakest = inside[matched.word_similarity[inside].argmin()]
            similarity = float(matched.word_similarity[weakest])
            if similarity < self._threshold:
                spans.append(Span(word.start, word.end, "unsupported", similarity))
                start, end = source.offsets[matched.best_token[weakest]].tolist()
                if start < end:
                    start, end = _whole_word(example.source, start, end)
                    nearest.append(
                        Evidence(start, end, word.start, word.end, "nearest word", similarity)
                    )
        return spans, nearest


def _whole_word(text: str, start: int, end: int) -> tuple[int, int]:
    """A token's characters, widened to the word that it is a part of."""
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end


def _best_sentences(summary: Tokens, source: Tokens, matched: Match) -> list[Evidence]:
    """For each summary sentence, the source sentence with the highest mean token similarity."""
    ends = [*summary.starts[1:], len(summary.vectors)]
    weighted = [
        (piece, np.average(matched.by_sentence[start:end], axis=0, weights=weights))
        for piece, start, end in zip(summary.pieces, summary.starts, ends, strict=True)
        if (weights := summary.weights[start:end]).any()
    ]
    pieces = [piece for piece, _ in weighted]
    best = [int(covered.argmax()) for _, covered in weighted]
    return best_matches(pieces, source.pieces, best, (covered.max() for _, covered in weighted))


def _coverage(summary: Tokens | None, source: Tokens | None) -> Coverage:
    def count(tokens: Tokens | None) -> int:
        return int((tokens.offsets[:, 0] < tokens.offsets[:, 1]).sum()) if tokens else 0

    return Coverage(
        source_tokens=count(source),
        source_tokens_cut=source.cut if source else 0,
        source_sentences=len(source.pieces) if source else 0,
        summary_tokens=count(summary),
        summary_tokens_cut=summary.cut if summary else 0,
        summary_sentences=len(summary.pieces) if summary else 0,
    )


def _baselines(text: str | None) -> tuple[float, float, float] | None:
    if text is None:
        return None
    try:
        numbers = [float(piece) for piece in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 3) or not all(-math.inf < number < 1 for number in numbers):
        raise ConfigError(
            f"bertscore: baseline should be one number below 1, or three (P,R,F), found '{text}'"
        )
    return (numbers[0], numbers[len(numbers) // 2], numbers[-1])


def _document_frequencies(encoder: TokenEncoder, path: Path) -> tuple[dict[int, float], float]:
    """idf(token) = log((texts + 1) / (texts with it + 1)) as in Zhang et al. 2020 §3.2, and the
    idf of a token that no text has. Raises ConfigError on a file without text."""
    try:
        texts = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"bertscore: idf file {path} cannot be read: {error}") from error
    if not texts:
        raise ConfigError(f"bertscore: idf file {path} has no text; one text a line is expected")
    counts: Counter[int] = Counter()
    for ids in encoder.token_ids(texts):
        counts.update(set(ids))
    total = len(texts) + 1
    return {token: math.log(total / (n + 1)) for token, n in counts.items()}, math.log(total)
