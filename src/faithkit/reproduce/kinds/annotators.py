"""How far annotators agree on a release that holds every annotator's answer [LSS, FCLLM].

A column's `part` is the field that is compared: of the objects in `meta["annotations"]`, one an
annotator, or, in a release of one row an annotation, of the rows on the same texts. Its statistic:

kappa, kappa_quadratic  of two annotators of an item, over all pairs of both, in either order,
                 since a release has many annotators and few items that the same two saw
alpha_ordinal, alpha_nominal   Krippendorff's, with its interval by item
all_same, two_same, all_different   shares of the items with three answers [LSS]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from faithkit import meta
from faithkit.evaluation import examples
from faithkit.records import DataError, Example
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import field_of
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import ColumnSpec
from faithkit.reproduce.tables import Cell, Filled

ROW = "annotators"
SHARES = ("all_same", "two_same", "all_different")
KAPPAS = ("kappa", "kappa_quadratic")
STATISTICS = (*KAPPAS, "alpha_ordinal", "alpha_nominal", *SHARES)


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. The row of the table is the annotators; a column's `part` is the field."""
    filled = Filled(rows=[ROW])
    for column in plan.recipe.columns:
        if column.dataset not in plan.datasets:
            continue
        name = plan.datasets[column.dataset].name
        _, rows = examples.read(name, setting.data_dir, setting.limit)
        filled.used[name] = (len(rows), len({row.document for row in rows}))
        answers = _answers(rows, column.part)
        filled.columns.append(column.title)
        filled.cells.append(_cell(column, answers, setting))
    return filled


def _answers(rows: Sequence[Example], field: str) -> list[list[Any]]:
    """What the annotators of each item answered. Raises DataError where no row has the field."""
    items: dict[str, list[Any]] = {}
    for row in rows:
        annotations = row.meta.get("annotations")
        if isinstance(annotations, list):
            given = [item.get(field) for item in annotations if isinstance(item, dict)]
            items[row.id] = [value for value in given if value is not None]
        elif (value := field_of(row, field)) is not None:
            items.setdefault(f"{row.document}/{row.summary}", []).append(value)
    if not any(items.values()):
        raise DataError(f"no row has '{field}', of an annotator or in 'annotations'")
    return list(items.values())


def _cell(column: ColumnSpec, answers: list[list[Any]], setting: Setting) -> Cell:
    """Raises DataError on a statistic that there is not."""
    if column.statistic not in STATISTICS:
        raise DataError(f"column '{column.title}': statistic should be one of {STATISTICS}")
    if column.statistic in SHARES:
        shares = meta.shared_answers([given for given in answers if len(given) == 3])
        value = getattr(shares, column.statistic)
        shown = None if value is None else value * column.times
        return Cell(ROW, column.title, shown, n=shares.items, reason="no item has three answers")
    if column.statistic in KAPPAS:
        pairs = [pair for given in answers for pair in permutations(given, 2)]
        result = meta.cohen_kappa(
            [first for first, _ in pairs],
            [second for _, second in pairs],
            weights="quadratic" if column.statistic == "kappa_quadratic" else "none",
        )
        items = sum(len(given) > 1 for given in answers)
    elif column.statistic == "alpha_ordinal":
        result = meta.krippendorff_alpha(answers, "ordinal", draws=setting.draws, seed=setting.seed)
        items = result.items
    else:
        result = meta.krippendorff_alpha(answers, draws=setting.draws, seed=setting.seed)
        items = result.items
    cell = Cell(
        ROW, column.title, result.value, result.low, result.high, items, reason=result.reason
    )
    return cell.times(column.times)
