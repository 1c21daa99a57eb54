"""Whether a person who grades few items learns more from those whose scores vary most between systems.

On SummEval and RealSumm, 10 or 20 items are taken from 80 % of all: those with the greatest variance of a metric's
scores between the systems, or half of them so and half at random, or all at random. The ranking of systems by their
grades is compared with that by all items: Kendall's tau, the mean of 300 draws.

    python benchmarks/sampling.py [folder of the test sets]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

import tercet

SETS = {
    "summeval_a.jsonl": ("coherence", "consistency", "fluency", "relevance"),
    "realsumm_a.jsonl": ("litepyramid_recall",),
}
METRICS = ("chrf", "rouge:rouge_types=rouge1", "rouge:rouge_types=rougeL", "bleu")
N_DRAWS = 300


def variances(items: list[dict[str, Any]], systems: list[str], metric: str) -> NDArray[np.float64]:
    """Return the variance between systems of each item's scores."""
    name, _, options = metric.partition(":")
    scorer = tercet.scorer(name, **({"rouge_types": [options.partition("=")[2]]} if options else {}))
    references = [item["refs"] for item in items]
    scores = [
        scorer.segments([item["hyps"][system] for item in items], references)[scorer.score_names[0]]
        for system in systems
    ]
    return np.asarray(np.array(scores, float).var(axis=0))


def agreements(
    grades: NDArray[np.float64], variance: NDArray[np.float64], n_graded: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the mean tau with all items: of those that vary most, of half of them so, and of random ones."""
    n_items, by_all = grades.shape[1], grades.mean(axis=1)
    taus = np.zeros(3)
    for _ in range(N_DRAWS):
        pool = rng.choice(n_items, int(0.8 * n_items), replace=False)
        ordered, half = pool[np.argsort(-variance[pool])], n_graded // 2
        chosen = (
            ordered[:n_graded],
            np.concatenate([ordered[:half], rng.choice(ordered[half:], n_graded - half, replace=False)]),
            rng.choice(pool, n_graded, replace=False),
        )
        taus += [kendalltau(grades[:, items].mean(axis=1), by_all).statistic for items in chosen]
    return taus / N_DRAWS


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    rng = np.random.default_rng(1)
    better = {metric: np.zeros(2, int) for metric in METRICS}
    gains: dict[str, list[NDArray[np.float64]]] = {metric: [] for metric in METRICS}
    for file, dimensions in SETS.items():
        items = [json.loads(line) for line in (folder / file).read_text(encoding="utf-8").splitlines()]
        systems = sorted(set.intersection(*({*item["hyps"]} & {*item["human"]} for item in items)))
        for metric in METRICS:
            variance = variances(items, systems, metric)
            for dimension in dimensions:
                grades = np.array([[item["human"][system][dimension] for item in items] for system in systems], float)
                for n_graded in (10, 20):
                    *taus, at_random = agreements(grades, variance, n_graded, rng)
                    better[metric] += np.array(taus) > at_random
                    gains[metric].append(np.array(taus) - at_random)
    print("In how many of ten settings tau is higher than with random items, and the mean gain:")
    for metric, (most, half) in better.items():
        by_most, by_half = np.mean(gains[metric], axis=0)
        print(f"  {metric}: those that vary most {most} ({by_most:+.3f}), half of them {half} ({by_half:+.3f})")
    print("  all:", *np.sum(list(better.values()), axis=0), "of 40")
