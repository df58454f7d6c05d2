"""Natural language inference from any Hugging Face sequence-classification checkpoint (BERT,
RoBERTa, DeBERTa, ALBERT, BART, ...). The role's loader, which also knows support models and
adapters, is `support/entailment.py`.

What lives here: the order of a checkpoint's labels, the framing and cutting of a pair, batches.
What does not: which pairs are asked for and what is made of the answers (`metrics/entailment.py`,
`metrics/summac.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from faithkit.models.embeddings import batches
from faithkit.models.identity import model_id
from faithkit.models.protocols import Entailed
from faithkit.models.teacher_forcing import context_limit, loading, read_model
from faithkit.records import ModelError, Outcome

TOKENS_PER_BATCH, TOKENS_PER_BATCH_ACCELERATOR = 4096, 32_768
"""Padded tokens in one forward pass."""

ENTAILMENT, NEUTRAL, CONTRADICTION = 0, 1, 2
"""Columns of the probabilities."""

MEANINGS: dict[str, int] = {
    "entailment": ENTAILMENT,
    "entail": ENTAILMENT,
    "entails": ENTAILMENT,
    "entailed": ENTAILMENT,
    "supports": ENTAILMENT,
    "supported": ENTAILMENT,
    "neutral": NEUTRAL,
    "not enough info": NEUTRAL,
    # A model of two classes cannot tell the other two apart, so it never claims a contradiction.
    "not entailment": NEUTRAL,
    "not entailed": NEUTRAL,
    "non entailment": NEUTRAL,
    "not supported": NEUTRAL,
    "contradiction": CONTRADICTION,
    "contradicts": CONTRADICTION,
    "contradictory": CONTRADICTION,
    "refutes": CONTRADICTION,
    "refuted": CONTRADICTION,
}
"""Label names in lower case, with spaces for - and _."""

UNNAMED: dict[str, tuple[int, ...]] = {
    "SNLI_roberta-base": (ENTAILMENT, NEUTRAL, CONTRADICTION),
    "SNLI_roberta-large": (ENTAILMENT, NEUTRAL, CONTRADICTION),
    "roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli": (ENTAILMENT, NEUTRAL, CONTRADICTION),
    "albert-base-vitaminc-mnli": (ENTAILMENT, CONTRADICTION, NEUTRAL),
    "albert-xlarge-vitaminc-mnli": (ENTAILMENT, CONTRADICTION, NEUTRAL),
    "albert-xlarge-vitaminc": (ENTAILMENT, CONTRADICTION, NEUTRAL),
}
"""What LABEL_0, LABEL_1, ... mean where a published config does not say, by the checkpoint's name
without its owner. From the table of the SummaC authors' package (summac 0.0.4)."""


