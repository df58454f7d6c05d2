"""The likelihood family as metrics: FFLM and its three components [FFLM §3], CoP, HaRiM, BARTScore
and CoCo. Each runs on a causal or an encoder-decoder model; those that share a model share its
passes. The formulas are in `likelihood.py`, the passes in `models/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import score_unless_blank
from faithkit.metrics.likelihood import (
    COMPONENTS,
    Component,
    Mask,
    Weight,
    bartscore,
    can_mark,
    coco,
    cop,
    fflm,
    harim,
    masked_source,
    parse_components,
    parse_weights,
    probability_change,
    recased,
    unsupported_words,
)
from faithkit.models.protocols import Floats, Forced, Forcing, Join, LanguageModel, Vector
from faithkit.records import JSON, Coverage, Example, Outcome, Score, scored, unscored

Vectors = Mapping[Vector, Floats]
INFINITY = float("inf")

PASSES: dict[Component, tuple[Vector, Vector]] = {
    "prior_y": ("summary_s2s", "summary_lm"),
    "prior_x": ("source_s2s", "source_lm"),
    "cond_y": ("summary_s2s", "summary_pref"),
}
"""Each component's log-probabilities with the condition and without it."""


BART = "facebook/bart-large-cnn"
_RELEASED = {
    "lm": "huggyllama/llama-7b",
    "weight": "code",
    "log": "on",
    "join": "condition",
}
"""What the scripts released with [FFLM] do."""


class _Probability(Metric):
    """Base class of this module's metrics. A subclass defines `name`, the vectors it needs and
    `_values`."""

    limitations = (
        "As good as the language model, and the embedded one is small; values of different models "
        "cannot be compared. A copied word becomes probable as a supported one does. A source that "
        "is longer than the model's context is cut (the coverage says so)."
    )
    models: ClassVar[dict[str, str]] = {"lm": "lm:mini"}

    def __init__(
        self,
        lm: LanguageModel,
        vectors: frozenset[Vector],
        context: int | None,
        recase: bool,
        join: Join = "ids",
        special_tokens: bool = False,
    ) -> None:
        self._lm = lm
        self._vectors = vectors
        self.marks_words = can_mark(vectors)
        self._context = context
        self._recase = recase
        self._forcing = Forcing(join, special_tokens)
        self.resolved: dict[str, JSON] = {"context": context or lm.context}
        lm.expect(vectors, self._forcing)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        forced = zip(examples, self._force(examples), strict=True)
        return [self._score(example, *vectors) for example, vectors in forced]

    def _force(self, examples: Sequence[Example]) -> list[tuple[Forced, Floats | None]]:
        """Each example's vectors, and those of its masked source where the metric has one."""
        forced = self._log_probs((example.source, example) for example in examples)
        return [(vectors, None) for vectors in forced]

    def _log_probs(
        self, sources: Iterable[tuple[str, Example]], *, alone: bool = False
    ) -> list[Forced]:
        """The vectors of each example's summary with this source. alone: see `log_probs`."""
        pairs = [
            (source, recased(example.summary, example.source) if self._recase else example.summary)
            for source, example in sources
        ]
        return self._lm.log_probs(
            pairs, self._vectors, context=self._context, forcing=self._forcing, alone=alone
        )

    def _score(self, example: Example, forced: Forced, masked: Floats | None) -> Score:
        coverage = Coverage(
            source_tokens=forced.source_tokens,
            source_tokens_cut=forced.source_cut,
            summary_tokens=forced.summary_tokens,
        )
        if forced.outcome is not Outcome.OK:
            return unscored(example, self.name, forced.outcome, coverage=coverage)
        vectors = dict(forced.vectors)
        value, parts = self._values(vectors) if masked is None else self._against(vectors, masked)
        return scored(
            example,
            self.name,
            value,
            parts=parts,
            spans=unsupported_words(example.summary, forced.summary_offsets, vectors),
            coverage=coverage,
        )

    def _values(self, vectors: Vectors) -> tuple[float, dict[str, float]]:
        """The score and its parts."""
        raise NotImplementedError

    def _against(self, vectors: Vectors, masked: Floats) -> tuple[float, dict[str, float]]:
        raise NotImplementedError


