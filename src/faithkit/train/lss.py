"""Fine-tuning of an encoder-decoder that writes longest supported subsequences, and how well any
generator of them agrees with people's [LSS].

A row is one annotation: a reference, a claim, and an annotator's LSS and LSS*. How a generator
reads and writes is in `models/generation.py`; what scores are made of its texts in
`metrics/lss.py`.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from faithkit.datasets import load
from faithkit.datasets.lss import read as read_lss
from faithkit.datasets.unified import read as read_unified
from faithkit.metrics.lss import Similarity, similarities
from faithkit.metrics.overlap import Bleu, Rouge1, Rouge2, RougeL
from faithkit.metrics.subsequence import claim_words, subsequences
from faithkit.models import hf, resolve
from faithkit.models.generation import (
    AFTER_CLAIM,
    BEAMS,
    BEFORE_CLAIM,
    BEFORE_SOURCE,
    LSS,
    LSS_STAR,
    Seq2SeqGenerator,
    load_generator,
)
from faithkit.models.identity import model_id
from faithkit.models.protocols import Generator, Ints, SupportModel
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.records import (
    JSON,
    ConfigError,
    DataError,
    Example,
    Outcome,
    canonical_json,
)
from faithkit.train.held_out import check_share, split
from faithkit.train.loop import Checkpoint, Step, TrainingOptions, seeded, trainable
from faithkit.train.loop import train as optimise
from faithkit.train.output import check_new, versions, write_card
from faithkit.writing import new_folder

NO_LABEL = -100
"""What transformers leaves out of its loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorOptions(TrainingOptions):
    """How a generator is trained.

    epochs          10 in [LSS]; the paper does not give the batch size and learning rate
    star            learn LSS* instead of LSS
    keep_supported  share of the fully supported rows, whose LSS is the whole claim, that are
                    learned from, in [0, 1]; [LSS] drops some for balance and gives no share. A
                    generator that never sees one does not learn to leave a claim as it is
    held_out        share of the documents that are not learned from but reported on; 0: none
    """

    epochs: int = 10
    batch_size: int = 8
    learning_rate: float = 1e-4
    schedule: Literal["linear", "constant"] = "constant"
    star: bool = False
    keep_supported: float = 0.5
    held_out: float = 0.1

    def check(self) -> None:
        """Raises ConfigError on a number outside its range."""
        TrainingOptions.check(self)
        check_share(self.held_out)
        if not 0 <= self.keep_supported <= 1:
            raise ConfigError(
                "share of the fully supported rows that are kept: expected 0 to 1, found "
                f"{self.keep_supported}"
            )


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was learned from.

    rows            learned from
    supported       rows whose LSS is the whole claim, before some were left out
    supported_kept  of these, learned from unless they are too long
    left_out        rows by reason
    loss            per token (natural log), mean over the steps of each epoch
    """

    rows: int
    supported: int
    supported_kept: int
    left_out: dict[str, int]
    loss: tuple[float, ...]


def train(
    data: str,
    model: str,
    folder: Path,
    options: GeneratorOptions,
    *,
    data_dir: str | None = None,
    runtime: Runtime = DEFAULT_RUNTIME,
    after_step: Callable[[Step], None] = lambda _: None,
) -> dict[str, JSON]:
    """Fine-tunes a model on a file (or dataset) of LSS rows and writes it to a new folder. Killed
    and started again with the same arguments, it goes on from its last checkpoint.

    model   a folder or hub id of an encoder-decoder
    folder  gets weights (safetensors), tokenizer and `card.json`, which is also returned; whole or
            not at all

    Raises DataError, ModelError, ConfigError; ConfigError also where the folder is there already.
    """
    options.check()
    check_new(folder)
    examples = read(data, data_dir)
    documents = list(dict.fromkeys(example.document for example in examples))
    training, held_out = split(examples, documents, options.held_out, options.seed)
    path, name = resolve("generate", model, offline=runtime.offline)
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    generator = load_generator(path, name, device=device, dtype=None)
    described = _described(data, examples)
    checkpoint = Checkpoint.beside(folder, generator.id, described)
    fitted = fit(generator, training, options, after_step, checkpoint)
    with new_folder(folder) as written:
        generator.model.save_pretrained(written)
        generator.tokenizer.save_pretrained(written)
        card: dict[str, JSON] = {
            "task": LSS_STAR if options.star else LSS,
            "weights": model_id(written),
            "base": generator.id,
            "data": described,
            "options": asdict(options),
            "rows": fitted.rows,
            "fully_supported": {"rows": fitted.supported, "kept": fitted.supported_kept},
            "left_out": dict(fitted.left_out),
            "loss": list(fitted.loss),
            "held_out": evaluate(generator, held_out, star=options.star) if held_out else None,
            "layout": f"{BEFORE_SOURCE} …{BEFORE_CLAIM} …{AFTER_CLAIM}",
            "input_tokens": generator.input_tokens,
            "output_tokens": generator.output_tokens,
            "beams": BEAMS,
            "versions": versions(),
        }
        write_card(written, card)
    checkpoint.delete()
    return card


def read(data: str, data_dir: str | None = None) -> list[Example]:
    """A row for each annotation of a file or dataset: its `meta` has lss and lss_star.

    data  the release's CSV (`datasets/lss.py`); a unified JSONL whose rows have `annotations`, a
          list of objects with lss and lss_star; or the name of a dataset

    Raises DataError where there is no such file or a row has no LSS.
    """
    file = Path(data)
    if file.suffix and not file.exists():
        raise DataError(f"{data}: no such file")
    if not file.is_file():
        examples = load(data, data_dir=data_dir)
    else:
        reader = read_unified if file.suffix.lower() == ".jsonl" else read_lss
        examples = list(reader([file]))
    if not examples:
        raise DataError(f"{data}: there is no row to learn from")
    return [row for example in examples for row in _annotated(data, example)]


def _annotated(data: str, example: Example) -> list[Example]:
    annotations = example.meta.get("annotations")
    if not isinstance(annotations, list) or not annotations:
        annotations = [None]
    rows = []
    for number, annotation in enumerate(annotations, start=1):
        texts = annotation if isinstance(annotation, dict) else {}
        if not all(isinstance(texts.get(name), str) for name in ("lss", "lss_star")):
            raise DataError(
                f"{data}, row '{example.id}': expected 'annotations', a list of objects with the "
                "texts lss and lss_star; found none or another"
            )
        rows.append(replace(example, id=f"{example.id}#{number}", meta=texts))
    return rows


def _described(data: str, examples: Sequence[Example]) -> dict[str, JSON]:
    rows: JSON = [
        [e.source, e.summary, str(e.meta["lss"]), str(e.meta["lss_star"])] for e in examples
    ]
    return {
        "name": Path(data).name,
        "rows": len(examples),
        "documents": len({example.document for example in examples}),
        "sha256": hashlib.sha256(canonical_json(rows).encode()).hexdigest(),
    }


def fit(
    generator: Seq2SeqGenerator,
    examples: Sequence[Example],
    options: GeneratorOptions,
    after_step: Callable[[Step], None] = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Trains the generator's weights, in place. The same rows, options and starting weights give
    the same weights on a CPU. Raises DataError where no row is left to learn from, and as
    `loop.train`."""
    kept = balanced(examples, options)
    dropped = len(examples) - len(kept)
    rows, too_long = _rows(generator, kept, options)
    reasons = {"fully supported": dropped, "too long": too_long}
    left_out = {reason: count for reason, count in reasons.items() if count}
    if not rows:
        shown = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        raise DataError(f"no row is left to learn from ({shown or 'there is none'})")

    def losses(batch: list[tuple[Ints, Ints]]) -> Iterator[torch.Tensor]:
        yield _loss(generator, batch)

    model = generator.model
    with seeded(options.seed, next(model.parameters()).device):
        model.train()
        training = optimise(
            rows,
            losses,
            trainable(model),
            options,
            length=lambda row: len(row[0]),
            after_step=after_step,
            checkpoint=checkpoint,
        )
        model.eval()
    generator.forget()
    supported = sum(map(_fully_supported, examples))
    return Fitted(len(rows), supported, supported - dropped, left_out, training.loss)


