"""The command `faithkit serve`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import metric_specs
from faithkit.cli.options import CacheOptions, DefaultMetricOption, PresetOption, RuntimeOptions

if TYPE_CHECKING:
    from faithkit.evaluation.results import Results
    from faithkit.web.security import Access

TOKEN = "FAITHKIT_TOKEN"


def register(app: typer.Typer) -> None:
    """Adds the command of this file to the program."""
    options.register(app, serve)


@dataclass(frozen=True)
class ListenOptions:
    """Where a server listens, and whom it answers."""

    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 is any that is free.")] = 8420
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Any but a local one needs a token."),
    ] = "127.0.0.1"
    token_file: Annotated[
        str | None,
        typer.Option(help=f"File with the token that requests must carry; {TOKEN} does the same."),
    ] = None
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Further host name to accept, as of a proxy; repeatable."),
    ] = None

    def access(self) -> Access:
        """Whom the server answers. Raises ConfigError, and DataError for the token's file."""
        check_web()
        from faithkit.cli.common import read_text
        from faithkit.web.security import Access

        token = read_text(self.token_file).strip() if self.token_file else os.environ.get(TOKEN)
        return Access(self.host, token or None, frozenset(self.allow_host or ()))


def check_web() -> None:
    """Raises ConfigError where the packages of the app are missing."""
    from faithkit import extras

    extras.require(("starlette", "uvicorn"), "the app")


def serve(
    scores: Annotated[
        list[str] | None,
        typer.Argument(help="What `faithkit score -o` wrote, to look at side by side."),
    ] = None,
    *,
    pairs: Annotated[
        str | None,
        typer.Option(help="The file that was scored. Default: the one that the manifest names."),
    ] = None,
    metric: DefaultMetricOption = None,
    listen: ListenOptions,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
    cache: CacheOptions,
) -> None:
    """Serve the web app and the HTTP API."""
    access = listen.access()
    saved = saved_results(scores or [], pairs)
    from faithkit import run
    from faithkit.web import server
    from faithkit.web.app import scoring_app

    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    # Before models load, which takes longer than to see that the port is in use.
    with server.listen(listen.host, listen.port) as listening:
        prepared = run.prepare(specs, runtime.record())
        page = "results/saved-1" if saved else ""
        typer.echo(f"faithkit: {server.address(listening)}{page} (Ctrl+C ends it)", err=True)
        server.serve(scoring_app(prepared, cache.open, access, saved=saved), listening)


def saved_results(scores: Sequence[str], pairs: str | None) -> dict[str, Results]:
    """The scores to look at, side by side, by their title. Raises ConfigError and DataError."""
    from faithkit.evaluation.results import open_results
    from faithkit.records import ConfigError

    if scores:
        paths = [Path(path) for path in scores]
        title = ", ".join(path.name for path in paths)
        return {title: open_results(paths, Path(pairs) if pairs else None)}
    if pairs:
        raise ConfigError("--pairs names the file that was scored; name the scores as well.")
    return {}
