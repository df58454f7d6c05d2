"""A stress run: suites make cases, every distinct text is scored once, figures go into a folder.

The folder holds `rows.jsonl` (one line for each case and metric), `bigrams.jsonl` (those mined from
the summaries that metrics rank highest), `rewritings.jsonl` where a chat model rewrote summaries
(those discarded too), and `summary.json`, from which `page.py` makes the page. Scoring is in
`scores.py`, what a suite asks in its own file, the rules of pass and fail in `verdicts.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.cache import Cache
from faithkit.columns import Columns
from faithkit.cut_tally import CutTally
from faithkit.datasets.releases import same_release
from faithkit.evaluation.examples import open_pairs
from faithkit.records import (
    JSON,
    ConfigError,
    DataError,
    Example,
    did_you_mean,
)
from faithkit.run import Prepared
from faithkit.stress import verdicts
from faithkit.stress.scores import MetricScores, Progress, features
from faithkit.stress.suites import SUITES, difficulty, edits, gaming, load, rewriting
from faithkit.stress.suites.base import Case, CaseValues
from faithkit.stress.suites.rewriting import Rewriter, Rewriting
from faithkit.train.difficulty import crossfit

ALL = "all datasets"


@dataclass(frozen=True, slots=True)
class StressOptions:
    """The options of a stress run.

    suites      names of SUITES; empty: every one that the datasets allow
    limit       rows of each dataset that a suite takes, spread over documents; None: all
    difficulty  a file of `faithkit train difficulty`; None: learned from the rows themselves, each
                by a network that saw neither it nor its document
    phrases     the user's own, for the suite gaming
    """

    suites: tuple[str, ...] = ()
    seed: int = 0
    limit: int | None = None
    difficulty: Path | None = None
    phrases: tuple[str, ...] = ()

    def check(self, *, rewriting: bool = False) -> None:
        """Raises ConfigError on an unknown suite, and where a chat model is to rewrite summaries
        without the suite edits, or phrases are given without the suite gaming."""
        for name in self.suites:
            if name not in SUITES:
                raise ConfigError(f"Unknown suite '{name}'.{did_you_mean(name, SUITES)}")
        if rewriting and self.suites and edits.NAME not in self.suites:
            raise ConfigError(
                "Rewritings by a chat model are cases of the suite edits, which is not asked for; "
                "add --suite edits or leave --rewriter out."
            )
        if self.phrases and self.suites and gaming.NAME not in self.suites:
            raise ConfigError(
                "--phrases are cases of the suite gaming, which is not asked for; add --suite "
                "gaming or leave --phrases out."
            )


@dataclass(frozen=True, slots=True)
class Dataset:
    """A name as the user gave it, and its rows."""

    name: str
    examples: Sequence[Example]


@dataclass(slots=True)
class SuiteCases:
    """A suite's cases on a dataset: `shared` by all metrics, and `by_metric` those of one metric
    alone. bigrams: those that gaming mined, from so many summaries; None in any other suite."""

    suite: str
    dataset: str
    shared: list[Case]
    by_metric: dict[str, list[Case]] = field(default_factory=dict)
    bigrams: list[gaming.Bigram] | None = None
    mined_from: int = 0

    def of(self, label: str) -> list[Case]:
        return [*self.shared, *self.by_metric.get(label, ())]


def read(name: str, data_dir: str | None, columns: Columns | None = None) -> Dataset:
    """A dataset as `faithkit bench -d` names it, or a file of pairs. Raises as those do."""
    with open_pairs(name, columns, data_dir=data_dir) as pairs:
        return Dataset(name, list(pairs))


def check_metrics(prepared: Sequence[Prepared]) -> None:
    """Raises ConfigError where a metric reads more than a source and a summary: a suite changes
    these, so a label or a span would no longer be about the text."""
    for metric in prepared:
        more = sorted(metric.metric.needs - {"source", "summary"})
        if more:
            raise ConfigError(
                f"{metric.label} reads {', '.join(more)} as well; stress changes the texts, so it "
                "can only test metrics that read a source and a summary"
            )


def run(
    datasets: Sequence[Dataset],
    prepared: Sequence[Prepared],
    options: StressOptions,
    folder: Path,
    store: Cache,
    *,
    helpers: Callable[[], Sequence[Prepared]],
    progress: Progress,
    rewriter: Rewriter | None = None,
) -> dict[str, Any]:
    """Makes the cases, scores what the cache lacks, writes rows and summary; returns the summary.

    helpers   loads the metrics of `difficulty.metrics_needed`, called only where they are needed
    rewriter  a chat model that adds cases to the suite edits
    Raises ConfigError on an unknown suite, a metric that cannot be tested or a rewriter without
    the suite edits; DataError where a suite that was named, or every suite, finds no row it can
    use.
    """
    options.check(rewriting=rewriter is not None)
    check_metrics(prepared)
    rewritings = _rewritings(datasets, rewriter, options, progress) if rewriter else {}

    @cache
    def loaded() -> Sequence[Prepared]:
        return helpers()

    maker = _CaseMaker(
        options, rewritings, lambda pairs: features(pairs, loaded(), store, progress)
    )
    parts, skipped = maker.make(datasets)
    scores = MetricScores(prepared, store, progress)
    scores.ensure(case for part in parts for case in part.shared)
    for part in parts:
        _add_gaming_of_metrics(part, scores, options.seed)
    summary: dict[str, Any] = {
        **_described(datasets, prepared, options),
        "rewriting": {**rewriter.to_dict(), "figures": _rewriting_figures(rewritings)}
                     if rewriter else None,
        "suites": [{"suite": part.suite, "dataset": part.dataset,
                    "cases": len(part.of(prepared[0].label))} for part in parts],
        "skipped": skipped,
        "without_score": scores.without_score(),
        **_judged(parts, scores),
        "bigrams": {part.dataset: [asdict(bigram) for bigram in part.bigrams]
                    for part in parts if part.bigrams is not None},
        "mined_from": {part.dataset: part.mined_from
                       for part in parts if part.bigrams is not None},
    }  # fmt: skip
    with writing.naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    writing.write_jsonl(folder / "rows.jsonl", _rows(parts, scores))
    _write_rows(
        folder / "rewritings.jsonl",
        (rewriting.row(item, name, rewriter) for name, of_data in rewritings.items()
         for item in of_data if rewriter),
    )  # fmt: skip
    _write_rows(folder / "bigrams.jsonl", _bigram_rows(summary["bigrams"]))
    writing.write_json(folder / "summary.json", summary)
    return summary


def _rewritings(
    datasets: Sequence[Dataset], rewriter: Rewriter, options: StressOptions, progress: Progress
) -> dict[str, list[Rewriting]]:
    """The chat model's rewritings of each dataset's summaries."""
    return {
        data.name: rewriting.rewrite(
            data.examples,
            rewriter,
            seed=options.seed,
            limit=options.limit,
            progress=partial(progress, f"rewriting {data.name}"),
        )
        for data in datasets
    }


def _described(
    datasets: Sequence[Dataset], prepared: Sequence[Prepared], options: StressOptions
) -> dict[str, Any]:
    return {
        "settings": {"seed": options.seed, "limit": options.limit,
                     "difficulty": str(options.difficulty) if options.difficulty else None,
                     "phrases": list(options.phrases)},
        "datasets": [{"name": data.name, "rows": len(data.examples)} for data in datasets],
        "metrics": [{"metric": metric.label, "unit": metric.metric.unit,
                     "bounds": [bound if math.isfinite(bound) else None
                                for bound in metric.metric.bounds],
                     "signature": metric.signature.short}
                    for metric in prepared],
    }  # fmt: skip


# Cases


@dataclass(frozen=True, slots=True)
class _CaseMaker:
    """Makes the cases of every suite.

    rewritings  by dataset, further cases of the suite edits
    features    the shallow features of pairs
    """

    options: StressOptions
    rewritings: Mapping[str, Sequence[Rewriting]]
    features: Callable[[Sequence[tuple[str, str]]], list[list[float | None]]]

    def make(self, datasets: Sequence[Dataset]) -> tuple[list[SuiteCases], list[dict[str, str]]]:
        """Every suite's cases on every dataset that it can use, and why it cannot use the others.
        Raises DataError where a suite that was named, or every suite, can use none."""
        parts, skipped = [], []
        asked = [name for name in SUITES if name in (self.options.suites or SUITES)]
        for name in asked:
            for data in datasets:
                try:
                    parts.append(SuiteCases(name, data.name, self._cases(name, data)))
                except DataError as error:
                    skipped.append({"suite": name, "dataset": data.name, "reason": str(error)})
        served = {part.suite for part in parts}
        failed = [skip for skip in skipped if skip["suite"] not in served]
        if failed and (self.options.suites or not parts):
            first = failed[0]
            raise DataError(f"suite {first['suite']} on {first['dataset']}: {first['reason']}")
        return parts, skipped

    def _cases(self, name: str, data: Dataset) -> list[Case]:
        make = load(name).cases
        if name == gaming.NAME:
            make = partial(gaming.cases, phrases=self.options.phrases)
        cases = make(data.examples, seed=self.options.seed, limit=self.options.limit)
        if name == difficulty.NAME:
            cases = self._bucketed(cases)
        if name == edits.NAME:
            cases += rewriting.cases(self.rewritings.get(data.name, ()))
        if not cases:
            raise DataError("no case can be made from these rows")
        return _distinct(cases)

    def _bucketed(self, cases: Sequence[Case]) -> list[Case]:
        """The suite difficulty's rows with their buckets."""
        options = self.options
        classifier = difficulty.load(options.difficulty) if options.difficulty else None
        rows = self.features([case.texts["row"] for case in cases])
        if classifier is not None:
            return difficulty.bucketed(cases, classifier.probabilities(rows))
        labels = [case.label or 0 for case in cases]
        documents = [case.document for case in cases]
        return difficulty.bucketed(cases, crossfit(rows, labels, documents, seed=options.seed))


