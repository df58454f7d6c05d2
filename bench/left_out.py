"""`support` on the kinds of text that its model was not trained on, beside the metrics that it must
beat: ranking with intervals, verdicts and reliability by file, and the worst file.

    python bench/left_out.py [--model mini] [--data-dir DATA] [--documents 20]
                             [--baseline FOLDER] [-o results/support.md]

AUC (of ratings Spearman) with 95% intervals by bootstrap over source documents. `--documents` takes
the first ones of each file; 0 is all. `--baseline` is a folder of score files of an earlier
version (FILE.jsonl of `faithkit score -o`), whose `support` is shown as "before" where its rows are
there. Scores are kept in faithkit's cache, so a second run costs little. The bands and
probabilities are the model's, which were fitted on these families; how they do where a family is
left out of the fit too is in the model's card (`bench/support_card.py`).
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data import DATA
from faithkit import meta
from faithkit.cache import Cache, default_folder
from faithkit.evaluation import examples
from faithkit.evaluation.joining import join_columns
from faithkit.evaluation.judged import JudgedRow, JudgedTable, MetricColumn, judged_row
from faithkit.evaluation.markdown import table_lines
from faithkit.evaluation.scoring import score_columns
from faithkit.models.runtime import Runtime
from faithkit.run import prepare

FILES = {
    "summeval_dev": "cnndm", "cogensumm_dev": "cnndm", "cliff[origin=cnndm]": "cnndm",
    "storysumm_dev": "stories", "faithbench_dev": "chat_models",
    "diasumfact_dev[part=QMSum]": "meetings", "diasumfact_dev[part=SAMSum]": "dialogue",
    "faceval_dev": "dialogue", "claims[split=dev]": "claims (other sources)",
}  # fmt: skip
"""Files by family. The claims set's train part was trained on: only the sources are others."""

OTHERS = ("bertscore", "novelty")
BEFORE = "before"
BINS = 5


@dataclass(frozen=True)
class Scored:
    """The rows of a file and each metric's column, by the name that is shown."""

    name: str
    rows: Sequence[JudgedRow]
    columns: dict[str, MetricColumn]
    rated: bool

    def sample(self, metric: str) -> meta.Sample:
        human = [row.rating if self.rated else row.label for row in self.rows]
        values = self.columns[metric].values
        return meta.sample(values, human, groups=[row.document for row in self.rows])

    def estimate(self, metric: str, draws: int) -> meta.Estimate:
        measure = meta.SPEARMAN if self.rated else meta.AUC
        return meta.estimate(measure, self.sample(metric), draws=draws)


def scored(arguments: argparse.Namespace) -> Iterable[Scored]:
    prepared = prepare([f"support:model={arguments.model}", *OTHERS], Runtime(offline=True))
    with Cache(default_folder() / "scores.sqlite") as store:
        for name in arguments.files:
            _, rows = examples.read(name, str(arguments.data_dir), arguments.documents or None)
            given = score_columns(rows, prepared, store)
            columns = dict(zip(("support", *OTHERS), given.values(), strict=True))
            judged = [judged_row(row) for row in rows]
            earlier = arguments.baseline and arguments.baseline / f"{name.partition('[')[0]}.jsonl"
            if earlier and earlier.is_file():
                before = join_columns(JudgedTable(name, judged), None, [earlier])
                columns |= {BEFORE: before["support"]} if "support" in before else {}
            yield Scored(name, judged, columns, all(row.label is None for row in judged))


def ranking(files: Sequence[Scored], draws: int) -> list[str]:
    before = (BEFORE,) if any(BEFORE in file.columns for file in files) else ()
    names = ("support", *before, *OTHERS)
    lines: list[list[str]] = []
    values: dict[str, list[float | None]] = {name: [] for name in names}
    for file in files:
        cells = [file.name, FILES.get(file.name, ""), str(len(file.rows))]
        for metric in names:
            if metric not in file.columns:
                values[metric].append(None)
                cells.append("")
                continue
            figure = file.estimate(metric, draws)
            values[metric].append(figure.value)
            cells.append(with_interval(figure))
        lines.append(cells)
    lines.append(["mean", "", "", *(_mean(values[name]) for name in names)])
    return table_lines(["file", "family", "rows", *names], lines)


