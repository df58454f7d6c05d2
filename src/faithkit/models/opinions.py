"""What a language model and an entailment model say of a summary sentence and its evidence: the
optional groups `likelihood` and `inference` of the features in `evidence.py`.

Which evidence a sentence has is decided there; what is learned from the answers in `support.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from faithkit.models import evidence
from faithkit.models.protocols import EntailmentModel, Floats, Ints, LanguageModel, Vector
from faithkit.records import ModelError, Outcome

SURPRISE = 10.0
"""Nats below which a word's log-probability is cut, and by which a gain is divided."""

ALONE: Vector = "summary_lm"
GIVEN: Vector = "summary_s2s"


class Request(NamedTuple):
    """A summary sentence and its evidence; `words` are the words' characters in the sentence."""

    evidence: str
    sentence: str
    words: tuple[tuple[int, int], ...]


def request_of(
    sentence: evidence.Sentence, source: evidence.SourceWords, laid: evidence.Alignment
) -> Request:
    """The evidence sentences in the order of the source, joined by a blank; a line's end within
    one is a blank too."""
    chosen = (source.sentences[i].text for i in sorted(laid.chosen))
    places = (sentence.offsets - sentence.start).tolist()
    return Request(
        " ".join(" ".join(chosen).split()),
        sentence.text,
        tuple((start, end) for start, end in places),
    )


@dataclass(frozen=True, slots=True)
class Opinions:
    """The models that are asked, with the names that `models.load` took; None is not asked."""

    likelihood: LanguageModel | None = None
    likelihood_name: str = ""
    inference: EntailmentModel | None = None
    inference_name: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(model.id for model in (self.likelihood, self.inference) if model is not None)

    def of(self, features: Collection[str]) -> Opinions:
        """Those of these models whose features are among `features`."""
        found = self
        if not set(features) & set(evidence.GROUPS["likelihood"]):
            found = replace(found, likelihood=None, likelihood_name="")
        if not set(features) & set(evidence.GROUPS["inference"]):
            found = replace(found, inference=None, inference_name="")
        return found

    def ask(self, requests: Sequence[Request]) -> list[dict[str, Floats]]:
        """For each request, in order and the same in any batch, the columns of the models that are
        there: name to [words]. Each distinct request runs once. Where a model has no answer (the
        sentence is too long, NaN) its columns are 0.

        With p the mean log-probability, in nats, of the word's tokens in its sentence:
        likelihood_alone    1 + p / 5 with nothing before the sentence, p cut at -10; -1..1
        likelihood_given    the same with the evidence before it, as [FFLM §3] lays out a document
                            and its summary; of evidence that does not fit, the end is cut
        likelihood_gain     (p given - p alone) / 10, neither of them cut, the result cut to -1..1
        A word without a token has 0. The same for each word of a sentence:
        inference_entailed, inference_contradicted
                            probabilities of the sentence, the evidence being the premise; 0..1
        Raises ModelError on a language model whose tokenizer gives no character offsets.
        """
        unique = list(dict.fromkeys(requests))
        found: dict[Request, dict[str, Floats]] = {request: {} for request in unique}
        for request, columns in zip(unique, self._likelihoods(unique), strict=True):
            found[request] |= columns
        for request, columns in zip(unique, self._inferences(unique), strict=True):
            found[request] |= columns
        return [found[request] for request in requests]

    def _likelihoods(self, requests: Sequence[Request]) -> list[dict[str, Floats]]:
        if self.likelihood is None or not requests:
            return [{} for _ in requests]
        pairs = [(request.evidence, request.sentence) for request in requests]
        forced = self.likelihood.log_probs(pairs, frozenset({ALONE, GIVEN}))
        columns: list[dict[str, Floats]] = []
        for request, one in zip(requests, forced, strict=True):
            if one.outcome is not Outcome.OK:
                columns.append(_nothing("likelihood", len(request.words)))
                continue
            if len(one.summary_offsets) != one.summary_tokens:
                raise ModelError(f"{self.likelihood.id}: needs a fast tokenizer (tokenizer.json)")
            places = np.array(request.words, dtype=np.int64)
            columns.append(_likelihood(one.vectors[ALONE], one.vectors[GIVEN],
                                       one.summary_offsets, places))  # fmt: skip
        return columns

    def _inferences(self, requests: Sequence[Request]) -> list[dict[str, Floats]]:
        if self.inference is None or not requests:
            return [{} for _ in requests]
        pairs = [(request.evidence, request.sentence) for request in requests]
        columns: list[dict[str, Floats]] = []
        for request, one in zip(requests, self.inference.predict(pairs), strict=True):
            count = len(request.words)
            if one.outcome is not Outcome.OK:
                columns.append(_nothing("inference", count))
                continue
            entailed, _, contradicted = one.probabilities
            columns.append(
                {
                    "inference_entailed": np.full(count, entailed, dtype=np.float32),
                    "inference_contradicted": np.full(count, contradicted, dtype=np.float32),
                }
            )
        return columns


NO_OPINIONS = Opinions()


def _nothing(group: str, count: int) -> dict[str, Floats]:
    return {name: np.zeros(count, dtype=np.float32) for name in evidence.GROUPS[group]}


def _likelihood(alone: Floats, given: Floats, offsets: Ints, places: Ints) -> dict[str, Floats]:
    """The three columns from the tokens' log-probabilities; see `Opinions.ask`."""
    known, before = word_means(alone, offsets, places)
    _, behind = word_means(given, offsets, places)
    return {
        "likelihood_alone": _scaled(before, known),
        "likelihood_given": _scaled(behind, known),
        "likelihood_gain": np.clip((behind - before) / SURPRISE, -1, 1).astype(np.float32),
    }


def _scaled(means: NDArray[np.float64], known: NDArray[np.bool_]) -> Floats:
    column: Floats = np.where(known, 1 + np.clip(means, -SURPRISE, 0) / (SURPRISE / 2), 0)
    return column.astype(np.float32)


def word_means(
    values: Floats, offsets: Ints, places: Ints
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """For each word at places [words, 2] whether it has a token, and the mean of `values` [tokens]
    over the tokens whose offsets [tokens, 2] overlap it; 0 without one."""
    inside = (offsets[None, :, 0] < places[:, None, 1]) & (offsets[None, :, 1] > places[:, None, 0])
    inside &= offsets[:, 0] < offsets[:, 1]
    counts = inside.sum(axis=1)
    means: NDArray[np.float64] = inside @ values.astype(np.float64) / np.maximum(counts, 1)
    return counts > 0, means


def load_opinions(
    likelihood: str = "",
    inference: str = "",
    *,
    device: str | None = None,
    dtype: str | None = None,
    offline: bool = False,
) -> Opinions:
    """The models of these names, as `models.load` takes them behind `lm:` and `nli:`; "" for
    none. Raises as `models.load` does."""
    from faithkit.models import load

    def found(role: str, name: str) -> Any:
        return load(f"{role}:{name}", device=device, dtype=dtype, offline=offline) if name else None

    return Opinions(found("lm", likelihood), likelihood, found("nli", inference), inference)
