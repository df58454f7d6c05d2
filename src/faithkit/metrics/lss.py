"""The longest supported subsequence (LSS) of a summary's words, and how similar it is to the
summary [LSS].

Three generators: `words` keeps the words that a support model does not doubt, a subsequence by
construction; `seq2seq` is an encoder-decoder and `chat` a chat model (`lss_chat.py`) that write it
sentence by sentence, which is then repaired to a subsequence by alignment. The similarities are
those of `overlap.py` and `bertscore.py`, with the claim where they expect the source. Training is
in `train/lss.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import Segment, words
from faithkit.metrics.base import Metric
from faithkit.metrics.bertscore import BertScore
from faithkit.metrics.lss_chat import ChatGenerator
from faithkit.metrics.overlap import Bleu, Rouge1, Rouge2, RougeL, Smoothing
from faithkit.metrics.plain import language_of, reads_plain_texts
from faithkit.metrics.support import MARKED
from faithkit.models.protocols import (
    ChatModel,
    Generated,
    Generator,
    SupportModel,
    TokenEncoder,
    Verdict,
)
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)

Offsets = Sequence[tuple[int, int]]
Written = Literal["words", "seq2seq", "chat"]

THRESHOLD = MARKED
"""A word is kept where `support` would not mark it."""


class Similarity(Protocol):
    """A metric that compares a summary with a source."""

    def score(self, examples: Sequence[Example]) -> list[Score]: ...


class Repair(NamedTuple):
    """A generated text brought back to a subsequence of the claim's words.

    kept       [claim words], those that the two have in common in the same order
    added      generated words that the claim does not have, or not as often
    reordered  generated words that it has, but in another order
    longer     generated words beyond the claim's number of words; `added` counts them too
    """

    kept: tuple[bool, ...]
    added: int
    reordered: int
    longer: int


@dataclass(frozen=True, slots=True)
class Subsequence:
    """The LSS of one summary.

    outcome      ok, or why there is none; then only `coverage` is set
    text         the LSS; "" where nothing is supported
    star         the LSS*, as it was written; None where it was not asked for
    words        [words], the characters of each word of the summary, punctuation left out
    kept         [words], whether it is in the LSS
    unsupported  [words], each word's probability, where the generator gives one; else empty
    evidence     the source sentences that were judged against
    repairs      of each sentence that was generated; empty for `words`
    """

    outcome: Outcome
    coverage: Coverage
    text: str = ""
    star: str | None = None
    words: tuple[tuple[int, int], ...] = ()
    kept: tuple[bool, ...] = ()
    unsupported: tuple[float, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def compared(self) -> str:
        """What is compared with the claim: the LSS*, where it was asked for, or the LSS."""
        return self.text if self.star is None else self.star

    @property
    def share(self) -> float:
        """Share of the summary's words that are in the LSS, in [0, 1]; of an outcome ok."""
        return sum(self.kept) / len(self.kept)

    @property
    def violations(self) -> int:
        """Generated words that no subsequence of the claim has: added or reordered. The filler
        words of an LSS* count."""
        return sum(one.added + one.reordered for one in self.repairs)


def claim_words(text: str) -> list[Segment]:
    """The words of a text, punctuation left out."""
    return [word for word in words(text) if any(letter.isalnum() for letter in word.text)]


def subsequence_text(claim: str, offsets: Offsets, kept: Sequence[bool]) -> str:
    """The kept words of a claim, each with its punctuation. With every word kept it is the claim.

    offsets  [words, 2], characters of the words, in order
    kept     [words]

    Punctuation belongs to the word it follows; but where white space is before it and none behind
    it ("£", an opening quotation mark), to the word it precedes.
    """
    starts = [0]
    for (_, end), (start, _) in pairwise(offsets):
        gap = claim[end:start]
        touching = re.split(r"\s", gap)[-1]
        starts.append(start if touching == gap else start - len(touching))
    stops = [*starts[1:], len(claim)]
    text, last = "", -1
    for position, (start, stop, keep) in enumerate(zip(starts, stops, kept, strict=True)):
        if keep:
            if text and last < position - 1 and not text[-1].isspace():
                text += " "
            text += claim[start:stop]
            last = position
    return text.strip()


def repair(generated: Sequence[str], claim: Sequence[str]) -> Repair:
    """Aligns generated words with the claim's by their longest common subsequence, in any case."""
    ours, theirs = [word.casefold() for word in generated], [word.casefold() for word in claim]
    kept = _common(ours, theirs)
    shared = (Counter(ours) & Counter(theirs)).total()
    return Repair(kept, len(ours) - shared, shared - sum(kept), max(0, len(ours) - len(theirs)))


