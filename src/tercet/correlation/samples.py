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
#: Resamples of systems and of items that are combined in one step: a figure of all pairs of them, of which those that
#: belong together are the diagonal.
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
        is_graded = ~np.isnan(self.human)
        return figure(self.human[is_graded], self.metric[is_graded], self._weights())

    def within(self, figure: OfColumns) -> Array:
        """Return the mean over items of a figure of their systems, shape (B,); items without one are left out."""
        values = self.by_item(figure)
        is_defined = ~np.isnan(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = (np.where(is_defined, values, 0.0) * self.items).sum(-1) / (is_defined * self.items).sum(-1)
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
        of_pairs, sums = pair_weights(self.systems), []
        for part in _parts(self.human.shape[1], len(self.human), len(self.systems)):
            differences = pair_differences(self.human[:, part]), pair_differences(self.metric[:, part])
            sums.append([(of_pairs @ term * self.items[:, part]).sum(1) for term in terms(*differences)])
        return np.asarray(sum(map(np.array, sums)), np.float64)

    def _weights(self) -> Iterator[Array]:
        """Yield how often each graded output counts, in chunks of resamples, shape (b, N)."""
        rows, columns = np.nonzero(~np.isnan(self.human))
        step = max(1, _POINTS_AT_ONCE // max(1, len(rows)))
        for start in range(0, max(len(self.systems), len(self.items)), step):
            part = slice(start, start + step)
            systems, items = (
                weights[part] if len(weights) > 1 else weights for weights in (self.systems, self.items)
            )
            all_once = len(systems) == 1 and (systems == 1).all()
            yield items[:, columns] if all_once else systems[:, rows] * items[:, columns]


def graded(human: Array, metrics: Array) -> tuple[Array, Array]:
    """Return grades (n, m) and scores (k, n, m) of the systems that have both; NaN where any of them is missing."""
    is_graded = ~np.isnan(human) & ~np.isnan(metrics).any(axis=0)
    has_grades = is_graded.any(axis=1)
    return np.where(is_graded, human, np.nan)[has_grades], np.where(is_graded, metrics, np.nan)[:, has_grades]


def means(values: Array, items: Array) -> Array:
    """Return the mean score of each system over its graded outputs, shape (B, n)."""
    filled, is_graded = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # summed like numpy's mean, not as a product of matrices, so that ties are the same
        if len(items) == 1:
            return np.asarray(((filled * items).sum(1) / (is_graded * items).sum(1))[None], np.float64)
        return np.asarray((items @ filled.T) / (items @ is_graded.T), np.float64)


def pair_differences(values: Array) -> Array:
    """Return the pairwise differences of systems on each item, the first less the second, shape (pairs, m)."""
    first, second = np.triu_indices(len(values), 1)
    return np.asarray(values[first] - values[second], np.float64)


def pair_weights(systems: Array) -> Array:
    """Return how often each pair of systems counts, shape (B, pairs); two copies of one system do not count."""
    first, second = np.triu_indices(systems.shape[1], 1)
    return np.asarray(systems[:, first] * systems[:, second], np.float64)


def _by_column(figure: OfColumns, x: Array, y: Array, systems: Array) -> Array:
    """Return a figure of all columns, as many at once as fit in memory."""
    parts = _parts(x.shape[1], len(x), len(systems))
    return np.concatenate([figure(x[:, part], y[:, part], systems) for part in parts], axis=1)


def _parts(n_columns: int, n_systems: int, n_rows: int) -> Iterator[slice]:
    step = max(1, _CELLS_AT_ONCE // max(1, n_systems * max(n_systems, n_rows)))
    for start in range(0, n_columns, step):
        yield slice(start, start + step)
