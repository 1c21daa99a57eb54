"""What the sums of a stream are of, by which it is recognized that something is merged twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class ItemsMark(NamedTuple):
    """What is known of the items of a stream, whichever it is: how many, as "3 items", and the sum of their keys."""

    counted: str
    keys: str


@dataclass(slots=True)
class Origins:
    """The marks of the streams whose items are in sums, and of the items of each that was merged."""

    streams: set[str] = field(default_factory=set)
    items: set[ItemsMark] = field(default_factory=set)

    def __and__(self, other: Origins) -> Origins:
        """Return the origins that both have."""
        return Origins(self.streams & other.streams, self.items & other.items)

    def __or__(self, other: Origins) -> Origins:
        """Return the origins of either."""
        return Origins(self.streams | other.streams, self.items | other.items)

    def __ior__(self, other: Origins) -> Origins:
        """Add the origins of another."""
        self.streams |= other.streams
        self.items |= other.items
        return self

    def texts(self) -> list[str]:
        """Return the marks as a file holds them: those of items have blanks, those of streams none."""
        return [*self.streams, *(f"{mark.counted} {mark.keys}" for mark in self.items)]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Origins:
        """Return the marks that a file holds."""
        origins = cls()
        for text in texts:
            counted, blank, keys = text.rpartition(" ")
            if blank:
                origins.items.add(ItemsMark(counted, keys))
            else:
                origins.streams.add(text)
        return origins
