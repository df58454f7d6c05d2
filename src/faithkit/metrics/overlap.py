"""Surface overlap of the summary with its *source*: ROUGE, BLEU, METEOR.

The arithmetic is that of rouge-score, sacreBLEU and NLTK; here are only the layout (the source
takes the place of their reference) and what is reported. Other surface statistics
(novel n-grams, coverage, density) are in `novelty.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from unicodedata import normalize

from faithkit.language.words import words
from faithkit.metrics.base import Metric
from faithkit.records import (
    Coverage,
    Example,
    Outcome,
    Score,
    is_blank,
    scored,
    unscored,
)

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU

Measure = Literal["precision", "recall", "f1"]
Smoothing = Literal["sacrebleu", "nltk"]


@lru_cache(maxsize=512)
def _tokens(text: str, stem: bool) -> tuple[str, ...]:
    from rouge_score.tokenizers import DefaultTokenizer

    return tuple(DefaultTokenizer(stem).tokenize(text))


class _Tokenizer:
    """rouge-score's own tokenizer, remembering the last texts: a source is met once a summary."""

    def __init__(self, stem: bool) -> None:
        self._stem = stem

    def tokenize(self, text: str) -> list[str]:
        return list(_tokens(text, self._stem))


class _Rouge(Metric):
    """ROUGE (Lin 2004) as rouge-score computes it. Options: `measure` is the part reported as the
    value (f1 as published; precision is the faithful direction), `stem` the Porter stemmer."""

    limitations = (
        "Compares words, not meaning: a negation or a wrong name hardly lowers it, a paraphrase "
        "does. As F1 against the source it rises with the summary's length; `measure=precision` "
        "does not. rouge-score's words are of a-z and digits: any other letter ends a word."
    )
    bounds = (0.0, 1.0)
    marks_words = False
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"measure": "f1", "stem": "off"}}

    def __init__(self, measure: Measure = "f1", stem: bool = False) -> None:
        self._measure = measure
        self._tokenizer = _Tokenizer(stem)

    @cached_property
    def _scorer(self) -> RougeScorer:
        # Made at the first row: importing NLTK takes a second that a cached run need not wait.
        from rouge_score.rouge_scorer import RougeScorer

        return RougeScorer([self.name], tokenizer=self._tokenizer)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        source = self._tokenizer.tokenize(example.source)
        summary = self._tokenizer.tokenize(example.summary)
        coverage = Coverage(source_tokens=len(source), summary_tokens=len(summary))
        if not source or not summary:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        rouge = self._scorer.score(example.source, example.summary)[self.name]
        parts = {"precision": rouge.precision, "recall": rouge.recall, "f1": rouge.fmeasure}
        return scored(example, self.name, parts[self._measure], parts=parts, coverage=coverage)


class Rouge1(_Rouge):
    name = "rouge1"
    unit = "overlap of single words with the source"


class Rouge2(_Rouge):
    name = "rouge2"
    unit = "overlap of word pairs with the source"


class RougeL(_Rouge):
    name = "rougeL"
    unit = "longest common word subsequence with the source"


class Bleu(Metric):
    """BLEU (Papineni et al. 2002) of one sentence. A summary is shorter than its source, so the
    brevity penalty is strong and the value small; the n-gram precisions, which have no penalty, are
    in `parts`.

    smoothing  `sacrebleu`: sacreBLEU's (13a tokens, exponential smoothing), divided by 100; `nltk`:
               NLTK's method 4 on white-space words, case kept, as the code released with [LSS]
    """

    name = "bleu"
    bounds = (0.0, 1.0)
    marks_words = False
    unit = "n-gram precision against the source with a brevity penalty"
    limitations = (
        "Compares words, not meaning. Against a source that is longer than the summary the brevity "
        "penalty, and so the summary's length, decides most of the value."
    )
    packages = ("sacrebleu",)
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"smoothing": "sacrebleu"}}

    def __init__(self, smoothing: Smoothing = "sacrebleu") -> None:
        self._nltk = smoothing == "nltk"

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        if self._nltk:
            return self._by_nltk(example)
        bleu = _sacrebleu().sentence_score(example.summary, [example.source])
        precisions = {f"precision_{n}": p / 100 for n, p in enumerate(bleu.precisions, start=1)}
        coverage = Coverage(source_tokens=bleu.ref_len, summary_tokens=bleu.sys_len)
        # sacreBLEU's exp(log(...)) can exceed 100 by rounding.
        value = min(bleu.score / 100, 1.0)
        parts = {**precisions, "brevity_penalty": bleu.bp}
        return scored(example, self.name, value, parts=parts, coverage=coverage)

    def _by_nltk(self, example: Example) -> Score:
        from nltk.translate import bleu_score as nltk

        source, summary = example.source.split(), example.summary.split()
        parts = {
            f"precision_{n}": float(nltk.modified_precision([source], summary, n))
            for n in range(1, 5)
        } | {"brevity_penalty": float(nltk.brevity_penalty(len(source), len(summary)))}
        method = nltk.SmoothingFunction().method4
        value = float(nltk.sentence_bleu([source], summary, smoothing_function=method))
        coverage = Coverage(source_tokens=len(source), summary_tokens=len(summary))
        return scored(example, self.name, min(value, 1.0), parts=parts, coverage=coverage)


@lru_cache(maxsize=1)
def _sacrebleu() -> BLEU:
    from sacrebleu.metrics import BLEU

    return BLEU(effective_order=True)


class _NoSynonyms:
    """Takes the place of NLTK's WordNet, which no package ships: METEOR then matches words and
    stems only, which the unit sentence says."""

    def synsets(self, word: str) -> list[Any]:  # noqa: ARG002
        return []


def _lower_words(text: str) -> list[str]:
    """The words of a text in lower case, in one form of accents and apostrophes, without
    punctuation."""
    unified = normalize("NFC", text).replace("’", "'")
    return [word.text.lower() for word in words(unified) if word.text[0].isalnum()]


class Meteor(Metric):
    """METEOR (Banerjee & Lavie 2005) as NLTK computes it, with the stages exact and stem (no
    WordNet stage), lower-cased words; parameters alpha .9, beta 3, gamma .5."""

    name = "meteor"
    bounds = (0.0, 1.0)
    marks_words = False
    unit = "recall-weighted word and stem matches with the source, less a fragmentation penalty"
    limitations = (
        "Compares words and stems, not meaning. Recall of the source weighs most, so a longer "
        "summary has a higher value. Synonyms do not match, as they do in the published metric."
    )
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {}}

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        from nltk.translate.meteor_score import single_meteor_score

        source, summary = _lower_words(example.source), _lower_words(example.summary)
        coverage = Coverage(source_tokens=len(source), summary_tokens=len(summary))
        if not source or not summary:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        value = single_meteor_score(source, summary, wordnet=_NoSynonyms())
        return scored(example, self.name, value, coverage=coverage)
