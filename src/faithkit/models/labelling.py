"""Semantic role labelling with any Hugging Face token classifier that reads a sentence and a verb.

The input is the sentence, then the verb as a second text, as in Shi & Lin 2019 ("Simple BERT Models
for Relation Extraction and Semantic Role Labeling"). The labels are PropBank's in BIO (B-ARG0,
I-ARG0, O; A0 and AM-TMP are read too). `relations.merged_role` uses them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path

import torch

from faithkit.models import hf
from faithkit.models.batching import map_distinct
from faithkit.models.identity import model_id
from faithkit.models.pairs import PairInput, PairModel
from faithkit.models.protocols import Ints, Labelled
from faithkit.records import ModelError, Outcome

Request = tuple[str, int, int]
"""A sentence, and the start and end of a predicate's verb in it, in characters."""

_ROLE = re.compile(r"^[BI]-(?:[CR]-)?A(?:RG)?[\dM]", re.IGNORECASE)


class TokenLabeller(PairModel):
    """Satisfies `RoleLabeller`. A sentence is never truncated."""

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        """The label of each output. Raises ModelError if none is a PropBank label."""
        labels = hf.label_names(self.loaded.model.config.to_dict(), self.id)
        if not any(_ROLE.match(label) for label in labels):
            raise ModelError(
                f"{self.id}: expected PropBank labels in BIO (B-ARG0, I-ARGM-TMP, O), found "
                f"{', '.join(labels[:6])}"
            )
        return labels

    def label(self, requests: Sequence[Request]) -> list[Labelled]:
        """See `protocols.RoleLabeller`. Each distinct request runs once."""
        return map_distinct(requests, self._label)

    def _label(self, requests: Sequence[Request]) -> list[Labelled]:
        labels = self._labels
        sentences = self.encode([sentence for sentence, _, _ in requests])
        verbs = self.encode([sentence[start:end] for sentence, start, end in requests])
        inputs = [
            PairInput(sentence.ids, verb.ids)
            for sentence, verb in zip(sentences, verbs, strict=True)
        ]
        usable = [i for i, pair in enumerate(inputs) if self.frame.length(pair) <= self.context]
        results = [Labelled(Outcome.TRUNCATED_SUMMARY)] * len(requests)
        first = len(self.frame.front)
        for batch, tensors in self.batches([inputs[i] for i in usable]):
            with torch.inference_mode():
                logits = self.loaded.model(**tensors).logits.float().cpu()
            for position, row in zip((usable[index] for index in batch), logits, strict=True):
                tokens = row[first : first + len(inputs[position].first)]
                sentence = requests[position][0]
                results[position] = _labelled(sentence, sentences[position].offsets, tokens, labels)
        return results


def _labelled(
    sentence: str, offsets: Ints, logits: torch.Tensor, labels: Sequence[str]
) -> Labelled:
    """The phrases of a sentence from the logits [tokens of the sentence, labels]."""
    # Some tokenizers include the space before a word in its token.
    spans = [(end - len(sentence[start:end].lstrip()), end) for start, end in offsets.tolist()]
    tokens = [index for index, (start, end) in enumerate(spans) if end > start]
    if not logits[tokens].isfinite().all():
        return Labelled(Outcome.MODEL_ERROR)
    best = [labels[index] for index in logits[tokens].argmax(dim=1).tolist()]
    return Labelled(Outcome.OK, phrases_of(sentence, best, [spans[index] for index in tokens]))


def phrases_of(
    sentence: str, labels: Sequence[str], spans: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, str], ...]:
    """The phrases that BIO labels mark, as (start, end, label). A token inside a word has the label
    of the word's first token; an I- without a phrase before it is read as a B-.

    labels  of each token
    spans   start and end of each token, in characters of the sentence
    """
    phrases: list[tuple[int, int, str]] = []
    inside_word = [
        False,
        *(
            before[1] == after[0] and sentence[after[0] - 1 : after[0] + 1].isalnum()
            for before, after in pairwise(spans)
        ),
    ]
    running = ""
    for label, (start, end), inside in zip(labels, spans, inside_word, strict=True):
        prefix, _, name = label.partition("-")
        if inside and running:
            phrases[-1] = (phrases[-1][0], end, running)
        elif inside:
            continue
        elif prefix == "I" and name == running and running:
            phrases[-1] = (phrases[-1][0], end, name)
        elif prefix in ("B", "I"):
            phrases.append((start, end, name))
            running = name
        else:
            running = ""
    return tuple(phrases)


def load_labeller(path: Path, name: str, *, device: str | None, dtype: str | None) -> TokenLabeller:
    """The token classifier in a folder of safetensors, config and tokenizer. Another model in the
    folder raises ModelError at the first request."""
    opener = partial(hf.read, "TokenClassification", path, name, "token classifier", device, dtype)
    return TokenLabeller(model_id(path, name, dtype), opener)
