"""Sums of rows that are drawn with replacement, for several systems from the same draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .draws import drawn
from .progress import bar_of

#: Segments that are multiplied at a time: their rows and counts stay in the processor's cache.
_BLOCK = 1 << 13
#: Resamples that are multiplied at a time, and the most counts held.
_RESAMPLES, _COUNTS = 64, 1 << 24

#: The most numbers of tables that are multiplied side by side.
_CELLS = 1 << 22

Array = NDArray[np.float64]


def side_by_side(tables: Sequence[Array]) -> list[tuple[slice, Array]]:
    """Return tables of the same n rows beside each other, as many as one product should take, and which they are.

    One product of many columns takes a tenth of the time of a product for each table. Its sums can differ in their
    last bits, so that only tables of integers, whose sums are exact in any order, are put together.
    """
    groups: list[list[Array]] = []
    joins = False
    for table in tables:
        whole = is_whole(table)
        if joins and whole and sum(each.size for each in groups[-1]) + table.size <= _CELLS:
            groups[-1].append(table)
        else:
            groups.append([table])
        joins = whole
    ends = np.cumsum([len(group) for group in groups]).tolist()
    places = [slice(end - len(group), end) for end, group in zip(ends, groups, strict=True)]
    joined = (group[0] if len(group) == 1 else np.hstack(group) for group in groups)  # a large table is not copied
    return list(zip(places, joined, strict=True))


def is_whole(table: Array) -> bool:
    """Return whether all numbers are integers, whose sums are exact in any order."""
    return bool((np.rint(table) == table).all())


def shared_columns(systems: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which columns of integers are the same for all systems, as what depends on references alone."""
    first, *others = systems
    if not others or not all(map(is_whole, systems)):
        return np.zeros(first.shape[1], bool)
    same: NDArray[np.bool_] = np.logical_and.reduce([(rows == first).all(axis=0) for rows in others])
    return same


def resampled_totals(systems: Sequence[Array], n_resamples: int, seed: int) -> list[Array]:
    """Return the sums of the rows of each system, drawn with replacement, shape (n_resamples, k) each.

    The draws are those of :func:`.draws.bootstrap_weights`. Time: resamples times segments, once for the draws, and
    times the columns that are not the same in every row, for each system. Memory: these columns, and about 36 MB (or
    2 bytes a segment).
    """
    n = len(systems[0])
    rng = np.random.default_rng(seed)
    shared = shared_columns(systems)
    summed = [~(rows == rows[0]).all(axis=0) for rows in systems]
    for each in summed[1:]:
        each &= ~shared
    tables = side_by_side([np.ascontiguousarray(rows[:, own]) for rows, own in zip(systems, summed, strict=True)])
    ends = np.cumsum([own.sum() for own in summed])[:-1]
    totals = [np.repeat(rows[:1] * n, n_resamples, axis=0) for rows in systems]
    several = max(1, min(_RESAMPLES, _COUNTS // n, n_resamples))
    with bar_of("resampling", "resamples", n_resamples) as bar:
        for first in range(0, n_resamples, several):
            size = min(several, n_resamples - first)
            counts = drawn(rng, size, n)
            sums = [np.zeros((size, table.shape[1])) for _, table in tables]
            for start in range(0, n, _BLOCK):
                weights = counts[:, start : start + _BLOCK].astype(np.float64)
                for total, (_, table) in zip(sums, tables, strict=True):
                    total += weights @ table[start : start + _BLOCK]
            columns = np.split(np.hstack(sums), ends, axis=1)
            for total, own, sum_ in zip(totals, summed, columns, strict=True):
                total[first : first + size, own] = sum_
            if bar is not None:
                bar.update(size)
    for total in totals[1:] if shared.any() else ():
        total[:, shared] = totals[0][:, shared]
    return totals
