"""`faithkit train nli`: an adapter that makes an encoder or a causal language model judge summary
sentences against their evidence, learned from labelled words.

In: labelled summaries (`words.py`) and sentences made from their documents (`corruptions`), as in
`support.py`, whose loss it shares. Out: a folder that loads as `nli:FOLDER`; its network, windows
and files are in `support/adapter.py`. The low-rank changes (Hu
et al. 2021, LoRA) are put in by `peft`.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faithkit import models, writing
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import words
from faithkit.models.identity import model_id
from faithkit.models.protocols import Floats
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.models.store import find
from faithkit.records import JSON, ConfigError, DataError, ModelError, Outcome
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
from faithkit.train import support, support_rows
from faithkit.train.copies import COPIES, copies, copy_test, require
from faithkit.train.steps import Fit, Progress, Recipe, optimise
from faithkit.train.words import Labelled

ENCODER, LAYER = "mini", 5
"""Whose token states choose the evidence, as in the support model."""

SCALE = 2.0
"""Of the low-rank changes: alpha is twice the rank."""

LEAST_HELD_OUT = 100
"""Pairs that figures are made of, if there are as many, however small the limit."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A summary sentence against its source, with what is known of it.

    origin   the file it comes from
    labels   [words] of `adapter.sentence_words`: how sure it is that the word is unsupported, nan
             where nothing is known
    target   [3] as in `Labelled`; its first number is always known
    """

    origin: str
    document: str
    source: str
    sentence: str
    labels: Floats
    target: Floats

    @property
    def kind(self) -> str:
        """entailment, neutral, contradiction, or `unsupported` where only that much is known."""
        if self.target[0] > 0.5:
            return adapter.LABELS[0]
        if math.isnan(self.target[2]):
            return "unsupported"
        return adapter.LABELS[int(self.target.argmax())]


def sentence_pairs(rows: Iterable[Labelled]) -> list[Pair]:
    """Every sentence of the rows' summaries of which it is known whether it is entailed."""
    found = []
    for row in rows:
        own = [(one, adapter.sentence_words(one.text)) for one in closed_sentences(row.summary)]
        own = [(one, places) for one, places in own if len(places)]
        for one, places in own:
            labels = support_rows.labels_of(places + one.start, row)
            target = support_rows.target_of(row, labels, alone=len(own) == 1)
            if not np.isnan(target[0]):
                found.append(Pair(row.file, row.document, row.source, one.text, labels, target))
    return found


