"""Figures of stress suites [STRESS], as `stress` computes them: metrics are the rows, and a column
is one statistic of one kind of case (`part`, or "*" for all of them). "rows of NAME" is how many
rows the statistic NAME is over, and "phrase NAME" is NAME of each single phrase of the suite
gaming.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from faithkit import models
from faithkit import run as scoring
from faithkit.caveats import Caveats, caveat_lines, marks
from faithkit.cut_tally import CutTally
from faithkit.metrics.spec import MetricSpec
from faithkit.models.protocols import Limits
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import ColumnSpec
from faithkit.reproduce.tables import Cell, Filled
from faithkit.stress import run as stress
from faithkit.stress.suites.difficulty import metrics_needed
from faithkit.stress.suites.rewriting import Rewriter

PHRASE, ROWS = "phrase ", "rows of "


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. What the run writes (every case, the bigrams) goes to the folder."""
    filled = Filled(rows=[row.title for row in plan.recipe.rows])
    suites = tuple(dict.fromkeys(column.suite for column in plan.recipe.columns if column.suite))
    datasets = [
        stress.read(name, setting.data_dir)
        for name in dict.fromkeys(use.name for use in plan.datasets.values())
    ]
    for data in datasets:
        documents = len({example.document for example in data.examples})
        filled.used[data.name] = (len(data.examples), documents)
    load = partial(scoring.prepare, runtime=setting.runtime)
    prepared = load(list(dict.fromkeys(plan.metrics.values())))
    options = stress.StressOptions(suites, setting.seed, setting.limit)
    summary = stress.run(
        datasets, prepared, options, setting.folder, setting.store,
        helpers=lambda: load(metrics_needed()), progress=setting.progress,
        rewriter=_rewriter(plan, setting),
    )  # fmt: skip
    labels = {title: MetricSpec.parse(text).label for title, text in plan.metrics.items()}
    by_label = {metric.label: metric.signature.short for metric in prepared}
    filled.signatures = {title: by_label[label] for title, label in labels.items()}
    for column in plan.recipe.columns:
        if column.dataset in plan.datasets:
            name = plan.datasets[column.dataset].name
            _fill(column, summary["figures"].get(column.suite, {}).get(name, {}), labels, filled)
    filled.notes += caveat_lines(_caveats(summary["figures"], labels))
    filled.notes += [f"{skip['suite']} on {skip['dataset']}: not run, {skip['reason']}."
                     for skip in summary["skipped"]]  # fmt: skip
    filled.notes += [
        f"{part['suite']} on {part['dataset']}: {part['cases']} cases."
        for part in summary["suites"]
    ]
    filled.notes += _rewritten(summary["rewriting"])
    filled.notes += [
        f"{len(bigrams)} bigrams mined on {name} from {summary['mined_from'][name]} summaries, "
        f"best first: {'; '.join(bigram['text'] for bigram in bigrams)}."
        for name, bigrams in summary["bigrams"].items() if bigrams
    ]  # fmt: skip
    return filled


def _rewritten(rewriting: dict[str, Any] | None) -> list[str]:
    """How many rewritings by a chat model are cases and why the others are not, a line for each
    dataset and one for each of its kinds."""
    if rewriting is None:
        return []
    lines = []
    for dataset, rows in rewriting["figures"].items():
        *kinds, every = rows
        lines.append(
            f"rewritings on {dataset} by {rewriting['rewriter']}: {_kept_in_words(every)}, as "
            f"{rewriting['checker']} judges."
        )
        lines += [f"{row['kind']} on {dataset}: {_kept_in_words(row)}." for row in kinds]
    return lines


def _kept_in_words(row: dict[str, Any]) -> str:
    """`1 of 8 kept (5 changed the facts, 2 unchanged)`"""
    reasons = ", ".join(f"{count} {reason}" for reason, count in row["reasons"].items())
    return f"{row['kept']} of {row['asked']} kept{f' ({reasons})' if reasons else ''}"


def _caveats(figures: dict[str, Any], labels: dict[str, str]) -> list[tuple[str, str, Caveats]]:
    return list({
        (title, dataset): (title, dataset, _caveats_of(by_label[label]))
        for by_dataset in figures.values() for dataset, by_label in by_dataset.items()
        for title, label in labels.items() if label in by_label
    }.values())  # fmt: skip


def _caveats_of(of_metric: dict[str, Any]) -> Caveats:
    """The caveats of one metric in a suite's summary."""
    return Caveats(cut=CutTally(**of_metric["cut"]), trained_on=tuple(of_metric["trained_on"]))


def _rewriter(plan: Plan, setting: Setting) -> Rewriter | None:
    if not plan.rewriter:
        return None
    chat = models.load(f"chat:{plan.rewriter}", setting.runtime)
    return Rewriter(chat.limited(Limits("")), models.load(f"nli:{plan.checker}", setting.runtime))


def _fill(
    column: ColumnSpec, figures: dict[str, Any], labels: dict[str, str], filled: Filled
) -> None:
    titles: dict[str, None] = {} if column.part == "*" else {column.title: None}
    for row, label in labels.items():
        of_metric = figures.get(label, {})
        shown = marks(_caveats_of(of_metric)) if of_metric else ""
        for figure in _figures(column, of_metric):
            kind = str(figure["kind"])
            if column.part not in ("*", kind):
                continue
            title = f"{column.title} {kind}".strip() if column.part == "*" else column.title
            titles[title] = None
            times = 1 if column.statistic.startswith(ROWS) else column.times
            value, low, high = (
                None if figure.get(key) is None else figure[key] * times
                for key in ("value", "low", "high")
            )
            filled.cells.append(
                Cell(row, title, value, low, high, figure.get("n"),
                     int(figure.get("unscored") or 0), shown, figure.get("reason"))
            )  # fmt: skip
    filled.columns += [title for title in titles if title not in filled.columns]


def _figures(column: ColumnSpec, of_metric: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A metric's figures of the column's statistic, of all kinds."""
    statistic = column.statistic
    if statistic.startswith(PHRASE):
        for phrase in of_metric.get("phrases", ()):
            if (name := statistic.removeprefix(PHRASE)) in phrase:
                yield {"kind": f"{phrase['kind']}: {phrase['phrase']}", "value": phrase[name],
                       "n": phrase["rows"], "reason": "no value"}  # fmt: skip
        return
    for figure in of_metric.get("figures", ()):
        if figure["statistic"] == statistic:
            yield figure
        elif statistic == f"{ROWS}{figure['statistic']}":
            yield {"kind": figure["kind"], "value": figure.get("n"), "n": figure.get("n")}
