"""Runs what a page of the documentation shows, in a folder with examples/ and tools/, and compares
what is printed.

    python tools/docs_console.py docs/tutorials/engineer.md    # writes what was printed into it

A block of `console` has commands behind `$ ` and below each what it prints, standard error too; a
line `...` stands for any lines. A command that ends with another code than 0 is followed by `$ echo
$?`. One that ends with `&` goes on while the page is run. A block of `python` goes on where the one
before it ended; a block of `text` directly below has what it prints. A block after `<!-- file: NAME
-->` is written to that file, one after `<!-- not run -->` is left alone.
"""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"(?:<!-- (?P<note>file: (?P<name>\S+)|not run) -->\n+)?"
    r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$(?:\n\n```text\n(?P<prints>.*?)^```$)?",
    re.M | re.S,
)
COMMAND = re.compile(r"^\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)\n(?P<prints>(?:(?!\$ ).*\n)*)", re.M)
PORT = "8420"
"""The port of the pages' servers; a free one takes its place."""


class Step(NamedTuple):
    """One thing that a page does.

    kind      command, python or file
    text      the command, the code, or the file's text
    prints    what it is said to print; None where the page does not say
    place     characters of the page that say it; (0, 0) where none do
    name      of the file
    """

    kind: str
    text: str
    prints: str | None = None
    place: tuple[int, int] = (0, 0)
    name: str = ""


class Shown(NamedTuple):
    """A step and what came of it."""

    step: Step
    printed: str
    code: int


def steps(page: str) -> Iterator[Step]:
    """What the page does, in order."""
    for block in BLOCK.finditer(page):
        body, at = block["body"], block.start("body")
        if block["name"]:
            yield Step("file", body, name=block["name"])
        elif block["note"]:
            continue
        elif block["kind"] == "console":
            for line in COMMAND.finditer(body):
                place = (at + line.start("prints"), at + line.end("prints"))
                yield Step("command", line["command"], line["prints"], place)
        elif block["kind"] == "python":
            yield Step("python", body, block["prints"], block.span("prints"))


def run(page: str, folder: Path) -> Iterator[Shown]:
    """The steps of a page and what they print, one after the other."""
    for name in ("examples", "tools"):
        (folder / name).symlink_to(ROOT / name)
    names: dict[str, Any] = {}
    with ExitStack() as ended, socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
        free.close()
        before = 0
        for step in steps(page):
            text = step.text.replace(PORT, port)
            if step.kind == "file":
                (folder / step.name).write_text(step.text, encoding="utf-8")
                continue
            if step.kind == "python":
                printed, code = _python(text, names, folder), 0
            elif text.endswith("&"):
                printed, code = ended.enter_context(_going_on(text.rstrip("& "), folder)), 0
            elif text == "echo $?":
                printed, code = f"{before}\n", 0
            else:
                printed, code = _command(text, folder)
            before = code
            yield Shown(step, _tidy(printed).replace(port, PORT), code)


def agrees(prints: str, printed: str) -> bool:
    """Whether a step printed what the page says, whose `...` lines stand for any."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", _tidy(prints), flags=re.M)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), _tidy(printed)) is not None


def written(page: str, shown: list[Shown]) -> str:
    """The page with what was printed in the place of what does not agree with it."""
    for step, printed, _ in reversed(shown):
        if step.prints is not None and not agrees(step.prints, printed):
            page = page[: step.place[0]] + printed + page[step.place[1] :]
    return page


def _tidy(text: str) -> str:
    """Lines without blanks at their ends, the last one ended, and no empty lines around them."""
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return f"{lines}\n" if lines else ""


def _environment() -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}


def _command(command: str, folder: Path) -> tuple[str, int]:
    found = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=_environment(), check=False, timeout=300,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return found.stdout, found.returncode


@contextmanager
def _going_on(command: str, folder: Path) -> Iterator[str]:
    """A server while it runs; what it printed until it said its address."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
        subprocess.Popen(
            ["bash", "-c", command], cwd=folder, env=_environment(), stdout=said,
            stderr=subprocess.STDOUT, start_new_session=True,
        ) as server,
    ):  # fmt: skip
        try:
            printed, until = "", time.monotonic() + 60
            while "http://" not in printed or not printed.endswith("\n"):
                if server.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"{command}: no address, but: {printed}")
                time.sleep(0.1)
                said.seek(0)
                printed = said.read()
            yield printed
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def _python(code: str, names: dict[str, Any], folder: Path) -> str:
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed):
        exec(compile(code, "page", "exec"), names)
    return printed.getvalue()


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            os.environ["FAITHKIT_CACHE"] = cache  # scores of a working copy may be old ones
            shown = list(run(page, Path(folder)))
        path.write_text(written(page, shown), encoding="utf-8")
        print(f"{path}: {len(shown)} steps")


if __name__ == "__main__":
    main(sys.argv[1:])
