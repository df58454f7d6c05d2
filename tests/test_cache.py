"""The score store: keys, several writers, and every way the file can be unusable."""

from __future__ import annotations

import errno
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit import cache
from faithkit.cache import Cache, key
from faithkit.records import DataError

unicode_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 0.05)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A store on which another connection holds the exclusive lock."""
    path = tmp_path / "scores.sqlite"
    Cache(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield path
    other.execute("ROLLBACK")
    other.close()


def test_what_was_stored_is_found_again_by_another_object(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "scores.sqlite"
    row = {"value": 0.1 + 0.2, "parts": {"naïve \u0000": None}, "spans": []}
    with Cache(path) as store:
        store.put({b"a": row})
    with Cache(path) as store:
        assert store.get([b"a", b"b"]) == {b"a": row}


def test_a_store_without_a_path_lives_as_long_as_the_object() -> None:
    with Cache(None) as store:
        store.put([(b"a", {"value": 1})])
        assert store.get([b"a"]) == {b"a": {"value": 1}}
        place = store.path
        assert place.exists()
    assert not place.exists()


def test_more_keys_than_one_query_takes_are_all_found(tmp_path: Path) -> None:
    keys = [str(number).encode() for number in range(1703)]
    with Cache(tmp_path / "s.sqlite") as store:
        store.put((one, {"value": int(one)}) for one in keys)
        assert store.get(keys) == {one: {"value": int(one)} for one in keys}
        assert store.get([]) == {}


def test_the_first_writer_of_a_key_wins(tmp_path: Path) -> None:
    with Cache(tmp_path / "s.sqlite") as store:
        store.put({b"a": {"value": 1}})
        store.put({b"a": {"value": 2}})
        assert store.get([b"a"]) == {b"a": {"value": 1}}


@given(unicode_text, unicode_text, st.integers(0, 16))
def test_shifting_text_from_one_field_to_the_next_changes_the_key(
    left: str, right: str, cut: int
) -> None:
    both = left + right
    shifted = (both[:cut], both[cut:])
    assert (key("d", shifted) == key("d", (left, right))) == (shifted == (left, right))


@given(st.lists(unicode_text, max_size=3), st.lists(unicode_text, max_size=3), unicode_text)
def test_keys_are_equal_only_for_equal_texts_of_one_signature(
    one: list[str], other: list[str], digest: str
) -> None:
    assert (key(digest, one) == key(digest, other)) == (one == other)
    assert key(digest, one) != key(digest + "0", one)


def test_text_that_looks_like_the_keys_own_separators_does_not_collide() -> None:
    assert key("d", ["a|1|b"]) != key("d", ["a", "b"])
    assert key("d", ["", "x"]) != key("d", ["x", ""])


def test_a_locked_store_is_named_with_the_way_out(held: Path) -> None:
    locked = r"scores\.sqlite: database is locked.*another --cache"
    with pytest.raises(DataError, match=locked), Cache(held) as store:
        store.put({b"a": {}})


def test_a_writer_goes_on_once_the_lock_is_released(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Cache(path) as one, Cache(path) as two:
        with pytest.raises(DataError):
            two._database.execute("BEGIN IMMEDIATE")
            one.put({b"a": {"value": 1}})
        two._database.execute("ROLLBACK")
        one.put({b"a": {"value": 1}})
        assert two.get([b"a"]) == {b"a": {"value": 1}}


def test_a_file_that_is_no_database_is_said_to_be_damaged_and_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    garbage = b"this is not a database at all\n" * 100
    path.write_bytes(garbage)
    with pytest.raises(DataError, match=r"s\.sqlite: .*damaged; delete it"):
        Cache(path)
    assert path.read_bytes() == garbage


def test_a_database_with_overwritten_pages_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    keys = [str(number).encode() for number in range(2000)]
    with Cache(path) as store:
        store.put((one, {"value": int(one), "filler": "x" * 50}) for one in keys)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"damaged; delete it"), Cache(path) as store:
        store.get(keys)


def test_a_row_that_is_no_json_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    Cache(path).close()
    other = sqlite3.connect(path)
    other.execute("INSERT INTO scores VALUES (?, ?)", (b"a", "{torn"))
    other.commit()
    other.close()
    with Cache(path) as store, pytest.raises(DataError, match="damaged; delete it"):
        store.get([b"a"])


def test_a_table_of_another_program_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE scores (something INTEGER)")
    other.close()
    with Cache(path) as store, pytest.raises(DataError, match=r"s\.sqlite: .*--cache"):
        store.get([b"a"])


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="give another place with --cache"):
        Cache(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="give another place with --cache"):
        Cache(tmp_path / "file" / "s.sqlite")


def test_a_full_disk_keeps_what_was_stored_before(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Cache(path) as store:
        store.put({b"a": {"value": 1}})
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(DataError, match="the disk is full; free some space"):
            store.put((str(n).encode(), {"filler": "x" * 500}) for n in range(50))
        assert store.get([b"a", b"7"]) == {b"a": {"value": 1}}
    with Cache(path) as store:
        assert store.get([b"a"]) == {b"a": {"value": 1}}


def test_an_unwritable_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(DataError, match=r"Read-only file system.*--no-cache"):
        Cache(tmp_path / "no" / "s.sqlite")


def test_the_users_cache_folder_can_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path))
    assert cache.default_folder() == tmp_path
    monkeypatch.delenv("FAITHKIT_CACHE")
    assert cache.default_folder().name == "faithkit"


WRITER = """
import sys
from pathlib import Path
from faithkit.cache import Cache
with Cache(Path(sys.argv[1])) as store:
    for number in range(60):
        own = f"{sys.argv[2]}-{number}".encode()
        store.put({own: {"value": number}, f"shared-{number}".encode(): {"value": number}})
        assert store.get([own]) == {own: {"value": number}}
"""


def test_several_processes_that_open_a_new_store_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(number)], stderr=subprocess.PIPE
        )
        for number in range(4)
    ]
    errors = [writer.communicate()[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4, errors
    with Cache(path) as store:
        for name in ("0", "1", "2", "3", "shared"):
            keys = [f"{name}-{number}".encode() for number in range(60)]
            assert store.get(keys) == {one: {"value": n} for n, one in enumerate(keys)}
