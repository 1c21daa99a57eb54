"""Ranks with ranges, and groups of systems that a test tells apart, by their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.statistics.ranks import Rank, best_first, ranks


def matrix(n, significant):
    pvalues = np.ones((n, n))
    for first, second in significant:
        pvalues[first, second] = pvalues[second, first] = 0.01
    return pvalues


@pytest.mark.parametrize(("values", "significant", "expected"), [
    # All differ: each is a group of its own, at its place.
    ([3, 1, 2], [(0, 1), (0, 2), (1, 2)], [(1, 1, 1), (3, 3, 3), (2, 2, 2)]),
    # Nothing differs: one group, and any place is possible.
    ([3, 1, 2], [], [(1, 3, 1), (1, 3, 1), (1, 3, 1)]),
    # The first two cannot be told apart, both are better than the third.
    ([3, 2, 1], [(0, 2), (1, 2)], [(1, 2, 1), (1, 2, 1), (3, 3, 2)]),
    # The ends differ, but the middle joins them: no line can be drawn.
    ([3, 2, 1], [(0, 2)], [(1, 2, 1), (1, 3, 1), (2, 3, 1)]),
    # A test may tell a close pair apart and not a far one: the line needs all pairs.
    ([3, 2, 1], [(0, 1)], [(1, 2, 1), (2, 3, 1), (1, 3, 1)]),
    ([5], [], [(1, 1, 1)]),
])  # fmt: skip
def test_ranks_are_those_counted_by_hand(values, significant, expected):
    assert ranks(values, matrix(len(values), significant), 0.05, True) == [Rank(*rank) for rank in expected]
    # Where lower is better, all is turned around.
    assert ranks([-value for value in values], matrix(len(values), significant), 0.05, False) == expected


def test_a_system_without_a_score_has_no_rank():
    pvalues = matrix(3, [(0, 2)])
    pvalues[1], pvalues[:, 1] = np.nan, np.nan
    assert ranks([1.0, np.nan, 2.0], pvalues, 0.05, True) == [(2, 2, 2), None, (1, 1, 1)]
    assert best_first([1.0, np.nan, 2.0], True) == [2, 0, 1]
    assert best_first([1.0, np.nan, 2.0, 1.0], False) == [0, 3, 2, 1]


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(
    st.lists(st.integers(0, 9), min_size=n, max_size=n),
    st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))),
    st.booleans(),
)))  # fmt: skip
def test_equal_loops_by_the_definition(systems):
    values, pairs, higher = systems
    n, pvalues = len(values), matrix(len(values), [(i, j) for i, j in pairs if values[i] != values[j]])

    def better(i, j):
        return pvalues[i, j] < 0.05 and (values[i] > values[j]) == higher

    order = sorted(range(n), key=lambda i: -values[i] if higher else values[i])
    found = ranks(values, pvalues, 0.05, higher)
    group = 1
    for place, system in enumerate(order):
        group += place > 0 and all(better(i, j) for i in order[:place] for j in order[place:])
        low = 1 + sum(better(i, system) for i in range(n))
        high = n - sum(better(system, i) for i in range(n))
        assert found[system] == (low, high, group)
