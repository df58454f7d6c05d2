"""The score store: keys, several writers, and every way the file can be unusable."""

from __future__ import annotations

import errno
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit import cache
from faithkit.cache import Cache, key
from faithkit.database import TEMPORARY
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


def test_a_store_without_a_path_lives_as_long_as_the_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    with Cache(None) as store:
        store.put([(b"a", {"value": 1})])
        store.put((str(n).encode(), {"filler": "x" * 5000}) for n in range(2000))
        assert store.get([b"a", b"7"]) == {b"a": {"value": 1}, b"7": {"filler": "x" * 5000}}
        assert store.stored == 0 and list(tmp_path.iterdir()) == []
    with Cache(None) as store:
        assert store.get([b"a"]) == {}


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


def warned(caplog: pytest.LogCaptureFixture) -> str:
    """The one warning so far."""
    (record,) = caplog.records
    return record.getMessage()


def test_a_locked_store_is_gone_on_without_and_named_with_the_way_out(
    held: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Cache(held) as store:
        for _ in range(2):
            store.put({b"a": {"value": 1}})
            assert store.get([b"a"]) == {b"a": {"value": 1}}
    assert "scores.sqlite: database is locked" in warned(caplog)
    assert "another --cache. Going on without it." in warned(caplog)
    assert (store.lost, store.stored) == (True, 0)


def test_a_store_that_is_required_is_an_error(held: Path, tmp_path: Path) -> None:
    locked = r"scores\.sqlite: database is locked.*another --cache"
    with pytest.raises(DataError, match=locked), Cache(held, required=True) as store:
        store.put({b"a": {}})
    with pytest.raises(DataError, match="unable to open database file"):
        Cache(tmp_path, required=True)


def test_a_writer_waits_for_a_lock_that_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 30)
    path = tmp_path / "s.sqlite"
    with Cache(path) as store:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.1, other.execute, ["ROLLBACK"])
        release.start()
        store.put({b"a": {"value": 1}})
        release.join()
        other.close()
        assert (store.lost, store.stored) == (False, 1)
    assert not caplog.records


def test_a_file_that_is_no_database_is_said_to_be_no_cache_and_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "s.sqlite"
    garbage = b"this is not a database at all\n" * 100
    path.write_bytes(garbage)
    with Cache(path) as store:
        store.put({b"a": {}})
    assert "this is not a score cache; give another --cache" in warned(caplog)
    assert "delete" not in warned(caplog)
    assert path.read_bytes() == garbage


def test_a_database_with_overwritten_pages_is_said_to_be_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "s.sqlite"
    keys = [str(number).encode() for number in range(2000)]
    with Cache(path) as store:
        store.put((one, {"value": int(one), "filler": "x" * 50}) for one in keys)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with Cache(path) as store:
        assert store.get(keys) == {}
    assert "damaged; delete it" in warned(caplog)


def test_a_row_that_is_no_json_is_said_to_be_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "s.sqlite"
    Cache(path).close()
    other = sqlite3.connect(path)
    other.execute("INSERT INTO scores VALUES (?, ?)", (b"a", "{torn"))
    other.commit()
    other.close()
    with Cache(path) as store:
        assert store.get([b"a"]) == {}
    assert "damaged; delete it" in warned(caplog)


def test_a_table_of_another_program_is_gone_on_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "s.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE scores (something INTEGER)")
    other.close()
    with Cache(path) as store:
        assert store.get([b"a"]) == {}
    assert re.search(r"s\.sqlite: .*--cache", warned(caplog))


def test_a_folder_or_a_file_in_the_way_is_gone_on_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "s.sqlite"):
        caplog.clear()
        with Cache(path) as store:
            store.put({b"a": {"value": 1}})
            assert store.get([b"a"]) == {b"a": {"value": 1}}
        assert "give another place with --cache" in warned(caplog)


def test_a_full_disk_keeps_what_was_stored_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "s.sqlite"
    with Cache(path) as store:
        store.put({b"a": {"value": 1}})
        assert store._database is not None
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count={pages}")
        store.put((str(n).encode(), {"filler": "x" * 500}) for n in range(50))
        assert store.get([b"7"]) == {b"7": {"filler": "x" * 500}}
    assert "the disk is full; free some space" in warned(caplog)
    with Cache(path) as store:
        assert store.get([b"a", b"7"]) == {b"a": {"value": 1}}


def test_without_room_for_a_temporary_file_nothing_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connect = sqlite3.connect

    def full(path: Path | str, **settings: Any) -> sqlite3.Connection:
        if path == TEMPORARY:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(path, **settings)

    monkeypatch.setattr(sqlite3, "connect", full)
    for path in (None, tmp_path):
        with Cache(path) as store:
            store.put({b"a": {"value": 1}})
            assert store.get([b"a"]) == {}
    assert "unable to open database file" in caplog.text


def test_an_unwritable_folder_is_gone_on_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make = Path.mkdir

    def refuse(self: Path, *options: Any, **named: Any) -> None:
        if self.name == "no":
            raise OSError(errno.EROFS, "Read-only file system")
        make(self, *options, **named)

    monkeypatch.setattr(Path, "mkdir", refuse)
    with Cache(tmp_path / "no" / "s.sqlite") as store:
        store.put({b"a": {"value": 1}})
        assert store.get([b"a"]) == {b"a": {"value": 1}}
    assert re.search(r"Read-only file system.*--no-cache", warned(caplog))


@pytest.mark.parametrize("kept", [True, False])
def test_an_interrupt_notes_what_the_file_keeps(tmp_path: Path, kept: bool) -> None:
    with pytest.raises(KeyboardInterrupt) as caught, Cache(tmp_path / "s.sqlite") as store:
        store.put({b"a": {}, b"b": {}} if kept else {})
        raise KeyboardInterrupt
    noted = getattr(caught.value, "__notes__", [])
    assert noted == ([f"2 scores are kept in {tmp_path / 's.sqlite'}"] if kept else [])


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


@pytest.mark.slow
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
