"""Kernels of soft pairwise accuracy: shares of the normal distribution, and tests between metrics draw by draw."""

import numpy as np

from tercet.core.jit import kernel

#: Squares of differences that are a smaller share of the squares they are made from are rounding.
_NEARLY = 1e-12


@kernel
def fill_shares_above(z, found):
    """Fill `found` with the share of the normal distribution above each number of z, to 1.5e-7.

    Source: Abramowitz and Stegun 1964, 26.2.19. `found` may be z itself.
    """
    for place in range(len(z)):
        x = abs(z[place])
        series = 1 + x * (
            0.0498673470
            + x * (0.0211410061 + x * (0.0032776263 + x * (0.0000380036 + x * (0.0000488906 + x * 0.0000053830))))
        )
        series *= series
        series *= series
        series *= series
        series *= series
        tail = 0.5 / series
        found[place] = tail if z[place] > 0 else 1 - tail


@kernel
def fill_p_of_pairs(values, squares, there, sums, spreads, products, p):
    """Fill `p`, of each two of n systems that the first is no better: the normal distribution of their differences.

    Their sum, and the sum of their squares, are ``sums[i, j] - sums[j, i]`` and ``spreads[i, j] + spreads[j, i] - 2
    products[i, j]``, three products of matrices, shape (n, n), for which there is room. p of no differences is 1.
    """
    np.dot(values.T, there, sums)
    np.dot(squares.T, there, spreads)
    np.dot(values.T, values, products)
    pair = 0
    for first in range(len(sums) - 1):
        for second in range(first + 1, len(sums)):
            size = spreads[first, second] + spreads[second, first]
            square = size - 2 * products[first, second]
            z = (sums[first, second] - sums[second, first]) / np.sqrt(square)
            p[pair] = z if square > _NEARLY * size else -np.inf
            pair += 1
    fill_shares_above(p, p)


@kernel
def fill_soft_accuracies(one, other, there, masks, wanted, found):
    """Fill `found`, shape (B, 2): SPA of two metrics after each draw has exchanged some of their scores.

    `one` and `other` have shape (m, n), items by systems; `there` the same, 1 where an output is graded and otherwise
    0, where scores are 0. `masks`, shape (B, m, n), is 1 where scores are exchanged. `wanted` holds p of the grades
    for the pairs of systems, as :func:`fill_p_of_pairs` fills them: products of matrices, B n n m steps.
    """
    values, squares = np.empty_like(one), np.empty_like(one)
    n, p = one.shape[1], np.empty(len(wanted))
    sums, spreads, products = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    for draw in range(len(masks)):
        for side in range(2):
            kept = np.float64(side)
            for item in range(one.shape[0]):
                for system in range(n):
                    first, second = one[item, system], other[item, system]
                    value = second if masks[draw, item, system] != kept else first
                    values[item, system], squares[item, system] = value, value * value
            fill_p_of_pairs(values, squares, there, sums, spreads, products, p)
            apart = 0.0
            for pair in range(len(p)):
                apart += abs(p[pair] - wanted[pair])
            found[draw, side] = 1 - apart / len(p)
