"""Tests of each system against the baseline in each slice of a test set, adjusted for all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.comparison.values.design import Design
from tercet.comparison.values.run_scores import RunsInSlice
from tercet.statistics.adjusted_p import NullDistribution, family_test
from tercet.statistics.draws import Exchanges
from tercet.statistics.holm import holm
from tercet.statistics.inference import Inference, pvalues_of_pairs
from tercet.statistics.intervals import ConfidenceInterval
from tercet.statistics.kinds_of_tests import TestKind
from tercet.statistics.rounding import rounding
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from tercet.statistics.null_differences import NullDifferences

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SliceStats:
    """The rows of all systems in a slice, and of what is resampled there."""

    name: str
    rows: list[SegmentStats]
    units: list[SegmentStats]
    #: The numbers of these units among those of the whole test set.
    numbers: NDArray[np.int64]

    def scores(self, metric: Metric) -> dict[str, Array]:
        """Return the scores of all systems."""
        scores_of_systems = [metric.finalize(metric.corpus_totals(stats)) for stats in self.rows]
        return {name: np.array([float(scores[name]) for scores in scores_of_systems]) for name in metric.score_names}


class ScoreInSlice(NamedTuple):
    """A system's score in a slice."""

    value: float
    bounds: ConfidenceInterval
    #: Of the difference from the baseline.
    bounds_of_difference: ConfidenceInterval
    #: Of the test against the baseline, alone and adjusted for all slices and systems; NaN without one.
    pvalue: float
    adjusted_pvalue: float
    #: Of a system with several runs: what else its row has, and why it was not tested, "" where it was.
    over_runs: RunsInSlice | None = None
    why_untested: str = ""


class SliceScores(NamedTuple):
    """The scores of all systems in a slice."""

    name: str
    n_segments: int
    n_units: int
    systems: list[ScoreInSlice]


class SliceTests(NamedTuple):
    """P of each system against the baseline, shape (slices, systems): alone, and adjusted for all of them.

    NaN for the baseline itself, without a test, and where a score is NaN.
    """

    pvalues: Array
    adjusted: Array


def slice_tests(
    design: Design, metric: Metric, stats_of_slices: Sequence[SliceStats], n_units: int, inference: Inference
) -> dict[str, SliceTests]:
    """Return the tests of each score; the whole test set has `n_units` units."""
    if inference.resamples_slices_together:
        exchanged = _exchange_tests(design, metric, stats_of_slices, n_units)
        if inference.adjust == "step-down":
            return exchanged
        alone = {name: tests_of_score.pvalues for name, tests_of_score in exchanged.items()}
    else:
        alone = _separate_tests(design, metric, stats_of_slices, inference.test)
    scores = [slice_stats.scores(metric) for slice_stats in stats_of_slices]
    tests = {}
    for name, pvalues in alone.items():
        values = np.array([scores_of_slice[name] for scores_of_slice in scores])
        tests[name] = by_holm(pvalues, values, design.baseline_index)
    return tests


def _indices_of_others(design: Design) -> list[int]:
    """Return the numbers of the systems that are compared with the baseline."""
    baseline = design.baseline_index
    return [system for system in range(len(design.systems)) if system != baseline]


