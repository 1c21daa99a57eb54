"""Spark: `mapInArrow` makes sums of each batch of texts where it lies, and Spark's own `sum` adds them up.

Give a Parquet file with the columns id, prediction and references; without one, a small corpus is made up.
"""

import os
import sys
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession, functions
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from small_corpus import corpus_file

import tercet

METRIC, OPTIONS = "rouge", {"tokenizer": "unicode", "rouge_types": ["rougeL"], "confidence_level": 0.95, "scale": 100}


def statistics(batches):
    for batch in batches:
        yield from tercet.arrow_statistics(batch, METRIC, id="id", **OPTIONS).to_batches()


def score(rows):
    """Return the result of a DataFrame."""
    (of_nothing,) = statistics([to_arrow_schema(rows.schema).empty_table()])
    parts = rows.mapInArrow(statistics, from_arrow_schema(of_nothing.schema))
    sums = [functions.sum(name).alias(name) for name in parts.columns if name not in ("signature", "resample")]
    whole = parts.groupBy("signature", "resample").agg(*sums).toArrow()
    return tercet.Stream.from_arrow(whole, METRIC, **OPTIONS).result()


if __name__ == "__main__":
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    local = SparkSession.builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
    with TemporaryDirectory() as folder, local.config("spark.ui.enabled", "false").getOrCreate() as spark:
        result = score(spark.read.parquet(corpus_file(folder)))
    print("ROUGE-L {:.4f}, 95 % interval {:.4f} to {:.4f}".format(result["rougeL"], *result.intervals["rougeL"]))
    print(result.signature)
