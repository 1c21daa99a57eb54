"""Draws of tests of many pairs: outputs exchanged, counts of what is as large, and formulas that go by column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.engine import _engine, plain


def test_both_sides_of_a_pair_exchange_what_a_draw_says(engine):
    totals = np.array([[10.0, 5.0, 1.0], [20.0, 5.0, 2.0], [30.0, 5.0, 4.0]])
    # By system, column (of 0 and 2) and draw: the second draw exchanges nothing.
    exchanged = np.array([[[1.0, 0, 4], [0.5, 0, 1]], [[2.0, 0, 8], [1, 0, 2]], [[3.0, 0, 12], [2, 0, 4]]])
    sums = np.full((3, 2, 4), 5.0)
    pairs = np.array([[0, 1], [2, 0]])
    engine.exchange(sums, totals, exchanged, np.array([0, 2]), pairs, 1, 3)
    assert sums[0].tolist() == [[10, 10 - 4 + 8, 30, 30 - 12 + 4], [20, 20 - 8 + 4, 10, 10 - 4 + 12]]
    assert sums[1].tolist() == [[5] * 4] * 2
    assert sums[2].tolist() == [[1, 1 - 1 + 2, 4, 4 - 4 + 1], [2, 2 - 2 + 1, 1, 1 - 1 + 4]]


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(0, 6), st.integers(0, 9))
def test_both_implementations_exchange_alike(seed, n_systems, n_pairs, n_draws):
    rng = np.random.default_rng(seed)
    columns = np.flatnonzero(rng.integers(2, size=4))
    totals, exchanged = rng.normal(size=(n_systems, 4)), rng.normal(size=(n_systems, len(columns), 9))
    pairs = rng.integers(n_systems, size=(n_pairs, 2))
    start = int(rng.integers(0, 10 - n_draws))
    written = []
    for each in (_engine, plain):
        sums = np.zeros((4, 2, n_pairs * n_draws))
        each.exchange(sums, totals, exchanged, columns, pairs, start, start + n_draws)
        written.append(sums.tolist())
    assert written[0] == written[1]


@pytest.mark.parametrize("wrong", [
    {"sums": np.zeros((3, 2, 7))}, {"sums": np.zeros((3, 1, 8))}, {"totals": np.zeros((2, 2))}, {"stop": 9},
    {"columns": np.array([0, 3])}, {"columns": np.array([0])}, {"pairs": np.array([[0, 2], [0, 1]])},
    {"pairs": np.array([[0, -1], [0, 1]])},
])  # fmt: skip
def test_what_does_not_fit_is_not_exchanged(wrong):
    fitting = {
        "sums": np.zeros((3, 2, 8)), "totals": np.zeros((2, 3)), "exchanged": np.zeros((2, 2, 8)),
        "columns": np.array([0, 2]), "pairs": np.array([[0, 1], [0, 1]]), "start": 4, "stop": 8,
    }  # fmt: skip
    _engine.exchange(*fitting.values())
    with pytest.raises(ValueError, match=r"there (must be|is no|are no)|of other systems"):
        _engine.exchange(*{**fitting, **wrong}.values())


def counts_of(engine, differences, order, centre, scale, least, is_constant):
    n_alone, n_largest = np.zeros(len(differences), np.int64), np.zeros(len(differences), np.int64)
    engine.count_as_large(differences, order, centre, scale, least, is_constant, n_alone, n_largest)
    return n_alone.tolist(), n_largest.tolist()


def test_sizes_are_counted_alone_and_the_largest_by_scale_of_those_before(engine):
    differences = np.array([[1.0, -3.0, np.nan, 2.0], [2.0, 2.0, 2.0, -2.0], [10.0, 0.0, -40.0, 30.0]])
    scale, least, zeros = np.array([1.0, 0.0, 10.0]), np.array([2.0, 2.0, 25.0]), np.zeros(3)
    # The second comparison has no scale, and so is none of the largest.
    is_constant = np.array([0, 1, 0], np.uint8)
    n_alone, n_largest = counts_of(engine, differences, np.array([0, 1, 2]), zeros, scale, least, is_constant)
    assert n_alone == [2, 4, 2]
    # by scale 1, 3, -, 2 and 1, 0, 4, 3: the largest are 1, 3, 4, 3
    assert n_largest == [2, 0, 3]
    n_alone, n_largest = counts_of(engine, differences, np.array([2]), zeros + 6, scale, least, is_constant)
    assert (n_alone, n_largest) == ([0, 0, 1], [0, 0, 1])


@given(st.integers(0, 1000), st.integers(0, 6), st.integers(0, 40))
def test_both_implementations_count_alike(seed, n, n_draws):
    rng = np.random.default_rng(seed)
    differences = rng.normal(size=(n, n_draws)).round(1)
    differences[rng.random(size=differences.shape) < 0.05] = np.nan
    order = rng.permutation(n)[: rng.integers(0, n + 1)]
    settings_of_each = rng.random(n).round(1), rng.random(n) + 0.1, rng.random(n).round(1)
    question = differences, order, *settings_of_each, rng.integers(2, size=n).astype(np.uint8)
    assert counts_of(_engine, *question) == counts_of(plain, *question)


@given(st.integers(0, 1000), st.integers(0, 600), st.integers(1, 4), st.booleans())
def test_chrf_by_column_is_the_same_to_the_last_digit(seed, n, n_orders, eps_smoothing):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, rng.choice([3, 1000]), (n, 2 + 3 * n_orders)).astype(np.float64)
    options = 2, n_orders, 2, eps_smoothing, 100.0
    by_row = _engine.f_scores(rows, *options).tolist()
    assert _engine.f_scores(np.asfortranarray(rows), *options).tolist() == by_row
    assert plain.f_scores(rows, *options).tolist() == by_row
