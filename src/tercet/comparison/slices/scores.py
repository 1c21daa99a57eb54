"""Scores and tests of each slice of a test set, adjusted over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tercet.base.metric import Metric
from tercet.comparison.scoring.score_rows import bounds_of_systems
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoredSegments
from tercet.comparison.values.slices import Slices
from tercet.statistics.clusters import clustered
from tercet.statistics.inference import Inference

from .over_runs import slices_over_runs
from .significance import ScoreInSlice, SliceScores, SliceStats, slice_tests


class ScoredSlices(NamedTuple):
    """Slices of one kind, and of each score by its name all systems in each of them."""

    slices: Slices
    by_score: Mapping[str, Sequence[SliceScores]]


def scores_of_slices(
    design: Design,
    metric: Metric,
    scored: ScoredSegments,
    inference: Inference,
) -> list[ScoredSlices]:
    """Return the scores of a metric in each slice: of the segments that are scored for all systems.

    A slice's draws are those that a test set of its segments would have: of a slice that is the whole, p and
    intervals are those of the whole. Where outputs are runs, the scores are of the systems, in their order.
    """
    n_units = len(scored.rows[0]) if scored.clusters is None else len(scored.clusters)
    results = []
    for slices in design.slices:
        stats_of_slices = list(_stats_of_slices(slices, scored))
        if design.joins_runs:
            by_score = slices_over_runs(design, metric, stats_of_slices)
        else:
            by_score = _scores_by_stats(design, metric, stats_of_slices, n_units, inference)
        results.append(ScoredSlices(slices, by_score))
    return results


def _scores_by_stats(
    design: Design, metric: Metric, stats_of_slices: Sequence[SliceStats], n_units: int, inference: Inference
) -> dict[str, list[SliceScores]]:
    """Return the scores of all systems in each slice, by name; the whole test set has `n_units` units."""
    scores_of: dict[str, list[SliceScores]] = {name: [] for name in metric.score_names}
    tests = slice_tests(design, metric, stats_of_slices, n_units, inference) if stats_of_slices else {}
    for number, slice_stats in enumerate(stats_of_slices):
        intervals = design.intervals(metric, slice_stats.units)
        values = slice_stats.scores(metric)
        for name in metric.score_names:
            intervals_of_score = [interval_by_score[name] for interval_by_score in intervals]
            bounds = bounds_of_systems(design, metric, slice_stats.rows, intervals_of_score, inference)
            systems = []
            for index, value in enumerate(values[name].tolist()):
                systems.append(
                    ScoreInSlice(
                        value=value,
                        bounds=bounds.of_scores[index],
                        bounds_of_difference=bounds.of_differences[index],
                        pvalue=float(tests[name].pvalues[number, index]),
                        adjusted_pvalue=float(tests[name].adjusted[number, index]),
                    )
                )
            scores_of[name].append(
                SliceScores(slice_stats.name, len(slice_stats.rows[0]), len(slice_stats.units[0]), systems)
            )
    return scores_of


def _stats_of_slices(slices: Slices, scored: ScoredSegments) -> Iterator[SliceStats]:
    numbers = slices.numbers[scored.is_scored]
    for index, name in enumerate(slices.names):
        inside = numbers == index
        if not inside.any():
            continue
        rows = [stats.selected(inside) for stats in scored.rows]
        if scored.clusters is None:
            yield SliceStats(name, rows, rows, np.flatnonzero(inside))
            continue
        # Those of a slice are numbered as they first occur there.
        cluster_numbers = np.array(list(dict.fromkeys(scored.clusters.numbers[inside].tolist())), np.int64)
        yield SliceStats(name, rows, clustered(rows, scored.clusters.selected(inside)), cluster_numbers)
