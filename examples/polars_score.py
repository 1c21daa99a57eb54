"""Polars: a lazy frame is scored batch by batch as its engine streams it, and `group_by` adds up the sums.

Give a Parquet file with the columns id, prediction and references; without one, a small corpus is made up.
"""

from tempfile import TemporaryDirectory

import polars as pl
from small_corpus import corpus_file

import tercet

METRIC, OPTIONS = "jaccard", {"confidence_level": 0.95, "scale": 100}


def statistics(rows):
    """Return the sums of a batch, as a frame."""
    return pl.DataFrame(tercet.arrow_statistics(rows, METRIC, id="id", **OPTIONS))


def score(rows):
    """Return the result of a LazyFrame."""
    schema = statistics(rows.clear().collect()).schema
    parts = rows.map_batches(statistics, schema=schema, streamable=True)
    sums = parts.group_by("signature", "resample").sum().collect(engine="streaming")
    return tercet.Stream.from_arrow(sums, METRIC, **OPTIONS).result()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        result = score(pl.scan_parquet(corpus_file(folder)))
    print("Jaccard {:.4f}, 95 % interval {:.4f} to {:.4f}".format(result["jaccard"], *result.intervals["jaccard"]))
    print(result.signature)
