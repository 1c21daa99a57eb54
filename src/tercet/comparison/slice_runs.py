"""Systems with several runs in each slice of a test set: means over runs, tested as those of the whole are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.statistics.draws import N_RESAMPLES, ConfidenceInterval, bootstrap_scores
from tercet.statistics.estimates import Estimate

from .result import Comparison
from .runs import against, estimates_of_systems, interval_of, pvalue_of, why_untested
from .slice_tests import Part, SliceScores, by_holm


def scores_over_runs(comparison: Comparison, metric: Metric, parts: Sequence[Part]) -> dict[str, list[SliceScores]]:
    """Return the scores of the systems in each slice, by name.

    Tests share no draws: p of each score is adjusted for all slices and systems by Holm's method.
    """
    scores_of: dict[str, list[SliceScores]] = {name: [] for name in metric.score_names}
    for part in parts:
        draws = bootstrap_scores(metric, part.units, N_RESAMPLES, comparison.seed)
        values = part.scores(metric)
        for name in metric.score_names:
            outputs = {}
            for index, output in enumerate(comparison.test_set.systems):
                resampled = np.asarray(draws[index][name], np.float64)
                outputs[output] = Estimate(float(values[name][index]), resampled, len(part.units[0]))
            scores_of[name].append(_in_slice(comparison, metric, part, outputs))
    return {name: _adjusted(comparison, slices) for name, slices in scores_of.items()}


def _in_slice(comparison: Comparison, metric: Metric, part: Part, outputs: dict[str, Estimate]) -> SliceScores:
    """Return the systems in a slice, with p of each test alone: it is not adjusted yet."""
    systems, known = estimates_of_systems(comparison.runs, outputs)
    level = comparison.confidence_level
    n_units = len(part.units[0])
    names = list(systems)
    baseline = names[_baseline_index(comparison)]
    lone = []
    if known is None:
        lone = [name for name in names if len(systems[name].runs) < 2]
    slice_scores = SliceScores(part.name, len(part.rows[0]), n_units, [], [], [], [], [])
    for name, estimate in systems.items():
        figures = against(systems[baseline], estimate, known, level)
        difference = figures["difference"]
        margin = math.nan if figures["margin"] is None else figures["margin"]
        bounds = interval_of(estimate, known, level, metric)
        slice_scores.values.append(estimate.value)
        slice_scores.bounds.append(bounds)
        slice_scores.bounds_of_differences.append(ConfidenceInterval(difference - margin, difference + margin))
        p = math.nan
        reason = ""
        if name != baseline:
            p = pvalue_of(systems[baseline], estimate, known, n_units)
            if math.isnan(p):
                row = {"system": name, "difference": difference, "low": bounds.low}
                reason = why_untested(row, baseline, f"{comparison.unit}s", lone)
        slice_scores.pvalues.append(p)
        slice_scores.why_untested.append(reason)
        over_runs: dict[str, Any] = {
            "runs": {output: outputs[output].value for output in comparison.runs[name]},
            "spread": None,
            "t": None,
            "freedom": None,
        }
        if estimate.runs:
            over_runs["spread"] = float(np.std(estimate.runs, ddof=1))
        if name != baseline:
            over_runs["t"] = figures["t"]
            over_runs["freedom"] = figures["freedom"]
        slice_scores.over_runs.append(over_runs)
    return slice_scores


def _adjusted(comparison: Comparison, slices: Sequence[SliceScores]) -> list[SliceScores]:
    if not slices:
        return []
    pvalues: NDArray[np.float64] = np.array([part.pvalues for part in slices], np.float64)
    values: NDArray[np.float64] = np.array([part.values for part in slices], np.float64)
    adjusted = by_holm(pvalues, values, _baseline_index(comparison)).adjusted.tolist()
    return [replace(part, adjusted_pvalues=of_part) for part, of_part in zip(slices, adjusted, strict=True)]


def _baseline_index(comparison: Comparison) -> int:
    """Return the index of the baseline among the systems: an output stands for it."""
    (index,) = (index for index, outputs in enumerate(comparison.runs.values()) if comparison.baseline in outputs)
    return index
