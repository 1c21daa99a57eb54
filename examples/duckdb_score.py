"""DuckDB: Parquet is read a batch at a time, and SQL adds up the sums of the batches; neither is whole in memory.

Give a Parquet file with the columns id, prediction and references; without one, a small corpus is made up.
"""

from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
from small_corpus import corpus_file

import tercet

METRIC, OPTIONS = "bleu", {"confidence_level": 0.95, "scale": 100}
SUM = """SELECT signature, resample, sum(COLUMNS(* EXCLUDE (signature, resample)))
         FROM parts GROUP BY signature, resample"""


def score(path, batch_size=10_000):
    """Return the result of a Parquet file, or of several: `path` may have wildcards."""
    with duckdb.connect() as reading, duckdb.connect() as adding:
        rows = reading.read_parquet(path).to_arrow_reader(batch_size)
        tables = (tercet.arrow_statistics(batch, METRIC, id="id", **OPTIONS) for batch in rows)
        schema = tercet.arrow_statistics(rows.schema.empty_table(), METRIC, id="id", **OPTIONS).schema
        batches = (batch for table in tables for batch in table.to_batches())
        adding.register("parts", pa.RecordBatchReader.from_batches(schema, batches))
        return tercet.Stream.from_arrow(adding.sql(SUM), METRIC, **OPTIONS).result()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        result = score(corpus_file(folder))
    print("BLEU {:.4f}, 95 % interval {:.4f} to {:.4f}".format(result["bleu"], *result.intervals["bleu"]))
    print(result.signature)
