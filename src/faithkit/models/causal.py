"""Teacher-forced token log-probabilities from any Hugging Face causal language model.

Three passes give the five vectors of [FFLM §3]: `[BOS X sep Y]`, `[BOS Y sep X]` and
`[BOS Y space X sep Y]`. The common prefix of sequences (the summaries of one source) runs once, and
each sequence continues from its key-value cache. What the vectors mean is in
`metrics/likelihood.py`; encoder-decoder models are in `seq2seq.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from faithkit.models import hf
from faithkit.models.batching import batches
from faithkit.models.cards import of_folder
from faithkit.models.identity import model_id
from faithkit.models.protocols import Floats, Ints, Vector
from faithkit.models.teacher_forcing import (
    NO_IDS,
    SEPARATOR,
    Ask,
    ForcedModel,
    Key,
    Pieces,
    key_of,
)
from faithkit.records import ModelError

if TYPE_CHECKING:
    from faithkit.models.seq2seq import Seq2SeqLM

CACHE_BYTES = 2**30
"""The most memory for copies of a prefix's key-value cache, in bytes."""

MIN_SHARED_PREFIX = 32
"""The shortest common prefix, in tokens, that is run once; a shorter one is faster to repeat."""


class Job(NamedTuple):
    """One sequence: `prefix`, then `target`. If `target_key` is set, the log-probabilities of the
    target are wanted; if `inner_key` is set, those of `inner`, the tokens of the prefix after its
    first."""

    prefix: Ints
    inner: Ints
    inner_key: Key | None
    target: Ints
    target_key: Key | None


