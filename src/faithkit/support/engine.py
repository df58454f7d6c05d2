"""What runs the support network: onnxruntime, or torch (`network.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from faithkit.models.batching import TokenBudget
from faithkit.models.onnx import GRAPH, MASKED, Session, in_rows, threads
from faithkit.models.protocols import Floats, Ints
from faithkit.support.encoders import Words, distance_classes, read_shape, read_weights
from faithkit.support.inputs import Batch

INPUTS = (
    "embedded", "codes", "segments", "places", "spread", "kept", "hidden",
    "claims", "claim_spread", "claim_kept", "share", "pool",
)  # fmt: skip
"""Of the exported graph (`graph.py`); where the encoder tells distances apart, DISTANCES too."""

DISTANCES = "distances"


class Engine(Protocol):
    """Logits of a batch.

    multiple  the tokens and words of its batches are padded to multiples of this
    threads   batches that it runs well at a time
    batch     padded tokens of one of them
    """

    multiple: int
    threads: int
    batch: TokenBudget

    def logits(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        """Word logits [rows, words], sentence logits [rows, 3], non-claim logits [rows]."""
        ...


class OnnxEngine:
    """The graph of an exported model, on the processor."""

    multiple = 16
    """Sums run in vectors of 8 or 16 numbers, so that other padding would change their order, and
    with it the last bits."""

    batch = TokenBudget(256, 4096)
    """A few hundred fill a core; in 4,096 it took 1.1 to 1.3 times as long."""

    def __init__(self, folder: Path, encoder: Path) -> None:
        weights, self._words = read_weights(folder, encoder)
        self._apart = read_shape(encoder).relative
        self.threads = threads()
        inputs = [*INPUTS, DISTANCES] if self._apart else INPUTS
        self._session = Session(folder / GRAPH, weights, inputs)

    def logits(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        feed = inputs_of(batch, self._words)
        if self._apart:
            feed[DISTANCES] = distance_classes(batch.ids.shape[1], self._apart)
        words, sentence, non_claim = self._session.run(feed)
        return words, sentence, non_claim


def inputs_of(batch: Batch, words: Words) -> dict[str, Floats | Ints]:
    """A batch as the graph's inputs (`graph.py`), but for DISTANCES.

    words  [vocabulary, width], the word embeddings
    """
    seen = batch.mask == 1
    spread, kept = in_rows(seen)
    claim = batch.pool.shape[2]
    in_claim = (seen & (batch.segments == 0))[:, :claim]
    claim_spread, claim_kept = in_rows(in_claim)
    meant = in_claim.copy()
    meant[:, 0] = False  # [CLS]
    share = meant / meant.sum(axis=1, keepdims=True)
    return {
        "embedded": words[batch.ids[seen]].astype(np.float32, copy=False),
        "codes": batch.codes[seen],
        "segments": batch.segments[seen],
        "places": kept % seen.shape[1],
        "spread": spread,
        "kept": kept,
        "hidden": np.where(seen, np.float32(0), MASKED)[:, None, None, :],
        "claims": spread[:, :claim][in_claim],
        "claim_spread": claim_spread,
        "claim_kept": claim_kept,
        "share": share.astype(np.float32)[:, None, :],
        "pool": batch.pool,
    }


def runs_light(folder: Path, dtype: str | None) -> bool:
    """Whether the support model in a folder was exported, and runs in float32."""
    return dtype in (None, "float32") and (folder / GRAPH).is_file()


def open_engine(folder: Path, encoder: Path, device: str, dtype: str = "float32") -> Engine:
    """onnxruntime for an exported model on the processor in float32, else torch. Raises ModelError
    where the files do not fit each other, ConfigError where torch is needed and missing."""
    if device == "cpu" and runs_light(folder, dtype):
        return OnnxEngine(folder, encoder)
    from faithkit.support.network import TorchEngine, read_network

    return TorchEngine(read_network(folder, encoder).to(device), dtype)
