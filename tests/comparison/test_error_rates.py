"""Scores that are given: how often tests find a difference where there is none, and intervals hold the true score."""

import numpy as np
import pytest

import tercet

#: By chance, a share of 0.05 of so many runs is between 0.03 and 0.07.
N_RUNS = 500


def compared(base, tuned, seed, **options):
    """Return the row of the second system."""
    scores = {"x": {"base": base.tolist(), "tuned": tuned.tolist()}}
    (table,) = tercet.compare(scores=scores, n_resamples=399, seed=seed, **options).tables
    return table.rows[1]


def rates(drawn, true_score, **options):
    """Return the share of significant differences, and of intervals that hold the true score."""
    rng = np.random.default_rng(3)
    n_found = n_held = 0
    for seed in range(N_RUNS):
        row = compared(*drawn(rng), seed, **options)
        n_found += row.pvalue < 0.05
        n_held += row.low <= true_score <= row.high
    return n_found / N_RUNS, n_held / N_RUNS


def numbers(rng, n=80):
    """Return the scores of two systems of one quality for the same items, easy and hard ones."""
    return rng.normal(0.5, 1, n) + rng.normal(0, 0.7, (2, n))


def answers(rng, n=150):
    """Return the right and wrong answers of two systems of one quality."""
    return (rng.random((2, n)) < rng.choice([0.2, 0.5, 0.8], n)).astype(int)


def in_clusters(rng, n_clusters=30):
    """Return the right and wrong answers of two systems that a document of 8 suits, or not."""
    chances = np.clip(0.5 + rng.normal(0, 0.25, (2, n_clusters, 1)), 0.02, 0.98)
    return (rng.random((2, n_clusters, 8)) < chances).astype(int).reshape(2, -1)


def test_the_permutation_test_and_the_interval_of_numbers():
    found, held = rates(numbers, 0.5)
    assert 0.03 <= found <= 0.07
    assert 0.92 <= held <= 0.97


def test_mcnemars_test_and_wilsons_interval_of_answers():
    found, held = rates(answers, 50)
    # An exact test of counts rejects less often than alpha allows.
    assert found <= 0.05 + 0.02
    assert 0.92 <= held <= 0.98


@pytest.mark.parametrize("n", [8, 20])
@pytest.mark.long
def test_intervals_of_few_numbers_and_of_their_differences_hold_the_true_ones(n):
    rng = np.random.default_rng(4)
    n_held = n_differences_held = 0
    for seed in range(N_RUNS):
        row = compared(*numbers(rng, n), seed)
        n_held += row.low <= 0.5 <= row.high
        n_differences_held += row.difference_low <= 0 <= row.difference_high
    assert 0.92 <= n_held / N_RUNS <= 0.98
    assert 0.92 <= n_differences_held / N_RUNS <= 0.98
    # What expanded percentiles are for.
    assert n > 8 or rates(lambda rng: numbers(rng, n), 0.5, interval="percentile")[1] < 0.92


@pytest.mark.long
def test_intervals_over_many_small_sets_hold_the_true_score():
    """Of sets of 2, resamples have half of the variance of each."""
    rng = np.random.default_rng(5)
    n_held = 0
    for seed in range(200):
        sets = []
        for _ in range(20):
            scores = {"x": {"A": rng.normal(50, 1, 2), "B": rng.normal(50, 1, 2)}}
            sets.append(tercet.compare(scores=scores, test=None, seed=seed))
        (table,) = tercet.overall(sets).tables
        n_held += table.rows[0].low <= 50 <= table.rows[0].high
    assert 0.91 <= n_held / 200 <= 0.985


@pytest.mark.long
def test_answers_in_clusters():
    found, held = rates(in_clusters, 50, cluster=np.repeat(np.arange(30), 8))
    assert 0.03 <= found <= 0.07
    assert 0.90 <= held <= 0.97
    # What clusters are for: without them the test finds differences that are none.
    found, _ = rates(in_clusters, 50)
    assert found > 0.1
