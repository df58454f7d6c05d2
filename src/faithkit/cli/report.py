"""The command `faithkit report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import check_writable
from faithkit.cli.options import ColumnOptions


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, report)


def report(
    scores: Annotated[
        list[str],
        typer.Argument(
            help="What `faithkit score -o` wrote. Several files of the same pairs are shown side "
            "by side, files of other pairs below each other."
        ),
    ],
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="The page, .html.")],
    pairs: Annotated[
        str | None,
        typer.Option(help="The file that was scored. Default: the one that the manifest names."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The page's heading.")] = None,
    layout: ColumnOptions,
) -> None:
    """Write a page to look at saved scores: overview, list of rows, each pair with its marks."""
    from faithkit.evaluation.results import open_results
    from faithkit.report.results_page import ResultsPage

    check_writable(output, ending=".html")
    columns = layout.columns()
    named = columns if columns.customised else None
    results = open_results(list(map(Path, scores)), Path(pairs) if pairs else None, named)
    with ResultsPage(results.metrics) as page:
        for example, row in results:
            page.add(example, row)
        page.write(Path(output), title=title, files=results.files())
    typer.echo(f"Page: {output}")
