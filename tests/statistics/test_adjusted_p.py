"""P of many comparisons: the step-down maximum holds its level for any number of them, without a floor that grows."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

import tercet
from pairs_tested import pairs_tested
from tercet.comparison.paired_significance import paired_significance
from tercet.comparison.specs.metric_specs import metric_of
from tercet.statistics import adjusted_p
from tercet.statistics.adjusted_p import NullDistribution, family_test
from tercet.statistics.holm import holm
from tercet.statistics.kinds_of_tests import TESTS
from tercet.statistics.paired_tests import all_pairs_test
from tercet.statistics.step_down_levels import step_down_levels


def by_the_definition(null, observed, n_draws):
    """Return adjusted p as Romano and Wolf (2005) define them: one comparison and one draw at a time."""
    scale = np.sqrt((null**2).mean(axis=1))
    studentized_null = np.abs(null) / scale[:, None]
    studentized = np.abs(observed) / scale
    order = np.argsort(-studentized, kind="stable")
    adjusted = np.empty(len(observed))
    greatest = 0.0
    for step, comparison in enumerate(order):
        remaining = order[step:]
        largest = studentized_null[remaining].max(axis=0)
        n_as_large = sum(size >= studentized[comparison] * (1 - 1e-12) for size in largest)
        greatest = max(greatest, (n_as_large + 1) / (n_draws + 1))
        adjusted[comparison] = greatest
    return adjusted


def drawn(null):
    """Return the draws of a matrix, shape (comparisons, draws), of one score."""
    return NullDistribution(range(len(null)), null.shape[1], lambda rows, draws: {"it": null[rows][:, draws]})


@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from([1, 7, 40, 200]))
def test_it_is_that_of_the_definition(seed, n_comparisons, n_draws):
    rng = np.random.default_rng(seed)
    scales = rng.uniform(0.1, 10, (n_comparisons, 1))
    null = rng.normal(size=(n_comparisons, n_draws)) * scales
    observed = rng.normal(size=n_comparisons) * 2 * scales[:, 0]
    zeros = np.zeros(n_comparisons)
    result = family_test(drawn(null), {"it": zeros}, {"it": observed})["it"]
    assert result.adjusted == pytest.approx(by_the_definition(null, observed, n_draws), abs=1e-15)
    alone = (np.sum(np.abs(null) >= np.abs(observed)[:, None], axis=1) + 1) / (n_draws + 1)
    assert result.pvalues == pytest.approx(alone, abs=1e-15)
    assert (result.adjusted >= result.pvalues - 1e-15).all()


def test_draws_that_do_not_fit_in_memory_are_made_in_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    null = rng.normal(size=(20, 500))
    zeros, observed = np.zeros(20), rng.normal(size=20) * 2
    whole = family_test(drawn(null), {"it": zeros}, {"it": observed})["it"]
    monkeypatch.setattr(adjusted_p, "_MOST_HELD", 20 * 64)
    sizes = []

    def differences(rows, draws):
        sizes.append(draws.stop - draws.start)
        return {"it": null[rows][:, draws]}

    in_blocks = family_test(NullDistribution(range(20), 500, differences), {"it": zeros}, {"it": observed})["it"]
    assert in_blocks.pvalues.tolist() == whole.pvalues.tolist()
    # The scale of each comparison is that of the first 64 draws.
    assert in_blocks.adjusted == pytest.approx(whole.adjusted, abs=0.15)
    assert (in_blocks.adjusted >= in_blocks.pvalues).all()
    assert max(sizes) == 64
    # Each draw is made once.
    assert sum(sizes) == 500


def test_threads_make_the_same_differences_under_the_settings_of_the_caller(monkeypatch):
    draws = np.random.default_rng(4).normal(size=(50, 40))

    def differences(comparisons, of_draws):
        np.log(np.zeros(1))  # warns, unless the caller silences it
        return {"x": draws[comparisons, of_draws]}

    null = NullDistribution(range(50), 40, differences)
    scores = {"x": np.linspace(0, 3, 50)}, {"x": np.zeros(50)}
    with np.errstate(divide="ignore"):
        together = family_test(null, *scores)["x"]
        monkeypatch.setattr(adjusted_p, "_TOGETHER", 4)
        in_threads = family_test(null, *scores)["x"]
    assert [p.tolist() for p in in_threads] == [p.tolist() for p in together]


def test_a_scale_of_the_first_draws_keeps_the_rate_of_any_false_finding(monkeypatch):
    rng = np.random.default_rng(3)
    monkeypatch.setattr(adjusted_p, "_MOST_HELD", 15 * 20)
    n_with_a_finding = 0
    for _ in range(400):
        # Units of 15 comparisons that share noise, on scales of their own; signs are tossed for all alike.
        units = (rng.normal(size=(15, 40)) + rng.normal(size=40)) * rng.uniform(0.1, 10, size=(15, 1))
        signs = rng.choice([-1.0, 1.0], size=(40, 199))
        found = family_test(drawn(units @ signs), {"it": np.zeros(15)}, {"it": units.sum(axis=1)})["it"]
        n_with_a_finding += bool((found.adjusted <= 0.05).any())
    # Two standard errors of .05 are .022.
    assert n_with_a_finding / 400 <= 0.072


def test_a_comparison_without_a_score_is_none_of_the_family():
    null = np.random.default_rng(2).normal(size=(3, 99))
    first, second = np.zeros(3), np.array([2.5, np.nan, 0.3])
    found = family_test(drawn(null), {"it": first}, {"it": second})["it"]
    others = family_test(drawn(null[[0, 2]]), {"it": first[:2]}, {"it": second[[0, 2]]})["it"]
    assert np.isnan([found.pvalues[1], found.adjusted[1]]).all()
    assert found.adjusted[[0, 2]].tolist() == others.adjusted.tolist()


def test_what_never_differs_has_p_1_and_what_always_does_the_least():
    null = np.vstack([np.zeros(99), np.random.default_rng(3).normal(size=99)])
    for score in (0.0, 1.0):
        equal = family_test(drawn(null), {"it": np.full(2, score)}, {"it": np.array([score, 3.0])})["it"]
        assert equal.adjusted[0] == 1
    # of a bootstrap whose every resample differs by as much, nothing is above the mean
    constant = np.vstack([np.full(99, 5.0), null[1]])
    always = family_test(drawn(constant), {"it": np.zeros(2)}, {"it": np.array([5.0, 0.1])}, centred=True)["it"]
    assert always.adjusted[0] == 0.01


def test_units_so_few_that_all_exchanges_are_tested_have_exact_p():
    """Of n segments, each of the 2ⁿ exchanges is tested once, as scipy's exact permutation test does."""
    first, second = np.array([0.3, 0.1, 0.5, 0.2, 0.9, 0.4]), np.array([0.4, 0.5, 0.4, 0.7, 1.0, 0.8])
    scores = {"x": {"A": first, "B": second, "C": first + 1}}
    found = tercet.compare(scores=scores)
    (table,) = found.tables
    exact = permutation_test(
        (first, second), lambda one, other, axis: np.mean(other - one, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=np.inf,
    )  # fmt: skip
    assert table.rows[1].pvalue == pytest.approx(exact.pvalue, abs=1e-12)
    assert table.rows[2].pvalue == 2 / 2**6
    assert "all 64 exchanges" in found.legend()
    paired = paired_significance("chrf", ["a cat"] * 5, ["the cat"] * 5, ["the cat"] * 5)
    assert (paired["p"], paired["n_resamples"]) == (2 / 2**5, 32)


def test_large_scores_that_are_close_to_one_another_are_told_apart():
    """With scores near 1e12, differences of 1 are more than rounding."""
    rng = np.random.default_rng(5)
    base = 1e12 + rng.normal(size=40)
    (table,) = tercet.compare(scores={"x": {"A": base, "B": base + 1}}).tables
    assert table.rows[1].pvalue < 0.001
    assert table.rows[1].low < table.rows[1].value < table.rows[1].high
    assert table.rows[1].difference_low > 0.9


ORDER = np.arange(100.0)


@pytest.mark.parametrize(("draws", "level"), [
    # Holm's: as if no two tests had anything in common.
    (None, 0.05 / 2),
    # Two tests that are one: the least p is that of either.
    ([ORDER, ORDER], 0.05),
    # One is large where the other is small: the least p are 1, 1, 2, 2, 3 hundredths, and so on.
    ([ORDER, -ORDER], 0.03),
    # Draws so few that none is below alpha, or all of which are as large as each other, say nothing.
    ([ORDER[:10], ORDER[:10]], 0.05 / 2),
    ([np.zeros(100), np.zeros(100)], 0.05),
], ids=["no draws", "the same", "opposite", "few", "constant"])  # fmt: skip
def test_two_tests_together_have_the_level_that_their_least_p_is_below_in_alpha_of_the_draws(draws, level):
    draws = None if draws is None else np.array(draws)
    assert step_down_levels([1.0, 2.0], draws, lambda number, at: False, 0.05) == pytest.approx([level, level])
    # Once the larger one rejects, the other is tested alone.
    assert step_down_levels([1.0, 2.0], draws, lambda number, at: number == 1, 0.05) == pytest.approx([0.05, level])


@given(st.lists(st.floats(0, 0.1), min_size=1, max_size=8))
def test_levels_without_draws_reject_what_holm_does(pvalues):
    levels = step_down_levels([-p for p in pvalues], None, lambda number, level: pvalues[number] <= level, 0.05)
    assert [p <= level for p, level in zip(pvalues, levels, strict=True)] == [q <= 0.05 for q in holm(pvalues)]


METRICS = ["bleu", "chrf", "ter", "rouge:tokenizer=unicode"]


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize("metric", METRICS)
def test_of_texts_the_draws_are_those_of_each_pair_alone(metric, test):
    rng = np.random.default_rng(4)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "кот", "猫", ""])
    references, *outputs = ([" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(15)] for _ in range(5))
    scorer = metric_of(metric)
    systems = [scorer.stats(texts, references) for texts in outputs]
    pairs = list(combinations(range(4), 2))
    results = pairs_tested(TESTS[test], scorer, systems, pairs, n_resamples=200, seed=6)
    together = all_pairs_test(scorer, systems, pairs, TESTS[test], n_resamples=200, seed=6)
    assert together.keys() == results[0].keys()
    for name, family in together.items():
        null = np.array([result[name].null_distribution for result in results])
        observed = np.array([abs(result[name].statistic) for result in results])
        as_large = null >= (observed - 1e-12 * 100)[:, None]
        assert family.pvalues.tolist() == ((as_large.sum(axis=1) + 1) / 201).tolist()
        scale = np.sqrt((null**2).mean(axis=1))
        largest_first = np.argsort(-observed / scale, kind="stable")
        remaining = np.fmax.accumulate((null / scale[:, None])[largest_first][::-1])[::-1]
        reached = remaining >= ((observed - 1e-12 * 100) / scale)[largest_first][:, None]
        expected = np.maximum.accumulate((reached.sum(axis=1) + 1) / 201)
        assert family.adjusted[largest_first] == pytest.approx(expected, abs=1e-15)


def test_two_systems_have_nothing_to_adjust_for():
    rng = np.random.default_rng(5)
    scores = {"s": {"a": rng.normal(size=30).tolist(), "b": rng.normal(0.3, 1, 30).tolist()}}
    for test in ("permutation", "bootstrap"):
        (table,) = tercet.compare(scores=scores, test=test).tables
        assert table.rows[1].adjusted_pvalue == table.rows[1].pvalue


@pytest.mark.parametrize(
    ("n_systems", "test", "least"), [(33, "permutation", 1 / 10_001), (11, "bootstrap", 1 / 1001)]
)
def test_a_system_that_loses_every_segment_to_all_others_is_told_apart(n_systems, test, least):
    """Holm's method multiplied the least p by 528 and 55 pairs: none could be significant, whatever the scores."""
    rng = np.random.default_rng(6)
    scores = {f"s{number:02}": rng.uniform(50, 51, 20 if n_systems == 33 else 40) for number in range(n_systems)}
    scores["s00"] = scores["s00"] - 40
    given_scores = {"COMET": {name: values.tolist() for name, values in scores.items()}}
    (table,) = tercet.compare(scores=given_scores, test=test).tables
    assert [row.adjusted_pvalue for row in table.rows[1:]] == pytest.approx([least] * (n_systems - 1))
    assert [row.group for row in table.rows] == [2] + [1] * (n_systems - 1)
    assert table.rows[0].rank == (n_systems, n_systems)
    (by_holm,) = tercet.compare(scores=given_scores, test=test, adjust="holm").tables
    assert min(row.adjusted_pvalue for row in by_holm.rows[1:]) > 0.05


# How often equal systems are told apart, and different ones are, by simulation.


def shares(n_systems, n_units, draw, shift, n_runs=200, n_resamples=400):
    """Return in which share of runs any equal pair is told apart, and which share of different pairs is.

    `shift` is added to the units of the second half of the systems.
    """
    rng = np.random.default_rng(7)
    half = n_systems // 2
    n_false, found, n_different = 0, 0, 0
    for run in range(n_runs):
        common = rng.normal(size=n_units)
        values = np.array([draw(rng, n_units, common, shift if system >= half else 0) for system in range(n_systems)])
        given_scores = {"s": {f"s{number:02}": row.tolist() for number, row in enumerate(values)}}
        (table,) = tercet.compare(scores=given_scores, n_resamples=n_resamples, seed=run).tables
        is_apart = table.pvalues < 0.05
        is_equal = np.equal.outer(np.arange(n_systems) >= half, np.arange(n_systems) >= half) | (shift == 0)
        n_false += bool((is_apart & is_equal).any())
        found += is_apart[~is_equal].sum()
        n_different += (~is_equal).sum()
    return n_false / n_runs, found / max(1, n_different)


def normal(rng, n, common, shift):
    return common + rng.normal(shift, 1, n)


def skewed(rng, n, common, shift):
    return common + rng.lognormal(0, 1, n) + 2 * shift


DRAWS = {"normal": normal, "skewed": skewed}


@pytest.mark.long
@pytest.mark.parametrize("shift", [0, 0.5], ids=["all equal", "half better"])
@pytest.mark.parametrize(
    ("n_systems", "n_units", "kind"), [(3, 30, "normal"), (11, 60, "normal"), (11, 60, "skewed"), (33, 60, "normal")]
)
def test_any_false_finding_is_as_rare_as_alpha_says(n_systems, n_units, kind, shift):
    false, power = shares(n_systems, n_units, DRAWS[kind], shift)
    # three standard errors of a share of .05 in 200 runs
    assert false <= 0.05 + 3 * 0.0154
    if shift:
        assert power > 0.1
