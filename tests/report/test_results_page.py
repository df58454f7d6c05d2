"""The page as a file: self-contained, escaped, in blocks; each source once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.helpers.shown_rows import (
    OTHER,
    SUMMARY,
    data_of,
    example,
    other,
    support,
    write_page,
)

from faithkit.records import DataError, Example, Score
from faithkit.report import results_page

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> \u2028 \"&'\0"


def test_the_page_requests_nothing_and_runs_no_script_but_its_own(tmp_path: Path) -> None:
    page = write_page(tmp_path / "p.html", [(example(), [support(), other()])])
    text = page.read_text(encoding="utf-8")
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy and "default-src &#39;none&#39;" in policy[0]
    outside = re.sub(r"(?s)<script>.*?</script>", "", text)
    assert not re.search(r"(?i)\b(src|href)\s*=|url\(|@import", outside)


def test_no_text_of_a_row_can_leave_its_script_element(tmp_path: Path) -> None:
    row = Example(
        f"id {HOSTILE}", HOSTILE, HOSTILE, system=HOSTILE, meta={HOSTILE[:9]: HOSTILE[:20]}
    )
    scores = [Score(row.id, "support", 0.5, texts={"lss": HOSTILE}), other(row.id)]
    page = write_page(tmp_path / "p.html", [(row, scores), (example("b"), [])], title=HOSTILE)
    data = data_of(page)
    assert data["sources-0"][0] == HOSTILE
    assert data["rows-0"][0]["summary"] == HOSTILE
    assert "alert(1)</script>" not in page.read_text(encoding="utf-8")


def test_a_source_that_rows_share_is_stored_once(tmp_path: Path) -> None:
    rows = [(example(str(n)), [support(str(n))]) for n in range(3)]
    data = data_of(write_page(tmp_path / "p.html", rows))
    assert len(data["sources-0"]) == 1
    assert [row["source"] for row in data["rows-0"]] == [0, 0, 0]


def test_rows_are_in_blocks_that_the_index_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_page, "BLOCK_ROWS", 4)
    rows = [(Example(str(n), f"source {n}", SUMMARY), [other(str(n))]) for n in range(10)]
    data = data_of(write_page(tmp_path / "p.html", rows))
    starts = [0, 4, 8]
    assert data["index"]["blocks"] == {"listed": starts, "rows": starts, "sources": starts}
    assert [identity for identity, *_ in data["listed-1"]] == ["4", "5", "6", "7"]
    assert [row["id"] for row in data["rows-1"]] == ["4", "5", "6", "7"]
    assert data["sources-2"] == ["source 8", "source 9"]


def test_the_texts_of_the_first_rows_of_the_list_come_with_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_page, "FIRST_ROWS", 3)
    values = [0.5, None, 0.2, 0.5, 0.9]
    rows = [(example(str(n)), [other(str(n), value)]) for n, value in enumerate(values)]
    index = data_of(write_page(tmp_path / "p.html", rows, [OTHER]))["index"]
    assert [(place, identity) for place, identity, *_ in index["first"]] == [
        (2, "2"),
        (0, "0"),
        (3, "3"),
    ]
    assert "listed" not in index


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [(example(str(n), label=n % 2), [support(str(n)), other(str(n))]) for n in range(5)]
    first = write_page(tmp_path / "1.html", rows).read_bytes()
    assert write_page(tmp_path / "2.html", rows).read_bytes() == first


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"):
        write_page(tmp_path / "absent" / "p.html", [(example(), [support()])])
