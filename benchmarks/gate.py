"""How often a gate passes a system whose true loss is the margin, and how often one that is equal, by simulation.

``python benchmarks/gate.py [RUNS]`` prints a table through the public interface: columns of scores, alpha .05.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from itertools import count

import numpy as np

import tercet
from tercet.comparison.gates.gate import losses
from tercet.errors import OptionError

N_UNITS = (8, 10, 20, 50, 100, 200)
Random = np.random.Generator
Scores = tuple[np.ndarray, np.ndarray]


def breakage(share: float) -> Callable[[Random, int], Scores]:
    """Return a law of systems of which a share of the items falls to 0."""

    def scores(random: Random, n: int) -> Scores:
        base = random.uniform(0.5, 1, n)
        return base, np.where(random.random(n) < share, 0.0, base)

    return scores


def skewed(random: Random, n: int) -> Scores:
    """Return scores with lognormal losses, whose mean is the root of e."""
    base = random.normal(10, 3, n)
    return base, base - random.lognormal(0, 1, n)


def skewed_from_nothing(random: Random, n: int) -> Scores:
    """Return lognormal losses from a baseline that is 0 everywhere, where no range is known."""
    return np.zeros(n), -random.lognormal(0, 1, n)


def normal(random: Random, n: int) -> Scores:
    """Return scores with normal differences, and a loss of 1."""
    base = random.normal(10, 3, n)
    return base, base - random.normal(1, 1, n)


def answers(share: float) -> Callable[[Random, int], Scores]:
    """Return a law of right answers of which a share becomes wrong."""

    def scores(random: Random, n: int) -> Scores:
        return np.ones(n), 1.0 * (random.random(n) >= share)

    return scores


def both_ways(random: Random, n: int) -> Scores:
    """Return answers of which 8 % become wrong and 3 % right."""
    cause = random.random(n)
    base = np.where(cause < 0.08, 1.0, np.where(cause > 0.97, 0.0, random.random(n) < 0.7))
    return base, np.where(cause < 0.08, 0.0, np.where(cause > 0.97, 1.0, base))


#: Laws of the scores of a baseline and of a system, with the true loss, which is the margin (of answers, in points).
LAWS: dict[str, tuple[Callable[[Random, int], Scores], float]] = {
    ".02 fall to 0": (breakage(0.02), 0.02 * 0.75),
    ".05 fall to 0": (breakage(0.05), 0.05 * 0.75),
    ".10 fall to 0": (breakage(0.10), 0.10 * 0.75),
    "lognormal": (skewed, math.exp(0.5)),
    "lognormal, from 0": (skewed_from_nothing, math.exp(0.5)),
    "normal": (normal, 1.0),
    "0/1, 2 % lost": (answers(0.02), 2.0),
    "0/1, 5 % lost": (answers(0.05), 5.0),
    "0/1, 10 % lost": (answers(0.10), 10.0),
    "0/1, 8 % and 3 %": (both_ways, 5.0),
}


def equal(random: Random, n: int) -> Scores:
    """Return scores of two systems that are equally good, with differences that vary by a tenth of the range."""
    item = random.normal(0.6, 0.2, n)
    base, system = (np.clip(item + random.normal(0, 0.1 / math.sqrt(2), n), 0, 1) for _ in range(2))
    return base, system


def equal_answers(random: Random, n: int) -> Scores:
    """Return answers of two systems that are equally good, and differ in 6 %."""
    cause = random.random(n)
    base = np.where(cause < 0.03, 1.0, np.where(cause < 0.06, 0.0, random.random(n) < 0.7))
    return base, np.where(cause < 0.06, 1 - base, base)


#: Laws of systems that are equally good, with a margin.
EQUAL: dict[str, tuple[Callable[[Random, int], Scores], float]] = {
    "equal, margin .05": (equal, 0.05),
    "equal 0/1, margin 5": (equal_answers, 5.0),
    "equal, margin 0": (equal, 0.0),
    "equal 0/1, margin 0": (equal_answers, 0.0),
}


def passes(law: Callable[[Random, int], Scores], margin: float, n: int, n_runs: int) -> float:
    """Return the share of runs in which the gate passes."""
    seeds = count(1)
    passed = 0
    for _ in range(n_runs):
        base, system = law(np.random.default_rng(next(seeds)), n)
        scores = {"base": base.tolist(), "system": system.tolist()}
        comparison = tercet.compare(scores={"quality": scores}, test=None)
        table = comparison.tables[0]
        try:
            (loss,) = losses(comparison, table, margin)
        except OptionError:
            # The margin is more than all numbers differ by: nothing passes.
            continue
        passed += not loss.failed
    return passed / n_runs


def main() -> None:
    """Print the table."""
    n_runs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    warnings.simplefilter("ignore")
    print(f"{'':22}" + "".join(f"{n:>7}" for n in N_UNITS), flush=True)
    for name, (law, margin) in {**LAWS, **EQUAL}.items():
        shares = [passes(law, margin, n, n_runs) for n in N_UNITS]
        print(f"{name:22}" + "".join(f"{share:7.3f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
