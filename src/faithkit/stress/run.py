"""A stress run: suites make cases, every distinct text is scored once, figures go into a folder.

The folder holds `values/METRIC-DIGEST.jsonl` (what was scored, appended batch by batch, so a run
that is killed goes on where it was), `rows.jsonl` (one line for each case and metric),
`bigrams.jsonl` (those mined from the summaries that metrics rank highest), `rewritings.jsonl` where
a chat model rewrote summaries (those discarded too), and `summary.json`, from which `page.py` makes
the page. What a suite asks is in its own file; what its figures mean in
`verdicts.py`.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from faithkit import run as runs
from faithkit import writing
from faithkit.cache import Cache
from faithkit.cache import key as cache_key
from faithkit.datasets.releases import same_release
from faithkit.evaluation.examples import open_pairs
from faithkit.records import (
    JSON,
    TRANSIENT,
    ConfigError,
    Coverage,
    CutTally,
    DataError,
    Example,
    did_you_mean,
)
from faithkit.run import Prepared
from faithkit.stress import verdicts
from faithkit.stress.suites import difficulty, edits, gaming, rewriting
from faithkit.stress.suites.cases import Case, Pair
from faithkit.stress.suites.difficulty import Difficulty, bucketed
from faithkit.stress.suites.rewriting import Rewriter, Rewriting
from faithkit.train.difficulty import Features, crossfit

SUITES: dict[str, str] = {
    "edits": "faithkit.stress.suites.edits",
    "gaming": "faithkit.stress.suites.gaming",
    "counterfactual": "faithkit.stress.suites.counterfactual",
    "probes": "faithkit.stress.suites.probes",
    "difficulty": "faithkit.stress.suites.difficulty",
}
"""Every suite, in the order of the page. Each has `cases` and `summarise`; gaming has `further`
too, which makes cases that need a metric's values."""

ALL = "all datasets"
BATCH = 256
"""Texts scored at once. Those of a source stand together, so it is encoded once a batch."""

Progress = Callable[[str, int, int], None]
"""Told what is done, how many of it, and of how many."""


class Known(NamedTuple):
    """What a metric said of a pair, and how much of it it saw."""

    value: float | None
    outcome: str
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is asked for.

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
        if rewriting and self.suites and edits.SUITE not in self.suites:
            raise ConfigError(
                "Rewritings by a chat model are cases of the suite edits, which is not asked for; "
                "add --suite edits or leave --rewriter out."
            )
        if self.phrases and self.suites and gaming.SUITE not in self.suites:
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
class Part:
    """A suite's cases on a dataset: those that every metric gets, and each metric's own. bigrams:
    those that gaming mined; None in any other suite."""

    suite: str
    dataset: str
    cases: list[Case]
    own: dict[str, list[Case]]
    bigrams: list[gaming.Bigram] | None = None

    def of(self, label: str) -> list[Case]:
        return [*self.cases, *self.own.get(label, ())]


def read(name: str, data_dir: str | None) -> Dataset:
    """A dataset as `faithkit bench -d` names it, or a file of pairs. Raises as those do."""
    with open_pairs(name, data_dir=data_dir) as pairs:
        return Dataset(name, list(pairs))


def check_metrics(prepared: Sequence[Prepared]) -> None:
    """Raises ConfigError where a metric reads more than a source and a summary: a suite changes
    these, so a label or a span would no longer be about the text."""
    for one in prepared:
        more = sorted(one.metric.needs - {"source", "summary"})
        if more:
            raise ConfigError(
                f"{one.label} reads {', '.join(more)} as well; stress changes the texts, so it can "
                "only test metrics that read a source and a summary"
            )


