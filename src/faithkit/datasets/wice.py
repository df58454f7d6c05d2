"""WiCE (Kamoi et al., EMNLP 2023): Wikipedia claims against the sentences of the page they cite.

`dev.jsonl`, `test.jsonl`, `train.jsonl`, and the token annotation of `non_supported_tokens`. Only
`supported` is label 1: `partially_supported` is 0, as the claim says more than its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, read_rows
from faithkit.datasets.spans import Mark, union
from faithkit.records import Example

LABELS = {"supported": 1, "partially_supported": 0, "not_supported": 0}


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """The source is the sentences of the page, joined by one space.

    `meta`: grade (the release's label); `evidence_spans`, for each alternative set of gold
    sentences their [start, end] in the source; `evidence`, the text of the first set; split, and
    the claim's title, section and context.
    """
    for row in read_rows(paths[0], ("label", "supporting_sentences", "claim", "evidence", "meta")):
        about = row.inner("meta", "", row.get("meta"))
        source, spans = _joined(row)
        sets = [_set(row, item, spans) for item in row.items("supporting_sentences")]
        first = sets[0] if sets else []
        yield row.example(
            about.name("id"),
            source,
            row.text("claim"),
            label=row.choice("label", LABELS),
            meta={
                "grade": row.text("label"),
                "evidence_spans": sets,
                "evidence": " ".join(source[start:end] for start, end in first),
                "split": split,
                **about.rest("id"),
            },
        )


def _joined(row: Row) -> tuple[str, list[list[int]]]:
    """The source, and the [start, end] of each of its sentences."""
    sentences = row.items("evidence")
    spans: list[list[int]] = []
    offset = 0
    for sentence in sentences:
        if not isinstance(sentence, str):
            raise row.wrong("evidence", "a list of sentences")
        spans.append([offset, offset + len(sentence)])
        offset += len(sentence) + 1
    return " ".join(sentences), spans


def _set(row: Row, item: object, spans: list[list[int]]) -> list[list[int]]:
    """The [start, end] of the sentences with these numbers. Raises DataError on a wrong number."""
    if not isinstance(item, list) or not all(
        isinstance(index, int) and 0 <= index < len(spans) for index in item
    ):
        raise row.wrong("supporting_sentences", f"lists of numbers from 0 to {len(spans) - 1}")
    return [spans[index] for index in item]


def read_tokens(paths: Sequence[Path]) -> Iterator[Example]:
    """Claims with their unsupported tokens marked, in the shape of the unified files.

    Fields: id, source, summary, tokens, unsupported (one truth value a token). `spans` are the
    unsupported tokens, label `unsupported`; the label is 1 if there is none. `meta`: tokens,
    unsupported. The tokens must occur in the summary in their order.
    """
    for row in read_rows(paths[0], ("id", "source", "summary", "tokens", "unsupported")):
        source, summary = row.text("source"), row.text("summary")
        tokens, flags = row.items("tokens"), row.items("unsupported")
        if len(flags) != len(tokens) or not all(isinstance(flag, bool) for flag in flags):
            raise row.wrong("unsupported", f"{len(tokens)} truth values, one a token")
        marks: list[Mark] = []
        offset = 0
        for token, flag in zip(tokens, flags, strict=True):
            start = summary.find(token, offset) if isinstance(token, str) and token else -1
            if start < 0:
                raise row.wrong("tokens", f"words of the summary in order ('{token}' is not)")
            offset = start + len(token)
            if flag:
                marks.append((start, offset, "unsupported"))
        yield row.example(
            row.name("id"),
            source,
            summary,
            label=int(not any(flags)),
            spans=union(summary, marks),
            meta={"tokens": tokens, "unsupported": flags},
        )