class Fflm(_Probability):
    """FFLM: a weighted sum of three probability changes [FFLM §3].

    lm          a causal or encoder-decoder model
    weights     `rating` (.25, .25, .5), `equal`, or three numbers for prior_y, prior_x, cond_y
    components  which of them, as `prior_y+cond_y`; the weights of the rest are scaled to sum to 1
    weight      what each token's change is multiplied by: `paper` e^p, as the formula is printed;
                `code` e^(1-p), as in the authors' released scripts, which most likely made the
                paper's tables; `none` 1
    log         changes of log-probability; off: of probability
    join        `ids`: source, separator and summary are tokenised by themselves; `condition`: a
                summary before the source is one text with it, as in the released scripts; `text`:
                each whole sequence is one text
    recase      a summary without a capital letter gets those that its words have in the source
                (FRANK's summaries are lower-cased)
    context     tokens the model may see; default all it can. Of a source that does not fit, an
                encoder-decoder reads what fits; a causal model a multiple of 64 tokens, so that
                the summaries of one source share its pass

    Parts: each component with those options, and plain (`_raw`: no log, no weight).
    """

    name = "fflm"
    bounds = (-INFINITY, INFINITY)
    unit = (
        "how much source and summary raise each other's token probabilities, in weighted "
        "log-probability per token; 0 where neither helps the other"
    )
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {**_RELEASED, "weights": "rating"}}

    def __init__(
        self,
        lm: LanguageModel,
        weights: str = "rating",
        components: str = "prior_y+prior_x+cond_y",
        weight: Weight = "paper",
        log: bool = True,
        join: Join = "ids",
        recase: bool = False,
        context: int | None = None,
    ) -> None:
        chosen = parse_components(components)
        self._weights = parse_weights(weights, chosen)
        self._weight = weight
        self._log = log
        vectors = frozenset(name for component in chosen for name in PASSES[component])
        super().__init__(lm, vectors, context, recase, join)
        shares = [round(self._weights.get(name, 0.0), 6) for name in COMPONENTS]
        self.resolved["weights"] = ",".join(f"{share:g}" for share in shares)

    def _values(self, vectors: Vectors) -> tuple[float, dict[str, float]]:
        changes: dict[Component, float] = {}
        parts: dict[str, float] = {}
        for name in self._weights:
            conditional, unconditional = (vectors[vector] for vector in PASSES[name])
            changes[name] = probability_change(
                conditional, unconditional, weight=self._weight, log=self._log
            )
            parts[f"delta_{name}"] = changes[name]
            raw = probability_change(conditional, unconditional, weight="none", log=False)
            parts[f"delta_{name}_raw"] = raw
        return fflm(changes, self._weights), parts


class _Delta(_Probability):
    """One component of FFLM by itself, with its options (see `Fflm`)."""

    component: ClassVar[Component]
    bounds = (-INFINITY, INFINITY)
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": _RELEASED}

    def __init__(
        self,
        lm: LanguageModel,
        weight: Weight = "paper",
        log: bool = True,
        join: Join = "ids",
        recase: bool = False,
        context: int | None = None,
    ) -> None:
        self._weight = weight
        self._log = log
        super().__init__(lm, frozenset(PASSES[self.component]), context, recase, join)

    def _values(self, vectors: Vectors) -> tuple[float, dict[str, float]]:
        conditional, unconditional = (vectors[vector] for vector in PASSES[self.component])
        raw = probability_change(conditional, unconditional, weight="none", log=False)
        value = probability_change(conditional, unconditional, weight=self._weight, log=self._log)
        return value, {f"delta_{self.component}_raw": raw}


class DeltaPriorY(_Delta):
    """Δ_Y^prior: what the source adds to the summary's probability [FFLM §3.1].
    Options: weight, log, join, recase and context of `fflm`."""

    name = "delta_prior_y"
    component = "prior_y"
    unit = "how much seeing the source raises the summary's tokens, weighted log-probability"


class DeltaPriorX(_Delta):
    """Δ_X^prior: what the summary adds to the source's probability [FFLM §3.1].
    Options: weight, log, join, recase and context of `fflm`."""

    name = "delta_prior_x"
    component = "prior_x"
    unit = "how much seeing the summary raises the source's tokens, weighted log-probability"


class DeltaCondY(_Delta):
    """Δ_Y^cond: what the source leaves to be gained from seeing the summary first [FFLM §3.1].
    Options: weight, log, join, recase and context of `fflm`."""

    name = "delta_cond_y"
    component = "cond_y"
    unit = (
        "summary's weighted log-probability given the source, less that given the summary and "
        "the source; near 0 where the source says it all"
    )


