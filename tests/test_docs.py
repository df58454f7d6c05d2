"""The documentation: what the README and other pages show is what happens, generated pages leave
nothing out, links lead somewhere, and a page that loads from elsewhere is refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

import faithkit
from faithkit.cli.commands import COMMANDS
from faithkit.metrics.registry import METRICS
from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import docs_console
import docs_docstrings
import docs_reference
import docs_site

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def _shown(path: Path, mark: str) -> ParameterSet:
    return pytest.param(path, id=path.stem, marks=getattr(pytest.mark, mark))


SHOWN = [
    _shown(ROOT / "README.md", "verify"),
    _shown(ROOT / "docs/reference/statistics.md", "slow"),
    *(_shown(path, "verify") for path in TUTORIALS),
    *(_shown(ROOT / f"docs/{name}.md", "verify") for name in ("app", "gates")),
    # In this process, so that they share one loaded model.
    *(_shown(ROOT / f"docs/{name}.md", "slow") for name in ("frameworks", "pytest", "python")),
]


@pytest.mark.parametrize("path", SHOWN)
def test_what_a_page_shows_is_what_happens(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = tmp_path / "here", tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("FAITHKIT_CACHE", str(cache))
    failed = False
    for step, printed, code in docs_console.run(path.read_text(encoding="utf-8"), folder):
        if failed:
            assert step.text == "echo $?", f"the command before {step.text} failed"
        failed = code != 0
        if step.prints is not None:
            assert docs_console.agrees(step.prints, printed), f"{step.text}\nprinted\n{printed}"
    assert not failed


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_command_of_a_tutorial_is_run_or_marked(path: Path) -> None:
    blocks = list(docs_console.BLOCK.finditer(path.read_text(encoding="utf-8")))
    assert any(block["kind"] == "console" for block in blocks)
    for block in blocks:
        runs = block["kind"] in ("console", "python") or block["note"]
        assert runs or "faithkit" not in block["body"] or block["kind"] == "toml", block["body"]


def test_three_dots_stand_for_any_lines_and_nothing_else_does() -> None:
    assert docs_console.agrees("a\n...\nd\n", "a\nb\nc\nd\n")
    assert docs_console.agrees("a\n...\n", "a\n")
    assert docs_console.agrees("", "\n")
    assert not docs_console.agrees("a\n", "a\nb\n")
    assert not docs_console.agrees("a.c\n", "abc\n")


def test_a_page_gets_what_was_printed_where_it_says_something_else() -> None:
    page = "```console\n$ one\nold\n$ two\nsame\n```\n"
    shown = [
        docs_console.Shown(step, printed, 0)
        for step, printed in zip(docs_console.steps(page), ("new\n", "same\n"), strict=True)
    ]
    assert docs_console.written(page, shown) == "```console\n$ one\nnew\n$ two\nsame\n```\n"


DOCSTRING = """One metric. It takes `options` and *stars*.

    name.score(texts)

name       what it is
           called by
long, names  two of them
exactly_12 fits
Then text."""


def test_a_docstring_is_read_in_its_form() -> None:
    assert docs_docstrings.blocks(DOCSTRING) == [
        docs_docstrings.Text("One metric. It takes `options` and *stars*."),
        docs_docstrings.Code(["name.score(texts)"]),
        docs_docstrings.Entries(
            [("name", "what it is called by"), ("long, names", "two of them"),
             ("exactly_12", "fits")]
        ),
        docs_docstrings.Text("Then text."),
    ]  # fmt: skip


def test_a_docstring_is_escaped_but_for_its_code() -> None:
    found = docs_docstrings.markdown("Of a_b and `a_b`, see [FFLM §3] and [1].")
    assert found == r"Of a\_b and `a_b`, see [\[FFLM §3\]](papers.md) and \[1]."
    assert docs_docstrings.restructured("A `code`s* of _x_.")[0] == r"A ``code``\ s\* of _x\_."


def test_every_command_and_metric_has_its_page() -> None:
    pages = docs_reference.pages()
    for name in COMMANDS:
        assert f"# faithkit {name}\n" in pages[f"reference/commands/{name}.md"]
    assert "--fail-if" in pages["reference/commands/score.md"]
    assert "## faithkit models convert" in pages["reference/commands/models.md"]
    metrics = "\n".join(text for path, text in pages.items() if "/metrics/" in path)
    assert set(re.findall(r"^## (\w+)$", metrics, re.M)) == set(METRICS)
    assert metrics.count("**Limitations.**") == len(METRICS)


def test_every_public_name_is_in_the_reference() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    missing = [name for name in faithkit.__all__ if f":: faithkit.{name}\n" not in text]
    assert missing == []


def test_every_link_leads_somewhere() -> None:
    pages = set(docs_site.sources())
    for path in [*docs_site.sources(), "README.md"]:
        docs_site.linked((ROOT / path).read_text(encoding="utf-8"), path, pages)


def test_links_become_those_of_the_site() -> None:
    pages = set(docs_site.sources())
    text = "[s](../results/speed.md#x) ![i](img/app.png)\n```\n[s](no.md)\n```\n[m](../Makefile)"
    assert docs_site.linked(text, "docs/a.md", pages) == (
        "[s](results/speed.md#x) ![i](img/app.png)\n```\n[s](no.md)\n```\nm"
    )
    assert docs_site.linked("[s](docs/speed.md)", "CONTRIBUTING.md", pages) == "[s](speed.md)"
    with pytest.raises(docs_site.SiteError, match=r"docs/a\.md: a link to gone\.md"):
        docs_site.linked("[g](gone.md)", "docs/a.md", pages)


@pytest.mark.parametrize(
    ("page", "loads"),
    [
        ('<script src="https://cdn.example/x.js"></script>', 1),
        ('<link rel="stylesheet" href="//fonts.example/x.css">', 1),
        ("<style>@import 'https://fonts.example/x.css'; a {}</style>", 1),
        ('<p style="background: url(http://example.org/x.png)">', 1),
        ('<img src="_images/app.png"><link rel="canonical" href="https://example.org/">', 0),
        ('<a href="https://example.org/">elsewhere</a><code>src="https://x"</code>', 0),
    ],
)
def test_a_page_that_loads_from_elsewhere_is_found(page: str, loads: int) -> None:
    assert len(docs_site.loaded_from_elsewhere(page)) == loads
