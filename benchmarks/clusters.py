"""How often a paired test finds a difference that is not there, where samples were answered several times.

Two systems that are equally good answer 40 samples 1, 4 and 10 times; of 300 such comparisons, about 5 % should have
p below .05. Repeats that count as independent segments reject far too often; resampled by sample, they hold the level.
The second table has the share of 95 % intervals that hold the true score, by the number of clusters.

    python benchmarks/clusters.py [runs]
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

import tercet
from tercet.statistics.clusters import Clusters
from tercet.statistics.intervals import bootstraps

WORDS = np.array(
    [
        "the",
        "a",
        "cat",
        "dog",
        "bird",
        "sat",
        "ran",
        "sings",
        "on",
        "under",
        "mat",
        "tree",
        "today",
        "often",
        "never",
        "red",
        "old",
        "small",
    ]
)
SAMPLES, LENGTH, ALPHA = 40, 12, 0.05
RUNS = int(sys.argv[1]) if sys.argv[1:] else 300
RIGHT = "a" * 20


def texts(rng: np.random.Generator, references: list[str], noise: NDArray[np.float64], repeats: int) -> list[str]:
    """Return `repeats` answers to each sample: words of its reference, each replaced as often as its noise says."""
    answers = []
    for _ in range(repeats):
        for reference, share in zip(references, noise, strict=True):
            words = np.array(reference.split())
            replaced = rng.random(len(words)) < share
            words[replaced] = rng.choice(WORDS, int(replaced.sum()))
            answers.append(" ".join(words))
    return answers


def pvalue(rng: np.random.Generator, repeats: int, by_sample: bool) -> float:
    """Return p of the difference in chrF of two systems that are equally good on average, each better at some samples."""
    references = [" ".join(rng.choice(WORDS, LENGTH)) for _ in range(SAMPLES)]
    systems = {
        name: texts(rng, references, np.clip(rng.normal(0.4, 0.15, SAMPLES), 0.05, 0.95), repeats) for name in "AB"
    }
    samples = list(range(SAMPLES)) * repeats
    comparison = tercet.compare(
        systems, "chrf", references=references * repeats, n_resamples=1000, cluster=samples if by_sample else None,
    )  # fmt: skip
    p = comparison.tables[0].rows[1].pvalue
    assert p is not None
    return p


def coverage(n_clusters: int) -> dict[str, float]:
    """Return the share of intervals that hold the true score, of clusters of about 8 segments, for each kind of interval."""
    metric, held = tercet.scorer("chrf"), dict.fromkeys(("percentile", "BCa", "t"), 0)
    rng = np.random.default_rng(n_clusters)
    for run in range(RUNS):
        numbers = np.repeat(np.arange(n_clusters), rng.integers(4, 13, n_clusters))
        words = spelled(rng, np.clip(rng.normal(0.5, 0.1, n_clusters), 0, 1)[numbers])
        units = Clusters(numbers, "").stats(metric.stats(words, [RIGHT] * len(words)))
        score = float(metric.finalize(units.total())[metric.primary])
        for method in ("percentile", "BCa"):
            (result,) = bootstraps(metric, [units], method=method, seed=run)
            low, high = result[metric.primary].confidence_interval
            held[method] += low <= TRUTH <= high
        held["t"] += (
            abs(score - TRUTH) <= student_t.ppf(0.975, n_clusters - 1) * result[metric.primary].standard_error
        )
    return {name: number / RUNS for name, number in held.items()}


def spelled(rng: np.random.Generator, shares: NDArray[np.float64]) -> list[str]:
    """Return a word for each share, of which about so many letters are wrong."""
    return ["".join("ab"[int(letter)] for letter in rng.random(len(RIGHT)) < share) for share in shares]


def truth() -> float:
    """Return the score of very many clusters."""
    rng = np.random.default_rng(0)
    words = spelled(rng, np.repeat(np.clip(rng.normal(0.5, 0.1, 4000), 0, 1), 8))
    return float(tercet.scorer("chrf")(words, [RIGHT] * len(words))["chrf"])


if __name__ == "__main__":
    print(f"Of {RUNS} comparisons without a difference, p < {ALPHA} (permutation test of chrF, {SAMPLES} samples):")
    for repeats in (1, 4, 10):
        shares = [
            np.mean(
                [pvalue(np.random.default_rng([repeats, run]), repeats, by_sample) < ALPHA for run in range(RUNS)]
            )
            for by_sample in (False, True)
        ]
        print(f"  {repeats:2} answers a sample: {shares[0]:.3f} by answer, {shares[1]:.3f} by sample", flush=True)
    print(f"Of {RUNS} intervals of 95 %, those that hold the score of the population:")
    TRUTH = truth()
    for number in (10, 20, 40):
        shown = ", ".join(f"{name} {share:.3f}" for name, share in coverage(number).items())
        print(f"  {number:2} clusters: {shown}", flush=True)
