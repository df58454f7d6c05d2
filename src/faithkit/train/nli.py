"""`faithkit train nli`: an adapter that makes an encoder or a causal language model judge summary
sentences against their evidence, learned from labelled words.

In: labelled summaries (`words.py`) and sentences made from their documents (`corruptions`), as in
`support_rows.py`. Out: a folder that loads as `nli:FOLDER`; its network, windows and files are in
`support/adapter.py`. `peft` adds the low-rank changes (Hu et al. 2021, LoRA).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from faithkit import extras
from faithkit.models.protocols import Floats
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.models.store import find
from faithkit.records import JSON, DataError, ModelError, Outcome
from faithkit.support import adapter
from faithkit.support.adapter import (
    AdaptedEntailment,
    Job,
    Judged,
    Network,
    PairReader,
    Settings,
    Window,
)
from faithkit.train.adapters import (
    SCALE,
    AdapterOptions,
    Fitted,
    auc,
    card_of,
    entailment_figures,
    mean,
    prepare,
    resolve_base,
    step_reporter,
    with_corruptions,
)
from faithkit.train.loop import Checkpoint, Report, Step, seeded, trainable
from faithkit.train.loop import train as optimise
from faithkit.train.nli_pairs import Pair, identity_of, sentence_pairs
from faithkit.train.output import check_new
from faithkit.train.words import Labelled
from faithkit.writing import new_folder

# --- training ----------------------------------------------------------------------------------


def adapt(network: Network, rank: int) -> None:
    """Adds low-rank changes to every linear layer of the base, which is frozen, and resets the
    heads. Both depend on torch's seed. Raises ConfigError without peft, ModelError on a base
    without linear layers."""
    with extras.explained("Training an adapter"):
        from peft import LoraConfig, inject_adapter_in_model
    layers = [
        name
        for name, module in network.base.named_modules()
        if isinstance(module, torch.nn.Linear) and not name.startswith("pooler")
    ]
    if not layers:
        raise ModelError(f"{type(network.base).__name__} has no linear layer to adapt")
    network.classes.reset_parameters()
    network.words.reset_parameters()
    config = LoraConfig(r=rank, lora_alpha=SCALE * rank, target_modules=layers, lora_dropout=0.0)
    inject_adapter_in_model(config, network.base)


def fit(
    reader: PairReader,
    pairs: Sequence[Pair],
    windows: Sequence[str],
    options: AdapterOptions,
    after_step: Callable[[Step], None] = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Trains the reader's network in place on pairs with their windows. The same seed gives the
    same weights on the same machine, unless `minutes` ends it. Raises DataError without a pair, and
    as `loop.train`."""
    texts = [(window, pair.sentence) for window, pair in zip(windows, pairs, strict=True)]
    examples = [
        (job, pair) for job, pair in zip(reader.jobs(texts), pairs, strict=True) if job.fits
    ]
    if not examples:
        raise DataError("no pair is left to learn from")
    weights = _word_weights(pairs)

    def losses(batch: list[tuple[Job, Pair]]) -> Iterator[torch.Tensor]:
        yield _loss(reader, batch, weights)

    with seeded(options.seed, reader.device):
        adapt(reader.network, options.rank)
        # Without dropout: in a base that is frozen it costs time, on long inputs most of it.
        network = reader.network.to(reader.device).eval()
        training = optimise(
            examples,
            losses,
            trainable(network),
            options,
            length=lambda example: reader.size(example[0]),
            after_step=after_step,
            checkpoint=checkpoint,
        )
    return Fitted(training, len(pairs) - len(examples))


@dataclass(frozen=True, slots=True)
class Weights:
    """How much an unsupported and a supported word of an origin count in the loss."""

    unsupported: float
    supported: float


def loss_of(
    word: torch.Tensor,
    sentence: torch.Tensor,
    labels: torch.Tensor,
    target: torch.Tensor,
    weights: Sequence[Weights],
) -> torch.Tensor:
    """Cross-entropy of the labelled words, plus half that of the labelled sentences. Where only
    "not entailed" is known, neutral and contradiction are taken together."""
    is_labelled = ~torch.isnan(labels)
    labels = labels.nan_to_num()
    up = torch.tensor([w.unsupported for w in weights])[:, None]
    down = torch.tensor([w.supported for w in weights])[:, None]
    each = functional.binary_cross_entropy_with_logits(word, labels, reduction="none")
    by_word = each * (labels * up + (1 - labels) * down) * is_labelled
    has_target = ~torch.isnan(target[:, 0])
    joined = torch.isnan(target[:, 2])
    logs, wanted = sentence.log_softmax(-1), target.nan_to_num()
    three = -(wanted * logs).sum(-1)
    two = -(wanted[:, 0] * logs[:, 0] + wanted[:, 1] * torch.logsumexp(logs[:, 1:], dim=-1))
    by_sentence = torch.where(joined, two, three) * has_target
    return by_word.sum() / is_labelled.sum().clamp(
        min=1
    ) + 0.5 * by_sentence.sum() / has_target.sum().clamp(min=1)


def _word_weights(pairs: Sequence[Pair]) -> dict[str, Weights]:
    """Weights by origin. Unsupported words count more where they are rare. Where every labelled
    word is supported, words do not count: the style of an origin must not pass for faithful."""
    labels: dict[str, list[Floats]] = {}
    for pair in pairs:
        labels.setdefault(pair.origin, []).append(pair.labels[~np.isnan(pair.labels)])
    weights = {}
    for origin, by_pair in labels.items():
        labelled = np.concatenate(by_pair)
        share = float(labelled.mean()) if len(labelled) else 0.0
        both = 0 < share < 1
        rare = math.sqrt((1 - share) / share) if both else 0.0
        weights[origin] = Weights(rare, float(both))
    return weights


