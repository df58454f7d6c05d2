"""The contracts of pyproject.toml hold, and nothing heavy is loaded before it is needed."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.helpers.paths import ROOT

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
