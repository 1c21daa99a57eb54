"""The figures of agreement between metrics and grades, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from .coefficients import (
    columns_kendall,
    columns_pearson,
    columns_spearman,
    points_kendall,
    points_pearson,
    points_spearman,
)
from .exchanges import MetricTests, accuracy_tests, pairwise_accuracy_tests, pearson_tests, soft_accuracy_tests
from .pairs import accuracy, calibrate, darr, difference_pearson
from .samples import Array, GradedOutputs, Key, OfColumns, OfPoints, Sample
from .soft_accuracy import resampled_soft_accuracy, soft_pairwise_accuracy


@dataclass(frozen=True, slots=True)
class FigureValue:
    """A figure of a metric.

    Attributes
    ----------
    value : float
    low, high : float
        Bootstrap interval; NaN where fewer than five units are resampled.
    epsilon : float
        Differences of the metric's scores, in their own unit, of at most this much count as ties; 0 but for
        ``item.acc_eq``.
    n : int
        Number of outputs, items or systems behind it. Items with a constant side have no correlation.
    """

    value: float
    low: float
    high: float
    epsilon: float
    n: int


class PointEstimate(NamedTuple):
    """A figure of a metric, and the threshold of ties, of differences of scores: 0 except for ``item.acc_eq``."""

    value: float
    epsilon: float = 0.0


#: From outputs, the metrics' thresholds of ties, the number of resamples and a seed to p of each two metrics.
Test = Callable[[GradedOutputs, Sequence[float], int, int], MetricTests]


class Figure(NamedTuple):
    """A figure of a sample."""

    function: Callable[[Sample], Array]
    least_systems: int
    #: What it is called in a sentence.
    title: str
    #: What it is.
    about: str
    #: Its least value; the greatest is 1.
    least: int = 0
    #: Whether it is about 0 for scores that are unrelated to the grades.
    is_correlation: bool = False
    #: Of one item, where it may be undefined.
    of_item: OfColumns | None = None
    #: Of the sample in which everything counts once, where another formula gives it than in resamples.
    point: Callable[[Sample], PointEstimate] | None = None
    #: Of resamples, where the point estimate has a part in it.
    resampled: Callable[[Sample, PointEstimate], Array] | None = None
    #: The test of metrics by it; by default their standardized scores are exchanged, and the figure computed anew.
    test: Test | None = None
    #: Of fewer items, as of fewer systems, it is not defined.
    least_items: int = 1

    @property
    def definition(self) -> str:
        """Name, meaning and range."""
        return f"{self.title}: {self.about_and_range}"

    @property
    def about_and_range(self) -> str:
        """What it is, and which values it may have."""
        unrelated = ", 0 if unrelated" if self.is_correlation else ""
        return f"{self.about}; from {self.least} to 1{unrelated}"


def _pooled(figure: OfPoints, title: str, test: Test | None = None) -> Figure:
    return Figure(
        lambda sample: sample.pooled(figure),
        least_systems=1,
        title=f"pooled {title}",
        about="over all outputs, whatever their system and item",
        least=-1,
        is_correlation=True,
        test=test,
    )


def _of_items(figure: OfColumns, title: str, least_systems: int) -> Figure:
    return Figure(
        lambda sample: sample.within(figure),
        least_systems=least_systems,
        title=f"item-level {title}",
        about="among the systems of each item, averaged over items",
        least=-1,
        is_correlation=True,
        of_item=figure,
    )


def _of_systems(figure: OfColumns, title: str) -> Figure:
    return Figure(
        lambda sample: sample.between(figure),
        least_systems=3,
        title=f"system-level {title}",
        about="between the systems' mean scores and mean grades",
        least=-1,
        is_correlation=True,
    )


def _accuracy(sample: Sample, epsilon: float = 0.0) -> Array:
    return sample.within(partial(accuracy, epsilon=epsilon), Key("accuracy", epsilon))


def _calibrated_accuracy(whole: Sample) -> PointEstimate:
    return PointEstimate(*calibrate(whole.human, whole.metric))


def _accuracy_with_ties(sample: Sample, estimate: PointEstimate) -> Array:
    """Return the accuracy of resamples, all with the threshold of ties of the point estimate."""
    return _accuracy(sample, estimate.epsilon)


def _soft_accuracy(whole: Sample) -> PointEstimate:
    return PointEstimate(soft_pairwise_accuracy(whole.human, whole.metric))


def _shifted_soft_accuracy(sample: Sample, estimate: PointEstimate) -> Array:
    """Return SPA of resamples by the normal distribution, shifted to match the point estimate."""
    values = resampled_soft_accuracy(sample)
    if math.isnan(estimate.value):
        return values
    value_by_normal = resampled_soft_accuracy(Sample.whole(sample.human, sample.metric))
    return np.clip(values + estimate.value - value_by_normal, 0.0, 1.0)


#: What the accuracy with ties is.
_ACCURACY = "share of pairs of systems that scores and grades rank the same way or both tie, averaged over items"

FIGURES: Mapping[str, Figure] = {
    "pooled.pearson": _pooled(points_pearson, "Pearson's r", pearson_tests),
    "pooled.spearman": _pooled(points_spearman, "Spearman's rho"),
    "pooled.kendall_b": _pooled(partial(points_kendall, "b"), "Kendall's tau-b"),
    "pooled.kendall_c": _pooled(partial(points_kendall, "c"), "Kendall's tau-c"),
    "item.pearson": _of_items(columns_pearson, "Pearson's r", 3),
    "item.spearman": _of_items(columns_spearman, "Spearman's rho", 3),
    "item.kendall_b": _of_items(partial(columns_kendall, "b"), "Kendall's tau-b", 2),
    "item.kendall_c": _of_items(partial(columns_kendall, "c"), "Kendall's tau-c", 2),
    "item.acc23": Figure(
        _accuracy, least_systems=2, title="pairwise accuracy with ties", about=_ACCURACY, test=accuracy_tests
    ),
    "item.tau23": Figure(
        lambda sample: 2 * _accuracy(sample) - 1,
        least_systems=2,
        title="rescaled pairwise accuracy",
        about="2 * item.acc23 - 1",
        least=-1,
        test=accuracy_tests,
    ),
    "item.acc_eq": Figure(
        _accuracy,
        least_systems=2,
        title="tie-calibrated pairwise accuracy",
        about=f"{_ACCURACY}, where differences of scores up to a threshold count as ties: the threshold that gives "
        "the highest accuracy (Deutsch et al. 2023)",
        point=_calibrated_accuracy,
        resampled=_accuracy_with_ties,
        test=accuracy_tests,
    ),
    "item.pdp": Figure(
        difference_pearson,
        least_systems=2,
        title="pairwise-difference Pearson's r",
        about="between differences of scores and of grades of two systems on an item, over all items",
        least=-1,
        is_correlation=True,
    ),
    "item.darr": Figure(
        darr,
        least_systems=2,
        title="Kendall-like tau (DARR)",
        about="(concordant - discordant) / all pairs of an item with different grades; ties of scores are discordant",
        least=-1,
    ),
    "system.pearson": _of_systems(columns_pearson, "Pearson's r"),
    "system.spearman": _of_systems(columns_spearman, "Spearman's rho"),
    "system.kendall_b": _of_systems(partial(columns_kendall, "b"), "Kendall's tau-b"),
    "system.kendall_c": _of_systems(partial(columns_kendall, "c"), "Kendall's tau-c"),
    "system.pairwise_accuracy": Figure(
        lambda sample: sample.between(accuracy),
        least_systems=2,
        title="system-level pairwise accuracy",
        about="share of pairs of systems that mean scores and mean grades rank the same way (Kocmi et al. 2021)",
        test=pairwise_accuracy_tests,
    ),
    "system.spa": Figure(
        resampled_soft_accuracy,
        least_systems=2,
        title="soft pairwise accuracy",
        about="1 minus the mean difference of two p-values over pairs of systems: that one is better by the scores, "
        "and by the grades (Thompson et al. 2024)",
        point=_soft_accuracy,
        resampled=_shifted_soft_accuracy,
        test=soft_accuracy_tests,
        # A test on the items of two systems needs several.
        least_items=2,
    ),
}


def figures_for(n_systems: int, n_items: int) -> list[str]:
    """Return the figures that are defined for n systems and m items."""
    names = []
    for name, figure in FIGURES.items():
        if n_systems >= figure.least_systems and n_items >= figure.least_items:
            names.append(name)
    return names


def level_of(name: str) -> str:
    """Return what a figure is computed of, which its name begins with: outputs that are pooled, an item, a system."""
    return name.partition(".")[0]


def value_of(name: str, human: Array, metric: Array) -> PointEstimate:
    """Return a figure of grades and scores, shape (n, m)."""
    return value_in(name, Sample.whole(human, metric))


def value_in(name: str, whole: Sample) -> PointEstimate:
    """Return a figure of a sample in which everything counts once."""
    figure = FIGURES[name]
    if figure.point is not None:
        return figure.point(whole)
    return PointEstimate(float(figure.function(whole)[0]))


def points_of(name: str, whole: Sample) -> int:
    """Return the number of outputs, items (without a constant side) or systems behind a figure."""
    is_graded = ~np.isnan(whole.human)
    level = level_of(name)
    of_item = FIGURES[name].of_item
    if level == "pooled":
        return int(is_graded.sum())
    if level == "system":
        return int(is_graded.any(axis=1).sum())
    if of_item is None:
        return int((is_graded.sum(0) > 1).sum())
    return int((~np.isnan(whole.by_item(of_item))).sum())