def _loss(
    reader: PairReader,
    batch: Sequence[tuple[Job, Pair]],
    weights: Mapping[str, Weights],
) -> torch.Tensor:
    """`loss_of` a batch; on the CPU, where the labels are."""
    word, classes = reader.network(*reader.tensors([job for job, _ in batch]))
    labels = np.full(word.shape, np.nan, dtype=np.float32)
    for row, (_, pair) in enumerate(batch):
        labels[row, : len(pair.labels)] = pair.labels
    return loss_of(
        word.cpu(),
        classes.cpu(),
        torch.from_numpy(labels),
        torch.from_numpy(np.stack([pair.target for _, pair in batch])),
        [weights[pair.origin] for _, pair in batch],
    )


def figures(judged: Sequence[Judged], pairs: Sequence[Pair]) -> dict[str, JSON]:
    """`entailment_figures`, and of the same pairs:

    three_way  accuracy of the likeliest class where the label is one of all three
    word_auc   of the word head, over the labelled words
    """
    judged_pairs = [
        (judgement, pair)
        for judgement, pair in zip(judged, pairs, strict=True)
        if judgement.outcome is Outcome.OK
    ]
    three_way = [
        int(np.argmax(judgement.probabilities)) == int(pair.target.argmax())
        for judgement, pair in judged_pairs
        if not np.isnan(pair.target).any()
    ]
    empty = np.zeros(0, dtype=np.float32)
    unsupported = (judgement.unsupported for judgement, _ in judged_pairs)
    probabilities = np.concatenate([empty, *unsupported])
    labels = np.concatenate([empty, *(pair.labels for _, pair in judged_pairs)])
    is_labelled = ~np.isnan(labels)
    return {
        **entailment_figures(judged, pairs),
        "three_way": {"pairs": len(three_way), "accuracy": mean(three_way)},
        "word_auc": auc(probabilities[is_labelled], labels[is_labelled] > 0.5),
    }


def train(
    rows: Sequence[Labelled],
    base: str,
    folder: Path,
    options: AdapterOptions,
    *,
    runtime: Runtime = DEFAULT_RUNTIME,
    report: Report = lambda _: None,
) -> dict[str, JSON]:
    """Trains an adapter on labelled summaries and sentences made from their documents, and writes
    it to a new folder, whole or not at all; returns its card. Its figures are of the adapter as
    written and loaded again. A training that was killed is resumed from its last checkpoint when
    called with the same arguments.

    base  an embedded encoder, a folder or hub id of one, or `lm:` and a causal language model
    Raises ConfigError (also where the folder exists, or the copy test fails), DataError,
    ModelError.
    """
    options.check()
    check_new(folder)
    role, name = base_of(base)
    start = resolve_base(role, name, runtime)
    prepared = prepare(sentence_pairs(with_corruptions(rows, options, report)), options, report)
    pairs, check = prepared.pairs, prepared.check
    window = Window()
    network, tokenizer = adapter.open_base(start.path, start.name, causal=role == adapter.CAUSAL)
    reader = PairReader(network.to(start.device), tokenizer, id=start.name)
    report(f"choosing the evidence of {len(pairs)} pairs")
    windows = window.premises([(pair.source, pair.sentence) for pair in pairs])
    checkpoint = Checkpoint.beside(folder, start.id, *map(identity_of, pairs))
    unfinished = AdaptedEntailment(lambda: reader, window, id="unfinished")
    after_step = step_reporter(check, unfinished, report)
    fitted = fit(reader, pairs, windows, options, after_step, checkpoint)
    settings = Settings(
        base=f"{role}:{_lasting(role, name)}",
        base_id=start.id,
        labels=adapter.LABELS,
        rank=options.rank,
        scale=SCALE,
        budget=window.budget,
        whole=window.whole,
        card=card_of(fitted, prepared, options),
    )
    with new_folder(folder) as written:
        tensors = adapter.learned(reader.network)
        adapter.write(written, settings, tensors)
        loaded = adapter.load_adapter(written, folder.name, device=start.device, dtype=None)
        card = {
            **settings.card,
            "copy": check.at_end(fitted.training.steps, loaded),
            "held_out": _evaluate(loaded, prepared.held_out),
        }
        adapter.write(written, replace(settings, card=card), tensors)
    checkpoint.delete()
    return card


def _evaluate(model: AdaptedEntailment, pairs: Sequence[Pair]) -> dict[str, JSON] | None:
    """The `figures` of a model on these pairs; None if there are none."""
    texts = [(pair.source, pair.sentence) for pair in pairs]
    return figures(model.judge_sentences(texts), pairs) if pairs else None


def base_of(name: str) -> tuple[str, str]:
    """Role and name of a base: `lm:` and a causal language model, else an encoder."""
    role, colon, rest = name.partition(":")
    return (role, rest) if colon and role in ("tokens", adapter.CAUSAL) else ("tokens", name)


def _lasting(role: str, name: str) -> str:
    """A name that loads the base from any working directory: a folder by its absolute path."""
    folder = Path(name).expanduser()
    return str(folder.resolve()) if find(role, name) is None and folder.is_dir() else name