def _exchange_tests(
    design: Design, metric: Metric, stats_of_slices: Sequence[SliceStats], n_units: int
) -> dict[str, SliceTests]:
    """Return the permutation tests: one toss for a unit of the whole test set exchanges it in all slices."""
    baseline = design.baseline_index
    exchanges = Exchanges(n_units, design.n_resamples or 0, design.seed)
    compared = [(number, system) for number in range(len(stats_of_slices)) for system in _indices_of_others(design)]
    exchanged = _OneSlice(metric, stats_of_slices, exchanges)

    def differences(slices_and_systems: Sequence[tuple[int, int]], resamples: slice) -> Scores:
        parts_of_scores: dict[str, list[Array]] = {}
        for number, pairs_of_slice in groupby(slices_and_systems, key=itemgetter(0)):
            # In the order in which the whole test set has them.
            pairs = [(min(system, baseline), max(system, baseline)) for _, system in pairs_of_slice]
            for name, draws in exchanged.differences(number, resamples)(pairs, slice(None)).items():
                parts_of_scores.setdefault(name, []).append(draws)
        return {name: np.concatenate(parts) for name, parts in parts_of_scores.items()}

    scores = [slice_stats.scores(metric) for slice_stats in stats_of_slices]
    scores_of_baseline = {}
    scores_of_others = {}
    for name in metric.score_names:
        scores_of_baseline[name] = np.array([scores[number][name][baseline] for number, _ in compared])
        scores_of_others[name] = np.array([scores[number][name][system] for number, system in compared])
    n_resamples, is_complete = exchanges.resamples
    null = NullDistribution(compared, n_resamples, differences, is_complete)
    results = family_test(null, scores_of_baseline, scores_of_others, slack=rounding(n_units))
    tests = {}
    shape = (len(stats_of_slices), len(design.systems))
    for name, result in results.items():
        pvalues = np.full(shape, np.nan)
        adjusted = np.full(shape, np.nan)
        for number, slice_and_system in enumerate(compared):
            pvalues[slice_and_system] = result.pvalues[number]
            adjusted[slice_and_system] = result.adjusted[number]
        tests[name] = SliceTests(pvalues, adjusted)
    return tests


class _OneSlice:
    """The exchanges in a slice, which are kept while the same slice is asked for: its systems follow one another."""

    def __init__(self, metric: Metric, stats_of_slices: Sequence[SliceStats], exchanges: Exchanges) -> None:
        self._metric = metric
        self._stats_of_slices = stats_of_slices
        self._exchanges = exchanges
        self._held: tuple[int, slice] | None = None
        self._differences: NullDifferences | None = None

    def differences(self, number: int, resamples: slice) -> NullDifferences:
        """Return the differences of pairs of systems in a slice, for all of some resamples."""
        from tercet.statistics.null_differences import exchanged_differences

        if self._differences is None or self._held != (number, resamples):
            slice_stats = self._stats_of_slices[number]
            masks = self._exchanges.masks(slice_stats.numbers, resamples)
            n_resamples = resamples.stop - resamples.start
            self._differences = exchanged_differences(self._metric, slice_stats.units, masks, n_resamples)
            self._held = (number, resamples)
        return self._differences


def _separate_tests(
    design: Design, metric: Metric, stats_of_slices: Sequence[SliceStats], test: TestKind | None
) -> dict[str, Array]:
    """Return p of a test whose draws no two slices share, of each slice by itself; NaN without a test."""
    shape = (len(stats_of_slices), len(design.systems))
    alone = {name: np.full(shape, np.nan) for name in metric.score_names}
    if test is None:
        return alone
    baseline = design.baseline_index
    others = _indices_of_others(design)
    # In the order in which the whole test set has them.
    pairs = [(min(system, baseline), max(system, baseline)) for system in others]
    n_resamples = design.n_resamples or 0
    for number, slice_stats in enumerate(stats_of_slices):
        results = pvalues_of_pairs(test, metric, slice_stats.units, pairs, n_resamples=n_resamples, seed=design.seed)
        for name in metric.score_names:
            alone[name][number, others] = results[name].pvalues
    return alone


def by_holm(alone: Array, scores: Array, baseline: int) -> SliceTests:
    """Return p, shape (slices, systems), alone and adjusted for all slices and systems by Holm's method."""
    # A score that is NaN cannot be tested.
    is_known = ~np.isnan(alone) & ~np.isnan(scores) & ~np.isnan(scores[:, [baseline]])
    adjusted = np.full(alone.shape, np.nan)
    adjusted[is_known] = holm(alone[is_known].tolist())
    return SliceTests(alone, adjusted)
