"""How should the verdicts on words and sentences become one number?

    python bench/aggregates.py --model out/support -d summeval_dev -d bump1 -d wice_dev

Judges every row once, then puts the verdicts on its sentences that claim something together in
each way of `AGGREGATES`: Spearman with ratings, share of pairs in the right order, AUC with labels,
as in `faithkit bench`, times 100. Ways marked * never rise when a sentence is appended. A better
way is a line more.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data import DATA
from faithkit import meta, models
from faithkit.evaluation.bench.statistics import headline
from faithkit.evaluation.examples import read
from faithkit.evaluation.judged import JudgedRow, JudgedTable, judged_row
from faithkit.models.protocols import SentenceVerdict, SupportModel
from faithkit.models.runtime import Runtime
from faithkit.records import Example
from faithkit.run import batched

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Claims:
    """Of a summary's sentences that claim something, [sentences]: mean unsupported probability of
    the words and of the three worst, two probabilities of the sentence, mean similarity and number
    of its words; `words` [words] are the unsupported probabilities of all; `sentences` as judged.
    """

    mean: Floats
    top3: Floats
    entailment: Floats
    contradiction: Floats
    similarity: Floats
    lengths: Floats
    words: Floats
    sentences: Sequence[SentenceVerdict]


Share = Callable[[Claims], Floats]
Aggregate = Callable[[Claims], float]


def mix(weight: float, other: Share) -> Share:
    """(1 - weight) * mean + weight * other."""
    return lambda claims: (1 - weight) * claims.mean + weight * other(claims)


def together(share: Share, power: float) -> Aggregate:
    """1 - (sum of share ** power) ** (1 / power), which ranks as the metric does."""
    if power == math.inf:
        return lambda claims: 1 - float(share(claims).max())
    return lambda claims: 1 - math.fsum(sorted(share(claims) ** power)) ** (1 / power)


def not_entailed(claims: Claims) -> Floats:
    return 1 - claims.entailment


def contradiction(claims: Claims) -> Floats:
    return claims.contradiction


def distance(claims: Claims) -> Floats:
    return 1 - claims.similarity


def three(words: float, sentence: float, cosine: float, function_word: float = 1.0) -> Share:
    """words * mean + sentence * (1 - entailment) + cosine * (1 - similarity); a function word
    counts so much in the two means over words."""

    def share(claims: Claims) -> Floats:
        means = np.array([
            np.average(
                [item.unsupported, item.near_evidence],
                axis=1,
                weights=np.where(item.content, 1.0, function_word),
            )
            for item in claims.sentences
        ])  # fmt: skip
        return words * means[:, 0] + sentence * not_entailed(claims) + cosine * (1 - means[:, 1])

    return share


def by_length(share: Share, whole: float = math.inf) -> Share:
    """The share times the root of the sentence's length, from `whole` words up no more."""
    return lambda claims: share(claims) * np.sqrt(np.minimum(claims.lengths, whole))


def top3(claims: Claims) -> Floats:
    return claims.top3


def mean(claims: Claims) -> Floats:
    return claims.mean