def run(
    datasets: Sequence[Dataset],
    prepared: Sequence[Prepared],
    settings: Settings,
    folder: Path,
    store: Cache,
    *,
    helpers: Callable[[], Sequence[Prepared]],
    progress: Progress,
    rewriter: Rewriter | None = None,
) -> dict[str, Any]:
    """Makes the cases, scores what the folder lacks, writes rows and summary; returns the summary.

    helpers   loads the metrics of `difficulty.metrics_needed`, called only where they are needed
    rewriter  a chat model that adds cases to the suite edits
    Raises ConfigError on an unknown suite, a metric that cannot be tested or a rewriter without
    the suite edits; DataError where a suite that was named, or every suite, finds no row it can
    use.
    """
    settings.check(rewriting=rewriter is not None)
    check_metrics(prepared)
    rewritings = _rewritings(datasets, settings, rewriter, progress) if rewriter else {}
    parts, skipped = _parts(
        datasets,
        settings,
        {name: rewriting.cases(some) for name, some in rewritings.items()},
        cache(helpers),
        store,
        progress,
    )
    values = Values(prepared, folder / "values", store, progress)
    values.ensure([pair for part in parts for case in part.cases for pair in case.texts.values()])
    for part in parts:
        _further(part, values, settings.seed)
    figures = _figures(parts, values)
    findings = {
        one.label: verdicts.judge({suite: _pooled(by_data, one.label)
                                   for suite, by_data in figures.items()})
        for one in prepared
    }  # fmt: skip
    worst = {one.label: _worst(one.label, parts, values) for one in prepared}
    summary: dict[str, Any] = {
        "settings": {"seed": settings.seed, "limit": settings.limit,
                     "difficulty": str(settings.difficulty) if settings.difficulty else None,
                     "phrases": list(settings.phrases)},
        "datasets": [{"name": data.name, "rows": len(data.examples)} for data in datasets],
        "metrics": [{"metric": one.label, "unit": one.metric.unit,
                     "bounds": [bound if math.isfinite(bound) else None
                                for bound in one.metric.bounds],
                     "signature": one.signature.short}
                    for one in prepared],
        "rewriting": {**rewriter.to_dict(), "figures": _rewriting_figures(rewritings)}
                     if rewriter else None,
        "suites": [{"suite": part.suite, "dataset": part.dataset,
                    "cases": len(part.of(prepared[0].label))} for part in parts],
        "skipped": [dict(one) for one in skipped],
        "findings": {label: [one.to_dict() for one in some] for label, some in findings.items()},
        "figures": {suite: {data: dict(by_metric) for data, by_metric in by_data.items()}
                    for suite, by_data in figures.items()},
        "worst": worst,
        "bigrams": {part.dataset: [asdict(one) for one in part.bigrams]
                    for part in parts if part.bigrams is not None},
    }  # fmt: skip
    writing.write_jsonl(folder / "rows.jsonl", _rows(parts, prepared, values))
    _keep_rewritings(folder / "rewritings.jsonl", rewritings, rewriter)
    _keep_bigrams(folder / "bigrams.jsonl", summary["bigrams"])
    writing.write_json(folder / "summary.json", summary)
    return summary


def _module(suite: str) -> ModuleType:
    return importlib.import_module(SUITES[suite])


def _parts(
    datasets: Sequence[Dataset],
    settings: Settings,
    rewritten: Mapping[str, list[Case]],
    helpers: Callable[[], Sequence[Prepared]],
    store: Cache,
    progress: Progress,
) -> tuple[list[Part], list[dict[str, str]]]:
    """Every suite's cases on every dataset that it can use, and why it cannot use the others.

    rewritten  further cases of the suite edits, by dataset
    """
    guesser = difficulty.load(settings.difficulty) if settings.difficulty else None
    parts, skipped = [], []
    for suite in SUITES:
        if settings.suites and suite not in settings.suites:
            continue
        for data in datasets:
            try:
                more = {"phrases": settings.phrases} if suite == gaming.SUITE else {}
                made = _module(suite).cases(
                    data.examples, seed=settings.seed, limit=settings.limit, **more
                )
                if suite == difficulty.SUITE:
                    pairs = [case.texts["row"] for case in made]
                    made = _bucketed(
                        made, guesser, features(pairs, helpers(), store, progress), settings.seed
                    )
                if suite == edits.SUITE:
                    made += rewritten.get(data.name, [])
                if not made:
                    raise DataError("no case can be made from these rows")
            except DataError as error:
                skipped.append({"suite": suite, "dataset": data.name, "reason": str(error)})
                continue
            parts.append(Part(suite, data.name, _distinct(made), {}))
    served = {part.suite for part in parts}
    failed = [one for one in skipped if one["suite"] not in served]
    if failed and (settings.suites or not parts):
        one = failed[0]
        raise DataError(f"suite {one['suite']} on {one['dataset']}: {one['reason']}")
    return parts, skipped


