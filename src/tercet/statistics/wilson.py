"""Wilson's interval of a share of right answers."""

from __future__ import annotations

import math

from .distributions import normal_quantile
from .intervals import ConfidenceInterval


def wilson(successes: float, n: float, level: float) -> ConfidenceInterval:
    """Return the interval of a share of n items (Wilson 1927), which stays between 0 and 1."""
    z = normal_quantile((1 + level) / 2)
    share = successes / n
    weight = z * z / n
    middle = (share + weight / 2) / (1 + weight)
    margin = math.sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
    # At the ends the bound is the end, but for rounding.
    low = middle - margin if successes else 0.0
    high = middle + margin if successes < n else 1.0
    return ConfidenceInterval(low, high)
