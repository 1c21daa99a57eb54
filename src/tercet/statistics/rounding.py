"""Which differences of scores may be of rounding alone: added in another order, floats differ in their last bits."""

from __future__ import annotations

import math

#: The most by which the order in which floats are added changes a sum, relative to it.
ROUNDING = 1e-12
#: That for each root of the number of floats: 16 times the distance of two neighbouring floats.
_ROUNDING_OF_ONE = 16 * 2.0**-52


def apart(value: float, other: float) -> float:
    """Return the difference of two scores; 0 where they differ by rounding alone.

    >>> apart(0.1 + 0.2, 0.3)
    0.0
    >>> apart(math.inf, 0.3)
    inf
    """
    difference = value - other
    if math.isfinite(difference) and abs(difference) <= ROUNDING * max(abs(value), abs(other)):
        return 0.0
    return difference


def rounding(n_units: int) -> float:
    """Return which relative differences of scores over so many units may be of rounding alone: smaller ones are ties.

    Rounding errors of a sum grow with the root of the number of floats (Higham 2002, *Accuracy and Stability of
    Numerical Algorithms*, section 4.2), so that scores of few units may be large and close to one another.
    """
    return min(ROUNDING, _ROUNDING_OF_ONE * math.sqrt(n_units))
