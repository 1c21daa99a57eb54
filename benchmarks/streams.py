"""Measure a million pairs in Arrow's memory: a stream that keeps sums only, and what its intervals cost.

``python benchmarks/streams.py`` prints the table and writes its section of benchmarks/RESULTS.md; ``--small`` runs every
row once on few texts, for the tests. Equal scores are asserted in the same run.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa

import tercet
from results import machine, write_section
from work import make_work

TITLE = "Results of the last `make bench-streams`"
METRICS: dict[str, dict[str, Any]] = {
    "bleu_multi": {},
    "rouge_nlws": {"tokenizer": "rouge", "rouge_types": ["rouge1", "rouge2", "rougeL"]},
}
LEVEL = {"confidence_level": 0.95}
#: Pairs that differ; more of them are the same again.
DIFFERENT = 10_000
#: Items of a batch of a stream.
BATCH = 50_000


def streamed(metric: str, predictions: Any, references: Any, ids: Any, **options: Any) -> tercet.Result:
    """Return the result of a stream that gets batches."""
    stream = tercet.Stream(metric, **options)
    for start in range(0, len(ids), BATCH):
        batch = slice(start, start + BATCH)
        stream.add(predictions[batch], references[batch], ids[batch])
    return stream.result()


def ratios(one: Callable[[], Any], other: Callable[[], Any], rounds: int) -> tuple[list[float], float]:
    """Return how many times the seconds of the second call the first one takes, and those of the second."""
    found, seconds = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        one()
        middle = time.perf_counter()
        other()
        seconds.append(time.perf_counter() - middle)
        found.append((middle - begin) / seconds[-1])
    return found, statistics.median(seconds)


def rows_of(metric: str, predictions: Any, references: Any, rounds: int) -> list[str]:
    """Return the lines of a metric's table."""
    options, ids = METRICS[metric], pa.array(range(len(predictions)))

    def score(**more: Any) -> tercet.Result:
        return tercet.score(metric, predictions, references, **options, **more)

    def stream(**more: Any) -> tercet.Result:
        return streamed(metric, predictions, references, ids, **options, **more)

    whole, parts = score(), stream()
    for name in whole:
        expected, value = whole[name], parts[name]
        pairs = zip(expected, value, strict=True) if isinstance(expected, list) else [(expected, value)]
        assert all(math.isclose(one, two, rel_tol=1e-12) for one, two in pairs), name
    lines = []
    for label, beside, one, other in (
        ("score", "Stream", score, stream),
        ("score with intervals", "Stream with intervals", lambda: score(**LEVEL), lambda: stream(**LEVEL)),
    ):
        found, seconds = ratios(one, other, rounds)
        spread = f"**{statistics.median(found):.2f}** ({min(found):.2f} to {max(found):.2f})"
        lines.append(f"| {metric} | {label} | {beside} | {spread} | {seconds:.2f} s |")
    return lines


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="every row once, on few texts")
    small = parser.parse_args().small
    work, times = make_work("streams", 100 if small else DIFFERENT, 25), 1 if small else 100
    predictions = pa.chunked_array([pa.array(work.predictions)] * times).combine_chunks()
    references = pa.chunked_array([pa.array(work.first_references)] * times).combine_chunks()
    for metric, options in METRICS.items():  # once before, to have everything imported
        streamed(metric, predictions[:100], references[:100], pa.array(range(100)), **options, **LEVEL)
        tercet.score(metric, predictions[:100], references[:100], **options, **LEVEL)
    lines = [line for metric in METRICS for line in rows_of(metric, predictions, references, 1 if small else 5)]
    head = ["| metric | takes | times the seconds of | median (min to max) | the latter |", "|---|---|---|---|---|"]
    print(*head, *lines, sep="\n")
    if not small:
        about = (
            f"{len(predictions):,} pairs of 25 words in Arrow's memory; calls in alternation. A stream gets {BATCH:,} at a "
            "time, with ids. Intervals have 1,000 resamples; a stream's are drawn by the item, and counted along."
        )
        packages = machine(["tercet", "numpy", "pyarrow"])
        write_section(TITLE, "\n".join([f"{packages}.", "", about, "", *head, *lines]))


if __name__ == "__main__":
    main()
