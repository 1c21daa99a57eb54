"""Score millions of pairs with Ray, and show that the result is that of one process, to the bit.

Makes Parquet files of made-up sentences, scores them with Ray on the cores of this machine, and then scores the same
items in one process, in another order:

    python examples/ray_score.py --pairs 5000000
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from large_corpus import write_parquet

import tercet
from tercet.streaming.ray import score

OPTIONS = {"confidence_level": 0.95, "n_resamples": 1000}


class LargestWorker(threading.Thread):
    """Looks twice a second how much memory Ray's workers take."""

    most = 0

    def __enter__(self):
        self.done = threading.Event()
        self.start()
        return self

    def __exit__(self, *error):
        self.done.set()
        self.join()

    def run(self):
        """Look until the scores are there."""
        while not self.done.wait(0.5):
            for process in psutil.process_iter(["name", "memory_info"]):
                if process.info["name"].startswith("ray::Map"):
                    self.most = max(self.most, process.info["memory_info"].rss)


def in_one_process(folder: Path) -> tercet.Result:
    stream = tercet.Stream("bleu", **OPTIONS)
    for path in sorted(folder.glob("*.parquet"), reverse=True):
        for batch in pq.ParquetFile(path).iter_batches(70_000):
            back = batch.take(pa.array(np.arange(batch.num_rows)[::-1]))
            stream.add(back["mt"], back["ref"], back["id"])
    return stream.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5_000_000)
    parser.add_argument("--files", type=int, default=16)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder), given.pairs, given.files)
        start = time.perf_counter()
        with LargestWorker() as watched:
            by_ray = score(folder, "bleu", id="id", progress=False, **OPTIONS)
        print(f"Ray: {time.perf_counter() - start:.1f} s, {by_ray.n_segments:,} pairs")
        print(f"BLEU {by_ray['bleu']:.6f}, 95 % interval {by_ray.intervals['bleu']}\n{by_ray.signature}")
        print(f"largest worker: {watched.most >> 20} MB")
        start = time.perf_counter()
        alone = in_one_process(Path(folder))
    print(f"one process: {time.perf_counter() - start:.1f} s")
    print("equal to the bit:", by_ray == alone and by_ray.signature == alone.signature)


if __name__ == "__main__":
    main()
