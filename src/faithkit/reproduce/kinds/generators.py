"""Longest supported subsequences that a generator writes, against what annotators wrote [LSS].

A row's metric is one of the `lss_*` metrics: its model is the generator, and its `threshold` and
`star` count; with star=on its texts are compared with the annotators' LSS*. Columns: rouge1,
rouge2, rougeL, bleu, precision, recall and f1 of words, and violations.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from faithkit import models
from faithkit.caveats import Caveats, caveat_lines, marks
from faithkit.datasets.releases import same_release
from faithkit.metrics import loading
from faithkit.metrics.base import Metric
from faithkit.metrics.options import Options, options_of
from faithkit.metrics.spec import MetricSpec
from faithkit.models.protocols import Limits
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, Example
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Cell, Filled
from faithkit.train.lss import evaluate, figures, gold
from faithkit.train.lss import read as read_annotations

WHOLE_CLAIM = "the whole claim"
"""The row of a generator that removes nothing, compared with the annotators' LSS, for scale."""


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. One gold text an annotation, as `faithkit train lss` has them."""
    recipe = plan.recipe
    filled = Filled(rows=[WHOLE_CLAIM, *plan.metrics])
    filled.columns = [column.title for column in recipe.columns]
    for key, use in plan.datasets.items():
        annotated = read_annotations(use.name, setting.data_dir)
        rows = first_documents(annotated, setting.limit_of(use.name))
        filled.used[use.name] = (len(rows), len({row.document for row in rows}))
        whole = figures([row.summary for row in rows], [gold(row) for row in rows])
        by_row: dict[str, Any] = {WHOLE_CLAIM: whole}
        caveats = {WHOLE_CLAIM: Caveats()}
        for number, (title, metric) in enumerate(plan.metrics.items()):
            setting.progress(use.name, number, len(plan.metrics))
            threshold, star = threshold_and_star(metric)
            model = generator_of(metric, setting.runtime, star)
            by_row[title] = evaluate(model, rows, threshold=threshold, star=star)
            seen = same_release(models.trained_on(model), use.name)
            caveats[title] = Caveats(trained_on=seen)
            filled.signatures[title] = f"{metric}|{model.id}"
            outcomes = by_row[title]["outcomes"]
            if set(outcomes) - {"ok"}:
                filled.notes.append(f"{title} on {use.name}: {outcomes}.")
        for column in recipe.columns:
            if column.dataset == key:
                for title, measured in by_row.items():
                    value = measured.get(column.statistic)
                    if column.statistic not in measured and title == WHOLE_CLAIM:
                        continue  # violations are of a generator
                    shown = None if value is None else value * column.times
                    filled.cells.append(Cell(title, column.title, shown, n=len(rows),
                                             marks=marks(caveats[title])))  # fmt: skip
        filled.notes += caveat_lines(
            [(title, use.name, row_caveats) for title, row_caveats in caveats.items()]
        )
    return filled


def first_documents(rows: list[Example], limit: int | None) -> list[Example]:
    """The rows of the first documents; None: all."""
    if limit is None:
        return rows
    kept = set(list(dict.fromkeys(row.document for row in rows))[:limit])
    return [row for row in rows if row.document in kept]


def named(generator: str, star: bool = False) -> str:
    """The lss_ metric of a generator that is named by itself: `words`, `words:MODEL`, `chat:MODEL`,
    or an encoder-decoder."""
    kind, colon, model = generator.partition(":")
    if kind not in ("words", "chat") or Path(generator).is_dir():
        kind, colon, model = "seq2seq", ":", generator
    options = [f"generator={kind}", *([f"model={model}"] if colon and model else [])]
    return f"lss_share:{','.join([*options, *(['star=on'] if star else [])])}"


def _parsed(metric: str) -> tuple[type[Metric], Options]:
    spec = MetricSpec.parse(metric)
    if not spec.name.startswith("lss_"):
        raise ConfigError(f"a generator is named as an lss_ metric, found {metric}")
    cls = loading.class_of(spec)
    return cls, options_of(spec, cls)


def threshold_and_star(metric: str) -> tuple[float | None, bool]:
    """The options of an LSS metric that say how its generator is used; None: the default threshold.
    Raises ConfigError on another metric, and on a threshold of a generator without one."""
    _, options = _parsed(metric)
    threshold = options.typed.get("threshold")
    if threshold is not None and options.signed["generator"] != "words":
        raise ConfigError(f"{metric}: threshold is for generator=words")
    return threshold, options.typed.get("star", False)


def generator_of(metric: str, runtime: Runtime, star: bool = False) -> Any:
    """The model of an LSS metric. Raises ConfigError on a metric without one, and where a
    model's words are asked for LSS*; ModelError on a model that is not here."""
    cls, (given, _, signed) = _parsed(metric)
    role, _, name = cls.models_for(signed)["model"].partition(":")
    if role == "support" and star:
        raise ConfigError("LSS* is not for the generator words")
    model = models.load(f"{role}:{given.get('model', name)}", runtime)
    if role != "chat":
        return model
    from faithkit.metrics.lss_chat import ChatGenerator

    return ChatGenerator(model.limited(Limits("")), star)
