"""Scores a table of pairs with Spark; each Python worker loads the metric once.

    spark-submit examples/spark.py pairs.parquet scores.parquet [METRIC]

A row of the table that Spark writes has all columns of the input, and `value` (null where there is
none) and `outcome`. Executors need faithkit, NumPy, pandas and PyArrow, and with a model of the
package nothing else. Spark tries a task that fails four times; a row that ends its process fails
the job. `faithkit score ... -o FOLDER/` isolates such rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

SCHEMA = StructType([StructField("value", DoubleType()), StructField("outcome", StringType())])


def scorer(metric: str) -> Callable[[], Callable[..., dict[str, Any]]]:
    """What each Python worker calls once: it makes the metric ready and returns the function of a
    batch, which takes an array of texts for each column and returns an array for each field."""

    def load() -> Callable[..., dict[str, Any]]:
        import numpy as np

        from faithkit import Scorer

        ready = Scorer(metric, no_cache=True)

        def score(sources: Any, summaries: Any) -> dict[str, Any]:
            rows = [
                {"id": str(number), "source": source or "", "summary": summary or ""}
                for number, (source, summary) in enumerate(zip(sources, summaries, strict=True))
            ]
            scores = ready.score(rows)
            return {
                "value": np.array([one.value for one in scores], dtype=object),
                "outcome": np.array([str(one.outcome) for one in scores], dtype=object),
            }

        return score

    return load


def with_scores(pairs: DataFrame, metric: str, batch_size: int = 256) -> DataFrame:
    """The table with the columns `value` and `outcome`."""
    udf = predict_batch_udf(scorer(metric), return_type=SCHEMA, batch_size=batch_size)
    scored = pairs.withColumn("scored", udf(col("source"), col("summary")))
    return scored.select(*pairs.columns, "scored.value", "scored.outcome")


def main() -> None:
    """Reads a table, scores it, writes a table."""
    source, target, *metric = sys.argv[1:]
    spark = SparkSession.builder.appName("faithkit").getOrCreate()
    with_scores(spark.read.parquet(source), metric[0] if metric else "support").write.parquet(
        target
    )


if __name__ == "__main__":
    main()