def _rewritings(
    datasets: Sequence[Dataset], settings: Settings, rewriter: Rewriter, progress: Progress
) -> dict[str, list[Rewriting]]:
    """What the chat model makes of each dataset's summaries."""
    return {
        data.name: rewriting.rewrite(
            data.examples,
            rewriter,
            seed=settings.seed,
            limit=settings.limit,
            progress=partial(progress, f"rewriting {data.name}"),
        )
        for data in datasets
    }


def _rewriting_figures(rewritings: Mapping[str, Sequence[Rewriting]]) -> dict[str, JSON]:
    """Dataset to what `rewriting.figures` says of it; over all as well, where there are several."""
    groups = {
        name: [replace(one, document=f"{name}/{one.document}") for one in some]
        for name, some in rewritings.items()
    }
    if len(groups) > 1:
        groups = {ALL: [one for some in groups.values() for one in some], **groups}
    return {name: rewriting.figures(some) for name, some in groups.items()}


def _keep_rewritings(
    path: Path, rewritings: Mapping[str, Sequence[Rewriting]], rewriter: Rewriter | None
) -> None:
    """Every rewriting, kept or not; without a rewriter none, those of an earlier run neither."""
    if rewriter is None:
        path.unlink(missing_ok=True)
        return
    rows = (rewriting.row(one, name, rewriter) for name, some in rewritings.items()
            for one in some)  # fmt: skip
    writing.write_jsonl(path, rows)


def _keep_bigrams(path: Path, bigrams: Mapping[str, Sequence[Mapping[str, JSON]]]) -> None:
    """Every mined bigram, best first; where none was mined, those of an earlier run go."""
    rows = [
        {"dataset": name, "rank": rank, "bigram": one["text"], "metrics": one["metrics"],
         "weight": one["weight"]}
        for name, some in bigrams.items()
        for rank, one in enumerate(some, start=1)
    ]  # fmt: skip
    if rows:
        writing.write_jsonl(path, rows)
    else:
        path.unlink(missing_ok=True)


def _distinct(cases: list[Case]) -> list[Case]:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise DataError(f"suite {case.suite}: two cases have the id '{case.id}'")
        seen.add(case.id)
    return cases


def _bucketed(
    cases: Sequence[Case], guesser: Difficulty | None, rows: Features, seed: int
) -> list[Case]:
    """The suite difficulty's rows with their buckets."""
    if guesser is not None:
        return bucketed(cases, guesser.probabilities(rows))
    labels = [case.label or 0 for case in cases]
    documents = [case.document for case in cases]
    return bucketed(cases, crossfit(rows, labels, documents, seed=seed))


def features(
    pairs: Sequence[Pair], helpers: Sequence[Prepared], store: Cache, progress: Progress
) -> list[list[float | None]]:
    """The shallow features of each pair: [pairs][6], None where one is missing.

    helpers  the metrics of `difficulty.metrics_needed`
    """
    examples = [Example(str(place), *pair) for place, pair in enumerate(pairs)]
    found: list[list[float | None]] = []
    for batch in runs.batched(examples, BATCH):
        for scores in runs.score_batch(helpers, batch, store):
            by_name = {one.metric.name: score for one, score in zip(helpers, scores, strict=True)}
            found.append(difficulty.features_of(by_name))
        progress("shallow features", len(found), len(pairs))
    return found


