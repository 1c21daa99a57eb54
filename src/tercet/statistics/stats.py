"""Sufficient statistics: one row of numbers per segment, the basis of every score, interval and test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from tercet import numpy_later as np
from tercet.engine.chosen import engine
from tercet.errors import MergeError
from tercet.signature import Signature

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

Scores: TypeAlias = "dict[str, NDArray[np.float64]]"


class Formula(Protocol):
    """What resampling asks of a metric: its scores as a function of sums of rows."""

    def finalize(self, totals: Any) -> Scores:
        """Return the scores of sums of rows, shape (..., k)."""

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums of a corpus, shape (k,)."""

    def check_call(self, *, resampled: bool = False, summed: bool = False) -> None:
        """Raise OptionError where no formula of sums gives the scores."""


@dataclass(slots=True, eq=False)  # not frozen, which takes a microsecond for each
class SegmentStats:
    """Rows that add up: the score of a corpus is a function of their sum.

    Where rows are not kept, as nobody asks for a test, an interval or a segment, there is one for each system.
    """

    #: The options of the rows and of the score: rows of other options do not add up.
    signature: Signature
    #: Names of the k columns.
    columns: tuple[str, ...]
    #: One row per item, system by system. Counts are exact up to 2**53. (ndarray of float64, shape (n, k))
    rows: NDArray[np.float64]
    #: How many items each row is the sum of: more than one where rows were added up, and not kept.
    items_per_row: int = 1
    _total: NDArray[np.float64] | None = field(default=None, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows) * self.items_per_row

    def __add__(self, other: SegmentStats) -> SegmentStats:
        """Return the rows of both, in order; MergeError if they were made with different options."""
        if not isinstance(other, SegmentStats):
            return NotImplemented
        return SegmentStats.concatenate([self, other])

    @classmethod
    def concatenate(cls, parts: Sequence[SegmentStats]) -> SegmentStats:
        """Return the rows of one or more parts, in order; MergeError as for ``+``."""
        check_alike(parts)
        if len(parts) == 1:
            return parts[0]
        return replace(parts[0], rows=np.concatenate([part.rows for part in parts]))

    def split(self, n_systems: int) -> list[SegmentStats]:
        """Return the rows of each system, from consecutive blocks."""
        return [replace(self, rows=rows) for rows in np.split(self.rows, n_systems)]

    def sums_with(self, stats: SegmentStats) -> SegmentStats:
        """Return these sums, a row for each system, with those of the rows of further items, system by system."""
        rows_by_system = stats.rows.reshape(len(self.rows), -1, len(self.columns))
        # As if all rows were added at once: each to those before it.
        totals = [
            engine.sum_rows(np.concatenate([total[None], rows]))
            for total, rows in zip(self.rows, rows_by_system, strict=True)
        ]
        return replace(self, rows=np.array(totals), items_per_row=self.items_per_row + rows_by_system.shape[1])

    def selected(self, segments: NDArray[Any]) -> SegmentStats:
        """Return some of the rows, by their numbers or by a flag for each."""
        return replace(self, rows=self.rows[segments])

    def total(self) -> NDArray[np.float64]:
        """Return the sum of the rows, shape (k,), to read: it is cached, as a result needs it several times."""
        if self._total is None:
            self._total = engine.sum_rows(np.ascontiguousarray(self.rows, np.float64))
            self._total.flags.writeable = False
        return self._total

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one column, shape (n,)."""
        return self.rows[:, self.columns.index(name)]

    def span(self, name: str) -> str:
        """Return the least and the greatest number of a column of counts, such as "1-4"; one if all are equal.

        Of rows that were added up, it is for a column that is the same in all of them.
        """
        rows = np.ascontiguousarray(self.rows, np.float64)
        low, high = map(int, engine.span_of_column(rows, self.columns.index(name)))
        if self.items_per_row > 1:
            return str(low // self.items_per_row)
        return str(low) if low == high else f"{low}-{high}"

    def to_arrow(self) -> pa.Table:
        """Return a table with one column per statistic; the signature is in the metadata of its schema."""
        import pyarrow as pa

        table = pa.table(list(self.rows.T), names=list(self.columns))
        return table.replace_schema_metadata({"signature": str(self.signature)})

    @classmethod
    def from_arrow(cls, table: pa.Table) -> SegmentStats:
        """Return the statistics that :meth:`to_arrow` wrote; MergeError if the table has no signature."""
        metadata = table.schema.metadata or {}
        if b"signature" not in metadata:
            raise MergeError("The table has no signature in the metadata of its schema.")
        rows = np.column_stack([column.to_numpy() for column in table.columns]).astype(np.float64)
        return cls(Signature.parse(metadata[b"signature"].decode()), tuple(table.column_names), rows)


def check_alike(parts: Sequence[SegmentStats]) -> None:
    """Raise a MergeError for parts that were made with different options."""
    first = parts[0]
    for part in parts[1:]:
        if (first.signature, first.columns) != (part.signature, part.columns):
            raise MergeError(
                f"Statistics of different signatures do not add up: {first.signature} and {part.signature}."
            )


def differ(first: SegmentStats, second: SegmentStats) -> NDArray[np.bool_]:
    """Return which units of two systems differ."""
    is_different: NDArray[np.bool_] = (first.rows != second.rows).any(axis=1)
    return is_different
