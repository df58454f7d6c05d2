"""Input files, divided into shards: the same rows as the files have, at any size of a shard."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.sharded import rows_of, write_jsonl, write_parquet

from faithkit import files
from faithkit.columns import OPTIONAL_FIELDS, Columns
from faithkit.records import DataError
from faithkit.scale import plan

TEXTS = Columns().without(*OPTIONAL_FIELDS)


def read(pattern: Path | str, shard_bytes: int) -> list[tuple[str, str, str]]:
    """Place, id and summary of every row, shard by shard."""
    shards = plan.divide(plan.files_of(str(pattern)), shard_bytes)
    counts = {s.number: plan.count_lines(s) for s in shards if s.part and s.file.format == "jsonl"}
    return [
        (place, example.id, example.summary)
        for shard in plan.numbered(shards, counts)
        for place, example in shard.read(TEXTS, frozenset()).placed()
    ]


def whole(path: Path) -> list[tuple[str, str, str]]:
    rows = files.check(path, files.rows.format_of(path), TEXTS)
    return [(place, example.id, example.summary) for place, example in rows.placed()]


@given(
    lines=st.lists(st.sampled_from(["", "  ", "short", "é" * 30, "x" * 200]), min_size=1),
    shard_bytes=st.integers(1, 400),
    last=st.sampled_from(["", "\n"]),
)
def test_lines_of_any_length_are_divided_by_bytes_without_a_loss(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], shard_bytes: int, last: str
) -> None:
    path = tmp_path_factory.mktemp("lines") / "pairs.jsonl"
    rows = [f'{{"source": "s", "summary": "{line}"}}' if line.strip() else line for line in lines]
    path.write_text("\n".join([*rows, '{"source": "s", "summary": "end"}']) + last, "utf-8")
    assert read(path, shard_bytes) == whole(path)


@pytest.mark.parametrize("group", [1, 7, 1000])
@pytest.mark.parametrize("shard_bytes", [200, 1500, 10**9])
def test_a_parquet_file_is_divided_by_rows_whatever_its_row_groups(
    tmp_path: Path, group: int, shard_bytes: int
) -> None:
    path = write_parquet(tmp_path / "pairs.parquet", rows_of("p", 40), group)
    assert read(path, shard_bytes) == whole(path)


def test_a_large_row_group_is_divided(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "pairs.parquet", rows_of("p", 1000))
    shards = plan.divide(plan.files_of(str(path)), 5000)
    assert len(shards) > 3
    assert {shard.part.end - shard.part.start for shard in shards if shard.part} <= {
        1000 // len(shards), 1000 // len(shards) + 1,
    }  # fmt: skip


def test_packed_files_and_other_formats_are_one_shard_each(tmp_path: Path) -> None:
    lines = write_jsonl(tmp_path / "plain.jsonl", rows_of("a", 50)).read_bytes()
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "unnamed.jsonl").write_bytes(gzip.compress(lines))
    (tmp_path / "table.csv").write_text("id,source,summary\n1,a,b\n")
    (tmp_path / "plain.jsonl").unlink()
    shards = plan.divide(plan.files_of(str(tmp_path)), 100)
    assert [(shard.file.name, shard.part) for shard in shards] == [
        ("packed.jsonl.gz", None), ("table.csv", None), ("unnamed.jsonl", None),
    ]  # fmt: skip
    assert len(read(tmp_path, 100)) == 101


def test_shards_are_the_same_on_a_machine_that_has_the_files_elsewhere(tmp_path: Path) -> None:
    shards = []
    for folder in ("here", "there/mounted"):
        for name in ("x/a", "y/b"):
            write_jsonl(tmp_path / folder / f"{name}.jsonl", rows_of(name, 30))
        files_ = plan.files_of(f"{tmp_path / folder}/**/*.jsonl")
        shards.append([(s.file.name, s.part, s.prefix) for s in plan.divide(files_, 500)])
    assert shards[0] == shards[1]
    assert shards[0][0][0] == "x/a.jsonl"


def test_a_pattern_of_two_kinds_means_both_in_one_folder(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", rows_of("a", 1))
    write_parquet(tmp_path / "b.parquet", rows_of("b", 1))
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "_SUCCESS").touch()
    for pattern in (f"{tmp_path}/*.parquet|*.jsonl", f"{tmp_path}"):
        assert [file.name for file in plan.files_of(pattern)] == ["a.jsonl", "b.parquet"]


def test_a_pattern_without_a_file_is_named(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", rows_of("a", 1))
    with pytest.raises(DataError, match=r"\*\.parquet: no such file"):
        plan.files_of(f"{tmp_path}/*.jsonl|*.parquet")
    with pytest.raises(DataError, match="cannot tell the format"):
        plan.files_of(__file__)


def test_rows_without_an_id_are_numbered_by_file_where_there_are_several(tmp_path: Path) -> None:
    for name in "ab":
        rows = [{key: row[key] for key in ("source", "summary")} for row in rows_of(name, 12)]
        write_jsonl(tmp_path / f"{name}.jsonl", rows)
    assert [row[1] for row in read(tmp_path / "a.jsonl", 150)] == [str(n) for n in range(1, 13)]
    assert [row[1] for row in read(tmp_path, 150)][10:14] == [
        "a.jsonl:11", "a.jsonl:12", "b.jsonl:1", "b.jsonl:2",
    ]  # fmt: skip


def test_a_plan_is_the_same_after_it_was_saved(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", rows_of("a", 30))
    (tmp_path / "b.csv").write_text("id,source,summary\n1,a,b\n")
    inputs = plan.files_of(str(tmp_path))
    shards = [dataclasses.replace(s, rows=3, sha256="ab") for s in plan.divide(inputs, 500)]
    made = plan.Plan(tuple(inputs), tuple(shards), {"m": {"a": 1}}, {"id": "id"}, True, True)
    assert plan.Plan.from_dict(made.to_dict()) == made
    with pytest.raises(DataError, match="not the plan of a run"):
        plan.Plan.from_dict({"files": []})


def test_differences_say_what_was_and_what_is(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", rows_of("a", 3))
    (file,) = plan.files_of(str(tmp_path))
    before = plan.Plan(
        (file,), (), {"m": {"version": "1", "options": {"stem": False}}}, {"source": "source"}
    )
    now = plan.Plan(
        (dataclasses.replace(file, size=7), dataclasses.replace(file, name="b.jsonl")), (),
        {"m": {"version": "2", "options": {"stem": True}}, "n": {}}, {"source": "article"},
    )  # fmt: skip
    assert plan.differences(before, before) == []
    assert plan.differences(before, now) == [
        "the input b.jsonl is new",
        f"the input a.jsonl has 7 bytes where it had {file.size}",
        "m: version was 1 and is 2",
        "m: options: stem was False and is True",
        "the metric n is new",
        "--column: source was source and is article",
    ]
