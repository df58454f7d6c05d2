"""RefChecker's benchmark (Hu et al., 2024): answers of seven models, each divided into triples
that people judged. Files: the questions with their contexts, as collected by its scripts
(`msmarco.json`), and `human_annotations_v1/*/*_answers.json`, one for each model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit.datasets.rows import Row, inner_rows, read_rows
from faithkit.records import DataError, Example

LABELS = ("Entailment", "Neutral", "Contradiction")
TRIPLES = "claude2_response_kg"


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """paths: the questions, then the answers of each model. The source is the passages of the
    context, one a line; the label is 1 if every triple is entailed, and None if the answer
    has none (it says that the context does not tell).

    `meta`: question, triples (subject, relation, object, label).
    """
    questions = {row.name("id"): row for row in read_rows(paths[0], ("id", "question", "context"))}
    for path in paths[1:]:
        system = path.stem.partition("_")[2].removesuffix("_answers")
        for row in read_rows(path, ("id", "response", TRIPLES)):
            identity = row.name("id")
            if identity not in questions:
                raise DataError(f"{row.place}: {paths[0]} holds no question '{identity}'")
            yield _example(row, questions[identity], system, paths[0].stem)


def _example(row: Row, question: Row, system: str, name: str) -> Example:
    passages = question.items("context")
    if not all(isinstance(passage, str) for passage in passages):
        raise question.wrong("context", "a list of passages")
    triples = [_triple(item) for item in inner_rows(row, TRIPLES)]
    labels = [triple[-1] for triple in triples]
    meta: Mapping[str, Any] = {"question": question.text("question"), "triples": triples}
    return row.example(
        f"refchecker/{name}/{system}/{row.name('id')}",
        "\n".join(passages),
        row.text("response"),
        document=f"refchecker/{name}/{row.name('id')}",
        system=system,
        label=int(set(labels) == {LABELS[0]}) if labels else None,
        meta=meta,
    )


def _triple(item: Row) -> list[str]:
    words = item.items("triplet")
    if len(words) != 3 or not all(isinstance(word, str) for word in words):
        raise item.wrong("triplet", "a subject, a relation and an object")
    return [*words, item.one_of("human_label", LABELS)]
