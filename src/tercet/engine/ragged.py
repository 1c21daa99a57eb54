"""Rows of different lengths that lie one after the other: token ids of a batch, and arithmetic over such rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np

if TYPE_CHECKING:
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

    def rows(self, chosen: NDArray[np.int64]) -> Ragged:
        """Return some rows, in this order."""
        lengths = self.lengths[chosen]
        return Ragged(self.values[ranges(self.offsets[chosen], lengths)], np.append(0, np.cumsum(lengths)))

    def lists(self) -> list[list[Any]]:
        """Return the rows as lists."""
        return [self.values[start:stop].tolist() for start, stop in pairwise(self.offsets.tolist())]


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Token ids of a corpus: documents are the n predictions of each system, then the m references.

    A pair is a prediction with one of its references, which are documents that all systems share.
    """

    tokens: Ragged  # token ids; a row per document
    lines: Ragged  # first token of every line that has tokens; a row per document, and one more start at the end
    #: Segment i has the references ``reference_offsets[i]`` to ``reference_offsets[i + 1]``; shape (n + 1,).
    reference_offsets: NDArray[np.int64]
    n_types: int  # number of different tokens; ids are smaller than it
    first_item: int = 0  # the number of the first segment in a larger corpus, for messages
    n_systems: int = 1
    #: What messages call a prediction, if not by the number of its segment.
    name_of: Callable[[int], str] | None = None
    #: The texts truncated line by line, for what counts by line (ROUGE-1.5.5's option -b); with the same types.
    cut_by_line: TokenBatch | None = None

    @property
    def n_items(self) -> int:
        """Number of predictions, of all systems."""
        return self.n_systems * (len(self.reference_offsets) - 1)

    @property
    def reference_counts(self) -> NDArray[np.int64]:
        """How many references each prediction has, shape (n_items,)."""
        return np.tile(np.diff(self.reference_offsets), self.n_systems)

    @property
    def pair_offsets(self) -> NDArray[np.int64]:
        """Where the pairs of each prediction begin, shape (n_items + 1,)."""
        return np.append(0, np.cumsum(self.reference_counts))

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The documents of each pair: a prediction and a reference, prediction by prediction."""
        return pairs_of(self.reference_offsets, self.n_systems)

    def documents(self, start: int, stop: int) -> TokenBatch:
        """Return the documents `start` to `stop` as predictions and references."""
        rows, lines = self.tokens.offsets[start : stop + 1], self.lines.offsets[start : stop + 1]
        return replace(
            self,
            tokens=Ragged(self.tokens.values[rows[0] : rows[-1]], rows - rows[0]),
            lines=Ragged(self.lines.values[lines[0] : lines[-1] + 1] - rows[0], lines - lines[0]),
        )

    @property
    def is_crossed(self) -> bool:
        """Whether there is one segment: the pairs then are each prediction with each reference."""
        return len(self.reference_offsets) == 2

    def crossed(self, texts: NDArray[np.int64], references: NDArray[np.int64]) -> TokenBatch:
        """Return some documents as what many systems wrote for one segment, and others as its references."""
        documents = np.concatenate([texts, references])
        tokens = self.tokens.rows(documents)
        lines = self.lines.rows(documents)
        moved = np.repeat(tokens.offsets[:-1] - self.tokens.offsets[documents], lines.lengths)
        return TokenBatch(
            tokens, Ragged(np.append(lines.values + moved, tokens.offsets[-1]), lines.offsets),
            np.array([0, len(references)]), self.n_types, n_systems=len(texts),
            cut_by_line=None if self.cut_by_line is None else self.cut_by_line.crossed(texts, references),
        )  # fmt: skip

    def line_lists(self) -> list[list[list[int]]]:
        """Return the documents as lists of lines of ids."""
        starts, values = self.lines.values.tolist(), self.tokens.values.tolist()
        spans = list(pairwise(starts))
        return [
            [values[start:stop] for start, stop in spans[first:last]]
            for first, last in pairwise(self.lines.offsets.tolist())
        ]


def pairs_of(reference_offsets: NDArray[np.int64], n_systems: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of predictions and references, which come after the predictions of all systems."""
    counts = np.tile(np.diff(reference_offsets), n_systems)
    references = np.tile(np.arange(reference_offsets[-1]), n_systems)
    return np.repeat(np.arange(len(counts)), counts), len(counts) + references


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``start, start + 1, ...`` of every start, as many as its length, one after the other."""
    before = np.cumsum(lengths) - lengths
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return places


def different_rows(rows: Ragged) -> tuple[Ragged, NDArray[np.int64]]:
    """Return the rows that differ, in the order in which they first appear, and which of them each row is."""
    seen: dict[bytes, int] = {}
    which = np.array([seen.setdefault(piece.tobytes(), len(seen)) for piece in rows.pieces()], np.int64)
    first = np.unique(which, return_index=True)[1]
    lengths = rows.lengths[first]
    values = rows.values[ranges(rows.offsets[:-1][first], lengths)]
    return Ragged(values, np.append(0, np.cumsum(lengths))), which


def first_greatest(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first greatest value of each group; groups follow each other from `starts` on."""
    if len(starts) == len(values):
        return np.arange(len(values))
    sizes = np.diff(np.append(starts, len(values)))
    group = np.repeat(np.arange(len(starts)), sizes)
    greatest = np.flatnonzero(values == np.maximum.reduceat(values, starts)[group])
    _, first = np.unique(group[greatest], return_index=True)
    return greatest[first]
