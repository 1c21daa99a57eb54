"""What the sums of a stream are of, by which it is recognized that something is merged twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class ItemsMark(NamedTuple):
    """What is known of the items of a stream, whichever it is: how many, and the sum of their keys."""

    n_items: int
    keys: int


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
