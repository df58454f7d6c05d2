"""The run: order, batches, de-duplication, cache, resume after any kill, and the manifest."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faithkit import cache, files, run
from faithkit.cache import Cache
from faithkit.files import Columns
from faithkit.metrics.judge.judge import Judge
from faithkit.models.chat.transcripts import Transcribed
from faithkit.models.protocols import Reply
from faithkit.records import ConfigError, DataError, Example, ModelError, Outcome, Score
from tests.helpers.paths import HELPERS
from tests.helpers.tiny_metrics import Known

TINY = HELPERS / "tiny_metrics.py"
KNOWN, OTHER = f"{TINY}:Known", f"{TINY}:Other"

SOURCES = ["the cat sat on the mat", "a dog ran", "", "naïve “words”\nhere"]
SUMMARIES = ["the cat", "a dog flew", "words here", "", "naïve cats"]
EXAMPLES = [
    Example(f"id {number}", SOURCES[number % 4], SUMMARIES[number % 5]) for number in range(23)
]


def write_pairs(path: Path, examples: Iterable[Example] = EXAMPLES) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for one in examples:
            row = {"id": one.id, "source": one.source, "summary": one.summary}
            file.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.jsonl")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The ids of the examples that the tiny metrics have scored since the last time asked."""
    log = tmp_path / "calls.log"
    monkeypatch.setenv("TINY_LOG", str(log))

    def take() -> list[str]:
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    return take


def to_file(
    pairs: Path, output: Path, metrics: tuple[str, ...] = (KNOWN, OTHER), **options: Any
) -> dict[str, run.Tally]:
    rows = files.check(pairs, files.format_of(pairs), Columns())
    with Cache(options.pop("cache", None)) as store:
        return run.run_to_file(rows, run.prepare(metrics), output, store, **options)


def manifest(output: Path) -> dict[str, Any]:
    path = output.with_name(output.name + ".manifest.json")
    found = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def unfinish(output: Path) -> None:
    """Makes a complete run one that was killed."""
    path = output.with_name(output.name + ".manifest.json")
    path.write_text(json.dumps({**manifest(output), "status": "running"}), encoding="utf-8")


# Scoring


def test_rows_come_example_by_example_and_metric_by_metric_with_labels_and_signatures() -> None:
    asked = [f"{KNOWN}:power=2", KNOWN]
    found = list(run.score(EXAMPLES[:2], asked))
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
        found = list(run.score(blank, [metric]))
        assert [(one.value, one.outcome) for one in found] == [(None, Outcome.NO_CONTENT)] * 3


@pytest.mark.parametrize("metrics", [(KNOWN,), (KNOWN, OTHER), ("rouge2", "novelty")])
def test_results_do_not_depend_on_the_batch(metrics: tuple[str, ...]) -> None:
    whole = list(run.score(EXAMPLES, metrics, batch_size=64))
    for size in (None, 1, 2, 7, len(EXAMPLES)):
        assert list(run.score(EXAMPLES, metrics, batch_size=size)) == whole


def sizes_of(
    monkeypatch: pytest.MonkeyPatch, rows: list[Example], seconds: Callable[[int], float]
) -> list[int]:
    """The sizes of paced batches, where a batch of n rows takes `seconds(n)`."""
    now = 0.0
    monkeypatch.setattr(run.time, "monotonic", lambda: now)
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
    monkeypatch.setattr(run, "BATCH_SECONDS", 0.1)
    monkeypatch.setenv("TINY_SLEEP", "0.02")
    told: list[int] = []
    to_file(pairs, tmp_path / "out.jsonl", metrics=(KNOWN,), progress=told.append)
    assert told == [0, 8, 16, 23]


def test_progress_moves_with_each_answer_of_a_chat_model(tmp_path: Path) -> None:
    class Chat(Transcribed):
        id = "slow@0"

        def _ask(self, prompts: Any, asking: Any, limits: Any) -> Iterator[tuple[int, Reply]]:
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
            list(run.score(EXAMPLES, [KNOWN], batch_size=size))