def balanced(examples: Sequence[Example], options: GeneratorOptions) -> list[Example]:
    """The rows to learn from, in order: of the fully supported ones the share `keep_supported`,
    sampled by `seed` and their ids."""
    supported = sorted(example.id for example in examples if _fully_supported(example))
    random.Random(options.seed).shuffle(supported)
    dropped = set(supported[round(options.keep_supported * len(supported)) :])
    return [example for example in examples if example.id not in dropped]


def _fully_supported(example: Example) -> bool:
    return _words(str(example.meta["lss"])) == _words(example.summary)


def _rows(
    generator: Seq2SeqGenerator, examples: Sequence[Example], options: GeneratorOptions
) -> tuple[list[tuple[Ints, Ints]], int]:
    """(prompt, target) in token ids, and how many examples are too long."""
    rows: list[tuple[Ints, Ints]] = []
    prompts = generator.prompts([(example.source, example.summary) for example in examples])
    for example, prompt in zip(examples, prompts, strict=True):
        target = generator.target(gold(example, options.star))
        if prompt.outcome is Outcome.OK and len(target) <= generator.output_tokens:
            rows.append((prompt.ids, target))
    return rows, len(examples) - len(rows)


def _loss(generator: Seq2SeqGenerator, batch: Sequence[tuple[Ints, Ints]]) -> torch.Tensor:
    """Mean cross-entropy of the targets' tokens."""
    device = next(generator.model.parameters()).device
    ids, mask = hf.pad([prompt for prompt, _ in batch], generator.tokenizer.pad_token_id or 0)
    labels, _ = hf.pad([target for _, target in batch], NO_LABEL)
    loss: torch.Tensor = generator.model(
        input_ids=ids.to(device), attention_mask=mask.to(device), labels=labels.to(device)
    ).loss
    return loss


