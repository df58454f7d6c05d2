"""Groups of options: Typer sees each option, the command gets the group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from faithkit.cli import app, options
from faithkit.cli.commands import COMMANDS
from faithkit.network import OFFLINE, is_offline

SEEN: list[object] = []


@dataclass(frozen=True)
class Named:
    name: Annotated[str, typer.Option(help="A name.")]
    times: Annotated[int, typer.Option(min=1)] = 2


def greet(
    place: Annotated[str, typer.Argument()],
    *,
    quiet: bool = False,
    named: Named,
    loud: bool = False,
) -> None:
    """Greets."""
    SEEN.append((place, named, quiet, loud))


def test_a_command_gets_its_options_in_groups() -> None:
    program = typer.Typer()
    options.register(program, greet)
    done = CliRunner().invoke(program, ["here", "--name", "a", "--loud"])
    assert done.exit_code == 0 and [("here", Named("a", 2), False, True)] == SEEN
    assert CliRunner().invoke(program, ["here", "--name", "a", "--times", "0"]).exit_code == 2
    assert CliRunner().invoke(program, ["here"]).exit_code == 2
    shown = CliRunner().invoke(program, ["--help"]).stdout
    places = [shown.index(f"--{name}") for name in ("name", "times", "loud", "quiet")]
    assert places == sorted(places) and "A name." in shown


def look(*, runtime: options.RuntimeOptions) -> None:
    """Looks."""
    SEEN.append((runtime.offline, is_offline()))


def test_offline_holds_for_all_that_a_command_reads_and_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(OFFLINE, raising=False)
    program = typer.Typer()
    options.register(program, look)
    for given in (["--offline"], []):
        assert CliRunner().invoke(program, given).exit_code == 0
    assert SEEN[-2:] == [(True, True), (False, False)] and not is_offline()


def test_an_option_means_the_same_in_every_command() -> None:
    helps: dict[str, set[str]] = {}
    group = get_command(app)
    nested = group.commands["train"].commands  # type: ignore[attr-defined]
    for command in (*group.commands.values(), *nested.values()):  # type: ignore[attr-defined]
        for parameter in command.params:
            helps.setdefault(parameter.name, set()).add(str(getattr(parameter, "help", "")))
    shared = {"column", "labels", "input_format", "data_dir", "device", "dtype", "offline",
              "cache", "no_cache", "json_output", "seed", "results", "held_out"}  # fmt: skip
    assert {name for name in shared if len(helps[name]) > 1} == {"results"}


def test_every_argument_is_described_and_no_command_of_a_list_is_cut_off() -> None:
    group = get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        nested = getattr(command, "commands", {})
        for of in (command, *nested.values()):
            assert all(getattr(parameter, "help", "") for parameter in of.params), of.name
        if nested:
            shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"}).stdout
            assert "..." not in shown.partition("Commands:")[2], name


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("requests", "required; repeatable."),
        ("stress", "required; repeatable."),
        ("calibrate", "one. Required without --from."),
        ("combine", "two or more, repeated. Required without --from."),
        ("leaderboard", "repeatable. Required without --from."),
        ("score", "repeatable. Default: support."),
    ],
)
def test_the_help_says_how_many_metrics_a_command_needs(command: str, said: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).stdout
    assert f"path.py:Class; {said}" in " ".join(shown.split())


def test_the_table_of_commands_says_what_each_command_says_of_itself() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        first = " ".join(command.help.split("\n\n")[0].split())
        assert COMMANDS[name][1] == first and command.name == name