def _distinct(cases: list[Case]) -> list[Case]:
    ids: set[str] = set()
    for case in cases:
        if case.id in ids:
            raise DataError(f"suite {case.suite}: two cases have the id '{case.id}'")
        ids.add(case.id)
    return cases


def _add_gaming_of_metrics(part: SuiteCases, scores: MetricScores, seed: int) -> None:
    """The cases of gaming that are made for each metric by its values."""
    if part.suite != gaming.NAME:
        return
    by_label = {label: partial(scores.values, label) for label in scores.labels}
    further = gaming.further(part.shared, by_label, seed=seed)
    part.bigrams, part.mined_from = further.bigrams, further.mined_from
    part.by_metric = {label: _distinct(cases) for label, cases in further.cases.items()}
    for label, cases in part.by_metric.items():
        scores.ensure(cases, [label])


# Figures


def _judged(parts: Sequence[SuiteCases], scores: MetricScores) -> dict[str, Any]:
    """Findings, figures and worst cases of every metric."""
    figures = _figures(parts, scores)
    findings = {
        label: verdicts.judge(
            {suite: next(iter(by_data.values()))[label] for suite, by_data in figures.items()}
        )
        for label in scores.labels
    }
    return {
        "findings": {label: [asdict(finding) for finding in of_metric]
                     for label, of_metric in findings.items()},
        "figures": figures,
        "worst": {label: _worst(label, parts, scores) for label in scores.labels},
    }  # fmt: skip


