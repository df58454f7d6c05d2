"""Adapters of `faithkit train nli`: what turns an encoder or a causal language model into a judge
of (evidence, summary sentence).

An adapter is a folder of a few MB: low-rank changes of the base's linear layers (Hu et al. 2021,
LoRA, §4.1) and two heads in one safetensors file, and a JSON file that names the base by its id.
Here are the network, the evidence window, and loading; training is `faithkit.train.nli`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from faithkit.language.sentences import closed_sentences, source_sentences
from faithkit.language.words import Segment, words
from faithkit.models import hf
from faithkit.models.batching import batches, map_distinct
from faithkit.models.cards import named_in
from faithkit.models.entailment import three
from faithkit.models.identity import model_id
from faithkit.models.pairs import BUDGET as TOKENS
from faithkit.models.pairs import Frame, PairInput, pair_frame
from faithkit.models.protocols import CLASSES, Entailed, Floats, Ints
from faithkit.models.wordpiece import WordPiece
from faithkit.records import ModelError, Outcome
from faithkit.support.encoders import read_tokenizer
from faithkit.support.evidence import ANY_LENGTH, BUDGET, Source, select_evidence
from faithkit.support.files import ADAPTER
from faithkit.support.sentences import read_sentences

WEIGHTS, SETTINGS = "adapter_model.safetensors", ADAPTER
FORMAT = 3
"""Raised when network or windows change so that older files no longer mean the same."""

LABELS = CLASSES
"""The outputs of the class head, in order."""

WHOLE_WORDS = 128
"""Words and punctuation marks up to which a premise is read whole."""

COUNTED_BY = "mini"
"""The encoder whose tokens the evidence's budget counts."""

CAUSAL = "lm"
"""The role of a base that reads from left to right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an adapter needs beside its weights.

    base, base_id    the base as `role:name`, and its `model_id`
    labels           outputs of the class head
    rank, scale      of the low-rank changes: weight + scale * (B @ A), A [rank, inputs]
    budget           tokens of evidence
    whole            words up to which a premise is read whole
    card             how it was trained and what it reached
    """

    base: str
    base_id: str
    labels: tuple[str, ...]
    rank: int
    scale: float
    budget: int
    whole: int
    card: Mapping[str, Any]


def sentence_words(sentence: str) -> Ints:
    """[words, 2] character offsets of the words that are judged: those with a letter or digit."""
    spans = [(w.start, w.end) for w in words(sentence) if any(map(str.isalnum, w.text))]
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


