"""How often intervals of few units cover the true score, through the public functions.

    python benchmarks/coverage.py [runs]

The true score is that of a large pool, from which each run draws its segments, or its clusters of 4 segments that are
alike. Two standard errors of a share of .95 from 300 runs are .025.
"""

from __future__ import annotations

import sys

import numpy as np

import tercet

SIZES = (8, 10, 20, 40, 100)
#: Segments of the pool; those of a cluster follow one another.
POOL, CLUSTER = 4000, 4
WORDS = np.array(
    [
        "a",
        "the",
        "cat",
        "dog",
        "mat",
        "house",
        "sat",
        "ran",
        "on",
        "in",
        "it",
        "red",
        "big",
        "кот",
        "дом",
        "猫",
        "nhà",
        "حصان",
        "and",
        "then",
        "we",
        "saw",
    ]
)
METRICS = ("mean", "bleu", "chrf", "wer")


def texts_of(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Return outputs and references: each cluster has a share of words that are wrong."""
    outputs, references = [], []
    for _ in range(POOL // CLUSTER):
        wrong = rng.beta(2, 4)
        for _ in range(CLUSTER):
            words = rng.choice(WORDS, rng.integers(6, 20))
            kept = np.where(rng.random(len(words)) < wrong, rng.choice(WORDS, len(words)), words)
            references.append(" ".join(words))
            outputs.append(" ".join(kept))
    return outputs, references


def numbers_of(rng: np.random.Generator) -> np.ndarray:
    """Return numbers, of which those of a cluster are alike."""
    return np.repeat(rng.normal(50, 5, POOL // CLUSTER), CLUSTER) + rng.normal(0, 10, POOL)


def interval_of_numbers(numbers: np.ndarray, chosen: np.ndarray, clusters: np.ndarray | None) -> tuple[float, float]:
    """Return the interval of a mean."""
    found = tercet.compare(scores={"score": {"A": numbers[chosen]}}, cluster=clusters)
    (row,) = found.tables[0].rows
    return row.low, row.high


def coverage(runs: int, metric: str, n_units: int, *, in_clusters: bool) -> float:
    """Return the share of runs whose interval covers the score of the pool."""
    rng = np.random.default_rng(7)
    outputs, references = texts_of(rng)
    numbers = numbers_of(rng)
    name = {"mean": "", "bleu": "bleu", "chrf": "chrf", "wer": "wer"}[metric]
    options = {"scale": 100}
    true = float(numbers.mean()) if metric == "mean" else tercet.score(metric, outputs, references, **options)[name]
    covered = 0
    for _ in range(runs):
        units = rng.integers(0, POOL // CLUSTER if in_clusters else POOL, n_units)
        chosen = units
        clusters = None
        if in_clusters:
            chosen = (units[:, None] * CLUSTER + np.arange(CLUSTER)).ravel()
            clusters = np.repeat(np.arange(n_units), CLUSTER)
        if metric == "mean":
            low, high = interval_of_numbers(numbers, chosen, clusters)
        else:
            texts = [outputs[place] for place in chosen], [references[place] for place in chosen]
            found = tercet.score(metric, *texts, confidence_level=0.95, cluster=clusters, **options)
            low, high = found["intervals"][name]
        covered += low <= true <= high
    return covered / runs


def main() -> None:
    """Print a table: a row for each score and kind of unit, a column for each number of units."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"{'':18}" + "".join(f"{size:>8}" for size in SIZES))
    for metric in METRICS:
        for in_clusters in (False, True):
            kind = f"{metric}, {'clusters' if in_clusters else 'segments'}"
            shares = [coverage(runs, metric, size, in_clusters=in_clusters) for size in SIZES]
            print(f"{kind:18}" + "".join(f"{share:8.3f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
