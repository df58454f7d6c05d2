"""Texts written by any Hugging Face encoder-decoder (T5, BART, ...) about a source and a claim.

The layout `Reference: … Claim: … Output:`, 528 tokens in, 128 out and 5 beams are those of [LSS].
Only the source is ever cut. Log-probabilities of the same models are in `seq2seq.py`; how one is
fine-tuned for longest supported subsequences is in `train/lss.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from faithkit.models.cards import CARD, of_folder
from faithkit.models.embeddings import batches
from faithkit.models.identity import model_id
from faithkit.models.protocols import Generated, Ints
from faithkit.models.seq2seq import frame
from faithkit.models.teacher_forcing import loading, read_model
from faithkit.records import ModelError, Outcome

BEFORE_SOURCE, BEFORE_CLAIM, AFTER_CLAIM = "Reference:", "\nClaim:", "\nOutput:"
INPUT_TOKENS, OUTPUT_TOKENS, BEAMS = 528, 128, 5
LSS, LSS_STAR = "lss", "lss_star"
"""The two values of `task` in the card that training for LSS writes beside the weights."""

TOKENS_PER_BATCH, TOKENS_PER_BATCH_ACCELERATOR = 2048, 16_384
"""Padded tokens the encoder sees at once; the decoder has BEAMS rows for each of its rows."""


class Prompt(NamedTuple):
    """A (source, claim) in token ids; `ids` is empty unless the outcome is ok."""

    outcome: Outcome
    ids: Ints
    source_tokens: int
    source_cut: int
    claim_tokens: int


class Seq2SeqGenerator:
    """An encoder-decoder that writes by beam search. Satisfies `Generator`.

    input_tokens, output_tokens: how much it reads and writes, special tokens included; the
    layout's own numbers, or fewer where the model has fewer positions.
    star: whether it was trained to write LSS* rather than LSS; None if unknown.
    """

    def __init__(self, model: Any, tokenizer: Any, *, id: str, star: bool | None = None) -> None:
        if model.config.decoder_start_token_id is None:
            raise ModelError(f"{id}: its config.json has no decoder_start_token_id; add it")
        if tokenizer.eos_token_id is None:
            raise ModelError(f"{id}: its tokenizer has no end-of-sequence token; add it")
        self.id = id
        self.star = star
        self.trained_on: frozenset[str] = frozenset()
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.input_tokens = min(INPUT_TOKENS, _positions(model.config, "encoder"))
        self.output_tokens = min(OUTPUT_TOKENS, _positions(model.config, "decoder") - 1)
        self._left, self._right = frame(tokenizer)
        self._fixed = [self._ids(text) for text in (BEFORE_SOURCE, BEFORE_CLAIM, AFTER_CLAIM)]
        # A checkpoint's own settings (a least length, no repeated words) are for another task.
        model.generation_config = _beam_search(model, tokenizer, self.output_tokens)
        self._kept: dict[tuple[str, str], Generated] = {}

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        """See `protocols.Generator`. The last call's texts are kept, since several metrics ask
        for those of the same pairs one after the other."""
        found = {pair: self._kept[pair] for pair in pairs if pair in self._kept}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in found]
        prompts = dict(zip(new, self.prompts(new), strict=True))
        usable = [pair for pair in new if prompts[pair].outcome is Outcome.OK]
        texts: dict[tuple[str, str], str | None] = {}
        device = next(self.model.parameters()).device
        budget = TOKENS_PER_BATCH if device.type == "cpu" else TOKENS_PER_BATCH_ACCELERATOR
        for batch in batches([len(prompts[pair].ids) for pair in usable], budget):
            some = [usable[position] for position in batch]
            written = self._write([prompts[pair].ids for pair in some])
            texts |= dict(zip(some, written, strict=True))
        for pair, prompt in prompts.items():
            outcome, text = prompt.outcome, texts.get(pair)
            if outcome is Outcome.OK and text is None:
                outcome = Outcome.MODEL_ERROR
            found[pair] = Generated(
                outcome, text or "", prompt.source_tokens, prompt.source_cut, prompt.claim_tokens
            )
        self._kept = found
        return [found[pair] for pair in pairs]

    def forget(self) -> None:
        """Drops the kept texts: for when the weights have changed."""
        self._kept = {}

    def prompts(self, pairs: Sequence[tuple[str, str]]) -> list[Prompt]:
        """The encoder's input for each (source, claim), special tokens included."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        ids = {text: self._ids(f" {text.strip()}") for text in texts}
        before, between, after = self._fixed
        frame_tokens = sum(map(len, (self._left, before, between, after, self._right)))
        found = []
        for source_text, claim_text in pairs:
            source, claim = ids[source_text], ids[claim_text]
            room = self.input_tokens - frame_tokens - len(claim)
            # One token of what is written is the end of the sequence.
            if room < 1 or len(claim) >= self.output_tokens:
                found.append(
                    Prompt(Outcome.TRUNCATED_SUMMARY, self._right[:0], 0, len(source), len(claim))
                )
                continue
            seen = source[:room]
            whole = np.concatenate([self._left, before, seen, between, claim, after, self._right])
            found.append(Prompt(Outcome.OK, whole, len(seen), len(source) - len(seen), len(claim)))
        return found

    def target(self, text: str) -> Ints:
        """The ids that should be written for a text, its special tokens and the end included."""
        ids = np.concatenate([self._left, self._ids(text.strip()), self._right])
        end = np.array([self.tokenizer.eos_token_id], dtype=np.int64)
        return ids if len(ids) and ids[-1] == end[0] else np.concatenate([ids, end])

    def _ids(self, text: str) -> Ints:
        found = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return np.array(found, dtype=np.int64)

    def _write(self, rows: Sequence[Ints]) -> list[str | None]:
        """What the model writes for each input; None where it gave NaN."""
        ids, mask = padded(rows, self.tokenizer.pad_token_id or 0)
        device = next(self.model.parameters()).device
        watch = NanWatch(len(rows))
        with torch.inference_mode():
            written = self.model.generate(
                input_ids=ids.to(device),
                attention_mask=mask.to(device),
                logits_processor=LogitsProcessorList([watch]),
            )
        texts = self.tokenizer.batch_decode(written, skip_special_tokens=True)
        return [
            None if failed else text.strip()
            for text, failed in zip(texts, watch.failed, strict=True)
        ]


