"""A corpus of columns of texts that are read when they are needed: memory does not grow with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, overload

from tercet import numpy_later as np

from .corpus import Corpus

#: Segments that are in memory at a time.
_PART = 1 << 13


class SideBySide(Sequence[list[str]]):
    """The texts of columns with as many rows each: a list for each row."""

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, rows: int) -> list[str]: ...

    @overload
    def __getitem__(self, rows: slice) -> list[list[str]]: ...

    def __getitem__(self, rows: int | slice) -> list[str] | list[list[str]]:
        """Return the texts of a row, or a list of several."""
        if isinstance(rows, slice):
            return list(map(list, zip(*(column[rows] for column in self.columns), strict=True)))
        return [column[rows] for column in self.columns]

    def __iter__(self) -> Iterator[list[str]]:
        return map(list, zip(*self.columns, strict=True))


class _ByColumn(Sequence[str]):
    """The texts of columns with as many rows each, column by column."""

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        self._columns = columns
        self._n_rows = len(columns[0])

    def __len__(self) -> int:
        return self._n_rows * len(self._columns)

    def __getitem__(self, index: Any) -> Any:
        """Return one text."""
        column, row = divmod(range(len(self))[index], self._n_rows)
        return self._columns[column][row]


class _ByRow(_ByColumn):
    """The texts of columns with as many rows each, row by row."""

    def __getitem__(self, index: Any) -> Any:
        """Return one text."""
        row, column = divmod(range(len(self))[index], len(self._columns))
        return self._columns[column][row]


class LargeCorpus(Corpus):
    """A corpus of which only parts are in memory, with as many references of each segment; no rows of it are kept.

    Its texts have been read from files, and so can be encoded.
    """

    __slots__ = ("_systems", "_targets")

    def __init__(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        names: tuple[str, ...],
        first_item: int = 0,
    ) -> None:
        self._systems = systems
        self._targets = references
        super().__init__(_ByColumn(systems), _ByRow(references), None, names, first_item)
        self.one_each = len(references) == 1
        self.strings = (self._predictions, self._references)

    def checked(self) -> Corpus:
        """Return this corpus."""
        return self

    def item(self, segment: int) -> tuple[list[str], list[str]]:
        """Return the predictions of a segment, of all systems, and its references."""
        return [texts[segment] for texts in self._systems], [texts[segment] for texts in self._targets]

    def items(self, segments: Sequence[int]) -> list[tuple[list[str], list[str]]]:
        """Return the predictions and the references of several segments."""
        return list(map(self.item, segments))

    def reference_lists(self) -> Any:
        """Return the references, a list for each segment, which are read when they are needed."""
        return SideBySide(self._targets)

    @property
    def missing(self) -> list[int]:
        """The segments without a reference: none."""
        return []

    def texts_of(self, system: int) -> Sequence[str]:
        """Return the predictions of a system, which are read when they are needed."""
        return self._systems[system]

    def parts(self, size: int = _PART) -> Iterator[Corpus]:
        """Yield all segments, so many at a time."""
        for start in range(0, self.n_segments, size):
            yield self.part(start, start + size)

    def part(self, start: int, stop: int) -> Corpus:
        """Return the segments `start` to `stop`, or to the last one, in memory."""
        stop = min(stop, self.n_segments)
        predictions = list(chain.from_iterable(texts[start:stop] for texts in self._systems))
        n_references = len(self._targets)
        if n_references == 1:
            references = self._targets[0][start:stop]
            offsets = None
        else:
            references = list(chain.from_iterable(SideBySide(self._targets)[start:stop]))
            offsets = np.arange(0, len(references) + 1, n_references)
        return Corpus(predictions, references, offsets, self.names, self.first_item + start)

    def system(self, number: int) -> Corpus:
        """Return the predictions of one system, with the references."""
        corpus = LargeCorpus([self._systems[number]], self._targets, self.names[number : number + 1], self.first_item)
        corpus.warned = self.warned.copy()
        return corpus

    def numbered(self, first_item: int) -> Corpus:
        """Return a corpus of these texts as segments from another number on."""
        corpus = LargeCorpus(self._systems, self._targets, self.names, first_item)
        corpus.warned = self.warned
        return corpus
