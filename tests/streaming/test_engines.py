"""Other engines on parts of a corpus: what they make of it equals one stream over the same items, to the bit."""

import importlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from conftest import ROOT

EXAMPLES = ROOT / "examples"
NEEDS_JAVA = pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")
ENGINES = [
    pytest.param("datasets", "BLEU", "bleu", id="datasets"),
    pytest.param("duckdb", "BLEU", "bleu", id="duckdb"),
    pytest.param("polars", "Jaccard", "jaccard", id="polars"),
    pytest.param("pyspark", "ROUGE-L", "rougeL", id="spark", marks=NEEDS_JAVA),
]


@pytest.fixture
def example(monkeypatch):
    """Import an example as a module, where its engine is installed."""

    def load(engine):
        pytest.importorskip(engine)
        monkeypatch.syspath_prepend(EXAMPLES)
        return importlib.import_module(f"{engine.removeprefix('py')}_score")

    return load


@pytest.fixture(scope="module")
def corpus():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        return importlib.import_module("small_corpus").small_corpus


def in_another_order(table, metric, **options):
    """Return the result of one stream, to which the items came shuffled, and in uneven batches."""
    stream = tercet.Stream(metric, **options)
    rows = table.to_pylist()
    random.Random(3).shuffle(rows)
    while rows:
        part, rows = rows[:97], rows[97:]
        stream.add(*([row[name] for row in part] for name in ("prediction", "references", "id")))
    return stream.result()


def shuffled(table, seed=0):
    return table.take(np.random.default_rng(seed).permutation(len(table)))


def same(found, expected):
    return found.to_dict(full=True) == expected.to_dict(full=True)


def by_datasets(module, table, folder):
    rows = pytest.importorskip("datasets").Dataset(table)
    yield module.score(rows, num_proc=None, batch_size=64)
    yield module.score(rows, num_proc=2, batch_size=300)


def by_duckdb(module, table, folder):
    for part, start in enumerate(range(0, len(table), 350)):
        pq.write_table(table.slice(start, 350), folder / f"{part}.parquet", row_group_size=50)
    yield module.score(f"{folder}/*.parquet", 64)
    yield module.score(f"{folder}/*.parquet", 10_000)


def by_polars(module, table, folder):
    pl = pytest.importorskip("polars")
    rows, heights, statistics = pl.DataFrame(table), [], module.statistics
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "statistics", lambda rows: heights.append(rows.height) or statistics(rows))
        yield module.score(pl.concat([rows[start : start + 100].lazy() for start in range(0, len(table), 100)]))
    assert sum(heights) == len(table)
    assert sum(map(bool, heights)) > 1
    pq.write_table(table, folder / "some.parquet", row_group_size=50)
    yield module.score(pl.scan_parquet(folder / "some.parquet"))


@pytest.mark.parametrize("way", [by_datasets, by_duckdb, by_polars])
def test_an_engine_equals_a_stream_however_it_cuts_the_rows(example, corpus, tmp_path, way):
    module, table = example(way.__name__.removeprefix("by_")), corpus(700)
    expected = in_another_order(table, module.METRIC, **module.OPTIONS)
    assert expected.intervals
    for found in way(module, shuffled(table), tmp_path):
        assert same(found, expected)


#: What Spark does with a corpus, all in one session: to start one takes seconds.
SPARK = """
import json, sys
from pyspark.sql import SparkSession, functions
import spark_score, tercet
from small_corpus import small_corpus

table = small_corpus(700)
local = SparkSession.builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
spark = local.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", 3).getOrCreate()
rows = spark.createDataFrame(table)

def outcome(rows):
    try:
        return spark_score.score(rows).to_dict(full=True)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

by_hash = rows.where("id < 5").repartition(16, "id")  # most partitions are empty
filled = by_hash.groupBy(functions.spark_partition_id()).count().count()
print(json.dumps({
    "shuffled": outcome(rows.repartition(5).orderBy(functions.rand(seed=1))),
    "from behind": outcome(rows.repartition(2).sortWithinPartitions(functions.desc("id"))),
    "filled partitions": filled,
    "empty partitions": outcome(by_hash),
    "no rows": outcome(rows.where("id < 0").repartition(3)),
    "no reference": outcome(rows.withColumn("references", functions.expr("if(id = 13, null, references)"))),
    "no column": outcome(rows.withColumnRenamed("id", "idd")),
}), file=open(sys.argv[1], "w"))
spark.stop()
"""


def environment():
    """Return the variables of a subprocess that runs examples: all that Spark opens is on this machine."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), str(EXAMPLES), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


class TestSpark:
    def test_its_workers_return_what_its_schema_says(self, example, corpus):
        """Without Java: what a worker makes of the batches of a partition, of a batch without rows, and of none."""
        module = example("pyspark")
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

        table = corpus(300)
        nothing = to_arrow_schema(from_arrow_schema(table.schema)).empty_table()
        sums = pa.Table.from_batches(module.statistics([nothing, *shuffled(table).to_batches(64)]))
        assert to_arrow_schema(from_arrow_schema(sums.schema)) == sums.schema
        found = tercet.Stream.from_arrow(sums, module.METRIC, **module.OPTIONS).result()
        assert same(found, in_another_order(table, module.METRIC, **module.OPTIONS))
        assert list(module.statistics([])) == []

    @pytest.mark.long
    @NEEDS_JAVA
    def test_equals_a_stream_however_its_partitions_lie(self, example, corpus, tmp_path):
        module, table = example("pyspark"), corpus(700)
        run = subprocess.run(
            [sys.executable, "-c", SPARK, str(tmp_path / "found.json")],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        found = json.loads((tmp_path / "found.json").read_text())
        whole = in_another_order(table, module.METRIC, **module.OPTIONS).to_dict(full=True)
        assert found["shuffled"] == found["from behind"] == whole
        assert found["filled partitions"] < 16
        some = in_another_order(table.slice(0, 5), module.METRIC, **module.OPTIONS)
        assert found["empty partitions"] == some.to_dict(full=True)
        assert found["no rows"].startswith("MergeError: The table has no rows")
        assert "id 13: item " in found["no reference"]
        assert "of references is empty: every item needs at least one reference" in found["no reference"]
        assert "The table has no column 'id'. Did you mean 'idd'?" in found["no column"]


@pytest.mark.long
@pytest.mark.parametrize(("engine", "name", "key"), ENGINES)
def test_an_example_runs_as_it_is_and_is_short(example, corpus, tmp_path, engine, name, key):
    module, asked = example(engine), {"capture_output": True, "text": True, "timeout": 300}
    run = subprocess.run([sys.executable, module.__file__], cwd=tmp_path, env=environment(), **asked)
    assert run.returncode == 0, run.stderr
    expected = in_another_order(corpus(), module.METRIC, **module.OPTIONS)
    low, high = expected.intervals[key]
    score = f"{name} {expected[key]:.4f}, 95 % interval {low:.4f} to {high:.4f}"
    assert run.stdout.splitlines() == [score, expected.signature]
    assert len(Path(module.__file__).read_text().splitlines()) < 40
