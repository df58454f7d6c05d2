"""The contracts of pyproject.toml hold, nothing heavy is loaded before it is needed, and files and
functions are short."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.helpers.paths import HELPERS, ROOT

sys.path.insert(0, str(ROOT / "tools"))

import architecture


def test_imports_keep_the_contracts(monkeypatch: pytest.MonkeyPatch) -> None:
    # import-linter disables every logger there is; the patch gives ours back.
    monkeypatch.setattr(logging.getLogger("faithkit"), "disabled", False)
    settings = str(ROOT / "pyproject.toml")
    assert lint_imports(config_filename=settings, no_cache=True) == EXIT_STATUS_SUCCESS


def test_the_architecture_page_states_the_contracts() -> None:
    page = architecture.PAGE.read_text(encoding="utf-8")
    assert page == architecture.updated(page), "run `python tools/architecture.py`"


HEAVY = ("torch", "spacy", "transformers", "scipy", "sklearn", "matplotlib", "pyarrow", "nltk")


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import faithkit",
        "import faithkit.metrics, faithkit.models, faithkit.datasets, faithkit.language.sentences",
        "import faithkit.cli\nsys.argv = ['faithkit', '--help']\nfaithkit.cli.main()",
        "import faithkit.cli\nsys.argv = ['faithkit', 'score', '--help']\nfaithkit.cli.main()",
    ],
    ids=["import", "parts", "help", "score-help"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str) -> None:
    program = f"import sys\ntry:\n    {code.replace(chr(10), chr(10) + '    ')}\nfinally:\n" + (
        f"    sys.stderr.write(','.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert found.stderr == ""


LINES_OF_A_FILE, LINES_OF_A_FUNCTION = 500, 60
EXCEPTIONS = HELPERS / "long_code.txt"
"""What is longer. The list only shrinks: an entry that is short enough again fails too.
`python -m tests.test_layering` prints what it should be."""


def too_long() -> list[str]:
    """`path` of each long file and `path::function` of each long function, in order."""
    long: list[str] = []
    for folder in ("src", "tests", "bench", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(ROOT).as_posix()
            if text.count("\n") > LINES_OF_A_FILE:
                long.append(name)
            long += [
                f"{name}::{node.name}"
                for node in functions(ast.parse(text))
                if (node.end_lineno or 0) - node.lineno >= LINES_OF_A_FUNCTION
            ]
    return sorted(long)


def functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions under a node. No expression holds one, so none is looked into."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield from functions(child)


@pytest.mark.slow
def test_files_and_functions_are_short_but_for_those_listed() -> None:
    listed = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
    found = too_long()
    assert sorted(set(found) - set(listed)) == [], "too long: split it"
    assert sorted(set(listed) - set(found)) == [], "short enough now: take it off the list"


if __name__ == "__main__":
    print("\n".join(too_long()))  # noqa: T201
