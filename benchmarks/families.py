"""How often tests of many systems find differences where there are none, and where there are, by simulation.

``python benchmarks/families.py [RUNS]`` prints a table through the public interface. Systems are all equal, or half of
them are better; p are adjusted by the default, of answers that are 0 or 1 by Holm's method. Two standard errors of a
share of .05 from 300 runs are .025.
"""

from __future__ import annotations

import sys
import warnings
from itertools import combinations

import numpy as np

import tercet
from coverage import WORDS

SYSTEMS = (3, 11, 33)
#: What is compared, and by how much the better half is better, as the texts and numbers below take it.
GAINS = {"mean": 4.0, "answers": 0.15, "bleu": 0.07, "chrf": 0.05}
N_SEGMENTS = 100
N_RESAMPLES = 1000
Random = np.random.Generator


def references_of(random: Random) -> list[np.ndarray]:
    """Return the words of each segment."""
    return [random.choice(WORDS, random.integers(6, 20)) for _ in range(N_SEGMENTS)]


def outputs_of(random: Random, references: list[np.ndarray], hardness: np.ndarray, gain: float) -> list[str]:
    """Return the texts of a system, which has words of hard segments wrong."""
    texts = []
    for words, share in zip(references, hardness, strict=True):
        is_wrong = random.random(len(words)) < share - gain
        texts.append(" ".join(np.where(is_wrong, random.choice(WORDS, len(words)), words)))
    return texts


def pvalues_of(random: Random, kind: str, gains: list[float]) -> np.ndarray:
    """Return the adjusted p of all pairs of systems, which have these gains, on one new test set."""
    hardness = random.beta(3, 5, N_SEGMENTS)
    names = [f"system {number}" for number in range(len(gains))]
    if kind in ("bleu", "chrf"):
        references = references_of(random)
        systems = {
            name: outputs_of(random, references, hardness, gain) for name, gain in zip(names, gains, strict=True)
        }
        texts = [" ".join(words) for words in references]
        found = tercet.compare(systems, kind, references=texts, n_resamples=N_RESAMPLES)
        return found.tables[0].pvalues
    if kind == "answers":
        numbers = {
            name: 1.0 * (random.random(N_SEGMENTS) >= hardness - gain)
            for name, gain in zip(names, gains, strict=True)
        }
    else:
        numbers = {
            name: 60 - 40 * hardness + random.normal(gain, 10, N_SEGMENTS)
            for name, gain in zip(names, gains, strict=True)
        }
    return tercet.compare(scores={"score": numbers}, n_resamples=N_RESAMPLES).tables[0].pvalues


def simulated(runs: int, kind: str, n_systems: int, gain: float) -> tuple[float, float]:
    """Return in which share of the runs equal systems are told apart, and which share of true differences is found."""
    random = np.random.default_rng(11)
    n_better = n_systems // 2 if gain else 0
    gains = [gain] * n_better + [0.0] * (n_systems - n_better)
    pairs = list(combinations(range(n_systems), 2))
    equal = [pair for pair in pairs if gains[pair[0]] == gains[pair[1]]]
    different = [pair for pair in pairs if gains[pair[0]] != gains[pair[1]]]
    wrong = 0
    n_found = 0
    for _ in range(runs):
        pvalues = pvalues_of(random, kind, gains)
        wrong += any(pvalues[pair] < 0.05 for pair in equal)
        n_found += sum(pvalues[pair] < 0.05 for pair in different)
    power = n_found / (runs * len(different)) if different else float("nan")
    return wrong / runs, power


def main() -> None:
    """Print a row for each score and number of systems."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    warnings.simplefilter("ignore")
    print(f"{'score':8} {'systems':>7} {'equal: wrong':>13} {'half better: wrong':>19} {'found':>7}")
    for kind, gain in GAINS.items():
        for n_systems in SYSTEMS:
            wrong, _ = simulated(runs, kind, n_systems, 0)
            wrong_of_half, found = simulated(runs, kind, n_systems, gain)
            print(f"{kind:8} {n_systems:7} {wrong:13.3f} {wrong_of_half:19.3f} {found:7.3f}", flush=True)


if __name__ == "__main__":
    main()
