"""The commands `faithkit train ...`: arguments in, a trained file and its figures out.

Nothing is computed here. Each command calls one file of `faithkit.train`.
"""

from __future__ import annotations

import typer

commands = typer.Typer(
    help="Train a model of this package on your own data.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Adds `faithkit train` to the program."""
    app.add_typer(commands, name="train")
