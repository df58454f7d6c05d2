"""Semantic roles from any Hugging Face token classifier that reads a sentence and its verb.

Layout of the input: the sentence, then the verb as a second text, as in Shi & Lin 2019 ("Simple
BERT Models for Relation Extraction and Semantic Role Labeling"). The labels are PropBank's in BIO
(B-ARG0, I-ARG0, O; A0 and AM-TMP are read too). What becomes of them: `relations.merged_role`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import torch

from faithkit.models.embeddings import batches
from faithkit.models.entailment import pair_context
from faithkit.models.identity import model_id
from faithkit.models.protocols import Labelled
from faithkit.models.teacher_forcing import loading, read_model
from faithkit.records import ModelError, Outcome

TOKENS_PER_BATCH = 4096
"""Padded tokens in one forward pass."""

_ROLE = re.compile(r"^[BI]-(?:[CR]-)?A(?:RG)?[\dM]", re.IGNORECASE)


class _Row(NamedTuple):
    """A request as the tokenizer framed it. places: the sentence's tokens as (position, start,
    end)."""

    inputs: dict[str, list[int]]
    places: list[tuple[int, int, int]]


class _Loaded(NamedTuple):
    model: Any
    tokenizer: Any
    labels: list[str]
    context: int


class TokenLabeller:
    """Satisfies `RoleLabeller`. The weights are read at the first request."""

    def __init__(self, path: Path, *, id: str, device: str | None, dtype: str | None) -> None:
        self.id = id
        self._path, self._device, self._dtype = path, device, dtype

    @cached_property
    def _loaded(self) -> _Loaded:
        from transformers import AutoModelForTokenClassification

        with loading(self.id, self._path, "token classifier"):
            model, tokenizer = read_model(
                AutoModelForTokenClassification,
                self._path,
                self.id,
                device=self._device,
                dtype=self._dtype,
            )
        if not tokenizer.is_fast or tokenizer.pad_token_id is None:
            raise ModelError(f"{self.id}: needs a fast tokenizer with a padding token")
        labels = [str(model.config.id2label[index]) for index in range(model.config.num_labels)]
        if not any(_ROLE.match(label) for label in labels):
            raise ModelError(
                f"{self.id}: expected PropBank labels in BIO (B-ARG0, I-ARGM-TMP, O), found "
                f"{', '.join(labels[:6])}"
            )
        return _Loaded(
            model.eval(), tokenizer, labels, pair_context(model.config, tokenizer, self.id)
        )

    def label(self, requests: Sequence[tuple[str, int, int]]) -> list[Labelled]:
        """See `protocols.RoleLabeller`. Each distinct request runs once."""
        unique = list(dict.fromkeys(requests))
        found: dict[tuple[str, int, int], Labelled] = {}
        rows: dict[tuple[str, int, int], _Row] = {}
        for request in unique:
            row = self._row(request)
            if len(row.inputs["input_ids"]) > self._loaded.context:
                found[request] = Labelled(Outcome.TRUNCATED_SUMMARY)
            else:
                rows[request] = row
        usable = list(rows)
        lengths = [len(rows[request].inputs["input_ids"]) for request in usable]
        for batch in batches(lengths, TOKENS_PER_BATCH):
            some = [usable[position] for position in batch]
            labelled = self._batch(some, [rows[request] for request in some])
            found |= dict(zip(some, labelled, strict=True))
        return [found[request] for request in requests]

    def _row(self, request: tuple[str, int, int]) -> _Row:
        sentence, start, end = request
        encoded = self._loaded.tokenizer(
            sentence,
            sentence[start:end],
            return_offsets_mapping=True,
            split_special_tokens=True,
            verbose=False,
        )
        offsets = encoded.pop("offset_mapping")
        places = []
        sides = encoded.sequence_ids()
        for position, ((first, last), side) in enumerate(zip(offsets, sides, strict=True)):
            # Some tokenizers count the blank before a word to it.
            first = last - len(sentence[first:last].lstrip())
            if side == 0 and last > first:
                places.append((position, first, last))
        return _Row({name: list(values) for name, values in encoded.items()}, places)

    def _batch(
        self, requests: Sequence[tuple[str, int, int]], rows: Sequence[_Row]
    ) -> list[Labelled]:
        model, tokenizer, labels, _ = self._loaded
        width = max(len(row.inputs["input_ids"]) for row in rows)
        fill = {"input_ids": tokenizer.pad_token_id}
        tensors = {
            name: torch.tensor(
                [
                    row.inputs[name] + [fill.get(name, 0)] * (width - len(row.inputs[name]))
                    for row in rows
                ]
            ).to(model.device)
            for name in rows[0].inputs
        }
        with torch.inference_mode():
            logits = model(**tensors).logits.float().cpu()
        found = []
        for (sentence, _, _), row, numbers in zip(requests, rows, logits, strict=True):
            own = numbers[[position for position, _, _ in row.places]]
            if not own.isfinite().all():
                found.append(Labelled(Outcome.MODEL_ERROR))
                continue
            best = [labels[index] for index in own.argmax(dim=1).tolist()]
            spans = [(start, end) for _, start, end in row.places]
            found.append(Labelled(Outcome.OK, phrases_of(sentence, best, spans)))
        return found


def phrases_of(
    sentence: str, labels: Sequence[str], places: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, str], ...]:
    """Runs of BIO labels as (start, end, label). A token that goes on inside a word has its word's
    label; an I- that begins a run is read as a B-."""
    found: list[tuple[int, int, str]] = []
    glued = [
        False,
        *(
            before[1] == after[0] and sentence[after[0] - 1 : after[0] + 1].isalnum()
            for before, after in pairwise(places)
        ),
    ]
    running = ""
    for label, (start, end), inside in zip(labels, places, glued, strict=True):
        prefix, _, name = label.partition("-")
        if inside and running:
            found[-1] = (found[-1][0], end, running)
        elif inside:
            continue
        elif prefix == "I" and name == running and running:
            found[-1] = (found[-1][0], end, name)
        elif prefix in ("B", "I"):
            found.append((start, end, name))
            running = name
        else:
            running = ""
    return tuple(found)


def load_labeller(path: Path, name: str, *, device: str | None, dtype: str | None) -> TokenLabeller:
    """The token classifier in a folder of safetensors, config and tokenizer. Raises ModelError,
    at the first request where the folder holds something else."""
    return TokenLabeller(path, id=model_id(path, name, dtype), device=device, dtype=dtype)
