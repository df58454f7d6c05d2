"""The light set: what runs without the packages of the extras, and what names the extra that it
needs."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from faithkit.extras import EXTRAS, explained, extra_of, require
from faithkit.records import ConfigError
from tests.helpers.light import faithkit_light
from tests.helpers.paths import ROOT

SOURCE = "The council voted on Tuesday to build a library. The work begins in March."
SUMMARY = "The council voted on Friday to build a library."


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "source.txt").write_text(SOURCE)
    (tmp_path / "summary.txt").write_text(SUMMARY)
    rows = [{"source": SOURCE, "summary": text} for text in (SUMMARY, SOURCE)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


CHECK = ("check", "--source", "source.txt", "--summary", "summary.txt", "--no-cache", "--offline")
LEXICAL = ("rouge1", "rouge2", "rougeL", "meteor", "novelty")


@pytest.mark.slow
def test_check_needs_no_extra(texts: Path) -> None:
    done = faithkit_light(texts, *CHECK, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    row = json.loads(done.stdout)
    assert row["metric"] == "support" and 0 < row["value"] < 1
    assert any("Friday" in SUMMARY[span["start"] : span["end"]] for span in row["spans"])


@pytest.mark.slow
def test_score_with_lexical_metrics_needs_no_extra(texts: Path) -> None:
    named = [part for name in ("support", *LEXICAL) for part in ("-m", name)]
    done = faithkit_light(
        texts, "score", "pairs.jsonl", *named, "-o", "out.jsonl", "--no-cache", "--offline"
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in (texts / "out.jsonl").read_text().splitlines()]
    assert {row["outcome"] for row in rows} == {"ok"} and len(rows) == 2 * (1 + len(LEXICAL))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        ((*CHECK, "-m", "ner"), "parse"),
        ((*CHECK, "-m", "bleu"), "bench"),
        ((*CHECK, "-m", "bartscore:lm=x/y"), "torch"),
        ((*CHECK, "--device", "cuda"), "torch"),
        (("score", "pairs.jsonl", "-o", "out.parquet", "--offline"), "bench"),
    ],
)
def test_what_is_missing_is_one_line_that_names_the_extra(
    texts: Path, arguments: tuple[str, ...], extra: str
) -> None:
    done = faithkit_light(texts, *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"pip install 'faithkit[{extra}]'" in done.stderr


def test_extra_of_a_module_is_that_of_its_package() -> None:
    assert extra_of("spacy.tokens") == "parse"
    assert extra_of("torch") == "torch"
    assert extra_of("numpy") is None


def test_require_names_every_extra_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"^M needs spacy, torch: .*'faithkit\[parse,torch\]'$"):
        require(("spacy", "torch"), "M")


def test_only_missing_packages_of_extras_are_explained() -> None:
    with pytest.raises(ConfigError, match=r"M needs spacy: pip install 'faithkit\[parse\]'"), \
            explained("M"):  # fmt: skip
        raise ModuleNotFoundError("No module named 'spacy.tokens'", name="spacy")
    with pytest.raises(ModuleNotFoundError, match="surprise"), explained("M"):
        raise ModuleNotFoundError("No module named 'surprise'", name="surprise")


def distributions(requirements: list[str]) -> set[str]:
    return {re.split(r"[><=\[]", line)[0].lower().replace("_", "-") for line in requirements}


DISTRIBUTIONS = {"llama_index": "llama-index-core"}
"""By module the package that installs it, where it has another name and is not installed here."""


def test_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    core = distributions(project["dependencies"])
    installed = packages_distributions()
    for extra, packages in EXTRAS.items():
        listed = distributions(extras[extra])
        for package in packages:
            names = distributions(installed.get(package, [DISTRIBUTIONS.get(package, package)]))
            assert names & listed, f"{package} is not in the extra {extra}"
            assert not names & core, f"{package} is installed with faithkit alone"
