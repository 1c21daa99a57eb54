"""What a difference may hide: that one segment makes it, or that most segments go the other way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.markup import MOST_NAMED, Sentence
from tercet.statistics.distributions import mcnemar
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.stats import SegmentStats
from tercet.tables import decimals

from .scores import Comparison, ScoreTable, scored_for_all
from .sections import Section

#: A segment makes a difference where without it less than this share is left.
_LEFT = 0.25
#: So many standard errors, of the others, is a difference that looks like one.
_CLEAR = 2.0
#: Less than this share of a difference is of rounding.
_ROUNDING = 1e-9
#: Of fewer units, one is much in any case.
_FEWEST = 10


def cautions_section(comparison: Comparison, table: ScoreTable, units: Sequence[SegmentStats]) -> Section | None:
    """Return cautions on the differences from the baseline, by the rows of all systems; None where there are none."""
    baseline = next(place for place, row in enumerate(table.rows) if row.difference is None)
    unit = comparison.unit
    baseline_without = _without_each(table, units[baseline])
    sentences: list[Sentence] = []
    findings = []
    for place, row in enumerate(table.rows):
        if place == baseline or row.difference is None or not math.isfinite(row.difference):
            continue
        left_without_each = _without_each(table, units[place]) - baseline_without
        decisive = _decisive_unit(left_without_each, row.difference)
        if decisive is not None:
            number, left = decisive
            segment = _first_segment(comparison, table, number)
            findings.append({"system": row.system, "segment": segment, "difference_without_it": left})
            which = f"number {segment:,}" if unit == "segment" else f"that of segment {segment:,}"
            one = f": one {unit}, {which}, makes the difference"
            without = decimals(left, row.digits, signed=True)
            whole = decimals(row.difference, row.digits, signed=True)
            sentences.append(("", row.system, f"{one}; without it, it would be {without} in place of {whole}."))
        is_apart = abs(row.difference) > _ROUNDING * abs(row.value)
        if is_apart and row.difference_low == row.difference_high and table.n_units >= FEWEST_UNITS:
            findings.append({"system": row.system, "differ_alike": table.n_units})
            alike = f"all {table.n_units:,} {unit}s differ alike, so that the interval of the difference has no width"
            sentences.append(("", row.system, f": {alike}; it says little of others."))
        if _most_go_the_other_way(comparison, table, place):
            gains = (row.difference > 0) == table.higher_is_better
            findings.append({"system": row.system, "wins": row.wins, "losses": row.losses})
            better, others = ("better", "worse") if gains else ("worse", "better")
            number_of_others = row.losses if gains else row.wins
            of_all = (row.wins or 0) + (row.ties or 0) + (row.losses or 0)
            text = (
                f" is {better} over all, but {others} in {number_of_others:,} of {of_all:,} {unit}s: a few large "
                "differences outweigh many small ones."
            )
            sentences.append(("", row.system, text))
    if not sentences:
        return None
    return Section("cautions", f"Cautions on {table.title}", sentences[: 2 * MOST_NAMED], None, findings)


def _first_segment(comparison: Comparison, table: ScoreTable, unit: int) -> int:
    """Return the number of a unit's first segment in the test set, from 1: those left out count, too."""
    scored = np.flatnonzero(scored_for_all(list(table.stats.values())))
    clusters = comparison.test_set.clusters
    if clusters is None:
        return int(scored[unit]) + 1
    in_cluster = clusters.selected(scored).numbers == unit
    return int(scored[in_cluster][0]) + 1


def _without_each(table: ScoreTable, stats: SegmentStats) -> NDArray[np.float64]:
    """Return the score of all units but each in turn."""
    return np.asarray(table.scorer.finalize(stats.total() - stats.rows)[table.name], np.float64)


def _decisive_unit(left: NDArray[np.float64], difference: float) -> tuple[int, float] | None:
    """Return the unit without which next to nothing of a difference is left, and what is left; None for none.

    `left` are the differences of all units but each in turn.
    """
    if len(left) < _FEWEST or not difference or not np.isfinite(left).all():
        return None
    sign = math.copysign(1.0, difference)
    number = int(np.argmin(sign * left))
    of_others = np.delete(left, number)
    # The jackknife's standard error (Efron and Tibshirani 1993, equation 11.5), of all units but this one.
    error = math.sqrt((len(of_others) - 1) / len(of_others) * float(((of_others - of_others.mean()) ** 2).sum()))
    is_clear = abs(difference) > _CLEAR * error
    if is_clear and sign * float(left[number]) < _LEFT * abs(difference):
        # What is left by rounding alone is nothing.
        is_rounding = abs(float(left[number])) < _ROUNDING * abs(difference)
        return number, 0.0 if is_rounding else float(left[number])
    return None


def _most_go_the_other_way(comparison: Comparison, table: ScoreTable, place: int) -> bool:
    """Return whether significantly more units speak against a difference than for it (sign test)."""
    row = table.rows[place]
    if row.wins is None or row.losses is None or not row.difference:
        return False
    gains = (row.difference > 0) == table.higher_is_better
    for_it, against_it = (row.wins, row.losses) if gains else (row.losses, row.wins)
    return against_it > for_it and mcnemar(for_it, against_it) < comparison.alpha
