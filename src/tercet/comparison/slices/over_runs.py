"""Systems with several runs in each slice of a test set: means over runs, tested as those of the whole are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.comparison.runs.section import why_untested
from tercet.comparison.runs.significance import estimates_of_systems, spread_of
from tercet.comparison.values.design import Design
from tercet.comparison.values.run_scores import RunsInSlice
from tercet.statistics.estimates import Estimate
from tercet.statistics.resampled_scores import N_RESAMPLES, bootstrap_scores

from .significance import ScoreInSlice, SliceScores, SliceStats, by_holm


def slices_over_runs(
    design: Design, metric: Metric, stats_of_slices: Sequence[SliceStats]
) -> dict[str, list[SliceScores]]:
    """Return the scores of the systems in each slice, by name.

    Tests share no draws: p of each score is adjusted for all slices and systems by Holm's method.
    """
    scores_of: dict[str, list[SliceScores]] = {name: [] for name in metric.score_names}
    for slice_stats in stats_of_slices:
        draws = bootstrap_scores(metric, slice_stats.units, N_RESAMPLES, design.seed)
        values = slice_stats.scores(metric)
        n_units = len(slice_stats.units[0])
        for name in metric.score_names:
            outputs = {}
            for index, output in enumerate(design.systems):
                resampled = np.asarray(draws[index][name], np.float64)
                outputs[output] = Estimate(float(values[name][index]), resampled, n_units)
            systems = _in_slice(design, metric, outputs, n_units)
            scores_of[name].append(SliceScores(slice_stats.name, len(slice_stats.rows[0]), n_units, systems))
    return {name: _with_adjusted_pvalues(design, slices) for name, slices in scores_of.items()}


def _in_slice(design: Design, metric: Metric, outputs: dict[str, Estimate], n_units: int) -> list[ScoreInSlice]:
    """Return the systems in a slice, with p of each test alone: it is not adjusted yet."""
    systems, spread = estimates_of_systems(design.runs, outputs)
    level = design.confidence_level
    system_of_baseline = design.system_of_baseline
    baseline = systems[system_of_baseline]
    scores = []
    for name, estimate in systems.items():
        against = spread.against_baseline(baseline, estimate, level)
        bounds = spread.interval_of(estimate, level, metric)
        runs = {output: outputs[output].value for output in design.runs[name]}
        runs_in_slice = RunsInSlice(runs, spread_of(estimate), t=None, freedom=None)
        p = math.nan
        reason = ""
        if name != system_of_baseline:
            runs_in_slice = runs_in_slice._replace(t=against.t, freedom=against.freedom)
            p = spread.pvalue_of(baseline, estimate, n_units)
            if math.isnan(p):
                knows_spread = spread.is_known(baseline, estimate)
                reason = why_untested(against, bounds.low, design.unit, knows_spread=knows_spread)
        scores.append(
            ScoreInSlice(
                value=estimate.value,
                bounds=bounds,
                bounds_of_difference=against.bounds,
                pvalue=p,
                adjusted_pvalue=math.nan,
                over_runs=runs_in_slice,
                why_untested=reason,
            )
        )
    return scores


def _with_adjusted_pvalues(design: Design, slices: Sequence[SliceScores]) -> list[SliceScores]:
    """Return the slices with p adjusted for all of them."""
    if not slices:
        return []
    pvalues: NDArray[np.float64] = np.array(
        [[score.pvalue for score in scores.systems] for scores in slices], np.float64
    )
    values: NDArray[np.float64] = np.array(
        [[score.value for score in scores.systems] for scores in slices], np.float64
    )
    baseline = list(design.runs).index(design.system_of_baseline)
    adjusted = by_holm(pvalues, values, baseline).adjusted.tolist()
    adjusted_slices = []
    for scores, pvalues_of_slice in zip(slices, adjusted, strict=True):
        systems = [
            score._replace(adjusted_pvalue=p) for score, p in zip(scores.systems, pvalues_of_slice, strict=True)
        ]
        adjusted_slices.append(scores._replace(systems=systems))
    return adjusted_slices
