"""Scoring: order, batches, de-duplication, cache and the checks of what a metric gives."""

from __future__ import annotations

import dataclasses
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.runs import (
    EXAMPLES,
    KNOWN,
    OTHER,
    TINY,
    to_file,
)
from tests.helpers.scoring import score
from tests.helpers.tiny_metrics import Known

from faithkit import run
from faithkit.cache import Cache
from faithkit.metrics.judge.judge import Judge
from faithkit.models.chat.transcripts import Transcribed
from faithkit.models.protocols import Reply
from faithkit.records import (
    JSON,
    ConfigError,
    DataError,
    Evidence,
    Example,
    ModelError,
    Outcome,
    Score,
    Span,
)
from faithkit.run import batches


def test_rows_come_example_by_example_and_metric_by_metric_with_labels_and_signatures() -> None:
    asked = [f"{KNOWN}:power=2", KNOWN]
    found = list(score(EXAMPLES[:2], asked))
    assert [(one.id, one.metric) for one in found] == [
        (example.id, label) for example in EXAMPLES[:2] for label in asked
    ]
    assert [one.value for one in found] == [1.0, 1.0, pytest.approx(4 / 9), pytest.approx(2 / 3)]
    assert found[0].signature is not None
    assert found[0].signature.metric == "known"
    assert found[0].signature.options["power"] == 2.0
    assert found[1].signature != found[0].signature


def test_empty_texts_are_outcomes_and_not_errors() -> None:
    blank = [Example("1", "", "a"), Example("2", "a", " \n"), Example("3", "", "")]
    for metric in (KNOWN, "rouge2", "novelty"):
        found = list(score(blank, [metric]))
        assert [(one.value, one.outcome) for one in found] == [(None, Outcome.NO_CONTENT)] * 3


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [(KNOWN,), (KNOWN, OTHER), ("rouge2", "novelty")])
def test_results_do_not_depend_on_the_batch(metrics: tuple[str, ...]) -> None:
    whole = list(score(EXAMPLES, metrics, batch_size=64))
    for size in (None, 1, 2, 7, len(EXAMPLES)):
        assert list(score(EXAMPLES, metrics, batch_size=size)) == whole


def sizes_of(
    monkeypatch: pytest.MonkeyPatch, rows: list[Example], seconds: Callable[[int], float]
) -> list[int]:
    """The sizes of paced batches, where a batch of n rows takes `seconds(n)`."""
    now = 0.0
    monkeypatch.setattr(batches.time, "monotonic", lambda: now)
    sizes = []
    for batch in run.batched(rows):
        sizes.append(len(batch))
        now += seconds(len(batch))
    assert sum(sizes) == len(rows)
    return sizes


def test_batches_have_as_many_rows_as_take_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Example(str(n), f"source {n}", "a") for n in range(200)]
    assert sizes_of(monkeypatch, rows, lambda n: n / 1000) == [8, 64, 64, 64]
    assert sizes_of(monkeypatch, rows, lambda n: n / 10) == [8, *[20] * 9, 12]
    assert sizes_of(monkeypatch, rows, lambda n: n * 10.0) == [8] * 25
    assert sizes_of(monkeypatch, [], lambda n: 1.0) == []


def test_rows_of_one_source_are_in_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Example(str(n), f"source {n // 10}", "a") for n in range(60)]
    assert sizes_of(monkeypatch, rows, lambda n: n * 10.0) == [10] * 6
    rows = [Example(str(n), "one source", "a") for n in range(100)]
    assert sizes_of(monkeypatch, rows, lambda n: n * 10.0) == [64, 36]


