"""A recipe run from its plan to its written result."""

from __future__ import annotations

import platform
import time
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.reproduce import kinds
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Reproduced, markdown

VERSIONS = ("faithkit", "torch", "transformers")


def reproduce(plan: Plan, setting: Setting, command: str) -> Reproduced:
    """Runs a plan. The recipe's own limit holds where the setting names none.

    command  as it was given, for the page
    Raises DataError, ModelError and ConfigError as what it runs.
    """
    started = time.monotonic()
    limit = setting.limit or plan.recipe.limit
    filled = kinds.run(plan, replace(setting, limit=limit))
    return Reproduced(
        plan, filled, command, limit, setting.draws, setting.seed,
        time.monotonic() - started,
        _versions(),
        {name: most for name, most in setting.limits.items() if name in filled.used},
    )  # fmt: skip


def _versions() -> dict[str, str]:
    """The versions of the packages that compute, as far as they are installed."""
    versions = {}
    for name in VERSIONS:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions | {"Python": platform.python_version()}


def write(folder: Path, reproduced: Reproduced) -> Path:
    """`NAME.md` and `NAME.json` in the folder; the page's path. Raises DataError."""
    page = folder / f"{reproduced.recipe.name}.md"
    with writing.naming(page):
        folder.mkdir(parents=True, exist_ok=True)
    writing.write_text(page, markdown(reproduced))
    record: dict[str, Any] = reproduced.to_dict()
    writing.write_json(page.with_suffix(".json"), record)
    return page