class NanWatch(LogitsProcessor):  # type: ignore[misc]
    """Notes which rows of a batch the model gave NaN for, at any step and in any beam."""

    def __init__(self, rows: int) -> None:
        self.failed = [False] * rows

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        bad = scores.isnan().any(dim=1).view(len(self.failed), -1).any(dim=1).tolist()
        self.failed = [old or new for old, new in zip(self.failed, bad, strict=True)]
        return scores.nan_to_num(nan=-1e9)


def padded(rows: Sequence[Ints], filler: int) -> tuple[torch.Tensor, torch.Tensor]:
    """ids [rows, longest], filled up on the right, and the mask of what is real."""
    lengths = np.array([len(ids) for ids in rows])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, filler, dtype=np.int64)
    ids[mask] = np.concatenate(rows)
    return torch.from_numpy(ids), torch.from_numpy(mask.astype(np.int64))


def _positions(config: Any, side: str) -> int:
    """Positions of one side; a model with relative positions (T5) takes any number."""
    for field in (f"max_{side}_position_embeddings", "max_position_embeddings"):
        if isinstance(found := getattr(config, field, None), int):
            return found
    return INPUT_TOKENS + 1


def _beam_search(model: Any, tokenizer: Any, tokens: int) -> GenerationConfig:
    own = model.generation_config
    return GenerationConfig(
        num_beams=BEAMS,
        do_sample=False,
        max_new_tokens=tokens,
        decoder_start_token_id=model.config.decoder_start_token_id,
        forced_bos_token_id=getattr(own, "forced_bos_token_id", None),
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id or 0,
    )


def load_generator(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> Seq2SeqGenerator:
    """The encoder-decoder in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError.
    """
    from transformers import AutoModelForSeq2SeqLM

    with loading(name, path, "sequence-to-sequence model"):
        model, tokenizer = read_model(AutoModelForSeq2SeqLM, path, name, device=device, dtype=dtype)
    star = _trained_for_star(path / CARD)
    made = Seq2SeqGenerator(model, tokenizer, id=model_id(path, name, dtype), star=star)
    made.trained_on = of_folder(path)
    return made


def _trained_for_star(card: Path) -> bool | None:
    """What the card of `train/lss.py` says that the model writes; None if there is no such card."""
    try:
        found = json.loads(card.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    task = found.get("task") if isinstance(found, dict) else None
    return task == LSS_STAR if task in (LSS, LSS_STAR) else None
