"""Rows of different lengths that lie one after the other: token ids of a batch, and arithmetic over such rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    values: NDArray[Any]
    offsets: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each row."""
        return np.diff(self.offsets)

    def pieces(self) -> list[NDArray[Any]]:
        """Return each row as an array."""
        return np.split(self.values, self.offsets[1:-1])[: len(self.lengths)]  # of no rows, it makes one

    def lists(self) -> list[list[Any]]:
        """Return the rows as lists."""
        return [self.values[start:stop].tolist() for start, stop in pairwise(self.offsets.tolist())]


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Token ids of a batch: documents are the n predictions, then the m references.

    Attributes
    ----------
    tokens : Ragged of int32
        Token ids; a row per document.
    lines : Ragged of int64
        First token of every line that has tokens; a row per document, and one more start at the end.
    reference_offsets : ndarray of int64, shape (n + 1,)
        Item i has the references ``reference_offsets[i]`` to ``reference_offsets[i + 1]``.
    n_types : int
        Number of different tokens; ids are smaller than it.
    first_item : int
        The number of the first item in the corpus, for messages.
    cut_by_line : TokenBatch, optional
        The texts truncated line by line, for what counts by line (ROUGE-1.5.5's option -b); with the same types.
    """

    tokens: Ragged
    lines: Ragged
    reference_offsets: NDArray[np.int64]
    n_types: int
    first_item: int = 0
    cut_by_line: TokenBatch | None = None

    @property
    def n_items(self) -> int:
        """Number of predictions."""
        return len(self.reference_offsets) - 1

    @property
    def owners(self) -> NDArray[np.int64]:
        """The item that each reference belongs to, shape (m,)."""
        return np.repeat(np.arange(self.n_items), np.diff(self.reference_offsets))

    def documents(self, start: int, stop: int) -> TokenBatch:
        """Return the documents `start` to `stop`, whose items `reference_offsets` delimits."""
        rows, lines = self.tokens.offsets[start : stop + 1], self.lines.offsets[start : stop + 1]
        return replace(
            self,
            tokens=Ragged(self.tokens.values[rows[0] : rows[-1]], rows - rows[0]),
            lines=Ragged(self.lines.values[lines[0] : lines[-1] + 1] - rows[0], lines - lines[0]),
        )

    def line_lists(self) -> list[list[list[int]]]:
        """Return the documents as lists of lines of ids."""
        starts, values = self.lines.values.tolist(), self.tokens.values.tolist()
        spans = list(pairwise(starts))
        return [
            [values[start:stop] for start, stop in spans[first:last]]
            for first, last in pairwise(self.lines.offsets.tolist())
        ]


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``start, start + 1, ...`` of every start, as many as its length, one after the other.

    Examples
    --------
    >>> ranges(np.array([10, 0]), np.array([2, 3])).tolist()
    [10, 11, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return places


def different_rows(rows: Ragged) -> tuple[Ragged, NDArray[np.int64]]:
    """Return the rows that differ, in the order in which they first appear, and which of them each row is.

    Examples
    --------
    >>> different, which = different_rows(Ragged(np.array([7, 8, 7, 8, 9]), np.array([0, 2, 4, 5])))
    >>> different.lists(), which.tolist()
    ([[7, 8], [9]], [0, 0, 1])
    """
    seen: dict[bytes, int] = {}
    which = np.array([seen.setdefault(piece.tobytes(), len(seen)) for piece in rows.pieces()], np.int64)
    first = np.unique(which, return_index=True)[1]
    lengths = rows.lengths[first]
    values = rows.values[ranges(rows.offsets[:-1][first], lengths)]
    return Ragged(values, np.append(0, np.cumsum(lengths))), which


def first_greatest(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first greatest value of each group; groups follow each other from `starts` on.

    Examples
    --------
    >>> first_greatest(np.array([1.0, 3.0, 3.0, 2.0]), np.array([0, 3])).tolist()
    [1, 3]
    """
    if len(starts) == len(values):
        return np.arange(len(values))
    sizes = np.diff(np.append(starts, len(values)))
    group = np.repeat(np.arange(len(starts)), sizes)
    greatest = np.flatnonzero(values == np.maximum.reduceat(values, starts)[group])
    _, first = np.unique(group[greatest], return_index=True)
    return greatest[first]