def _figures(
    parts: Sequence[SuiteCases], scores: MetricScores
) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """Suite to dataset to metric to what the suite makes of it and what must be known beside it;
    over all datasets as well, and first, where a suite has several."""
    figures: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    for suite, of_suite in _by_suite(parts).items():
        groups = {part.dataset: [part] for part in of_suite}
        if len(of_suite) > 1:
            groups = {ALL: of_suite, **groups}
        figures[suite] = {
            name: {
                label: {
                    **load(suite).summarise(*_values(group, label, scores)),
                    **caveats_of(group, label, scores),
                }
                for label in scores.labels
            }
            for name, group in groups.items()
        }
    return figures


def _by_suite(parts: Sequence[SuiteCases]) -> dict[str, list[SuiteCases]]:
    by_suite: dict[str, list[SuiteCases]] = {}
    for part in parts:
        by_suite.setdefault(part.suite, []).append(part)
    return by_suite


def caveats_of(parts: Sequence[SuiteCases], label: str, scores: MetricScores) -> dict[str, Any]:
    """The share of these cases' distinct texts that a metric did not see, and the names of these
    releases that it was trained on."""
    tally = CutTally(counted="scored texts")
    for part in parts:
        pairs = (pair for case in part.of(label) for pair in case.texts.values())
        for pair in dict.fromkeys(pairs):
            tally.add(scores.of(label, pair).coverage)
    seen = {name for part in parts for name in same_release(scores.trained_on(label), part.dataset)}
    return {"cut": asdict(tally), "trained_on": [*sorted(seen)]}


