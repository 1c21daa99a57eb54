"""datasets: a corpus is scored in batches, by two processes; what they return are sums, which add up to the bit.

Give a Parquet file with the columns id, prediction and references; without one, a small corpus is made up.
"""

import sys

import datasets
from small_corpus import small_corpus

import tercet

METRIC, OPTIONS = "bleu", {"confidence_level": 0.95, "scale": 100}


def score(rows, num_proc=2, batch_size=10_000):
    """Return the result of a Dataset."""
    parts = rows.with_format("arrow").map(
        tercet.arrow_statistics,
        fn_kwargs={"metric": METRIC, "id": "id", **OPTIONS},
        batched=True,
        batch_size=batch_size,
        remove_columns=rows.column_names,
        num_proc=num_proc,
    )
    return tercet.Stream.from_arrow(parts.with_format("arrow")[:], METRIC, **OPTIONS).result()


def main():
    rows = datasets.Dataset.from_parquet(sys.argv[1]) if len(sys.argv) > 1 else datasets.Dataset(small_corpus())
    result = score(rows)
    print("BLEU {:.4f}, 95 % interval {:.4f} to {:.4f}".format(result["bleu"], *result.intervals["bleu"]))
    print(result.signature)


if __name__ == "__main__":
    main()
