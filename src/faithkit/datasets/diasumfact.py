"""DiaSumFact (Zhu, Qi and Lau, ACL 2023): `annotations.json`, errors of dialogue summaries.

One object of dialogues (SAMSum) and meeting excerpts (QMSum); each has several systems' summaries
whose sentences are annotated one by one. An error has a class and the text of its span.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, inner_rows, nested, read_keyed
from faithkit.datasets.spans import Mark, union
from faithkit.records import Example

NO_ERROR = "No Error"
REQUIRED = ("utterances", "dataset_name", "annotations")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """The label is 1 if no sentence has an error.

    A span is the first occurrence of its text after the beginning of its sentence. `meta`: part
    (SAMSum or QMSum), query (QMSum's question), error_types, sentences (text, and 1 or 0),
    spans (`[start, end, class]`) and spans_not_found, the texts that do not occur in the summary.
    """
    for key, dialogue in read_keyed(paths[0], REQUIRED):
        source = "\n".join(str(turn) for turn in dialogue.items("utterances"))
        systems = nested(dialogue, "annotations")
        for system in systems.values:
            summary = nested(systems, system)
            text = summary.text("model_prediction")
            sentences, marks, absent = _annotations(summary, text)
            yield dialogue.example(
                f"diasumfact/{key}/{system}",
                source,
                text,
                document=f"diasumfact/{key}",
                system=system,
                label=int(all(label for _, label, _ in sentences)),
                spans=union(text, marks),
                meta={
                    "part": dialogue.text("dataset_name"),
                    "query": dialogue.values.get("query"),
                    "error_types": sorted({kind for *_, kinds in sentences for kind in kinds}),
                    "sentences": [[sentence, label] for sentence, label, _ in sentences],
                    "spans": [list(mark) for mark in marks],
                    "spans_not_found": absent,
                },
            )


def _annotations(
    summary: Row, text: str
) -> tuple[list[tuple[str, int, list[str]]], list[Mark], list[str]]:
    """Each sentence with its label and its kinds of error, the spans, and the texts of spans that
    do not occur in the summary."""
    sentences, marks, absent = [], [], []
    start = 0
    for sentence in inner_rows(summary, "sentence_annotations"):
        start = max(text.find(sentence.text("sentence"), start), start)
        kinds = []
        for error in inner_rows(sentence, "annotation"):
            kind, piece = error.text("error_class"), error.text("error_span").strip()
            if kind == NO_ERROR:
                continue
            kinds.append(kind)
            offset = text.find(piece, start)
            if piece and offset >= 0:
                marks.append((offset, offset + len(piece), kind))
            elif piece:
                absent.append(piece)
        sentences.append((sentence.text("sentence"), int(not kinds), kinds))
    return sentences, marks, absent
