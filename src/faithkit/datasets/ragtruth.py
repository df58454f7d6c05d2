"""RAGTruth (Niu et al., ACL 2024): `response.jsonl` joined with `source_info.jsonl` by source_id.

Word-level hallucinations in answers, summaries and descriptions of structured data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, inner_rows, read_rows
from faithkit.datasets.spans import Mark, union
from faithkit.records import DataError, Example

TASKS = ("QA", "Data2txt", "Summary")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Label 0 if any span is marked, else 1; `spans` are the marked ones, by `label_type`.

    The source is `source_info`: the text for the task Summary; the passages for QA (the question is
    `meta["question"]`); the record as JSON for Data2txt. `meta`: task_type, split, quality, spans
    (raw, with the annotators' notes), and the other fields. A span that is marked as true but
    unmentioned (`implicit_true`) counts as an error, since the source does not support it.
    """
    sources = {row.name("source_id"): row for row in read_rows(paths[1], ("source_id",))}
    for number, row in enumerate(read_rows(paths[0], ("source_id", "response", "labels"))):
        identity = row.name("source_id")
        if identity not in sources:
            raise DataError(f"{row.place}: {paths[1]} holds no source with the id '{identity}'")
        task = sources[identity].one_of("task_type", TASKS)
        source, question = _source(sources[identity])
        summary, labels = row.text("response"), row.items("labels")
        marks = [_mark(label, summary) for label in inner_rows(row, "labels")]
        meta = row.rest("id", "source_id", "response", "labels", "model")
        meta |= {"task_type": task, "spans": labels}
        if question is not None:
            meta["question"] = question
        yield row.example(
            f"ragtruth/{row.optional_name('id') or number}",
            source,
            summary,
            document=identity,
            system=row.optional_name("model"),
            label=int(not marks),
            spans=union(summary, marks),
            meta=meta,
        )


def _source(row: Row) -> tuple[str, str | None]:
    info = row.get("source_info")
    if isinstance(info, str):
        return info, None
    if not isinstance(info, dict):
        raise row.wrong("source_info", "text or a JSON object")
    if "passages" in info:
        inner = row.inner("source_info", "", info)
        return inner.text("passages"), inner.text("question")
    return json.dumps(info, ensure_ascii=False), None


def _mark(label: Row, summary: str) -> Mark:
    start, end = label.whole("start"), label.whole("end")
    if not 0 <= start < end <= len(summary):
        raise label.wrong("end", f"a span of the {len(summary)} characters, after {start}")
    return start, end, label.name("label_type")