def _mean(values: Sequence[float | None]) -> str:
    """Only where every file has a figure: means over other files are not to be compared."""
    given = [value for value in values if value is not None]
    return f"{100 * sum(given) / len(given):.1f}" if len(given) == len(values) else ""


def with_interval(figure: meta.Estimate) -> str:
    if figure.value is None:
        return "–"
    shown = f"{'ρ ' if figure.statistic == 'spearman' else ''}{100 * figure.value:.1f}"
    if figure.low is None or figure.high is None:
        return shown
    return f"{shown} ({100 * figure.low:.0f}–{100 * figure.high:.0f})"


def margins(files: Sequence[Scored]) -> list[str]:
    """The worst file against the best of the simple metrics."""
    behind = {}
    for file in files:
        support = file.estimate("support", 0).value
        others = [value for metric in OTHERS
                  if (value := file.estimate(metric, 0).value) is not None]  # fmt: skip
        if support is not None and others:
            behind[file.name] = 100 * (support - max(others))
    worst = min(behind, key=lambda name: behind[name])
    ahead = sum(margin > 0 for margin in behind.values())
    return [
        f"`support` is ahead of the better of {' and '.join(OTHERS)} on {ahead} of {len(behind)} "
        f"files, by {sum(behind.values()) / len(behind):+.1f} on average; the worst is {worst} "
        f"({behind[worst]:+.1f}).",
        "",
    ]


def verdicts(files: Sequence[Scored]) -> list[str]:
    """What the verdicts and the probabilities are worth, by file."""
    rows = []
    for file in files:
        if file.rated:
            continue
        column = file.columns["support"]
        judged = [(row.label, verdict) for row, verdict in
                  zip(file.rows, column.verdicts, strict=True)
                  if verdict is not None and row.label is not None]  # fmt: skip
        cells = [file.name, str(len(judged)), _share([label == 1 for label, _ in judged])]
        for wanted, label in ((1.0, 1), (0.0, 0)):
            right = [given == label for given, verdict in judged if verdict == wanted]
            cells += [_share([verdict == wanted for _, verdict in judged]), _share(right)]
        table = meta.reliability(column.values, [row.label for row in file.rows], bins=BINS)
        cells.append(f"{table.expected_calibration_error or 0:.2f}")
        cells += [_bin(one) for one in table.bins]
        rows.append(cells)
    edges = [f"{k / BINS:.1f}–{(k + 1) / BINS:.1f}" for k in range(BINS)]
    header = ["file", "rows", "faithful", "verdict: consistent", "precision",
              "verdict: not consistent", "precision", "ECE"]  # fmt: skip
    return table_lines([*header, *edges], rows)


def _share(flags: Sequence[bool]) -> str:
    return f"{100 * sum(flags) / len(flags):.0f}%" if flags else "–"


def _bin(one: meta.Bin) -> str:
    return "–" if one.share_consistent is None else f"{100 * one.share_consistent:.0f}% ({one.n})"


def page(files: Sequence[Scored], arguments: argparse.Namespace) -> list[str]:
    signature = files[0].columns["support"].signature
    of_files = "" if arguments.files == list(FILES) else f" --files {shlex.join(arguments.files)}"
    return [
        "# `support` on kinds of text that its model was not trained on",
        "",
        "Read [docs/support.md](../docs/support.md) for what the model is.",
        "",
        "```",
        f"python bench/left_out.py --documents {arguments.documents}"
        f"{' --baseline FOLDER' if arguments.baseline else ''} -o results/support.md{of_files}",
        "```",
        "",
        f"`{signature}`. AUC × 100 (ρ: Spearman × 100) with 95% intervals by bootstrap over source "
        "documents.",
        "",
        *ranking(files, arguments.draws),
        *margins(files),
        "## Verdicts and probabilities",
        "",
        "Of each file the share of faithful summaries by its labels; how often each verdict is "
        "given, and its precision; the expected calibration error in "
        f"{BINS} bins of the value, and in each bin the share of faithful summaries (number of "
        "rows). The thresholds were fitted on these families together.",
        "",
        *verdicts(files),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini", help="A support model or its folder.")
    parser.add_argument("--data-dir", type=Path, default=DATA)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--files", nargs="+", default=list(FILES))
    parser.add_argument("--baseline", type=Path, help="Score files of an earlier version.")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    text = "\n".join(page(list(scored(arguments)), arguments))
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
