"""How far raters agree: Krippendorff's alpha, and the share of equal grades."""

from __future__ import annotations

import numpy as np

from .weighted import Array


def krippendorff_alpha(values: Array, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha: 1 less the disagreement observed by that expected of chance.

    Parameters
    ----------
    values : ndarray, shape (raters, units)
        Grades; NaN where there is none.
    level : {"nominal", "ordinal", "interval"}
        How far two grades are apart: equal or not, by how many grades lie between them, or by their squared
        difference.

    Returns
    -------
    float
        NaN where no unit has two grades, or all grades are the same.

    Notes
    -----
    Source: Krippendorff 2011; as the package krippendorff. Time goes with units times raters and the square of the
    number of different grades.

    Examples
    --------
    >>> values = np.array([[1, 2, 3, np.nan], [1, 2, 4, 4], [1, 3, 3, 4]])
    >>> round(krippendorff_alpha(values), 4), round(krippendorff_alpha(values, "interval"), 4)
    (0.8661, 0.8765)
    """
    units = values[:, (~np.isnan(values)).sum(0) > 1]
    different = np.unique(units[~np.isnan(units)])
    if len(different) < 2:
        return float("nan")
    counts = np.stack([(units == each).sum(0) for each in different], axis=1).astype(np.float64)  # (units, grades)
    sizes = counts.sum(1)
    scaled = counts / (sizes - 1)[:, None]
    together = scaled.T @ counts - np.diag(scaled.sum(0))  # pairs of grades of one unit
    total = together.sum(1)
    chance = (np.outer(total, total) - np.diag(total)) / (total.sum() - 1)
    apart = _distances(different, total, level)
    return float(1 - (together * apart).sum() / (chance * apart).sum())


def raw_agreement(values: Array) -> float:
    """Return the share of equal grades among all pairs of grades of one unit; NaN without a pair.

    Examples
    --------
    >>> raw_agreement(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, np.nan]]))
    0.5
    """
    equal, pairs = 0, 0
    for one in range(len(values)):
        for other in range(one):
            both = ~np.isnan(values[one] + values[other])
            equal += int((values[one] == values[other])[both].sum())
            pairs += int(both.sum())
    return equal / pairs if pairs else float("nan")


def _distances(different: Array, total: Array, level: str) -> Array:
    if level == "nominal":
        return np.asarray(different[:, None] != different, np.float64)
    if level == "interval":
        return np.asarray((different[:, None] - different) ** 2, np.float64)
    middles = np.cumsum(total) - total / 2  # grades up to the middle of each
    return np.asarray((middles[:, None] - middles) ** 2, np.float64)
