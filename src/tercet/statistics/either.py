"""Functions for formulas on one corpus, in Python's floats, or on many at once, in arrays.

One corpus in floats takes a tenth of the time of arrays with one number each. Results are the same to the last bit:
both take their logarithms and powers from NumPy, and add in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: A number, or an array of any shape.
Either = Any

#: NumPy adds fewer numbers than these one after another; more of them in eight sums.
_IN_TURN = 8


def as_floats(totals: Any) -> list[float]:
    """Return the sums of one corpus as a list of floats."""
    return totals if isinstance(totals, list) else totals.tolist()


def column(table: Either, place: int) -> Either:
    """Return a column of sums: of one corpus, a list or a row, its number; of many, shape (..., k), their array."""
    return table[place] if isinstance(table, list) else table[..., place]


def columns(table: Either, start: int, stop: int) -> list[Either]:
    """Return some columns, each as :func:`column` does."""
    return table[start:stop] if isinstance(table, list) else [table[..., place] for place in range(start, stop)]


def where(condition: Either, if_true: Either, if_false: Either) -> Either:
    """Return the first value where the condition holds, else the second; both are already computed."""
    if isinstance(condition, (bool, np.bool_)):
        return if_true if condition else if_false
    return np.where(condition, if_true, if_false)


def quotient(dividend: Either, divisor: Either) -> Either:
    """Return the dividend over the divisor, and 0 where that is 0."""
    if isinstance(divisor, float):
        return dividend / divisor if divisor else 0.0
    nonzero = divisor != 0
    # NumPy divides everywhere: by 1 where the quotient is not taken
    return np.where(nonzero, dividend / np.where(nonzero, divisor, 1.0), 0.0)


def holds(condition: Either) -> bool:
    """Return whether a condition holds, of all numbers."""
    return condition if isinstance(condition, bool) else bool(condition.all())


def positive(values: Sequence[Either]) -> bool:
    """Return whether all values are above 0, of all numbers."""
    if isinstance(values[0], float):
        return bool(min(values) > 0)
    return all(bool((value > 0).all()) for value in values)


def logs(values: Sequence[Either]) -> Sequence[Either]:
    """Return the natural logarithm of each value."""
    if isinstance(values[0], float):
        logarithms: list[float] = np.log(values).tolist()
        return logarithms
    return [np.log(value) for value in values]


def exp(value: Either) -> Either:
    """Return e to the power of a value."""
    return float(np.exp(value)) if isinstance(value, float) else np.exp(value)


def added(values: Sequence[Either]) -> Either:
    """Return the sum of some values, added as NumPy adds along the last axis of an array."""
    if len(values) >= _IN_TURN:
        total = np.stack(np.broadcast_arrays(*values), axis=-1).sum(axis=-1)
        return float(total) if isinstance(values[0], float) else total
    total = 0.0
    # not Python's sum, which rounds once, from 3.12 on
    for value in values:
        total = total + value
    return total


def stacked(values: Sequence[Either]) -> Either:
    """Return a list of floats, or arrays as one with a further axis, the last."""
    return list(values) if isinstance(values[0], float) else np.stack(np.broadcast_arrays(*values), axis=-1)
