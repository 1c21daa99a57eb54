"""Grades and scores of the same outputs; their weights in resamples, and the units of a figure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: Such as the cluster of each item.
Numbers = NDArray[np.int64]

_ValueT = TypeVar("_ValueT")

#: From so many points and items on, rank correlations of resamples are computed by the influence of each point.
MANY_POINTS = 20_000
MANY_ITEMS = 1_000

#: A correlation of points x and y, shape (N,), for each row of weights: shape (B,).
OfPoints = Callable[[Array, Array, "PointWeights"], Array]
#: A figure of each column of x and y, shape (n, c), for each row of weights (B, n): shape (B, c).
OfColumns = Callable[[Array, Array, Array], Array]

#: Array elements per step over resamples.
_POINTS_AT_ONCE = 4_000_000
#: Array elements per step over columns.
_CELLS_AT_ONCE = 2_000_000
#: Resamples of systems and of items that are combined in one step: a figure of all pairs of them, of which those that
#: belong together are the diagonal.
_STEP = 32


class GradedOutputs(NamedTuple):
    """Grades of the outputs of n systems for m items, and scores of k metrics: NaN where an output has no grade."""

    human: Array  # (n, m)
    metrics: Array  # (k, n, m)
    clusters: Numbers | None = None  # of the items

    @classmethod
    def of(cls, human: Array, metrics: Array, clusters: Numbers | None) -> GradedOutputs:
        """Return the systems that have both grades and scores: NaN where any of them is missing."""
        is_graded = ~np.isnan(human) & ~np.isnan(metrics).any(axis=0)
        has_grades = is_graded.any(axis=1)
        return cls(
            human=np.where(is_graded, human, np.nan)[has_grades],
            metrics=np.where(is_graded, metrics, np.nan)[:, has_grades],
            clusters=clusters,
        )

    @property
    def cluster_of_item(self) -> Numbers:
        """The cluster of each item, from 0; without clusters each item is its own."""
        if self.clusters is None:
            return np.arange(self.human.shape[1])
        return self.clusters


class Key(NamedTuple):
    """What a value is, and of what: such as the figure of each item, of a function."""

    what: str
    of: Hashable = None


class Once:
    """Values that are computed once, by their keys."""

    def __init__(self) -> None:
        self._values: dict[Key, Any] = {}

    def __call__(self, key: Key, compute: Callable[[], _ValueT]) -> _ValueT:
        """Return the value of a key, computed if this is the first time."""
        if key not in self._values:
            self._values[key] = compute()
        value: _ValueT = self._values[key]
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Grades and scores of a metric, shape (n, m), of systems and items: NaN in both where an output has no grade.

    `system_weights` (B or 1, n) and `item_weights` (B or 1, m) say how often each of them counts in each resample.
    """

    human: Array
    metric: Array
    system_weights: Array
    item_weights: Array
    #: What these outputs have in all resamples of items.
    of_outputs: Once = field(default_factory=Once)
    #: What the grades have in these resamples, whatever the metric.
    of_grades: Once = field(default_factory=Once)
    #: Whether each item is drawn by itself, and not with the others of its cluster.
    has_single_items: bool = True
    _of_resamples: Once = field(default_factory=Once)

    @classmethod
    def whole(cls, human: Array, metric: Array) -> Sample:
        """Return the sample in which everything counts once."""
        return cls(human, metric, np.ones((1, human.shape[0])), np.ones((1, human.shape[1])))

    def resampled(
        self, system_weights: Array, item_weights: Array, of_grades: Once, *, has_single_items: bool = True
    ) -> Sample:
        """Return resamples of the outputs; `of_grades` is shared by all metrics in the same resamples.

        `has_single_items` says that each item is drawn by itself, and not with the others of its cluster.
        """
        return Sample(
            self.human, self.metric, system_weights, item_weights, self.of_outputs, of_grades, has_single_items
        )

    def pooled(self, figure: OfPoints) -> Array:
        """Return a figure of all graded outputs pooled, shape (B,)."""
        is_graded = ~np.isnan(self.human)
        weights = self._of_resamples(Key("points"), lambda: PointWeights(self, is_graded))
        return figure(self.human[is_graded], self.metric[is_graded], weights)

    def within(self, figure: OfColumns, key: Key | None = None) -> Array:
        """Return the mean over items of a figure of their systems, shape (B,); items without one are left out.

        The values by item are kept under the key, by default that of the function.
        """
        values = self.by_item(figure, key)
        is_defined = ~np.isnan(values)
        filled = np.where(is_defined, values, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.systems_count_once and len(self.item_weights) > 1:
                total = (self.item_weights @ filled[0]) / (self.item_weights @ is_defined[0].astype(np.float64))
            else:
                total = (filled * self.item_weights).sum(-1) / (is_defined * self.item_weights).sum(-1)
        return np.asarray(total, np.float64)

    def between(self, figure: OfColumns) -> Array:
        """Return a figure of the systems' mean scores, shape (B,)."""
        x = self.of_grades(Key("means"), lambda: means(self.human, self.item_weights).T)
        y = self._of_resamples(Key("means"), lambda: means(self.metric, self.item_weights).T)
        if len(self.item_weights) == 1 or len(self.system_weights) == 1:
            return _by_column(figure, x, y, self.system_weights).ravel()
        parts = [slice(start, start + _STEP) for start in range(0, len(self.item_weights), _STEP)]
        return np.concatenate([np.diag(figure(x[:, part], y[:, part], self.system_weights[part])) for part in parts])

    def by_item(self, figure: OfColumns, key: Key | None = None) -> Array:
        """Return a figure of the systems of each item, for each resample of the systems, shape (B or 1, m)."""

        def compute() -> Array:
            return _by_column(figure, self.human, self.metric, self.system_weights)

        if self.systems_count_once:
            return self.of_outputs(key or Key("figure of items", figure), compute)
        return compute()

    def pair_sums(self, terms: Callable[[Array, Array], Sequence[Array]]) -> Array:
        """Return sums over the pairs of systems of all items of terms of their differences x and y, shape (k, B)."""
        if self.systems_count_once and len(self.item_weights) > 1:
            of_items = self.of_outputs(Key("sums of items", terms), lambda: self._sums_of_items(terms))
            return of_items @ self.item_weights.T
        of_pairs = pair_weights(self.system_weights)
        sums = []
        for part in self._parts_of_items():
            differences = pair_differences(self.human[:, part]), pair_differences(self.metric[:, part])
            sums.append([(of_pairs @ term * self.item_weights[:, part]).sum(1) for term in terms(*differences)])
        return np.asarray(sum(map(np.array, sums)), np.float64)

    @property
    def systems_count_once(self) -> bool:
        """Whether only items are resampled, if anything is."""
        return len(self.system_weights) == 1 and bool((self.system_weights == 1).all())

    def _sums_of_items(self, terms: Callable[[Array, Array], Sequence[Array]]) -> Array:
        """Return the sums over the pairs of systems of each item, shape (k, m)."""
        sums = []
        for part in self._parts_of_items():
            differences = pair_differences(self.human[:, part]), pair_differences(self.metric[:, part])
            sums.append(np.array([term.sum(0) for term in terms(*differences)]))
        return np.concatenate(sums, axis=1)

    def _parts_of_items(self) -> Iterator[slice]:
        return column_chunks(self.human.shape[1], len(self.human), len(self.system_weights))


class PointWeights:
    """How often each of N graded outputs, or points, counts in each of B resamples.

    It iterates over them in chunks of resamples, shape (b, N).
    """

    def __init__(self, sample: Sample, is_graded: NDArray[np.bool_]) -> None:
        self._system_weights = sample.system_weights
        self.item_weights = sample.item_weights
        self._system_of_point, self._item_of_point = np.nonzero(is_graded)
        self._systems_count_once = sample.systems_count_once
        self._has_single_items = sample.has_single_items
        #: What these points have in all resamples of items, and what they have in these resamples.
        self.of_outputs = sample.of_outputs
        self.of_resamples = Once()

    def __iter__(self) -> Iterator[Array]:
        step = max(1, _POINTS_AT_ONCE // max(1, len(self._item_of_point)))
        for start in range(0, self._n_resamples, step):
            part = slice(start, start + step)
            items = self.item_weights[part] if len(self.item_weights) > 1 else self.item_weights
            if self._systems_count_once:
                yield items[:, self._item_of_point]
            else:
                systems = self._system_weights[part] if len(self._system_weights) > 1 else self._system_weights
                yield systems[:, self._system_of_point] * items[:, self._item_of_point]

    def totals(self, columns: Array) -> Array:
        """Return the weighted sums of columns of points (N, k), shape (B, k)."""
        if not self._systems_count_once or self._n_resamples == 1:
            return np.concatenate([chunk @ columns for chunk in self])
        return self.item_weights @ self.sums_of_items(columns)

    def sums_of_items(self, columns: Array) -> Array:
        """Return the sums of columns of points (N, k) over the points of each item, shape (m, k).

        A resample of items takes all points of an item, so that these suffice.
        """
        n_items = self.item_weights.shape[1]
        return np.column_stack([np.bincount(self._item_of_point, column, n_items) for column in columns.T])

    def numbers_of_items(self, ranks: NDArray[np.int64], n_ranks: int) -> Array:
        """Return how many points of each rank (N,) an item has, shape (m, n_ranks)."""
        n_items = self.item_weights.shape[1]
        cells = np.bincount(self._item_of_point * n_ranks + ranks, minlength=n_items * n_ranks)
        return cells.reshape(n_items, n_ranks).astype(np.float64)

    @property
    def are_of_many_items(self) -> bool:
        """Whether single items are resampled, so many with so many points that each changes a figure little.

        A cluster may be large: its weight changes a figure by more than its influence says.
        """
        if not self._has_single_items or not self._systems_count_once or self._n_resamples == 1:
            return False
        return len(self._item_of_point) > MANY_POINTS and self.item_weights.shape[1] >= MANY_ITEMS

    @property
    def _n_resamples(self) -> int:
        return max(len(self._system_weights), len(self.item_weights))


def means(values: Array, item_weights: Array) -> Array:
    """Return the mean score of each system over its graded outputs, shape (B, n)."""
    filled = np.nan_to_num(values)
    is_graded = (~np.isnan(values)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # summed like numpy's mean, not as a product of matrices, so that ties are the same
        if len(item_weights) == 1:
            return np.asarray(((filled * item_weights).sum(1) / (is_graded * item_weights).sum(1))[None], np.float64)
        return np.asarray((item_weights @ filled.T) / (item_weights @ is_graded.T), np.float64)


def pair_differences(values: Array) -> Array:
    """Return the pairwise differences of systems on each item, the first less the second, shape (pairs, m)."""
    first, second = np.triu_indices(len(values), 1)
    differences = np.asarray(values[first], np.float64)
    differences -= values[second]
    return differences


def pair_weights(systems: Array) -> Array:
    """Return how often each pair of systems counts, shape (B, pairs); two copies of one system do not count."""
    first, second = np.triu_indices(systems.shape[1], 1)
    return np.asarray(systems[:, first] * systems[:, second], np.float64)


def _by_column(figure: OfColumns, x: Array, y: Array, systems: Array) -> Array:
    """Return a figure of all columns, as many at once as fit in memory."""
    parts = column_chunks(x.shape[1], len(x), len(systems))
    return np.concatenate([figure(x[:, part], y[:, part], systems) for part in parts], axis=1)


def column_chunks(n_columns: int, n_systems: int, n_rows: int) -> Iterator[slice]:
    """Yield slices of columns, as many at once as fit in memory with all pairs of systems, or rows of weights."""
    step = max(1, _CELLS_AT_ONCE // max(1, n_systems * max(n_systems, n_rows)))
    for start in range(0, n_columns, step):
        yield slice(start, start + step)
