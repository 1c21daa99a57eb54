"""The sums of a corpus's rows and of its resamples: all that a result needs once the texts are discarded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.corpus.arrow_items import check_arrow
from tercet.errors import MergeError, first_line, shorten
from tercet.statistics.exact import DECIMAL, ExactSums

#: Columns of a table besides the sums: how they were made, and 0 for the corpus or the number of a resample.
SIGNATURE, RESAMPLE = "signature", "resample"


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact sums: the same to the bit in any order and grouping."""

    signature: str  # how the rows and any resamples were made; only sums with equal signatures merge
    columns: tuple[str, ...]  # names of the k columns
    exact: ExactSums  # of the corpus, and of B resamples, shape (1 + B, k)

    def __add__(self, other: Sums) -> Sums:
        """Return the sums of both; a MergeError when they were made in different ways."""
        if (self.signature, self.columns) != (other.signature, other.columns):
            raise MergeError(f"Sums of different signatures do not add up: {self.signature} and {other.signature}.")
        return replace(self, exact=self.exact + other.exact)

    def of_corpus(self, column: str) -> float:
        """Return the sum of a column over the corpus."""
        at = self.columns.index(column)
        return float(ExactSums(self.exact.digits[:1, at : at + 1]).floats()[0, 0])

    def to_table(self) -> Any:
        """Return a pyarrow.Table with a row for the corpus (resample 0) and one for each resample.

        The sums are decimals with 18 places, which every engine adds exactly.
        """
        m = len(self.exact.digits)
        first = [pa.array([self.signature] * m), pa.array(np.arange(m, dtype=np.int32))]
        return pa.table([*first, *self.exact.decimals()], names=[SIGNATURE, RESAMPLE, *self.columns])

    @classmethod
    def of_table(cls, table: Any, columns: tuple[str, ...] | None = None) -> Sums:
        """Return the sums of a table, as :meth:`to_table` returns it; rows of the same resample are added.

        Takes these columns, in order, or all. MergeError for a table of anything else, with different signatures, or
        with missing rows.
        """
        names = table.column_names
        if columns is None:
            columns = tuple(name for name in names if name not in (SIGNATURE, RESAMPLE))
        other = [name for name in (SIGNATURE, RESAMPLE, *columns) if names.count(name) != 1]
        if other or not columns or not table.num_rows:
            what = "no sums" if table.num_rows else "no rows"
            if other:
                what = f"{'several columns' if other[0] in names else 'no column'} {other[0]!r}"
            raise MergeError(f"The table has {what}: expected sums of statistics, as tercet.arrow_statistics gives.")
        check_arrow(table, "the table of sums")
        try:
            signatures = table[SIGNATURE].unique().to_pylist()
        except pa.ArrowException:  # of a type that cannot be compared
            signatures = []
        if len(signatures) != 1 or not isinstance(signatures[0], str):
            raise MergeError(f"Sums of different signatures do not add up: {shorten(signatures, 500)}.")
        numbers = _resample_numbers(table[RESAMPLE])
        times = np.bincount(numbers)
        if (times != times[0]).any():
            raise MergeError("The table lacks rows of some resamples: all parts must have those of all resamples.")
        sums = ExactSums.of_decimals([_decimals(name, table[name]) for name in columns])
        ordered = sums.digits[np.argsort(numbers, kind="stable")]
        total, *others = (ExactSums(ordered[part :: times[0]]) for part in range(int(times[0])))
        for part in others:
            total = total + part
        return cls(signatures[0], columns, total)


def _resample_numbers(column: Any) -> NDArray[np.int64]:
    """Return the numbers of the resamples; MergeError if they are invalid."""
    if column.null_count or not pa.types.is_integer(column.type):
        raise MergeError(f"The column {RESAMPLE!r} must hold the numbers of the resamples, from 0 on.")
    numbers: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    if numbers.min() < 0 or numbers.max() >= len(numbers):
        raise MergeError(
            f"The column {RESAMPLE!r} must hold the numbers of the resamples, from 0 on: got {numbers.min()} to "
            f"{numbers.max()} in {len(numbers)} rows."
        )
    return numbers


def _decimals(name: str, column: Any) -> Any:
    """Return a column of sums as decimals; MergeError if an engine rounded or lost any."""
    rounded = pa.types.is_floating(column.type)
    if rounded or column.null_count:
        what = f"rounded, to the type {column.type}" if rounded else "incomplete"
        raise MergeError(f"The sums of {name!r} are {what}; expected decimals, as tercet.arrow_statistics gives.")
    try:
        if not (pa.types.is_decimal(column.type) or pa.types.is_integer(column.type)):
            # Arrow's own cast lets texts of hundreds of digits overflow
            column = pa.chunked_array([pa.array([Decimal(each) for each in column.to_pylist()], DECIMAL)])
        return column.cast(DECIMAL)
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise MergeError(f"The column {name!r} holds no exact sums. {first_line(error)}") from None
