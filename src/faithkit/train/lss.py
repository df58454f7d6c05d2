"""Fine-tuning of an encoder-decoder that writes longest supported subsequences (LSS), and the
agreement of any generator of them with annotators [LSS].

A row is one annotation: a reference, a claim, and an annotator's LSS and LSS*. The layout of a
generator's input and output is in `models/generation.py`, scores of its texts are in
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
"""The label that transformers ignores in its loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorOptions(TrainingOptions):
    """How a generator is trained.

    epochs          10 in [LSS]; the paper does not give the batch size and learning rate
    star            learn LSS* instead of LSS
    keep_supported  share, in [0, 1], of the fully supported rows (whose LSS is the whole claim) to
                    train on; [LSS] drops some for balance and gives no share. A generator that is
                    trained on none does not learn to leave a claim as it is
    held_out        share of the documents to evaluate on and not to train on; 0: none
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
    """The data and the loss of a training.

    rows            number of rows trained on
    supported       number of fully supported rows, before some were left out
    supported_kept  number of these that were not left out; some may still be too long
    left_out        number of rows by reason
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
    """Fine-tunes a model on a file or dataset of LSS rows, writes it to a new folder and returns
    its card. A training that was killed is resumed from its last checkpoint when called with the
    same arguments.

    data    as for `read`
    model   a folder or hub id of an encoder-decoder
    folder  for weights (safetensors), tokenizer and `card.json`; written whole or not at all

    Raises DataError, ModelError, ConfigError; ConfigError also where the folder exists.
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
    """A row for each annotation of a file or dataset; its `meta` has lss and lss_star.

    data  the release's CSV (`datasets/lss.py`); a unified JSONL whose rows have `annotations`, a
          list of objects with lss and lss_star; or the name of a dataset

    Raises DataError where the file does not exist or a row has no LSS.
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
    """Trains the generator's weights in place. The same rows, options and starting weights give the
    same weights on a CPU. Raises DataError where no row is left to train on, and as
    `loop.train`."""
    balanced_rows = balanced(examples, options)
    dropped = len(examples) - len(balanced_rows)
    rows, too_long = _rows(generator, balanced_rows, options)
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
    """The rows to train on, in order: all but a sample of the fully supported ones, of which the
    share `keep_supported` remains. The seed and the rows' ids decide the sample."""
    supported = sorted(example.id for example in examples if _fully_supported(example))
    random.Random(options.seed).shuffle(supported)
    dropped = set(supported[round(options.keep_supported * len(supported)) :])
    return [example for example in examples if example.id not in dropped]


def _fully_supported(example: Example) -> bool:
    return _words(str(example.meta["lss"])) == _words(example.summary)


def _rows(
    generator: Seq2SeqGenerator, examples: Sequence[Example], options: GeneratorOptions
) -> tuple[list[tuple[Ints, Ints]], int]:
    """(prompt, target) of each example in token ids, and the number of those that are too long."""
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
    """The annotator's LSS, or LSS* if `star`."""
    return str(example.meta["lss_star" if star else "lss"])


def evaluate(
    model: SupportModel | Generator,
    examples: Sequence[Example],
    *,
    threshold: float | None = None,
    star: bool = False,
) -> dict[str, JSON]:
    """The agreement of a generator of LSS with the gold ones: `figures`, the number of rows by
    outcome, and `violations`, the mean number of words that it added or reordered. Figures are over
    the rows of outcome ok, and None if there are none.

    threshold, star  see `metrics.subsequence.subsequences`
    """
    results = subsequences(model, examples, threshold=threshold, star=star)
    pairs = [
        (result, gold(example, star))
        for example, result in zip(examples, results, strict=True)
        if result.outcome is Outcome.OK
    ]
    outcomes = Counter(str(result.outcome) for result in results)
    measured = figures([result.compared for result, _ in pairs], [text for _, text in pairs])
    return {
        "generator": model.id,
        "rows": len(examples),
        "outcomes": dict(sorted(outcomes.items())),
        **measured,
        "violations": _mean([float(result.violations) for result, _ in pairs]),
    }


def figures(texts: Sequence[str], golds: Sequence[str]) -> dict[str, float | None]:
    """Means over rows, in [0, 1], of generated texts compared with the gold ones [LSS §5]: ROUGE-1,
    2 and L (F1), BLEU as the authors computed it (NLTK), and precision, recall and F1 of words.

    Two empty texts agree fully, an empty and a non-empty one not at all. ROUGE leaves out rows in a
    script that it does not tokenise.
    """
    measures: dict[str, Similarity] = {
        "rouge1": Rouge1(),
        "rouge2": Rouge2(),
        "rougeL": RougeL(),
        "bleu": Bleu("nltk"),
    }
    means = {
        name: _mean([value for value in similarities(measure, texts, golds) if value is not None])
        for name, measure in measures.items()
    }
    by_word = [word_agreement(*pair) for pair in zip(texts, golds, strict=True)]
    for position, name in enumerate(("precision", "recall", "f1")):
        means[name] = _mean([scores[position] for scores in by_word])
    return means


def word_agreement(text: str, other: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of a text's words compared with those of another one, as multisets
    without letter case and punctuation."""
    text_words, other_words = _words(text), _words(other)
    if not text_words or not other_words:
        agreement = float(not text_words and not other_words)
        return agreement, agreement, agreement
    shared = (Counter(text_words) & Counter(other_words)).total()
    precision, recall = shared / len(text_words), shared / len(other_words)
    return precision, recall, 2 * shared / (len(text_words) + len(other_words))


def _words(text: str) -> list[str]:
    return [word.text.casefold() for word in claim_words(text)]


def _mean(numbers: Sequence[float]) -> float | None:
    return float(np.mean(numbers)) if numbers else None
