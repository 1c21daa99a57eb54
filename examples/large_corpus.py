"""Millions of made-up sentences in Parquet files, made in seconds: what ray_score.py scores."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

WORDS = pa.array(
    [a + b for a in ("кот", "dog", "猫", "ab", "der") for b in ("a", "e", "i", "an", "en", "in", "ar", "er")]
)


def sentences(rng: np.random.Generator, lengths: np.ndarray) -> pa.Array:
    words = WORDS.take(pa.array(rng.integers(0, len(WORDS), lengths.sum())))
    return pc.binary_join(pa.ListArray.from_arrays(np.append(0, np.cumsum(lengths)).astype(np.int32), words), " ")


def write_parquet(folder: Path, n_pairs: int, n_files: int) -> None:
    """Write `n_files` files of ids, predictions (`mt`) and references (`ref`), `n_pairs` of them in all."""
    rng = np.random.default_rng(0)
    for number, ids in enumerate(np.array_split(np.arange(n_pairs), n_files)):
        shared, own, other = (sentences(rng, rng.integers(1, 9, len(ids))) for _ in range(3))
        columns = {"id": ids, "mt": pc.binary_join_element_wise(shared, own, " ")}
        columns["ref"] = pc.binary_join_element_wise(shared, other, " ")
        pq.write_table(pa.table(columns), folder / f"{number:03}.parquet", row_group_size=100_000)
