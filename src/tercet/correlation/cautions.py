"""What is odd about grades, and what a ranking of metrics by them does not show: warnings of a correlation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tercet.errors import argument_set, as_settings, on_command_line, shorten
from tercet.names_as_shown import MOST_NAMED, counted, joined
from tercet.statistics.distributions import normal_quantile
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.test_sets.score_warnings import n_marked

from .grades import Grades
from .result import Correlation, DimensionTable
from .samples import Array

#: Pooled Pearson's r that contradicts the grades, where it has no interval.
_CONTRARY = -0.3
#: Grades whose mean is so many times that of another rater seem to be of another scale.
_RATIO_OF_SCALES = 5
#: For how many outputs both have grades, at least.
_SHARED_GRADES = 10
#: Items below which intervals and tests are not reliable.
_RELIABLE = 30
#: Power for which the number of items is estimated.
_POWER = 0.8
#: Items beyond which no number is given.
_MOST = 1_000_000


def grade_warnings(correlation: Correlation, table: DimensionTable, grades: Array) -> list[str]:
    """Return what is odd about the grades of a dimension, `grades` being the means that count."""
    messages = []
    test_set = correlation.test_set
    if test_set.hint and test_set.clusters is None:
        # A column looks like one of documents, and nothing is resampled by clusters.
        messages.append(as_settings(test_set.hint))
    messages += _equal_grades_warning(table, np.ptp(grades) == 0)
    if not correlation.standardize:
        messages += _rater_scales_warning(correlation.grades, table.dimension)
    messages += _marked_grades_warning(correlation.grades, table.dimension)
    messages += _contradiction_warning(correlation, table)
    return messages


def ranking_warnings(
    table: DimensionTable,
    resampled_figures: Array,
    titles: Mapping[str, str],
    alpha: float,
    n_clusters: int | None = None,
) -> list[str]:
    """Return warnings; `resampled_figures` (k, B) holds the ranking figure of each metric in each resample."""
    messages = []
    n_units = table.n_items
    unit, units = "graded item", "graded items"
    if n_clusters is not None:
        n_units = n_clusters
        unit, units = "cluster of graded items", "clusters of graded items"
    if n_units < FEWEST_UNITS:
        messages.append(f"Only {counted(n_units, unit, units)}: too few for reliable tests.")
    elif n_units < _RELIABLE:
        messages.append(f"Only {n_units} {units}: too few for reliable intervals and tests.")
    ranked = table.ranked()
    if not ranked:
        return messages
    first, *lower_ranked = ranked
    unclear = next((label for label in lower_ranked if not table.significance(first, label, alpha)), None)
    if unclear is None:
        return messages
    labels = list(table.figures)
    difference = table.figures[first][table.rank_by].value - table.figures[unclear][table.rank_by].value
    resampled_differences = resampled_figures[labels.index(first)] - resampled_figures[labels.index(unclear)]
    n_needed = items_needed(difference, resampled_differences, n_units, alpha)
    # The items may be enough for one test, if not for the tests of all pairs.
    if n_needed is None or n_needed == n_units:
        return messages
    return [
        *messages,
        f"Detecting a difference as small as that between {titles[first]} and {titles[unclear]} in {table.rank_by} "
        f"takes about {n_needed:,} {units}; there are {n_units:,} ({100 * _POWER:.0f} % power, by resampling).",
    ]


def items_needed(difference: float, resampled_differences: Array, n_items: int, alpha: float) -> int | None:
    """Return how many items a two-sided test needs to find a difference; None for none, or more than a million.

    `resampled_differences` are those in resamples of the items. Their standard error shrinks with the root of the
    number of items, and must equal the difference over the sum of the normal quantiles of 1 - alpha / 2 and of the
    power.
    """
    defined = resampled_differences[~np.isnan(resampled_differences)]
    if len(defined) < 2 or math.isnan(difference) or abs(difference) < 1e-12:
        return None
    quantiles = normal_quantile(1 - alpha / 2) + normal_quantile(_POWER)
    needed = n_items * (quantiles * float(defined.std()) / abs(difference)) ** 2
    return None if needed > _MOST else max(n_items, math.ceil(needed))


def _equal_grades_warning(table: DimensionTable, all_equal: bool) -> list[str]:
    """Return a warning of grades that do not differ, so that any metric agrees with them, or none."""
    if not table.equal_grades:
        return []
    if all_equal:
        return [f"All grades in {table.dimension} are equal: they do not show how well a metric agrees."]
    return [
        f"The outputs of each item have equal grades in {table.dimension}: {table.rank_by} does not show how well a "
        "metric agrees."
    ]


def _marked_grades_warning(grades: Grades, dimension: str) -> list[str]:
    """Return a warning of grades that seem to stand for missing ones, such as -1 beside 1 to 5; or none."""
    number = n_marked(grades.values[dimension].ravel())
    if not number:
        return []
    grades_seem = counted(number, "grade seems", "grades seem")
    return [f"{grades_seem} to stand for a missing one in {dimension}, such as -1 or 999: leave its cell empty."]


def _rater_scales_warning(grades: Grades, dimension: str) -> list[str]:
    """Return a warning of raters who seem to use different scales, such as 1 to 5 and 0 to 100; or none."""
    numbers = grades.values[dimension].reshape(len(grades.raters), -1)
    raters = [rater for rater, of_rater in enumerate(numbers) if not np.isnan(of_rater).all()]
    if len(raters) < 2:
        return []
    means = {rater: float(np.nanmean(numbers[rater])) for rater in raters}
    low = min(raters, key=means.__getitem__)
    high = max(raters, key=means.__getitem__)
    # Only outputs that both have graded show more than that these were better.
    shared = numbers[:, ~np.isnan(numbers[low] + numbers[high])]
    low_grades = shared[low]
    high_grades = shared[high]
    if len(low_grades) < _SHARED_GRADES or min(low_grades.min(), high_grades.min()) < 0 or not low_grades.any():
        return []
    # Penalties differ as much, of which most are 0.
    if high_grades.mean() < _RATIO_OF_SCALES * low_grades.mean() or np.median(high_grades) <= low_grades.max():
        return []
    setting = "--standardize" if on_command_line() else "standardize=True"
    return [
        f"Raters seem to use different scales in {dimension}: the grades of {shorten(grades.raters[low])} are from "
        f"{low_grades.min():g} to {low_grades.max():g}, those of {shorten(grades.raters[high])} for the same outputs "
        f"from {high_grades.min():g} to {high_grades.max():g}. {setting} takes the z-scores of each rater."
    ]


def _contradiction_warning(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return a warning of metrics that contradict the grades, as low is good of one of the two, perhaps; or none."""
    figures = {column.label: table.figures[column.label]["pooled.pearson"] for column in correlation.metrics}
    contrary = []
    for column in correlation.metrics:
        figure = figures[column.label]
        if figure.high < 0 or (math.isnan(figure.high) and figure.value <= _CONTRARY):
            contrary.append(column)
    if not contrary:
        return []
    contrary.sort(key=lambda column: figures[column.label].value)
    titles = correlation.titles()
    names = joined([titles[column.label] for column in contrary], MOST_NAMED)
    values = joined([f"{figures[column.label].value:.3f}" for column in contrary], MOST_NAMED)
    contradict = "contradicts" if len(contrary) == 1 else "contradict"
    sentences = [f"{names} {contradict} the grades in {table.dimension} (pooled.pearson {values})."]
    # Which way a metric of texts goes is known: if one agrees with the grades, these go the way that is assumed.
    confirmed = any(column.metric and figures[column.label].low > 0 for column in correlation.metrics)
    if not confirmed:
        is_lower = table.dimension in correlation.grades.lower_is_better
        sentences.append(_direction_in_words("grades", "dimension", table.dimension, is_lower))
    if confirmed or not any(column.metric for column in contrary):
        for negated in (False, True):
            labels = [column.label for column in contrary if not column.metric and column.negated == negated]
            if labels:
                sentences.append(_direction_in_words(f"scores of {joined(labels)}", "scores", labels[0], negated))
    return [" ".join(sentences)]


def _direction_in_words(values: str, option: str, name: str, is_lower: bool) -> str:
    """Return which values count as better, and how to say that the others are."""
    way, other_way = ("lower", "higher") if is_lower else ("higher", "lower")
    setting = argument_set(option, f"{name}:better={other_way}")
    return f"{way.capitalize()} {values} count as better: if {other_way} ones are, give {setting}."
