"""lighteval's own pipeline with faithkit's metric, offline: a task over a file, a model that says
what the file says."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.paths import HELPERS

pytestmark = pytest.mark.slow

SOURCE, GOOD, BAD = "Ann paid 74 pounds. Bob left.", "Bob left.", "Ann paid 68 dollars"
TASK = f"""\
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc
from faithkit import Scorer
from faithkit.integrations.lighteval import faithkit_metric


def prompt(row, task_name=None):
    return Doc(query=row["summary"], choices=[""], gold_index=0, task_name=task_name,
               specific={{"article": row["article"]}})


TASKS_TABLE = [
    LightevalTaskConfig(
        name="digest", prompt_function=prompt, hf_repo="data", hf_subset="default",
        hf_avail_splits=["train"], evaluation_splits=["train"], generation_size=9,
        metrics=[faithkit_metric(source="article", scorer=Scorer({HELPERS.as_posix()!r}
                 "/tiny_verdict_metric.py:Judged", no_cache=True))],
    )
]
"""


def test_lighteval_evaluates_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}.items():
        monkeypatch.setenv(name, value)
    pytest.importorskip("lighteval")
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModel, DummyModelConfig
    from lighteval.models.model_output import ModelResponse
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
    from lighteval.tasks.registry import Registry

    class Parrot(DummyModel):
        def greedy_until(self, docs: list[Any]) -> list[ModelResponse]:
            return [ModelResponse(input="", text=[doc.query]) for doc in docs]

    # lighteval loads all of its own tasks too, some of which download files and ask the hub.
    for name in ("_load_from_files", "_load_from_subdirs"):
        monkeypatch.setattr(Registry, name, lambda *_: {})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    rows = [{"article": source, "summary": summary}
            for source, summary in ((SOURCE, GOOD), (SOURCE, BAD), ("", "x"))]  # fmt: skip
    (tmp_path / "data/train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "digest.py").write_text(TASK)
    tracker = EvaluationTracker(output_dir=str(tmp_path / "out"))
    pipeline = Pipeline(
        tasks="digest|0",
        pipeline_parameters=PipelineParameters(
            ParallelismManager.NONE, custom_tasks_directory=str(tmp_path / "digest.py"),
            bootstrap_iters=10,
        ),
        evaluation_tracker=tracker,
        model=Parrot(DummyModelConfig(cache_dir=str(tmp_path / "cache"))),
    )  # fmt: skip
    pipeline.evaluate()
    values = tracker.metrics_logger.metrics_values["digest|0"]["faithkit_judged"]
    # In an order of lighteval's own.
    assert sorted(value for value in values if not math.isnan(value)) == [0.5, 1.0]
    assert len(values) == 3
    assert tracker.metrics_logger.metric_aggregated["digest|0"]["faithkit_judged"] == 0.75
