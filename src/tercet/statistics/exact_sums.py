"""Sums that do not depend on the order or the grouping of what is summed: fixed-point numbers, kept as integers.

A float is taken apart into four digits of base 10**9: two before the decimal point, two after it. Digits are summed
as integers, which are never rounded, and so the sum of a corpus is the same, to the bit, however it was cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.errors import InputError

Array = NDArray[np.float64]

_BASE = 10**9
DIGITS = 4
#: Digits after the point.
N_DECIMALS = 18
#: How sums are written: every engine that reads Arrow adds such numbers exactly.
DECIMAL = pa.decimal128(38, N_DECIMALS)
#: No value may be larger.
LARGEST = 10.0**18
#: Of so many rows the sums of digits, about 2**49 at most, are exact in a float.
_MOST_ROWS = 1 << 19


@dataclass(frozen=True, slots=True, eq=False)
class ExactSums:
    """m sums of each of k columns of floats, digits of shape (m, k, 4): the first has the sign, the others have none.

    A value counts as a number of 18 decimals that is near it: off by at most half of the last decimal, and one part
    in 2**53 of its fraction (no more than a float itself). Whole numbers are exact. Time: a few nanoseconds a value.
    """

    digits: NDArray[np.int64]

    @classmethod
    def zeros(cls, m: int, k: int) -> ExactSums:
        """Return m sums of k columns without rows."""
        return cls(np.zeros((m, k, DIGITS), np.int64))

    @classmethod
    def of(cls, rows: Array) -> ExactSums:
        """Return the sums (1, k) of rows (n, k): at most 2**19, with values that pass :func:`check_summable`."""
        return cls.weighted(rows, lambda digits: digits.sum(axis=1, keepdims=True), 1)

    @classmethod
    def weighted(cls, rows: Array, times_weights: Callable[[Array], Array], b: int) -> ExactSums:
        """Return b sums (b, k) of rows (n, k) times weights: whole numbers, of which the sums are not much above n.

        `times_weights` takes digits (c, n) to the sums of their products with b weights of each row, shape (c, b).
        """
        assert len(rows) <= _MOST_ROWS
        digits, columns = _taken_apart(rows)
        sums = np.zeros((b, rows.shape[1] * DIGITS), np.int64)
        sums[:, columns] = times_weights(digits).T
        return cls(_carried(sums.reshape(b, -1, DIGITS)))

    def __add__(self, other: ExactSums) -> ExactSums:
        """Return the sums of the rows of both."""
        return ExactSums(_carried(self.digits + other.digits))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactSums) and np.array_equal(self.digits, other.digits)

    def exceeds(self, column: int, exceeded: int) -> NDArray[np.bool_]:
        """Return for each of the m whether the sum of a column is more than that of another one."""
        is_more: NDArray[np.bool_] = _carried(self.digits[:, exceeded] - self.digits[:, column])[:, 0] < 0
        return is_more

    def stacked(self, other: ExactSums) -> ExactSums:
        """Return the sums of both, stacked."""
        return ExactSums(np.concatenate([self.digits, other.digits]))

    def beside(self, other: ExactSums) -> ExactSums:
        """Return the columns of both."""
        return ExactSums(np.concatenate([self.digits, other.digits], axis=1))

    @classmethod
    def of_first(cls, counts: Sequence[int], m: int) -> ExactSums:
        """Return m sums of as many columns as there are counts, of which the first are these, and the others 0."""
        sums = cls.zeros(m, len(counts))
        sums.digits[0, :, 1] = counts
        return cls(_carried(sums.digits))

    def floats(self) -> Array:
        """Return the floats that are nearest to the sums, shape (m, k)."""
        return np.array([number / 10**N_DECIMALS for number in self._numbers()], np.float64).reshape(
            self.digits.shape[:2]
        )

    def decimals(self) -> list[Any]:
        """Return the sums of each column as an Arrow array of :data:`DECIMAL`, exactly."""
        m, k = self.digits.shape[:2]
        numbers = self._numbers()
        if max(map(abs, numbers), default=0) >= 10**DECIMAL.precision:
            raise InputError("A sum is 10**20 or more, which exceeds decimal128(38, 18).")
        encoded = [number.to_bytes(16, "little", signed=True) for number in numbers]
        columns = (b"".join(encoded[column::k]) for column in range(k))
        return [pa.Array.from_buffers(DECIMAL, m, [None, pa.py_buffer(column)]) for column in columns]

    @classmethod
    def of_decimals(cls, columns: list[Any]) -> ExactSums:
        """Return the sums that Arrow arrays of decimals hold, all of the same length and without nulls."""
        columns_of_numbers = []
        for column in columns:
            chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            array = pa.concat_arrays([chunk.cast(DECIMAL) for chunk in chunks])
            data = array.buffers()[1].to_pybytes()
            starts = range(16 * array.offset, 16 * (array.offset + len(array)), 16)
            columns_of_numbers.append([int.from_bytes(data[at : at + 16], "little", signed=True) for at in starts])
        numbers = np.array(columns_of_numbers, object).T
        digits = np.zeros((*numbers.shape, DIGITS), np.int64)
        for digit in range(DIGITS - 1, 0, -1):
            digits[..., digit] = numbers % _BASE
            numbers = numbers // _BASE
        digits[..., 0] = numbers
        return cls(digits)

    def _numbers(self) -> list[int]:
        """Return all sums as integers in units of the last decimal, row by row."""
        sums, *lower_digits = np.moveaxis(self.digits, -1, 0).astype(object)
        for digit in lower_digits:
            sums = sums * _BASE + digit
        return sums.ravel().tolist()  # type: ignore[no-any-return]


def check_summable(rows: Array, columns: tuple[str, ...], first_item: int) -> None:
    """Raise an InputError for the first value that has no exact sum: infinite, or beyond 10**18."""
    bad = ~(np.abs(rows) < LARGEST)
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise InputError(
            f"item {first_item + row}: its {columns[column]} is {rows[row, column]:g}, which has no exact sum; "
            "expected a value below 10**18."
        )


def _taken_apart(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the digits that are not 0 in all rows, shape (c, n), and which of the columns' 4 k digits each one is.

    They have the value's sign; what the last cannot hold is rounded.
    """
    values = np.ascontiguousarray(rows.T)
    # most columns are counts below 10**9: one digit of four; the others are only made for columns that have them
    whole = np.trunc(values)
    fractional = np.flatnonzero((values != whole).any(axis=1))
    fractions = (values[fractional] - whole[fractional]) * _BASE
    third = np.trunc(fractions)
    large = np.flatnonzero((np.abs(whole) >= _BASE).any(axis=1))
    large_values = whole[large]
    whole[large] = second = np.fmod(large_values, _BASE)
    nonzero = np.flatnonzero(whole.any(axis=1))
    digits = [(large_values - second) / _BASE, whole[nonzero], third, np.rint((fractions - third) * _BASE)]
    columns = [large * DIGITS, nonzero * DIGITS + 1, fractional * DIGITS + 2, fractional * DIGITS + 3]
    return np.concatenate(digits), np.concatenate(columns)


def _carried(digits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return digits of the same sums, all but the first from 0 to 10**9 - 1."""
    for digit in range(DIGITS - 1, 0, -1):
        carry, digits[..., digit] = np.divmod(digits[..., digit], _BASE)
        digits[..., digit - 1] += carry
    return digits
