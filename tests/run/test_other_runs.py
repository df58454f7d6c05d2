"""An output that holds the rows of another run is refused, by what the other run read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.helpers.runs import EXAMPLES, KNOWN, OTHER, TINY, manifest, to_file, write_pairs

from faithkit.records import ConfigError


def test_another_metric_limit_or_input_with_the_same_output_is_refused_and_keeps_it(
    pairs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN,))
    before = output.read_bytes(), manifest(output)
    other = write_pairs(tmp_path / "other.jsonl", EXAMPLES[:-1])
    for what, arguments in {
        "its metrics differ": {"metrics": (OTHER,)},
        "its --limit differs": {"metrics": (KNOWN,), "limit": 5},
        "its input differs": {"metrics": (KNOWN,), "pairs": other},
    }.items():
        with pytest.raises(ConfigError, match=f"{what}.*another --output, or --no-resume"):
            to_file(**{"pairs": pairs, "output": output, **arguments})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="its metrics differ"):
        to_file(pairs, output, metrics=(f"{KNOWN}:power=2",))
    assert (output.read_bytes(), manifest(output)) == before


def write_topics(path: Path, topics: Sequence[str]) -> Path:
    lines = [f'{{"id": "{n}", "source": "a cat", "summary": "a cat", "topic": "{topic}"}}\n'
             for n, topic in enumerate(topics)]  # fmt: skip
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_a_change_of_a_field_that_a_metric_reads_is_another_input(
    pairs: Path, tmp_path: Path
) -> None:
    topical = f"{TINY}:Topical"
    topics, output = write_topics(tmp_path / "t.jsonl", ["x", "y"]), tmp_path / "out.jsonl"
    to_file(topics, output, metrics=(topical,))
    to_file(topics, output, metrics=(topical,))
    write_topics(topics, ["x", "zz"])
    with pytest.raises(ConfigError, match="its input beside ids and texts differs"):
        to_file(topics, output, metrics=(topical,))
    plain = tmp_path / "plain.jsonl"
    to_file(topics, plain, metrics=(KNOWN,))
    write_topics(topics, ["z", "z"])
    to_file(topics, plain, metrics=(KNOWN,))  # reads no topic


def test_a_change_of_a_column_that_is_kept_is_another_input(tmp_path: Path) -> None:
    topics, output = write_topics(tmp_path / "t.jsonl", ["x", "y"]), tmp_path / "out.csv"
    to_file(topics, output, metrics=(KNOWN,), keep_columns=True)
    to_file(topics, output, metrics=(KNOWN,), keep_columns=True)
    write_topics(topics, ["x", "zz"])
    with pytest.raises(ConfigError, match="its input beside ids and texts differs"):
        to_file(topics, output, metrics=(KNOWN,), keep_columns=True)


def test_the_same_metrics_in_another_order_are_named(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN, OTHER))
    with pytest.raises(ConfigError, match="its order of metrics differs"):
        to_file(pairs, output, metrics=(OTHER, KNOWN))