@pytest.mark.slow
def test_progress_of_a_slow_metric_moves_every_few_rows(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH_SECONDS", 0.1)
    monkeypatch.setenv("TINY_SLEEP", "0.02")
    told: list[int] = []
    to_file(pairs, tmp_path / "out.jsonl", metrics=(KNOWN,), progress=told.append)
    assert told == [0, 8, 16, 23]


def test_progress_moves_with_each_answer_of_a_chat_model(tmp_path: Path) -> None:
    class Chat(Transcribed):
        id = "slow@0"

        def _ask(self, prompts: Any, asking: Any) -> Iterator[tuple[int, Reply]]:
            for position in reversed(range(len(prompts))):
                yield position, Reply(Outcome.OK, "Yes")

    rows = [Example(str(n), f"source {n}", "a summary") for n in range(100)]
    prepared = run.prepare([Judge(Chat(), transcripts="off"), Known()])
    told: list[int] = []
    with Cache(None) as store:
        found = run.scored_batches(prepared, rows, store, done=5, progress=told.append)
        assert [len(batch) for batch, _ in found] == [64, 36]
    # The judge is the first of two metrics, so its answers are half of the work of a batch.
    assert told == [*range(6, 38), 69, *range(70, 88), 105]


def test_a_batch_of_none_is_refused_rather_than_scored_as_nothing() -> None:
    for size in (0, -1):
        with pytest.raises(ConfigError, match=f"1 or more, found {size}"):
            list(score(EXAMPLES, [KNOWN], batch_size=size))


def test_equal_pairs_are_scored_once_each_metric(calls: Callable[[], list[str]]) -> None:
    distinct = len({(one.source, one.summary) for one in EXAMPLES})
    assert distinct == 20 < len(EXAMPLES)
    for size in (1, 5, 64):
        found = list(score(EXAMPLES, [KNOWN], batch_size=size))
        assert [one.id for one in found] == [one.id for one in EXAMPLES]
        assert len(calls()) == distinct


def test_scores_are_reused_by_a_later_call_and_are_the_same(
    tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    store = tmp_path / "s.sqlite"
    first = list(score(EXAMPLES, [KNOWN], cache=store))
    assert calls()
    assert list(score(EXAMPLES, [KNOWN], cache=store)) == first
    assert calls() == []
    renamed = [Example(f"new {one.id}", one.source, one.summary) for one in EXAMPLES]
    again = list(score(renamed, [KNOWN], cache=store))
    assert [(one.id, one.value) for one in again] == [(f"new {one.id}", one.value) for one in first]
    assert calls() == []
    list(score(EXAMPLES, [f"{KNOWN}:power=2"], cache=store))
    assert len(calls()) == 20


def test_an_outcome_that_may_pass_is_tried_again(
    tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    store = tmp_path / "s.sqlite"
    for _ in range(2):
        (found,) = score(EXAMPLES[:1], [f"{TINY}:Flaky"], cache=store)
        assert found.outcome is Outcome.TIMEOUT
        assert calls() == ["id 0"]


def test_a_change_in_a_metrics_own_code_changes_its_signature_and_scores_anew(
    tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    own, store = tmp_path / "own.py", tmp_path / "s.sqlite"
    shutil.copy(TINY, own)
    (before,) = score(EXAMPLES[:1], [f"{own}:Known"], cache=store)
    calls()
    own.write_text(own.read_text() + "\n# changed\n")
    (after,) = score(EXAMPLES[:1], [f"{own}:Known"], cache=store)
    assert calls() == ["id 0"]
    assert before.signature is not None
    assert after.signature is not None
    assert before.signature.digest != after.signature.digest
    assert before.signature.options["code"] != after.signature.options["code"]


def test_a_field_that_a_metric_reads_is_part_of_the_cache_key(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    pair = [Example("1", "a", "b", label=label) for label in (0, 1, 0)]
    found = list(score(pair, [f"{TINY}:Labelled"], cache=store))
    assert [one.value for one in found] == [0.0, 1.0, 0.0]
    topics = [Example("1", "a", "b", meta={"topic": topic}) for topic in ("x", "xy")]
    found = list(score(topics, [f"{TINY}:Topical"], cache=store))
    assert [one.value for one in found] == [1.0, 2.0]


def test_a_field_that_a_metric_needs_and_a_row_lacks_is_named() -> None:
    with pytest.raises(DataError, match="'known' needs field 'topic'; 'id 0' has none"):
        list(score(EXAMPLES[:1], [f"{TINY}:Topical"]))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Reversing", "gave the score of 'id 3' where that of 'id 0' belongs"),
        ("Short", "gave 3 scores for 4 examples"),
        ("Numbers", "gave float for 'id 0'; score() returns a list of faithkit.Score"),
        ("Crashing", "failed on row 'id 0': ZeroDivisionError: no words"),
    ],
)
def test_a_metric_that_breaks_its_promise_is_named(name: str, what: str) -> None:
    with pytest.raises(ModelError) as caught:
        list(score(EXAMPLES[:4], [f"{TINY}:{name}"]))
    assert f"{TINY}:{name}' " in str(caught.value)
    assert what in str(caught.value)


def test_a_metric_that_fails_is_named_with_the_line_of_its_file() -> None:
    line = TINY.read_text().splitlines().index('        raise ZeroDivisionError("no words")') + 1
    with pytest.raises(ModelError, match=rf"no words \({re.escape(str(TINY))}, line {line}\)$"):
        list(score(EXAMPLES[:1], [f"{TINY}:Crashing"]))


def test_a_value_outside_the_declared_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        list(score(EXAMPLES[:4], [f"{TINY}:Beyond"]))
    said = str(caught.value)
    assert f"{TINY}:Beyond' gave 1.0 for 'id 0', outside its bounds 0.0 to 0.5" in said
    assert "bounds" in said.partition(";")[2]


def test_a_value_that_passes_a_bound_by_the_last_digits_of_a_float_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (one,) = run.prepare([f"{TINY}:Beyond"])
    for high, taken in ((1 - 9e-7, True), (1 - 2e-6, False)):
        monkeypatch.setattr(one.metric, "bounds", (0.0, high))
        with Cache(None) as store, nullcontext() if taken else pytest.raises(ModelError):
            run.score_batch([one], EXAMPLES[:1], store)


def test_the_same_metric_twice_and_no_metric_are_refused() -> None:
    with pytest.raises(ConfigError, match="'rouge2' is given twice"):
        run.prepare(["rouge2", "rouge2"])
    with pytest.raises(ConfigError, match="No metric is given"):
        run.prepare([])


def test_all_names_are_checked_before_any_model_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object, **__: object) -> None:
        pytest.fail("a model was loaded")

    monkeypatch.setattr("faithkit.models.load", load)
    for bad in ("bertscor", "rouge2:stemm=on", "rouge2:measure=f2"):
        with pytest.raises(ConfigError):
            run.prepare(["bertscore", bad])


def test_a_cache_row_that_is_no_score_is_said_to_be_damage(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = tmp_path / "s.sqlite"
    expected = list(score(EXAMPLES[:1], [KNOWN], cache=store))
    database = sqlite3.connect(store)
    database.execute("""UPDATE scores SET row = '{"value": 1}'""")
    database.commit()
    database.close()
    assert list(score(EXAMPLES[:1], [KNOWN], cache=store)) == expected
    (record,) = caplog.records
    assert re.search(r"s\.sqlite: this is not a row.*damaged; delete it", record.getMessage())


class _Fixed(Known):
    """Gives one score, whatever the texts are."""

    name = "fixed"
    fixed: Score

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [dataclasses.replace(self.fixed, id=example.id) for example in examples]


@pytest.mark.parametrize(
    "outside",
    [{"spans": (Span(0, 500),)}, {"evidence": (Evidence(0, 1, 0, 500),)},
     {"evidence": (Evidence(0, 500, 0, 1),)}],
)  # fmt: skip
def test_offsets_outside_the_texts_are_an_error_of_the_metric(outside: dict[str, Any]) -> None:
    metric = _Fixed()
    metric.fixed = Score("", "", 0.5, **outside)
    with pytest.raises(ModelError, match="gave offsets outside the texts of 'a'"):
        list(score([Example("a", "b", "c")], [metric]))


class _Deciding(_Fixed):
    """Gives a verdict by a threshold alone, as a judge does."""

    name = "deciding"

    @classmethod
    def verdict_from(cls, options: Mapping[str, JSON]) -> float | None:
        return 0.5


@pytest.mark.parametrize(("value", "verdict"), [(0.5, "consistent"), (0.4, "not consistent")])
def test_a_metric_with_a_threshold_gives_its_verdict_in_every_row(
    value: float, verdict: str
) -> None:
    metric = _Deciding()
    metric.fixed = Score("", "", value)
    (row,) = score([Example("a", "b", "c")], [metric])
    assert row.verdict == verdict