AGGREGATES: dict[str, Aggregate] = {
    "mean of words": lambda claims: 1 - float(claims.words.mean()),
    "mean of sentences": lambda claims: 1 - float(claims.mean.mean()),
    "* least sentence": lambda claims: 1 - float(claims.mean.max()),
    "* product of 1 - mean": lambda claims: float(np.prod(1 - claims.mean)),
    "* p=1, mean": together(mean, 1),
    "* p=2, mean": together(mean, 2),
    "* p=3, mean": together(mean, 3),
    "* p=inf, mean": together(mean, math.inf),
    "* p=1, top 3": together(top3, 1),
    "* p=2, top 3": together(top3, 2),
    "* p=3, top 3": together(top3, 3),
    "* p=inf, top 3": together(top3, math.inf),
    "* p=2, .8 mean + .2 top 3": together(mix(0.2, top3), 2),
    "* p=2, .6 mean + .4 top 3": together(mix(0.4, top3), 2),
    "* p=3, .8 mean + .2 top 3": together(mix(0.2, top3), 3),
    "* p=3, .6 mean + .4 top 3": together(mix(0.4, top3), 3),
    "* p=2, .8 mean + .2 (1 - entailment)": together(mix(0.2, not_entailed), 2),
    "* p=2, .7 mean + .3 (1 - entailment)": together(mix(0.3, not_entailed), 2),
    "* p=2, .5 mean + .5 (1 - entailment)": together(mix(0.5, not_entailed), 2),
    "* p=2, .3 mean + .7 (1 - entailment)": together(mix(0.7, not_entailed), 2),
    "* p=2, 1 - entailment": together(not_entailed, 2),
    "* p=3, .8 mean + .2 (1 - entailment)": together(mix(0.2, not_entailed), 3),
    "* p=3, .7 mean + .3 (1 - entailment)": together(mix(0.3, not_entailed), 3),
    "* p=3, .5 mean + .5 (1 - entailment)": together(mix(0.5, not_entailed), 3),
    "* p=3, .3 mean + .7 (1 - entailment)": together(mix(0.7, not_entailed), 3),
    "* p=3, 1 - entailment": together(not_entailed, 3),
    "* p=2, .7 mean + .3 contradiction": together(mix(0.3, contradiction), 2),
    "* p=2, 1 - similarity": together(distance, 2),
    "* p=2, .6 mean + .4 (1 - similarity)": together(three(0.6, 0.0, 0.4), 2),
    "* p=2, .5 mean + .2 (1 - entailment) + .3 (1 - similarity)": together(three(0.5, 0.2, 0.3), 2),
    "* p=2, .3 mean + .2 (1 - entailment) + .5 (1 - similarity)": together(three(0.3, 0.2, 0.5), 2),
    "* p=2, .2 mean + .2 (1 - entailment) + .6 (1 - similarity)": together(three(0.2, 0.2, 0.6), 2),
    "* the same, by the root of length": together(by_length(three(0.2, 0.2, 0.6)), 2),
    "* p=3, .2 mean + .2 (1 - entailment) + .6 (1 - similarity)": together(three(0.2, 0.2, 0.6), 3),
    "* p=4, .2 mean + .2 (1 - entailment) + .6 (1 - similarity)": together(three(0.2, 0.2, 0.6), 4),
    "* the same, function words .25": together(three(0.2, 0.2, 0.6, 0.25), 4),
    "* the same, function words .1": together(three(0.2, 0.2, 0.6, 0.1), 4),
    "* the same, function words .01": together(three(0.2, 0.2, 0.6, 0.01), 4),
    "* function words .1, by the root of length": together(by_length(three(0.2, 0.2, 0.6, 0.1)), 4),
    "* function words .1, by the root of length up to 10 words": together(
        by_length(three(0.2, 0.2, 0.6, 0.1), 10), 4
    ),
    "* function words .1, by the root of length up to 13 words": together(
        by_length(three(0.2, 0.2, 0.6, 0.1), 13), 4
    ),
    "* p=6, function words .1, by the root of length up to 13 words": together(
        by_length(three(0.2, 0.2, 0.6, 0.1), 13), 6
    ),
    "* p=6, function words .1, by the root of length up to 16 words": together(
        by_length(three(0.2, 0.2, 0.6, 0.1), 16), 6
    ),
    "* p=2, .2 mean + .1 (1 - entailment) + .7 (1 - similarity)": together(three(0.2, 0.1, 0.7), 2),
    "* p=3, .2 mean + .1 (1 - entailment) + .7 (1 - similarity)": together(three(0.2, 0.1, 0.7), 3),
    "* p=1.5, .2 mean + .1 (1 - entailment) + .7 (1 - similarity)": together(
        three(0.2, 0.1, 0.7), 1.5
    ),
    "* p=2, .2 top 3 + .1 (1 - entailment) + .7 (1 - similarity)": together(
        lambda claims: 0.2 * claims.top3 + 0.1 * not_entailed(claims) + 0.7 * distance(claims), 2
    ),
}


