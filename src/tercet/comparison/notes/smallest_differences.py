"""What a test set can show: the smallest differences that its tests find, and how many segments others need."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoreEvidence, ScoreTable
from tercet.comparison.values.sections import Section
from tercet.comparison.wording.decimals import between, figures, in_two_digits, percent
from tercet.names_as_shown import Name, Sentence
from tercet.statistics.power import PairVariation, SystemDraws, pair_variation

#: The probability with which a test is to find a difference.
POWER = 0.8


class Power(NamedTuple):
    """Which differences from the baseline the units of a test set show, by a score."""

    #: Of each system of which one is known: how much its difference varies, the smallest that is shown, and how many
    #: units a difference of `target` needs, if they can be counted.
    variations: dict[str, PairVariation]
    smallest: dict[str, float]
    needed: dict[str, int | None]
    #: A round difference below the smallest of them.
    target: float

    def to_dict(self, design: Design, table: ScoreTable) -> dict[str, Any]:
        """Return the numbers as plain Python."""
        systems = []
        for system, difference in self.smallest.items():
            error = self.variations[system].error
            needed = self.needed[system]
            systems.append({"system": system, "standard_error": error, "smallest": difference, "needed": needed})
        return {
            **_settings(design),
            "unit": design.unit,
            "n_units": table.n_units,
            "target": self.target,
            "systems": systems,
        }


def power_of(design: Design, evidence: ScoreEvidence) -> Power | None:
    """Return which differences from the baseline the units show, by the paired resamples of all systems' scores.

    The level is divided by the number of pairs, as in the first step of Holm's method: where p are adjusted by the
    step-down maximum, which finds more, the power is a little higher. Nothing is said of systems that differ from the
    baseline in few units, nor where no difference varies; None if that is so of all.
    """
    settings = _settings(design)
    variations = _variations(design, evidence)
    smallest = {}
    for system, variation in variations.items():
        difference = variation.smallest(**settings)
        if difference is not None:
            smallest[system] = difference
    if not smallest:
        return None
    target = _round_part(min(smallest.values()))
    needed = {system: variations[system].needed(target, **settings) for system in smallest}
    return Power(variations, smallest, needed, target)


def _settings(design: Design) -> dict[str, Any]:
    """Return how surely differences are to be shown."""
    return {"power": POWER, "alpha": design.alpha, "n_pairs": design.n_pairs}


def power_section(design: Design, table: ScoreTable, power: Power) -> Section:
    """Return which differences are shown, in words."""
    counts = [count for count in power.needed.values() if count is not None]
    start = "This test set reliably shows only differences "
    adjusted = f", adjusted for {design.n_pairs:,} pairs" if design.n_pairs > 1 else ""
    bounds = between(power.smallest.values(), lambda difference: figures(difference, table.digits))
    shown = f"above {bounds} {table.title} ({chances(POWER, design.alpha)}{adjusted})"
    numbers = between(counts, in_two_digits)
    needs = f"; a difference of {power.target:g} would need about {numbers} {design.unit}s{_size_in_words(design)}."
    sentence: Sentence = (f"{start}{shown}{needs}",)
    # With two systems there is only one difference.
    if design.n_pairs > 1:
        sentence = (f"{start}from ", Name(design.baseline), f" {shown}{needs}")
    return Section(
        "power", f"What differences in {table.title} can be seen", [sentence], None, power.to_dict(design, table)
    )


def _variations(design: Design, evidence: ScoreEvidence) -> dict[str, PairVariation]:
    """Return how much each system's difference from the baseline varies, but for those that differ in few units."""
    table = evidence.table
    units_and_resampled = zip(evidence.units, evidence.resampled, strict=True)
    draws = [SystemDraws(units, resampled) for units, resampled in units_and_resampled]
    exact_scale = table.scorer.scale if design.inference_of(table).has_exact_test else None
    variations = {}
    for system, draws_of_system in zip(design.systems, draws, strict=True):
        variation = pair_variation(draws_of_system, draws[design.baseline_index], exact_scale)
        if variation is not None:
            variations[system] = variation
    return variations


def _size_in_words(design: Design) -> str:
    """Return of how many segments a cluster is; "" where units are segments, or hardly more."""
    clusters = design.test_set.clusters
    size = 1.0 if clusters is None else design.test_set.n_segments / len(clusters)
    return f", of about {size:.0f} segments each" if round(size) > 1 else ""


def chances(power: float, alpha: float) -> str:
    """Return with which probability a difference is found, and with which one where there is none."""
    return f"{percent(power)} power, alpha {alpha:g}"


def _round_part(difference: float) -> float:
    """Return the greatest of 1, 2 and 5 times a power of ten that is at most four fifths of a difference."""
    limit = 0.8 * difference
    tens = 10.0 ** math.floor(math.log10(limit))
    factor = max(factor for factor in (1, 2, 5) if factor * tens <= limit or factor == 1)
    return float(f"{factor * tens:.1g}")
