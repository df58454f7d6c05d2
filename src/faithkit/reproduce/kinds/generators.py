"""Longest supported subsequences that a generator writes, against what annotators wrote [LSS].

A row's metric is one of the `lss_*` metrics: its model is the generator. Columns: rouge1, rouge2,
rougeL, bleu, precision, recall and f1 of words, and violations.
"""

from __future__ import annotations

from typing import Any

from faithkit import models
from faithkit.metrics import loading
from faithkit.metrics.options import options_of
from faithkit.metrics.spec import MetricSpec
from faithkit.records import ConfigError
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Cell, Filled
from faithkit.train.lss import evaluate, figures, gold
from faithkit.train.lss import read as read_annotations

WHOLE_CLAIM = "the whole claim"
"""The row of a generator that removes nothing, for scale."""


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. One gold text an annotation, as `faithkit train lss` has them."""
    recipe = plan.recipe
    filled = Filled(rows=[WHOLE_CLAIM, *plan.metrics])
    filled.columns = [column.title for column in recipe.columns]
    for key, use in plan.datasets.items():
        rows = read_annotations(use.name, setting.data_dir)
        if setting.limit is not None:
            kept = set(list(dict.fromkeys(row.document for row in rows))[: setting.limit])
            rows = [row for row in rows if row.document in kept]
        filled.used[use.name] = (len(rows), len({row.document for row in rows}))
        whole = figures([row.summary for row in rows], [gold(row) for row in rows])
        by_row: dict[str, Any] = {WHOLE_CLAIM: whole}
        for number, (title, metric) in enumerate(plan.metrics.items()):
            setting.progress(use.name, number, len(plan.metrics))
            model = _generator(metric, setting, title)
            by_row[title] = evaluate(model, rows)
            filled.signatures[title] = f"{metric}|{model.id}"
            outcomes = by_row[title]["outcomes"]
            if set(outcomes) - {"ok"}:
                filled.notes.append(f"{title} on {use.name}: {outcomes}.")
        for column in recipe.columns:
            if column.dataset == key:
                for title, measured in by_row.items():
                    value = measured.get(column.statistic)
                    shown = None if value is None else value * column.times
                    filled.cells.append(Cell(title, column.title, shown, n=len(rows)))
    return filled


def _generator(metric: str, setting: Setting, title: str) -> Any:
    """The model behind an LSS metric. Raises ConfigError on a metric without one."""
    spec = MetricSpec.parse(metric)
    cls = loading.class_of(spec)
    given, _, signed = options_of(spec, cls)
    if not spec.name.startswith("lss_"):
        raise ConfigError(f"row '{title}': a generator is named as an lss_ metric, found {metric}")
    role, _, name = cls.models_for(signed)["model"].partition(":")
    model = models.load(f"{role}:{given.get('model', name)}", setting.runtime)
    if role != "chat":
        return model
    from faithkit.metrics.lss_chat import ChatGenerator

    return ChatGenerator(model, False)
