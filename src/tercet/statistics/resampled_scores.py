"""Scores of units drawn with replacement, from the sums of their rows: of several systems, by the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .draws import draw_counts
from .progress import bar_of
from .side_by_side import shared_columns, side_by_side

if TYPE_CHECKING:
    from .stats import Formula, Scores, SegmentStats

Array = NDArray[np.float64]

#: Of intervals, and of what else resamples as they do.
N_RESAMPLES = 1000

#: Segments that are multiplied at a time: their rows and counts stay in the processor's cache.
_BLOCK = 1 << 13
#: Resamples that are multiplied at a time.
_RESAMPLES = 64
#: The most counts that are held.
_COUNTS = 1 << 24


def bootstrap_scores(metric: Formula, systems: Sequence[SegmentStats], n_resamples: int, seed: int) -> list[Scores]:
    """Return the scores of corpora resampled with replacement, the same for each system."""
    metric.check_call(resampled=True)
    totals = resampled_totals([stats.rows for stats in systems], n_resamples, seed)
    return [metric.finalize(sums) for sums in totals]


def jackknife(metric: Formula, stats: SegmentStats) -> Scores:
    """Return the scores of all units but each in turn, shape (n,)."""
    return metric.finalize(stats.total() - stats.rows)


def standard_error(replicates: NDArray[np.float64]) -> float:
    """Return the standard deviation of the scores of resamples; 0 of a single one."""
    if len(replicates) < 2:
        return 0.0
    return float(np.std(replicates, ddof=1))


def resampled_totals(systems: Sequence[Array], n_resamples: int, seed: int) -> list[Array]:
    """Return the sums of the rows of each system, drawn with replacement, shape (n_resamples, k) each.

    The draws are those of :func:`bootstrap_weights`. Time: resamples times segments, once for the draws, and
    times the columns that are not the same in every row, for each system. Memory: these columns, and about 36 MB (or
    2 bytes a segment).
    """
    if not n_resamples:
        return [np.zeros((0, rows.shape[1])) for rows in systems]
    n = len(systems[0])
    rng = np.random.default_rng(seed)
    shared = shared_columns(systems)
    # a column that is the same in every row has the same sum in every resample
    varying_columns = [~(rows == rows[0]).all(axis=0) for rows in systems]
    for columns_of_system in varying_columns[1:]:
        columns_of_system &= ~shared
    tables = side_by_side(
        [np.ascontiguousarray(rows[:, varying]) for rows, varying in zip(systems, varying_columns, strict=True)]
    )
    ends = np.cumsum([varying.sum() for varying in varying_columns])[:-1]
    totals = [np.repeat(rows[:1] * n, n_resamples, axis=0) for rows in systems]
    chunk = max(1, min(_RESAMPLES, _COUNTS // n, n_resamples))
    with bar_of("resampling", "resamples", n_resamples) as bar:
        for first_resample in range(0, n_resamples, chunk):
            size = min(chunk, n_resamples - first_resample)
            counts = draw_counts(rng, size, n)
            sums = [np.zeros((size, table.shape[1])) for _, table in tables]
            for start in range(0, n, _BLOCK):
                weights = counts[:, start : start + _BLOCK].astype(np.float64)
                for sums_of_table, (_, table) in zip(sums, tables, strict=True):
                    sums_of_table += weights @ table[start : start + _BLOCK]
            sums_of_systems = np.split(np.hstack(sums), ends, axis=1)
            for total, varying, sums_of_system in zip(totals, varying_columns, sums_of_systems, strict=True):
                total[first_resample : first_resample + size, varying] = sums_of_system
            bar.update(size)
    if shared.any():
        for total in totals[1:]:
            total[:, shared] = totals[0][:, shared]
    return totals
