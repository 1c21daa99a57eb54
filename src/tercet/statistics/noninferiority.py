"""How great a loss is not excluded: bounds that hold where few units lose, or a few of them lose much.

A loss is that of a unit: a segment, or a cluster of segments. Of a score that is no mean, it is the unit's part in
the loss of the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .distributions import t_quantile
from .rounding import ROUNDING

#: Of fewer units that differ, what they lose does not say what others will.
_FEWEST_DIFFERENT = 15
#: Student's t holds where the units are more than so many times the squared skewness (Cochran 1977, section 2.15).
_COCHRAN = 25
#: Weights that are drawn: the bound has an error of one or two percent.
_N_DRAWS = 10_000
#: Of very many units, fewer are drawn: so many numbers in all.
_MOST_DRAWN = 30_000_000


class Bound(NamedTuple):
    """The greatest loss that is not excluded, and the method that found it."""

    value: float
    method: str


def greatest_loss(
    losses: NDArray[np.float64], differs: NDArray[np.bool_], largest: float, *, alpha: float, seed: int
) -> Bound:
    """Return a bound of the mean loss that is below the true one with a probability of about alpha at most.

    It is Johnson's t. Where few units differ, or few make up most of the loss, and where the losses are so skewed
    that no t holds, what was not seen counts as well: then one more unit is added, which loses all that it can.

    Parameters
    ----------
    losses : ndarray of float, shape (n,)
        Negative for gains.
    differs : ndarray of bool, shape (n,)
        Whether the unit's rows differ between the two systems.
    largest : float
        What a unit can lose at most.
    alpha : float
    seed : int
        Of the weights.
    """
    bound = johnson(losses, alpha)
    enough_differ = effective_number(losses[differs]) >= _FEWEST_DIFFERENT
    if enough_differ and len(losses) >= _COCHRAN * max(skewness(losses), 0.0) ** 2:
        return Bound(bound, "Johnson")
    with_one_more = one_more_unit(losses, differs, largest, alpha=alpha, seed=seed)
    return Bound(max(bound, with_one_more), "Learned-Miller and Thomas")


def johnson(losses: NDArray[np.float64], alpha: float) -> float:
    """Return the upper bound of a mean by Student's t, corrected for skewness.

    The correction is that of Johnson (1978, JASA 73, 536-544), in the form of Hall (1992, JRSS B 54, 221-228), which
    adds a cubic term so that the corrected t rises with t, and can be inverted. Losses that are skewed to the
    left, of which Student's bound is too great, are not corrected.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.array([0.0, 0, 0, 1, 0, 2, 0, 9])
    >>> round(johnson(losses, 0.05), 2), round(johnson(-losses, 0.05), 2)
    (10.24, 0.59)
    """
    n = len(losses)
    quantile = t_quantile(1 - alpha, n - 1)
    slope = max(skewness(losses), 0.0) / (3 * math.sqrt(n))
    t = -quantile
    if slope > ROUNDING:
        # t + slope t² + slope² t³ / 3 + slope / 2 = -quantile, solved for t
        t = (float(np.cbrt(1 - 3 * slope * (quantile + slope / 2))) - 1) / slope
    return float(losses.mean() - t * losses.std(ddof=1) / math.sqrt(n))


def one_more_unit(
    losses: NDArray[np.float64], differs: NDArray[np.bool_], largest: float, *, alpha: float, seed: int
) -> float:
    """Return an upper bound of the mean of losses that are at most `largest`, whatever their distribution.

    A unit that loses the most possible is added, and all units are weighted as in the Bayesian bootstrap, by a
    Dirichlet distribution; the bound is the quantile 1 - alpha of the means (Learned-Miller and Thomas 2019, "A New
    Confidence Interval for the Mean of a Bounded Random Variable"). If d of n units lose all and the others nothing,
    it is that of Clopper and Pearson; if none loses, it is the rule of three: about 3 / n of the largest loss.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros(60)
    >>> round(one_more_unit(nothing, nothing > 0, 100.0, alpha=0.05, seed=1), 2)
    4.87
    """
    n = len(losses)
    n_alike = n - int(differs.sum())
    if n_alike == n:
        return float(largest * (1 - alpha ** (1 / n)))
    # Units that do not differ have about the same part, and share one weight.
    parts = [*losses[differs].tolist(), largest]
    shapes = [1.0] * len(parts)
    if n_alike:
        parts.append(float(losses[~differs].mean()))
        shapes.append(float(n_alike))
    means = _weighted_means(parts, shapes, seed)
    # the quantile of sorted means; np.quantile imports numpy.ma (30 ms)
    rank = math.ceil((1 - alpha) * len(means)) - 1
    return float(np.partition(means, rank)[rank])


def units_of_three(margin: float, largest: float, alpha: float) -> int | None:
    """Return of how many units, none of which differs, the bound is within a margin; None if of any.

    Examples
    --------
    >>> units_of_three(5, 100, 0.05)
    59
    """
    if margin >= largest or not math.isfinite(largest):
        return None
    return math.ceil(math.log(alpha) / math.log1p(-margin / largest))


def effective_number(losses: NDArray[np.float64]) -> float:
    """Return how many equal losses count as much (Kish 1965): a few that are large are few, whatever small ones do.

    Examples
    --------
    >>> import numpy as np
    >>> round(effective_number(np.array([50.0, 60.0, 0.1, -0.2, 0.1, 0.1])), 1)
    2.0
    """
    largest = float(np.abs(losses).max(initial=0.0))
    if not largest:
        return 0.0
    sizes = np.abs(losses) / largest
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def skewness(losses: NDArray[np.float64]) -> float:
    """Return the third moment around the mean, in units of the standard deviation; 0 where nothing varies."""
    deviations = losses - losses.mean()
    standard_deviation = float(losses.std(ddof=1))
    if standard_deviation <= ROUNDING * float(np.abs(losses).max()):
        return 0.0
    return float((deviations**3).mean()) / standard_deviation**3


def _weighted_means(parts: Sequence[float], shapes: Sequence[float], seed: int) -> NDArray[np.float64]:
    """Return means of the parts, with weights that are drawn from the Dirichlet distribution of these shapes."""
    random = np.random.default_rng(seed)
    n_draws = max(1000, min(_N_DRAWS, _MOST_DRAWN // len(parts)))
    sums = np.zeros(n_draws)
    weights = np.zeros(n_draws)
    for part, shape in zip(parts, shapes, strict=True):
        weight = random.standard_gamma(shape, n_draws)
        sums += part * weight
        weights += weight
    return sums / weights