def test_equal_pairs_are_scored_once_each_metric(calls: Callable[[], list[str]]) -> None:
    distinct = len({(one.source, one.summary) for one in EXAMPLES})
    assert distinct == 20 < len(EXAMPLES)
    for size in (1, 5, 64):
        found = list(run.score(EXAMPLES, [KNOWN], batch_size=size))
        assert [one.id for one in found] == [one.id for one in EXAMPLES]
        assert len(calls()) == distinct


def test_scores_are_reused_by_a_later_call_and_are_the_same(
    tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    store = tmp_path / "s.sqlite"
    first = list(run.score(EXAMPLES, [KNOWN], cache=store))
    assert calls()
    assert list(run.score(EXAMPLES, [KNOWN], cache=store)) == first
    assert calls() == []
    renamed = [Example(f"new {one.id}", one.source, one.summary) for one in EXAMPLES]
    again = list(run.score(renamed, [KNOWN], cache=store))
    assert [(one.id, one.value) for one in again] == [(f"new {one.id}", one.value) for one in first]
    assert calls() == []
    list(run.score(EXAMPLES, [f"{KNOWN}:power=2"], cache=store))
    assert len(calls()) == 20


def test_an_outcome_that_may_pass_is_tried_again(
    tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    store = tmp_path / "s.sqlite"
    for _ in range(2):
        (found,) = run.score(EXAMPLES[:1], [f"{TINY}:Flaky"], cache=store)
        assert found.outcome is Outcome.TIMEOUT
        assert calls() == ["id 0"]


def test_a_change_in_a_metrics_own_code_changes_its_signature_and_scores_anew(
    tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    own, store = tmp_path / "own.py", tmp_path / "s.sqlite"
    shutil.copy(TINY, own)
    (before,) = run.score(EXAMPLES[:1], [f"{own}:Known"], cache=store)
    calls()
    own.write_text(own.read_text() + "\n# changed\n")
    (after,) = run.score(EXAMPLES[:1], [f"{own}:Known"], cache=store)
    assert calls() == ["id 0"]
    assert before.signature is not None
    assert after.signature is not None
    assert before.signature.digest != after.signature.digest
    assert before.signature.options["code"] != after.signature.options["code"]


def test_a_field_that_a_metric_reads_is_part_of_the_cache_key(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    pair = [Example("1", "a", "b", label=label) for label in (0, 1, 0)]
    found = list(run.score(pair, [f"{TINY}:Labelled"], cache=store))
    assert [one.value for one in found] == [0.0, 1.0, 0.0]
    topics = [Example("1", "a", "b", meta={"topic": topic}) for topic in ("x", "xy")]
    found = list(run.score(topics, [f"{TINY}:Topical"], cache=store))
    assert [one.value for one in found] == [1.0, 2.0]


def test_a_field_that_a_metric_needs_and_a_row_lacks_is_named() -> None:
    with pytest.raises(DataError, match="'known' needs field 'topic'; 'id 0' has none"):
        list(run.score(EXAMPLES[:1], [f"{TINY}:Topical"]))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Reversing", "gave the score of 'id 3' where that of 'id 0' belongs"),
        ("Short", "gave 3 scores for 4 examples"),
        ("Numbers", "gave float for 'id 0'; score() returns a list of faithkit.Score"),
        ("Crashing", "failed on the 4 rows from 'id 0' to 'id 3': ZeroDivisionError: no words"),
    ],
)
def test_a_metric_that_breaks_its_promise_is_named(name: str, what: str) -> None:
    with pytest.raises(ModelError) as caught:
        list(run.score(EXAMPLES[:4], [f"{TINY}:{name}"]))
    assert f"{TINY}:{name}' " in str(caught.value)
    assert what in str(caught.value)


def test_a_value_outside_the_declared_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        list(run.score(EXAMPLES[:4], [f"{TINY}:Beyond"]))
    said = str(caught.value)
    assert f"{TINY}:Beyond' gave 1.0 for 'id 0', outside its bounds 0.0 to 0.5" in said
    assert "bounds" in said.partition(";")[2]


def test_a_value_that_passes_a_bound_by_the_last_digits_of_a_float_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (one,) = run.prepare([f"{TINY}:Beyond"])
    for high, taken in ((1 - 9e-7, True), (1 - 2e-6, False)):
        monkeypatch.setattr(type(one.metric), "bounds", (0.0, high))
        with Cache(None) as store, nullcontext() if taken else pytest.raises(ModelError):
            run.score_batch([one], EXAMPLES[:1], store)


def test_the_same_metric_twice_and_no_metric_are_refused() -> None:
    with pytest.raises(ConfigError, match="'rouge2' is asked for twice"):
        run.prepare(["rouge2", "rouge2"])
    with pytest.raises(ConfigError, match="No metric is asked for"):
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
    expected = list(run.score(EXAMPLES[:1], [KNOWN], cache=store))
    database = sqlite3.connect(store)
    database.execute("""UPDATE scores SET row = '{"value": 1}'""")
    database.commit()
    database.close()
    assert list(run.score(EXAMPLES[:1], [KNOWN], cache=store)) == expected
    (record,) = caplog.records
    assert re.search(r"s\.sqlite: this is not a row.*damaged; delete it", record.getMessage())


# Into a file


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_the_output_holds_what_score_gives(pairs: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / "new" / f"out.{ending}"
    tallies = to_file(pairs, output, batch_size=4)
    assert list(files.score_lines(output)) == list(run.score(EXAMPLES, [KNOWN, OTHER]))
    assert {path.name for path in output.parent.iterdir()} == {
        output.name, f"{output.name}.manifest.json",
    }  # fmt: skip
    assert tallies[KNOWN].rows == len(EXAMPLES)


def test_the_manifest_says_what_was_run_and_what_came_of_it(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    tallies = to_file(pairs, output, limit=20)
    found = manifest(output)
    assert found["status"] == "complete"
    assert found["command"] == sys.argv
    assert found["rows"] == 20
    assert found["input"]["rows"] == 23
    assert found["input"]["path"] == str(pairs)
    assert found["metrics"][KNOWN]["options"]["power"] == 1.0
    assert found["outcomes"][KNOWN] == {"no_content": 8, "ok": 12}
    assert found["outcomes"][KNOWN] == {str(k): v for k, v in tallies[KNOWN].outcomes.items()}
    assert found["versions"]["faithkit"]
    assert found["seconds"] >= 0
    values = [one.value for one in files.score_lines(output) if one.metric == KNOWN]
    scored = [value for value in values if value is not None]
    assert tallies[KNOWN].mean == pytest.approx(sum(scored) / 12)
    assert (tallies[KNOWN].least, tallies[KNOWN].greatest) == (min(scored), max(scored))


def test_two_outputs_that_differ_in_their_ending_do_not_share_a_manifest(
    pairs: Path, tmp_path: Path
) -> None:
    for ending in ("jsonl", "csv"):
        to_file(pairs, tmp_path / f"out.{ending}", metrics=(KNOWN,), limit=3)
    to_file(pairs, tmp_path / "out.csv", metrics=(KNOWN,), limit=3)
    assert manifest(tmp_path / "out.csv")["status"] == "complete"
    assert manifest(tmp_path / "out.jsonl")["status"] == "complete"
    assert len(list(tmp_path.glob("*.manifest.json"))) == 2


def test_progress_is_told_after_each_batch_and_starts_where_the_run_does(
    pairs: Path, tmp_path: Path
) -> None:
    told: list[int] = []
    to_file(pairs, tmp_path / "out.jsonl", batch_size=10, progress=told.append)
    assert told == [0, 10, 20, 23]
    cut_after(tmp_path / "out.jsonl", lines=2 * 12 + 1)
    told.clear()
    to_file(pairs, tmp_path / "out.jsonl", batch_size=10, progress=told.append)
    assert told == [12, 22, 23]


def cut_after(output: Path, lines: int) -> None:
    data = output.read_bytes().splitlines(keepends=True)
    output.write_bytes(b"".join(data[:lines]))
    unfinish(output)


# Going on


def test_a_complete_run_started_again_does_no_work_and_changes_no_byte(
    pairs: Path, tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    for ending in ("jsonl", "csv", "parquet"):
        output = tmp_path / f"out.{ending}"
        first = to_file(pairs, output)
        assert calls()
        data, stamp = output.read_bytes(), output.stat().st_mtime_ns
        second = to_file(pairs, output)
        assert calls() == []
        assert (output.read_bytes(), output.stat().st_mtime_ns) == (data, stamp)
        assert second == first


@pytest.mark.slow
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(share=st.floats(0, 1), size=st.integers(1, 30))
def test_a_run_killed_at_any_byte_goes_on_to_the_same_bytes(
    pairs: Path, tmp_path: Path, share: float, size: int
) -> None:
    output = tmp_path / "out.jsonl"
    first = to_file(pairs, output, resume=False)
    whole = output.read_bytes()
    output.write_bytes(whole[: round(share * len(whole))])
    unfinish(output)
    again = to_file(pairs, output, batch_size=size)
    assert output.read_bytes() == whole
    assert again[KNOWN].outcomes == first[KNOWN].outcomes
    assert again[KNOWN].mean == pytest.approx(first[KNOWN].mean)
    assert manifest(output)["status"] == "complete"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_run_into_another_format_goes_on_from_its_journal(
    pairs: Path, tmp_path: Path, ending: str, calls: Callable[[], list[str]]
) -> None:
    whole = tmp_path / "whole.jsonl"
    to_file(pairs, whole, metrics=(KNOWN,))
    output = tmp_path / f"out.{ending}"
    to_file(pairs, output, metrics=(KNOWN,))
    unfinish(output)
    output.unlink()
    journal = tmp_path / f"out.{ending}.partial.jsonl"
    journal.write_bytes(b"".join(whole.read_bytes().splitlines(True)[:9]) + b'{"id": "id 9", "me')
    calls()
    to_file(pairs, output, metrics=(KNOWN,))
    assert set(calls()) == {example.id for example in EXAMPLES[9:]}
    assert list(files.score_lines(output)) == list(files.score_lines(whole))
    assert not journal.exists()


def test_another_metric_limit_or_input_with_the_same_output_is_refused_and_keeps_it(
    pairs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN,))
    before = output.read_bytes(), manifest(output)
    other = write_pairs(tmp_path / "other.jsonl", EXAMPLES[:-1])
    for what, arguments in {
        "its metrics differs": {"metrics": (OTHER,)},
        "its --limit differs": {"metrics": (KNOWN,), "limit": 5},
        "its input differs": {"metrics": (KNOWN,), "pairs": other},
    }.items():
        with pytest.raises(ConfigError, match=f"{what}.*another --output, or --no-resume"):
            to_file(**{"pairs": pairs, "output": output, **arguments})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="its metrics differs"):
        to_file(pairs, output, metrics=(f"{KNOWN}:power=2",))
    assert (output.read_bytes(), manifest(output)) == before


def test_a_file_that_is_no_output_of_ours_is_never_overwritten(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "notes.jsonl"
    output.write_text("my notes\n")
    with pytest.raises(ConfigError, match=r"notes\.jsonl exists and there is no manifest"):
        to_file(pairs, output)
    (tmp_path / "notes.jsonl.manifest.json").write_text("{torn")
    with pytest.raises(ConfigError, match="there is no manifest"):
        to_file(pairs, output)
    assert output.read_text() == "my notes\n"


@pytest.mark.parametrize("resume", [True, False])
def test_the_input_is_never_taken_for_the_output(pairs: Path, tmp_path: Path, resume: bool) -> None:
    before = pairs.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(pairs)
    for output in (pairs, tmp_path / "." / "pairs.jsonl", link):
        with pytest.raises(ConfigError, match=r"is the input itself\. Give another --output"):
            to_file(pairs, output, resume=resume)
    assert pairs.read_bytes() == before


def test_no_resume_replaces_the_rows_of_another_run(pairs: Path, tmp_path: Path) -> None:
    for ending in ("jsonl", "csv"):
        output = tmp_path / f"out.{ending}"
        to_file(pairs, output, metrics=(OTHER,))
        to_file(pairs, output, metrics=(KNOWN,), limit=2, resume=False)
        assert [one.id for one in files.score_lines(output)] == ["id 0", "id 1"]
        assert {one.metric for one in files.score_lines(output)} == {KNOWN}


def test_rows_of_a_replaced_run_are_gone_before_the_new_manifest_stands(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN,))

    def killed(*_: object) -> None:
        raise SystemExit(137)

    monkeypatch.setattr(run, "score_batch", killed)
    with pytest.raises(SystemExit):
        to_file(pairs, output, metrics=(f"{KNOWN}:power=2",), resume=False)
    assert output.read_bytes() == b""
    assert manifest(output)["status"] == "running"


@pytest.mark.parametrize(
    "line", [b"null\n", b"7\n", b"{}\n", b"\xff\n", b'{"id": "id 4", "metric": "x"}\n', b"\n"]
)
def test_a_journal_that_was_changed_is_refused_with_the_place(
    pairs: Path, tmp_path: Path, line: bytes
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output)
    lines = output.read_bytes().splitlines(keepends=True)
    lines[9] = line
    output.write_bytes(b"".join(lines))
    unfinish(output)
    place = sum(map(len, lines[:9]))
    with pytest.raises(DataError, match=f"byte {place}: expected the row of 'id 4'.*--no-resume"):
        to_file(pairs, output)
    assert output.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("change", ["shortened", "replaced"])
def test_a_complete_output_that_was_changed_since_is_refused(
    pairs: Path, tmp_path: Path, change: str
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN,))
    lines = output.read_bytes().splitlines(keepends=True)
    if change == "replaced":
        lines[3] = files.to_line(Score("1", "another", 0.5)).encode()
    output.write_bytes(b"".join(lines[:-1] if change == "shortened" else lines))
    with pytest.raises(DataError, match="expected 23 rows of each metric"):
        to_file(pairs, output, metrics=(KNOWN,))


def test_an_input_that_loses_rows_while_it_is_scored_is_not_called_complete(
    pairs: Path, tmp_path: Path
) -> None:
    rows = files.check(pairs, "jsonl", Columns())
    write_pairs(pairs, EXAMPLES[:5])
    with Cache(None) as store, pytest.raises(DataError, match="5 rows where there were 23"):
        run.run_to_file(rows, run.prepare([KNOWN]), tmp_path / "out.jsonl", store)
    assert manifest(tmp_path / "out.jsonl")["status"] == "running"


# Places that cannot be written


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_folder_in_the_place_of_the_output_is_named(
    pairs: Path, tmp_path: Path, ending: str, resume: bool
) -> None:
    output = tmp_path / f"folder.{ending}"
    output.mkdir()
    with pytest.raises(DataError, match=rf"cannot write .*folder\.{ending}: it is a directory"):
        to_file(pairs, output, resume=resume)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_two_runs_never_write_to_one_output(pairs: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / "made" / f"out.{ending}"
    errors: list[str] = []

    def meanwhile(done: int) -> None:
        with pytest.raises(DataError, match="another run is writing") as error:
            to_file(pairs, output, resume=False)
        errors.append(str(error.value))

    to_file(pairs, output, batch_size=2, progress=meanwhile)
    assert errors and str(output) in errors[0]
    alone = tmp_path / f"alone.{ending}"
    to_file(pairs, alone)
    assert output.read_bytes() == alone.read_bytes()
    assert not list(tmp_path.rglob("*.lock"))


def test_the_lock_of_a_run_that_was_killed_stops_nobody(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.with_name("out.jsonl.lock").touch()
    to_file(pairs, output)
    assert manifest(output)["status"] == "complete"


def test_an_output_below_a_file_is_named(pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write .*out\.jsonl: "):
        to_file(pairs, pairs / "out.jsonl")


def test_an_output_folder_that_may_not_be_written_is_named(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file = Path.open

    def refuse(self: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if "out.jsonl" in self.name and mode != "r":
            raise PermissionError(errno.EACCES, "Permission denied")
        return open_file(self, mode, *rest, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"cannot write .*out\.jsonl: Permission denied"):
        to_file(pairs, tmp_path / "out.jsonl")


def test_a_full_disk_says_how_much_is_safe_and_the_run_goes_on_later(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Callable[[], list[str]]
) -> None:
    whole = tmp_path / "whole.jsonl"
    to_file(pairs, whole, metrics=(KNOWN,))
    calls()
    write = run._write

    def fill(file: TextIO, batch: Any, tallies: Any) -> None:
        if batch[0][0].id == "id 15":
            file.write('{"id": "id 15", "met')
            file.flush()
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, batch, tallies)

    monkeypatch.setattr(run, "_write", fill)
    output = tmp_path / "out.jsonl"
    with pytest.raises(DataError, match=r"disk is full. 15 rows are safe; run the same command"):
        to_file(pairs, output, metrics=(KNOWN,), batch_size=5)
    monkeypatch.setattr(run, "_write", write)
    calls()
    to_file(pairs, output, metrics=(KNOWN,), batch_size=5)
    assert set(calls()) == {example.id for example in EXAMPLES[15:]}
    assert output.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_disk_that_is_really_full_is_one_error(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, at: int) -> TextIO:
        return Path("/dev/full").open("w", encoding="utf-8")

    monkeypatch.setattr(files, "open_append", full)
    with pytest.raises(DataError, match=r"cannot write .*: the disk is full"):
        to_file(pairs, tmp_path / "out.jsonl")


def test_a_disk_that_fills_during_the_export_keeps_the_journal(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Callable[[], list[str]]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    export = files.export
    monkeypatch.setattr(files, "export", full)
    output = tmp_path / "out.csv"
    with pytest.raises(DataError, match=r"the disk is full\. 23 rows are safe"):
        to_file(pairs, output)
    assert not output.exists()
    calls()
    monkeypatch.setattr(files, "export", export)
    to_file(pairs, output)
    assert calls() == []
    assert len(list(files.score_lines(output))) == 46


def test_a_cache_that_fails_half_way_is_gone_on_without(
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 0.05)
    store, output = tmp_path / "s.sqlite", tmp_path / "out.jsonl"
    other = sqlite3.connect(store, isolation_level=None)

    def lock(done: int) -> None:
        if done == 10:
            other.execute("BEGIN EXCLUSIVE")

    to_file(pairs, output, metrics=(KNOWN,), cache=store, batch_size=5, progress=lock)
    other.execute("ROLLBACK")
    other.close()
    (record,) = caplog.records
    assert "s.sqlite: database is locked" in record.getMessage()
    assert list(files.score_lines(output)) == list(run.score(EXAMPLES, [KNOWN]))


# Killed from outside


def start(pairs: Path, output: Path, folder: Path, sleep: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "faithkit.cli", "score", str(pairs), "-m", KNOWN, "-m", OTHER,
         "-o", str(output), "--batch-size", "2", "--cache", str(folder / "s.sqlite")],
        env={**os.environ, "TINY_SLEEP": str(sleep)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell's background job, and all that it starts, would ignore the interrupt.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def wait_for_lines(path: Path, lines: int) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < deadline, "the run wrote nothing"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "sent", "code"),
    [
        ("jsonl", signal.SIGKILL, -9),
        ("csv", signal.SIGKILL, -9),
        ("parquet", signal.SIGKILL, -9),
        ("jsonl", signal.SIGTERM, -15),
        ("jsonl", signal.SIGINT, 130),
    ],
)
def test_a_run_stopped_from_outside_goes_on_to_the_output_of_an_uninterrupted_one(
    pairs: Path, tmp_path: Path, ending: str, sent: signal.Signals, code: int
) -> None:
    whole = tmp_path / f"whole.{ending}"
    to_file(pairs, whole)
    output = tmp_path / f"out.{ending}"
    journal = output if ending == "jsonl" else tmp_path / f"out.{ending}.partial.jsonl"
    running = start(pairs, output, tmp_path, sleep=0.5)
    wait_for_lines(journal, 8)
    running.send_signal(sent)
    _, error = running.communicate(timeout=30)
    assert running.returncode == code
    assert b"Traceback" not in error
    kept = files.whole_lines(journal)[0]
    assert 8 <= kept < 46
    if sent == signal.SIGINT:
        said = error.decode()
        assert said.startswith(
            f"faithkit: interrupted; {kept // 2} of 23 rows are safe in {output}"
        )
        assert f" scores are kept in {tmp_path / 's.sqlite'}.\n" in said
    with journal.open("ab") as file:
        file.write(b'{"id": "id 7", "metr')
    again = start(pairs, output, tmp_path, sleep=0)
    assert again.wait(timeout=30) == 0, again.stderr.read() if again.stderr else ""
    if ending == "parquet":
        assert list(files.score_lines(output)) == list(files.score_lines(whole))
    else:
        assert output.read_bytes() == whole.read_bytes()
    assert manifest(output)["status"] == "complete"


@pytest.mark.slow
def test_an_interrupt_before_anything_was_scored_claims_nothing(
    pairs: Path, tmp_path: Path
) -> None:
    running = start(pairs, tmp_path / "out.jsonl", tmp_path, sleep=20)
    deadline = time.monotonic() + 30
    while not (tmp_path / "out.jsonl.manifest.json").exists():
        assert time.monotonic() < deadline, "the run did not begin"
        time.sleep(0.01)
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    assert (running.returncode, error) == (130, b"faithkit: interrupted.\n")


@pytest.mark.slow
def test_two_processes_share_a_cache_while_both_write(pairs: Path, tmp_path: Path) -> None:
    both = [start(pairs, tmp_path / f"{name}.jsonl", tmp_path, sleep=0.005) for name in "ab"]
    for one in both:
        assert one.wait(timeout=30) == 0, one.stderr.read() if one.stderr else ""
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert len(list(files.score_lines(tmp_path / "a.jsonl"))) == 46


# Gates and tallies


def test_a_mean_leaves_out_rows_without_a_value_and_says_how_many() -> None:
    tally = run.Tally()
    for value in (0.25, None, 0.75):
        tally.add(value, Outcome.OK if value else Outcome.NO_CLAIMS, {})
    assert (tally.rows, tally.valued, tally.mean) == (3, 2, 0.5)
    assert (tally.least, tally.greatest) == (0.25, 0.75)
    assert run.incomplete({"m": tally}) == 1
    assert run.Tally().mean is None


def tally_of(*values: float | None) -> run.Tally:
    tally = run.Tally()
    for value in values:
        tally.add(value, Outcome.NO_CLAIMS if value is None else Outcome.OK, {})
    return tally


def test_a_gate_is_for_every_metric_or_for_one_and_a_mean_of_nothing_fails_it() -> None:
    tallies = {"high": tally_of(0.75), "low": tally_of(0.2, 0.3, 0.7), "none": tally_of(None)}
    low = "low fails its gate of 0.5: the mean is 0.4, 2 of 3 scored rows are below it"
    none = "none fails its gate of {}: none of its 1 rows has a score (1 no_claims)"
    assert run.failed_gates(tallies, {}) == []
    assert run.failed_gates(tallies, {"": 0.5}) == [low, none.format(0.5)]
    assert run.failed_gates(tallies, {"": 0.5, "low": 0.1, "none": 0}) == [none.format(0)]
    assert run.failed_gates(tallies, {"none": 0}, allow_unscored=True) == [none.format(0)]
    assert run.failed_gates(tallies, {"high": 0.75}) == []


def test_rows_without_a_score_fail_a_gate_unless_they_are_allowed() -> None:
    tallies = {"m": tally_of(0.9, None, None, None)}
    assert run.failed_gates(tallies, {"m": 0.5}) == [
        "m fails its gate of 0.5: 3 of 4 rows have no score (3 no_claims); the mean of the others "
        "is 0.9. --allow-unscored leaves them out"
    ]
    assert run.failed_gates(tallies, {"m": 0.5}, allow_unscored=True) == []
    (line,) = run.failed_gates(tallies, {"m": 0.95}, allow_unscored=True)
    assert line.endswith("1 of 1 scored rows are below it; 3 more have no score (3 no_claims)")
