"""Runs on a Ray cluster of this machine: the rows of a local run, whatever dies."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.paths import HELPERS
from tests.helpers.runs import KNOWN, OTHER
from tests.helpers.sharded import rows_of, score, scores, tree, write_jsonl

import faithkit
from faithkit.ray import Scorer
from faithkit.records import ConfigError, DataError, Outcome

POISONED = f"{HELPERS / 'shard_metrics.py'}:Poisoned"

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray[data]")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@needs_ray
@pytest.mark.verify
def test_a_run_on_ray_has_the_rows_of_a_local_one(
    cluster: Any, inputs: Path, tmp_path: Path
) -> None:
    score(inputs, tmp_path / "local", (KNOWN, OTHER))
    score(inputs, tmp_path / "ray", (KNOWN, OTHER), engine="ray", workers=2)
    assert tree(tmp_path / "ray") == tree(tmp_path / "local")
    again = score(inputs, tmp_path / "ray", (KNOWN, OTHER))
    assert again[KNOWN].rows == 60


@needs_ray
@pytest.mark.verify
def test_a_row_that_ends_its_actor_is_isolated(cluster: Any, tmp_path: Path) -> None:
    rows = rows_of("a", 30)
    rows[17]["summary"] += " poison"
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    score(path, tmp_path / "out", (POISONED,), shard_bytes=10**6, engine="ray")
    bad = [s.id for s in scores(tmp_path / "out") if s.outcome is Outcome.MODEL_ERROR]
    assert bad == ["a17"]
    assert len(scores(tmp_path / "out")) == 30


@needs_ray
@pytest.mark.verify
def test_an_actor_that_is_killed_loses_and_doubles_nothing(
    cluster: Any, inputs: Path, tmp_path: Path
) -> None:
    deaths = tmp_path / "deaths"
    deaths.write_text("1020")
    mortal = f"{HELPERS / 'shard_metrics.py'}:Mortal:deaths={deaths},real=true"
    score(inputs, tmp_path / "out", (mortal,), engine="ray", workers=2)
    assert deaths.read_text("utf-8") == ""
    score(inputs, tmp_path / "local", (mortal,))
    assert tree(tmp_path / "out") == tree(tmp_path / "local")


@needs_ray
@pytest.mark.verify
def test_a_wrong_row_is_one_error(cluster: Any, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [*rows_of("a", 3), {"id": "x", "source": "s"}])
    with pytest.raises(DataError, match=r"a\.jsonl, line 4: no field 'summary'"):
        score(path, tmp_path / "out", engine="ray")


@needs_ray
@pytest.mark.verify
def test_the_scorer_maps_batches_of_a_dataset(cluster: Any, tmp_path: Path) -> None:
    rows = rows_of("a", 20)
    dataset = cluster.data.from_items(rows).map_batches(
        Scorer, fn_constructor_args=([KNOWN],), batch_format="pyarrow", batch_size=7,
        compute=cluster.data.ActorPoolStrategy(size=1),
    )  # fmt: skip
    found = {row["id"]: json.loads(row["row"]) for row in dataset.take_all()}
    expected = {s.id: s.to_row() for s in faithkit.score(rows, KNOWN)}
    assert found == json.loads(json.dumps(expected))


def test_a_batch_gives_a_row_for_each_example_and_metric() -> None:
    import pyarrow as pa

    rows = [*rows_of("a", 3), {"id": "empty", "source": "", "summary": "words"}]
    table = Scorer([KNOWN, OTHER])(pa.Table.from_pylist(rows))
    assert table.column_names == ["id", "metric", "value", "outcome", "row"]
    assert table.column("metric").to_pylist() == [KNOWN, OTHER] * 4
    assert table.column("value").to_pylist()[-2:] == [None, None]
    assert table.column("outcome").to_pylist()[-1] == "no_content"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"source": "a", "summary": "b"}, "needs a column 'id'.*its columns are source, summary"),
        ({"id": None, "source": "a", "summary": "b"}, "1 of 2 rows of a batch have no 'id'"),
    ],
)
def test_rows_without_an_id_are_refused(row: dict[str, str | None], message: str) -> None:
    import pyarrow as pa

    complete = {**row, "id": "a1"} if "id" in row else row
    with pytest.raises(DataError, match=message):
        Scorer([KNOWN])(pa.Table.from_pylist([complete, row]))


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")
def test_ray_that_is_not_installed_is_named(inputs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--engine ray needs Ray .*pip install 'ray\[data\]'"):
        score(inputs, tmp_path / "out", engine="ray")
