"""The pre-commit hook: `faithkit score` on every changed file of pairs.

pre-commit calls it with the hook's `args`, followed by the files. An option and its value are one
argument (`--fail-if=value < .5`), so that every argument without a dash is a file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from faithkit.cli import app
from faithkit.cli.common import EXIT_BAD_INPUT

DEFAULT = "--fail-if=not_consistent > 0"
"""The gate that is used if the hook's `args` have none."""

GATES = ("--fail-if", "--fail-under", "--baseline")


def main(arguments: Sequence[str]) -> int:
    """Scores each file. Returns the greatest exit code."""
    options = [argument for argument in arguments if argument.startswith("-")]
    files = [argument for argument in arguments if not argument.startswith("-")]
    if not any(option.partition("=")[0] in GATES for option in options):
        options.append(DEFAULT)
    return max((_score(file, options) for file in files), default=0)


def _score(file: str, options: Sequence[str]) -> int:
    try:
        app(["score", file, *options])
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else (EXIT_BAD_INPUT if ended.code else 0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
