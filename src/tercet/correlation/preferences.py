"""Better and worse: the variant of Kendall's tau for human preferences between two outputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def darr(better: ArrayLike, worse: ArrayLike) -> float:
    """Return the tau of preferences: pairs that a metric orders as humans did, less the others, by all.

    Parameters
    ----------
    better, worse : array_like, shape (n,)
        The metric's scores of the preferred output of each pair, and of the other. Equal scores count against it.

    Returns
    -------
    float
        NaN without a pair.

    Notes
    -----
    Source: the WMT metrics tasks of 2014 to 2020 ("DARR", direct assessment as relative ranking).

    Examples
    --------
    >>> darr([3.0, 2.0, 1.0, 4.0], [1.0, 1.0, 1.0, 2.0])
    0.5
    """
    outcomes = np.asarray(better, np.float64) > np.asarray(worse, np.float64)
    return float(2 * outcomes.mean() - 1) if len(outcomes) else float("nan")
