"""SummEval (Fabbri et al., TACL 2021): `model_annotations.aligned.paired.jsonl`.

100 CNN/DM articles, 16 systems, three experts and five crowd workers. The rating is the mean of the
experts' consistency, 1 to 5 ([FFLM], [FCLLM]).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, inner_rows, read_rows
from faithkit.records import Example

ASPECTS = ("coherence", "consistency", "fluency", "relevance")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """`meta`: experts (mean of each aspect), answers (each expert's consistency), references."""
    required = ("id", "text", "decoded", "model_id", "expert_annotations")
    for row in read_rows(paths[0], required):
        experts = inner_rows(row, "expert_annotations")
        if not experts:
            raise row.wrong("expert_annotations", "at least one expert")
        means = {aspect: _mean(experts, aspect) for aspect in ASPECTS}
        yield row.example(
            f"{row.name('id')}/{row.name('model_id')}",
            row.text("text"),
            row.text("decoded"),
            document=row.name("id"),
            system=row.name("model_id"),
            rating=means["consistency"],
            meta={
                "experts": means,
                "answers": [expert.number("consistency", 1, 5) for expert in experts],
                "references": row.values.get("references"),
            },
        )


def _mean(experts: Sequence[Row], aspect: str) -> float:
    return sum(expert.number(aspect, 1, 5) for expert in experts) / len(experts)
