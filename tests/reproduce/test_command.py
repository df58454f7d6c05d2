"""`faithkit reproduce`: the list, what is missing, a run with its page, and the states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.command_line import faithkit, refused
from tests.helpers.recipes import HEAD, KNOWN, noisy_rows, write_pairs

from faithkit.reproduce import listing
from faithkit.reproduce.recipes import names


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAITHKIT_DATA", raising=False)
    return tmp_path


@pytest.fixture
def mine(tmp_path: Path) -> str:
    pairs = write_pairs(tmp_path / "pairs.jsonl", noisy_rows())
    path = tmp_path / "mine.toml"
    path.write_text(
        f'{HEAD}kind = "judgements"\nsource = "made up."\ndiffers = ["It is a test"]\n'
        f'[datasets.d]\nname = "{pairs}"\n'
        f'[[rows]]\ntitle = "Known"\nmetric = "{KNOWN}"\n[[rows]]\ntitle = "Human"\n'
        '[[columns]]\ntitle = "ρ"\ndataset = "d"\nstatistic = "spearman"\n'
        '[published.Known]\n"ρ" = 61.5\n[published.Human]\n"ρ" = 99.0\n',
        encoding="utf-8",
    )
    return str(path)


def test_the_list_has_every_recipe_with_its_state() -> None:
    rows = json.loads(faithkit("reproduce", "--json").stdout)
    assert [row["name"] for row in rows] == list(names())
    states = {row["name"]: row["state"] for row in rows}
    assert states["fcllm-c5"] == listing.NEEDS
    assert not set(listing.RAN) & set(states.values())
    assert {"missing", "published_cells", "datasets", "models"} <= set(rows[0])


def test_check_says_what_is_missing_and_runs_nothing(folder: Path) -> None:
    result = faithkit("reproduce", "mfas-table3", "--check")
    assert "reranking" in result.stdout and "falke-correctness" in result.stdout
    record = json.loads(faithkit("reproduce", "mfas-table3", "--check", "--json").stdout)
    assert {need["state"] for need in record["mfas-table3"]} <= {"there", "missing"}
    assert not (folder / "out").exists()


def test_a_run_prints_ours_beside_the_published_cell_and_what_differs(
    mine: str, folder: Path
) -> None:
    result = faithkit("reproduce", mine, "--limit", "15", "--draws", "20", "--no-cache")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    known = next(line for line in lines if line.startswith("Known"))
    assert known.rstrip().endswith("61.5") and "(" in known
    assert next(line for line in lines if line.startswith("Human")).split() == ["Human", "–", "99"]
    assert "Only the first 15 documents of each dataset." in lines
    assert "It is a test." in lines
    assert "Published cells: made up." in lines
    page = (folder / "out/reproduce/mine.md").read_text(encoding="utf-8")
    assert "| Known |" in page and "45 rows of 15 documents" in page
    record = json.loads((folder / "out/reproduce/mine.json").read_text(encoding="utf-8"))
    assert record["published"]["Known"] == {"ρ": 61.5}
    assert record["complete"] is False and record["limit"] == 15


def test_a_dataset_may_have_a_limit_of_its_own(folder: Path) -> None:
    both = "".join(
        f'[datasets.{key}]\nname = "{write_pairs(folder / f"{key}.jsonl", noisy_rows())}"\n'
        f'[[columns]]\ntitle = "{key}"\ndataset = "{key}"\nstatistic = "spearman"\n'
        for key in ("a", "b")
    )
    path = folder / "two.toml"
    rows = f'[[rows]]\ntitle = "Known"\nmetric = "{KNOWN}"\n'
    path.write_text(f'{HEAD}kind = "judgements"\n{both}{rows}', encoding="utf-8")
    small = f"{folder / 'b.jsonl'}=4"
    arguments = ["reproduce", str(path), "--limit", "15", "--limit", small, "--draws", "20"]
    (record,) = json.loads(faithkit(*arguments, "--json").stdout)
    used = {Path(name).name: counts["documents"] for name, counts in record["rows_used"].items()}
    assert used == {"a.jsonl": 15, "b.jsonl": 4}
    assert record["limit"] == 15 and record["limits"] == {str(folder / "b.jsonl"): 4}
    page = (folder / "out/reproduce/two.md").read_text(encoding="utf-8")
    expected = f"Only the first 15 documents of each dataset, 4 of {folder / 'b.jsonl'}."
    assert expected in page
    (listed,) = [
        item for item in listing.listed(None, folder / "out/reproduce", [str(path)])
        if item.recipe.name == "two"
    ]  # fmt: skip
    assert listed.rows.endswith(f"(limit 15, {folder / 'b.jsonl'} 4)")
    line = refused("reproduce", str(path), "--limit", "c=3")
    assert "no documents of 'c' are read here" in line
    assert "--limit wants a number" in refused("reproduce", str(path), "--limit", "few")
    assert "no documents of ''" in refused("reproduce", str(path), "--limit", "=5")


def test_what_is_missing_is_one_line_and_exit_code_2() -> None:
    line = refused("reproduce", "fcllm-c5")
    assert "treatfact" in line and "--stand-in" in line


def test_json_prints_the_records(mine: str) -> None:
    (record,) = json.loads(faithkit("reproduce", mine, "--json", "--draws", "20").stdout)
    assert record["complete"] is True
    assert record["rows_used"] and record["cells"][0]["row"] == "Known"


def test_a_result_in_the_folder_is_the_state_of_its_recipe(folder: Path) -> None:
    results = folder / "results"
    results.mkdir()
    record = {"recipe": "lss-table1", "complete": False, "own_data": True,
              "rows_used": {"lss": {"rows": 1215, "documents": 1203}}}  # fmt: skip
    (results / "lss-table1.json").write_text(json.dumps(record), encoding="utf-8")
    result = faithkit("reproduce", "-o", "results", "--page", "docs.md")
    assert result.exit_code == 0, result.output
    page = (folder / "docs.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if "lss-table1.md" in line]
    assert "[lss-table1](results/lss-table1.md)" in row
    assert f"| {listing.REAL} |" in row and "lss 1,215" in row
    record |= {"replaced": ["model a: b instead"], "limit": 7}
    (results / "lss-table1.json").write_text(json.dumps(record), encoding="utf-8")
    (shown,) = [one for one in listing.listed(None, results) if one.recipe.name == "lss-table1"]
    assert shown.state == listing.REAL_MODELS and shown.rows == "lss 1,215 (limit 7)"
    assert "needs" in next(line for line in page.splitlines() if "| fcllm-c5 |" in line)


@pytest.mark.parametrize(
    "text",
    ["[]", '{"recipe": "fflm-table2", "rows_used": {}}',
     '{"recipe": "fflm-table2", "rows_used": {"qags": 3}, "complete": true}'],
)  # fmt: skip
def test_a_broken_result_is_named(folder: Path, text: str) -> None:
    (folder / "fflm-table2.json").write_text(text, encoding="utf-8")
    assert "fflm-table2.json: not a result" in refused("reproduce", "-o", str(folder))
