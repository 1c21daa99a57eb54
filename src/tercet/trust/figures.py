"""The figures of agreement between metrics and grades, by name, and their bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from tercet.statistics.draws import bootstrap_weights
from tercet.statistics.progress import bar_of

from . import correlations
from .pairs import accuracy, calibrate, darr, difference_pearson
from .sample import Array, Numbers, OfColumns, OfPoints, Sample
from .spa import resampled_soft_accuracy, soft_pairwise_accuracy

#: The resampled unit, and what the interval then holds for.
UNITS: Mapping[str, str] = {
    "items": "for other items and the same systems",
    "systems": "for other systems and the same items",
    "both": "for other items and other systems",
}


@dataclass(frozen=True, slots=True)
class FigureValue:
    """A figure of a metric.

    Attributes
    ----------
    value : float
    low, high : float
        Bootstrap interval.
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

    @property
    def definition(self) -> str:
        """Name, meaning and range."""
        unrelated = ", 0 if unrelated" if self.is_correlation else ""
        return f"{self.title}: {self.about}; from {self.least} to 1{unrelated}"


def _pooled(figure: OfPoints, title: str) -> Figure:
    return Figure(
        lambda sample: sample.pooled(figure),
        1,
        f"pooled {title}",
        "over all outputs, whatever their system and item",
        -1,
        True,
    )


def _of_items(figure: OfColumns, title: str, least_systems: int) -> Figure:
    about = "among the systems of each item, averaged over items"
    return Figure(lambda sample: sample.within(figure), least_systems, f"item-level {title}", about, -1, True, figure)


def _of_systems(figure: OfColumns, title: str) -> Figure:
    about = "between the systems' mean scores and mean grades"
    return Figure(lambda sample: sample.between(figure), 3, f"system-level {title}", about, -1, True)


def _accuracy(sample: Sample, epsilon: float = 0.0) -> Array:
    return sample.within(partial(accuracy, epsilon=epsilon))


#: What the accuracy with ties is.
_ACCURACY = "share of pairs of systems that scores and grades rank the same way or both tie, averaged over items"

FIGURES: Mapping[str, Figure] = {
    "pooled.pearson": _pooled(correlations.points_pearson, "Pearson's r"),
    "pooled.spearman": _pooled(correlations.points_spearman, "Spearman's rho"),
    "pooled.kendall_b": _pooled(partial(correlations.points_kendall, "b"), "Kendall's tau-b"),
    "pooled.kendall_c": _pooled(partial(correlations.points_kendall, "c"), "Kendall's tau-c"),
    "item.pearson": _of_items(correlations.columns_pearson, "Pearson's r", 3),
    "item.spearman": _of_items(correlations.columns_spearman, "Spearman's rho", 3),
    "item.kendall_b": _of_items(partial(correlations.columns_kendall, "b"), "Kendall's tau-b", 2),
    "item.kendall_c": _of_items(partial(correlations.columns_kendall, "c"), "Kendall's tau-c", 2),
    "item.acc23": Figure(_accuracy, 2, "pairwise accuracy with ties", _ACCURACY),
    "item.tau23": Figure(
        lambda sample: 2 * _accuracy(sample) - 1, 2, "rescaled pairwise accuracy", "2 * item.acc23 - 1", -1
    ),
    "item.acc_eq": Figure(
        _accuracy, 2, "tie-calibrated pairwise accuracy",
        f"{_ACCURACY}, where differences of scores up to a threshold count as ties: the threshold that gives the "
        "highest accuracy (Deutsch et al. 2023)",
    ),
    "item.pdp": Figure(
        difference_pearson, 2, "pairwise-difference Pearson's r",
        "between differences of scores and of grades of two systems on an item, over all items", -1, True,
    ),
    "item.darr": Figure(
        darr, 2, "Kendall-like tau (DARR)",
        "(concordant - discordant) / all pairs of an item with different grades; ties of scores are discordant", -1,
    ),
    "system.pearson": _of_systems(correlations.columns_pearson, "Pearson's r"),
    "system.spearman": _of_systems(correlations.columns_spearman, "Spearman's rho"),
    "system.kendall_b": _of_systems(partial(correlations.columns_kendall, "b"), "Kendall's tau-b"),
    "system.kendall_c": _of_systems(partial(correlations.columns_kendall, "c"), "Kendall's tau-c"),
    "system.pairwise_accuracy": Figure(
        lambda sample: sample.between(accuracy), 2, "system-level pairwise accuracy",
        "share of pairs of systems that mean scores and mean grades rank the same way (Kocmi et al. 2021)",
    ),
    "system.spa": Figure(
        resampled_soft_accuracy, 2, "soft pairwise accuracy",
        "1 minus the mean difference of two p-values over pairs of systems: that one is better by the scores, and by "
        "the grades (Thompson et al. 2024)",
    ),
}  # fmt: skip