def claims_of(sentences: Sequence[SentenceVerdict]) -> Claims | None:
    """None where no sentence claims anything."""
    claims_of_row = [item for item in sentences if item.has_claim]
    if not claims_of_row:
        return None
    words = [item.unsupported.astype(np.float64) for item in claims_of_row]
    return Claims(
        mean=np.array([some.mean() for some in words]),
        top3=np.array([np.sort(some)[-3:].mean() for some in words]),
        entailment=np.array([item.probabilities[0] for item in claims_of_row]),
        contradiction=np.array([item.probabilities[2] for item in claims_of_row]),
        similarity=np.array([item.near_evidence.mean(dtype=np.float64) for item in claims_of_row]),
        lengths=np.array([float(len(some)) for some in words]),
        words=np.concatenate(words),
        sentences=claims_of_row,
    )


def judge(model: SupportModel, name: str, rows: Sequence[Example]) -> list[Claims | None]:
    start, cpu, found = time.perf_counter(), time.process_time(), []
    for batch in batched(rows, 256):
        verdicts = model.judge([(row.source, row.summary) for row in batch])
        found += [claims_of(verdict.sentences) for verdict in verdicts]
        print(f"\r{name}: {len(found)} of {len(rows)} rows, {time.perf_counter() - start:.0f} s "
              f"({time.process_time() - cpu:.0f} s of CPU)", end="", file=sys.stderr,
              flush=True)  # fmt: skip
    print(file=sys.stderr)
    return found


def figure(
    statistic: str, rows: Sequence[JudgedRow], values: Sequence[float | None]
) -> float | None:
    """The statistic of these values, as `faithkit bench` has it."""
    measures = {item.name: item for item in (meta.SPEARMAN, meta.RANKING, meta.AUC)}
    data = meta.sample(
        values,
        [row.rating if statistic == "spearman" else row.label for row in rows],
        groups=[row.document for row in rows],
        subsets=[row.pair or row.document for row in rows]
        if statistic == "ranking_accuracy"
        else None,
    )
    return meta.estimate(measures[statistic], data).value


def shown(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def table_row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini", help="an embedded support model, or a folder")
    parser.add_argument("-d", "--dataset", action="append", required=True)
    parser.add_argument("--data-dir", default=str(DATA))
    parser.add_argument("--limit", type=int, help="only the first documents of each dataset")
    given = parser.parse_args()
    model: SupportModel = models.load(f"support:{given.model}", Runtime(offline=True))
    columns: list[list[float | None]] = []
    heads: list[str] = []
    nothing: list[str] = []
    for name in given.dataset:
        tasks, rows = read(name, given.data_dir, given.limit)
        judged = [judged_row(row) for row in rows]
        statistic = headline(JudgedTable(name, judged, tasks=tasks))
        if statistic is None:
            sys.exit(f"{name} is about error types only")
        claims = judge(model, name, rows)
        heads.append(f"{name} ({statistic.removesuffix('_accuracy')})")
        nothing.append(f"{claims.count(None)} of {len(rows)}")
        columns.append([
            figure(statistic, judged, [None if c is None else aggregate(c) for c in claims])
            for aggregate in AGGREGATES.values()
        ])  # fmt: skip
    print(table_row(model.id, *heads, "mean"))
    print(table_row("---", *("---" for _ in heads), "---"))
    for number, name in enumerate(AGGREGATES):
        figures = [column[number] for column in columns]
        present = [value for value in figures if value is not None]
        average = sum(present) / len(present) if len(present) == len(figures) else None
        print(table_row(name, *map(shown, figures), shown(average)))
    print(table_row("rows without a claim", *nothing, ""))


if __name__ == "__main__":
    main()
