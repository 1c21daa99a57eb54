"""Kernels of exact sums: floats as four digits of base 10**9, two before the decimal point and two behind it."""

import numpy as np

from .jit import kernel, part_of_kernel

_BASE = 1e9


@part_of_kernel
def _taken_apart(value):
    """Return the digits, which have the value's sign; what the last cannot hold is rounded."""
    whole = np.trunc(value)
    second = np.fmod(whole, _BASE) if abs(whole) >= _BASE else whole
    behind = (value - whole) * _BASE
    third = np.trunc(behind)
    return (whole - second) / _BASE, second, third, np.rint((behind - third) * _BASE)


@kernel
def sum_digits(rows, sums):
    """Add the digits of each row to those of its column, in whole numbers."""
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            digits = _taken_apart(rows[row, column])
            for place in range(4):
                sums[column, place] += np.int64(digits[place])


@kernel
def fill_digits(rows, filled):
    """Fill in the digits of each value."""
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            digits = _taken_apart(rows[row, column])
            for place in range(4):
                filled[row, column, place] = digits[place]


@kernel
def add_weighted(weights, digits, totals):
    """Add digits (n, c) times weights (n, b) to totals (c, b); four items at a time, as totals go through memory.

    (A product of matrices by BLAS is as fast alone, and many times slower where its threads wait for others.)
    """
    n, c = digits.shape
    for item in range(0, n - n % 4, 4):
        one, two, three, four = weights[item], weights[item + 1], weights[item + 2], weights[item + 3]
        for column in range(c):
            total = totals[column]
            first, second = digits[item, column], digits[item + 1, column]
            third, fourth = digits[item + 2, column], digits[item + 3, column]
            for place in range(len(total)):
                total[place] += one[place] * first + two[place] * second + three[place] * third + four[place] * fourth
    for item in range(n - n % 4, n):
        for column in range(c):
            total, digit = totals[column], digits[item, column]
            for place in range(len(total)):
                total[place] += weights[item, place] * digit
