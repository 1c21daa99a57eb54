"""Differences of systems as if these were equal: of units drawn with replacement, or of outputs exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.errors import InputError, MergeError

from .draws import shuffle_masks
from .kinds_of_tests import TestKind
from .progress import count_on_bar
from .resampled_scores import bootstrap_scores
from .side_by_side import shared_columns, side_by_side

if TYPE_CHECKING:
    from .stats import Formula, Scores, SegmentStats

Pair = tuple[int, int]
Pairs = Sequence[Pair]

#: Each score's differences of pairs of systems, second less first, in a slice of the resamples of a null hypothesis:
#: shape (pairs, b).
NullDifferences = Callable[[Pairs, slice], "Scores"]

#: Most sums of either side that are made scores together: they stay in the processor's cache.
_MOST_SUMS = 1 << 12


def null_differences(
    test: TestKind, metric: Formula, systems: Sequence[SegmentStats], *, n_resamples: int, seed: int
) -> NullDifferences:
    """Return the differences of pairs of systems in the resamples of a test; systems are resampled here."""
    check_alike_systems(systems)
    if not test.exchanges:
        return _bootstrap_differences(metric, systems, n_resamples, seed)
    metric.check_call(resampled=True)
    masks = shuffle_masks(len(systems[0]), n_resamples, seed)
    counted_masks = count_on_bar(masks, "resampling", "resamples", n_resamples)
    return exchanged_differences(metric, systems, counted_masks, n_resamples)


def exchanged_differences(
    metric: Formula, systems: Sequence[SegmentStats], masks: Iterable[NDArray[np.float64]], n_resamples: int
) -> NullDifferences:
    """Return the differences of pairs of systems when the outputs are exchanged where a mask is 1.

    Outputs are exchanged here: the sums of the segments to exchange are those of all pairs. `masks` are chunks of
    shape (b, n).
    """
    return partial(_ExchangedSums.of(systems, masks, n_resamples).differences, metric)


def check_alike_systems(systems: Sequence[SegmentStats]) -> None:
    """Raise a MergeError for systems that were scored otherwise, and an InputError for those of other segments."""
    first_system, *further_systems = systems
    for stats in further_systems:
        if stats.signature != first_system.signature:
            raise MergeError(f"Systems must be scored alike, got {first_system.signature} and {stats.signature}.")
        if len(stats) != len(first_system):
            raise InputError(f"Systems must have the same segments, got {len(first_system)} and {len(stats)}.")


def _bootstrap_differences(
    metric: Formula, systems: Sequence[SegmentStats], n_resamples: int, seed: int
) -> NullDifferences:
    """Return the differences of pairs of systems on the same resampled segments."""
    scores_of_systems = bootstrap_scores(metric, systems, n_resamples, seed)

    def differences(pairs: Pairs, resamples: slice) -> Scores:
        by_score: dict[str, NDArray[np.float64]] = {}
        for name in scores_of_systems[0]:
            of_pairs = []
            for first, second in pairs:
                first_scores = scores_of_systems[first][name][resamples]
                of_pairs.append(scores_of_systems[second][name][resamples] - first_scores)
            by_score[name] = np.array(of_pairs)
        return by_score

    return differences


class _ExchangedSums(NamedTuple):
    """The sums of the segments of each system that are exchanged in each resample."""

    #: Of all segments, by system and column.
    totals: NDArray[np.float64]
    #: The columns that exchanging may change: those of the references alone are the same for all systems.
    varying: NDArray[np.int64]
    #: Of the exchanged segments, by system, varying column and resample.
    sums: NDArray[np.float64]

    @classmethod
    def of(
        cls, systems: Sequence[SegmentStats], masks: Iterable[NDArray[np.float64]], n_resamples: int
    ) -> _ExchangedSums:
        """Return the sums of the segments where a mask is 1."""
        varying = np.flatnonzero(~shared_columns([stats.rows for stats in systems]))
        sums = np.empty((len(systems), len(varying), n_resamples))
        tables = side_by_side([np.ascontiguousarray(stats.rows[:, varying]) for stats in systems])
        start = 0
        for mask in masks:
            for members, table in tables:
                n_members = sums[members].shape[0]
                sums_of_mask = (mask @ table).reshape(len(mask), n_members, len(varying))
                sums[members, :, start : start + len(mask)] = sums_of_mask.transpose(1, 2, 0)
            start += len(mask)
        return cls(np.array([stats.total() for stats in systems]), varying, sums)

    def differences(self, metric: Formula, pairs: Pairs, resamples: slice) -> Scores:
        """Return the differences of pairs of systems with these segments exchanged."""
        n_columns = self.totals.shape[1]
        first_resample, end, _ = resamples.indices(self.sums.shape[2])
        size = end - first_resample
        numbers = np.array(pairs, np.int64).reshape(-1, 2)
        n_together = max(1, _MOST_SUMS // max(1, size))
        # By column and side; columns that do not vary have the sums of all segments.
        sums = np.empty((n_columns, 2, 0))
        by_score: dict[str, NDArray[np.float64]] = {}
        for start in range(0, len(numbers), n_together):
            some_pairs = numbers[start : start + n_together]
            n_sums = len(some_pairs) * size
            if sums.shape[2] != n_sums:
                sums = np.empty((n_columns, 2, n_sums))
                sums[:] = self.totals[0][:, None, None]
            engine.exchange(sums, self.totals, self.sums, self.varying, some_pairs, first_resample, end)
            for name, scores in metric.finalize(sums.reshape(n_columns, -1).T).items():
                if name not in by_score:
                    by_score[name] = np.empty((len(numbers), size))
                to = by_score[name][start : start + len(some_pairs)].reshape(-1)
                np.subtract(scores[n_sums:], scores[:n_sums], out=to)
        return by_score
