"""The smallest differences that a test shows, and the segments that others need: formulas, and promises met."""

import math
import random

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.base.scoring import batch_stats
from tercet.comparison.specs.metric_specs import metric_of
from tercet.corpus.items import read_systems
from tercet.statistics.paired_tests import permutation_test
from tercet.statistics.power import (
    share_items_needed,
    share_power,
    smallest_difference,
    smallest_share_difference,
    units_needed,
)
from tercet.statistics.resampled_scores import bootstrap_scores

USUAL = {"alpha": 0.05, "power": 0.8}


def test_of_many_units_is_that_of_the_normal_distribution():
    z = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert smallest_difference(0.234, 3004, **USUAL) == pytest.approx(z * 0.234)
    assert units_needed(0.575, 0.234, 3004, **USUAL) == math.ceil(3004 * (z * 0.234 / 0.575) ** 2)
    # Four times as many show half the difference.
    assert units_needed(0.5, 1, 100, **USUAL) == pytest.approx(4 * units_needed(1, 1, 100, **USUAL), abs=4)


def test_of_few_units_is_that_of_students_t_at_the_largest_p_below_alpha():
    level = 25 / 2**9
    t = scipy.stats.t.ppf(1 - level / 2, 9) + scipy.stats.t.ppf(0.8, 9)
    assert smallest_difference(1.5, 10, **USUAL) == pytest.approx(t * 1.5 * math.sqrt(10 / 9))


@pytest.mark.parametrize(("n", "alpha"), [(6, 0.05), (7, 0.02), (5, 0.1)])
def test_of_the_fewest_that_show_any_all_must_favour_one_system(n, alpha):
    smallest = smallest_difference(1.5, n, alpha=alpha, power=0.8)
    in_deviations = smallest / (1.5 * n / math.sqrt(n - 1))
    assert scipy.stats.norm.cdf(in_deviations) ** n == pytest.approx(0.8)
    assert smallest_difference(1.5, n - 1, alpha=alpha, power=0.8) is None


def test_of_several_pairs_the_level_is_divided():
    z = scipy.stats.norm.ppf(1 - 0.05 / 240) + scipy.stats.norm.ppf(0.8)
    assert smallest_difference(1, 3000, n_pairs=120, **USUAL) == pytest.approx(z)


@pytest.mark.parametrize(("error", "n"), [(0.0, 100), (math.nan, 100), (1.0, 1)])
def test_where_nothing_varies_there_is_none(error, n):
    assert smallest_difference(error, n, **USUAL) is None
    assert units_needed(1, error, n, **USUAL) is None
    # nor of a difference that no number of units shows
    assert units_needed(1e-12, 1, 100, **USUAL) is None


@given(st.integers(2, 200), st.floats(0.01, 100), st.sampled_from([0.5, 0.8, 0.95]), st.integers(1, 10))
def test_so_many_units_show_the_smallest_difference_that_they_show(n, error, power, n_pairs):
    settings = {"alpha": 0.05, "power": power, "n_pairs": n_pairs}
    smallest = smallest_difference(error, n, **settings)
    # With fewer, p of the permutation test is never below alpha.
    least = next(n for n in range(100) if n_pairs * 2 ** (1 - n) < 0.05)
    assert (smallest is None) == (n < least)
    if smallest is None:
        assert units_needed(100 * error, error, n, **settings) >= least
        return
    # A difference larger by rounding, as that of so many units is met exactly.
    assert least <= units_needed(smallest * (1 + 1e-9), error, n, **settings) <= max(n, least)
    assert units_needed(smallest / 2, error, n, **settings) > n
    assert smallest_difference(2 * error, n, **settings) == pytest.approx(2 * smallest)


def mcnemar_power(difference, discordant, n, alpha):
    """Return the sum over all numbers of discordant items, and over how they fall."""
    discordant = max(discordant, difference)
    better = (1 + difference / discordant) / 2
    power = 0
    for n_discordant in range(n + 1):
        wins = np.arange(n_discordant + 1)
        fewest = np.minimum(wins, n_discordant - wins)
        is_found = (2 * scipy.stats.binom.cdf(fewest, n_discordant, 0.5) < alpha) & (wins > n_discordant / 2)
        found = scipy.stats.binom.pmf(wins, n_discordant, better)[is_found].sum()
        power += scipy.stats.binom.pmf(n_discordant, n, discordant) * found
    return power


@pytest.mark.parametrize(("difference", "discordant", "n", "alpha"), [
    (0.1, 0.15, 108, 0.05), (0.1, 0.3, 300, 0.05), (0.05, 0.2, 400, 0.001), (0.5, 0.2, 12, 0.05),
    (1, 1, 6, 0.05), (0.3, 1, 60, 0.05), (0.3, 0.4, 5, 0.05), (0.01, 0.6, 100, 0.2),
], ids=str)  # fmt: skip
def test_the_power_of_mcnemars_test_is_the_sum_over_all_outcomes(difference, discordant, n, alpha):
    found = share_power(difference, discordant, n, alpha=alpha)
    assert found == pytest.approx(mcnemar_power(difference, discordant, n, alpha), rel=1e-9)