class CrossEncoder:
    """A sequence classifier that reads premise and hypothesis together. Satisfies
    `EntailmentModel`.

    columns  of each of the model's outputs: entailment, neutral or contradiction

    The weights are read at the first pair, so a run whose every score is cached starts at once.
    """

    def __init__(
        self,
        path: Path,
        *,
        id: str,
        columns: Sequence[int],
        device: str | None = None,
        dtype: str | None = None,
    ) -> None:
        self.id = id
        self._path, self._device, self._dtype = path, device or "cpu", dtype
        self._columns = tuple(columns)

    @cached_property
    def _loaded(self) -> _Loaded:
        from transformers import AutoModelForSequenceClassification

        with loading(self.id, self._path, "sequence classifier"):
            model, tokenizer = read_model(
                AutoModelForSequenceClassification,
                self._path,
                self.id,
                device=self._device,
                dtype=self._dtype,
            )
        if not tokenizer.is_fast:
            raise ModelError(f"{self.id}: needs a fast tokenizer (tokenizer.json)")
        if tokenizer.pad_token_id is None:
            raise ModelError(
                f"{self.id}: its tokenizer has no padding token, so pairs cannot be batched; set "
                "pad_token in tokenizer_config.json"
            )
        context = pair_context(model.config, tokenizer, self.id)
        return _Loaded(model.eval(), tokenizer, frame_of(tokenizer), context)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """See `protocols.EntailmentModel`. Each distinct pair runs once.

        truncated_summary  not one token of the premise fits beside the hypothesis
        model_error        NaN or infinity
        """
        unique = list(dict.fromkeys(pairs))
        if not unique:
            return []
        inputs = self._inputs(unique)
        usable = [one for one in inputs if one.premise_room > 0]
        probabilities = iter(self._probabilities(usable))
        found = {
            pair: _entailed(one, next(probabilities) if one.premise_room > 0 else None)
            for pair, one in zip(unique, inputs, strict=True)
        }
        return [found[pair] for pair in pairs]

    def _inputs(self, pairs: Sequence[tuple[str, str]]) -> list[PairInput]:
        loaded = self._loaded
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        # Letters that spell a special token, as "[SEP]", are text like any other.
        encoded = loaded.tokenizer(
            texts, add_special_tokens=False, split_special_tokens=True, verbose=False
        )
        ids = dict(zip(texts, encoded["input_ids"], strict=True))
        room = loaded.context - loaded.frame.size
        return [
            PairInput(ids[premise], ids[hypothesis], room - len(ids[hypothesis]))
            for premise, hypothesis in pairs
        ]

    def _probabilities(self, inputs: Sequence[PairInput]) -> NDArray[np.float64]:
        """[inputs, 3] in order; NaN where the model gave NaN or infinity."""
        loaded = self._loaded
        found = np.zeros((len(inputs), 3))
        cpu = loaded.model.device.type == "cpu"
        budget = TOKENS_PER_BATCH if cpu else TOKENS_PER_BATCH_ACCELERATOR
        lengths = [loaded.frame.size + one.premise_seen + len(one.hypothesis) for one in inputs]
        for batch in batches(lengths, budget):
            some = [inputs[position] for position in batch]
            tensors = loaded.frame.padded(some, loaded.tokenizer.pad_token_id)
            on_device = {name: one.to(loaded.model.device) for name, one in tensors.items()}
            with torch.inference_mode():
                logits = loaded.model(**on_device).logits
            if logits.shape[1] != len(self._columns):
                raise ModelError(
                    f"{self.id}: its config.json names {len(self._columns)} labels, but the model "
                    f"gives {logits.shape[1]} numbers"
                )
            values = logits.float().cpu().double()
            values[~values.isfinite().all(dim=1)] = torch.nan
            for column, numbers in zip(self._columns, values.softmax(dim=1).T, strict=True):
                found[batch, column] += numbers.numpy()
        return found


@dataclass(frozen=True, slots=True)
class PairInput:
    """A pair in token ids. premise_room: tokens of the premise that fit, under 1 where none."""

    premise: list[int]
    hypothesis: list[int]
    premise_room: int

    @property
    def premise_seen(self) -> int:
        return max(0, min(len(self.premise), self.premise_room))


