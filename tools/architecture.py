"""Writes "Who may import whom" in docs/architecture.md from the import-linter contracts of
pyproject.toml.

    python tools/architecture.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
START = "<!-- written by tools/architecture.py -->\n"
END = "<!-- end -->\n"


def contracts() -> list[dict[str, Any]]:
    """The contracts of pyproject.toml, in order."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return listed


def layers(contract: Mapping[str, Any]) -> str:
    """The layers from top to bottom, one a line."""
    return "\n".join(["```", *contract["layers"], "```"])


def forbidden(contract: Mapping[str, Any]) -> str:
    """A contract that forbids what its layer would allow, with its exceptions, as a list item."""
    sources = ", ".join(f"`{short(name)}`" for name in contract["source_modules"])
    targets = ", ".join(f"`{short(name)}`" for name in contract["forbidden_modules"])
    item = f"- {contract['name']}: {sources} may not import {targets}"
    allowed = dict.fromkeys(
        short(edge.partition(" -> ")[2]) for edge in contract.get("ignore_imports", ())
    )
    if allowed:
        item += "; except " + ", ".join(f"`{name}`" for name in allowed)
    return f"{item}."


def short(module: str) -> str:
    return module.removeprefix("faithkit.").removesuffix(".**")


def section() -> str:
    """The text between the two marks of the page."""
    first, *others = contracts()
    items = "\n".join(forbidden(contract) for contract in others)
    return (
        "From top to bottom. A layer imports only from those below it, and those separated by `|` "
        f"do not\nimport each other:\n\n{layers(first)}\n\nWithin that, directly:\n\n{items}\n"
    )


def updated(page: str) -> str:
    """The page with its section as the contracts have it now."""
    start, end = page.index(START) + len(START), page.index(END)
    return page[:start] + section() + page[end:]


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
