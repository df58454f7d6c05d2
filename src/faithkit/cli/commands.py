"""The table of commands: the file of each and the line that says what it is for, so that a command
is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer

COMMANDS: dict[str, tuple[str, str]] = {
    "score": ("scoring", "Score a file of (source, summary) pairs."),
    "check": (
        "checking",
        "Check a summary, or the worst of a file: unsupported words, each with its best evidence.",
    ),
    "report": (
        "report",
        "Write a page to look at saved scores: overview, list of rows, each pair with its marks.",
    ),
    "serve": (
        "web",
        "Serve the app: check texts while you write, score files, look at scores, and an API.",
    ),
    "annotate": (
        "annotation",
        "Annotate pairs in the browser: marks, verdicts, ratings, by one person or by several.",
    ),
    "export": (
        "annotation",
        "Write what annotators said as rows that calibrate, bench and train read.",
    ),
    "bench": (
        "bench",
        "Which metric should I trust? Metrics × datasets against human judgements, with intervals.",
    ),
    "stress": (
        "stress",
        "What can a metric be trusted with? Tests with a known answer, one page that says so.",
    ),
    "calibrate": (
        "evaluation",
        "From a score to a verdict: threshold, abstention band and probability, from your labels.",
    ),
    "combine": (
        "evaluation",
        "Learn a linear combination of metrics from human ratings, and save it as a metric.",
    ),
    "agree": (
        "evaluation",
        "How far annotators agree: alpha, kappa and same answers of each two; where they differ.",
    ),
    "leaderboard": (
        "evaluation",
        "Compare summarisers: mean score with interval, paired tests, and who is above whom.",
    ),
    "lss": ("lss", "Longest supported subsequences (LSS)."),
    "reproduce": (
        "reproduce",
        "Run a published table: ours beside the paper's, and what differs. Without a name: the "
        "list of recipes.",
    ),
    "requests": (
        "requests",
        "Write what a judge behind an API would be asked as files for its batch API.",
    ),
    "train": ("train", "Train a model of this package on your own data."),
    "metrics": ("catalogue", "The metrics there are."),
    "models": ("catalogue", "The models that come with faithkit."),
    "datasets": ("catalogue", "The benchmarks there are."),
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
