"""Measure the tests between metrics beside their definitions, written as mt-metrics-eval runs them: draw by draw with scipy.

``python benchmarks/correlation.py`` prints the table and writes its section of benchmarks/RESULTS.md; ``--small`` runs
every row once with few draws, for the tests. Figures of every timed call are compared; p within what the draws allow.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
import scipy.stats

from results import machine, write_section
from tercet.correlation.figures import FIGURES, value_in
from tercet.correlation.pairs import calibrate
from tercet.correlation.resampling import distributions
from tercet.correlation.samples import GradedOutputs, Sample
from tercet.correlation.significance import pvalues_between

TITLE = "Results of the last `make bench-correlation`"
SYSTEMS, ITEMS, DIMENSIONS, METRICS = 16, 40, 4, 10


def make_tables(seed: int = 1) -> tuple[list[np.ndarray], np.ndarray]:
    """Return grades from 1 to 5 of each dimension, thirds between them, and scores of metrics that follow them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(SYSTEMS, ITEMS)) + rng.normal(size=(SYSTEMS, 1))
    grades = [
        np.clip(np.round(3 * (3 + quality + rng.normal(size=quality.shape))) / 3, 1, 5) for _ in range(DIMENSIONS)
    ]
    metrics = np.array([quality + (1 + number / 5) * rng.normal(size=quality.shape) for number in range(METRICS)])
    return grades, metrics


def plain_perm_both(human: np.ndarray, one: np.ndarray, other: np.ndarray, draws: int) -> float:
    """Return p that the other metric correlates no better: a correlation of scipy for each metric and draw."""
    rng = np.random.default_rng(2)
    g = human.ravel()
    first, second = (scipy.stats.zscore(each.ravel()) for each in (one, other))
    observed = scipy.stats.pearsonr(g, second)[0] - scipy.stats.pearsonr(g, first)[0]
    reached = 0
    for _ in range(draws):
        swap = rng.integers(2, size=len(g), dtype=bool)
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        reached += scipy.stats.pearsonr(g, b)[0] - scipy.stats.pearsonr(g, a)[0] >= observed
    return reached / draws


def plain_calibration(human: np.ndarray, metric: np.ndarray) -> float:
    """Return acc*eq: the pairs of all items one by one, sorted, each made a tie in turn."""
    pairs = []
    total = 0.0
    n_pairs = human.shape[0] * (human.shape[0] - 1) / 2
    for x, y in zip(human.T, metric.T, strict=True):
        for i, j in combinations(range(len(x)), 2):
            alike = np.sign(x[i] - x[j]) == np.sign(y[i] - y[j])
            total += alike / n_pairs
            pairs.append((abs(y[i] - y[j]), (float(x[i] == x[j]) - alike) / n_pairs))
    best, pairs = total, sorted(pairs)
    for place, (size, change) in enumerate(pairs):
        total += change
        if place + 1 == len(pairs) or pairs[place + 1][0] != size:
            best = max(best, total)
    return best / human.shape[1]


def measure(name: str, plain: Callable[[], float], ours: Callable[[], float], within: float, rounds: int) -> str:
    """Return a row of the table; both give the same number."""
    ratios, times = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        expected = plain()
        middle = time.perf_counter()
        found = ours()
        end = time.perf_counter()
        assert abs(found - expected) <= within, (name, found, expected)
        ratios.append((middle - begin) / (end - middle))
        times.append(end - middle)
    row = f"| {name} | **{statistics.median(ratios):.0f}** ({min(ratios):.0f} to {max(ratios):.0f}, {rounds} rounds) "
    row += f"| 20 | {1000 * statistics.median(times):.2f} ms |"
    print(row, "(20 required)", flush=True)
    return row


def everything(grades: list[np.ndarray], metrics: np.ndarray, draws: int) -> float:
    """Return the processor's seconds for all figures, their intervals and three tests of all pairs of metrics."""
    begin = time.process_time()
    for human in grades:
        wholes = [Sample.whole(human, metric) for metric in metrics]
        found = {name: [value_in(name, whole) for whole in wholes] for name in FIGURES}
        distributions(found, wholes, "items", draws, 1)
        epsilons = [epsilon for _, epsilon in found["item.acc_eq"]]
        for figure in ("pooled.pearson", "item.acc_eq", "system.spa"):
            pvalues_between(figure, GradedOutputs(human, metrics), epsilons, draws, 1)
    return time.process_time() - begin


def main() -> None:
    """Run every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    draws, rounds = (60, 1) if parser.parse_args().small else (1000, 15)
    grades, metrics = make_tables()
    human, pair = grades[0], metrics[:2]
    pvalues_between("pooled.pearson", GradedOutputs(human, pair), [0, 0], 10, 1), calibrate(human, pair[0])
    rows = [
        measure(
            f"PERM-BOTH of two metrics, Pearson, {draws:,} draws",
            lambda: plain_perm_both(human, *pair, draws),
            lambda: pvalues_between("pooled.pearson", GradedOutputs(human, pair), [0, 0], draws, 1)[1, 0],
            0.3 if draws < 1000 else 0.06, rounds,
        ),
        measure(
            "tie calibration of a metric", lambda: plain_calibration(human, pair[0]),
            lambda: calibrate(human, pair[0])[0], 1e-9, rounds,
        ),
    ]  # fmt: skip
    everything(grades, metrics, 2)
    total = statistics.median(everything(grades, metrics, draws) for _ in range(min(rounds, 3)))
    print(f"all figures, intervals and three tests: {total:.2f} s")
    if draws < 1000:
        return
    parts = [
        f"{machine(('tercet', 'numpy', 'scipy'))}.",
        f"{SYSTEMS} systems, {ITEMS} items, {DIMENSIONS} dimensions, {METRICS} metrics; the peer is each test's definition, "
        "draw by draw with scipy, or pair by pair, as mt-metrics-eval has it.",
        "\n".join(["| work | ratio: median (min to max) | required | tercet |", "|---|---|---|---|", *rows]),
        f"All {len(FIGURES)} figures of all metrics and dimensions, {draws:,} resamples for their intervals, and the tests of "
        f"all pairs of metrics (PERM-BOTH, pair permutation, SPA; {draws:,} draws each): {total:.1f} s of one core.",
    ]
    write_section(TITLE, "\n\n".join(parts))


if __name__ == "__main__":
    main()
