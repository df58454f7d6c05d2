"""The command `faithkit lss evaluate`: the agreement of a generator of longest supported
subsequences with annotators [LSS]. Arguments in, figures out; the work is in `faithkit.train.lss`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import print_json, warn_trained_on
from faithkit.cli.options import DataOption, JsonOption, LssDataArgument, RuntimeOptions

commands = typer.Typer(help="Longest supported subsequences (LSS).", no_args_is_help=True)

FIGURES = ("rouge1", "rouge2", "rougeL", "bleu", "precision", "recall", "f1", "violations")


def register(app: typer.Typer) -> None:
    """Adds `faithkit lss` to the program."""
    app.add_typer(commands, name="lss")

    @commands.callback()
    def group() -> None:
        """Longest supported subsequences (LSS)."""

    options.register(commands, evaluate)


def evaluate(
    generator: Annotated[
        str,
        typer.Argument(
            help="words (a support model's; words:FOLDER for another than mini), chat:NAME, or the "
            "folder or hub id of an encoder-decoder, as `faithkit train lss` makes."
        ),
    ],
    data: LssDataArgument,
    *,
    star: Annotated[
        bool, typer.Option("--star", help="Compare LSS*, made grammatical, instead of LSS.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first documents of the data.")
    ] = None,
    data_dir: DataOption = None,
    runtime: RuntimeOptions,
    json_output: JsonOption = False,
) -> None:
    """Compare what a generator writes with annotators' LSS.

    By ROUGE, BLEU, and precision, recall and F1 of words; beside it the whole claim, for a
    generator that removes nothing."""
    from faithkit import models
    from faithkit.cli import terminal
    from faithkit.reproduce.kinds.generators import (
        WHOLE_CLAIM,
        first_documents,
        generator_of,
        named,
    )
    from faithkit.train import lss

    metric = named(generator, star)
    rows = first_documents(lss.read(data, data_dir), limit)
    model = generator_of(metric, runtime.record(), star)
    result = lss.evaluate(model, rows, star=star)
    whole = lss.figures([row.summary for row in rows], [lss.gold(row, star) for row in rows])
    release = "lss" if Path(data).suffix.lower() == ".csv" else data
    trained_on = models.trained_on(model)
    documents = len({row.document for row in rows})
    if json_output:
        print_json({"data": data, "documents": documents, "star": star, **result,
                    "trained_on": sorted(trained_on), "whole_claim": whole})  # fmt: skip
        return
    by_row: dict[str, Mapping[str, object]] = {generator: result, WHOLE_CLAIM: whole}
    terminal.print_rows(
        ["", *FIGURES],
        [
            [title, *(_shown(figures.get(name)) for name in FIGURES)]
            for title, figures in by_row.items()
        ],
    )
    typer.echo(f"{len(rows):,} annotations of {documents:,} documents; outcomes: "
               f"{result['outcomes']}")  # fmt: skip
    warn_trained_on({generator: trained_on}, [release])


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "–"
