"""The command `faithkit requests`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import metric_specs
from faithkit.cli.options import ColumnOptions, NeededMetricOption, PresetOption, RuntimeOptions


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, requests)


def requests(
    pairs: Annotated[
        str, typer.Argument(help="A file, a folder, a pattern such as 'dir/*.parquet', or a URL.")
    ],
    *,
    metric: NeededMetricOption = None,
    output: Annotated[
        str, typer.Option("-o", "--output", help="A new folder for the files of requests.")
    ],
    layout: ColumnOptions,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
) -> None:
    """Write a judge's prompts as batch-API request files.

    When the provider has answered: faithkit score with the same metric and responses=FOLDER.
    """
    from faithkit import run
    from faithkit.records import ConfigError
    from faithkit.scale.requests import write_requests

    if not metric:
        raise ConfigError("name a judge with -m, such as judge:model=openai/NAME")
    prepared = run.prepare(metric_specs(metric, preset), runtime.record())
    written = write_requests(pairs, prepared, Path(output), layout.columns())
    typer.echo(
        f"{written.requests} requests for {written.rows} rows in {written.files} "
        f"file{'s' * (written.files > 1)}: {output}"
    )