class Window:
    """The part of a premise that a sentence is judged against: a short one whole, of a long one the
    evidence of `support.evidence`, joined in the source's order. The same in training and
    afterwards."""

    def __init__(self, budget: int = BUDGET, whole: int = WHOLE_WORDS) -> None:
        self.budget, self.whole = budget, whole

    @cached_property
    def _tokenizer(self) -> WordPiece:
        from faithkit import models

        return read_tokenizer(models.resolve("tokens", COUNTED_BY)[0])

    def premises(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """The window of each (premise, sentence), in order."""
        by_premise: dict[str, list[str]] = {}
        for premise, sentence in dict.fromkeys(pairs):
            by_premise.setdefault(premise, []).append(sentence)
        windows: dict[tuple[str, str], str] = {}
        for premise, sentences in by_premise.items():
            source = None
            if len(words(premise)) > self.whole:
                source = Source(read_sentences(source_sentences(premise), self._tokenizer))
            for sentence in sentences:
                window = premise if source is None else self._selected(premise, source, sentence)
                windows[premise, sentence] = window
        return [windows[pair] for pair in pairs]

    def _selected(self, premise: str, source: Source, sentence: str) -> str:
        claims = read_sentences([Segment(0, len(sentence), sentence)], self._tokenizer)
        selected = {
            index
            for claim in claims
            for index in select_evidence(claim, source, self.budget, ANY_LENGTH)
        }
        evidence = [source.sentences[index] for index in sorted(selected)]
        return " ".join(premise[part.start : part.end] for part in evidence) or premise


class Network(nn.Module):
    """A base and two heads over (window, sentence).

    Words: one logit of being unsupported over the mean of the word's token states. Classes: over
    the first token's state with the mean and the maximum over the sentence's words; with a causal
    base, over the last token's state.
    """

    def __init__(self, base: Any, *, causal: bool) -> None:
        super().__init__()
        width = int(base.config.hidden_size)
        self.base = base
        self.causal = causal
        self.classes = nn.Linear(width if causal else 3 * width, len(LABELS))
        self.words = nn.Linear(width, 1)

    def forward(
        self, inputs: Mapping[str, torch.Tensor], pool: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Word logits [batch, words] and class logits [batch, 3].

        inputs  of the base, [batch, tokens], padded on the right
        pool    [batch, words, tokens], each word's row the mean over its tokens; padding is zero
        """
        cached = {"use_cache": False} if self.causal else {}
        states = self.base(**inputs, **cached).last_hidden_state.float()
        word_states = pool @ states
        if self.causal:
            last = inputs["attention_mask"].sum(1) - 1
            pooled = states[torch.arange(len(states), device=states.device), last]
        else:
            is_word = (pool.sum(-1) > 0)[..., None]
            mean = word_states.sum(1) / is_word.sum(1).clamp(min=1)
            greatest = word_states.masked_fill(~is_word, -1e4).amax(1)
            pooled = torch.cat([states[:, 0], mean, greatest], dim=-1)
        return self.words(word_states).squeeze(-1), self.classes(pooled)


@dataclass(frozen=True, slots=True)
class Job:
    """A (window, sentence) in tokens.

    pair        their ids, the window cut to what fits
    window_cut  tokens of the window that did not fit
    fits        False where the sentence leaves no token of the window
    words       as `sentence_words`
    cover       [words, tokens], True where a token of the sentence belongs to a word
    """

    pair: PairInput
    window_cut: int
    fits: bool
    words: Ints
    cover: np.ndarray


@dataclass(frozen=True, slots=True)
class Judged:
    """What a network says of a (premise, sentence).

    outcome        ok; truncated_summary where the sentence does not fit; model_error on NaN
    probabilities  entailment, neutral, contradiction; zeros unless ok
    words          [words, 2] character offsets into the sentence
    unsupported    [words] probability that the premise does not support the word; zeros unless ok
    window_cut     tokens of the window that did not fit
    tokens         tokens of the sentence
    """

    outcome: Outcome
    probabilities: tuple[float, float, float]
    words: Ints
    unsupported: Floats
    window_cut: int
    tokens: int


class PairReader:
    """A network with its tokenizer: (window, sentence) pairs to judgements."""

    def __init__(self, network: Network, tokenizer: Any, *, id: str) -> None:
        if not tokenizer.is_fast:
            raise ModelError(f"{id}: needs a fast tokenizer (tokenizer.json) for offsets")
        self.network = network
        self._tokenizer = tokenizer
        self._frame = _causal_frame(tokenizer, id) if network.causal else pair_frame(tokenizer)
        self._text_tokens = hf.input_limit(network.base.config, tokenizer, id) - self._frame.size

    @property
    def device(self) -> torch.device:
        return self.network.words.weight.device

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        return [len(text.ids) for text in hf.encode(self._tokenizer, texts)]

    def jobs(self, pairs: Sequence[tuple[str, str]]) -> list[Job]:
        """Each (window, sentence) in tokens."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        encoded = dict(zip(texts, hf.encode(self._tokenizer, texts), strict=True))
        jobs = []
        for window, sentence in pairs:
            (whole, _), (ids, offsets) = encoded[window], encoded[sentence]
            words = sentence_words(sentence)
            cover = (offsets[None, :, 0] < words[:, 1:]) & (offsets[None, :, 1] > words[:, :1])
            left = self._text_tokens - len(ids)
            seen = whole[: max(left, 0)]
            job = Job(PairInput(seen, ids), len(whole) - len(seen), left > 0, words, cover)
            jobs.append(job)
        return jobs

    def size(self, job: Job) -> int:
        """Tokens of the whole input."""
        return self._frame.length(job.pair)

    def tensors(self, jobs: Sequence[Job]) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """The network's inputs, on its device."""
        padding = self._tokenizer.pad_token_id or 0
        inputs = self._frame.tensors([job.pair for job in jobs], padding)
        most_words = max(len(job.words) for job in jobs)
        pool = np.zeros((len(jobs), most_words, inputs["input_ids"].shape[1]), dtype=np.float32)
        for row, job in enumerate(jobs):
            start = self._frame.second_start(job.pair)
            share = job.cover / np.maximum(job.cover.sum(axis=1, keepdims=True), 1)
            pool[row, : len(job.words), start : start + len(job.pair.second)] = share
        placed = {name: tensor.to(self.device) for name, tensor in inputs.items()}
        return placed, torch.from_numpy(pool).to(self.device)

    def judge(self, jobs: Sequence[Job]) -> list[Judged]:
        """One for each job, in order."""
        results = [_unjudged(job) for job in jobs]
        usable = [position for position, job in enumerate(jobs) if job.fits]
        sizes = [self.size(jobs[position]) for position in usable]
        for batch in batches(sizes, TOKENS.on(self.device.type)):
            positions = [usable[index] for index in batch]
            with torch.inference_mode():
                words, classes = self.network(*self.tensors([jobs[i] for i in positions]))
                unsupported = words.sigmoid().cpu().numpy()
                rows = classes.double().softmax(-1).cpu().numpy()
            for position, shares, row in zip(positions, unsupported, rows, strict=True):
                results[position] = _judged(jobs[position], row, shares)
        return results


def _unjudged(job: Job, outcome: Outcome = Outcome.TRUNCATED_SUMMARY) -> Judged:
    return Judged(
        outcome,
        (0.0, 0.0, 0.0),
        job.words,
        np.zeros(len(job.words), dtype=np.float32),
        job.window_cut,
        len(job.pair.second),
    )


def _judged(job: Job, row: np.ndarray, shares: Floats) -> Judged:
    """row: the probabilities of the classes; shares: of the words, filled up to those of others."""
    unsupported = shares[: len(job.words)].copy()
    if not (np.isfinite(row).all() and np.isfinite(unsupported).all()):
        return _unjudged(job, Outcome.MODEL_ERROR)
    return Judged(
        Outcome.OK, three(row), job.words, unsupported, job.window_cut, len(job.pair.second)
    )


def _causal_frame(tokenizer: Any, name: str) -> Frame:
    """Window, empty line, sentence, end of text."""
    first, last = tokenizer.bos_token_id, tokenizer.eos_token_id
    if first is None and last is None:
        raise ModelError(f"{name}: its tokenizer has neither a BOS nor an EOS token; add one")
    between = tokenizer("\n\n", add_special_tokens=False)["input_ids"]
    front, back = (last if first is None else first), (first if last is None else last)
    return Frame([front], list(between), [back], None)


class AdaptedEntailment:
    """A base with its adapter. Satisfies `EntailmentModel`.

    Each sentence of a hypothesis is judged against its own window of the premise, and the
    probabilities are averaged; a hypothesis without a word states nothing: `no_claims`. The whole
    premise counts as seen, since its sentences are read for the choice, but for what of a window
    does not fit the base. The weights are read at the first pair.
    """

    def __init__(
        self,
        opened: Callable[[], PairReader],
        window: Window,
        *,
        id: str,
        trained_on: frozenset[str] = frozenset(),
    ) -> None:
        self.id = id
        self.trained_on = trained_on
        self._open = opened
        self._window = window

    @cached_property
    def _reader(self) -> PairReader:
        return self._open()

    def judge_sentences(self, pairs: Sequence[tuple[str, str]]) -> list[Judged]:
        """What the two heads say of each (premise, sentence), in order, the same in any batch. A
        sentence has at least one word with a letter or digit."""
        return map_distinct(pairs, self._judge_sentences)

    def _judge_sentences(self, pairs: Sequence[tuple[str, str]]) -> list[Judged]:
        windows = self._window.premises(pairs)
        sentences = [sentence for _, sentence in pairs]
        return self._reader.judge(self._reader.jobs(list(zip(windows, sentences, strict=True))))

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """See `protocols.EntailmentModel`."""
        unique = list(dict.fromkeys(pairs))
        pieces = {
            hypothesis: [
                s.text for s in closed_sentences(hypothesis) if len(sentence_words(s.text))
            ]
            for _, hypothesis in unique
        }
        sentences = [(premise, piece) for premise, whole in unique for piece in pieces[whole]]
        judged = dict(zip(sentences, self.judge_sentences(sentences), strict=True))
        premises = list(dict.fromkeys(premise for premise, _ in unique))
        sizes = dict(zip(premises, self._reader.count(premises), strict=True))
        entailed = {
            (premise, whole): _entailed(
                [judged[premise, piece] for piece in pieces[whole]], sizes[premise]
            )
            for premise, whole in unique
        }
        return [entailed[pair] for pair in pairs]


def _entailed(judged: Sequence[Judged], premise_tokens: int) -> Entailed:
    bad = [sentence.outcome for sentence in judged if sentence.outcome is not Outcome.OK]
    outcome = bad[0] if bad else Outcome.OK if judged else Outcome.NO_CLAIMS
    mean = (0.0, 0.0, 0.0)
    if outcome is Outcome.OK:
        mean = three(np.mean([sentence.probabilities for sentence in judged], axis=0))
    cut = max((sentence.window_cut for sentence in judged), default=0)
    tokens = sum(sentence.tokens for sentence in judged)
    return Entailed(outcome, mean, premise_tokens - cut, cut, tokens)


def open_base(path: Path, name: str, *, causal: bool) -> tuple[Network, Any]:
    """(network with untrained heads, tokenizer) on the base in a folder, float32 on the CPU. Raises
    ModelError."""
    # Nothing here reads the pooler, which many encoders are published without.
    role = "base of an adapter: an encoder or a causal language model"
    base, tokenizer = hf.read("", path, name, role, None, None, unread="pooler.")
    if not hasattr(base.config, "hidden_size"):
        raise ModelError(f"{name}: no encoder or causal language model; it has no hidden_size")
    return Network(base, causal=causal), tokenizer


def learned(network: Network) -> dict[str, torch.Tensor]:
    """The tensors of a trained network that are not the base's own, by their names in the file."""
    return {
        name.replace(".default.", "."): value.detach().cpu().contiguous()
        for name, value in network.named_parameters()
        if ".lora_" in name or name.startswith(("classes.", "words."))
    }


def write(folder: Path, settings: Settings, tensors: Mapping[str, torch.Tensor]) -> None:
    """Writes an adapter's two files."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(tensors), folder / WEIGHTS)
    described = json.dumps({"format": FORMAT, **asdict(settings)}, indent=2, allow_nan=False)
    (folder / SETTINGS).write_text(described + "\n", encoding="utf-8")


def read_settings(folder: Path) -> Settings:
    """What an adapter says of itself. Raises ModelError where the folder holds none."""
    try:
        raw = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        if raw.pop("format") != FORMAT:
            raise ModelError(f"{folder / SETTINGS} was made for another version of faithkit")
        settings = Settings(**(raw | {"labels": tuple(raw["labels"])}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{folder} holds no adapter ({error!r})") from error
    if settings.labels != LABELS:
        raise ModelError(f"{folder}: expected the labels {LABELS}, found {settings.labels}")
    return settings


def load_adapter(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> AdaptedEntailment:
    """The adapter in a folder on its base. Its id covers both files of the adapter, which name the
    base by its id. Raises ModelError where that is not the one it was trained on.

    dtype: of the base.
    """
    from faithkit import models

    settings = read_settings(path)
    role, _, base = settings.base.partition(":")
    folder, shown = models.resolve(role, base)
    here = model_id(folder, shown)
    if settings.base_id.rpartition("@")[2] != here.rpartition("@")[2]:
        raise ModelError(f"{name} was trained on {settings.base_id}, and {here} is here")
    window = Window(settings.budget, settings.whole)
    opened = partial(_open, path, settings, folder, shown, device or "cpu", dtype or "float32")
    id = model_id(path, name, dtype, tokenizer=False)
    return AdaptedEntailment(opened, window, id=id, trained_on=named_in(settings.card))


def _open(
    path: Path, settings: Settings, folder: Path, shown: str, device: str, dtype: str
) -> PairReader:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    network, tokenizer = open_base(folder, shown, causal=settings.base.startswith(f"{CAUSAL}:"))
    try:
        tensors = load_file(path / WEIGHTS)
        merge(network, tensors, settings.scale)
    except (SafetensorError, OSError, KeyError, AttributeError, RuntimeError) as error:
        raise ModelError(f"{path}: weights do not fit their base: {error}") from error
    network.base.to(getattr(torch, dtype))
    return PairReader(network.to(device).eval(), tokenizer, id=shown)


def merge(network: Network, tensors: Mapping[str, torch.Tensor], scale: float) -> None:
    """Puts what was learned into a network, in place: weight + scale * (B @ A)."""
    heads = {name: tensors[name] for name in learned(network)}
    network.load_state_dict(heads, strict=False)
    with torch.no_grad():
        for name in sorted(tensors):
            at, ending, _ = name.partition(".lora_A.weight")
            if ending:
                change = tensors[f"{at}.lora_B.weight"] @ tensors[name]
                network.get_parameter(f"{at}.weight").add_(scale * change)