def _further(part: Part, values: Values, seed: int) -> None:
    if part.suite != gaming.SUITE:
        return
    scores = {label: partial(values.score, label) for label in values.labels}
    further = gaming.further(part.cases, scores, seed=seed)
    part.bigrams = further.bigrams
    part.own = {label: _distinct(made) for label, made in further.cases.items()}
    for label, made in part.own.items():
        values.ensure([pair for case in made for pair in case.texts.values()], [label])


class Values:
    """What the metrics say of pairs: scored once, kept in the folder."""

    def __init__(
        self, prepared: Sequence[Prepared], folder: Path, store: Cache, progress: Progress
    ) -> None:
        self._metrics = {one.label: one for one in prepared}
        self._store, self._progress = store, progress
        self._journals = {one.label: _Journal(folder, one) for one in prepared}

    @property
    def labels(self) -> list[str]:
        return list(self._metrics)

    def trained_on(self, label: str) -> frozenset[str]:
        """The names of the data that a metric was trained on."""
        return self._metrics[label].trained_on

    def of(self, label: str, pair: Pair) -> Known:
        """What is known of a pair that `ensure` or `score` was given."""
        return self._journals[label].known[self._key(label, pair)]

    def score(self, label: str, pairs: Sequence[Pair]) -> list[float | None]:
        """One metric's values of pairs, scored where they are not known."""
        self.ensure(pairs, [label])
        return [self.of(label, pair).value for pair in pairs]

    def ensure(self, pairs: Sequence[Pair], labels: Sequence[str] | None = None) -> None:
        """Scores what is not known, those of a source together. Metrics that lack the same pairs
        see a batch one after the other, so those that share a model share its passes."""
        order = _by_source(pairs)
        lacking: dict[tuple[Pair, ...], list[Prepared]] = {}
        for label in self.labels if labels is None else labels:
            known = self._journals[label].known
            missing = tuple(pair for pair in order if self._key(label, pair) not in known)
            if missing:
                lacking.setdefault(missing, []).append(self._metrics[label])
        for missing, prepared in lacking.items():
            name, done = ", ".join(one.label for one in prepared), 0
            for batch in runs.batched(
                (Example(str(place), *pair) for place, pair in enumerate(missing)), BATCH
            ):
                scores = runs.score_batch(prepared, batch, self._store)
                for number, one in enumerate(prepared):
                    keys = [self._key(one.label, (e.source, e.summary)) for e in batch]
                    found = [
                        Known(score.value, str(score.outcome), score.coverage)
                        for score in (row[number] for row in scores)
                    ]
                    self._journals[one.label].add(dict(zip(keys, found, strict=True)))
                done += len(batch)
                self._progress(name, done, len(missing))

    def _key(self, label: str, pair: Pair) -> str:
        return cache_key(self._metrics[label].signature.digest, pair).hex()


def _by_source(pairs: Iterable[Pair]) -> list[Pair]:
    """The distinct pairs, those of a source together, in the order in which sources come."""
    own: dict[str, dict[Pair, None]] = {}
    for pair in pairs:
        own.setdefault(pair[0], {})[pair] = None
    return [pair for some in own.values() for pair in some]


class _Journal:
    """One metric's values in a file: a line for each batch, written in one piece, so that a kill
    loses whole batches and the next run makes the same batches again. Values that were kept without
    their coverage are not known, so they are scored again."""

    def __init__(self, folder: Path, one: Prepared) -> None:
        name = re.sub(r"[^\w+=,.-]", "_", one.label)[:80]
        self._journal = writing.Journal(folder / f"{name}-{one.signature.digest[:10]}.jsonl")
        self.known: dict[str, Known] = {}
        with writing.naming(self._journal.path):
            folder.mkdir(parents=True, exist_ok=True)
            self._journal.cut()
            self._read()

    def _read(self) -> None:
        try:
            for line in self._journal.lines():
                for key, (value, outcome, *coverage) in json.loads(line).items():
                    if coverage and outcome not in TRANSIENT:
                        self.known[key] = Known(value, outcome, Coverage(**coverage[0]))
        except (ValueError, TypeError, AttributeError) as error:
            message = f"{self._journal.path} cannot be read; delete it and run again"
            raise DataError(message) from error

    def add(self, found: Mapping[str, Known]) -> None:
        line = {key: (one.value, one.outcome, one.coverage.counts()) for key, one in found.items()}
        with writing.naming(self._journal.path):
            self._journal.append([json.dumps(line) + "\n"])
        self.known |= found


