"""The options of a gate, and how a command ends that has one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli.common import EXIT_GATE_FAILED, check_gates, check_writable, exit_code, gates_of
from faithkit.cli.options import GateOption, StrictOption

if TYPE_CHECKING:
    from faithkit.files import Rows
    from faithkit.gates.gate import Gate, GateResult
    from faithkit.run import Prepared, Tally

FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Fail (exit 1) if a row meets a condition ('value < .5', 'marks > 3') or if the "
        "number or share of rows of a kind does ('not_consistent > 40%', 'unscored > 0', "
        "'newly_failing > 0'). A metric's name before it limits it to that metric; repeatable."
    ),
]
AllowUnscoredOption = Annotated[
    bool,
    typer.Option(
        "--allow-unscored",
        help="Rows without a score fail no gate, unless a condition is about `unscored` or an "
        "outcome; then that condition alone decides.",
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        help="Rows that an earlier `faithkit score -o` wrote: exit 1 where the mean is lower than "
        "there by more than chance, and name the rows that fail newly."
    ),
]
JunitOption = Annotated[str | None, typer.Option(help="Write the gates' results as JUnit XML.")]
SarifOption = Annotated[
    str | None, typer.Option(help="Write the failing rows as SARIF 2.1.0, 5,000 at most.")
]
GithubOption = Annotated[
    bool,
    typer.Option("--github", help="Annotations and a step summary for GitHub Actions."),
]


@dataclass(frozen=True)
class GateOptions:
    """When a finished run fails, and where that is written."""

    fail_under: GateOption = None
    fail_if: FailIfOption = None
    allow_unscored: AllowUnscoredOption = False
    baseline: BaselineOption = None
    strict: StrictOption = False
    junit: JunitOption = None
    sarif: SarifOption = None
    github: GithubOption = False

    def check(self) -> None:
        """Refuses what cannot be read or written before anything is scored."""
        from faithkit.gates import conditions
        from faithkit.records import ConfigError

        gates_of(self.fail_under)
        for text in self.fail_if or ():
            conditions.parse(text)
        check_writable(self.junit, self.sarif)
        reported = self.junit or self.sarif or self.github
        if reported and not (self.fail_under or self.fail_if or self.baseline):
            raise ConfigError(
                "--junit, --sarif and --github say what came of a gate; give --fail-if, "
                "--fail-under or --baseline"
            )

    def start(
        self, prepared: Sequence[Prepared], rows: Rows | None = None, limit: int | None = None
    ) -> Gate:
        """The gate that sees every row. Raises ConfigError, DataError (see `gates`).

        rows, limit  what is scored, where there may be a baseline
        """
        from faithkit.gates import conditions
        from faithkit.gates.baseline import Baseline
        from faithkit.gates.gate import Gate

        check_gates(gates_of(self.fail_under), prepared)
        baseline = Baseline.read(Path(self.baseline), prepared) if self.baseline else None
        if baseline is not None and rows is not None and (without_id := rows.without_id()):
            scored = rows.count if limit is None else min(limit, rows.count)
            baseline.check_numbered({rows.count, scored})
            typer.echo(
                f"faithkit: --baseline {self.baseline}: {without_id} of {rows.count} rows have no "
                "id and are joined by their number",
                err=True,
            )
        gate = Gate(
            [conditions.parse(text) for text in self.fail_if or ()],
            prepared,
            baseline=baseline,
            allow_unscored=self.allow_unscored,
        )
        if self.junit:
            gate.keep_rows()
        return gate

    def end(self, gate: Gate, rows: Rows, tallies: Mapping[str, Tally]) -> list[str]:
        """Writes the reports, and how a baseline that fails nothing compares; a line for each
        condition that failed."""
        from faithkit.gates.gate import lines_of

        verdicts = gate.verdicts()
        several = len(tallies) > 1
        for verdict in verdicts:
            if verdict.compared and not verdict.failed:
                metric = f" ({verdict.metric})" if several else ""
                typer.echo(
                    f"faithkit: --baseline {self.baseline}{metric}: {verdict.message}", err=True
                )
        self._report([*verdicts, *self._means(tallies)], gate, rows)
        return lines_of(verdicts, several)

    def _means(self, tallies: Mapping[str, Tally]) -> list[GateResult]:
        """What `--fail-under` failed."""
        from faithkit import run
        from faithkit.gates.gate import GateResult

        gates = gates_of(self.fail_under)
        lines = run.failed_gates(tallies, gates, allow_unscored=self.allow_unscored)
        return [GateResult("mean", "", True, line) for line in lines]

    def _report(self, verdicts: Sequence[GateResult], gate: Gate, rows: Rows) -> None:
        from faithkit.gates import github, junit, sarif

        if not (self.junit or self.sarif or self.github):
            return
        file = _relative(rows.path)
        lines = rows.lines()
        if self.junit:
            junit.write(Path(self.junit), verdicts, gate.rows or [], file, lines)
        if self.sarif:
            sarif.write(Path(self.sarif), verdicts, file, lines)
        if self.github:
            for line in github.commands(verdicts, file, lines):
                # Both streams are read for commands; standard output may be JSON.
                typer.echo(line, err=True)
            if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
                with Path(summary).open("a", encoding="utf-8") as page:
                    page.write(github.summary(verdicts, file))

    def exit(self, tallies: dict[str, Tally], failed: Sequence[str]) -> None:
        """Prints what failed and ends with its code."""
        for line in failed:
            typer.echo(f"faithkit: gate failed: {line}", err=True)
        # A gate goes before --strict, whichever option it is of.
        exit_code(
            tallies, gates_of(self.fail_under), self.strict and not failed, self.allow_unscored
        )
        if failed:
            raise typer.Exit(EXIT_GATE_FAILED)


def _relative(path: Path) -> str:
    """The path from the working folder where it is below it, with slashes."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()