def gold(example: Example, star: bool = False) -> str:
    """The LSS (or LSS*) that a person gave."""
    return str(example.meta["lss_star" if star else "lss"])


def evaluate(
    model: SupportModel | Generator,
    examples: Sequence[Example],
    *,
    threshold: float | None = None,
    star: bool = False,
) -> dict[str, JSON]:
    """How a generator of LSS (words or seq2seq, as `metrics.subsequence` has them) agrees with
    the gold ones: `figures`, the rows by outcome, and `violations`, the mean number of words it
    added or reordered. Figures are over the rows of outcome ok, and None where there is none.
    threshold and star: see `metrics.subsequence.subsequences`."""
    results = subsequences(model, examples, threshold=threshold, star=star)
    pairs = [
        (one, gold(example, star))
        for example, one in zip(examples, results, strict=True)
        if one.outcome is Outcome.OK
    ]
    outcomes = Counter(str(one.outcome) for one in results)
    measured = figures([one.compared for one, _ in pairs], [text for _, text in pairs])
    return {
        "generator": model.id,
        "rows": len(examples),
        "outcomes": dict(sorted(outcomes.items())),
        **measured,
        "violations": _mean([float(one.violations) for one, _ in pairs]),
    }


def figures(texts: Sequence[str], golds: Sequence[str]) -> dict[str, float | None]:
    """Means over rows, each in [0, 1], of generated texts against the gold ones [LSS §5]: ROUGE-1,
    2 and L (F1), BLEU as the authors computed it (NLTK), and precision, recall and F1 of words.

    Two empty texts agree fully, an empty one and another not at all. ROUGE leaves out rows in a
    script that it has no token for.
    """
    measures: dict[str, Similarity] = {
        "rouge1": Rouge1(),
        "rouge2": Rouge2(),
        "rougeL": RougeL(),
        "bleu": Bleu("nltk"),
    }
    means = {
        name: _mean([value for value in similarities(one, texts, golds) if value is not None])
        for name, one in measures.items()
    }
    by_word = [word_agreement(*pair) for pair in zip(texts, golds, strict=True)]
    for position, name in enumerate(("precision", "recall", "f1")):
        means[name] = _mean([scores[position] for scores in by_word])
    return means


def word_agreement(text: str, other: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of a text's words against the gold ones, in any case and order, each
    counted as often as it stands; punctuation left out."""
    ours, theirs = _words(text), _words(other)
    if not ours or not theirs:
        same = float(not ours and not theirs)
        return same, same, same
    shared = (Counter(ours) & Counter(theirs)).total()
    precision, recall = shared / len(ours), shared / len(theirs)
    return precision, recall, 2 * shared / (len(ours) + len(theirs))


def _words(text: str) -> list[str]:
    return [word.text.casefold() for word in claim_words(text)]


def _mean(numbers: Sequence[float]) -> float | None:
    return float(np.mean(numbers)) if numbers else None
