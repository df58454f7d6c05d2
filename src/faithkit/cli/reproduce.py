"""The command `faithkit reproduce`: arguments in, lists and tables out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import print_json
from faithkit.cli.options import (
    CacheOptions,
    DataOption,
    DrawsOption,
    JsonOption,
    RuntimeOptions,
    SeedOption,
)

if TYPE_CHECKING:
    from faithkit.reproduce.plans import Plan
    from faithkit.reproduce.recipes import Recipe
    from faithkit.reproduce.tables import Reproduced


def register(app: typer.Typer) -> None:
    """Adds the command of this file to the program."""
    options.register(app, reproduce)


@dataclass(frozen=True)
class RecipeOptions:
    """What is run of a recipe, and with what."""

    check: Annotated[
        bool,
        typer.Option("--check", help="Say what is missing and where to get it; run nothing."),
    ] = False
    stand_in: Annotated[
        bool,
        typer.Option(
            "--stand-in",
            help="Use embedded models and the datasets at hand in place of missing ones.",
        ),
    ] = False
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "--lm",
            help="NAME=PATH: the folder or hub id of a model of the recipe; repeatable.",
        ),
    ] = None  # fmt: skip
    row: Annotated[
        list[str] | None,
        typer.Option(help="Only the row with this title, such as FFLM; repeatable."),
    ] = None
    limit: Annotated[
        list[str] | None,
        typer.Option(
            help="N: only the first documents (stress: rows) of each dataset; NAME=N: of that one; "
            "repeatable."
        ),
    ] = None
    draws: DrawsOption = 1000
    seed: SeedOption = 0


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Recipes, or TOML files of your own. Without one: the list."),
    ] = None,
    *,
    recipe: RecipeOptions,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder for pages and records.")
    ] = "out/reproduce",
    page: Annotated[
        str | None,
        typer.Option(help="Write the list as a page of Markdown, with the state of --output."),
    ] = None,
    data_dir: DataOption = None,
    runtime: RuntimeOptions,
    cache: CacheOptions,
    json_output: JsonOption = False,
) -> None:
    """Reproduce a paper's table. Without a name: list the recipes."""
    from faithkit.reproduce import plans
    from faithkit.reproduce.recipes import load

    if not names:
        _list(data_dir, Path(output), page, json_output)
        return
    recipes = [load(name) for name in names]
    given = plans.parse_models(recipes, recipe.model or [])
    if recipe.check:
        _check(recipes, data_dir, given, json_output)
        return
    only, offline = recipe.row or (), runtime.record().offline
    planned = [
        plans.plan(item, data_dir, _of(item, given), stand_in=recipe.stand_in, only=only,
                   offline=offline)
        for item in recipes
    ]  # fmt: skip
    results = _run(planned, recipe, Path(output), data_dir, runtime, cache)
    if json_output:
        print_json([result.to_dict() for result in results])
        return
    for result in results:
        _show(result, Path(output))


def _of(recipe: Recipe, given: dict[str, str]) -> dict[str, str]:
    names = {model.name for model in recipe.models}
    return {name: path for name, path in given.items() if name in names}


def _command(data_dir: str | None) -> str:
    """The command as it was given, for pages that are passed on: DATA is the data directory."""
    words = [word if data_dir is None else word.replace(data_dir, "DATA") for word in sys.argv[1:]]
    return shlex.join(["faithkit", *words])


def _run(
    planned: Sequence[Plan],
    recipe: RecipeOptions,
    folder: Path,
    data_dir: str | None,
    runtime: RuntimeOptions,
    cache: CacheOptions,
) -> list[Reproduced]:
    from faithkit.cli import terminal
    from faithkit.reproduce import plans, running
    from faithkit.reproduce.kinds import Setting

    limit, limits = plans.parse_limits(planned, recipe.limit or [])
    command = _command(data_dir)
    results = []
    with cache.open() as store, terminal.named_progress() as progress:
        for plan in planned:
            setting = Setting(
                data_dir, runtime.record(), store, folder / plan.recipe.name, limit, limits,
                recipe.draws, recipe.seed, progress,
            )  # fmt: skip
            results.append(running.reproduce(plan, setting, command))
            running.write(folder, results[-1])
    return results


def _list(data_dir: str | None, folder: Path, page: str | None, json_output: bool) -> None:
    import os

    from faithkit import writing
    from faithkit.cli import terminal
    from faithkit.reproduce import listing

    rows = listing.listed(data_dir, folder)
    if page is not None:
        target = Path(page)
        link = Path(os.path.relpath(folder, target.parent)).as_posix()
        writing.write_text(target, listing.page(rows, link, _command(data_dir)))
    if json_output:
        print_json([item.to_dict() for item in rows])
        return
    terminal.print_rows(
        ["recipe", "table", "what", "state"],
        [[item.recipe.name, item.recipe.shown, item.recipe.about, item.state] for item in rows],
    )
    typer.echo("\n`faithkit reproduce NAME --check` says what one needs and where to get it.")
    if page is not None:
        typer.echo(f"Page: {page}")


def _check(
    recipes: Sequence[Recipe], data_dir: str | None, given: dict[str, str], json_output: bool
) -> None:
    from dataclasses import asdict

    from faithkit.cli import terminal
    from faithkit.reproduce import plans

    every = {item.name: plans.needs(item, data_dir, given) for item in recipes}
    if json_output:
        print_json({name: [asdict(need) for need in needs] for name, needs in every.items()})
        return
    for name, needs in every.items():
        missing = [need for need in needs if need.state == plans.MISSING]
        typer.echo(f"{name}: {'nothing is missing' if not missing else f'{len(missing)} missing'}")
        terminal.print_rows(
            ["", "name", "state", "where to get it", "stand-in"],
            [[need.what, need.name, need.state, need.get or "–",
              f"{need.stand_in}{'' if need.ready else ' (not here)'}" if need.stand_in else "–"]
             for need in needs],
        )  # fmt: skip


def _show(result: Reproduced, folder: Path) -> None:
    from faithkit.cli import terminal
    from faithkit.reproduce import tables

    typer.echo(f"{result.recipe.shown}: {result.recipe.about}\n")
    terminal.print_rows(*tables.lines_of(result))
    typer.echo("")
    for line in tables.under(result):
        typer.echo(line)
    typer.echo(f"Page: {folder / result.recipe.name}.md (.json)\n")
