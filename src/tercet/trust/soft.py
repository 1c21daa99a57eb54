"""Soft pairwise accuracy: p that one system is better, from the normal distribution."""

from __future__ import annotations

import numpy as np

from .weighted import Array

#: Squares of differences that are a smaller share of the squares they are made from are rounding.
_NEARLY = 1e-12


def shares_above(z: Array) -> Array:
    """Return the share of the normal distribution above each number of z, to 1.5e-7.

    Source: Abramowitz and Stegun 1964, 26.2.19.

    Examples
    --------
    >>> shares_above(np.array([-np.inf, -1.0, 0.0, 1.0])).round(4)
    array([1.    , 0.8413, 0.5   , 0.1587])
    """
    x = np.abs(z)
    series = 1 + x * (
        0.0498673470
        + x * (0.0211410061 + x * (0.0032776263 + x * (0.0000380036 + x * (0.0000488906 + x * 0.0000053830))))
    )
    for _ in range(4):  # its power of 16
        series *= series
    tail = 0.5 / series
    return np.where(z > 0, tail, 1 - tail)


def p_of_pairs(values: Array, known: Array) -> Array:
    """Return p of each two of n systems that the first is no better: the normal distribution of their differences.

    Parameters
    ----------
    values : ndarray, shape (..., n, m)
        Of each system and item; 0 where an output is not graded.
    known : ndarray, shape (n, m) or (1, m)
        1 where an output is graded, otherwise 0; one row where all are.

    Returns
    -------
    ndarray, shape (..., n * (n - 1) / 2)
        1 of no differences.

    Notes
    -----
    The sum of the differences of systems i and j, and of their squares, are ``sums[i, j] - sums[j, i]`` and
    ``squares[i, j] + squares[j, i] - 2 products[i, j]``: three products of matrices, n n m steps.
    """
    products = values @ values.swapaxes(-1, -2)
    sums, squares = (np.broadcast_to(each @ known.T, products.shape) for each in (values, values * values))
    one, other = np.triu_indices(values.shape[-2], 1)
    size = squares[..., one, other] + squares[..., other, one]
    square = size - 2 * products[..., one, other]
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (sums[..., one, other] - sums[..., other, one]) / np.sqrt(square)
    return shares_above(np.where(square > _NEARLY * size, z, -np.inf))
