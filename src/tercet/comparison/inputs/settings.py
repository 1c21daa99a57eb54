"""The settings that `compare` and `plan` take: their checks, and options of commands, are made from these.

What one comparison then does with them is its design: `comparison/values/design.py`.
"""

from __future__ import annotations

from math import comb
from typing import Literal

from tercet.base.options import Value, option
from tercet.option_checks import MOST_RESAMPLES, integer, number

Interval = Literal["expanded", "percentile", "BCa"]
Test = Literal["permutation", "bootstrap"]
Adjust = Literal["step-down", "holm"]

#: How many resamples each test takes by default.
RESAMPLES: dict[str, int] = {"permutation": 10_000, "bootstrap": 1_000}

#: Of many systems the permutation test takes the first of these that makes no more differences than that by default.
_FEWER_RESAMPLES = (10_000, 5_000, 2_000, 1_000)
_MOST_DIFFERENCES = 50_000_000

#: The greatest share of a system's segments that may be missing where a gate passes.
MOST_MISSING = 0.01


def usual_resamples(test: str, n_systems: int) -> int:
    """Return how many resamples a test of all pairs of systems takes by default: fewer of more than 100 systems.

    The least p that they can show does not grow with the pairs: of 1,000 resamples it is .001.

    >>> [usual_resamples("permutation", n_systems) for n_systems in (2, 100, 150, 1000)]
    [10000, 10000, 2000, 1000]
    """
    n_pairs = comb(n_systems, 2)
    if test != "permutation":
        return RESAMPLES[test]
    for n_resamples in _FEWER_RESAMPLES:
        if n_resamples * n_pairs <= _MOST_DIFFERENCES:
            return n_resamples
    return _FEWER_RESAMPLES[-1]


class Tested(Value):
    """What functions take that test differences, or plan such tests."""

    alpha: float = option(
        default=0.05,
        check=number("a number above 0 and below 1, such as 0.05", lambda alpha: 0 < alpha < 1),
        doc="Significance level, above 0 and below 1: differences with a smaller p are significant.",
    )
    seed: int = option(
        default=12345, check=integer(0), doc="Seed of all resampling: the same seed gives the same numbers."
    )
    progress: bool = option(default=False, doc="Show a bar on stderr.")


class Settings(Tested):
    """What `compare` and `correlate` both take."""

    confidence_level: float = option(
        default=0.95,
        check=number("a number above 0 and below 1, such as 0.95", lambda level: 0 < level < 1),
        doc="Confidence level of the bootstrap intervals.",
    )


class CompareSettings(Settings):
    """What `compare` takes besides texts and metrics."""

    test: Test | None = option(default="permutation", doc="Paired test of the differences: permutation or bootstrap.")
    n_resamples: int | None = option(
        default=None,
        check=integer(1, MOST_RESAMPLES, none=True),
        doc=f"Resamples of the test; default: {RESAMPLES['permutation']:,} permutations (of more than 100 systems "
        f"fewer, {_FEWER_RESAMPLES[-1]:,} at the least) or {RESAMPLES['bootstrap']:,} bootstrap samples.",
    )
    adjust: Adjust = option(
        default="step-down",
        doc="How p is adjusted for several systems: step-down (the maximum over all pairs, Romano and Wolf 2005) or "
        "holm.",
    )
    interval: Interval | None = option(
        default="expanded",
        doc="Kind of the bootstrap intervals: expanded percentile (Hesterberg 2015), percentile or BCa.",
    )


class PlanSettings(Tested):
    """What `plan` takes besides texts and metrics."""

    power: float = option(
        default=0.8,
        check=number("a number from 0.5 on and below 1, such as 0.8", lambda power: 0.5 <= power < 1),
        doc="With which probability the test is to find the difference, from 0.5 on and below 1.",
    )
    n_resamples: int = option(
        default=1000,
        check=integer(2, MOST_RESAMPLES),
        doc="Resamples of the test set, by which the scores vary.",
    )