def balanced(pairs: Sequence[Pair], seed: int, most: int | None = None) -> list[Pair]:
    """As many pairs of each origin as make half of them entailed, and of the other half as many of
    each kind that the origin has, so that an origin says nothing about the label; drawn at random.
    An origin without both halves is left out.

    most  pairs of an origin at most
    """
    by_origin: dict[str, dict[str, list[Pair]]] = {}
    for pair in pairs:
        by_origin.setdefault(pair.origin, {}).setdefault(pair.kind, []).append(pair)
    kept: list[Pair] = []
    for origin, kinds in by_origin.items():
        entailed = kinds.pop(adapter.LABELS[0], [])
        if not entailed or not kinds:
            continue
        each = min(min(map(len, kinds.values())), len(entailed) // len(kinds))
        if most is not None:
            each = min(each, most // (2 * len(kinds)))
        drawn = random.Random(f"{seed} {origin}")
        kept += drawn.sample(entailed, each * len(kinds))
        for name in sorted(kinds):
            kept += drawn.sample(kinds[name], each)
    return kept


def share_out(sizes: Sequence[int], limit: int) -> int:
    """The greatest number that each of `sizes` can be cut to with their sum at most `limit`."""
    left, rest = limit, sorted(sizes)
    while rest and rest[0] * len(rest) <= left:
        left -= rest.pop(0)
    return left // len(rest) if rest else max(sizes, default=0)


def drawn(pairs: Sequence[Pair], seed: int, limit: int | None) -> list[Pair]:
    """`balanced`, at most `limit` in all and the large origins cut to one size."""
    kept = balanced(pairs, seed)
    if limit is None or len(kept) <= limit:
        return kept
    sizes: dict[str, int] = {}
    for pair in kept:
        sizes[pair.origin] = sizes.get(pair.origin, 0) + 1
    return balanced(pairs, seed, share_out(list(sizes.values()), limit))


def split(pairs: Sequence[Pair], share: float, seed: int) -> tuple[list[Pair], list[Pair]]:
    """(learned from, held out) by document; with a share above 0 at least one of each."""
    documents = sorted({pair.document for pair in pairs})
    random.Random(seed).shuffle(documents)
    count = min(max(1, round(share * len(documents))), len(documents) - 1) if share else 0
    held = set(documents[:count])
    return (
        [pair for pair in pairs if pair.document not in held],
        [pair for pair in pairs if pair.document in held],
    )


def apart(pairs: Sequence[Pair], recipe: Recipe) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from and pairs to report on, of other documents, both `drawn`. Raises
    DataError where there is nothing to learn from."""
    learned, held = split(pairs, recipe.held_out, recipe.seed)
    spare = recipe.limit and max(LEAST_HELD_OUT, math.ceil(recipe.limit * recipe.held_out))
    learned, held = drawn(learned, recipe.seed, recipe.limit), drawn(held, recipe.seed, spare)
    if not learned:
        raise DataError("no file has entailed sentences and others, so there is nothing to learn")
    return learned, held


# --- training ----------------------------------------------------------------------------------


def adapt(network: Network, rank: int) -> None:
    """Puts low-rank changes into every linear layer of the base, which is frozen; the heads start
    anew. Both depend on torch's seed. Raises ConfigError without peft, ModelError on a base
    without linear layers."""
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise ConfigError(
            "training an adapter needs peft: pip install 'faithkit[train]'"
        ) from error
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
    recipe: Recipe,
    progress: Progress,
    test: Callable[[], dict[str, JSON]] | None = None,
) -> Fit:
    """Trains the reader's network in place on pairs with their windows. The same seed gives the
    same weights on the same machine, unless `minutes` ends it. Raises DataError without a pair,
    ModelError where the loss overflows, and what `test` raises after `recipe.copy_after` steps."""
    texts = [(window, pair.sentence) for window, pair in zip(windows, pairs, strict=True)]
    data = [
        (job, pair)
        for job, pair in zip(reader.jobs(texts), pairs, strict=True)
        if job.fits
    ]
    if not data:
        raise DataError("no pair is left to learn from")
    weights = _word_weights(pairs)
    devices = [reader.device] if reader.device.type == "cuda" else []

    def losses(batch: list[tuple[Job, Pair]]) -> Iterator[torch.Tensor]:
        yield _loss(reader, batch, weights)

    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(recipe.seed)
        adapt(reader.network, recipe.rank)
        # Without dropout: in a base that is frozen it costs time, on long inputs most of it.
        network = reader.network.to(reader.device).eval()
        changed = [value for value in network.parameters() if value.requires_grad]
        return optimise(
            data,
            lambda one: reader.size(one[0]),
            losses,
            changed,
            recipe,
            progress,
            too_long=len(pairs) - len(data),
            test=test,
        )


def _word_weights(pairs: Sequence[Pair]) -> dict[str, support.Weights]:
    """By origin. Unsupported words count more where they are rare. Where every known word holds,
    words are not learned from: that the style of an origin is faithful is not to be learned."""
    known: dict[str, list[Floats]] = {}
    for pair in pairs:
        known.setdefault(pair.origin, []).append(pair.labels[~np.isnan(pair.labels)])
    found = {}
    for origin, some in known.items():
        told = np.concatenate(some)
        share = float(told.mean()) if len(told) else 0.0
        both = 0 < share < 1
        rare = math.sqrt((1 - share) / share) if both else 0.0
        found[origin] = support.Weights(rare, float(both), 1.0)
    return found


def _loss(
    reader: PairReader,
    batch: Sequence[tuple[Job, Pair]],
    weights: Mapping[str, support.Weights],
) -> torch.Tensor:
    """`support.loss_of` of a batch; on the CPU, where the labels are."""
    word, classes = reader.network(*reader.tensors([job for job, _ in batch]))
    labels = np.full(word.shape, np.nan, dtype=np.float32)
    for row, (_, pair) in enumerate(batch):
        labels[row, : len(pair.labels)] = pair.labels
    return support.loss_of(
        word.cpu(),
        classes.cpu(),
        torch.from_numpy(labels),
        torch.from_numpy(np.stack([pair.target for _, pair in batch])),
        [weights[pair.origin] for _, pair in batch],
    )


# --- figures -----------------------------------------------------------------------------------


def figures(judged: Sequence[Judged], pairs: Sequence[Pair]) -> dict[str, JSON]:
    """How judgements agree with what is known of their pairs; None where nothing can be said.

    accuracy, auc  of entailed (probability over a half) against not; also by origin
    three_way      accuracy of the likeliest class where all three are told apart
    word_auc       of the word head, where a word is known to be supported or not
    Pairs whose sentence did not fit are left out, and counted.
    """
    both = [(one, pair) for one, pair in zip(judged, pairs, strict=True)
            if one.outcome is Outcome.OK]  # fmt: skip
    origins: dict[str, list[bool]] = {}
    for one, pair in both:
        right = (one.probabilities[0] > 0.5) == (pair.target[0] > 0.5)
        origins.setdefault(pair.origin, []).append(bool(right))
    three = [
        int(np.argmax(one.probabilities)) == int(pair.target.argmax())
        for one, pair in both
        if not np.isnan(pair.target).any()
    ]
    nothing = np.zeros(0, dtype=np.float32)
    shares = np.concatenate([nothing, *(one.unsupported for one, _ in both)])
    labels = np.concatenate([nothing, *(pair.labels for _, pair in both)])
    known = ~np.isnan(labels)
    return {
        "pairs": len(both),
        "left_out": len(pairs) - len(both),
        "accuracy": _mean([right for some in origins.values() for right in some]),
        "auc": _auc([one.probabilities[0] for one, _ in both],
                    [bool(pair.target[0] > 0.5) for _, pair in both]),
        "by_origin": {
            name: {"pairs": len(some), "accuracy": _mean(some)}
            for name, some in sorted(origins.items())
        },
        "three_way": {"pairs": len(three), "accuracy": _mean(three)},
        "word_auc": _auc(shares[known], labels[known] > 0.5),
    }  # fmt: skip


def _mean(values: Sequence[bool]) -> float | None:
    return float(np.mean(values)) if values else None


def _auc(values: Any, labels: Any) -> float | None:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, values)) if len(set(labels)) == 2 else None


# --- the whole ---------------------------------------------------------------------------------


def train(
    rows: Sequence[Labelled],
    base: str,
    folder: Path,
    recipe: Recipe,
    *,
    runtime: Runtime = DEFAULT_RUNTIME,
    progress: Progress = lambda _: None,
) -> dict[str, JSON]:
    """Trains an adapter on labelled summaries and sentences made from their documents, and writes
    it to a new folder, whole or not at all; returns its card. Its figures are of the adapter as
    written and loaded again.

    base  an embedded encoder, a folder or hub id of one, or `lm:` and a causal language model
    Raises ConfigError (also where the folder is there, or the copy test fails), DataError,
    ModelError.
    """
    recipe.check()
    if folder.exists():
        raise ConfigError(f"{folder} is there already; name a folder that is not")
    role, name = base_of(base)
    path, shown = models.resolve(role, name, offline=runtime.offline)
    base_id = model_id(path, shown)  # refuses a base without a tokenizer before it is trained
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    learned, held = apart(sentence_pairs(with_made(rows, recipe, progress)), recipe)
    tried = copies((pair.source for pair in held or learned), COPIES, recipe.seed)
    if recipe.require_copy is not None and not tried:
        raise ConfigError("there is no long source with a number for the copy test; leave it out")
    encoder = models.load(f"tokens:{ENCODER}", Runtime(device, offline=runtime.offline))
    window = Window(encoder, LAYER)
    network, tokenizer = adapter.open_base(path, shown, causal=role == adapter.CAUSAL)
    reader = PairReader(network.to(device), tokenizer, id=shown)
    progress(f"choosing the evidence of {len(learned)} pairs")
    windows = window.premises([(pair.source, pair.sentence) for pair in learned])

    def early() -> dict[str, JSON]:
        found = copy_test(AdaptedEntailment(lambda: reader, window, id="early"), tried)
        progress(f"copy test after {recipe.copy_after} steps: {found}")
        require(found, recipe.require_copy, recipe.copy_after)
        return found

    fitted = fit(reader, learned, windows, recipe, progress, early)
    progress(f"{fitted.steps} steps in {fitted.seconds:.0f} s")
    card: dict[str, JSON] = {
        "recipe": asdict(recipe),
        "learned": counts(learned),
        "steps": fitted.steps,
        "loss": list(fitted.loss),
        "too_long": fitted.too_long,
        "seconds_per_1000_pairs": round(1000 * fitted.seconds / fitted.pairs_seen, 1),
        "copy_early": fitted.early,
        "versions": {one: version(one) for one in ("faithkit", "torch", "transformers", "peft")},
    }
    settings = Settings(
        base=f"{role}:{_lasting(role, name)}",
        base_id=base_id,
        labels=adapter.LABELS,
        rank=recipe.rank,
        scale=SCALE,
        encoder=ENCODER,
        encoder_id=encoder.id,
        layer=window.layer,
        sentences=window.sentences,
        whole=window.whole,
        card=card,
    )
    with writing.new_folder(folder) as made:
        tensors = adapter.learned(reader.network)
        adapter.write(made, settings, tensors)
        loaded = adapter.load_adapter(made, folder.name, device=device, dtype=None)
        card["copy"] = last = copy_test(loaded, tried)
        progress(f"copy test at the end: {last}")
        if fitted.early is None:
            require(last, recipe.require_copy, fitted.steps)
        asked = [(pair.source, pair.sentence) for pair in held]
        card["held_out"] = figures(loaded.judge_sentences(asked), held) if held else None
        adapter.write(made, settings, tensors)
    return card


def base_of(name: str) -> tuple[str, str]:
    """Role and name of a base: `lm:` and a causal language model, else an encoder."""
    role, colon, rest = name.partition(":")
    return (role, rest) if colon and role in ("tokens", adapter.CAUSAL) else ("tokens", name)


def _lasting(role: str, name: str) -> str:
    """A name that finds the base again from elsewhere: a folder by its whole path."""
    folder = Path(name).expanduser()
    return str(folder.resolve()) if find(role, name) is None and folder.is_dir() else name


def with_made(rows: Sequence[Labelled], recipe: Recipe, progress: Progress) -> list[Labelled]:
    """The rows and what is made from their long sources; where there is a limit, only from as many
    sources as can matter."""
    sources = list(dict.fromkeys(row.source for row in rows if _is_long(row.source)))
    if recipe.limit is not None and recipe.made:
        enough = min(len(sources), math.ceil(recipe.limit / recipe.made))
        sources = random.Random(recipe.seed).sample(sources, enough)
    progress(f"making sentences from {len(sources)} documents")
    options = support_rows.Options(seed=recipe.seed, made=recipe.made)
    return [*rows, *support_rows.made_rows(sources, options)]


def counts(pairs: Sequence[Pair]) -> dict[str, JSON]:
    """By origin: pairs of each kind."""
    found: dict[str, dict[str, JSON]] = {}
    for origin in sorted({pair.origin for pair in pairs}):
        found[origin] = dict(Counter(pair.kind for pair in pairs if pair.origin == origin))
    return dict(found)


def _is_long(source: str) -> bool:
    return len(words(source)) > adapter.WHOLE_WORDS
