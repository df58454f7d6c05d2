"""The command line: reads arguments, calls the library, prints, and sets the exit code.

Nothing is computed here. Commands are in one file per theme, which is imported when one of its
commands is asked for (`commands.py`); what they share is in `common.py`. They import what they need
when they run, so that --help is quick.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from faithkit.cli import screen
from faithkit.cli.commands import COMMANDS, Commands
from faithkit.cli.common import EXIT_BAD_INPUT, INTERRUPTED


class _Program(TyperGroup):
    """Where errors become one line on stderr and an exit code, before Typer's own endings."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands()

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        limit = formatter.width - 6 - max(map(len, COMMANDS))
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, TyperCommand(name, help=about).get_short_help_str(limit))
                    for name, (_, about) in COMMANDS.items()
                ]
            )

    def invoke(self, ctx: Any) -> Any:
        from faithkit.extras import explained
        from faithkit.records import FaithkitError

        _show_warnings()
        try:
            with explained("This command"):
                result = super().invoke(ctx)
            sys.stdout.flush()
        except FaithkitError as error:
            # Whoever keeps what was done meanwhile notes it on the error.
            notes = (f"{note}." for note in getattr(error, "__notes__", ()))
            _end(" ".join((str(error), *notes)), EXIT_BAD_INPUT)
        except KeyboardInterrupt as error:
            kept = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
            _end(f"interrupted{kept}.", INTERRUPTED)
        except BrokenPipeError:
            # The reader (head, less) has gone: there is nobody to tell, nor at the last flush.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except OSError as error:
            _end(
                f"{error.filename or 'input or output'}: {error.strerror or error}", EXIT_BAD_INPUT
            )
        return result

    def main(self, *args: Any, **options: Any) -> Any:
        # Around everything, so that a usage error's echo of the arguments is guarded too.
        with screen.guarded():
            return super().main(*args, **options)


def _end(message: str, code: int) -> NoReturn:
    typer.echo(f"faithkit: {screen.one_line(message)}", err=True)
    sys.exit(code)


app = typer.Typer(
    cls=_Program,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    # Typer would strip escape sequences without a word; `screen` shows them.
    context_settings={"color": True},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"faithkit {version('faithkit')}")
        raise typer.Exit


def _show_warnings() -> None:
    """The library's warnings go to standard error, in the form of the program's own messages."""
    log = logging.getLogger("faithkit")
    if not log.handlers:
        handler = _StandardError()
        handler.setFormatter(logging.Formatter("faithkit: %(message)s"))
        log.addHandler(handler)


class _StandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        typer.echo(self.format(record), err=True)


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """How faithful is a summary to its source, which words are unsupported, and how far can the
    number be trusted?"""


def main() -> None:
    """The `faithkit` program."""
    # torch makes a million objects that all stay: walking them again and again took a fifth of the
    # time of a `check`.
    gc.set_threshold(100_000, 20, 20)
    try:
        app()
    except SystemExit as ended:
        if "torch" in sys.modules:
            _leave(ended.code)
        raise


def _leave(code: str | int | None) -> None:
    """Ends the process without taking torch's modules apart, which takes half a second more
    (docs/speed.md). What is to be done at exit is done, and commands close what they open. Where
    something could not be written, Python's own end says so."""
    if isinstance(code, str):
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    os._exit(code or 0)
