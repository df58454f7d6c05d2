"""Ids that are used twice, across any number of files, without all of them in memory."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.sharded import rows_of, write_jsonl

from faithkit import files
from faithkit.columns import Columns
from faithkit.records import DataError
from faithkit.scale import ids, plan


@given(shards=st.lists(st.lists(st.integers(0, 40), max_size=15), max_size=8))
def test_equal_hashes_are_found_wherever_they_are(
    tmp_path_factory: pytest.TempPathFactory, shards: list[list[int]]
) -> None:
    folder = tmp_path_factory.mktemp("ids")
    with ids.Ids(folder) as found:
        for number, names in enumerate(shards):
            hashes = array("Q", [h for n in names for h in [files.short_hash(str(n))] * 2])
            found.add(ids.records(number, hashes.tobytes()))
        repeated, suspects = found.repeated()
    places: dict[int, list[tuple[int, int]]] = {}
    for number, names in enumerate(shards):
        for row, name in enumerate(names):
            places.setdefault(name, []).append((number, row))
    twice = [place for place in places.values() if len(place) > 1]
    assert repeated == bool(twice)
    assert sorted(
        sorted((int(row["shard"]), int(row["row"])) for row in group) for group in suspects
    ) == sorted(twice)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_error_that_names_the_folder(tmp_path: Path) -> None:
    for number in range(ids.PARTITIONS):
        (tmp_path / f"ids-{number:03d}.bin").symlink_to("/dev/full")
    hashes = array("Q", range(40))
    with (
        pytest.raises(DataError, match=f"cannot write {tmp_path}: the disk is full"),
        ids.Ids(tmp_path) as found,
    ):
        found.add(ids.records(0, hashes.tobytes()))
        found.repeated()
    assert len(list(tmp_path.iterdir())) == ids.PARTITIONS - len({*range(0, 40, 2)})


def test_ids_of_two_systems_repeat_and_are_no_duplicates(tmp_path: Path) -> None:
    with ids.Ids(tmp_path) as found:
        hashes = array("Q", [1, 11, 1, 12, 2, 13])
        found.add(ids.records(0, hashes.tobytes()))
        assert found.repeated() == (True, [])


def test_equal_hashes_of_different_ids_are_no_duplicate(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", rows_of("a", 4))
    shards = dict(enumerate(plan.divide(plan.files_of(str(tmp_path)))))
    group = ids.records(0, array("Q", [1, 1] * 4).tobytes())[[0, 3]]
    ids.check([group], shards, Columns())


def test_a_duplicate_is_named_with_both_of_its_places(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", rows_of("a", 4))
    write_jsonl(tmp_path / "b.jsonl", [*rows_of("b", 2), rows_of("a", 3)[2]])
    shards = dict(enumerate(plan.divide(plan.files_of(str(tmp_path)))))
    suspects = [
        ids.records(0, array("Q", [1, 1] * 4).tobytes())[[2]],
        ids.records(1, array("Q", [1, 1] * 3).tobytes())[[2]],
    ]
    with pytest.raises(
        DataError,
        match=r"b\.jsonl, line 3, field 'id': id 'a2' was already used in .*a\.jsonl, line 3;",
    ):
        ids.check(suspects, shards, Columns())
