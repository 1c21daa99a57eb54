"""What a test set can show: the smallest differences that its tests find, and how many segments others need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.comparison_settings import RESAMPLES
from tercet.errors import argument_set
from tercet.names_and_sentences import Name, Sentence
from tercet.statistics.draws import ROUNDING
from tercet.statistics.inference import Inference
from tercet.statistics.power import (
    share_items_needed,
    smallest_difference,
    smallest_share_difference,
    units_needed,
)
from tercet.tables import decimals

from .sections import Section

#: The probability with which a test is to find a difference.
POWER = 0.8

#: Where fewer units differ, the test finds less than the formula promises.
FEWEST_DIFFERENT = 15


@dataclass(frozen=True, slots=True)
class Spread:
    """How much the difference of two systems varies, and what that says of differences and numbers of units.

    Attributes
    ----------
    error : float
        The standard error of the difference, by paired resamples.
    n_units : int
        Of how many segments, or clusters.
    scale : float or None
        Of items that score 0 or this much, which McNemar's exact test compares; None for other scores.
    discordant : float
        The share of items that only one of the two systems has right.
    """

    error: float
    n_units: int
    scale: float | None = None
    discordant: float = 0.0

    def smallest(self, **settings: Any) -> float | None:
        """Return the smallest difference that the units show; settings are alpha, power and number of pairs."""
        if self.scale is None:
            return smallest_difference(self.error, self.n_units, **settings)
        difference = smallest_share_difference(self.discordant, self.n_units, **settings)
        return None if difference is None else self.scale * difference

    def needed(self, difference: float, **settings: Any) -> int | None:
        """Return how many units show a difference."""
        if self.scale is None:
            return units_needed(difference, self.error, self.n_units, **settings)
        return share_items_needed(difference / self.scale, self.discordant, **settings)


def power_section(
    title: str,
    systems: Sequence[str],
    baseline: int,
    resampled: Sequence[NDArray[np.float64]],
    n_units: int,
    *,
    n_different: Sequence[int],
    alpha: float,
    unit: str = "segment",
    size: float = 1,
    digits: int = 2,
    exact_scale: float | None = None,
) -> Section | None:
    """Return which differences from the baseline so many units show, by the paired resamples of all systems' scores.

    `size` is the mean number of segments of a unit; `exact_scale` is what a right item scores, where McNemar's exact
    test compares the systems. The level is divided by the number of pairs, as in the first step of Holm's method:
    where p are adjusted by the step-down maximum, which finds more, the power is a little higher. Nothing is said of
    systems that differ from the baseline in few units (`n_different`), nor where no difference varies; None if that
    is so of all.
    """
    n_pairs = len(systems) * (len(systems) - 1) // 2
    settings = {"alpha": alpha, "power": POWER, "n_pairs": n_pairs}
    spreads = {}
    smallest = {}
    for index, system in enumerate(systems):
        error = paired_error(resampled[index], resampled[baseline], n_different[index])
        if error is None:
            continue
        spread = Spread(error, n_units, exact_scale, n_different[index] / n_units)
        difference = spread.smallest(**settings)
        if difference is not None:
            spreads[system] = spread
            smallest[system] = difference
    if not smallest:
        return None
    target = _round_part(min(smallest.values()))
    needed = {system: spread.needed(target, **settings) for system, spread in spreads.items()}
    counts = [count for count in needed.values() if count is not None]
    segments = f", of about {size:.0f} segments each" if round(size) > 1 else ""
    adjusted = f", adjusted for {n_pairs:,} pairs" if n_pairs > 1 else ""
    bounds = between([figures(difference, digits) for difference in smallest.values()])
    numbers = between([rounded(count) for count in counts])
    start = "This test set reliably shows only differences "
    shown = f"above {bounds} {title} ({chances(POWER, alpha)}{adjusted})"
    needs = f"; a difference of {target:g} would need about {numbers} {unit}s{segments}."
    parts: Sentence = (f"{start}{shown}{needs}",)
    # With two systems there is only one difference.
    if n_pairs > 1:
        parts = (f"{start}from ", Name(systems[baseline]), f" {shown}{needs}")
    value = {
        "power": POWER,
        "alpha": alpha,
        "n_pairs": n_pairs,
        "unit": unit,
        "n_units": n_units,
        "target": target,
        "systems": [
            {
                "system": system,
                "standard_error": spreads[system].error,
                "smallest": smallest[system],
                "needed": needed[system],
            }
            for system in smallest
        ],
    }
    return Section(
        "power",
        f"What differences in {title} can be seen",
        [parts],
        None,
        value,
    )


def paired_error(
    first: NDArray[np.float64], second: NDArray[np.float64], n_different: int = FEWEST_DIFFERENT
) -> float | None:
    """Return the standard error of the difference of two scores by their paired resamples.

    None where they differ in few units, or by rounding alone.
    """
    error = float(np.std(first - second, ddof=1))
    is_rounding = error <= ROUNDING * float(np.abs(second).max())
    return None if n_different < FEWEST_DIFFERENT or is_rounding else error


def chances(power: float, alpha: float) -> str:
    """Return with which probability a difference is found, and with which one where there is none."""
    return f"{100 * power:g} % power, alpha {alpha:g}"


def _round_part(difference: float) -> float:
    """Return the greatest of 1, 2 and 5 times a power of ten that is at most four fifths of a difference."""
    limit = 0.8 * difference
    tens = 10.0 ** math.floor(math.log10(limit))
    factor = max(factor for factor in (1, 2, 5) if factor * tens <= limit or factor == 1)
    return float(f"{factor * tens:.1g}")


def figures(difference: float, digits: int) -> str:
    """Return a difference with the decimals of the score, or two digits where that is 0."""
    return decimals(difference, digits) if difference >= 10.0**-digits else f"{difference:.2g}"


def rounded(count: int) -> str:
    """Return a number with two digits: more would promise too much."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // unit) * unit:,}"


