"""Sharded runs: the rows of a plain run, each once, whatever died before."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.helpers.paths import HELPERS
from tests.helpers.runs import KNOWN, OTHER
from tests.helpers.sharded import rows_of, score, scores, tree, write_jsonl, write_parquet
from tests.helpers.tiny_metrics import Known

from faithkit import files, run
from faithkit.cache import Cache
from faithkit.columns import Columns
from faithkit.records import ConfigError, DataError, Outcome, Score
from faithkit.scale import shards

MORTAL = f"{HELPERS / 'shard_metrics.py'}:Mortal"

pytestmark = pytest.mark.usefixtures("inline")


def plain(inputs: Path, output: Path, *metrics: str) -> list[Score]:
    """What plain runs over the files give, one after the other."""
    found: list[Score] = []
    for number, path in enumerate(sorted(inputs.iterdir())):
        rows = files.check(path, files.rows.format_of(path), Columns())
        target = output / f"plain{number}.jsonl"
        with Cache(None) as store:
            run.run_to_file(rows, run.prepare(metrics), target, store)
        found += files.score_lines(target)
    return found


def manifest(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return loaded


def test_a_folder_holds_the_rows_of_plain_runs_over_its_files(inputs: Path, tmp_path: Path) -> None:
    tallies = score(inputs, tmp_path / "out", (KNOWN, OTHER))
    expected = plain(inputs, tmp_path, KNOWN, OTHER)
    assert scores(tmp_path / "out") == expected
    assert len(tree(tmp_path / "out")) > 4
    values = [s.value for s in expected if s.metric == KNOWN and s.value is not None]
    assert (tallies[KNOWN].rows, tallies[KNOWN].valued) == (60, len(values))
    assert tallies[KNOWN].mean == pytest.approx(sum(values) / len(values))
    assert (tallies[KNOWN].least, tallies[KNOWN].greatest) == (min(values), max(values))
    assert not (tmp_path / "out" / "unfinished").exists()


def test_the_manifests_say_what_was_run_and_what_came_of_it(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    score(inputs, out)
    whole, (first, *others) = manifest(out), sorted(out.glob("0*.manifest.json"))
    assert (whole["status"], whole["input"]["rows"], whole["input"]["files"]) == ("complete", 60, 3)
    assert whole["shards"] == 1 + len(others)
    assert whole["metrics"][KNOWN]["options"]["power"] == 1.0
    shard = json.loads(first.read_text("utf-8"))
    assert shard["metrics"] == whole["metrics"]
    assert shard["output"]["bytes"] == (out / "000000.jsonl").stat().st_size
    assert (shard["output"]["bytes"], shard["output"]["sha256"]) == shards.fingerprint(
        out / "000000.jsonl"
    )
    assert shard["outcomes"][KNOWN]["ok"] == shard["rows"] == shard["input"]["rows"]


def test_a_complete_run_started_again_scores_nothing(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = score(inputs, tmp_path / "out")
    monkeypatch.setattr(shards.Scorer, "_score", None)
    again = score(inputs, tmp_path / "out")
    assert again[KNOWN].record() == first[KNOWN].record()


# Deaths


@pytest.mark.slow
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(deaths=st.text("01234", max_size=8), batch=st.integers(1, 9))
def test_workers_that_are_killed_lose_and_double_no_row(
    inputs: Path, tmp_path: Path, deaths: str, batch: int
) -> None:
    out, plan = tmp_path / "out", tmp_path / "deaths"
    shutil.rmtree(out, ignore_errors=True)
    plan.write_text(deaths)
    score(inputs, out, (f"{MORTAL}:deaths={plan}",), batch_size=batch, shard_bytes=2000)
    found = scores(out)
    assert [s.id for s in found] == [*ids("a", 20), *ids("b", 15), *ids("c", 25)]
    assert {s.outcome for s in found} <= {Outcome.OK}


def ids(name: str, count: int) -> list[str]:
    return [f"{name}{number}" for number in range(count)]


class Killed(BaseException):
    """The death of the process that drives a run."""


@pytest.fixture
def killing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Kills the run as it writes or moves its n-th file."""
    put = shards.places.put
    left = [10**9]

    def counted(file: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        put(file, target)

    monkeypatch.setattr(shards.places, "put", counted)
    yield lambda files: left.__setitem__(0, files)


@pytest.mark.slow
def test_a_run_killed_at_any_file_goes_on_to_the_same_bytes(
    inputs: Path, tmp_path: Path, killing: Callable[[int], None]
) -> None:
    score(inputs, tmp_path / "whole", shard_bytes=3000)
    whole = tree(tmp_path / "whole")
    writes = 2 * len(whole) + 3
    for before in range(writes):
        out = tmp_path / f"out{before}"
        killing(before)
        with pytest.raises(Killed):
            score(inputs, out, shard_bytes=3000)
        killing(10**9)
        if before < writes - 1:
            with pytest.raises(DataError, match=r"not complete|without the manifest"):
                scores(out)
        score(inputs, out, shard_bytes=3000)
        assert tree(out) == whole
        assert manifest(out)["status"] == "complete"


@pytest.mark.parametrize("damage", ["cut", "changed", "no rows", "no manifest", "torn manifest"])
def test_a_shard_that_was_damaged_is_scored_again(
    inputs: Path, tmp_path: Path, damage: str
) -> None:
    out = tmp_path / "out"
    score(inputs, out)
    whole = tree(out)
    rows, beside = out / "000002.jsonl", out / "000002.jsonl.manifest.json"
    match damage:
        case "cut":
            rows.write_bytes(rows.read_bytes()[:-20])
        case "changed":
            rows.write_bytes(rows.read_bytes().replace(b"ok", b"no", 1))
        case "no rows":
            rows.unlink()
        case "no manifest":
            beside.unlink()
        case "torn manifest":
            beside.write_bytes(beside.read_bytes()[:50])
    tallies = score(inputs, out)
    assert tree(out) == whole
    assert tallies[KNOWN].rows == 60


# What differs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"metrics": (f"{KNOWN}:power=2",)},
            r"the metric .*Known is missing; the metric .*power=2",
        ),
        ({"metrics": (OTHER, KNOWN)}, "the metric .*Other is new"),
        ({"columns": Columns(id="name")}, "--column: id was id and is name"),
        ({"repeats": True}, "--allow-duplicate-ids"),
    ],
)
def test_another_run_into_the_folder_is_refused_and_says_what_differs(
    inputs: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    out = tmp_path / "out"
    score(inputs, out)
    before = tree(out)
    with pytest.raises(ConfigError, match=f"out holds another run: {message}.*--no-resume"):
        score(inputs, out, **change)
    assert tree(out) == before


def test_another_order_of_metrics_in_the_folder_is_named(inputs: Path, tmp_path: Path) -> None:
    score(inputs, tmp_path / "out", metrics=(KNOWN, OTHER))
    with pytest.raises(ConfigError, match="the order of the metrics was"):
        score(inputs, tmp_path / "out", metrics=(OTHER, KNOWN))


def test_another_version_of_a_metric_is_refused(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(inputs, tmp_path / "out")
    saved = tmp_path / "out" / "plan.json"
    saved.write_text(saved.read_text("utf-8").replace('"version": "0', '"version": "9.0'), "utf-8")
    with pytest.raises(ConfigError, match=r"Known: version was 9\.0\.\S+ and is 0"):
        score(inputs, tmp_path / "out")


def test_an_input_of_another_size_or_other_rows_is_refused_and_a_copy_is_not(
    inputs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    score(inputs, out)
    before = tree(out)
    moved = Path(shutil.copytree(inputs, tmp_path / "copy"))
    for path in moved.iterdir():
        os.utime(path, (1, 1))
    score(moved, out)
    changed = moved / "b.jsonl"
    text = changed.read_text("utf-8")
    changed.write_text(text.replace('"summary": "the 1 b"', '"summary": "cat 1 b"'), "utf-8")
    with pytest.raises(ConfigError, match=r"rows of b\.jsonl were changed \(among rows \d+ to \d+"):
        score(moved, out)
    changed.write_text(text + text[-1], "utf-8")
    with pytest.raises(ConfigError, match=r"the input b\.jsonl has \d+ bytes where it had \d+"):
        score(moved, out)
    changed.unlink()
    with pytest.raises(ConfigError, match=r"the input b\.jsonl is missing"):
        score(moved, out)
    assert tree(out) == before


def test_an_input_that_changes_while_it_is_scored_is_noticed(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(step: str, done: int, total: int) -> None:
        if step == "scoring" and done == 0:
            text = (inputs / "b.jsonl").read_text("utf-8")
            (inputs / "b.jsonl").write_text(text.replace("naïve", "naive"), "utf-8")

    with pytest.raises(
        DataError, match=r"b\.jsonl.*: the rows were changed since they were checked"
    ):
        score(inputs, tmp_path / "out", progress=change)


def test_no_resume_replaces_a_run_and_nothing_else(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    score(inputs, out)
    score(inputs / "a.jsonl", out, (OTHER,), resume=False)
    assert {s.metric for s in scores(out)} == {OTHER}
    assert len(scores(out)) == 20
    (out / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds notes\.txt, which no run"):
        score(inputs, out, resume=False)
    assert (out / "notes.txt").read_text() == "mine"


def test_rows_that_cannot_be_read_replace_no_run(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    score(inputs / "a.jsonl", out)
    before = tree(out)
    (inputs / "a.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="no field 'source'"):
        score(inputs / "a.jsonl", out, resume=False)
    assert tree(out) == before
    assert (out / "plan.json").exists()


def test_a_folder_of_other_files_is_never_taken_for_an_output(inputs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_jsonl(other / "000001.jsonl", rows_of("x", 2))
    with pytest.raises(ConfigError, match=r"holds 000001\.jsonl, which no run"):
        score(inputs, other)
    with pytest.raises(DataError, match=r"inputs holds the input a\.jsonl"):
        score(inputs, inputs)
    with pytest.raises(DataError, match="without the manifest of a run"):
        scores(inputs)


# Rows


def test_nothing_is_scored_before_all_rows_are_checked(inputs: Path, tmp_path: Path) -> None:
    rows = [*rows_of("d", 30), {"id": "d30", "source": "s", "summary": 7}, *rows_of("e", 9)]
    write_jsonl(inputs / "d.jsonl", rows)
    with pytest.raises(DataError, match=r"d\.jsonl, line 31, field 'summary': expected text"):
        score(inputs, tmp_path / "out")
    assert tree(tmp_path / "out") == {}


def test_an_id_that_two_files_use_is_refused_or_allowed_by_name(
    inputs: Path, tmp_path: Path
) -> None:
    write_parquet(inputs / "d.parquet", [*rows_of("d", 7), rows_of("a", 12)[11]])
    with pytest.raises(
        DataError,
        match=r"d\.parquet, row 8, field 'id': id 'a11' was already used in .*a\.jsonl, line 12",
    ):
        score(inputs, tmp_path / "out")
    score(inputs, tmp_path / "allowed", repeats=True)
    assert [s.id for s in scores(tmp_path / "allowed")].count("a11") == 2


def test_ids_that_repeat_across_systems_name_the_system(tmp_path: Path) -> None:
    for system in "xy":
        rows = [{**row, "system": system} for row in rows_of("a", 9)]
        write_jsonl(tmp_path / "in" / f"{system}.jsonl", rows)
    score(tmp_path / "in", tmp_path / "out")
    found = [s.id for s in scores(tmp_path / "out")]
    assert (len(set(found)), found[0], found[-1]) == (18, "a0/x", "a8/y")


def test_files_without_a_row_are_passed_over_but_not_all_of_them(
    inputs: Path, tmp_path: Path
) -> None:
    (inputs / "empty.jsonl").write_text("\n \n")
    assert score(inputs, tmp_path / "out")[KNOWN].rows == 60
    for path in inputs.iterdir():
        path.write_text("")
        path.rename(path.with_suffix(".jsonl"))
    with pytest.raises(DataError, match="no rows"):
        score(inputs, tmp_path / "none")


def test_a_judge_with_a_budget_has_one_worker(inputs: Path, tmp_path: Path) -> None:
    class Budgeted(Known):
        def __init__(self, max_requests: int = 0) -> None:
            super().__init__()

    with pytest.raises(ConfigError, match=r"for all workers together; .*budget=FILE"):
        from faithkit import scale
        from faithkit.metrics.spec import MetricSpec

        spec = MetricSpec("judge", "x:y", {"max_requests": "5"})
        scale.score_files(
            str(inputs), [spec], [], str(tmp_path / "out"), settings=scale.Settings(workers=2)
        )


def test_scores_are_taken_from_a_cache(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "calls.log"
    monkeypatch.setenv("TINY_LOG", str(log))
    for name in ("one", "two"):
        score(inputs, tmp_path / name, cache=tmp_path / "scores.sqlite")
    assert len(log.read_text("utf-8").splitlines()) == 60
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