def _figures(
    parts: Sequence[Part], values: Values
) -> dict[str, dict[str, dict[str, dict[str, JSON]]]]:
    """Suite to dataset to metric to what the suite makes of it and what must be known beside it;
    over all datasets as well, where a suite has several."""
    found: dict[str, dict[str, dict[str, dict[str, JSON]]]] = {}
    for suite in dict.fromkeys(part.suite for part in parts):
        some = [part for part in parts if part.suite == suite]
        by_data = found.setdefault(suite, {})
        groups = {part.dataset: [part] for part in some}
        if len(some) > 1:
            groups = {ALL: some, **groups}
        for name, own in groups.items():
            by_data[name] = {
                label: {
                    **_module(suite).summarise(*_answers(own, label, values)),
                    **caveats_of(own, label, values),
                }
                for label in values.labels
            }
    return found


def caveats_of(parts: Sequence[Part], label: str, values: Values) -> dict[str, Any]:
    """How much of the distinct texts of these cases a metric did not see, and of what it was
    trained on the names of these releases."""
    tally = CutTally(counted="scored texts")
    for part in parts:
        pairs = (pair for case in part.of(label) for pair in case.texts.values())
        for pair in dict.fromkeys(pairs):
            tally.add(values.of(label, pair).coverage)
    seen = {name for part in parts for name in same_release(values.trained_on(label), part.dataset)}
    return {"cut": asdict(tally), "trained_on": [*sorted(seen)]}


def _answers(
    parts: Sequence[Part], label: str, values: Values
) -> tuple[list[Case], list[dict[str, float | None]]]:
    """The cases, their documents told apart by dataset, and one metric's values of them."""
    cases = [
        replace(case, document=f"{part.dataset}/{case.document}")
        for part in parts
        for case in part.of(label)
    ]
    answers = [
        {name: values.of(label, pair).value for name, pair in case.texts.items()} for case in cases
    ]
    return cases, answers


def _pooled(
    by_data: Mapping[str, Mapping[str, Mapping[str, JSON]]], label: str
) -> Mapping[str, JSON]:
    return next(iter(by_data.values()))[label]


def _worst(label: str, parts: Sequence[Part], values: Values) -> list[JSON]:
    """For each rule, the cases that break it most, with their texts."""
    found: list[JSON] = []
    for suite in dict.fromkeys(part.suite for part in parts):
        some = [part for part in parts if part.suite == suite]
        cases, answers = _answers(some, label, values)
        for rule, broken in verdicts.worst(suite, cases, answers):
            for place, badness in broken:
                case, answer = cases[place], answers[place]
                found.append({
                    "suite": suite, "rule": rule, "id": case.id, "kind": case.kind,
                    "document": case.document, "note": case.note, "badness": badness,
                    "texts": {name: {"source": pair[0], "summary": pair[1], "value": answer[name]}
                              for name, pair in case.texts.items()},
                })  # fmt: skip
    return found


def _rows(
    parts: Sequence[Part], prepared: Sequence[Prepared], values: Values
) -> Iterator[dict[str, JSON]]:
    for part in parts:
        for metric in prepared:
            for case in part.of(metric.label):
                known = {name: values.of(metric.label, pair) for name, pair in case.texts.items()}
                yield {
                    "suite": part.suite, "dataset": part.dataset, "metric": metric.label,
                    "id": case.id, "kind": case.kind, "document": case.document,
                    "label": case.label, "note": case.note,
                    "values": {name: {"value": one.value, "outcome": one.outcome}
                               for name, one in known.items()},
                }  # fmt: skip
