"""TofuEval (Tang et al., NAACL 2024): summaries of a topic of a dialogue, each sentence judged by
linguists. `factual_consistency/*_factual_eval_*.csv`, and the documents, which the release leaves
to be extracted: `*_doc.csv` as its README writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import YES_NO, Row, read_rows
from faithkit.records import DataError, Example

REQUIRED = ("doc_id", "topic", "model_name", "sent_idx", "summ_sent", "sent_label")
SPLITS = ("dev", "test")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """paths: the annotations of dev and test, then the documents of both. The summary is its
    sentences, joined by one space; the label is 1 if every sentence is consistent.

    `meta`: sentences (text, and 1 or 0), error_types, explanations (of the errors), topic, split.
    """
    for split, annotated, documents in zip(SPLITS, paths[:2], paths[2:], strict=True):
        sources = {row.name(_key(row)): row.text("source") for row in read_rows(documents)}
        summaries: dict[tuple[str, str, str], list[Row]] = {}
        for row in read_rows(annotated, REQUIRED):
            key = (row.name("doc_id"), row.text("topic"), row.name("model_name"))
            summaries.setdefault(key, []).append(row)
        for key, rows in summaries.items():
            if key[0] not in sources:
                raise DataError(f"{rows[0].place}: {documents} holds no document '{key[0]}'")
            yield _example(key, rows, sources[key[0]], split)


def _key(row: Row) -> str:
    """The column of a document's id: meeting_id for MeetingBank, doc_id for MediaSum."""
    return "doc_id" if "doc_id" in row.values else "meeting_id"


def _example(key: tuple[str, str, str], rows: Sequence[Row], source: str, split: str) -> Example:
    document, topic, system = key
    rows = sorted(rows, key=lambda row: row.whole("sent_idx"))
    sentences = [[row.text("summ_sent"), row.choice("sent_label", YES_NO)] for row in rows]
    types = [
        kind.strip() for row in rows for kind in re.split("[,;]", row.values.get("type") or "")
    ]
    return rows[0].example(
        f"tofueval/{split}/{document}/{topic}/{system}",
        source,
        " ".join(str(text) for text, _ in sentences),
        document=f"tofueval/{document}",
        system=system,
        label=int(all(label for _, label in sentences)),
        meta={
            "sentences": sentences,
            "error_types": list(dict.fromkeys(filter(None, types))),
            "explanations": [row.values["exp"] for row in rows if row.values.get("exp")],
            "topic": topic,
            "split": split,
        },
    )
