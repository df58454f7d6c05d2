"""`faithkit annotate` as a process of its own, which a test can kill and start again."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.helpers.annotation_stores import EXAMPLES

from faithkit.annotation.store import Store


def write_pairs(folder: Path) -> Path:
    path = folder / "pairs.jsonl"
    lines = [
        json.dumps({"id": e.id, "source": e.source, "summary": e.summary, "document": e.document,
                    "system": e.system})
        for e in EXAMPLES
    ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class AnnotationServer:
    """A server over a store in `folder`; use as a context manager.

    arguments  further ones of the command line
    """

    def __init__(self, task: str, pairs: Path, *arguments: str) -> None:
        self.path = pairs.parent / "a.sqlite"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._command = [
            sys.executable, "-m", "faithkit.cli", "annotate", task, str(pairs), "-o",
            str(self.path), "--port", str(self.port), *arguments,
        ]  # fmt: skip
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def store(self) -> Store:
        return Store(self.path)

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line)
            if self.address in line:
                return
        raise AssertionError("".join(said))

    def kill(self) -> None:
        """As a crash would: no time to end anything."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.communicate(timeout=30)
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._end(signal.SIGINT)
