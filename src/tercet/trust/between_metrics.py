"""Which test says whether one metric has a better figure than another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .figures import FIGURES
from .significance import permuted, permuted_pairs, permuted_pearson, permuted_soft, permuted_systems
from .weighted import Array
from .williams import williams

_TIES = ("item.acc23", "item.tau23", "item.acc_eq")


def test_name(figure: str) -> str:
    """Return what the test of a figure exchanges between two metrics.

    Examples
    --------
    >>> test_name("pooled.pearson")
    'PERM-BOTH: standardized scores, exchanged output by output'
    """
    if figure in _TIES:
        return "pair permutation: outcomes of pairs of systems, exchanged pair by pair"
    return "PERM-BOTH: standardized scores, exchanged output by output"


def pvalues_between(
    figure: str, human: Array, metrics: Array, epsilons: Sequence[float], n_resamples: int, seed: int
) -> Array:
    """Return p of both directions of each two metrics, shape (k, k); see :mod:`tercet.trust.significance`.

    Examples
    --------
    >>> human = np.array([[1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 4.0, 6.0]])
    >>> pvalues_between("pooled.pearson", human, np.array([-human, human]), [0, 0], 100, 1).round(2)
    array([[1.  , 0.01],
           [1.  , 1.  ]])
    """
    if figure == "pooled.pearson":
        return permuted_pearson(human, metrics, n_resamples, seed)
    if figure in _TIES:
        return permuted_pairs(human, metrics, epsilons, n_resamples, seed)
    if figure == "system.pairwise_accuracy":
        return permuted_systems(human, metrics, n_resamples, seed)
    if figure == "system.spa":
        return permuted_soft(human, metrics, n_resamples, seed)
    return permuted(FIGURES[figure].function, human, metrics, n_resamples, seed)


def williams_between(figure: str, human: Array, metrics: Array) -> Array:
    """Return p of Williams' test of each two metrics, shape (k, k); NaN for what is no correlation of Pearson."""
    k = len(metrics)
    found = np.full((k, k), np.nan)
    if figure not in ("pooled.pearson", "system.pearson"):
        return found
    function = FIGURES[figure].function
    once = np.ones((1, human.shape[0])), np.ones((1, human.shape[1]))
    n = int((~np.isnan(human)).sum()) if figure == "pooled.pearson" else len(human)
    own = [float(function(human, metric, *once)[0]) for metric in metrics]
    for one in range(k):
        for other in range(k):
            between = float(function(metrics[one], metrics[other], *once)[0])
            found[one, other] = williams(own[one], own[other], between, n) if one != other else 1.0
    return found