def between(texts: Sequence[str]) -> str:
    """Return the least and greatest of some numbers, or the one that they are."""
    ordered = sorted(texts, key=lambda text: float(text.replace(",", "")))
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def too_little(
    inference: Inference, n_resamples: int, n_units: int, unit: str, n_systems: int, alpha: float
) -> str | None:
    """Return why no difference could be significant, however large; None if one could.

    Of the 2ⁿ permutations of n segments, two (none and all exchanged) differ by as much as the systems do. The
    observed difference counts as one of the resamples. Holm multiplies the least p by the number of pairs; the
    step-down maximum does not.
    """
    test = inference.test
    if test is None:
        return None
    n_pairs = n_systems * (n_systems - 1) // 2 if inference.adjust == "holm" else 1
    adjusted = f", adjusted for {n_pairs:,} pairs of systems" if n_pairs > 1 else ""
    by_units = n_pairs * 2.0 ** (1 - n_units)
    units = f"{n_units:,} {unit}{'s' * (n_units != 1)}"
    if test.errs_more and 2.0 ** (1 - n_units) >= alpha:
        return f"Too few {unit}s for any test: with {units}, chance alone may favour one system in all."
    if test.exchanges and by_units >= alpha:
        bound = "always 1" if by_units >= 1 else f"{by_units:.3g} or more"
        if test.is_resampled and not test.resamples(n_units, n_resamples).are_all and by_units < 1:
            # Chance decides how often these two permutations are drawn.
            bound = f"about {bound}"
        return f"Too few {unit}s for any test: with {units}{adjusted}, p is {bound}."
    if not test.is_resampled or n_pairs / (n_resamples + 1) < alpha:
        return None
    bound = f"at least {min(1, n_pairs / (n_resamples + 1)):.3g}"
    enough = max(RESAMPLES[test.name], math.floor(n_pairs / alpha))
    resamples = f"{n_resamples:,} resample{'s' * (n_resamples != 1)}"
    return (
        f"Too few resamples to tell systems apart: with {resamples}{adjusted}, p is {bound}. "
        f"{argument_set('n_resamples', enough)} would do."
    )
