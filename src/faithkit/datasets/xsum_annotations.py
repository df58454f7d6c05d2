"""XSum hallucination and factuality annotations (Maynez et al., ACL 2020).

Two CSV files with a line for each annotator (and span). Neither holds the documents, which are read
from `xsum_documents.jsonl` (`bbcid`, `document`). [MFAS] uses the hallucination set for rating.

Offsets in the release count from 1, but the convention for the end differs from line to line
(exclusive, inclusive, from 0, or counted without the backslashes of the summary). The rating is
computed from `start - 1` to `end` without corrections. The spans are located by their text, near
the offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, read_rows
from faithkit.datasets.spans import Mark, locate, share_outside, union
from faithkit.records import DataError, Example

HALLUCINATION = (
    "bbcid", "system", "summary", "hallucination_type", "hallucinated_span",
    "hallucinated_span_start", "hallucinated_span_end", "worker_id",
)  # fmt: skip
KINDS = ("intrinsic", "extrinsic", "NULL")


def read_hallucination(paths: Sequence[Path]) -> Iterator[Example]:
    """Rating: the share of words outside an annotator's spans, 0 to 1, averaged over annotators.

    An annotator with a single line `NULL` marked nothing. `spans` are the merged spans of all
    annotators; `meta["spans"]` has each span as [start, end, kind, annotator], `meta["annotators"]`
    the number of annotators.
    """
    documents = _documents(paths[1])
    for key, rows in _grouped(paths[0], HALLUCINATION).items():
        summary = rows[0].text("summary")
        marks: list[Mark] = []
        raw: list[list[object]] = []
        offsets: dict[str, list[tuple[int, int]]] = {}
        for row in rows:
            kind, worker = row.one_of("hallucination_type", KINDS), row.name("worker_id")
            edges = offsets.setdefault(worker, [])
            if kind != "NULL":
                start, end = _offsets(row)
                edges.append((start, end))
                span = locate(summary, row.text("hallucinated_span"), start) or (start, end)
                marks.append((*span, kind))
                raw.append([*span, kind, worker])
        shares = [share_outside(summary, edges) for edges in offsets.values()]
        yield rows[0].example(
            "/".join(("xsumfaith", *key)),
            _document(documents, rows[0], paths[1]),
            summary,
            document=key[0],
            system=key[1],
            rating=sum(shares) / len(shares),
            spans=union(summary, marks),
            meta={"spans": raw, "annotators": len(shares)},
        )


def read_factuality(paths: Sequence[Path]) -> Iterator[Example]:
    """Rating: the share of annotators who call the summary factual; label: the majority's answer.

    `NULL` is not an answer and is left out. Without answers, or on a tie, there is no label.
    `meta["answers"]` has all answers. Factual is not the same as faithful: a summary may be true
    and yet unsupported by its document.
    """
    documents = _documents(paths[1])
    required = ("bbcid", "system", "summary", "is_factual", "worker_id")
    for key, rows in _grouped(paths[0], required).items():
        answers = [row.one_of("is_factual", ("yes", "no", "NULL")) for row in rows]
        yes, no = answers.count("yes"), answers.count("no")
        yield rows[0].example(
            "/".join(("xsumfact", *key)),
            _document(documents, rows[0], paths[1]),
            rows[0].text("summary"),
            document=key[0],
            system=key[1],
            rating=yes / (yes + no) if yes + no else None,
            label=None if yes == no else int(yes > no),
            meta={"answers": answers},
        )


def _grouped(path: Path, required: Sequence[str]) -> dict[tuple[str, str], list[Row]]:
    """The rows by document and system. Raises DataError if a group has several summaries."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in read_rows(path, required):
        rows = groups.setdefault((row.name("bbcid"), row.name("system")), [])
        if rows and row.text("summary") != rows[0].text("summary"):
            raise row.wrong("summary", f"the same summary as at {rows[0].place}")
        rows.append(row)
    return groups


def _offsets(row: Row) -> tuple[int, int]:
    """The start and the end of a span, from 0. Raises DataError if they are outside the summary."""
    start, end = row.whole("hallucinated_span_start"), row.whole("hallucinated_span_end")
    size = len(row.text("summary"))
    if not 0 <= start < end <= size + 2:
        raise row.wrong("hallucinated_span_end", f"an offset from {start + 1} to {size + 2}")
    return max(0, start - 1), end


def _documents(path: Path) -> dict[str, str]:
    return {row.name("bbcid"): row.text("document") for row in read_rows(path)}


def _document(documents: Mapping[str, str], row: Row, path: Path) -> str:
    identity = row.name("bbcid")
    if identity not in documents:
        raise DataError(f"{row.place}: {path} holds no document with the bbcid {identity}")
    return documents[identity]
