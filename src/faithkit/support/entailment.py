"""Natural language inference from the support model, and the loader of the role `nli`: a folder
holds a support model, an adapter of `faithkit train nli` or a sequence classifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from faithkit import models
from faithkit.models.cards import trained_on
from faithkit.models.protocols import Entailed, EntailmentModel, SupportModel, Verdict
from faithkit.records import Outcome
from faithkit.support import engine
from faithkit.support.files import ADAPTER, WEIGHTS


def load_entailment(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> EntailmentModel:
    """The entailment model in a folder: an adapter on its base, the sentence head of a support
    model, or a sequence classifier. Errors and dtype as in `load_cross_encoder`."""
    if (path / ADAPTER).is_file():
        from faithkit.support.adapter import load_adapter

        return load_adapter(path, name, device=device, dtype=dtype)
    if _holds_support(path):
        support = models.load_folder("support", path, name, device=device or "cpu", dtype=dtype)
        return SupportEntailment(support)
    from faithkit.models.entailment import load_cross_encoder

    return load_cross_encoder(path, name, device=device, dtype=dtype)


def runs_light(path: Path, dtype: str | None) -> bool:
    """Whether the entailment model in a folder is an exported support model."""
    return _holds_support(path) and engine.runs_light(path, dtype)


def _holds_support(path: Path) -> bool:
    others = (path / ADAPTER, path / "config.json")
    return (path / WEIGHTS).is_file() and not any(file.exists() for file in others)


class SupportEntailment:
    """The sentence head of a support model as an `EntailmentModel`.

    A pair is judged as source = premise, summary = hypothesis. A hypothesis of several sentences is
    entailed only if each of them is, and contradicted if one is: it has the least entailment and
    the greatest contradiction of those that claim something, and the rest is neutral. One without a
    sentence states nothing: `no_claims`. Tokens are those of the verdict's coverage. The model's id
    is the support model's.
    """

    def __init__(self, model: SupportModel) -> None:
        self._model = model

    @property
    def id(self) -> str:
        return self._model.id

    @property
    def language(self) -> str | None:
        """That of the support model."""
        return getattr(self._model, "language", None)

    @property
    def trained_on(self) -> frozenset[str]:
        return trained_on(self._model)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """See `protocols.EntailmentModel`. Each distinct pair is judged once."""
        unique = list(dict.fromkeys(pairs))
        if not unique:
            return []
        verdicts = self._model.judge(unique)
        entailed = {pair: _of(verdict) for pair, verdict in zip(unique, verdicts, strict=True)}
        return [entailed[pair] for pair in pairs]


def _of(verdict: Verdict) -> Entailed:
    coverage = verdict.coverage
    outcome, probabilities = Outcome.OK, (0.0, 0.0, 0.0)
    if coverage.summary_tokens_cut:
        outcome = Outcome.TRUNCATED_SUMMARY
    elif not verdict.sentences:
        outcome = Outcome.NO_CLAIMS
    else:
        claims = [s for s in verdict.sentences if s.has_claim] or verdict.sentences
        values = np.array([s.probabilities for s in claims], dtype=np.float64)
        if np.isfinite(values).all():
            probabilities = _together(values)
        else:
            outcome = Outcome.MODEL_ERROR
    return Entailed(
        outcome,
        probabilities,
        coverage.source_tokens,
        coverage.source_tokens_cut,
        coverage.summary_tokens,
    )


def _together(probabilities: NDArray[np.float64]) -> tuple[float, float, float]:
    """Entailment, neutral and contradiction of all sentences together, [sentences, 3]."""
    if len(probabilities) == 1:
        entailment, neutral, contradiction = probabilities[0].tolist()
        return entailment, neutral, contradiction
    entailment, contradiction = probabilities[:, 0].min(), probabilities[:, 2].max()
    # The least entailment is at most that of the most contradicted sentence, so the two sum to 1 at
    # most, but for rounding.
    return float(entailment), max(0.0, float(1 - entailment - contradiction)), float(contradiction)
