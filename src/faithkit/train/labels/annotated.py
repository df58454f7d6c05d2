"""Readers of files whose words or sentences were labelled by people, or by the edit that made the
row: LSS, DeFacto, EntFA, DiaSumFact, StorySumm, COVID-Fact and the claims set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from faithkit.datasets import split_of
from faithkit.language.words import words
from faithkit.records import DataError, Example
from faithkit.train.labels.rows import (
    by_edit,
    by_spans,
    examples,
    labelled_sentences,
    probable,
    row,
    whole_words,
    without_edge_punctuation,
)
from faithkit.train.words import (
    CONTRADICTED,
    ENTAILED,
    NEUTRAL,
    UNSUPPORTED,
    Labelled,
    Labels,
    Target,
    supported,
)

COMPLETELY_SUPPORTED = 5
"""The best of LSS's ratings."""


def lss(data: Path) -> Iterator[Labelled]:
    """A word's label is the share of annotators who removed it; the target is the share of those
    who kept every word. Annotators who call the claim completely supported and yet remove words
    contradict themselves and are left out; a claim without others has neither label nor target."""
    for example in examples("lss_dev", data):
        spans = [(start, end, who) for start, end, _, who in example.meta["spans"]]
        removers = {who for _, _, who in spans}
        annotators = {
            who
            for who, annotation in enumerate(example.meta["annotations"])
            if not (who in removers and annotation["rating"] == COMPLETELY_SUPPORTED)
        }
        if not annotators:
            yield row("lss_dev", example, (), None)
            continue
        labels = []
        for word in words(example.summary):
            removed = {who for start, end, who in spans if start < word.end and end > word.start}
            labels.append((word.start, word.end, len(removed & annotators) / len(annotators)))
        kept_all = len(annotators - removers) / len(annotators)
        labels = without_edge_punctuation(example.summary, labels)
        yield row("lss_dev", example, labels, probable(kept_all))


def defacto(data: Path) -> Iterator[Labelled]:
    """The words of a summary that its human correction changed are unsupported; the correction is a
    supported row of the same pair. Where the correction changes nothing, the words are
    unlabelled."""
    name = "defacto_dev"
    for example in examples(name, data):
        if example.label == 1:
            yield row(name, example, supported(example.summary), ENTAILED)
            continue
        correction = " ".join(example.meta["correction"].split())
        labels = by_edit(correction, example.summary)
        if not any(share for _, _, share in labels):
            yield row(name, example, (), UNSUPPORTED)
            continue
        yield row(name, example, labels, UNSUPPORTED, pair=example.id)
        yield row(
            name, example, supported(correction), ENTAILED, summary=correction, pair=example.id
        )


ENTITIES_ONLY = 0.75
"""Probability that a summary whose entities are all supported is supported: its predicates were
not judged."""


def entfa(data: Path) -> Iterator[Labelled]:
    """The words of judged entities are labelled, others are not. Factual hallucinations are true of
    the world but not in the source, and therefore unsupported; as the file's label counts them as
    consistent, the target is made from the entities."""
    name = "entfa_dev"
    for example in examples(name, data):
        judged = [(start, end, kind != "Non-hallucinated")
                  for start, end, kind, *_ in example.meta["spans"]]  # fmt: skip
        labels: Labels = []
        for word in words(example.summary):
            touching = [bad for start, end, bad in judged if start < word.end and end > word.start]
            if touching:
                labels.append((word.start, word.end, float(any(touching))))
        hallucinated = any(bad for _, _, bad in judged)
        yield row(name, example, labels, probable(0 if hallucinated else ENTITIES_ONLY))


def diasumfact(data: Path) -> Iterator[Labelled]:
    """A row for each sentence, with its label; the words of its error spans are unsupported."""
    for example in examples("diasumfact_dev", data):
        spans = [(start, end) for start, end, *_ in example.meta["spans"]]
        file = f"diasumfact_dev[part={example.meta['part']}]"
        yield from _sentences(file, example, spans)


def storysumm(data: Path) -> Iterator[Labelled]:
    """A row for each sentence, with its label. A summary that is labelled unfaithful though none of
    its sentences is makes one row."""
    for example in examples("storysumm_dev", data):
        yield from _sentences("storysumm_dev", example, [])


def _sentences(file: str, example: Example, spans: list[tuple[int, int]]) -> Iterator[Labelled]:
    sentences = labelled_sentences(example)
    if example.label == 0 and all(sentence.label for sentence in sentences):
        yield row(file, example, (), UNSUPPORTED, pair=example.id)
        return
    for sentence in sentences:
        text = sentence.text
        context = example.summary[: sentence.start].strip()
        marks = [
            whole_words(text, max(start, sentence.start) - sentence.start, end - sentence.start)
            for start, end in spans
            if start < sentence.end and end > sentence.start
        ]
        labels: Labels = []
        if sentence.label:
            labels = supported(text)
        elif marks:
            labels = by_spans(text, marks)
        target = ENTAILED if sentence.label else UNSUPPORTED
        yield row(file, example, labels, target, summary=text, context=context)


def covidfact(data: Path) -> Iterator[Labelled]:
    """False claims are true ones in which a model replaced words; these words are unsupported."""
    name = "covidfact"
    pairs: dict[str, list[Example]] = defaultdict(list)
    for example in examples(name, data):
        pairs[str(example.pair)].append(example)
    for pair, claims in pairs.items():
        originals = [claim.summary for claim in claims if claim.label == 1]
        for claim in claims:
            if claim.label == 1:
                yield row(name, claim, supported(claim.summary), ENTAILED, pair=pair)
                continue
            by_original = [by_edit(original, claim.summary) for original in originals]
            labels = min(by_original, key=lambda labels: sum(s for *_, s in labels), default=[])
            yield row(name, claim, labels, UNSUPPORTED, pair=pair)


ERROR_TARGETS: dict[str, Target] = {
    **dict.fromkeys(
        ("number", "unit", "date", "entity", "role", "negation", "antonym", "comparison", "order"),
        CONTRADICTED,
    ),
    **dict.fromkeys(("invention", "overgeneralisation"), NEUTRAL),
    **dict.fromkeys(
        ("quantity", "modality", "plan", "cause", "attribution", "coreference"), UNSUPPORTED
    ),
}
"""Targets of the claims set's kinds of error: the source contradicts the claim, is neutral, or may
be either."""


def claims(split: str) -> Callable[[Path], Iterator[Labelled]]:
    """The reader of a split of the claims set: word labels by its spans, targets by its kinds of
    error."""

    def read(data: Path) -> Iterator[Labelled]:
        for example in examples("claims", data):
            if split_of(example) != split:
                continue
            spans = [(start, end) for start, end, *_ in example.meta["spans"]]
            target = ENTAILED if example.label == 1 else _error_target(example)
            yield row(
                f"claims[split={split}]", example, by_spans(example.summary, spans), target,
                pair=str(example.pair),
            )  # fmt: skip

    return read


def _error_target(example: Example) -> Target:
    kinds = example.meta["error_types"]
    if len(kinds) != 1 or kinds[0] not in ERROR_TARGETS:
        raise DataError(
            f"claims, row '{example.id}', field 'error_types': expected one of "
            f"{', '.join(ERROR_TARGETS)}, found {kinds!r}"
        )
    return ERROR_TARGETS[kinds[0]]
