"""Rows of statistics as metrics make them: the base columns, items left out, and pairs for many against many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import Indices
from tercet.errors import MergeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Each row begins with 1 (0 if left out), 1 for an empty prediction, 1 without reference, number of references.
BASE_COLUMNS = ("items", "empty", "missing", "references")
ITEMS, EMPTY, MISSING, REFERENCES = range(len(BASE_COLUMNS))

Rows: TypeAlias = "NDArray[np.float64]"
#: Makes the rows of a block of pairs: each of some texts with each of some references, by their numbers.
PairRows = Callable[[Indices, Indices], Rows]


def rows_of_items(strings: list[str], rows_of: Callable[[Corpus], Rows]) -> PairRows:
    """Return what makes rows of pairs by writing them as items, given how a metric makes rows of these."""

    def rows(texts: Indices, references: Indices) -> Rows:
        references_of_each = [strings[index] for index in references.tolist()]
        predictions = []
        for index in texts.tolist():
            predictions += [strings[index]] * len(references)
        return rows_of(Corpus(predictions, references_of_each * len(texts)))

    return rows


def base_rows(batch: Corpus, lengths: NDArray[np.int64], missing_references: str) -> Rows:
    """Return the base columns of items, shape (n, 4), given the lengths of their predictions."""
    references = batch.reference_counts
    missing = references == 0
    is_left_out = missing & (missing_references == "skip")
    empty = (lengths == 0) & ~is_left_out
    return np.column_stack([~is_left_out, empty, missing, references]).astype(np.float64)


def base_without_references(lengths: NDArray[np.int64]) -> Rows:
    """Return the base columns of items that are compared with nothing, given the lengths of their predictions."""
    rows = np.zeros((len(lengths), len(BASE_COLUMNS)))
    rows[:, ITEMS] = 1.0
    rows[:, EMPTY] = lengths == 0
    return rows


def base_of_pairs(lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the base columns of pairs, shape (n, 4), given the lengths of their predictions."""
    rows = base_without_references(lengths)
    rows[:, REFERENCES] = 1.0
    return rows


def as_rows(totals: NDArray[np.float64], columns: Sequence[str], *, by_column: bool = False) -> Rows:
    """Return sums of rows of any shape (..., k) as one after the other, shape (n, k), as the engine reads them.

    With `by_column`, those that lie in memory column by column, as of paired tests, are not copied. A MergeError says
    that they are of other options, which have another number of columns.
    """
    k = totals.shape[-1]
    if k != len(columns):
        raise MergeError(f"The sums have {k} numbers, but these options have {len(columns)}: {', '.join(columns)}.")
    if by_column and totals.ndim == 2 and totals.dtype == np.float64 and totals.flags.f_contiguous:
        return totals
    rows: Rows = np.ascontiguousarray(totals, np.float64).reshape(-1, k)
    return rows


def divide_or_zero(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return a part divided by the whole; 0 where that is 0."""
    # NumPy divides everywhere: by 1 where there is nothing to divide by.
    shares: NDArray[np.float64] = np.where(whole != 0, part / np.where(whole != 0, whole, 1.0), 0.0)
    return shares


def leave_out(rows: Rows, batch: Corpus, missing_references: str) -> None:
    """Take items without a reference out of the rows of a batch, where they are to be skipped."""
    if missing_references == "skip" and not batch.one_each:
        missing = rows[:, MISSING] > 0
        rows[missing, ITEMS] = 0.0
        rows[missing, EMPTY] = 0.0
        rows[missing, len(BASE_COLUMNS) :] = 0.0
