"""The kernel of tests between metrics in soft pairwise accuracy: p of each two systems, draw by draw."""

import numpy as np

from tercet.core.jit import kernel


@kernel
def fill_soft_accuracies(one, other, there, masks, wanted, found):
    """Fill `found`, shape (B, 2): SPA of two metrics after each draw has exchanged some of their scores.

    `one` and `other` have shape (m, n), items by systems, in single precision; `there` the same, 1 where an output
    is graded and otherwise 0, where scores are 0. `masks`, shape (B, m, n), is 1 where scores are exchanged.
    `wanted`, shape (n, n), holds p of the grades above the diagonal. p of two systems is that of the normal
    distribution (Abramowitz and Stegun 1964, 26.2.17), from sums and squares of their differences: B n n m steps.
    """
    n_items, n = one.shape
    sums, squares = np.empty((n, n), np.float32), np.empty((n, n), np.float32)
    values = np.empty((n_items, n), np.float32)
    for draw in range(len(masks)):
        for side in range(2):
            for item in range(n_items):
                for system in range(n):
                    exchanged = masks[draw, item, system] != side
                    values[item, system] = other[item, system] if exchanged else one[item, system]
            sums[:], squares[:] = np.float32(0), np.float32(0)
            for item in range(n_items):
                for first in range(n):
                    value, known = values[item, first], there[item, first]
                    for second in range(n):
                        difference = (value - values[item, second]) * known * there[item, second]
                        sums[first, second] += difference
                        squares[first, second] += difference * difference
            apart = 0.0
            for first in range(n - 1):
                for second in range(first + 1, n):
                    apart += abs(_above(sums[first, second], squares[first, second]) - wanted[first, second])
            found[draw, side] = 1 - apart / (n * (n - 1) / 2)


@kernel
def _above(total, square):
    """Return the share of the normal distribution above a sum over the root of its squares; 1 of no differences."""
    if square <= np.float32(1e-12):
        return np.float32(1)
    z = total / np.sqrt(square)
    size = abs(z)
    t = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * size)
    series = t * np.float32(1.330274429)
    series = t * (series - np.float32(1.821255978))
    series = t * (series + np.float32(1.781477937))
    series = t * (series - np.float32(0.356563782))
    series = t * (series + np.float32(0.319381530))
    tail = np.exp(-size * size / np.float32(2)) * np.float32(0.3989422804) * series
    return tail if z > 0 else np.float32(1) - tail
