"""Checks of examples/: the labelled pairs that the demo, the README and other tests are built on.

What does not live here: what any metric says of these pairs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from faithkit.records import Example, Span
from tests.helpers.paths import EXAMPLES

KEYS = ["id", "document", "source", "summary", "system", "label", "score", "spans", "error_types",
        "domain"]  # fmt: skip
LINES = (EXAMPLES / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
ROWS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")
DEMO = "news-island-grid/unfaithful-1"

every_row = pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])


def table(heading: str) -> dict[str, int]:
    """The README's table under `heading`: first column in backquotes, second a count."""
    below = README.partition(f"# {heading}\n")[2]
    section = re.split(r"^##", below, maxsplit=1, flags=re.MULTILINE)[0]
    return {name: int(count) for name, count in re.findall(r"^\| `(.+?)` \| (\d+) ", section, re.M)}


def cuts_a_word(text: str, position: int) -> bool:
    return bool(re.match(r"\w\w", text[max(position - 1, 0) : position + 1])) and position > 0


@every_row
def test_row_has_the_documented_keys_in_order(row: dict[str, Any]) -> None:
    assert list(row) == KEYS


@every_row
def test_row_becomes_an_example(row: dict[str, Any]) -> None:
    example = Example(
        row["id"],
        row["source"],
        row["summary"],
        document=row["document"],
        system=row["system"],
        label=row["label"],
        rating=row["score"],
        spans=tuple(Span(start, end, kind) for start, end, kind, _ in row["spans"]),
    )
    assert example.source.strip() == example.source
    assert example.summary.strip() == example.summary


@every_row
def test_spans_lie_in_the_summary_at_word_boundaries(row: dict[str, Any]) -> None:
    summary, last_end = row["summary"], 0
    for start, end, _, annotator in row["spans"]:
        assert last_end <= start < end <= len(summary)
        assert summary[start:end].strip() == summary[start:end] != ""
        assert not cuts_a_word(summary, start)
        assert not cuts_a_word(summary, end)
        assert annotator == "author"
        last_end = end


@every_row
def test_only_unfaithful_rows_have_spans_and_types_are_the_spans_kinds(
    row: dict[str, Any],
) -> None:
    assert row["label"] in (0, 1)
    assert bool(row["spans"]) == (row["label"] == 0)
    assert row["error_types"] == list(dict.fromkeys(kind for _, _, kind, _ in row["spans"]))


@every_row
def test_score_is_one_if_faithful_else_at_most_the_share_of_words_outside_spans(
    row: dict[str, Any],
) -> None:
    words = len(row["summary"].split())
    marked = sum(len(row["summary"][start:end].split()) for start, end, _, _ in row["spans"])
    if row["label"] == 1:
        assert row["score"] == 1.0
    else:
        # Half a hundredth: scores are kept with two decimals.
        assert 0 <= row["score"] <= 1 - marked / words + 0.005


def test_ids_are_unique_and_name_their_document() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert all(row["id"].startswith(f"{row['document']}/") for row in ROWS)


def test_document_is_exactly_the_identity_of_the_source() -> None:
    seen = {(row["document"], row["source"], row["domain"]) for row in ROWS}
    assert len(seen) == len({group for group, _, _ in seen})
    assert len(seen) == len({source for _, source, _ in seen})


def test_every_system_summarised_every_source_once() -> None:
    systems = {row["system"] for row in ROWS}
    seen = Counter((row["document"], row["system"]) for row in ROWS)
    assert set(seen.values()) == {1}
    assert len(seen) == len(systems) * len({row["document"] for row in ROWS})


def test_rows_are_many_varied_and_balanced() -> None:
    assert len(ROWS) >= 24
    assert len({row["domain"] for row in ROWS}) >= 8
    assert 0.4 <= sum(row["label"] for row in ROWS) / len(ROWS) <= 0.5


def test_source_lengths_are_those_of_short_documents_and_two_long_ones() -> None:
    lengths = sorted(len(source.split()) for source in {row["source"] for row in ROWS})
    assert lengths[0] >= 80
    assert lengths[-3] <= 350
    assert all(600 <= length <= 800 for length in lengths[-2:])


def test_error_types_and_their_counts_are_those_of_the_readme() -> None:
    assert table("Error types") == Counter(kind for row in ROWS for _, _, kind, _ in row["spans"])


def test_domains_and_their_counts_are_those_of_the_readme() -> None:
    assert table("Domains") == Counter(row["domain"] for row in ROWS)


def test_totals_in_the_readme_are_those_of_the_file() -> None:
    faithful = sum(row["label"] for row in ROWS)
    spans = sum(len(row["spans"]) for row in ROWS)
    groups = len({row["document"] for row in ROWS})
    stated = f"{len(ROWS)} rows: {groups} sources, {faithful} faithful and {len(ROWS) - faithful} "
    assert stated in README
    assert f"{spans} marked spans" in README


@pytest.mark.parametrize("field", ["source", "summary"])
def test_plain_text_files_are_the_demo_row(field: str) -> None:
    row = next(row for row in ROWS if row["id"] == DEMO)
    text = (EXAMPLES / f"{field}.txt").read_text(encoding="utf-8")
    assert text == row[field] + "\n"
    assert row["label"] == 0


CLINICAL: list[dict[str, Any]] = [
    json.loads(line)
    for line in (EXAMPLES / "clinical.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_clinical_rows_are_pairs_that_differ_in_the_span_only() -> None:
    pairs: dict[str, list[dict[str, Any]]] = {}
    for row in CLINICAL:
        assert row["id"].startswith(f"{row['document']}/")
        pairs.setdefault(row["pair"], []).append(row)
    for faithful, changed in pairs.values():
        assert (faithful["label"], changed["label"]) == (1, 0)
        assert faithful["source"] == changed["source"] and faithful["spans"] == []
        ((start, end, kind, _),) = changed["spans"]
        assert changed["error_types"] == [kind] and start < end
        summary = changed["summary"]
        assert faithful["summary"].startswith(summary[:start])
        assert faithful["summary"].endswith(summary[end:]) and faithful["summary"] != summary


def test_readme_counts_the_clinical_pairs() -> None:
    counts = Counter(kind for row in CLINICAL for kind in row["error_types"])
    assert table("Clinical probes") == dict(counts)


def test_everyday_summaries_have_their_errors_marked() -> None:
    lines = (EXAMPLES / "everyday.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert Counter(row["label"] for row in rows) == {0: 48, 1: 48}
    assert set(Counter(row["document"] for row in rows).values()) == {4}
    for row in rows:
        assert len(row["spans"]) == 1 - row["label"]
        for start, end, *_ in row["spans"]:
            assert 0 <= start < end <= len(row["summary"])
            assert not cuts_a_word(row["summary"], start)
            assert not cuts_a_word(row["summary"], end)


def test_untidy_texts_have_as_many_true_as_false_summaries() -> None:
    lines = (EXAMPLES / "forms.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert Counter(row["label"] for row in rows) == {0: 128, 1: 128}
    sources = {(row["document"], row["source"]) for row in rows}
    assert len(sources) == len({row["document"] for row in rows}) == 32


def test_pairs_of_seven_kinds_are_half_faithful() -> None:
    lines = (EXAMPLES / "kinds.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    kinds = Counter((row["kind"], row["label"]) for row in rows)
    assert set(kinds.values()) == {15} and len(kinds) == 14
    sources = {(row["document"], row["source"]) for row in rows}
    assert len(sources) == len({row["document"] for row in rows}) == 118