@dataclass(frozen=True, slots=True)
class Frame:
    """Special tokens before, between and behind the two texts, and the token types of the five
    parts where the model has them."""

    front: list[int]
    middle: list[int]
    back: list[int]
    types: tuple[list[int], int, list[int], int, list[int]] | None

    @property
    def size(self) -> int:
        return len(self.front) + len(self.middle) + len(self.back)

    def padded(self, inputs: Sequence[PairInput], padding: int) -> dict[str, torch.Tensor]:
        """A model's inputs, [inputs, longest], padded on the right with the token `padding`."""
        rows, types = [], []
        for one in inputs:
            premise = one.premise[: one.premise_seen]
            rows.append([*self.front, *premise, *self.middle, *one.hypothesis, *self.back])
            if self.types:
                front, first, middle, second, back = self.types
                own = [*front, *([first] * len(premise)), *middle]
                types.append([*own, *([second] * len(one.hypothesis)), *back])
        tensors = {
            "input_ids": _rectangle(rows, padding),
            "attention_mask": _rectangle([[1] * len(row) for row in rows], 0),
        }
        if types:
            tensors["token_type_ids"] = _rectangle(types, 0)
        return tensors


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What a cross-encoder needs to run. context: tokens of the longest pair, special ones too."""

    model: Any
    tokenizer: Any
    frame: Frame
    context: int


def _rectangle(rows: Sequence[list[int]], padding: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [padding] * (width - len(row)) for row in rows])


def frame_of(tokenizer: Any) -> Frame:
    """How the tokenizer joins two texts, read off a pair of it."""
    probe = tokenizer("one", "two")
    ids, places = list(probe["input_ids"]), probe.sequence_ids()
    first, second = places.index(0), places.index(1)
    first_end = len(places) - places[::-1].index(0)
    second_end = len(places) - places[::-1].index(1)
    types = None
    if "token_type_ids" in probe:
        own = list(probe["token_type_ids"])
        types = (
            own[:first],
            own[first],
            own[first_end:second],
            own[second],
            own[second_end:],
        )
    return Frame(ids[:first], ids[first_end:second], ids[second_end:], types)


def pair_context(config: Any, tokenizer: Any, name: str) -> int:
    """Tokens, special ones too, that fit: the positions, or less if the tokenizer says so."""
    positions = context_limit(config, tokenizer, name)
    if config.model_type in ("roberta", "xlm-roberta", "mpnet", "camembert"):
        # These count their positions from behind the padding's.
        positions -= int(config.pad_token_id or 0) + 1
    return min(positions, int(tokenizer.model_max_length))


def _entailed(one: PairInput, probabilities: NDArray[np.float64] | None) -> Entailed:
    outcome = Outcome.OK
    if probabilities is None:
        outcome = Outcome.TRUNCATED_SUMMARY
    elif not np.isfinite(probabilities).all():
        outcome = Outcome.MODEL_ERROR
    return Entailed(
        outcome,
        three(probabilities) if outcome is Outcome.OK else (0.0, 0.0, 0.0),
        one.premise_seen,
        len(one.premise) - one.premise_seen,
        len(one.hypothesis),
    )


def three(values: Any) -> tuple[float, float, float]:
    entailment, neutral, contradiction = map(float, values)
    return entailment, neutral, contradiction


def columns_of(config: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """What each output of a checkpoint means, from its config.json: `ENTAILMENT`, `NEUTRAL` or
    `CONTRADICTION`, in the order of the outputs.

    Names may be in any case and order. Of two classes, entailment and contradiction leave neutral
    0, and all of `not_entailment` counts as neutral. Raises ModelError on labels that say nothing
    (LABEL_0, ...; but for the checkpoints of `UNNAMED`), on others, and on a single output.
    """
    fix = (
        'write what its outputs mean into its config.json, for example "id2label": '
        '{"0": "contradiction", "1": "neutral", "2": "entailment"}'
    )
    labels = config.get("id2label") or {i: f"LABEL_{i}" for i in range(config.get("num_labels", 2))}
    try:
        names = [str(labels[key]) for key in sorted(labels, key=int)]
    except (ValueError, TypeError) as error:
        raise ModelError(f"{name}: id2label is {labels!r}; {fix}") from error
    shown = ", ".join(names)
    if len(names) == 1:
        raise ModelError(
            f"{name}: gives a single number (label {shown}), as regression and ranking models do; "
            "entailment needs a model with an output each for entailment, neutral and contradiction"
        )
    known = UNNAMED.get(name.rpartition("/")[2])
    if all(re.fullmatch(r"LABEL_\d+", label) for label in names):
        if known and len(known) == len(names):
            return known
        raise ModelError(f"{name}: its labels {shown} do not say which is entailment; {fix}")
    plain = [re.sub(r"[-_\s]+", " ", label.lower().strip()) for label in names]
    found = tuple(MEANINGS[label] for label in plain if label in MEANINGS)
    if len(set(found)) < len(names) or ENTAILMENT not in found:
        raise ModelError(
            f"{name}: expected the labels entailment, neutral and contradiction (or entailment "
            f"and one other), found {shown}. If this is an entailment model, {fix}"
        )
    return found


def load_cross_encoder(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> CrossEncoder:
    """The entailment model in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError where the folder holds no
    sequence classifier, or its labels do not say which is entailment (see `columns_of`).
    """
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
        kinds = ", ".join(config.get("architectures") or ())
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ModelError(f"{name}: {path} has no config.json of a model: {error!r}") from error
    if kinds and "ForSequenceClassification" not in kinds:
        raise ModelError(
            f"{name}: expected a sequence classifier of entailment, neutral and contradiction, as "
            f"roberta-large-mnli; found {kinds}"
        )
    columns = columns_of(config, name)
    return CrossEncoder(
        path, id=model_id(path, name, dtype), columns=columns, device=device, dtype=dtype
    )
