"""Who said and did what: claims about dialogues beside the same with the speakers exchanged
(`train/speakers.py`), of the claims set's dev part, on whose sources nothing is trained.

    python bench/speakers.py --data-dir DATA [--model mini] [-o results/speakers.md]

A pair is right where the claim as it was has the higher value. By sort of claim: sentences of the
set, which were written by others than the rules, and turns that the rules tell in the third person.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from faithkit import Example, Score
from faithkit.evaluation.markdown import table_lines
from faithkit.language.sentences import closed_sentences
from faithkit.meta import AUC, estimate, sample
from faithkit.models.runtime import Runtime
from faithkit.records import verdict_of
from faithkit.run import prepare
from faithkit.train.labels import labelled
from faithkit.train.speakers import speaker_claims
from faithkit.train.words import ENTAILED, Labelled

WRITTEN, TOLD = "sentences of the set", "turns in the third person"
HEADER = ["claims", "pairs", "right", "AUC", "wrong name marked", "right name marked",
          "exchanged, called consistent"]  # fmt: skip


class Pair(NamedTuple):
    """A claim as it was and with its speakers exchanged. place: the first exchanged name's first
    character, in both."""

    right: Example
    wrong: Example
    place: int


def pairs_by_sort(data: Path) -> dict[str, list[Pair]]:
    rows = labelled(["claims_dev"], data)
    written = {piece.text for row in rows for piece in closed_sentences(row.summary)}
    copies: dict[tuple[str, str], dict[bool, Labelled]] = {}
    for row in speaker_claims(rows, 0, share=1):
        copies.setdefault((row.source, row.pair), {})[row.target == ENTAILED] = row
    found: dict[str, list[Pair]] = {WRITTEN: [], TOLD: []}
    for number, ((source, claim), both) in enumerate(copies.items()):
        right, wrong = (
            Example(f"{number}/{as_it_was}", source, both[as_it_was].summary)
            for as_it_was in (True, False)
        )
        place = min(start for start, _, share in both[False].labels if share)
        found[WRITTEN if claim in written else TOLD].append(Pair(right, wrong, place))
    return found


def is_marked(score: Score, place: int) -> bool:
    return any(span.start <= place < span.end for span in score.spans)


def line(sort: str, pairs: Sequence[Pair], scores: dict[str, Score]) -> list[str]:
    right = found = false = accepted = 0
    values: list[float] = []
    for pair in pairs:
        good, bad = scores[pair.right.id], scores[pair.wrong.id]
        if good.value is None or bad.value is None:
            raise SystemExit(
                f"without a value: {pair.right.summary} ({good.outcome}, {bad.outcome})"
            )
        right += good.value > bad.value
        values += [good.value, bad.value]
        found += is_marked(bad, pair.place)
        false += is_marked(good, pair.place)
        accepted += verdict_of(bad.parts) == "consistent"
    auc = estimate(AUC, sample(values, [1.0, 0.0] * len(pairs)))
    shares = (f"{100 * count / len(pairs):.0f}%" for count in (found, false, accepted))
    ranked = "–" if auc.value is None else f"{100 * auc.value:.1f}"
    return [sort, str(len(pairs)), f"{100 * right / len(pairs):.0f}%", ranked, *shares]


def page(data: Path, model: str) -> list[str]:
    (prepared,) = prepare([f"support:model={model}"], Runtime(offline=True))
    by_sort = pairs_by_sort(data)
    rows = [row for pairs in by_sort.values() for pair in pairs for row in (pair.right, pair.wrong)]
    scores = {row.id: score for row, score in zip(rows, prepared.metric.score(rows), strict=True)}
    option = f" --model {model}" if model != "mini" else ""
    return [
        "# `support` on claims about dialogues with the speakers exchanged",
        "",
        "```",
        f"python bench/speakers.py --data-dir DATA{option}",
        "```",
        "",
        f"`{prepared.signature.short}`. Of the dialogues of the claims set's dev part; "
        "the model learned from claims exchanged in the same way on other dialogues.",
        "",
        *table_lines(HEADER, [line(sort, pairs, scores) for sort, pairs in by_sort.items()]),
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("FAITHKIT_DATA"))
    parser.add_argument("--model", default="mini", help="A support model or its folder.")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    if arguments.data_dir is None:
        parser.error("name the data folder: --data-dir DATA")
    text = "\n".join(page(Path(arguments.data_dir), arguments.model))
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
