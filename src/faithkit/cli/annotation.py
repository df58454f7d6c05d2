"""The commands `annotate` and `export`, and `agree` on an annotation store.

Nothing is computed here. The work is in `faithkit.annotation`, the pages in `faithkit.web`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import check_choice, check_writable, print_json, split_list
from faithkit.cli.options import JsonOption, SeedOption
from faithkit.cli.pairs import PairsOptions
from faithkit.cli.web import ListenOptions

if TYPE_CHECKING:
    from faithkit.annotation.agreement import QuestionAgreement
    from faithkit.annotation.store import Plan, Store
    from faithkit.annotation.tasks import Task
    from faithkit.records import Score


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, annotate, export)


@dataclass(frozen=True)
class PlanOptions:
    """Who annotates what."""

    annotators: Annotated[
        str | None,
        typer.Option(
            help="Annotators' names: anna,ben. Default: anyone may join and annotates every item."
        ),
    ] = None
    overlap: Annotated[
        int | None,
        typer.Option(min=1, help="Annotators of each item. Default: all of --annotators."),
    ] = None
    blind: Annotated[
        str | None, typer.Option(help="Annotators who are not shown the marks of --from: anna.")
    ] = None

    def plan(self) -> Plan:
        """The plan. Raises ConfigError on options that do not go together."""
        from faithkit.annotation.store import Plan
        from faithkit.records import ConfigError

        annotators = tuple(split_list(self.annotators))
        if self.overlap is not None and not annotators:
            raise ConfigError("--overlap needs --annotators: it says how many of them see an item")
        return Plan(annotators, self.overlap, tuple(split_list(self.blind)))


def annotate(
    task: Annotated[
        str,
        typer.Argument(
            help="lss, treatfact, spans, spans-frank, verdict, rating or pairwise; or a task file "
            "of your own, .toml or .json."
        ),
    ],
    pairs: Annotated[
        str | None, typer.Argument(help=f"What is annotated. {options.PAIRS_HELP}")
    ] = None,
    *,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The store, .sqlite; one that is there is resumed."),
    ] = None,
    plan: PlanOptions,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Annotate so many rows, drawn at random by --seed.")
    ] = None,
    seed: SeedOption = 0,
    results: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="Rows that `faithkit score -o` wrote; their marks are proposed to annotators.",
        ),
    ] = None,
    save_task: Annotated[
        str | None,
        typer.Option(help="Only write the task's file here, to make one of your own from it."),
    ] = None,
    listen: ListenOptions,
    source: PairsOptions,
) -> None:
    """Annotate pairs in the browser, alone or in a group."""
    from faithkit.annotation import task_files
    from faithkit.records import ConfigError

    read = task_files.load(task)
    if save_task:
        _save_task(task, Path(save_task))
        return
    if pairs is None or output is None:
        raise ConfigError("annotate needs PAIRS and -o STORE (or --save-task FILE)")
    check_writable(output, ending=".sqlite")
    access = listen.access()
    from faithkit.web import server
    from faithkit.web.annotation import annotation_app

    with server.listen(listen.host, listen.port) as listening:
        store = _store(read, pairs, Path(output), plan.plan(), source, sample, seed, results or ())
        _show_progress(store)
        typer.echo(f"faithkit: {server.address(listening)} (Ctrl+C ends it)", err=True)
        server.serve(annotation_app(store, access), listening)


def _save_task(name: str, path: Path) -> None:
    from faithkit import writing
    from faithkit.annotation import task_files
    from faithkit.records import ConfigError

    check_writable(str(path), ending=".toml")
    text = task_files.shipped_text(name)
    if path.exists() and path.read_bytes() != text.encode():
        raise ConfigError(f"{path} exists and differs from the task '{name}'; name another file")
    writing.write_text(path, text)
    typer.echo(f"Wrote {path}")


def _store(
    task: Task, pairs: str, path: Path, plan: Plan, source: PairsOptions, sample: int | None,
    seed: int, results: Sequence[str],
) -> Store:  # fmt: skip
    """The store at `path`, made where there is none."""
    from faithkit.annotation import items, store

    columns = source.columns("label", "rating")
    with source.open(pairs, columns) as opened:
        examples = items.drawn(list(opened), sample, seed)
    marks = _premarks(results, {example.id for example in examples})
    made = items.items_of(task, examples, marks)
    if path.exists():
        return store.resume(path, task, made, plan)
    return store.create(path, task, made, plan, pairs)


def _premarks(results: Sequence[str], ids: set[str]) -> Mapping[str, list[Score]]:
    """The scores of saved files by id. Raises DataError where none is of these rows."""
    from faithkit import files
    from faithkit.records import DataError

    marks: dict[str, list[Score]] = {}
    for name in results:
        before = len(marks)
        for score in files.score_lines(Path(name)):
            if score.id in ids:
                marks.setdefault(score.id, []).append(score)
        if len(marks) == before and ids:
            raise DataError(f"{name}: none of its ids is a row to annotate")
    return marks


def _show_progress(store: Store) -> None:
    from faithkit.cli import terminal

    rows = [
        [row.annotator, str(row.assigned), str(row.done), str(row.skipped), str(row.unclear),
         f"{row.seconds / 60:.1f}"]
        for row in store.progress()
    ]  # fmt: skip
    if rows:
        header = ["annotator", "items", "done", "skipped", "unclear", "minutes"]
        terminal.print_rows(header, rows)


def export(
    annotations: Annotated[str, typer.Argument(help="The store of `faithkit annotate`.")],
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", help="The rows: .jsonl; of other shapes than pairs also .csv, .tsv."
        ),
    ],
    shape: Annotated[
        str,
        typer.Option(
            help="pairs: labels, ratings and marks that most annotators gave, for calibrate, bench "
            "and train; treatfact: that dataset's columns; long: a row for each answer."
        ),
    ] = "pairs",
    json_output: JsonOption = False,
) -> None:
    """Export annotations as labelled pairs."""
    from faithkit import writing
    from faithkit.annotation import export as exporting
    from faithkit.annotation.store import Store
    from faithkit.records import ConfigError

    check_choice("--shape", shape, exporting.SHAPES)
    path = Path(output)
    endings = (".jsonl",) if shape == "pairs" else (".jsonl", ".csv", ".tsv")
    if path.suffix.lower() not in endings:
        more = "; --shape long or treatfact as .csv or .tsv too" if shape == "pairs" else ""
        raise ConfigError(f"{path}: the shape '{shape}' is written as {', '.join(endings)}{more}")
    check_writable(output, inputs=[annotations])
    store = Store(Path(annotations))
    exported = exporting.export(store, shape)
    if path.suffix.lower() == ".jsonl":
        writing.write_jsonl(path, exported.rows)
    else:
        writing.write_csv(path, exported.rows, exported.fields)
    counts = {
        "rows": len(exported.rows), "decided_by_the_adjudicator": exported.decided,
        "without_a_majority": exported.undecided, "left_out": dict(exported.left_out),
    }  # fmt: skip
    if json_output:
        print_json(counts)
        return
    _show_progress(store)
    typer.echo(f"Wrote {path}: {len(exported.rows)} rows")
    if exported.decided:
        typer.echo(f"{exported.decided} decided by the adjudicator")
    if exported.undecided:
        typer.echo(f"{exported.undecided} without a majority: their label is empty")
    for reason, count in exported.left_out.items():
        typer.echo(f"{count} items left out: {reason}")


def agree_on_store(
    path: Path, levels: Sequence[str] | None, top: int, output: str | None, draws: int, seed: int,
    json_output: bool,
) -> None:  # fmt: skip
    """`faithkit agree` on a store: every question of its task."""
    from faithkit.annotation import agreement
    from faithkit.annotation.store import Store
    from faithkit.records import ConfigError

    if levels:
        raise ConfigError("--level is for tables; the task says what a question's answers are")
    store = Store(path)
    results = agreement.store_agreement(store, draws=draws, seed=seed)
    if output:
        agreement.write_disagreements(Path(output), store.annotators(), results)
    if json_output:
        print_json([result.to_dict() for result in results])
        return
    for result in results:
        _show_question(result, top)
    to_decide = len(agreement.disagreements(store))
    typer.echo(f"\n{to_decide} items to adjudicate, at /adjudicate of the annotation pages.")
    if output:
        typer.echo(f"Wrote {output}")


def _show_question(result: QuestionAgreement, top: int) -> None:
    from faithkit.cli import terminal
    from faithkit.cli import terminal_evaluation as shown

    typer.echo(f"\n== {result.question} ==")
    if result.report is None:
        typer.echo(result.reason)
    else:
        shown.show_agreement(result.report, top)
    if result.spans:
        typer.echo("\nWords that both marked: F1, with the type, and 95% intervals by item")
        rows = [
            [pair.first, pair.second, shown.agreed(pair.words), shown.agreed(pair.typed),
             str(pair.words.items)]
            for pair in result.spans
        ]  # fmt: skip
        terminal.print_rows(["annotator", "annotator", "word F1", "same type too", "items"], rows)
    if result.differ and top:
        typer.echo("")
        rows = [[item, f"{f1:.2f}"] for item, f1 in result.differ[:top]]
        terminal.print_rows(["items whose words differ", "mean F1"], rows)
