"""How much of the evidence that people marked is among the sentences that the support model reads?

    python bench/evidence_recall.py [--data-dir DATA] [--budgets 60 100 180 260] [--rows 400]
                                    [--length-power 0.7]

On wice_dev (`evidence`) and defacto_dev (`evidence_text`): the source sentences that are in the
marked text, and the share of them that `select_evidence` chooses for any sentence of the summary
within a budget of tokens, on average over rows. Rows whose marked text holds no whole sentence of
the source are left out. No model is loaded, only the encoder's tokenizer.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from data import DATA
from faithkit import models
from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences
from faithkit.support.encoders import read_tokenizer
from faithkit.support.evidence import ANY_LENGTH, LENGTH_POWER, Source, select_evidence
from faithkit.support.sentences import Sentence, read_sentences, read_source

FILES = {"wice_dev": "evidence", "defacto_dev": "evidence_text"}
LEAST_WORDS = 3
"""A shorter sentence ("Yes.") may be in a marked text by chance."""


class Row(NamedTuple):
    """A summary's sentences, its source, and which sentences of that are marked."""

    claims: list[Sentence]
    source: Source
    marked: set[int]


def words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def rows_of(path: Path, field: str, tokenizer_of: str) -> Iterator[Row]:
    tokenizer = read_tokenizer(models.resolve("tokens", tokenizer_of)[0])
    text, source = None, Source([])
    with path.open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            if not row.get(field):
                continue
            if row["source"] != text:
                text = row["source"]
                source = Source(read_source(plain_source(text).text, tokenizer, named=True))
            evidence = words_of(row[field])
            marked = {
                place
                for place, sentence in enumerate(source.sentences)
                if len(sentence.keys) >= LEAST_WORDS and words_of(sentence.form.text) in evidence
            }
            if marked:
                claims = read_sentences(closed_sentences(row["summary"]), tokenizer)
                yield Row(claims, source, marked)


def recall(row: Row, budget: int, length_power: float) -> float:
    chosen = {
        place
        for one in row.claims
        for place in select_evidence(one, row.source, budget, length_power)
    }
    return len(chosen & row.marked) / len(row.marked)


def table(rows: Sequence[Row], budgets: Sequence[int], length_power: float) -> list[float]:
    return [
        sum(recall(row, budget, length_power) for row in rows) / len(rows) for budget in budgets
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=DATA)
    parser.add_argument("--budgets", type=int, nargs="+", default=[60, 100, 180, 260])
    parser.add_argument("--rows", type=int, help="The first rows of each file only.")
    parser.add_argument("--encoder", default="mini", help="Whose tokens are counted.")
    parser.add_argument(
        "--length-power",
        type=float,
        default=ANY_LENGTH,
        help=f"As the model was trained: {ANY_LENGTH} mini, {LENGTH_POWER} base.",
    )
    arguments = parser.parse_args()
    print(f"{'file':12s} {'rows':>5s} " + " ".join(f"{one:>6d}" for one in arguments.budgets))
    for name, field in FILES.items():
        path = arguments.data_dir / "bench" / f"{name}.jsonl"
        rows = list(islice(rows_of(path, field, arguments.encoder), arguments.rows))
        shares = table(rows, arguments.budgets, arguments.length_power)
        shown = " ".join(f"{share:6.2f}" for share in shares)
        print(f"{name:12s} {len(rows):5d} {shown}", flush=True)


if __name__ == "__main__":
    main()
