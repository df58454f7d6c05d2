"""Teacher-forced token log-probabilities from any Hugging Face encoder-decoder (BART, T5, ...).

The encoder reads the condition, the decoder the forced text; if there is no condition, the encoder
reads an empty text. A source is encoded once for all its summaries. Causal models are in
`causal.py`; what the vectors mean is in `metrics/likelihood.py`. The five vectors: [FFLM §3].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from faithkit.models import hf
from faithkit.models.batching import batches
from faithkit.models.cards import of_folder
from faithkit.models.identity import model_id
from faithkit.models.protocols import Floats, Ints, Vector
from faithkit.models.teacher_forcing import (
    Ask,
    ForcedModel,
    Key,
    Pieces,
    key_of,
)
from faithkit.records import ModelError


class Job(NamedTuple):
    """The decoder reads the ids `before`, then the forced text `target`."""

    key: Key
    before: Ints
    target: Ints


class Seq2SeqLM(ForcedModel):
    """An encoder-decoder model. Satisfies `LanguageModel`. Raises ModelError if its config has no
    decoder_start_token_id."""

    def __init__(self, model: Any, tokenizer: Any, *, id: str) -> None:
        start = model.config.decoder_start_token_id
        if start is None:
            raise ModelError(f"{id}: its config.json has no decoder_start_token_id; add it")
        front, back = (np.array(ids, dtype=np.int64) for ids in hf.special_tokens(tokenizer, id))
        self._front, self._back = front, back
        self._empty_text = np.concatenate([front, back])
        if not len(self._empty_text):
            self._empty_text = np.array([start], dtype=np.int64)
        self._bare_start = np.array([start], dtype=np.int64)
        self._decoder_start = np.concatenate([self._bare_start, front])
        super().__init__(model, tokenizer, id=id, frame=(front, back))

    def _probe(self) -> tuple[torch.Tensor, torch.Tensor]:
        ids, start = self._padded([self._empty_text]), self._padded([self._decoder_start])
        states = self._model.get_encoder()(input_ids=ids).last_hidden_state
        hidden = self._decode(start, states, torch.ones_like(ids))
        logits = self._model(input_ids=ids, decoder_input_ids=start, use_cache=False).logits
        return hidden[0], logits[0]

    def _fit(self, summary_tokens: int, limit: int, *, twice: bool) -> int:
        source_limit = limit - len(self._empty_text)
        if summary_tokens > source_limit:
            return 0
        return source_limit - summary_tokens - len(self._space) if twice else source_limit

    def _run(
        self, pieces: Sequence[Pieces], wanted: frozenset[Vector], computed: Mapping[Key, Floats]
    ) -> Iterator[tuple[Key, Floats]]:
        conditions: dict[bytes, Ints] = {}
        jobs: dict[bytes, list[Job]] = {}
        planned = set(computed)
        for piece in pieces:
            for vector in sorted(wanted):
                key = key_of(vector, piece)
                if key not in planned:
                    planned.add(key)
                    condition = self._condition(vector, piece)
                    condition_key = condition.tobytes()
                    conditions[condition_key] = condition
                    before = self._bare_start if piece.special else self._decoder_start
                    job = Job(key, before, piece.target(vector))
                    jobs.setdefault(condition_key, []).append(job)
        keys = list(conditions)
        lengths = [len(conditions[key]) for key in keys]
        for batch in batches(lengths, self._batch_tokens):
            encoded = [keys[position] for position in batch]
            inputs = [conditions[key] for key in encoded]
            yield from self._pass(inputs, [jobs[key] for key in encoded])

    def _condition(self, vector: Vector, piece: Pieces) -> Ints:
        """The encoder's input for one vector, with special tokens."""
        ids = piece.conditions[vector]
        return np.concatenate([self._front, ids, self._back]) if len(ids) else self._empty_text

    def _pass(
        self, conditions: Sequence[Ints], jobs: Sequence[Sequence[Job]]
    ) -> Iterator[tuple[Key, Floats]]:
        """Encodes the conditions as one batch, then runs the decoder on the jobs of each."""
        ids = self._padded(conditions)
        stops = torch.tensor([len(condition) for condition in conditions], device=self._device)
        mask = (torch.arange(ids.shape[1], device=self._device) < stops[:, None]).long()
        states = self._model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        flat = [(row, job) for row, group in enumerate(jobs) for job in group]
        lengths = [ids.shape[1] + len(job.target) for _, job in flat]
        for batch in batches(lengths, self._batch_tokens):
            group = [flat[position] for position in batch]
            rows = torch.tensor([row for row, _ in group], device=self._device)
            inputs = [np.concatenate([job.before, job.target[:-1]]) for _, job in group]
            hidden = self._decode(self._padded(inputs), states[rows], mask[rows])
            asks = [
                Ask(job.key, row, len(job.before) - 1, job.target)
                for row, (_, job) in enumerate(group)
            ]
            yield from self._read(hidden, asks)

    def _decode(self, ids: torch.Tensor, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The decoder's states [rows, positions, width]. states, mask: of the encoder."""
        output = self._model.get_decoder()(
            input_ids=ids,
            encoder_hidden_states=states,
            encoder_attention_mask=mask,
            use_cache=False,
        )
        hidden: torch.Tensor = output.last_hidden_state
        return hidden


def load_seq2seq(path: Path, name: str, *, device: str | None, dtype: str | None) -> Seq2SeqLM:
    """The encoder-decoder in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError if it holds no such model.
    """
    model, tokenizer = hf.read("Seq2SeqLM", path, name, "sequence-to-sequence model", device, dtype)
    loaded = Seq2SeqLM(model, tokenizer, id=model_id(path, name, dtype))
    loaded.trained_on = of_folder(path)
    return loaded
