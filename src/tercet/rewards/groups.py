"""Groups of completions with the same references, which are then read and counted once for each group."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_items


class Groups(NamedTuple):
    """Groups of one size, one after the other, as trainers pass them."""

    size: int
    number: int

    @classmethod
    def of(cls, lists: list[Any]) -> Groups:
        """Return the groups of references, of size 1 where they have different sizes."""
        n = len(lists)
        starts = [0, *(place for place in range(1, n) if lists[place] != lists[place - 1])]
        size = n // len(starts)
        return cls(size, len(starts)) if starts == list(range(0, n, size)) else cls(1, n)

    def corpus(self, texts: list[str], lists: list[Any]) -> Corpus:
        """Return a corpus whose systems are the first completions of all groups, the second ones, and so on."""
        first = read_items(texts[: self.number], lists[:: self.size], "completions")
        if self.size == 1:
            return first
        assert first.strings is not None
        ordered = texts
        if self.number > 1:
            ordered = list(chain.from_iterable(texts[place :: self.size] for place in range(self.size)))
        offsets = None if first.one_each else first.reference_offsets
        return Corpus(ordered, first.strings[1], offsets, ("completions",) * self.size)

    def ungrouped(self, values: NDArray[np.float64]) -> list[float]:
        """Return values of that corpus in the order of the texts."""
        ordered: list[float] = values.reshape(self.size, self.number).T.ravel().tolist()
        return ordered
