"""The claims set of data/claims: edits are applied to the character, every written file builds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import build_claims

SOURCE = "Anna gave Ben 14 pounds in May, and he thanked her. " * 5 + "In June Ben left Lyon."


def written(folder: Path, claims: str, source: str = SOURCE) -> Path:
    path = folder / "chat.txt"
    path.write_text(f"=== chat-001\n{source}\n---\n{claims}\n", encoding="utf-8")
    return path


GOOD = """+ light: Anna gave 14 pounds to Ben in May.
  - number: 14 => 40
  - role: Anna gave => Ben gave && to Ben => to Anna
  * date: In June Ben => In July Ben @ in May
+ heavy: Ben went away from Lyon.
  - negation: Ben went => Ben never went
+ verbatim: In June Ben left Lyon."""


def test_edits_mark_the_changed_words_to_the_character(tmp_path: Path) -> None:
    rows = build_claims.of_file(written(tmp_path, GOOD))
    found = [
        (row["label"], row["summary"], [row["summary"][a:b] for a, b, _ in row["spans"]])  # type: ignore[attr-defined, index]
        for row in rows
    ]
    assert found == [
        (1, "Anna gave 14 pounds to Ben in May.", []),
        (0, "Anna gave 40 pounds to Ben in May.", ["40"]),
        (0, "Ben gave 14 pounds to Anna in May.", ["Ben", "Anna"]),
        (0, "Anna gave 14 pounds to Ben in May.", ["in May"]),
        (1, "Ben went away from Lyon.", []),
        (0, "Ben never went away from Lyon.", ["never"]),
        (1, "In June Ben left Lyon.", []),
    ]
    assert "In July Ben left" in str(rows[3]["source"]) and rows[3]["edited"] == "source"
    assert {row["pair"] for row in rows[:4]} == {"chat-001/1"}


def test_where_words_were_only_taken_out_those_beside_the_gap_are_marked(tmp_path: Path) -> None:
    claim, edit = "Ben and Anna did not leave Lyon.", "Anna did not leave => Anna did leave"
    claims = f"+ light: {claim}\n  - negation: {edit}"
    rows = build_claims.of_file(written(tmp_path, f"{claims}\n+ light: a b\n+ light: c d"))
    row = rows[1]
    assert [str(row["summary"])[a:b] for a, b, _ in row["spans"]] == ["did", "leave"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("+ light: Ben and Ben met.\n  - entity: Ben => Tom", "'Ben' occurs 2 times in the claim"),
        ("+ plain: Ben left.", "'plain' is none of verbatim"),
        ("+ light: Ben left.\n  - number: Ben => Ben", "expected 'original => changed'"),
        ("- number: a => b", "an edit before any claim"),
        ("+ light: Ben left.\n  * date: In June Ben => In May Ben", "'@ words' of the claim"),
    ],
)
def test_what_does_not_fit_the_format_is_named_with_its_line(
    tmp_path: Path, claims: str, message: str
) -> None:
    more = "\n+ light: a b\n+ light: c d\n+ light: e f"
    with pytest.raises(build_claims.FormatError, match=r"chat.txt, line \d+") as caught:
        build_claims.of_file(written(tmp_path, claims + more))
    assert message in str(caught.value)


MISSING = object()

GENERATED = {
    "document": "chat-001", "summary": "Ben gave Anna money.", "label": 0,
    "spans": [[0, 3, "role"], [9, 13, "role"]], "error_types": ["role"],
    "corrected": "Anna gave Ben money.",
}  # fmt: skip


def test_a_judged_sentence_has_the_source_of_its_document_and_its_correction(
    tmp_path: Path,
) -> None:
    rows = build_claims.of_file(written(tmp_path, GOOD))
    path = tmp_path / "small_model.jsonl"
    supported = {"document": "chat-001", "summary": "Ben left.", "label": 1, "spans": [],
                 "error_types": [], "corrected": None}  # fmt: skip
    path.write_text(f"{json.dumps(GENERATED)}\n{json.dumps(supported)}\n", encoding="utf-8")
    judged = build_claims.of_generated(path, rows)
    assert [(row["summary"], row["label"], row["pair"]) for row in judged] == [
        ("Ben gave Anna money.", 0, "chat-001/small_model-1"),
        ("Anna gave Ben money.", 1, "chat-001/small_model-1"),
        ("Ben left.", 1, "chat-001/small_model-2"),
    ]
    assert {(row["source"], row["split"]) for row in judged} == {(SOURCE, rows[0]["split"])}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"document": "chat-009"}, "no written source 'chat-009'"),
        ({"spans": []}, "spans are wanted"),
        ({"error_types": ["slip"]}, "'slip' is none of"),
        ({"spans": MISSING}, "the field 'spans' is missing"),
    ],
)
def test_a_judged_sentence_that_does_not_fit_is_named_with_its_line(
    tmp_path: Path, wrong: dict[str, object], message: str
) -> None:
    rows = build_claims.of_file(written(tmp_path, GOOD))
    path = tmp_path / "small_model.jsonl"
    line = {name: value for name, value in (GENERATED | wrong).items() if value is not MISSING}
    path.write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(build_claims.FormatError, match=r"small_model.jsonl, line 1: ") as caught:
        build_claims.of_generated(path, rows)
    assert message in str(caught.value)


@pytest.mark.slow
def test_every_file_builds_and_the_splits_share_no_source() -> None:
    files = sorted((ROOT / "data" / "claims" / "written").glob("*.txt"))
    assert {path.stem for path in files if "_" not in path.stem} == set(build_claims.KINDS)
    split_of: dict[object, object] = {}
    written: list[dict[str, object]] = []
    for path in files:
        rows = build_claims.of_file(path)
        written += rows
        whole = {"train"} if "_" in path.stem else {"train", "dev", "test"}
        assert {row["split"] for row in rows} == whole
        here = {(row["document"], row["split"]) for row in rows}
        assert not split_of.keys() & dict(here)  # no document of two files
        split_of.update(here)
        assert len(here) == len(dict(here))
    judged = build_claims.all_generated(written)
    assert {row["round"] for row in judged} == {11, 12}
    assert {row["split"] for row in judged} == {"train"}
    assert len({row["id"] for row in judged}) == len(judged)


def test_a_file_with_more_than_its_kind_in_its_name_is_of_the_train_part(tmp_path: Path) -> None:
    entries = "\n".join(f"=== chat-{n}\n{SOURCE}\n---\n{GOOD}" for n in range(20))
    for name in ("chat", "chat_short"):
        (tmp_path / f"{name}.txt").write_text(entries, encoding="utf-8")
    parts = {
        name: {row["split"] for row in build_claims.of_file(tmp_path / f"{name}.txt")}
        for name in ("chat", "chat_short")
    }
    assert parts == {"chat": {"train", "dev", "test"}, "chat_short": {"train"}}
