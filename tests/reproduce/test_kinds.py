"""Each kind of table computes what the command behind it does, on small files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import pearsonr, spearmanr
from tests.helpers.annotation_stores import Annotator
from tests.helpers.judged_pairs import judged_rows
from tests.helpers.recipes import (
    COMPOSED,
    DECIDED,
    KNOWN,
    OTHER,
    STATED,
    cell,
    noisy_rows,
    recipe_of,
    run,
    write_pairs,
)

from faithkit.annotation import task_files
from faithkit.annotation.items import items_of
from faithkit.annotation.store import Plan, Store, create
from faithkit.columns import Columns
from faithkit.evaluation.examples import open_pairs
from faithkit.evaluation.learning import CombinationReport, combine
from faithkit.models.protocols import Generated
from faithkit.records import ConfigError, DataError, Example, Outcome
from faithkit.reproduce.kinds import combination as combination_kind
from faithkit.reproduce.kinds import generators
from faithkit.reproduce.kinds import stress as stress_kind
from faithkit.reproduce.kinds.coding import OTHER as OTHER_CAUSE
from faithkit.stress.suites import rewriting


def numbered(values: list[float], labels: list[int], **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": str(i), "source": f"Document {i}.", "summary": f"{value} said", "label": label,
         **{key: column[i] for key, column in more.items()}}
        for i, (value, label) in enumerate(zip(values, labels, strict=True))
    ]  # fmt: skip


def recipe_over(path: Path, rows: str, columns: str, **more: str) -> Any:
    head = "".join(f"{key} = {value}\n" for key, value in more.items() if key != "kind")
    text = f'{head}[datasets.d]\nname = "{path}"\n{rows}\n{columns}'
    return recipe_of(text, kind=more.get("kind", "judgements"))


def column(title: str, statistic: str, **more: Any) -> str:
    lines = "".join(f"{key} = {value}\n" for key, value in more.items())
    return (f'[[columns]]\ntitle = "{title}"\ndataset = "d"\nstatistic = "{statistic}"\n'
            f"{lines}")  # fmt: skip


def row(title: str, **more: str) -> str:
    return f'[[rows]]\ntitle = "{title}"\n' + "".join(f"{k} = {v}\n" for k, v in more.items())


def test_figures_without_an_interval_say_why(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", noisy_rows()[:9])
    rows = row("k", metric=f'"{KNOWN}"') + row("o", metric=f'"{OTHER}"')
    filled = run(recipe_over(path, rows, column("ρ", "spearman")), tmp_path)
    documents = filled.used[str(path)][1]
    assert documents < 10 and cell(filled, "k", "ρ").low is None
    assert (
        f"{path}: no interval (only {documents} documents; an interval or a test needs 10 or "
        "more): k spearman, o spearman."
    ) in filled.notes


def test_rows_without_a_score_are_counted_by_outcome(tmp_path: Path) -> None:
    rows = noisy_rows()
    rows[3] |= {"summary": " "}
    rows[7] |= {"summary": ""}
    path = write_pairs(tmp_path / "p.jsonl", rows)
    filled = run(
        recipe_over(path, row("k", metric=f'"{KNOWN}"'), column("ρ", "spearman")), tmp_path
    )
    assert cell(filled, "k", "ρ").unscored == 2
    line = f"k on {path}: 2 of {len(rows)} rows without a score (2 no_content)."
    assert line in filled.notes


def test_correlations_are_those_of_scipy_in_the_papers_unit(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", noisy_rows())
    columns = column("ρ", "spearman") + column("γ", "pearson", times=1)
    filled = run(recipe_over(path, row("known", metric=f'"{KNOWN}"'), columns), tmp_path)
    human = [line["score"] for line in noisy_rows()]
    ours = [sum(w in line["source"] for w in line["summary"][:-1].split()) / 8
            for line in noisy_rows()]  # fmt: skip
    spearman = cell(filled, "known", "ρ")
    assert spearman.value == pytest.approx(100 * spearmanr(ours, human)[0])
    assert cell(filled, "known", "γ").value == pytest.approx(pearsonr(ours, human)[0])
    assert spearman.low is not None and spearman.high is not None
    assert spearman.low < spearman.value < spearman.high
    assert filled.used == {str(path): (60, 20)}


def test_constant_random_and_released_scores_are_rows_without_a_metric(tmp_path: Path) -> None:
    draw = random.Random(0)
    labels = [i % 2 for i in range(40)]
    pairs = numbered([0.5] * 40, labels, dae=[label + draw.random() for label in labels])
    path = write_pairs(tmp_path / "p.jsonl", pairs)
    rows = (row("all", constant="1.0") + row("random", random="true")
            + row("released", field='"dae"') + row("known", metric=f'"{STATED}"'))  # fmt: skip
    recipe = recipe_over(path, rows, column("BAcc", "balanced_accuracy") + column("AUC", "auc"))
    filled = run(recipe, tmp_path)
    assert cell(filled, "all", "BAcc").value == 50
    assert cell(filled, "released", "AUC").value == 100
    again = cell(run(recipe, tmp_path), "random", "AUC").value
    assert cell(filled, "random", "AUC").value == again
    assert 20 < (again or 0) < 80


def test_weights_and_threshold_are_chosen_on_validation_rows_only(tmp_path: Path) -> None:
    # On validation rows the first part alone tells the labels; on the others it tells the opposite.
    values = [1.0, 2.0, 3.0, 4.0]
    rows = [
        {**line, "id": f"{split}{line['id']}", "source": f"{split} {line['source']}",
         "split": split}
        for split, labels in (("val", [0, 0, 1, 1]), ("test", [1, 1, 0, 0]))
        for line in numbered(values, labels)
    ]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    fitted = row("fitted", metric=f'"{COMPOSED}"', fit='["plain", "square"]')
    filled = run(recipe_over(path, fitted, column("B", "balanced_accuracy")), tmp_path)
    assert cell(filled, "fitted", "B").value == 0
    assert cell(filled, "fitted", "B").n == 4
    assert any("chosen on validation rows" in note for note in filled.notes)


def test_a_row_with_verdicts_is_counted_by_them_without_a_threshold(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", numbered([0.6, 0.1, 0.9, 0.3], [1, 0, 0, 0]))
    rows = row("decided", metric=f'"{DECIDED}"', verdict="true")
    columns = column("B", "balanced_accuracy", thresholds='"global"')
    filled = run(recipe_over(path, rows, columns), tmp_path)
    # 1 of 1 consistent; of three inconsistent one is right, one wrong, one undecided.
    assert cell(filled, "decided", "B").value == pytest.approx(100 * (1 + 1 / 3) / 2)
    assert cell(filled, "decided", "B").marks == "‡"
    (wrong,) = [note for note in filled.notes if note.startswith("‡")]
    assert wrong.endswith("1 undecided of 4.")


def test_a_star_makes_a_column_of_each_part(tmp_path: Path) -> None:
    rows = numbered([0.1, 0.9] * 6, [0, 1] * 6, generator=["a", "a", "b", "b"] * 3)
    path = write_pairs(tmp_path / "p.jsonl", rows)
    text = row("known", metric=f'"{STATED}"') + column("AUC", "auc", part='"*"')
    recipe = recipe_of(f'[datasets.d]\nname = "{path}"\nparts = "generator"\n{text}')
    assert run(recipe, tmp_path).columns == ["AUC a", "AUC b", "AUC average by rows"]


def test_labels_come_from_ratings_where_the_recipe_says_from_which(tmp_path: Path) -> None:
    rows = [{**line, "score": float(i)} for i, line in enumerate(numbered([1, 2, 3, 4], [0] * 4))]
    path = write_pairs(tmp_path / "p.jsonl", [{k: v for k, v in r.items() if k != "label"}
                                              for r in rows])  # fmt: skip
    text = row("known", metric=f'"{STATED}"') + column("AUC", "auc")
    recipe = recipe_of(f'[datasets.d]\nname = "{path}"\nconsistent_from = 2.0\n{text}')
    assert cell(run(recipe, tmp_path), "known", "AUC").value == 100


def test_the_human_lss_takes_the_place_of_the_summary(tmp_path: Path) -> None:
    claims = ["one two three four", "five six seven eight", "nine ten red blue"]
    kept = [["one two"], ["five six seven eight", ""], ["nine"]]
    rows = [
        {"id": str(i), "source": "Elsewhere.", "summary": claim, "score": float(rating),
         "annotations": [{"lss": text, "lss_star": text, "rating": 3} for text in texts]}
        for i, (claim, texts, rating) in enumerate(zip(claims, kept, (2, 3, 1), strict=True))
    ]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    lss = row("human", metric='"rouge1:measure=recall"', lss='"human"')
    filled = run(recipe_over(path, lss, column("ρ", "spearman", times=1)), tmp_path)
    # Recall of the claim's words: 1/2; the mean of 1 and 0; 1/4.
    assert cell(filled, "human", "ρ").value == pytest.approx(
        spearmanr([0.5, 0.5, 0.25], [2, 3, 1])[0]
    )


def test_the_human_lss_may_take_the_place_of_the_source(tmp_path: Path) -> None:
    rows = [
        {"id": claim, "source": "Elsewhere.", "summary": claim, "score": float(number),
         "annotations": [{"lss": lss}]}
        for number, (claim, lss) in enumerate((("one two", "one"), ("three four", "three four"),
                                               ("five six seven eight", "five")))
    ]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    text = row("human", metric='"rouge1:measure=recall"', lss='"human"', lss_as_source="true")
    columns = column("n", "count", metric='"human"', bins="4")
    filled = run(recipe_over(path, text, columns, kind="distribution"), tmp_path)
    # Recall of the LSS' words by the claim is 1 throughout; the other way round it is not.
    assert [cell(filled, name, "n").value for name in filled.rows] == [0, 0, 0, 3]


def test_annotators_agree_by_pairs_in_either_order(tmp_path: Path) -> None:
    from sklearn.metrics import cohen_kappa_score

    ratings = [(1, 2, 2), (5, 5, 4), (3, 1, 3), (4, 4, 4)]
    rows = [
        {"id": str(i), "source": "S.", "summary": f"C {i}.",
         "annotations": [{"rating": rating, "lss": f"{rating % 2}"} for rating in given]}
        for i, given in enumerate(ratings)
    ]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", [{**line, "label": 1} for line in rows])
    columns = (column("κ", "kappa_quadratic", part='"rating"', times=1)
               + column("same", "all_same", part='"lss"'))  # fmt: skip
    filled = run(recipe_over(path, "", columns, kind="annotators"), tmp_path)
    pairs = [(a, b) for given in ratings for i, a in enumerate(given)
             for j, b in enumerate(given) if i != j]  # fmt: skip
    expected = cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic")
    assert cell(filled, "annotators", "κ").value == pytest.approx(expected)
    assert cell(filled, "annotators", "same").value == 50


def test_a_second_answer_of_an_annotator_is_no_agreement(tmp_path: Path) -> None:
    def item(number: int, *answers: tuple[int, int]) -> dict[str, Any]:
        given = [{"worker": worker, "rating": rating} for worker, rating in answers]
        return {"id": str(number), "source": "S.", "summary": f"C {number}.", "label": 1,
                "annotations": given}  # fmt: skip

    rows = [
        item(0, (1, 1), (1, 1), (0, 3)),
        item(1, (1, 2), (0, 2)),
        item(2, (1, 5)),
    ]
    path = write_pairs(tmp_path / "p.jsonl", rows)
    columns = (column("κ", "kappa_quadratic", part='"rating"', times=1)
               + column("most", "kappa_quadratic_at_most", part='"rating"', times=1))  # fmt: skip
    filled = run(recipe_over(path, "", columns, kind="annotators"), tmp_path)
    # The pairs 1 3, 3 1, 2 2, 2 2: squared differences of 2 on average, by chance 1.
    assert cell(filled, "annotators", "κ").value == pytest.approx(1 - 2)
    # With 5 5 twice: 8 over 6, by chance twice the variance of 1, 3, 2, 2, 5 and 5.
    assert cell(filled, "annotators", "most").value == pytest.approx(1 - (8 / 6) / (2 * 14 / 6))
    assert any("1 with 1, 1 with 2, 1 with 3" in note for note in filled.notes)
    assert any(": 1 answers by an annotator who had" in note for note in filled.notes)


def test_values_are_counted_in_their_order_by_another_field(tmp_path: Path) -> None:
    answers = [("A", [1, 2]), ("A", [2]), ("B", [5])]
    rows = [
        {"id": str(i), "source": "S.", "summary": f"C {i}.", "system": system, "label": 1,
         "annotations": [{"rating": rating} for rating in given]}
        for i, (system, given) in enumerate(answers)
    ]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    columns = (column("n", "count", part='"rating"', times=1)
               + column("%", "share", part='"rating"', by='"system"'))  # fmt: skip
    filled = run(recipe_over(path, "", columns, kind="distribution"), tmp_path)
    assert filled.rows == ["1", "2", "5"]
    assert filled.columns == ["n", "% A", "% B"]
    assert [cell(filled, value, "n").value for value in filled.rows] == [1, 2, 1]
    assert cell(filled, "2", "% A").value == pytest.approx(200 / 3)
    assert cell(filled, "5", "n").shown() == "1"


def test_values_of_a_metric_are_counted_in_bins(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", numbered([0.0, 0.1, 0.5, 1.0], [0, 0, 1, 1]))
    columns = column("known", "count", metric='"known"', bins="4")
    recipe = recipe_over(path, row("known", metric=f'"{STATED}"'), columns, kind="distribution")
    filled = run(recipe, tmp_path)
    assert filled.rows == ["0–0.25", "0.25–0.5", "0.5–0.75", "0.75–1"]
    assert [cell(filled, name, "known").value for name in filled.rows] == [2, 0, 1, 1]
    outside = column("known", "count", metric='"known"', bins="4", scale="[0, 0.9]")
    with pytest.raises(DataError, match=r"from 0 to 0\.9, found 1"):
        run(recipe_over(path, row("known", metric=f'"{STATED}"'), outside, kind="distribution"),
            tmp_path)  # fmt: skip


def test_a_part_with_a_column_of_its_own_is_not_among_all_parts(tmp_path: Path) -> None:
    rows = numbered([0.1, 0.9] * 6, [0, 1] * 6, generator=["a", "a", "b", "b"] * 3)
    path = write_pairs(tmp_path / "p.jsonl", rows)
    text = (row("known", metric=f'"{STATED}"') + column("all", "auc", part='"average by rows"')
            + column("in", "auc", part='"*"') + column("c", "auc", part='"c"'))  # fmt: skip
    recipe = recipe_of(f'[datasets.d]\nname = "{path}"\nparts = "generator"\n{text}')
    filled = run(recipe, tmp_path)
    assert filled.columns == ["all", "in a", "in b", "c"]
    assert any(note.startswith("c (auc of c)") and "no such figure" in note
               for note in filled.notes)  # fmt: skip


def test_generators_are_compared_with_every_annotation(tmp_path: Path) -> None:
    rows = [{"id": "1", "source": "S.", "summary": "one two three four", "label": 1,
             "annotations": [{"lss": "one two", "lss_star": "one two"},
                             {"lss": "one two three four", "lss_star": "."}]}]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    columns = column("P", "precision", times=1) + column("R", "recall", times=1)
    filled = run(recipe_over(path, "", columns, kind="generators"), tmp_path)
    assert cell(filled, "the whole claim", "P").value == pytest.approx(0.75)
    assert cell(filled, "the whole claim", "R").value == 1


class Writer:
    """Writes the claim's first two words."""

    id = "writer@0"

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        return [Generated(Outcome.OK, " ".join(c.split()[:2]), 1, 0, 4) for _, c in pairs]