@given(
    st.floats(0.02, 0.9), st.floats(0.03, 1), st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from([0.2, 0.05, 0.001]), st.sampled_from([1, 6]),
)  # fmt: skip
@example(0.1, 0.15, 0.8, 0.05, 1)
def test_so_many_items_reach_the_power_and_one_less_does_not(difference, discordant, power, alpha, n_pairs):
    settings = {"alpha": alpha, "power": power, "n_pairs": n_pairs}
    n = share_items_needed(difference, discordant, **settings)
    if n * max(discordant, difference) > 2900:
        return
    assert share_power(difference, discordant, n, alpha=alpha / n_pairs) >= power
    assert share_power(difference, discordant, n - 1, alpha=alpha / n_pairs) < power
    smallest = smallest_share_difference(discordant, n, **settings)
    assert 0 < smallest <= difference * 1.0001
    assert share_power(smallest, discordant, n, alpha=alpha / n_pairs) >= power
    assert share_power(0.999 * smallest, discordant, n, alpha=alpha / n_pairs) < power


def test_many_discordant_items_are_those_of_the_normal_distribution():
    z = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert share_items_needed(0.01, 0.3, **USUAL) == math.ceil(z**2 * (0.3 - 0.01**2) / 0.01**2)
    smallest = smallest_share_difference(0.3, 100_000, **USUAL)
    assert smallest == pytest.approx(z * math.sqrt((0.3 - smallest**2) / 100_000))
    assert share_items_needed(1e-12, 0.3, **USUAL) is None


def test_too_few_items_show_no_difference():
    assert smallest_share_difference(0.9, 5, **USUAL) is None
    assert smallest_share_difference(0.9, 6, **USUAL) == pytest.approx(0.8 ** (1 / 6), abs=0.01)
    assert share_items_needed(1, 0.9, **USUAL) == 6


WORDS = [f"w{number}" for number in range(200)]


def texts(n, n_words, seed):
    """Return references, and two systems that get words wrong: the second fewer of them, mostly the same."""
    rng = random.Random(seed)
    references, first, second = [], [], []
    for _ in range(n):
        words = rng.choices(WORDS, k=rng.choice(n_words))
        luck = [rng.random() + rng.gauss(0, 0.06) for _ in words]
        references.append(" ".join(words))
        for system, share in ((first, 0.30), (second, 0.26)):
            system.append(" ".join(
                word if chance + rng.gauss(0, 0.15) > share else rng.choice(WORDS)
                for word, chance in zip(words, luck, strict=True)
            ))  # fmt: skip
    return first, second, references


# Of one word, ROUGE-1 is 1 or 0: an answer that is right or wrong. Few such differences are possible, and a test of
# them rejects a little less often than alpha allows.
@pytest.mark.parametrize(("metric", "n_words"), [
    ("bleu", range(8, 16)), ("chrf", range(8, 16)), ("rouge:rouge_types=rougeL", range(8, 16)),
    ("rouge:rouge_types=rouge1", [1]),
], ids=["BLEU", "chrF", "ROUGE-L", "accuracy"])  # fmt: skip
def test_the_promised_power_is_met(metric, n_words):
    scorer = metric_of(metric).with_defaults(scale=100)
    name, n_pool, n_runs = scorer.score_names[0], 3000, 600
    first, second, references = texts(n_pool, n_words, seed=4)
    corpus = read_systems(("first", "second"), (first, second), references).encoded()
    pool = batch_stats(scorer, corpus).split(2)
    scores = [float(scorer.finalize(scorer.corpus_totals(stats))[name]) for stats in pool]
    resampled = bootstrap_scores(scorer, pool, 1000, seed=1)
    error = float(np.std(resampled[1][name] - resampled[0][name], ddof=1))
    n = units_needed(scores[1] - scores[0], error, n_pool, **USUAL)
    assert 30 < n < 700
    rng = np.random.default_rng(7)
    n_seen = 0
    for seed in range(n_runs):
        drawn = rng.integers(0, n_pool, n)
        result = permutation_test(scorer, [stats.selected(drawn) for stats in pool], n_resamples=399, seed=seed)
        n_seen += result[name].pvalue < 0.05
    assert n_seen / n_runs == pytest.approx(0.8, abs=0.05)


def test_without_discordant_items_nothing_is_shown():
    assert share_power(0.0, 0.0, 100, alpha=0.05) == 0
    assert share_items_needed(0.0, 0.0, **USUAL) is None
    assert 0 < smallest_share_difference(0.0, 100, **USUAL) < 0.1