class Cop(_Probability):
    """CoP: log p(Y | X) - log p(Y | Y, X), token mean [FFLM §4.3; She et al. 2023].

    join            how the summary before the source is put together with it, as in `fflm`
    special_tokens  the tokens that an encoder-decoder's tokenizer puts around a text count too
    recase, context  as in `fflm`

    The preset `paper` is CoP's released script: BART, summary and source as one text before it, its
    special tokens counted; for FRANK add recase=on, as it does.
    """

    name = "cop"
    bounds = (-INFINITY, INFINITY)
    unit = (
        "mean log-probability of the summary given the source, less that given the summary and "
        "the source; near 0 where the source says it all"
    )
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"lm": BART, "join": "condition", "special_tokens": "on"}
    }

    def __init__(
        self,
        lm: LanguageModel,
        join: Join = "ids",
        special_tokens: bool = False,
        recase: bool = False,
        context: int | None = None,
    ) -> None:
        vectors: frozenset[Vector] = frozenset({"summary_s2s", "summary_pref"})
        super().__init__(lm, vectors, context, recase, join, special_tokens)

    def _values(self, vectors: Vectors) -> tuple[float, dict[str, float]]:
        conditional, primed = vectors["summary_s2s"], vectors["summary_pref"]
        parts = {"given_source": bartscore(conditional), "given_both": bartscore(primed)}
        return cop(conditional, primed), parts


class Harim(_Probability):
    """HaRiM, negated, so that higher is more faithful (Son et al. 2022; [FFLM §4.3]).
    Options: recase and context as in `fflm`."""

    name = "harim"
    bounds = (-2.0, 0.0)
    unit = "negated hallucination risk: lower where the source does not make tokens likelier"
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"lm": BART}}

    def __init__(self, lm: LanguageModel, recase: bool = False, context: int | None = None) -> None:
        super().__init__(lm, frozenset({"summary_s2s", "summary_lm"}), context, recase)

    def _values(self, vectors: Vectors) -> tuple[float, dict[str, float]]:
        conditional, alone = vectors["summary_s2s"], vectors["summary_lm"]
        parts = {"given_source": bartscore(conditional), "alone": bartscore(alone)}
        return harim(conditional, alone), parts


class BartScore(_Probability):
    """BARTScore, source to summary: mean log p(Y | X) (Yuan et al. 2021).

    special_tokens  an encoder-decoder's <s> and </s> are forced and counted with the summary, as
                    in the released scorer; off: the summary's own tokens alone
    recase, context  as in `fflm`
    """

    name = "bartscore"
    bounds = (-INFINITY, 0.0)
    unit = "mean log-probability of the summary's tokens given the source"
    limitations = (
        "A fluent, frequent wording is probable whatever the source says. As good as the language "
        "model, and the embedded one is small; values of different models cannot be compared. A "
        "source that is longer than the model's context is cut (the coverage says so)."
    )
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"lm": BART, "special_tokens": "on"}}

    def __init__(
        self,
        lm: LanguageModel,
        special_tokens: bool = False,
        recase: bool = False,
        context: int | None = None,
    ) -> None:
        vectors: frozenset[Vector] = frozenset({"summary_s2s"})
        super().__init__(lm, vectors, context, recase, special_tokens=special_tokens)

    def _values(self, vectors: Vectors) -> tuple[float, dict[str, float]]:
        return bartscore(vectors["summary_s2s"]), {}


class Coco(_Probability):
    """CoCo: what the summary's probability loses when its content is hidden in the source.

    mask     what is hidden: the `token`s the summary shares with the source, `span`s (two words
             more on each side), the `sentence`s they are in, or the whole `document`
    recase, context  as in `fflm`

    Hidden words are replaced by the model's mask token, or "_" if it has none.
    """

    name = "coco"
    bounds = (-1.0, 1.0)
    unit = "mean probability the summary's tokens lose when its content is hidden in the source"
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"lm": BART, "mask": "span"}}

    def __init__(
        self,
        lm: LanguageModel,
        mask: Mask = "span",
        recase: bool = False,
        context: int | None = None,
    ) -> None:
        self._mask = mask
        self.splitter = SPLITTER if mask == "sentence" else None
        super().__init__(lm, frozenset({"summary_s2s"}), context, recase)

    def _force(self, examples: Sequence[Example]) -> list[tuple[Forced, Floats | None]]:
        unmasked = self._log_probs((example.source, example) for example in examples)
        # What the model did not see of the source is not seen masked either.
        seen = [
            example.source[: forced.source_end]
            for example, forced in zip(examples, unmasked, strict=True)
        ]
        hidden = [
            masked_source(
                source,
                example.summary,
                self._mask,
                self._lm.mask,
                sentences(source) if self._mask == "sentence" else (),
            )
            for source, example in zip(seen, examples, strict=True)
        ]
        masked = self._log_probs(zip(hidden, examples, strict=True), alone=True)
        return [
            # A model that fails on the masked source alone fails the row.
            (
                forced if hidden.outcome is Outcome.OK else hidden,
                hidden.vectors.get("summary_s2s"),
            )
            for forced, hidden in zip(unmasked, masked, strict=True)
        ]

    def _against(self, vectors: Vectors, masked: Floats) -> tuple[float, dict[str, float]]:
        conditional = vectors["summary_s2s"]
        return coco(conditional, masked), {
            "given_source": bartscore(conditional),
            "masked": bartscore(masked),
        }