class CausalLM(ForcedModel):
    """A causal language model. Satisfies `LanguageModel`.

    Sequences begin with the tokenizer's BOS token, or with EOS if it has no BOS (Qwen), so that the
    first token of a text has a probability too. Raises ModelError if the tokenizer has neither.
    """

    separator = SEPARATOR
    # Summaries of one long document that differ by a few tokens are cut alike, so that they still
    # share its pass, whatever else is in the batch.
    step = 64

    def __init__(self, model: Any, tokenizer: Any, *, id: str) -> None:
        start = tokenizer.bos_token_id
        start = tokenizer.eos_token_id if start is None else start
        if start is None:
            raise ModelError(
                f"{id}: its tokenizer has neither a BOS nor an EOS token, so a text's first token "
                "has no probability; set one in tokenizer_config.json"
            )
        self._start = np.array([start], dtype=np.int64)
        self._shares_prefix = False
        super().__init__(model, tokenizer, id=id)

    def _probe(self) -> tuple[torch.Tensor, torch.Tensor]:
        from transformers.cache_utils import DynamicCache, DynamicLayer

        ids = torch.from_numpy(np.concatenate([self._start, self._space, self._start]))[None]
        ids = ids.to(self._device)
        output = self._model.base_model(ids, use_cache=True)
        cache = getattr(output, "past_key_values", None)
        # Sliding windows and recurrent states cannot be repeated row by row.
        self._shares_prefix = isinstance(cache, DynamicCache) and all(
            type(layer) is DynamicLayer for layer in cache.layers
        )
        return output.last_hidden_state[0], self._model(ids, use_cache=False).logits[0]

    def _fit(self, summary_tokens: int, limit: int, *, twice: bool) -> int:
        source_limit = limit - 1 - len(self._separator) - summary_tokens
        return source_limit - summary_tokens - len(self._space) if twice else source_limit

    def _run(
        self, pieces: Sequence[Pieces], wanted: frozenset[Vector], computed: Mapping[Key, Floats]
    ) -> Iterator[tuple[Key, Floats]]:
        groups: dict[bytes, list[Job]] = defaultdict(list)
        for job in self._jobs(pieces, wanted, set(computed)):
            groups[job.prefix.tobytes()].append(job)
        unshared: list[Job] = []
        for jobs in groups.values():
            if len(jobs) > 1 and self._shares_prefix and len(jobs[0].prefix) >= MIN_SHARED_PREFIX:
                yield from self._after_prefix(jobs)
            else:
                unshared += jobs
        lengths = [len(job.prefix) + len(job.target) for job in unshared]
        for batch in batches(lengths, self._batch_tokens):
            yield from self._run_sequences([unshared[position] for position in batch])

    def _jobs(
        self, pieces: Sequence[Pieces], wanted: frozenset[Vector], computed: set[Key]
    ) -> Iterator[Job]:
        """The sequences that give the wanted vectors which are not computed; each vector once.

        The vector of a text with nothing before it is read from the pass in which the text is the
        condition, if that condition begins with the same ids.
        """
        passes: tuple[tuple[Vector, Vector | None], ...] = (
            ("summary_s2s", "source_lm"),
            ("source_s2s", "summary_lm"),
            ("summary_pref", None),
        )
        for piece in pieces:
            for outer, inner in passes:
                groups: list[tuple[Vector, ...]] = [(outer,)]
                if inner is not None:
                    begin = piece.conditions[outer][: len(piece.target(inner))]
                    is_shared = np.array_equal(begin, piece.target(inner))
                    groups = [(outer, inner)] if is_shared else [(outer,), (inner,)]
                for group in groups:
                    if missing := self._missing(group, wanted, piece, computed):
                        yield self._job(piece, missing.get(outer), outer, inner, missing)

    def _job(
        self,
        piece: Pieces,
        target_key: Key | None,
        outer: Vector,
        inner: Vector | None,
        missing: Mapping[Vector, Key],
    ) -> Job:
        """The sequence of a pass that gives the missing vectors, of `outer` and `inner`."""
        inner_ids = NO_IDS if inner is None else piece.target(inner)
        inner_key = None if inner is None else missing.get(inner)
        prefix = inner_ids if target_key is None else piece.conditions[outer]
        target = NO_IDS if target_key is None else piece.target(outer)
        return Job(np.concatenate([self._start, prefix]), inner_ids, inner_key, target, target_key)

    def _missing(
        self,
        vectors: tuple[Vector, ...],
        wanted: frozenset[Vector],
        piece: Pieces,
        computed: set[Key],
    ) -> dict[Vector, Key]:
        """The vectors of one pass that must be computed, with their keys; empty if all wanted ones
        are in `computed`. Adds the keys to `computed`."""
        keys = {vector: key_of(vector, piece) for vector in vectors}
        if all(vector not in wanted or keys[vector] in computed for vector in vectors):
            return {}
        keep = self._vectors_to_keep(vectors, wanted, piece)
        missing = {
            vector: key for vector, key in keys.items() if vector in keep and key not in computed
        }
        computed.update(missing.values())
        return missing

    def _run_sequences(self, jobs: Sequence[Job]) -> Iterator[tuple[Key, Floats]]:
        """Runs complete sequences, padded on the right. The last token is left out, as it predicts
        nothing."""
        rows = [np.concatenate([job.prefix, job.target])[:-1] for job in jobs]
        hidden = self._model.base_model(self._padded(rows), use_cache=False).last_hidden_state
        asks = []
        for row, job in enumerate(jobs):
            if job.inner_key:
                asks.append(Ask(job.inner_key, row, 0, job.inner))
            if job.target_key:
                asks.append(Ask(job.target_key, row, len(job.prefix) - 1, job.target))
        yield from self._read(hidden, asks)

    def _after_prefix(self, jobs: Sequence[Job]) -> Iterator[tuple[Key, Floats]]:
        """Runs jobs with the same prefix: the prefix once, then the targets in batches that
        continue from its key-value cache."""
        prefix = jobs[0].prefix
        output = self._model.base_model(self._padded([prefix]), use_cache=True)
        hidden = output.last_hidden_state
        for job in jobs:
            if job.inner_key:
                yield from self._read(hidden, [Ask(job.inner_key, 0, 0, job.inner)])
        targets = [job for job in jobs if job.target_key]
        # Every row holds a copy of the cache, so memory limits the rows before arithmetic does.
        size = sum(
            layer.keys.nbytes + layer.values.nbytes for layer in output.past_key_values.layers
        )
        max_rows = max(1, CACHE_BYTES // size)
        for batch in batches([len(job.target) for job in targets], self._batch_tokens):
            for begin in range(0, len(batch), max_rows):
                rows = [targets[position] for position in batch[begin : begin + max_rows]]
                yield from self._continued(output, rows)

    def _continued(self, output: Any, jobs: Sequence[Job]) -> Iterator[tuple[Key, Floats]]:
        """Runs the targets of jobs after their common prefix. output: of the prefix, whose last
        state predicts the first token of each target."""
        states = output.last_hidden_state[:, -1:].expand(len(jobs), 1, -1)
        rows = [job.target[:-1] for job in jobs]
        if any(map(len, rows)):
            later_states = self._model.base_model(
                self._padded(rows),
                past_key_values=_repeated(output.past_key_values, len(jobs)),
                use_cache=True,
            ).last_hidden_state
            states = torch.cat([states, later_states], dim=1)
        keys = [job.target_key for job in jobs]
        asks = [
            Ask(key, row, 0, job.target)
            for row, (key, job) in enumerate(zip(keys, jobs, strict=True))
            if key
        ]
        yield from self._read(states, asks)


def _repeated(cache: Any, rows: int) -> Any:
    """A copy of a one-row cache with `rows` rows."""
    from transformers.cache_utils import DynamicCache

    copied = DynamicCache()
    for number, layer in enumerate(cache.layers):
        keys = layer.keys.expand(rows, -1, -1, -1)
        copied.update(keys, layer.values.expand(rows, -1, -1, -1), number)
    return copied


def load_causal(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> CausalLM | Seq2SeqLM:
    """The language model in a folder of safetensors, config and tokenizer. An encoder-decoder
    (BART, T5) is loaded as a `Seq2SeqLM`, since its decoder alone would be another model.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError if the folder holds no such
    model.
    """
    from transformers import AutoConfig

    role = "causal language model"
    with hf.loading(name, path, role):
        config = AutoConfig.from_pretrained(path, local_files_only=True)
    if config.is_encoder_decoder:
        from faithkit.models.seq2seq import load_seq2seq

        return load_seq2seq(path, name, device=device, dtype=dtype)
    model, tokenizer = hf.read("CausalLM", path, name, role, device, dtype)
    loaded = CausalLM(model, tokenizer, id=model_id(path, name, dtype))
    loaded.trained_on = of_folder(path)
    return loaded