def _values(
    parts: Sequence[SuiteCases], label: str, scores: MetricScores
) -> tuple[list[Case], list[CaseValues]]:
    """The cases and one metric's values of them; document names are qualified by dataset."""
    cases = [
        replace(case, document=f"{part.dataset}/{case.document}")
        for part in parts
        for case in part.of(label)
    ]
    values: list[CaseValues] = [
        {name: scores.of(label, pair).value for name, pair in case.texts.items()} for case in cases
    ]
    return cases, values


def _worst(label: str, parts: Sequence[SuiteCases], scores: MetricScores) -> list[JSON]:
    """The cases that break each rule most, with their texts."""
    worst: list[JSON] = []
    for suite, of_suite in _by_suite(parts).items():
        cases, values = _values(of_suite, label, scores)
        for rule, broken in verdicts.worst(suite, cases, values):
            for index, badness in broken:
                case, of_case = cases[index], values[index]
                worst.append({
                    "suite": suite, "rule": rule, "id": case.id, "kind": case.kind,
                    "document": case.document, "note": case.note, "badness": badness,
                    "texts": {name: {"source": pair[0], "summary": pair[1], "value": of_case[name]}
                              for name, pair in case.texts.items()},
                })  # fmt: skip
    return worst


def _rewriting_figures(rewritings: Mapping[str, Sequence[Rewriting]]) -> dict[str, JSON]:
    """The figures of rewritings for each dataset and, if there are several, over all of them."""
    groups = {
        name: [replace(item, document=f"{name}/{item.document}") for item in of_data]
        for name, of_data in rewritings.items()
    }
    if len(groups) > 1:
        groups = {ALL: [item for of_data in groups.values() for item in of_data], **groups}
    return {name: rewriting.figures(of_data) for name, of_data in groups.items()}


# Files


def _rows(parts: Sequence[SuiteCases], scores: MetricScores) -> Iterator[dict[str, JSON]]:
    for part in parts:
        for label in scores.labels:
            for case in part.of(label):
                of_case = {name: scores.of(label, pair) for name, pair in case.texts.items()}
                yield {
                    "suite": part.suite, "dataset": part.dataset, "metric": label,
                    "id": case.id, "kind": case.kind, "document": case.document,
                    "label": case.label, "note": case.note,
                    "values": {name: {"value": score.value, "outcome": score.outcome}
                               for name, score in of_case.items()},
                }  # fmt: skip


def _bigram_rows(bigrams: Mapping[str, Sequence[Mapping[str, JSON]]]) -> Iterator[dict[str, JSON]]:
    """Every mined bigram, best first."""
    for name, of_data in bigrams.items():
        for rank, bigram in enumerate(of_data, start=1):
            yield {"dataset": name, "rank": rank, "bigram": bigram["text"],
                   "metrics": bigram["metrics"], "weight": bigram["weight"]}  # fmt: skip


def _write_rows(path: Path, rows: Iterable[Mapping[str, JSON]]) -> None:
    """Writes the rows as JSONL; without rows, removes the file of an earlier run."""
    if listed := list(rows):
        writing.write_jsonl(path, listed)
    else:
        path.unlink(missing_ok=True)
