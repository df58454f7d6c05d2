"""Names, files, splits and sources of the datasets, and those of the Hugging Face hub."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from tests.helpers.command_line import faithkit
from tests.helpers.paths import ROOT

from faithkit.datasets import DATASETS, TASKS, find_file, info, iter_examples, load, sources
from faithkit.records import ConfigError, DataError, document_id

ROW = {"id": "a", "source": "s", "summary": "t", "score": 1.0}


def put(root: Path, name: str, rows: list[dict[str, Any]] | None = None) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows or [ROW])
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAITHKIT_DATA", raising=False)


@pytest.mark.parametrize("name", DATASETS)
def test_every_entry_has_a_reader_files_tasks_and_a_source(name: str) -> None:
    import importlib

    entry = DATASETS[name]
    module, _, function = entry.reader.partition(":")
    assert callable(getattr(importlib.import_module(f"faithkit.datasets.{module}"), function))
    assert bool(entry.files) != bool(entry.split_files)
    assert entry.tasks and set(entry.tasks) <= set(TASKS)
    assert set(entry.split_files) <= set(entry.splits)
    record = sources()[entry.source]
    named = {item["name"] for item in record["files"]}
    assert {spec.split("|")[0] for spec in (*entry.files, *entry.split_files.values())} <= named


@pytest.mark.parametrize("name", sorted(sources()))
def test_every_source_says_what_is_known_and_null_for_what_is_not(name: str) -> None:
    record = sources()[name]
    assert {"title", "home", "paper", "licence", "get", "files"} <= set(record)
    assert record["paper"] and record["get"]
    for item in record["files"]:
        assert set(item) == {"name", "rows", "sha256"}
        assert (item["rows"] is None) == (item["sha256"] is None)
    assert name in {entry.source for entry in DATASETS.values()}


@pytest.mark.slow
def test_listing_the_datasets_imports_no_reader_and_nothing_heavy() -> None:
    code = (
        "import sys, faithkit.datasets as d; d.info('qags_xsum');"
        "print([m for m in sys.modules if m in ('torch', 'pyarrow', 'openpyxl')"
        " or m.startswith('faithkit.datasets.') and not m.endswith('.table')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_an_unknown_name_lists_the_choices_and_the_nearest() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'summeval_dev'") as caught:
        load("sumeval_dev")
    assert "ragtruth" in str(caught.value)
    assert "hf:ID" in str(caught.value)


@pytest.mark.parametrize("folder", ["", "bench", "train", "raw"])
def test_a_file_is_found_in_each_folder_of_the_data_directory(folder: str, tmp_path: Path) -> None:
    path = put(tmp_path / folder, "qags_xsum.jsonl")
    assert find_file("qags_xsum.jsonl", data_dir=tmp_path) == path
    assert [example.id for example in load("qags_xsum", data_dir=tmp_path)] == ["a"]


def test_a_file_of_a_release_is_found_in_its_folder_and_beside_it(tmp_path: Path) -> None:
    beside = put(tmp_path, "raw/mturk_xsum.jsonl")
    assert find_file("qags/mturk_xsum.jsonl", data_dir=tmp_path) == beside
    inside = put(tmp_path, "raw/qags/mturk_xsum.jsonl")
    assert find_file("qags/mturk_xsum.jsonl", data_dir=tmp_path) == inside


def test_a_file_whose_name_says_nothing_is_not_taken_for_another_release(tmp_path: Path) -> None:
    put(tmp_path, "dev.jsonl")
    assert find_file("wice/dev.jsonl", data_dir=tmp_path) is None


def test_the_option_is_looked_in_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "env", "qags_xsum.jsonl", [{**ROW, "id": "env"}])
    monkeypatch.setenv("FAITHKIT_DATA", str(tmp_path / "env"))
    assert load("qags_xsum")[0].id == "env"
    put(tmp_path / "option", "qags_xsum.jsonl", [{**ROW, "id": "option"}])
    assert load("qags_xsum", data_dir=tmp_path / "option")[0].id == "option"


def test_a_missing_file_says_where_to_get_it_and_where_to_put_it(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        iter_examples("ragtruth", data_dir=tmp_path)
    message = str(caught.value)
    assert "https://github.com/ParticleMedia/RAGTruth" in message
    assert "DIRECTORY/ragtruth/response.jsonl" in message
    assert "--data-dir" in message and "FAITHKIT_DATA" in message
    assert "licence: MIT" in message
    assert str(tmp_path) in message


def test_without_a_data_directory_the_error_says_that_none_was_given() -> None:
    with pytest.raises(DataError, match="no data directory was given"):
        load("lss")


def test_a_data_directory_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not there"):
        load("lss", data_dir=tmp_path / "nowhere")


def test_a_missing_split_names_the_splits_that_exist(tmp_path: Path) -> None:
    put(tmp_path, "summac/factcc_val.jsonl", [{"document": "d", "claim": "c", "label": 1}])
    with pytest.raises(DataError, match=r"factcc_test\.jsonl is missing .* exist: val "):
        load("summac_factcc", data_dir=tmp_path)
    assert len(load("summac_factcc", data_dir=tmp_path, split="val")) == 1


def test_all_splits_are_read_in_order_where_none_is_chosen(tmp_path: Path) -> None:
    for split in ("test", "val"):
        row = {"document": "d", "claim": split, "label": 1}
        put(tmp_path, f"summac/factcc_{split}.jsonl", [row])
    examples = load("summac_factcc", data_dir=tmp_path)
    assert [example.meta["split"] for example in examples] == ["val", "test"]


@pytest.mark.parametrize("split", ["val", "valid", "validation", "dev"])
def test_the_names_of_a_validation_split_are_the_same(split: str, tmp_path: Path) -> None:
    rows = [{**ROW, "cut": "val"}, {**ROW, "id": "b", "cut": "test"}]
    put(tmp_path, "cliff.jsonl", rows)
    assert [e.id for e in load("cliff", data_dir=tmp_path, split=split)] == ["a"]


def test_a_split_that_is_not_there_is_refused_before_any_file_is_sought() -> None:
    with pytest.raises(ConfigError, match=r"no split 'trian'.*Did you mean 'train'"):
        load("wice", split="trian")
    with pytest.raises(ConfigError, match="has no splits"):
        load("qags_xsum", split="test")


def test_a_mapping_of_columns_is_for_the_hub_only() -> None:
    with pytest.raises(ConfigError, match="hf:ID only"):
        load("qags_xsum", columns={"source": "doc"})


def test_info_tells_a_known_file_from_another_and_from_none(tmp_path: Path) -> None:
    before = info("qags_xsum", data_dir=tmp_path)
    assert before["files"][0]["path"] is None and before["files"][0]["same"] is None
    assert (before["licence"], before["tasks"]) == ("none stated", ["rating"])
    assert before["files"][0]["rows"] == 239
    put(tmp_path, "qags_xsum.jsonl")
    assert info("qags_xsum", data_dir=tmp_path)["files"][0]["same"] is False
    put(tmp_path, "treatfact/treatfact.jsonl")
    assert info("treatfact", data_dir=tmp_path)["files"][0]["same"] is None


def test_an_id_that_two_rows_share_is_refused(tmp_path: Path) -> None:
    row = {"id": "1", "source_id": "s", "response": "r", "labels": []}
    put(tmp_path, "ragtruth/response.jsonl", [row, row])
    put(tmp_path, "ragtruth/source_info.jsonl",
        [{"source_id": "s", "task_type": "Summary", "source_info": "t"}])  # fmt: skip
    with pytest.raises(DataError, match="two rows have the id 'ragtruth/1'"):
        load("ragtruth", data_dir=tmp_path)


# Hugging Face hub, with a stand-in for the package `datasets`.

ROWS = [
    {"doc": "D one.", "claim": "C.", "verdict": "SUPPORTED", "extra": 3},
    {"doc": "D two.", "claim": "E.", "verdict": "REFUTED", "extra": 4},
]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    calls: dict[str, Any] = {}

    def load_dataset(identity: str, config: str | None, **options: Any) -> Any:
        calls.update(identity=identity, config=config, **options)
        calls["offline"] = (constants.is_offline_mode(), module.config.HF_HUB_OFFLINE)
        if identity == "no/net":
            raise ConnectionError("cannot reach the hub")
        return ROWS if options["split"] else {"dev": ROWS, "test": ROWS}

    module = types.ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]
    module.config = types.SimpleNamespace(HF_HUB_OFFLINE=False)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    return calls


def test_a_hub_dataset_is_read_by_its_mapping_of_columns(hub: dict[str, Any]) -> None:
    name = "hf:a/b@v2?config=c&split=dev&source=doc&summary=claim&label=verdict&positive=SUPPORTED"
    first, last = load(name)
    assert hub == {"identity": "a/b", "config": "c", "split": "dev", "revision": "v2",
                   "offline": (False, False)}  # fmt: skip
    assert (first.id, first.source, first.summary, first.label) == ("0", "D one.", "C.", 1)
    assert (last.id, last.label, last.meta) == ("1", 0, {"extra": 4})
    assert last.document == document_id("D two.")


def test_columns_and_split_can_be_given_beside_the_name(hub: dict[str, Any]) -> None:
    columns = {"source": "doc", "summary": "claim"}
    assert [e.label for e in load("hf:a/b", split="test", columns=columns)] == [None, None]
    assert hub["split"] == "test"


def test_offline_a_hub_dataset_is_read_without_the_network(
    hub: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "hf:a/b?split=dev&source=doc&summary=claim"
    monkeypatch.setenv("FAITHKIT_OFFLINE", "1")
    load(name)
    assert hub["offline"] == (True, True)
    with pytest.raises(DataError, match=r"offline mode is on.*cannot reach the hub"):
        load("hf:no/net?split=dev")
    monkeypatch.delenv("FAITHKIT_OFFLINE")
    load(name)
    assert hub["offline"] == (False, False)


def test_a_hub_column_that_is_not_there_is_named_with_its_row(hub: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"hf:a/b, row 1: no field 'text'.*claim"):
        load("hf:a/b?split=dev&source=doc&summary=text")


def test_a_hub_label_that_is_neither_1_nor_0_is_refused(hub: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="row 1, field 'verdict'"):
        load("hf:a/b?split=dev&source=doc&summary=claim&label=verdict")


def test_a_hub_dataset_of_several_splits_asks_for_one(hub: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="dev, test; choose with split="):
        load("hf:a/b?source=doc&summary=claim")


def test_an_unknown_option_of_a_hub_dataset_is_refused(hub: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"unknown option 'sumary'.*'summary'"):
        load("hf:a/b?sumary=claim")
    with pytest.raises(ConfigError, match="unknown option 'sumary'"):
        load("hf:a/b", columns={"sumary": "claim"})


def test_a_hub_that_cannot_be_reached_says_so_and_keeps_the_cause(
    hub: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match=r"offline mode is on.*cannot reach the hub") as caught:
        load("hf:no/net?split=dev")
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_without_the_package_the_error_names_the_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError, match="pip install datasets"):
        load("hf:a/b?split=dev")


def test_without_openpyxl_the_error_names_the_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "AggreFact-Unified-val.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match="pip install openpyxl"):
        load("aggrefact_unified_xsumfaith", data_dir=tmp_path)


def test_a_licence_that_nobody_read_is_called_so_everywhere() -> None:
    listed = json.loads(faithkit("datasets", "list", "--json").stdout)
    licences = {row["dataset"]: row["licence"] for row in listed}
    assert (licences["faceval"], licences["cliff"]) == ("not verified", "none stated")
    assert "licence     not verified" in faithkit("datasets", "info", "faceval").stdout


def test_the_documentation_lists_every_dataset_with_its_files() -> None:
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    table = page.partition("## All datasets")[2]
    rows = {line.split("`")[1]: line for line in table.splitlines() if line.startswith("| `")}
    assert list(rows) == list(DATASETS)
    for name, entry in DATASETS.items():
        for spec in (*entry.files, *entry.split_files.values()):
            assert all(f"`{option}`" in rows[name] for option in spec.split("|"))
        assert (sources()[entry.source]["licence"] or "not verified") in rows[name]
