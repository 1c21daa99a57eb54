"""Grades and scores of the same outputs; their weights in resamples, and the units of a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: The cluster of each item, from 0; without clusters each item is its own.
Numbers = NDArray[np.int64]

#: A correlation of points x and y, shape (N,), for each row of the weights that follow in chunks, shape (b, N).
OfPoints = Callable[[Array, Array, Iterator[Array]], Array]
#: A figure of each column of x and y, shape (n, c), for each row of weights (B, n): shape (B, c).
OfColumns = Callable[[Array, Array, Array], Array]

#: Array elements per step over resamples, and over columns.
_POINTS_AT_ONCE, _CELLS_AT_ONCE = 4_000_000, 2_000_000
#: Resamples of systems and of items that are combined in one step; those that belong together are kept.
_STEP = 32


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Grades and scores of a metric, shape (n, m), of systems and items: NaN in both where an output has no grade.

    `systems` (B or 1, n) and `items` (B or 1, m) say how often each of them counts in each resample.
    """

    human: Array
    metric: Array
    systems: Array
    items: Array

    @classmethod
    def whole(cls, human: Array, metric: Array) -> Sample:
        """Return the sample in which everything counts once."""
        return cls(human, metric, np.ones((1, human.shape[0])), np.ones((1, human.shape[1])))

    def pooled(self, figure: OfPoints) -> Array:
        """Return a figure of all graded outputs pooled, shape (B,)."""
        there = ~np.isnan(self.human)
        return figure(self.human[there], self.metric[there], self._weights())

    def within(self, figure: OfColumns) -> Array:
        """Return the mean over items of a figure of their systems, shape (B,); items without one are left out."""
        found = self.by_item(figure)
        there = ~np.isnan(found)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = (np.where(there, found, 0.0) * self.items).sum(-1) / (there * self.items).sum(-1)
        return np.asarray(total, np.float64)

    def between(self, figure: OfColumns) -> Array:
        """Return a figure of the systems' mean scores, shape (B,)."""
        x, y = means(self.human, self.items).T, means(self.metric, self.items).T
        if len(self.items) == 1 or len(self.systems) == 1:
            return _by_column(figure, x, y, self.systems).ravel()
        parts = [slice(start, start + _STEP) for start in range(0, len(self.items), _STEP)]
        return np.concatenate([np.diag(figure(x[:, part], y[:, part], self.systems[part])) for part in parts])

    def by_item(self, figure: OfColumns) -> Array:
        """Return a figure of the systems of each item, for each resample of the systems, shape (B or 1, m)."""
        return _by_column(figure, self.human, self.metric, self.systems)

    def pair_sums(self, terms: Callable[[Array, Array], Sequence[Array]]) -> Array:
        """Return sums over the pairs of systems of all items of terms of their differences x and y, shape (k, B)."""
        of_pairs, found = pair_weights(self.systems), []
        for part in _parts(self.human.shape[1], len(self.human), len(self.systems)):
            differences = pair_differences(self.human[:, part]), pair_differences(self.metric[:, part])
            found.append([(of_pairs @ each * self.items[:, part]).sum(1) for each in terms(*differences)])
        return np.asarray(sum(map(np.array, found)), np.float64)

    def _weights(self) -> Iterator[Array]:
        """Yield how often each graded output counts, in chunks of resamples, shape (b, N)."""
        rows, columns = np.nonzero(~np.isnan(self.human))
        step = max(1, _POINTS_AT_ONCE // max(1, len(rows)))
        for start in range(0, max(len(self.systems), len(self.items)), step):
            part = slice(start, start + step)
            systems, items = (each[part] if len(each) > 1 else each for each in (self.systems, self.items))
            once = len(systems) == 1 and (systems == 1).all()
            yield items[:, columns] if once else systems[:, rows] * items[:, columns]


def graded(human: Array, metrics: Array) -> tuple[Array, Array]:
    """Return grades (n, m) and scores (k, n, m) of the systems that have both; NaN where any of them is missing."""
    there = ~np.isnan(human) & ~np.isnan(metrics).any(axis=0)
    kept = there.any(axis=1)
    return np.where(there, human, np.nan)[kept], np.where(there, metrics, np.nan)[:, kept]


def means(values: Array, items: Array) -> Array:
    """Return the mean score of each system over its graded outputs, shape (B, n)."""
    filled, there = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        if len(items) == 1:  # summed like numpy's mean, so that ties are the same
            return np.asarray(((filled * items).sum(1) / (there * items).sum(1))[None], np.float64)
        return np.asarray((items @ filled.T) / (items @ there.T), np.float64)


def pair_differences(values: Array) -> Array:
    """Return the pairwise differences of systems on each item, the first less the second, shape (pairs, m)."""
    one, other = np.triu_indices(len(values), 1)
    return np.asarray(values[one] - values[other], np.float64)


def pair_weights(systems: Array) -> Array:
    """Return how often each pair of systems counts, shape (B, pairs); two copies of one system do not count."""
    one, other = np.triu_indices(systems.shape[1], 1)
    return np.asarray(systems[:, one] * systems[:, other], np.float64)


def _by_column(figure: OfColumns, x: Array, y: Array, systems: Array) -> Array:
    """Return a figure of all columns, as many at once as fit in memory."""
    parts = _parts(x.shape[1], len(x), len(systems))
    return np.concatenate([figure(x[:, part], y[:, part], systems) for part in parts], axis=1)


def _parts(n_columns: int, n_systems: int, n_rows: int) -> Iterator[slice]:
    step = max(1, _CELLS_AT_ONCE // max(1, n_systems * max(n_systems, n_rows)))
    for start in range(0, n_columns, step):
        yield slice(start, start + step)