def test_the_options_of_a_generators_row_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": "1", "source": "S.", "summary": "one two three four",
             "annotations": [{"lss": "one two three four", "lss_star": "one"}]}]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    monkeypatch.setattr(generators, "generator_of", lambda *_: Writer())
    asked = "lss_share:generator=seq2seq,model=x"
    titles = row("lss", metric=f'"{asked}"') + row("star", metric=f'"{asked},star=on"')
    columns = column("R", "recall", times=1) + column("P", "precision", times=1)
    filled = run(recipe_over(path, titles, columns, kind="generators"), tmp_path)
    # "one two" is half of the LSS, and twice the LSS*.
    assert [cell(filled, "lss", name).value for name in "RP"] == [1 / 2, 1]
    assert [cell(filled, "star", name).value for name in "RP"] == [1, 1 / 2]


def test_the_threshold_of_a_generators_row_is_for_words() -> None:
    of = generators.threshold_and_star
    assert of("lss_share") == (None, False)
    assert of("lss_bleu:threshold=0.2") == (0.2, False)
    assert of("lss_share:generator=chat,star=on") == (None, True)
    with pytest.raises(ConfigError, match="threshold is for generator=words"):
        of("lss_share:generator=chat,threshold=0.2")


def test_summarisers_are_rows_of_a_table_of_systems(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", judged_rows())
    columns = column("mean", "mean", metric='"known"', times=1)
    recipe = recipe_over(path, row("known", metric=f'"{KNOWN}"'), columns, kind="systems")
    filled = run(recipe, tmp_path)
    assert filled.rows == ["A", "B", "C"]
    means = [cell(filled, name, "mean").value or 0 for name in "ABC"]
    assert means == sorted(means, reverse=True)


def test_a_matrix_is_symmetric_with_ones(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", judged_rows())
    rows = row("k", metric=f'"{KNOWN}"') + row("o", metric=f'"{OTHER}:power=2"')
    recipe = recipe_over(path, rows, column("ρ", "spearman", times=1), kind="matrix")
    filled = run(recipe, tmp_path)
    assert cell(filled, "k", "ρ o").value == cell(filled, "o", "ρ k").value == pytest.approx(1)


def test_cells_of_matrices_combinations_and_shares_have_intervals(tmp_path: Path) -> None:
    data = numbered([i % 13 / 13 for i in range(60)], [i % 2 for i in range(60)])
    pick = random.Random(1)
    rated = [{**item, "score": pick.random()} for item in data]
    path = write_pairs(tmp_path / "p.jsonl", rated)
    rows = row("k", metric=f'"{STATED}"') + row("r", random="true")
    rho = column("ρ", "spearman")
    over = column("over", "over_raw") + column("above", "over_quantile")
    for kind, columns, places in (
        ("matrix", rho, [("k", "ρ r")]),
        ("combination", rho, [("k", "ρ"), ("all", "ρ"), ("k + r", "ρ")]),
        ("judgements", over, [("k", "over"), ("k", "above")]),
    ):
        more = {"combinations": '[["k", "r"]]'} if kind == "combination" else {}
        filled = run(recipe_over(path, rows, columns, kind=kind, **more), tmp_path)
        for place in places:
            found = cell(filled, *place)
            assert found.low < found.value < found.high


def test_a_combination_has_each_metric_alone_and_all_together(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", judged_rows())
    rows = row("k", metric=f'"{KNOWN}"') + row("o", metric=f'"{OTHER}:power=3"')
    recipe = recipe_over(
        path, rows, column("ρ", "spearman", times=1), kind="combination",
        combinations='[["k", "o"]]', growing="true",
    )  # fmt: skip
    filled = run(recipe, tmp_path)
    assert filled.rows[:3] == ["k", "o", "k + o"]
    assert cell(filled, "k + o", "ρ").value == cell(filled, "all", "ρ").value
    assert filled.rows[-1] == "all"


def test_an_interval_from_0_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def from_0(*arguments: Any, **options: Any) -> CombinationReport:
        learned = combine(*arguments, **options)
        return replace(learned, held_out=replace(learned.held_out, low=0.0, high=0.5))

    monkeypatch.setattr(combination_kind, "combine", from_0)
    path = write_pairs(tmp_path / "p.jsonl", judged_rows())
    rows = row("k", metric=f'"{KNOWN}"') + row("o", metric=f'"{OTHER}:power=3"')
    recipe = recipe_over(path, rows, column("ρ", "spearman", times=1), kind="combination")
    assert any("(0–0.5)." in note for note in run(recipe, tmp_path).notes)


def test_stress_figures_are_cells_by_kind(tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "source": f"Anna met Tom in town {i} on Monday and they talked.",
         "summary": f"Anna met Tom in {'town' if label else 'Rome'} {i}.", "label": label}
        for i, label in ((n, n % 2) for n in range(24))
    ]  # fmt: skip
    path = write_pairs(tmp_path / "p.jsonl", rows)
    columns = column("Δ", "mean change", suite='"edits"', part='"*"', times=1)
    columns += column("n", "rows of mean change", suite='"edits"', part='"*"')
    recipe = recipe_over(path, row("k", metric=f'"{KNOWN}"'), columns, kind="stress")
    filled = run(recipe, tmp_path / "out")
    assert filled.columns and all(title.startswith(("Δ ", "n ")) for title in filled.columns)
    edited = next(title for title in filled.columns if title.startswith("n "))
    assert cell(filled, "k", edited).value == cell(filled, "k", f"Δ {edited[2:]}").n
    assert (tmp_path / "out" / "rows.jsonl").is_file()
    assert any("cases" in note for note in filled.notes)


def coding_recipe(folder: Path, codes: str = '["negation", "other numbers"]') -> Any:
    path = write_pairs(folder / "p.jsonl", noisy_rows())
    columns = column("cases", "count")
    return recipe_over(path, row("k", metric=f'"{KNOWN}"'), columns, kind="coding", codes=codes)


def coding_store(folder: Path) -> Store:
    """What `faithkit annotate` makes of the files of the run."""
    task = task_files.load(str(folder / "coding.toml"))
    with open_pairs(str(folder / "cases.jsonl"), Columns().without("label", "rating")) as opened:
        return create(folder / "coded.sqlite", task, items_of(task, opened), Plan(), "cases.jsonl")


def test_rewritings_are_counted_once_with_the_reasons_of_those_that_were_refused() -> None:
    fates = {"negation": (rewriting.KEPT, rewriting.CHANGED),
             "shortened": (rewriting.UNCHANGED, rewriting.CHANGED)}  # fmt: skip
    rewritings = [
        rewriting.Rewriting(kind, "consistent", Example(fate, "S.", "C."), "chat", fate, "T.", fate)
        for kind, of_kind in fates.items()
        for fate in of_kind
    ]
    summary = {
        "rewriter": "chat",
        "checker": "nli",
        "figures": {"d": rewriting.figures(rewritings)},
    }
    assert stress_kind._rewritten(summary) == [
        "rewritings on d by chat: 1 of 4 kept (2 changed the facts, 1 unchanged), as nli judges.",
        "negation on d: 1 of 2 kept (1 changed the facts).",
        "shortened on d: 0 of 2 kept (1 changed the facts, 1 unchanged).",
    ]


def test_cases_are_a_task_and_its_answers_are_counted_in_shares(tmp_path: Path) -> None:
    recipe, out = coding_recipe(tmp_path), tmp_path / "out"
    filled = run(recipe, out)
    assert cell(filled, "cases drawn", "k, over").value == 10
    command = f"faithkit annotate {out}/coding.toml {out}/cases.jsonl -o {out}/coded.sqlite"
    assert any(command in note for note in filled.notes)
    store = coding_store(out)
    assert store.item(1).shown.keys() == {"metric", "side", "score", "human"}
    assert [q.ask for q in store.task.questions][:3] == ["negation", "other numbers", OTHER_CAUSE]
    anna, ben = Annotator(store, "anna"), Annotator(store, "ben")
    anna.answer(1, negation=True, other_numbers=True)
    ben.answer(1, other_numbers=True)
    anna.answer(2)
    anna.answer(11, another_cause=True, which_cause="a name")
    ben.finish(12, "unclear")
    filled = run(recipe, out)
    assert filled.rows == ["cases drawn", "cases coded", "negation", "other numbers", OTHER_CAUSE]
    shown = {row: [cell(filled, row, f"k, {side}").shown() for side in ("over", "under")]
             for row in filled.rows[1:]}  # fmt: skip
    assert shown == {"cases coded": ["2", "1"], "negation": ["0.500", "0"],
                     "other numbers": ["1", "0"], OTHER_CAUSE: ["0", "1"]}  # fmt: skip
    counted = "Cases: 2 by 1 annotator, 1 by 2 annotators, 16 not done, 1 unclear."
    assert any(counted in note for note in filled.notes)


def test_the_store_of_other_codes_or_cases_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(coding_recipe(tmp_path), out)
    coding_store(out)
    before = (out / "coding.toml").read_text("utf-8")
    with pytest.raises(DataError, match="other codes"):
        run(coding_recipe(tmp_path, '["negation"]'), out)
    assert (out / "coding.toml").read_text("utf-8") == before
    recipe = coding_recipe(tmp_path)
    rows = [{**line, "score": line["score"] + 1} for line in noisy_rows()]  # the same cases
    write_pairs(tmp_path / "p.jsonl", rows)
    with pytest.raises(DataError, match="no case of this run"):
        run(recipe, out)


def test_one_dataset_read_in_two_ways_is_refused(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p.jsonl", noisy_rows())
    text = row("k", metric=f'"{KNOWN}"') + column("ρ", "spearman")
    recipe = recipe_of(f'[datasets.d]\nname = "{path}"\n'
                       f'[datasets.e]\nname = "{path}"\nconsistent_from = 5\n{text}')  # fmt: skip
    with pytest.raises(ConfigError, match=r"'e' reads .* in another way"):
        run(recipe, tmp_path)