def _common(ours: Sequence[str], theirs: Sequence[str]) -> tuple[bool, ...]:
    """[theirs], which of their words are in the longest common subsequence; of several, the words
    that stand last."""
    longest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i, word in enumerate(ours, start=1):
        for j, other in enumerate(theirs, start=1):
            longest[i][j] = (
                longest[i - 1][j - 1] + 1
                if word == other
                else max(longest[i - 1][j], longest[i][j - 1])
            )
    kept = [False] * len(theirs)
    i, j = len(ours), len(theirs)
    while i and j:
        if ours[i - 1] == theirs[j - 1]:
            i, j = i - 1, j - 1
            kept[j] = True
        elif longest[i - 1][j] >= longest[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return tuple(kept)


def similarities(
    similarity: Similarity, texts: Sequence[str], claims: Sequence[str]
) -> list[float | None]:
    """How similar each text is to its claim, in [0, 1].

    The text stands for the summary (BLEU's hypothesis), the claim for the source (its reference),
    as in the published code of [LSS]. The claim itself has 1, and nothing beside something 0,
    whatever the metric makes of them. None where it finds no token to compare (ROUGE in other
    scripts).
    """
    pairs = list(zip(texts, claims, strict=True))
    asked = [
        (text, claim)
        for text, claim in dict.fromkeys(pairs)
        if text.strip() and claim.strip() and not _same(text, claim)
    ]
    scores = similarity.score([Example("-", claim, text) for text, claim in asked])
    # Cosines may be below 0; two texts less alike than unrelated ones are not alike.
    found = {
        pair: None if score.value is None else min(max(score.value, 0.0), 1.0)
        for pair, score in zip(asked, scores, strict=True)
    }
    return [found[pair] if pair in found else float(_same(*pair)) for pair in pairs]


def _same(text: str, other: str) -> bool:
    return text.split() == other.split()


def subsequences(
    model: SupportModel | Generator,
    examples: Sequence[Example],
    *,
    threshold: float = THRESHOLD,
    star: bool = False,
) -> list[Subsequence]:
    """The LSS of each summary, in order.

    model      a support model, whose words of an unsupported probability under `threshold` are
               kept; or a generator, which is asked sentence by sentence
    star       what is generated is LSS*: it is kept as written; the LSS are the claim's words in it

    Outcomes: no_content (blank text), no_claims (no sentence states anything, or there is no
    word), truncated_summary (more than the model can take), model_error.
    """
    usable = [example for example in examples if not is_blank(example)]
    if isinstance(model, SupportModel):
        verdicts = model.judge([(example.source, example.summary) for example in usable])
        found = [
            _judged(example, verdict, threshold)
            for example, verdict in zip(usable, verdicts, strict=True)
        ]
    else:
        found = _generated(model, usable, star)
    results = iter(found)
    blank = Subsequence(Outcome.NO_CONTENT, Coverage())
    return [blank if is_blank(example) else next(results) for example in examples]


def _judged(example: Example, verdict: Verdict, threshold: float) -> Subsequence:
    coverage = verdict.coverage
    offsets = [(int(start), int(end)) for one in verdict.sentences for start, end in one.words]
    unsupported = [float(number) for one in verdict.sentences for number in one.unsupported]
    if coverage.summary_tokens_cut or coverage.summary_sentences_cut:
        return Subsequence(Outcome.TRUNCATED_SUMMARY, coverage)
    if not offsets or not any(one.has_claim for one in verdict.sentences):
        return Subsequence(Outcome.NO_CLAIMS, coverage)
    if not np.isfinite(unsupported).all():
        return Subsequence(Outcome.MODEL_ERROR, coverage)
    kept = tuple(number < threshold for number in unsupported)
    return Subsequence(
        Outcome.OK,
        coverage,
        subsequence_text(example.summary, offsets, kept),
        words=tuple(offsets),
        kept=kept,
        unsupported=tuple(unsupported),
        evidence=tuple(item for one in verdict.sentences for item in one.evidence),
    )


def _generated(model: Generator, examples: Sequence[Example], star: bool) -> list[Subsequence]:
    claims = [
        [piece for piece in sentences(example.summary) if claim_words(piece.text)]
        for example in examples
    ]
    pairs = [
        (example.source, piece.text)
        for example, pieces in zip(examples, claims, strict=True)
        for piece in pieces
    ]
    written = iter(model.generate(pairs))
    return [
        _repaired(example, [(piece, next(written)) for piece in pieces], star)
        for example, pieces in zip(examples, claims, strict=True)
    ]


def _repaired(
    example: Example, written: Sequence[tuple[Segment, Generated]], star: bool
) -> Subsequence:
    """The LSS of a summary from its sentences, each with what was generated for it."""
    texts = [one for _, one in written]
    if not texts:
        return Subsequence(Outcome.NO_CLAIMS, Coverage())
    coverage = Coverage(
        # Each sentence was read beside the source, the longest with the least of it.
        source_tokens=min(one.source_tokens for one in texts),
        source_tokens_cut=max(one.source_cut for one in texts),
        summary_tokens=sum(one.claim_tokens for one in texts),
        summary_sentences=len(texts),
    )
    for one in texts:
        if one.outcome is not Outcome.OK:
            return Subsequence(one.outcome, coverage)
    offsets: list[tuple[int, int]] = []
    repairs: list[Repair] = []
    for piece, one in written:
        own = claim_words(piece.text)
        offsets += [(piece.start + word.start, piece.start + word.end) for word in own]
        made = [word.text for word in claim_words(one.text)]
        repairs.append(repair(made, [word.text for word in own]))
    kept = tuple(keep for one in repairs for keep in one.kept)
    return Subsequence(
        Outcome.OK,
        coverage,
        subsequence_text(example.summary, offsets, kept),
        " ".join(one.text for one in texts if one.text) if star else None,
        tuple(offsets),
        kept,
        repairs=tuple(repairs),
    )


_MODELS = {"words": "support:mini", "seq2seq": "generate:", "chat": "chat:mini"}


class _Lss(Metric):
    """How similar the summary is to its longest supported subsequence [LSS].

    generator  `words`: the words a support model does not doubt; `seq2seq`: what an
               encoder-decoder writes, and `chat`: what a chat model does with four worked
               examples, sentence by sentence, repaired to a subsequence
    model      the support model; for `seq2seq` a folder that `faithkit train lss` made, or any
               encoder-decoder trained for this; for `chat` any chat model (chat:mini)
    threshold  `words`: a word is kept where its unsupported probability is under it (0.16)
    star       not for `words`: LSS*, made grammatical without adding information, is asked for and
               compared as it was written; a model that `faithkit train lss` made has to be trained
               for it (--star), a chat model gets a prompt of its own

    Parts: the share and number of the summary's words that are in the LSS, and how many words a
    generator added or reordered (violations; the filler words of LSS* count). Spans: the words left
    out. Texts: `lss`, empty where nothing is supported, and with star `lss_star`.
    """

    bounds = (0.0, 1.0)
    models: ClassVar[dict[str, str]] = {"model": "support:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"generator": "seq2seq"}}
    splitter = SPLITTER

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return {"model": _MODELS[str(options["generator"])]}

    def __init__(
        self,
        model: SupportModel | Generator | ChatModel | None = None,
        generator: Written = "words",
        threshold: float | None = None,
        star: bool = False,
    ) -> None:
        by_words = generator == "words"
        if model is None:
            raise ConfigError(
                f"{self.name}: generator=seq2seq needs model=, a folder that `faithkit train lss` "
                "made or another encoder-decoder trained for this"
            )
        if generator == "chat" and isinstance(model, ChatModel):
            model = ChatGenerator(model, star)
            self.prompt = model.prompt
        if not isinstance(model, SupportModel if by_words else Generator):
            raise ConfigError(f"{self.name}: {model.id} does not do generator={generator}")
        if by_words and star:
            raise ConfigError(f"{self.name}: star=on is not for generator=words")
        if (trained := getattr(model, "star", None)) not in (None, star):
            written, option = ("LSS*", "on") if trained else ("LSS", "off")
            raise ConfigError(
                f"{self.name}: {model.id} was trained to write {written}; use star={option}"
            )
        if not by_words and threshold is not None:
            raise ConfigError(f"{self.name}: threshold is for generator=words")
        self._model = model
        self.language = language_of(model)
        self._threshold = THRESHOLD if threshold is None else threshold
        self._star = star
        self.resolved: dict[str, JSON] = {"threshold": self._threshold} if by_words else {}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        found = subsequences(self._model, examples, threshold=self._threshold, star=self._star)
        usable = [pair for pair in zip(examples, found, strict=True) if pair[1].outcome == "ok"]
        values = iter(self._values(usable))
        return [
            self._score(example, one, next(values))
            if one.outcome is Outcome.OK
            else unscored(example, self.name, one.outcome, coverage=one.coverage)
            for example, one in zip(examples, found, strict=True)
        ]

    def _values(self, found: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        """The score of each summary; None where the two texts cannot be compared."""
        raise NotImplementedError

    def _score(self, example: Example, found: Subsequence, value: float | None) -> Score:
        parts = {
            "share": found.share,
            "words": float(len(found.kept)),
            "words_kept": float(sum(found.kept)),
            "violations": float(found.violations),
        }
        texts = {"lss": found.text} | ({} if found.star is None else {"lss_star": found.star})
        probabilities = found.unsupported or (None,) * len(found.words)
        spans = [
            Span(start, end, "unsupported", probability)
            for (start, end), keep, probability in zip(
                found.words, found.kept, probabilities, strict=True
            )
            if not keep
        ]
        if value is None:
            return unscored(
                example,
                self.name,
                Outcome.NO_CONTENT,
                parts=parts,
                spans=spans,
                coverage=found.coverage,
                texts=texts,
            )
        return scored(
            example,
            self.name,
            value,
            parts=parts,
            spans=spans,
            evidence=found.evidence,
            coverage=found.coverage,
            texts=texts,
        )


class _Overlap(_Lss):
    """An LSS metric whose similarity is one of `overlap.py`."""

    similarity: ClassVar[type[Similarity]]

    def _values(self, found: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        texts = [one.compared for _, one in found]
        return similarities(self.similarity(), texts, [e.summary for e, _ in found])


class LssBleu(_Lss):
    __doc__ = (
        (_Lss.__doc__ or "")
        + """
    smoothing  of BLEU: `sacrebleu`, or `nltk` as the authors' code (`bleu`)
    """
    )

    name = "lss_bleu"
    unit = "BLEU of the summary's longest supported subsequence against the summary"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"generator": "seq2seq", "smoothing": "nltk"}
    }

    def __init__(
        self,
        model: SupportModel | Generator | ChatModel | None = None,
        generator: Written = "words",
        threshold: float | None = None,
        star: bool = False,
        smoothing: Smoothing = "sacrebleu",
    ) -> None:
        super().__init__(model, generator, threshold, star)
        self._bleu = Bleu(smoothing)

    def _values(self, found: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        texts = [one.text for _, one in found]
        return similarities(self._bleu, texts, [e.summary for e, _ in found])


class LssRouge1(_Overlap):
    __doc__ = _Lss.__doc__

    name = "lss_rouge1"
    unit = "ROUGE-1 F1 of the summary and its longest supported subsequence"
    similarity = Rouge1


class LssRouge2(_Overlap):
    __doc__ = _Lss.__doc__

    name = "lss_rouge2"
    unit = "ROUGE-2 F1 of the summary and its longest supported subsequence"
    similarity = Rouge2


class LssRougeL(_Overlap):
    __doc__ = _Lss.__doc__

    name = "lss_rougeL"
    unit = "ROUGE-L F1 of the summary and its longest supported subsequence"
    similarity = RougeL


class LssShare(_Lss):
    __doc__ = _Lss.__doc__

    name = "lss_share"
    unit = "share of the summary's words that are in its longest supported subsequence"

    def _values(self, found: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        return [one.share for _, one in found]


class LssBertScore(_Lss):
    """BERTScore of the summary and its longest supported subsequence [LSS]. Options: those of
    lss_bleu, and `encoder`, whose token vectors are compared at its default layer."""

    name = "lss_bertscore"
    unit = "BERTScore F1 of the summary and its longest supported subsequence"
    models: ClassVar[dict[str, str]] = {"model": "support:mini", "encoder": "tokens:mini"}

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return _Lss.models_for(options) | {"encoder": "tokens:mini"}

    def __init__(
        self,
        encoder: TokenEncoder,
        model: SupportModel | Generator | ChatModel | None = None,
        generator: Written = "words",
        threshold: float | None = None,
        star: bool = False,
    ) -> None:
        super().__init__(model, generator, threshold, star)
        self._bertscore = BertScore(encoder, measure="f1")
        self.resolved["layer"] = encoder.default_layer

    def _values(self, found: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        texts = [one.compared for _, one in found]
        return similarities(self._bertscore, texts, [e.summary for e, _ in found])
