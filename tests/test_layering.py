"""Imports point down only, and nothing heavy is loaded before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import faithkit

ROOT = Path(faithkit.__file__).parent

# What each part may import of the package. A part is a file or a folder beside __init__.py. A
# module with a line of its own stands above the rest of its folder, which may not import it.
BELOW: dict[str, set[str]] = {
    "records": set(),
    "caveats": {"records"},
    "rows": {"records"},
    "files": {"records", "rows"},
    "inputs": {"records"},
    "text": {"records"},
    "mapped": set(),
    "lines": {"text", "mapped"},
    "phrases": {"text", "mapped"},
    "normalise": {"mapped", "lines", "phrases"},
    "language": {"records", "text"},
    "inflection": set(),
    "thesaurus": {"text"},
    "reading": {"text", "inflection", "mapped"},
    "clauses": {"records", "text"},
    "cache": {"records"},
    "datasets": {"records", "rows"},
    "meta": {"records"},
    "models": {"records", "cache", "text", "reading", "thesaurus", "inflection"},
    "metrics": {
        "records",
        "text",
        "mapped",
        "normalise",
        "language",
        "clauses",
        "models.protocols",
        "meta.combination",
        "meta.calibration",
    },
    "rewrites": {"records", "text", "inflection"},
    "stress": {"records", "text", "clauses", "meta", "rewrites"},
    "stress.rewriting": {
        "records",
        "text",
        "models.protocols",
        "metrics.answers",
        "metrics.prompts",
    },
    "stress.running": {
        "stress.rewriting",
        "records",
        "files",
        "cache",
        "run",
        "datasets.releases",
        "evaluation.judged",
        "train.difficulty",
    },
    "stress.page": {"records", "caveats", "report"},
    "run": {"records", "files", "inputs", "cache", "models", "metrics"},
    "benchmark": {
        "records",
        "caveats",
        "files",
        "cache",
        "datasets",
        "meta",
        "models",
        "metrics",
        "run",
        "report",
    },
    "scale": {"run", "records", "files", "cache", "models", "metrics"},
    "report": {"records", "files", "meta"},
    "train": {
        "records",
        "files",
        "text",
        "normalise",
        "inflection",
        "rewrites",
        "datasets",
        "models",
        "meta",
        "stress.difficulty",
        "metrics.judge",
        "metrics.lss",
        "metrics.overlap",
        "metrics.prompts",
        "metrics.summac",
        "metrics.support",
    },
    "evaluation": {"records", "files", "cache", "datasets", "meta", "metrics", "run", "benchmark"},
}
FRONTS = ("cli", "web")
"""These may import anything, and no other part may import them. So may `__init__`."""


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py"))


def dotted(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


KNOWN = {dotted(path) for path in modules()}


def imported(path: Path) -> set[str]:
    """The modules of the package that a file imports anywhere, without the leading `faithkit.`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import"
            module = node.module or ""
            if module == "faithkit" or f"{module}.".startswith("faithkit."):
                for name in node.names:
                    inner = f"{module}.{name.name}"
                    found.add(inner if inner.removeprefix("faithkit.") in KNOWN else module)
    own = {name for name in found if name == "faithkit" or name.startswith("faithkit.")}
    return {name.removeprefix("faithkit").removeprefix(".") for name in own}


def part_of(module: str) -> str:
    return module if module in BELOW else module.partition(".")[0]


def allowed(part: str, target: str) -> bool:
    if part_of(target) == part.partition(".")[0]:
        return True
    return any(target == one or target.startswith(f"{one}.") for one in BELOW[part])


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_imports_point_down_only(path: Path) -> None:
    part = part_of(dotted(path))
    targets = imported(path)
    if part in (*FRONTS, "__init__"):
        return
    assert part in BELOW, f"'{part}' is a new part: say in BELOW what it may import"
    wrong = sorted(target for target in targets if not allowed(part, target))
    assert not wrong, f"{dotted(path)} imports {', '.join(wrong) or 'the package itself'}"


def test_nothing_imports_the_command_line_or_the_web_application() -> None:
    importers = [
        dotted(path)
        for path in modules()
        if dotted(path).partition(".")[0] not in FRONTS
        and any(target.partition(".")[0] in FRONTS for target in imported(path))
    ]
    assert importers == []


def test_the_rules_would_notice_an_import_that_points_up(tmp_path: Path) -> None:
    path = tmp_path / "records.py"
    path.write_text("from faithkit import run\ndef f():\n    import faithkit.cli\n")
    assert imported(path) == {"run", "cli"}
    assert not allowed("records", "run")
    assert not allowed("metrics", "models.store")
    assert not allowed("metrics", "models")
    assert allowed("metrics", "models.protocols")
    assert allowed("metrics", "metrics.align")
    assert allowed("stress.running", "stress.gaming")
    assert not allowed("stress", "stress.running")
    assert not allowed("stress", "run")


HEAVY = ("torch", "spacy", "transformers", "scipy", "sklearn", "matplotlib", "pyarrow", "nltk")


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
