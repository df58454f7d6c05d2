"""How far annotators agree on a release that holds every annotator's answer [LSS, FCLLM].

A column's `part` is the field that is compared: of the objects in `meta["annotations"]`, one an
annotator, or, in a release of one row an annotation, of the rows on the same texts. Its statistic:

kappa, kappa_quadratic  of two annotators of an item, over all pairs of both, in either order,
                 since a release has many annotators and few items that the same two saw
kappa_quadratic_at_most  the same if everybody agreed on the items that have one answer: a release
                 that keeps one answer where annotators agreed understates kappa, and this is how
                 far at most
alpha_ordinal, alpha_nominal   Krippendorff's, with its interval by item
all_same, two_same, all_different   shares of the items with three answers [LSS]

Of an annotator who answered for an item twice, the first answer counts: a second one is no
agreement between two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
KAPPAS = ("kappa", "kappa_quadratic", "kappa_quadratic_at_most")
WHO = ("worker", "annotator")
"""Fields that name who answered."""
STATISTICS = (*KAPPAS, "alpha_ordinal", "alpha_nominal", *SHARES)


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. The row of the table is the annotators; a column's `part` is the field."""
    filled = Filled(rows=[ROW])
    for column in plan.recipe.columns:
        if column.dataset not in plan.datasets:
            continue
        name = plan.datasets[column.dataset].name
        _, rows = examples.read(name, setting.data_dir, setting.limit_of(name))
        filled.used[name] = (len(rows), len({row.document for row in rows}))
        answers, notes = _answers(rows, column.part)
        filled.columns.append(column.title)
        filled.cells.append(_cell(column, answers, setting))
        filled.notes += [note for line in notes if (note := f"{name}: {line}") not in filled.notes]
    return filled


def _answers(rows: Sequence[Example], field: str) -> tuple[list[list[Any]], list[str]]:
    """The annotators' answers to each item, and notes on how many answered. Raises DataError if no
    row has the field."""
    items: dict[str, list[tuple[object, Any]]] = {}
    for row in rows:
        annotations = row.meta.get("annotations")
        if isinstance(annotations, list):
            annotators = [item for item in annotations if isinstance(item, dict)]
            items[row.id] = [(_who(item), item.get(field)) for item in annotators]
        else:
            answer = (_who(row.meta), field_of(row, field))
            items.setdefault(f"{row.document}/{row.summary}", []).append(answer)
    answers, repeated = [], 0
    for given_by in items.values():
        answered = [(annotator, value) for annotator, value in given_by if value is not None]
        first: dict[object, Any] = {}
        for number, (annotator, value) in enumerate(answered):
            first.setdefault((annotator, number if annotator is None else None), value)
        repeated += len(answered) - len(first)
        answers.append(list(first.values()))
    if not any(answers):
        raise DataError(f"no row has '{field}', of an annotator or in 'annotations'")
    return answers, _notes([len(answered) for answered in items.values()], repeated)


def _who(values: Mapping[str, Any]) -> object:
    """The annotator, None if unknown."""
    return next((values[name] for name in WHO if values.get(name) not in (None, "")), None)


def _notes(sizes: Sequence[int], repeated: int) -> list[str]:
    counts = ", ".join(
        f"{items:,} with {size}" for size, items in sorted(Counter(sizes).items()) if size
    )
    lines = [f"items by number of answers: {counts}."]
    if repeated:
        lines.append(f"{repeated:,} answers by an annotator who had answered for that item before "
                     "are left out.")  # fmt: skip
    return lines


def _cell(column: ColumnSpec, answers: list[list[Any]], setting: Setting) -> Cell:
    """Raises DataError on a statistic that there is not."""
    if column.statistic not in STATISTICS:
        raise DataError(f"column '{column.title}': statistic should be one of {STATISTICS}")
    if column.statistic in SHARES:
        shares = meta.shared_answers(
            [item_answers for item_answers in answers if len(item_answers) == 3]
        )
        value = getattr(shares, column.statistic)
        shown = None if value is None else value * column.times
        return Cell(ROW, column.title, shown, n=shares.items, reason="no item has three answers")
    if column.statistic in KAPPAS:
        if column.statistic == "kappa_quadratic_at_most":
            sizes = Counter(len(item_answers) for item_answers in answers if len(item_answers) > 1)
            usual = sizes.most_common(1)[0][0] if sizes else 1
            answers = [
                item_answers * usual if len(item_answers) == 1 else item_answers
                for item_answers in answers
            ]
        pairs = [pair for item_answers in answers for pair in permutations(item_answers, 2)]
        result = meta.cohen_kappa(
            [first for first, _ in pairs],
            [second for _, second in pairs],
            weights="none" if column.statistic == "kappa" else "quadratic",
        )
        items = sum(len(item_answers) > 1 for item_answers in answers)
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
