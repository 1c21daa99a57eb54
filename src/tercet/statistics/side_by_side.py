"""Rows of several systems beside each other, whose sums one product of matrices makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: The most numbers of tables that are multiplied side by side.
_CELLS = 1 << 22


def side_by_side(tables: Sequence[Array]) -> list[tuple[slice, Array]]:
    """Return tables of the same n rows beside each other, as many as one product should take, and which they are.

    One product of many columns takes a tenth of the time of a product for each table. Its sums can differ in their
    last bits, so that only tables of integers, whose sums are exact in any order, are put together.
    """
    groups: list[list[Array]] = []
    joins = False
    for table in tables:
        is_exact = _has_integers_alone(table)
        if joins and is_exact and sum(member.size for member in groups[-1]) + table.size <= _CELLS:
            groups[-1].append(table)
        else:
            groups.append([table])
        joins = is_exact
    joined = []
    start = 0
    for group in groups:
        # A large table is not copied.
        beside_each_other = group[0] if len(group) == 1 else np.hstack(group)
        joined.append((slice(start, start + len(group)), beside_each_other))
        start += len(group)
    return joined


def _has_integers_alone(table: Array) -> bool:
    """Return whether all numbers are integers, whose sums are exact in any order."""
    return bool((np.rint(table) == table).all())


def shared_columns(systems: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which columns of integers are the same for all systems, as what depends on references alone."""
    first_system, *further_systems = systems
    if not further_systems or not all(map(_has_integers_alone, systems)):
        return np.zeros(first_system.shape[1], bool)
    same: NDArray[np.bool_] = np.logical_and.reduce([(rows == first_system).all(axis=0) for rows in further_systems])
    return same
