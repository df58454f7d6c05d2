"""Metrics whose rows end the process that scores them. No test is in here."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from tests.helpers.inline_pool import Died
from tests.helpers.tiny_metrics import Known

from faithkit.records import Example, Score


class Poisoned(Known):
    """A summary that holds the word poison ends the process with SIGSEGV; POISON=raise raises
    `Died` instead. POISON_LOG gets a line with the ids of each batch."""

    name = "poisoned"

    def score(self, examples: Sequence[Example]) -> list[Score]:
        if log := os.environ.get("POISON_LOG"):
            with Path(log).open("a", encoding="utf-8") as file:
                file.write(" ".join(example.id for example in examples) + "\n")
        for example in examples:
            if "poison" in example.summary.split():
                if os.environ.get("POISON") == "raise":
                    raise Died
                os.kill(os.getpid(), signal.SIGSEGV)
        return super().score(examples)


class Mortal(Known):
    """Its process is killed, as from outside, at each batch for which the file `deaths` has a digit
    left: so many further batches are scored before. Without `real`, `Died` is raised instead."""

    name = "mortal"

    def __init__(self, deaths: str, real: bool = False) -> None:
        super().__init__()
        self._deaths, self._real = Path(deaths), real

    def score(self, examples: Sequence[Example]) -> list[Score]:
        text = self._deaths.read_text(encoding="utf-8")
        if text.startswith("0"):
            self._deaths.write_text(text[1:], encoding="utf-8")
            if self._real:
                os.kill(os.getpid(), signal.SIGKILL)
            raise Died(-signal.SIGKILL)
        if text:
            self._deaths.write_text(f"{int(text[0]) - 1}{text[1:]}", encoding="utf-8")
        return super().score(examples)


class Straggling(Known):
    """The row a0 takes until so many shards are in the folder `output`, at most 60 seconds."""

    name = "straggling"

    def __init__(self, output: str, shards: int) -> None:
        super().__init__()
        self._output, self._shards = Path(output), shards

    def score(self, examples: Sequence[Example]) -> list[Score]:
        end = time.monotonic() + 60
        if any(example.id == "a0" for example in examples):
            while len(list(self._output.glob("0*.manifest.json"))) < self._shards:
                if time.monotonic() > end:
                    raise TimeoutError
                time.sleep(0.02)
        return super().score(examples)
