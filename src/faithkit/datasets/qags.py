"""QAGS (Wang et al., ACL 2020): `mturk_xsum.jsonl` and `mturk_cnndm.jsonl`.

Each sentence of a summary was judged by three annotators. As in the paper (section 4), a sentence
is consistent if most of them say yes, and a summary's rating is the share of such sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import YES_NO, Row, inner_rows, read_rows
from faithkit.records import Example


def read(paths: Sequence[Path], *, origin: str) -> Iterator[Example]:
    """Ratings 0 to 1. `meta`: origin; `share`, the mean over sentences of the share of annotators
    who say yes; `answers`, each sentence's by annotator. The summary is its sentences, joined by
    one space. A tie is no majority.
    """
    for number, row in enumerate(read_rows(paths[0], ("article", "summary_sentences"))):
        sentences = inner_rows(row, "summary_sentences")
        if not sentences:
            raise row.wrong("summary_sentences", "at least one sentence")
        shares, answers = zip(*map(_votes, sentences), strict=True)
        source = row.text("article")
        yield row.example(
            f"qags_{origin}/{number}",
            source,
            " ".join(sentence.text("sentence") for sentence in sentences),
            rating=sum(share > 0.5 for share in shares) / len(shares),
            meta={
                "origin": origin,
                "share": sum(shares) / len(shares),
                "answers": list(answers),
                **row.rest("article", "summary_sentences"),
            },
        )


def _votes(sentence: Row) -> tuple[float, dict[str, int]]:
    votes = {
        answer.name("worker_id"): answer.choice("response", YES_NO)
        for answer in inner_rows(sentence, "responses")
    }
    if not votes:
        raise sentence.wrong("responses", "at least one response")
    return sum(votes.values()) / len(votes), votes
