"""Why a metric is wrong: cases for people to code, and the tally of their codes [MFAS Table 5].

The run draws, for each metric, rows that it puts above the human rating and rows that it puts
below (both as quantiles), and writes them to `cases.jsonl` with an annotation task, `coding.toml`:
a tick for each of the recipe's codes and one for another cause. Once `faithkit annotate` has made
`coded.sqlite` beside them, the next run counts its answers: a row of the table for each code, a
column for each metric and side. A case counts once, in equal shares to its annotators; where the
adjudicator decided, only that counts.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from faithkit import meta, writing
from faithkit.annotation import task_files
from faithkit.annotation.export import export
from faithkit.annotation.items import Item
from faithkit.annotation.store import Store
from faithkit.annotation.tasks import Task
from faithkit.records import DataError
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import ReadTable, note_caveats, read_tables, score_tables
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import Recipe, code_name
from faithkit.reproduce.tables import Cell, Filled

CASES, TASK, CODED = "cases.jsonl", "coding.toml", "coded.sqlite"
SHOWN = ("metric", "side", "score", "human")
"""Fields of a case that annotators see."""
EACH = 10
"""Cases of each metric and side."""
ROUNDING = 1e-3
"""By so much a score may differ on another machine."""
SIDES = {"over": "random_over", "under": "random_under"}
DRAWN, COUNTED, OTHER = "cases drawn", "cases coded", "another cause"
"""Rows of the table beside the codes."""

GUIDELINES = """\
A metric places this summary higher (over) or lower (under) among all summaries than people do. \
Read the source and the summary, and tick every cause of the difference.

- score is the metric's value, human is the rating of people; the two need not have one scale.
- A cause that is not in the list: tick "another cause" and say which.
- No cause found: tick nothing and press Done. A case that cannot be judged is "unclear".
"""


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. Raises DataError on a store of other cases, codes or texts."""
    filled = Filled(rows=[DRAWN])
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    note_caveats(tables, filled)
    cases = [case for read in {id(read): read for read in tables.values()}.values()
             for case in _cases(read, setting.seed)]  # fmt: skip
    drawn = Counter(map(_column, cases))
    filled.columns = list(drawn)
    filled.cells = [Cell(DRAWN, column, count, n=count) for column, count in drawn.items()]
    text = _task_text(plan.recipe)
    folder = setting.folder
    if (folder / CODED).exists():
        task = task_files.parse(text, TASK, ".toml")
        _tally(folder / CODED, task, plan.recipe, cases, filled)
    with writing.naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    writing.write_jsonl(folder / CASES, cases)
    writing.write_text(folder / TASK, text)
    command = ["faithkit", "annotate", folder / TASK, folder / CASES, "-o", folder / CODED]
    filled.notes.append(f"To code: `{shlex.join(map(str, command))}`, then run again.")
    return filled


def _cases(read: ReadTable, seed: int) -> Iterator[dict[str, Any]]:
    name = read.table.name
    for label, column in read.table.columns.items():
        report = meta.prediction_report(
            column.values, read.table.ratings, scale="quantile", cases=EACH, seed=seed
        )
        for side, kind in SIDES.items():
            for case in getattr(report, kind):
                text = read.texts[case.row]
                yield {
                    "id": f"{name}/{text.id}/{label}/{side}", "source": text.source,
                    "summary": text.summary, "metric": label, "side": side,
                    "score": case.score, "human": case.human,
                }  # fmt: skip


def _column(case: Mapping[str, Any]) -> str:
    return f"{case['metric']}, {case['side']}"


def _task_text(recipe: Recipe) -> str:
    """The task file: a tick for each code. A JSON text is a TOML text too."""
    ticks = {**{code_name(code): code for code in recipe.codes}, code_name(OTHER): OTHER}
    lines = [
        f"name = {_quoted(recipe.name)}",
        f"title = {_quoted(f'Causes of error: {recipe.shown}')}",
        f"about = {_quoted('Why do the metric and people differ about this summary?')}",
        f"guidelines = {_quoted(GUIDELINES)}",
        f"shows = {_quoted(SHOWN)}",
    ]
    for name, code in ticks.items():
        lines += ["", "[[questions]]", f"name = {_quoted(name)}", 'kind = "tick"',
                  f"ask = {_quoted(code)}"]  # fmt: skip
    lines += ["", "[[questions]]", 'name = "which_cause"', 'kind = "text"', 'ask = "Which?"',
              "required = true", f"when = {{ {code_name(OTHER)} = true }}"]  # fmt: skip
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _tally(
    path: Path, task: Task, recipe: Recipe, cases: Sequence[Mapping[str, Any]], filled: Filled
) -> None:
    """Adds a row for each code: in how many cases of each metric and side it was ticked."""
    store = Store(path)
    _check_store(store, task, cases)
    exported = export(store)
    columns = {case["id"]: _column(case) for case in cases}
    codes = {code_name(code): code for code in (*recipe.codes, OTHER)}
    coded: Counter[str] = Counter()
    shares: dict[tuple[str, str], Fraction] = {}
    for row in exported.rows:
        column = columns[row["id"]]
        coded[column] += 1
        annotations = row["annotations"]
        for name, code in codes.items():
            ticked = sum(annotation[name] for annotation in annotations)
            before = shares.get((code, column), Fraction())
            shares[code, column] = before + Fraction(ticked, len(annotations))
    filled.rows += [COUNTED, *codes.values()]
    filled.cells += [Cell(COUNTED, column, count, n=count) for column, count in coded.items()]
    filled.cells += [
        Cell(code, column, int(share) if share.denominator == 1 else float(share), n=coded[column])
        for (code, column), share in shares.items()
    ]
    sizes = Counter(len(row["annotations"]) for row in exported.rows)
    by_size = [
        f"{count} by {size} annotator{'s' * (size > 1)}" for size, count in sorted(sizes.items())
    ]
    left_out = [f"{count} {reason}" for reason, count in sorted(exported.left_out.items())]
    filled.notes.append(
        f"Cases: {', '.join([*by_size, *left_out])}. A coded case counts once, in equal shares to "
        "its annotators."
    )
    if any(share for (code, _), share in shares.items() if code == OTHER):
        rows = path.with_suffix(".csv")
        command = shlex.join(["faithkit", "export", str(path), "--shape", "long", "-o", str(rows)])
        filled.notes.append(f"What the other causes are: `{command}`.")


def _check_store(store: Store, task: Task, cases: Sequence[Mapping[str, Any]]) -> None:
    """Raises DataError unless every item is a case of this run, and the codes are the task's."""
    if store.task.shape != task.shape:
        raise DataError(f"{store.path}: begun with other codes than the recipe's; move it away")
    by_id = {case["id"]: case for case in cases}
    for item in store.items().values():
        if item.id not in by_id or not _is_same(item, by_id[item.id]):
            raise DataError(
                f"{store.path}: '{item.id}' is no case of this run, or its texts, score or rating "
                "have changed; run with the --limit, --seed and models that it was begun with, or "
                "move it away"
            )


def _is_same(item: Item, case: Mapping[str, Any]) -> bool:
    if (item.source, item.summary) != (case["source"], case["summary"]):
        return False
    shown = (float(item.shown.get(name, "nan")) - case[name] for name in ("score", "human"))
    return all(abs(difference) <= ROUNDING for difference in shown)
