"""The figures that say how well a metric agrees with grades, by name: what each is of, and how it is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from . import between, pooled, within
from .ties import calibrate
from .weighted import Array

_Function = Callable[[Array, Array, Array, Array], Array]


class Figure(NamedTuple):
    """A figure: its function of grades, scores and weights; how many systems it needs; what it is, in one line."""

    function: _Function
    least_systems: int
    about: str


FIGURES: Mapping[str, Figure] = {
    "pooled.pearson": Figure(pooled.pearson, 1, "Pearson's r of all outputs"),
    "pooled.spearman": Figure(pooled.spearman, 1, "Spearman's rho of all outputs"),
    "pooled.kendall_b": Figure(pooled.kendall_b, 1, "Kendall's tau-b of all outputs"),
    "pooled.kendall_c": Figure(pooled.kendall_c, 1, "Kendall's tau-c of all outputs"),
    "item.pearson": Figure(within.pearson, 3, "Pearson's r of the systems of an item, mean over items"),
    "item.spearman": Figure(within.spearman, 3, "Spearman's rho of the systems of an item, mean over items"),
    "item.kendall_b": Figure(within.kendall_b, 2, "Kendall's tau-b of the systems of an item, mean over items"),
    "item.kendall_c": Figure(within.kendall_c, 2, "Kendall's tau-c of the systems of an item, mean over items"),
    "item.acc23": Figure(within.acc23, 2, "pairs of systems ordered alike or tied in both, mean over items"),
    "item.tau23": Figure(within.tau23, 2, "acc23 on the scale from -1 to 1"),
    "item.acc_eq": Figure(within.acc23, 2, "acc23 with the metric's best threshold of ties (acc*eq)"),
    "item.pdp": Figure(within.difference_pearson, 2, "Pearson's r of differences between systems of an item"),
    "item.darr": Figure(within.darr, 2, "graded differences ordered alike, less the others, by all"),
    "system.pearson": Figure(between.pearson, 3, "Pearson's r of the systems' means"),
    "system.spearman": Figure(between.spearman, 3, "Spearman's rho of the systems' means"),
    "system.kendall_b": Figure(between.kendall_b, 3, "Kendall's tau-b of the systems' means"),
    "system.kendall_c": Figure(between.kendall_c, 3, "Kendall's tau-c of the systems' means"),
    "system.pairwise_accuracy": Figure(between.pairwise_accuracy, 2, "pairs of systems ordered alike by their means"),
    "system.spa": Figure(between.soft_pairwise_accuracy_resampled, 2, "1 less the difference of p between systems"),
}


def figures_for(n_systems: int) -> list[str]:
    """Return the figures that so many systems have.

    Examples
    --------
    >>> figures_for(1)
    ['pooled.pearson', 'pooled.spearman', 'pooled.kendall_b', 'pooled.kendall_c']
    """
    return [name for name, figure in FIGURES.items() if n_systems >= figure.least_systems]


def value_of(name: str, human: Array, metric: Array) -> tuple[float, float]:
    """Return a figure, and the threshold of ties that it was computed with: 0 but for ``item.acc_eq``.

    Examples
    --------
    >>> human = np.array([[1.0, 2.0], [3.0, 2.0]])
    >>> value_of("item.acc_eq", human, np.array([[0.5, 0.25], [1.0, 0.5]]))
    (1.0, 0.25)
    """
    if name == "item.acc_eq":
        return calibrate(human, metric)
    if name == "system.spa":
        return between.soft_pairwise_accuracy(human, metric), 0.0
    once = np.ones((1, human.shape[0])), np.ones((1, human.shape[1]))
    return float(FIGURES[name].function(human, metric, *once)[0]), 0.0


def points_of(name: str, human: Array, metric: Array) -> int:
    """Return of how many outputs, items or systems a figure is: items with a constant side have no correlation.

    Examples
    --------
    >>> points_of("item.kendall_b", np.array([[1.0, 2.0], [1.0, 3.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    1
    """
    level = name.partition(".")[0]
    there = ~np.isnan(human)
    if level == "pooled":
        return int(there.sum())
    if level == "system":
        return int(there.any(axis=1).sum())
    block = _BLOCKS.get(name)
    if block is None:
        return int((there.sum(0) > 1).sum())
    found = within.by_item(block, human, metric, np.ones((1, len(human))))
    return int((~np.isnan(found)).sum())


_BLOCKS = {
    "item.pearson": within.pearson_block,
    "item.spearman": within.spearman_block,
    "item.kendall_b": within.kendall_b_block,
    "item.kendall_c": within.kendall_c_block,
}


def resampled(
    name: str, human: Array, metric: Array, systems: Array, items: Array, found: tuple[float, float]
) -> Array:
    """Return a figure of resamples, shape (B,), with the threshold of ties that was `found` for all.

    SPA of resamples comes from the normal distribution; it is moved by the difference that this makes to its value.
    """
    value, epsilon = found
    function = FIGURES[name].function
    if name == "item.acc_eq":
        function = partial(within.acc23, epsilon=epsilon)
    values = function(human, metric, systems, items)
    if name == "system.spa" and not math.isnan(value):
        once = np.ones((1, human.shape[0])), np.ones((1, human.shape[1]))
        values = np.clip(values + value - function(human, metric, *once), 0.0, 1.0)
    return values
