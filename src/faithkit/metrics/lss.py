"""How similar a summary is to its longest supported subsequence (LSS) [LSS].

Three generators: `words` keeps the words that a support model does not doubt, `seq2seq` is an
encoder-decoder and `chat` a chat model (`lss_chat.py`) that write it; `subsequence.py` has how. The
similarities are those of `overlap.py` and `bertscore.py`, with the claim where they expect the
source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol

from faithkit.language.sentences import SPLITTER
from faithkit.metrics.base import Metric
from faithkit.metrics.bertscore import BertScore
from faithkit.metrics.lss_chat import ChatGenerator
from faithkit.metrics.options import check_range
from faithkit.metrics.overlap import Bleu, Rouge1, Rouge2, RougeL, Smoothing
from faithkit.metrics.plain import language_of, reads_plain_texts
from faithkit.metrics.subsequence import Subsequence, subsequences
from faithkit.models.protocols import ChatModel, Generator, SupportModel, TokenEncoder
from faithkit.records import JSON, ConfigError, Example, Outcome, Score, Span, scored, unscored

Written = Literal["words", "seq2seq", "chat"]


class Similarity(Protocol):
    """A metric that compares a summary with a source."""

    def score(self, examples: Sequence[Example]) -> list[Score]: ...


def similarities(
    similarity: Similarity, texts: Sequence[str], claims: Sequence[str]
) -> list[float | None]:
    """How similar each text is to its claim, in [0, 1].

    The text takes the place of the summary (BLEU's hypothesis), the claim that of the source
    (its reference),
    as in the published code of [LSS]. The claim itself has 1, and nothing beside something 0,
    whatever the metric makes of them. None where it finds no token to compare (ROUGE in other
    scripts).
    """
    pairs = list(zip(texts, claims, strict=True))
    distinct = [
        (text, claim)
        for text, claim in dict.fromkeys(pairs)
        if text.strip() and claim.strip() and not _same(text, claim)
    ]
    scores = similarity.score([Example("-", claim, text) for text, claim in distinct])
    # Cosines may be below 0; two texts less alike than unrelated ones are not alike.
    by_pair = {
        pair: None if score.value is None else min(max(score.value, 0.0), 1.0)
        for pair, score in zip(distinct, scores, strict=True)
    }
    return [by_pair[pair] if pair in by_pair else float(_same(*pair)) for pair in pairs]


def _same(text: str, other: str) -> bool:
    return text.split() == other.split()


_MODELS = {"words": "support:mini", "seq2seq": "generate:", "chat": "chat:mini"}


class _Lss(Metric):
    """How similar the summary is to its longest supported subsequence [LSS].

    generator  `words`: the words a support model does not doubt; `seq2seq`: what an
               encoder-decoder writes, and `chat`: what a chat model does with four worked
               examples, sentence by sentence, repaired to a subsequence
    model      the support model; for `seq2seq` a folder that `faithkit train lss` made, or any
               encoder-decoder trained for this; for `chat` any chat model (chat:mini)
    threshold  `words`: a word is kept where its unsupported probability is under it; by
               default the probability from which the model's words are shown
    star       not for `words`: LSS*, made grammatical without adding information, is asked for and
               compared as it was written; a model that `faithkit train lss` made has to be trained
               for it (--star), a chat model gets a prompt of its own

    Parts: the share and number of the summary's words that are in the LSS, and how many words a
    generator added or reordered (violations; the filler words of LSS* count). Spans: the words left
    out, with `words` scored with the probability that they are supported. Texts: `lss`, empty where
    nothing is supported, and with star `lss_star`.
    """

    limitations = (
        "An error that is made by the order or place of words alone leaves every word in. What a "
        "generator leaves out by mistake counts against the summary; `words` has the limitations "
        "of the support model."
    )
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
        check_range(self.name, "threshold", threshold, self.bounds)
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
        self._threshold = threshold
        self._star = star
        if isinstance(model, SupportModel) and threshold is None:
            self._threshold = model.doubtful
        self.resolved: dict[str, JSON] = {"threshold": self._threshold} if by_words else {}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        longest = subsequences(self._model, examples, threshold=self._threshold, star=self._star)
        comparable = [
            pair for pair in zip(examples, longest, strict=True) if pair[1].outcome == "ok"
        ]
        values = iter(self._values(comparable))
        return [
            self._score(example, subsequence, next(values))
            if subsequence.outcome is Outcome.OK
            else unscored(example, self.name, subsequence.outcome, coverage=subsequence.coverage)
            for example, subsequence in zip(examples, longest, strict=True)
        ]

    def _values(self, pairs: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        """The score of each summary; None where the two texts cannot be compared."""
        raise NotImplementedError

    def _score(self, example: Example, longest: Subsequence, value: float | None) -> Score:
        parts = {
            "share": longest.share,
            "words": float(len(longest.kept)),
            "words_kept": float(sum(longest.kept)),
            "violations": float(longest.violations),
        }
        texts = {"lss": longest.text} | ({} if longest.star is None else {"lss_star": longest.star})
        probabilities = longest.unsupported or (None,) * len(longest.words)
        spans = [
            Span(start, end, "unsupported", None if probability is None else 1 - probability)
            for (start, end), keep, probability in zip(
                longest.words, longest.kept, probabilities, strict=True
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
                coverage=longest.coverage,
                texts=texts,
            )
        return scored(
            example,
            self.name,
            value,
            parts=parts,
            spans=spans,
            evidence=longest.evidence,
            coverage=longest.coverage,
            texts=texts,
        )


def _similarities(
    metric: Similarity, pairs: Sequence[tuple[Example, Subsequence]]
) -> list[float | None]:
    """The similarity of each summary with its longest supported subsequence."""
    subsequences = [subsequence.compared for _, subsequence in pairs]
    return similarities(metric, subsequences, [example.summary for example, _ in pairs])


class _Overlap(_Lss):
    """An LSS metric whose similarity is one of `overlap.py`."""

    similarity: ClassVar[type[Similarity]]

    def _values(self, pairs: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        return _similarities(self.similarity(), pairs)


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

    def _values(self, pairs: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        return _similarities(self._bleu, pairs)


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

    def _values(self, pairs: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        return [subsequence.share for _, subsequence in pairs]


class LssBertScore(_Lss):
    """BERTScore of the summary and its longest supported subsequence [LSS]. Options: those of
    lss_rouge1, and `encoder`, whose token vectors are compared at its default layer."""

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

    def _values(self, pairs: Sequence[tuple[Example, Subsequence]]) -> list[float | None]:
        return _similarities(self._bertscore, pairs)
