"""The command `faithkit report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import check_writable
from faithkit.cli.options import ColumnOptions

if TYPE_CHECKING:
    from faithkit.columns import Columns
    from faithkit.evaluation.results import Results
    from faithkit.scale.saved import FolderResults

LISTED = 1000
"""Rows of a folder of shards that its page lists by default."""


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, report)


def report(
    scores: Annotated[
        list[str],
        typer.Argument(
            help="What `faithkit score -o` wrote: files or a folder of shards. Several files of "
            "the same pairs are shown side by side, files of other pairs below each other."
        ),
    ],
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="The page, .html.")],
    pairs: Annotated[
        str | None,
        typer.Option(help="The file that was scored. Default: the one that the manifest names."),
    ] = None,
    worst: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="List only so many rows, those with the lowest values of the first metric; the "
            "overview is of all rows. Default: all rows of files, 1,000 of a folder of shards.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The page's heading.")] = None,
    layout: ColumnOptions,
) -> None:
    """Write an HTML page of saved scores."""
    from faithkit import manifests
    from faithkit.report.results_page import ResultsPage

    check_writable(output, ending=".html")
    columns = layout.columns()
    results = _opened(list(map(Path, scores)), pairs, columns if columns.customised else None)
    if worst is None and manifests.is_sharded(Path(scores[0])):
        worst = LISTED
    with ResultsPage(results.metrics, worst) as page:
        for example, row in results:
            page.add(example, row)
        page.write(Path(output), title=title, files=results.files())
    typer.echo(f"Page: {output}")


def _opened(
    paths: list[Path], pairs: str | None, columns: Columns | None
) -> Results | FolderResults:
    """Files of scores, or a folder of shards, which is shown alone."""
    from faithkit.evaluation.results import open_results
    from faithkit.records import ConfigError
    from faithkit.scale.saved import open_folder

    folders = [path for path in paths if path.is_dir()]
    if folders and len(paths) > 1:
        raise ConfigError(f"{folders[0]} is a folder of shards, which has a page of its own")
    if folders:
        return open_folder(folders[0], pairs, columns)
    return open_results(paths, Path(pairs) if pairs else None, columns)
