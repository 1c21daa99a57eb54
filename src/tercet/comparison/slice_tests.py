"""Tests of each system against the baseline in each slice of a test set, adjusted for all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.statistics.draws import ConfidenceInterval, Exchanges, n_exchanges, rounding
from tercet.statistics.families import NullDistribution, family_test, holm
from tercet.statistics.inference import Inference, PairedTest
from tercet.statistics.stats import Scores, SegmentStats

from .result import Comparison

if TYPE_CHECKING:
    from tercet.statistics.paired_tests import NullDifferences

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The rows of all systems in a slice, and of what is resampled there."""

    name: str
    rows: list[SegmentStats]
    units: list[SegmentStats]
    #: The numbers of these units among those of the whole test set.
    numbers: NDArray[np.int64]

    def scores(self, metric: Metric) -> dict[str, Array]:
        """Return the scores of all systems."""
        of_systems = [metric.finalize(metric.corpus_totals(stats)) for stats in self.rows]
        return {name: np.array([float(scores[name]) for scores in of_systems]) for name in metric.score_names}


@dataclass(frozen=True, slots=True)
class SliceScores:
    """The scores of all systems in a slice."""

    name: str
    n_segments: int
    n_units: int
    values: list[float]
    bounds: list[ConfidenceInterval]
    #: Of the differences from the baseline.
    bounds_of_differences: list[ConfidenceInterval]
    #: Of the test against the baseline, alone and adjusted for all slices and systems; NaN without one.
    pvalues: list[float]
    adjusted_pvalues: list[float]
    #: Of systems with several runs: what else their rows have, and why each was not tested, "" where it was.
    over_runs: list[dict[str, Any]] = field(default_factory=list)
    why_untested: list[str] = field(default_factory=list)


class SliceTests(NamedTuple):
    """P of each system against the baseline, shape (slices, systems): alone, and adjusted for all of them.

    NaN for the baseline itself, without a test, and where a score is NaN.
    """

    pvalues: Array
    adjusted: Array


def slice_tests(
    comparison: Comparison, metric: Metric, parts: Sequence[Part], n_units: int, inference: Inference
) -> dict[str, SliceTests]:
    """Return the tests of each score; the whole test set has `n_units` units."""
    if inference.resamples_slices_together:
        tests = _exchanged(comparison, metric, parts, n_units)
        if inference.adjust == "step-down":
            return tests
        alone = {name: of_score.pvalues for name, of_score in tests.items()}
    else:
        alone = _tested_alone(comparison, metric, parts, inference.test)
    scores = [part.scores(metric) for part in parts]
    return {
        name: by_holm(pvalues, np.array([of_slice[name] for of_slice in scores]), _baseline_index(comparison))
        for name, pvalues in alone.items()
    }


def _baseline_index(comparison: Comparison) -> int:
    return list(comparison.test_set.systems).index(comparison.baseline)


def _indices_of_others(comparison: Comparison) -> list[int]:
    """Return the numbers of the systems that are compared with the baseline."""
    baseline = _baseline_index(comparison)
    return [system for system in range(len(comparison.test_set.systems)) if system != baseline]


def _exchanged(comparison: Comparison, metric: Metric, parts: Sequence[Part], n_units: int) -> dict[str, SliceTests]:
    """Return the permutation tests: one toss for a unit of the whole test set exchanges it in all slices."""
    n_resamples = comparison.n_resamples or 0
    baseline = _baseline_index(comparison)
    exchanges = Exchanges(n_units, n_resamples, comparison.seed)
    compared = [(number, system) for number in range(len(parts)) for system in _indices_of_others(comparison)]
    exchanged = _OneSlice(metric, parts, exchanges)

    def differences(slices_and_systems: Sequence[tuple[int, int]], resamples: slice) -> Scores:
        parts_of_scores: dict[str, list[Array]] = {}
        for number, of_slice in groupby(slices_and_systems, key=itemgetter(0)):
            # In the order in which the whole test set has them.
            pairs = [(min(system, baseline), max(system, baseline)) for _, system in of_slice]
            for name, of_score in exchanged.differences(number, resamples)(pairs, slice(None)).items():
                parts_of_scores.setdefault(name, []).append(of_score)
        return {name: np.concatenate(of_parts) for name, of_parts in parts_of_scores.items()}

    scores = [part.scores(metric) for part in parts]
    of_baseline = {
        name: np.array([scores[number][name][baseline] for number, _ in compared]) for name in metric.score_names
    }
    of_others = {
        name: np.array([scores[number][name][system] for number, system in compared]) for name in metric.score_names
    }
    is_complete = n_exchanges(n_units, n_resamples) is not None
    null = NullDistribution(compared, exchanges.n_resamples, differences, is_complete)
    results = family_test(null, of_baseline, of_others, slack=rounding(n_units))
    tests = {}
    shape = (len(parts), len(comparison.test_set.systems))
    for name, result in results.items():
        tests[name] = SliceTests(np.full(shape, np.nan), np.full(shape, np.nan))
        for table, pvalues in zip(tests[name], result, strict=True):
            for slice_and_system, p in zip(compared, pvalues.tolist(), strict=True):
                table[slice_and_system] = p
    return tests


class _OneSlice:
    """The exchanges in a slice, which are kept while the same slice is asked for: its systems follow one another."""

    def __init__(self, metric: Metric, parts: Sequence[Part], exchanges: Exchanges) -> None:
        self._metric = metric
        self._parts = parts
        self._exchanges = exchanges
        self._held: tuple[int, slice] | None = None
        self._differences: NullDifferences | None = None

    def differences(self, number: int, resamples: slice) -> NullDifferences:
        """Return the differences of pairs of systems in a slice, for all of some resamples."""
        from tercet.statistics.paired_tests import exchanged_differences

        if self._differences is None or self._held != (number, resamples):
            part = self._parts[number]
            masks = self._exchanges.masks(part.numbers, resamples)
            n_resamples = resamples.stop - resamples.start
            self._differences = exchanged_differences(self._metric, part.units, masks, n_resamples)
            self._held = (number, resamples)
        return self._differences


def _tested_alone(
    comparison: Comparison, metric: Metric, parts: Sequence[Part], test: PairedTest | None
) -> dict[str, Array]:
    """Return p of a test whose resamples no two slices share, of each slice by itself; NaN without a test."""
    shape = (len(parts), len(comparison.test_set.systems))
    alone = {name: np.full(shape, np.nan) for name in metric.score_names}
    if test is None:
        return alone
    baseline = _baseline_index(comparison)
    others = _indices_of_others(comparison)
    # In the order in which the whole test set has them.
    pairs = [(min(system, baseline), max(system, baseline)) for system in others]
    n_resamples = comparison.n_resamples or 0
    for number, part in enumerate(parts):
        results = test.of_pairs(metric, part.units, pairs, n_resamples=n_resamples, seed=comparison.seed)
        for name in metric.score_names:
            alone[name][number, others] = results[name].pvalues
    return alone


def by_holm(alone: Array, scores: Array, baseline: int) -> SliceTests:
    """Return p, shape (slices, systems), with the same adjusted for all slices and systems by Holm's method."""
    # A score that is NaN cannot be tested.
    is_known = ~np.isnan(alone) & ~np.isnan(scores) & ~np.isnan(scores[:, [baseline]])
    adjusted = np.full(alone.shape, np.nan)
    adjusted[is_known] = holm(alone[is_known].tolist())
    return SliceTests(alone, adjusted)
