"""Segments that are resampled together, as repeats of a sample or the segments of a document: a cluster is one unit.

A cluster's row is the sum of its segments' rows, so every statistic of rows takes clusters as it takes segments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, shorten
from tercet.option_checks import has_entries, plain_list

from .stats import SegmentStats


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which cluster each segment belongs to.

    Attributes
    ----------
    numbers : ndarray of int, shape (n,)
        The cluster of each segment; clusters are numbered from 0 in the order in which they first occur.
    name : str
        What the labels are, such as ``doc_id``; "" if nobody said.
    """

    numbers: NDArray[np.int64]
    name: str

    @classmethod
    def of(cls, labels: Any, n_segments: int, name: str = "") -> Clusters:
        """Return the clusters of segments with equal labels, texts or integers; 7 and "7" are the same.

        Raises
        ------
        InputError
            Unless there is a label for each segment.
        """
        if isinstance(labels, str | bytes) or not has_entries(labels):
            raise InputError(f"cluster: expected a label for each item, got {shorten(labels)}.")
        values = plain_list(labels)
        check_label_for_each(n_segments, len(values))
        numbers: dict[str, int] = {}
        for item, label in enumerate(values):
            if not _is_label(label):
                raise InputError(
                    f"cluster: item {item} has the label {shorten(label)}; expected a text or an integer, the same "
                    "for all items of a cluster."
                )
            numbers.setdefault(str(label), len(numbers))
        return cls(np.array([numbers[str(label)] for label in values], np.int64), name)

    def __len__(self) -> int:
        """Return the number of clusters."""
        return int(self.numbers.max()) + 1 if len(self.numbers) else 0

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of segments in each cluster."""
        return np.bincount(self.numbers)

    def selected(self, segments: NDArray[Any]) -> Clusters:
        """Return the clusters of some segments, numbered anew."""
        _, first_segments, ranks = np.unique(self.numbers[segments], return_index=True, return_inverse=True)
        new_numbers = np.empty(len(first_segments), np.int64)
        new_numbers[np.argsort(first_segments)] = np.arange(len(first_segments))
        return Clusters(new_numbers[ranks], self.name)

    def sums(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of each cluster's rows, shape (c, k), of rows (n, k)."""
        if len(self) == len(self.numbers):
            return rows
        return np.column_stack([np.bincount(self.numbers, column) for column in rows.T])

    def stats(self, stats: SegmentStats) -> SegmentStats:
        """Return the statistics with a row for each cluster."""
        if len(self) == len(stats):
            return stats
        return replace(stats, rows=self.sums(stats.rows))

    def described(self, plain: Callable[[str], str] = str) -> str:
        """Return the number and size of the clusters, and what they are: ``40 clusters of 10 (sample id)``."""
        least = int(self.sizes.min())
        most = int(self.sizes.max())
        size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        name = f" ({plain(self.name)})" if self.name else ""
        return f"{len(self):,} cluster{'s' * (len(self) != 1)} of {size}{name}"

    def to_dict(self) -> dict[str, Any]:
        """Return what the clusters are, how many there are, and the least and greatest number of segments in one."""
        sizes = self.sizes
        return {"by": self.name or None, "number": len(self), "sizes": [int(sizes.min()), int(sizes.max())]}

    def notes(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return sentences for below a table: what was resampled."""
        return [f"Resampled by {self.described(plain)}."]


def check_label_for_each(n_items: int, n_labels: int) -> None:
    """Raise an InputError unless there is a label of a cluster for each item."""
    if n_labels != n_items:
        raise InputError(
            f"cluster: there must be a label for each item, got {n_labels:,} labels for {n_items:,} items."
        )


def _is_label(label: Any) -> bool:
    """Return whether a label of a cluster is a text that is not blank, or an integer."""
    if isinstance(label, bool) or not isinstance(label, str | int | np.integer):
        return False
    # 2**512 is far above any id, and far below what Python refuses to write.
    if isinstance(label, int) and abs(label) >= 1 << 512:
        return False
    return bool(str(label).strip())


def clustered(systems: Sequence[SegmentStats], clusters: Clusters | None) -> list[SegmentStats]:
    """Return the rows that are resampled, of each system: those of clusters, or of segments where there are none."""
    return list(systems) if clusters is None else [clusters.stats(stats) for stats in systems]