def figures_for(n_systems: int) -> list[str]:
    """Return the figures that are defined for n systems."""
    return [name for name, figure in FIGURES.items() if n_systems >= figure.least_systems]


def value_of(name: str, human: Array, metric: Array) -> tuple[float, float]:
    """Return a figure and its threshold of ties: 0 except for ``item.acc_eq``."""
    if name == "item.acc_eq":
        return calibrate(human, metric)
    if name == "system.spa":
        return soft_pairwise_accuracy(human, metric), 0.0
    return float(FIGURES[name].function(Sample.whole(human, metric))[0]), 0.0


def points_of(name: str, human: Array, metric: Array) -> int:
    """Return the number of outputs, items (without a constant side) or systems behind a figure."""
    there, level, of_item = ~np.isnan(human), name.partition(".")[0], FIGURES[name].of_item
    if level == "pooled":
        return int(there.sum())
    if level == "system":
        return int(there.any(axis=1).sum())
    if of_item is None:
        return int((there.sum(0) > 1).sum())
    return int((~np.isnan(Sample.whole(human, metric).by_item(of_item))).sum())


def resampled(name: str, sample: Sample, found: tuple[float, float]) -> Array:
    """Return a figure of resamples, shape (B,), with the threshold of ties that was `found` for all.

    SPA of resamples is by the normal distribution; it is shifted to match the point estimate.
    """
    value, epsilon = found
    if name == "item.acc_eq":
        return _accuracy(sample, epsilon)
    function = FIGURES[name].function
    values = function(sample)
    if name == "system.spa" and not math.isnan(value):
        values = np.clip(values + value - function(Sample.whole(sample.human, sample.metric)), 0.0, 1.0)
    return values


def draws(
    n_systems: int, n_items: int, unit: str, n_resamples: int, seed: int, clusters: Numbers | None = None
) -> Iterator[tuple[Array, Array]]:
    """Yield how often each system and item is drawn, in chunks of resamples: shapes (b or 1, n) and (b or 1, m).

    The same seed gives the same items, whether or not systems are drawn too. Items of a cluster are drawn together.
    """
    of_systems = np.ones((1, n_systems))
    if unit != "items":
        of_systems = np.concatenate(list(bootstrap_weights(n_systems, n_resamples, seed + 1)))
    if unit == "systems":
        yield of_systems, np.ones((1, n_items))
        return
    start = 0
    for units in bootstrap_weights(n_items if clusters is None else int(clusters.max()) + 1, n_resamples, seed):
        items = units if clusters is None else units[:, clusters]
        stop = start + len(items)
        yield of_systems[start:stop] if unit == "both" else of_systems, items
        start = stop


def distributions(
    names: Mapping[str, list[tuple[float, float]]],
    human: Array,
    metrics: Array,
    unit: str,
    n_resamples: int,
    seed: int,
    clusters: Numbers | None = None,
) -> dict[str, Array]:
    """Return figures of all metrics (k, n, m) in the same resamples, given their values: by name, shape (k, B)."""
    parts: dict[str, list[Array]] = {name: [] for name in names}
    with bar_of("intervals", "resampled figures", n_resamples * len(names) * len(metrics)) as bar:
        for drawn in draws(human.shape[0], human.shape[1], unit, n_resamples, seed, clusters):
            samples = [Sample(human, metric, *drawn) for metric in metrics]
            for name, found in names.items():
                rows = []
                for sample, each in zip(samples, found, strict=True):
                    rows.append(resampled(name, sample, each))
                    if bar is not None:
                        bar.update(len(rows[-1]))
                parts[name].append(np.array(rows))
    return {name: np.concatenate(each, axis=1) for name, each in parts.items()}


def percentile_interval(draws: Array, value: float, confidence_level: float) -> tuple[float, float]:
    """Return the percentile interval, widened to hold the value; NaN if no resample has the figure."""
    known = draws[~np.isnan(draws)]
    if not len(known) or np.isnan(value):
        return float("nan"), float("nan")
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(min(low, value)), float(max(high, value))
