"""The metrics in one dimension of grades: figures with intervals, tests, the ranking, and warnings about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from tercet.errors import InputError, OptionError, shorten
from tercet.names_as_shown import counted
from tercet.statistics.intervals import FEWEST_UNITS, too_few_units
from tercet.threads import in_threads

from .cautions import grade_warnings, ranking_warnings
from .figures import FIGURES, FigureValue, PointEstimate, figures_for, level_of, points_of, value_in
from .layers import layer_sweeps
from .resampling import distributions, percentile_interval
from .result import Correlation, DimensionTable
from .samples import Array, GradedOutputs, Sample, pair_differences
from .significance import metric_tests, name_of_test, significance_clusters, williams_between

#: Metrics whose figures are found at a time: each takes memory for all pairs of outputs.
_THREADS = 2


def dimension_table(correlation: Correlation, dimension: str, rank_by: str | None) -> DimensionTable:
    """Return the figures, tests and ranking of all metrics in a dimension, and the warnings about them."""
    labels = [column.label for column in correlation.metrics]
    scores = np.array([column.scores for column in correlation.metrics], np.float64)
    outputs = GradedOutputs.of(correlation.mean_grades(dimension), scores, correlation.cluster_numbers())
    human = outputs.human
    is_graded = ~np.isnan(human)
    if is_graded.sum() < 2:
        raise InputError(f"Fewer than two outputs have a grade in {shorten(dimension)} and a score of every metric.")
    names = _figures_that_exist(human)
    ranking_figure = rank_by
    if ranking_figure is None:
        negated = dimension in correlation.grades.lower_is_better
        # Negated preferences are 0 and -1.
        ranking_figure = _default_figure(1 + human if negated else human, names)
    _check_figure(ranking_figure, names, dimension)
    n_clusters = None
    if outputs.clusters is not None:
        n_clusters = len(np.unique(outputs.clusters[is_graded.any(axis=0)]))
    too_few = _too_few_to_resample(correlation.unit, is_graded, n_clusters)
    wholes = [Sample.whole(human, metric) for metric in outputs.metrics]
    estimates = _point_estimates(names, wholes)
    resampled_figures = distributions(
        estimates,
        wholes,
        unit=correlation.unit,
        n_resamples=correlation.n_resamples,
        seed=correlation.seed,
        clusters=outputs.clusters,
    )
    level = None if too_few else correlation.confidence_level
    figures = _figures_by_metric(labels, wholes, estimates, resampled_figures, level)
    values = [estimate.value for estimate in estimates[ranking_figure]]
    epsilons = [estimate.epsilon for estimate in estimates[ranking_figure]]
    tests = metric_tests(ranking_figure, outputs, epsilons, correlation.n_permutations, correlation.seed)
    cluster_of_metric = significance_clusters(values, tests.two_sided, correlation.alpha)
    equal_grades = _are_equal(human, ranking_figure)
    clusters: dict[str, int | None] = dict.fromkeys(labels)
    if not equal_grades:
        clusters.update(zip(labels, cluster_of_metric, strict=True))
    table = DimensionTable(
        dimension=dimension,
        n_graded=int(is_graded.sum()),
        n_items=int(is_graded.any(axis=0).sum()),
        equal_grades=equal_grades,
        figures=figures,
        rank_by=ranking_figure,
        ranking=_ranked_labels(labels, cluster_of_metric, values),
        clusters=clusters,
        test=name_of_test(ranking_figure),
        pvalues=tests.better,
        adjusted=_where_better(values, tests.adjusted),
        williams=williams_between(ranking_figure, outputs),
        agreement=correlation.grades.agreement(dimension),
        layers=layer_sweeps(
            dimension,
            ranking_figure,
            outputs,
            columns=correlation.metrics,
            figures=figures,
            n_permutations=correlation.n_permutations,
            seed=correlation.seed,
        ),
    )
    ranking_figures = resampled_figures[ranking_figure]
    table.remarks.extend([*too_few, *_remarks(correlation, table, human[is_graded], ranking_figures, n_clusters)])
    return table


def _check_figure(name: str, names: Sequence[str], dimension: str) -> None:
    """Raise an OptionError for a figure that the grades of a dimension do not have."""
    if name in names:
        return
    needed = "several systems with grades of the same item"
    if level_of(name) != "item":
        figure = FIGURES[name]
        needed = f"grades of {counted(figure.least_systems, 'system')}"
        if figure.least_items > 1:
            needed += f" and {counted(figure.least_items, 'item')}"
    raise OptionError(f"The figure {name!r} needs {needed}; {shorten(dimension)} has {', '.join(names)}.")


def _remarks(
    correlation: Correlation, table: DimensionTable, grades: Array, ranking_figures: Array, n_clusters: int | None
) -> list[str]:
    """Return the warnings about grades and ranking; `ranking_figures` are those of resamples, shape (k, B)."""
    of_ranking = ranking_warnings(table, ranking_figures, correlation.titles(), correlation.alpha, n_clusters)
    return [*grade_warnings(correlation, table, grades), *of_ranking]


def _point_estimates(names: Sequence[str], wholes: Sequence[Sample]) -> dict[str, list[PointEstimate]]:
    """Return the figures of each metric, by name."""

    def estimates_of(whole: Sample) -> dict[str, PointEstimate]:
        return {name: value_in(name, whole) for name in names}

    by_metric = list(in_threads(estimates_of, wholes, _THREADS))
    return {name: [estimates[name] for estimates in by_metric] for name in names}


def _figures_by_metric(
    labels: Sequence[str],
    wholes: Sequence[Sample],
    estimates: Mapping[str, Sequence[PointEstimate]],
    resampled_figures: Mapping[str, Array],
    confidence_level: float | None,
) -> dict[str, dict[str, FigureValue]]:
    """Return each figure of each metric with its interval; NaN without a level."""
    figures: dict[str, dict[str, FigureValue]] = {label: {} for label in labels}
    for name, estimates_of_figure in estimates.items():
        for index, label in enumerate(labels):
            value, epsilon = estimates_of_figure[index]
            low = high = math.nan
            if confidence_level is not None:
                low, high = percentile_interval(resampled_figures[name][index], value, confidence_level)
            n = points_of(name, wholes[index])
            figures[label][name] = FigureValue(value=value, low=low, high=high, epsilon=epsilon, n=n)
    return figures


def _figures_that_exist(human: Array) -> list[str]:
    """Return the names of the figures that such grades have, shape (n, m), whatever the metric."""
    n_systems, n_items = human.shape
    names = figures_for(n_systems, n_items)
    # No item has two outputs to compare.
    if not ((~np.isnan(human)).sum(0) > 1).any():
        names = [name for name in names if level_of(name) != "item"]
    return names


def _default_figure(human: Array, names: Sequence[str]) -> str:
    """Return the figure that ranks the metrics where none is given."""
    if "item.acc_eq" not in names:
        return "pooled.pearson"
    are_preferences = len(human) == 2 and set(np.unique(human[~np.isnan(human)])) <= {0.0, 1.0}
    return "item.darr" if are_preferences else "item.acc_eq"


def _ranked_labels(labels: Sequence[str], cluster_of_metric: Sequence[int], values: Sequence[float]) -> list[str]:
    """Return the metrics by cluster, those of a cluster by their values, the best first."""

    def cluster_and_value(index: int) -> tuple[int, float]:
        return cluster_of_metric[index], -np.nan_to_num(values[index], nan=-np.inf)

    return [labels[index] for index in sorted(range(len(labels)), key=cluster_and_value)]


def _too_few_to_resample(unit: str, is_graded: Array, n_clusters: int | None) -> list[str]:
    """Return why there are no intervals, as what is resampled is too few; nothing where it is enough."""
    n_units = {}
    if unit != "items":
        n_units["system"] = int(is_graded.any(axis=1).sum())
    if unit != "systems" and n_clusters is None:
        n_units["item"] = int(is_graded.any(axis=0).sum())
    if unit != "systems" and n_clusters is not None:
        n_units["cluster"] = n_clusters
    return [too_few_units(n, name) for name, n in n_units.items() if n < FEWEST_UNITS]


def _where_better(values: Sequence[float], pvalues: Array) -> Array:
    """Return p of two metrics, shape (k, k), in the row of the better one, of equal ones the second; 1 elsewhere."""
    where_better = np.ones_like(pvalues)
    for first, second in combinations(range(len(values)), 2):
        if math.isnan(pvalues[first, second]):
            continue
        if values[second] >= values[first]:
            where_better[second, first] = pvalues[second, first]
        else:
            where_better[first, second] = pvalues[first, second]
    return where_better


def _are_equal(human: Array, rank_by: str) -> bool:
    """Return whether no two grades that the figure compares differ."""
    if level_of(rank_by) == "item":
        return not np.nan_to_num(pair_differences(human)).any()
    return bool(np.nanmin(human) == np.nanmax(human))
