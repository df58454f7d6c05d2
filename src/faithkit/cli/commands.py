"""The table of commands: the file of each and the line that says what it is for, so that a command
is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer

COMMANDS: dict[str, tuple[str, str]] = {
    "score": ("scoring", "Score a file of (source, summary) pairs."),
    "check": ("checking", "Check one summary, or the worst of a file, word by word."),
    "report": ("report", "Write an HTML page of saved scores."),
    "serve": ("web", "Serve the web app and the HTTP API."),
    "annotate": ("annotation", "Annotate pairs in the browser, alone or in a group."),
    "export": ("annotation", "Export annotations as labelled pairs."),
    "bench": ("bench", "Evaluate metrics against human judgements."),
    "stress": ("stress", "Stress-test metrics on cases with a known answer."),
    "calibrate": ("evaluation", "Fit thresholds and probabilities to your own labels."),
    "combine": ("evaluation", "Learn a weighted combination of metrics from ratings or labels."),
    "agree": ("evaluation", "Measure inter-annotator agreement."),
    "leaderboard": ("evaluation", "Compare summarisers with intervals and paired tests."),
    "lss": ("lss", "Longest supported subsequences (LSS)."),
    "reproduce": (
        "reproduce",
        "Reproduce a paper's table. Without a name: list the recipes.",
    ),
    "requests": ("requests", "Write a judge's prompts as batch-API request files."),
    "train": ("train", "Train a model on your own data."),
    "metrics": ("catalogue", "List and describe the metrics."),
    "models": ("catalogue", "The models that come with faithkit."),
    "datasets": ("catalogue", "List and describe the benchmark datasets."),
}
"""By name: the file, and the first paragraph of the command's own help (a test)."""


class Commands(MutableMapping[str, Any]):
    """The commands by name, as Typer reads them; each is made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            part = typer.Typer(add_completion=False, rich_markup_mode=None)
            import_module(f"faithkit.cli.{COMMANDS[name][0]}").register(part)
            self._made |= typer.main.get_group(part).commands
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)
