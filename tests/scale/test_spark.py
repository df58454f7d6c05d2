"""The recipe for Spark, run on a local one."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.paths import ROOT
from tests.helpers.sharded import rows_of, write_parquet

import faithkit

needs_spark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
    reason="needs pyspark, pandas and Java",
)


@needs_spark
@pytest.mark.verify
def test_a_table_of_spark_has_the_scores_of_a_local_call(tmp_path: Path) -> None:
    import pyarrow.parquet

    rows = [*rows_of("a", 600), {"id": "empty", "source": "", "summary": "words"}]
    write_parquet(tmp_path / "pairs.parquet", rows, group=100)
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/spark.py"), str(tmp_path / "pairs.parquet"),
         str(tmp_path / "out"), "rouge2"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYSPARK_PYTHON": sys.executable,
             "SPARK_LOCAL_IP": "127.0.0.1", "FAITHKIT_CACHE": str(tmp_path / "cache")},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    table = pyarrow.parquet.read_table(tmp_path / "out")
    assert table.column_names == ["id", "source", "summary", "value", "outcome"]
    found = {row["id"]: (row["value"], row["outcome"]) for row in table.to_pylist()}
    expected = {one.id: (one.value, str(one.outcome)) for one in faithkit.score(rows, "rouge2")}
    assert found == expected
    assert found["empty"] == (None, "no_content")
