"""Chat with any Hugging Face causal model on this machine.

The prompt is formatted with the tokenizer's chat template, or with `PLAIN` if it has none (a base
model). The document and the summary are tokenised separately, so that nothing in them is read as a
special token. Only the document is truncated. Models behind an API are in `endpoint.py`.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import GenerationConfig, LogitsProcessorList

from faithkit.models import hf
from faithkit.models.batching import TokenBudget, batches
from faithkit.models.cards import of_folder
from faithkit.models.chat.transcripts import Transcribed, defused
from faithkit.models.generation import NanWatch
from faithkit.models.identity import model_id
from faithkit.models.protocols import Asking, Ints, Prompt, Reply
from faithkit.records import ModelError, Outcome

BUDGET = TokenBudget(2048, 32_768)
"""Of a batch, the tokens of the answers included."""

PLAIN = "{{ bos_token or '' }}{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
"""The chat template for a model without one: the prompt, then the answer on a new line."""

_PLACEHOLDER = re.compile("\x02(\\d+)\x03")

log = logging.getLogger("faithkit")


class Framed(NamedTuple):
    """The token ids of a prompt; empty unless the outcome is ok."""

    outcome: Outcome
    ids: Ints
    document_tokens: int
    document_cut: int
    summary_tokens: int


class LocalChat(Transcribed):
    """A causal model that decodes greedily, or samples at a temperature. Satisfies `ChatModel`.

    If probabilities of first words are wanted, they are computed from the logits and no text is
    generated. With a temperature, each answer is generated in a batch of its own, with a seed made
    of its prompt and the number of the sample. Raises ModelError without an end-of-sequence token.
    """

    def __init__(self, model: Any, tokenizer: Any, *, id: str) -> None:
        if not tokenizer.chat_template:
            log.warning("%s has no chat template; it is asked with the plain prompt", id)
        self._template = tokenizer.chat_template or PLAIN
        self.id = id
        self.trained_on: frozenset[str] = frozenset()
        self.context = hf.context_limit(model.config, tokenizer, id)
        self._model, self._tokenizer = model.eval(), tokenizer
        configured = model.generation_config.eos_token_id
        listed = configured if isinstance(configured, list) else [configured]
        ends = {tokenizer.eos_token_id, *listed} - {None}
        if not ends:
            raise ModelError(f"{id}: its tokenizer has no end-of-sequence token; add it")
        self._ends = sorted(ends)
        # A tokenizer matches its added tokens before all others.
        added = [text for text in tokenizer.get_added_vocab() if len(text) > 1 and text.strip()]
        self._added = re.compile("|".join(map(re.escape, sorted(added, key=len, reverse=True))))
        self._has_added = bool(added)

    def _ask(self, prompts: Sequence[Prompt], asking: Asking) -> Iterator[tuple[int, Reply]]:
        words = self._spellings(asking.first)
        tokens = 1 if words else asking.tokens
        framed = [self.frame(prompt, asking.document_tokens, tokens) for prompt in prompts]
        if asking.whole:
            framed = [_untruncated(prompt) for prompt in framed]
        usable = [index for index, prompt in enumerate(framed) if prompt.outcome is Outcome.OK]
        for index in set(range(len(prompts))) - set(usable):
            yield index, _reply(framed[index], framed[index].outcome)
        budget = 1 if asking.temperature else BUDGET.on(self._device.type)
        lengths = [len(framed[index].ids) + tokens for index in usable]
        for batch in batches(lengths, budget):
            indices = [usable[position] for position in batch]
            replies = self._answers([framed[index] for index in indices], asking, words, tokens)
            yield from zip(indices, replies, strict=True)

    @property
    def _device(self) -> torch.device:
        device: torch.device = next(self._model.parameters()).device
        return device

    def frame(self, prompt: Prompt, document_tokens: int | None, answer_tokens: int) -> Framed:
        """The prompt in the chat template, its document truncated to `document_tokens` and to what
        fits in the context beside the other texts and the answer. Raises ModelError if the template
        changes the message."""
        content = "".join(
            f"\x02{index}\x03" if piece.slot else piece.text for index, piece in enumerate(prompt)
        )
        text = self._tokenizer.apply_chat_template(
            [{"role": "user", "content": content}],
            chat_template=self._template,
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
        )
        parts = _PLACEHOLDER.split(text)
        if [int(part) for part in parts[1::2]] != [
            i for i, piece in enumerate(prompt) if piece.slot
        ]:
            raise ModelError(f"{self.id}: its chat template does not keep a message as it is")
        fixed = [self._ids(part) for part in parts[::2]]
        texts = {int(part): self._text_ids(prompt[int(part)].text) for part in parts[1::2]}
        documents = [index for index in texts if prompt[index].slot == "document"]
        total = sum(len(texts[index]) for index in documents)
        summary = sum(map(len, texts.values())) - total
        available = self.context - answer_tokens - sum(map(len, fixed)) - summary
        if available < 1:
            return Framed(Outcome.TRUNCATED_SUMMARY, fixed[0][:0], 0, total, summary)
        limit = min(available, document_tokens or available) // max(1, len(documents))
        for index in documents:
            texts[index] = texts[index][:limit]
        read = sum(len(texts[index]) for index in documents)
        pieces = [fixed[0]]
        for index, following in zip(texts, fixed[1:], strict=True):
            pieces += [texts[index], following]
        return Framed(Outcome.OK, np.concatenate(pieces), read, total - read, summary)

    def _ids(self, text: str) -> Ints:
        return hf.token_ids(self._tokenizer, text)

    def _text_ids(self, text: str) -> Ints:
        """The ids of a text, with characters that spell a special token as ordinary text: the text
        is split after the first character of each such token, and its parts are tokenised."""
        text = defused(text)
        cuts = [0]
        start = 0
        while self._has_added and (match := self._added.search(text, start)):
            start = match.start() + 1
            cuts.append(start)
        pieces = [self._ids(text[a:b]) for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]
        return np.concatenate(pieces)

    def _spellings(self, words: Sequence[str]) -> dict[str, list[int]]:
        """The ids of the tokens that spell each word, in any case and with or without a space
        before; empty if the vocabulary lacks one of the words."""
        spellings: dict[str, list[int]] = {word: [] for word in words}
        for token, number in self._tokenizer.get_vocab().items() if words else ():
            spelled = token.strip("Ġ▁ ").casefold()
            if spelled in spellings:
                spellings[spelled].append(number)
        return spellings if all(spellings.values()) else {}

    def _answers(
        self,
        framed: Sequence[Framed],
        asking: Asking,
        words: dict[str, list[int]],
        tokens: int,
    ) -> Iterator[Reply]:
        """The replies to one batch of prompts.

        words   the tokens of each word whose probability is wanted; empty: a text is wanted
        tokens  the most tokens of an answer
        """
        rows = [prompt.ids for prompt in framed]
        watch = _Watch(len(rows), words)
        written = self._write(rows, asking, tokens, watch).tolist()
        for row, (prompt, ids) in enumerate(zip(framed, written, strict=True)):
            if watch.failed[row]:
                yield _reply(prompt, Outcome.MODEL_ERROR)
                continue
            end = next((i for i, token in enumerate(ids) if token in self._ends), len(ids))
            text = "" if words else self._tokenizer.decode(ids[:end], skip_special_tokens=True)
            yield Reply(
                Outcome.OK,
                text,
                watch.first[row],
                prompt.document_tokens,
                prompt.document_cut,
                prompt.summary_tokens,
                len(prompt.ids),
                0 if words else end,
            )

    def _write(
        self, rows: Sequence[Ints], asking: Asking, tokens: int, watch: _Watch
    ) -> torch.Tensor:
        """The generated ids, [rows, at most `tokens`], with padding after an end of sequence."""
        pad = self._tokenizer.pad_token_id
        pad = self._ends[0] if pad is None else pad
        ids, mask = hf.pad(rows, pad, left=True)
        sampled = {"temperature": asking.temperature, "top_k": 0, "top_p": 1.0}
        # The checkpoint's own generation settings (temperature, penalty) are for conversation.
        self._model.generation_config = GenerationConfig(
            max_new_tokens=tokens,
            do_sample=asking.temperature > 0,
            eos_token_id=self._ends,
            pad_token_id=pad,
            **(sampled if asking.temperature else {}),
        )
        device = self._device
        seeded = [device] if device.type == "cuda" else []
        with torch.inference_mode(), torch.random.fork_rng(devices=seeded):
            torch.manual_seed(_seed(rows[0], asking.sample))
            written: torch.Tensor = self._model.generate(
                input_ids=ids.to(device),
                attention_mask=mask.to(device),
                logits_processor=LogitsProcessorList([watch]),
            )
        return written[:, ids.shape[1] :].cpu()


class _Watch(NanWatch):
    """Also records the probability of each word as the first token."""

    def __init__(self, rows: int, words: dict[str, list[int]]) -> None:
        super().__init__(rows)
        self.first: list[dict[str, float]] = []
        self._words = words

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if not self.first:
            probabilities = scores.double().softmax(-1)
            columns = {
                word: probabilities[:, ids].sum(1).tolist() for word, ids in self._words.items()
            }
            self.first = [
                {word: column[row] for word, column in columns.items()}
                for row in range(len(self.failed))
            ]
        return super().__call__(input_ids, scores)


def _untruncated(framed: Framed) -> Framed:
    """The prompt, with the outcome too_long if its document was truncated or it does not fit."""
    fits = framed.outcome is Outcome.OK and not framed.document_cut
    return framed if fits else framed._replace(outcome=Outcome.TOO_LONG)


def _reply(framed: Framed, outcome: Outcome) -> Reply:
    """A reply without an answer."""
    return Reply(
        outcome,
        document_tokens=framed.document_tokens,
        document_cut=framed.document_cut,
        summary_tokens=framed.summary_tokens,
    )


def _seed(ids: Ints, sample: int) -> int:
    """The seed of a sample, the same for the same prompt in every run."""
    digest = hashlib.sha256(ids.tobytes() + sample.to_bytes(8, "big")).digest()
    return int.from_bytes(digest[:7], "big")


def load_chat(path: Path, name: str, *, device: str | None, dtype: str | None) -> LocalChat:
    """The chat model in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError.
    """
    model, tokenizer = hf.read("CausalLM", path, name, "chat model", device, dtype)
    chat = LocalChat(model, tokenizer, id=model_id(path, name, dtype))
    chat.trained_on = of_folder(path)
    return chat
