"""The smallest differences that a test shows, and the segments that others need: formulas, and promises met."""

import math
import random

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tercet.base.metric import batch_stats
from tercet.comparison.metric_specs import metric_of
from tercet.corpus.items import read_systems
from tercet.statistics.bootstrap import bootstrap_scores
from tercet.statistics.paired_tests import paired_permutation_test
from tercet.statistics.power import smallest_difference, units_needed

USUAL = {"alpha": 0.05, "power": 0.8}


def test_of_many_units_is_that_of_the_normal_distribution():
    z = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert smallest_difference(0.234, 3004, **USUAL) == pytest.approx(z * 0.234)
    assert units_needed(0.575, 0.234, 3004, **USUAL) == math.ceil(3004 * (z * 0.234 / 0.575) ** 2)
    # Four times as many show half the difference.
    assert units_needed(0.5, 1, 100, **USUAL) == pytest.approx(4 * units_needed(1, 1, 100, **USUAL), abs=4)


def test_of_few_units_is_that_of_students_t():
    t = scipy.stats.t.ppf(0.975, 9) + scipy.stats.t.ppf(0.8, 9)
    assert smallest_difference(1.5, 10, **USUAL) == pytest.approx(t * 1.5 * math.sqrt(10 / 9))


def test_of_several_pairs_the_level_is_divided():
    z = scipy.stats.norm.ppf(1 - 0.05 / 240) + scipy.stats.norm.ppf(0.8)
    assert smallest_difference(1, 3000, n_pairs=120, **USUAL) == pytest.approx(z)


@pytest.mark.parametrize(("error", "n"), [(0.0, 100), (math.nan, 100), (1.0, 1)])
def test_where_nothing_varies_there_is_none(error, n):
    assert smallest_difference(error, n, **USUAL) is None
    assert units_needed(1, error, n, **USUAL) is None


@given(st.integers(2, 200), st.floats(0.01, 100), st.sampled_from([0.5, 0.8, 0.95]), st.integers(1, 10))
def test_so_many_units_show_the_smallest_difference_that_they_show(n, error, power, n_pairs):
    settings = {"alpha": 0.05, "power": power, "n_pairs": n_pairs}
    smallest = smallest_difference(error, n, **settings)
    # With fewer, p of the permutation test is never below alpha.
    least = next(n for n in range(100) if n_pairs * 2 ** (1 - n) < 0.05)
    # A difference larger by rounding, as that of so many units is met exactly.
    assert least <= units_needed(smallest * (1 + 1e-9), error, n, **settings) <= max(n, least)
    assert units_needed(smallest / 2, error, n, **settings) > n
    assert smallest_difference(2 * error, n, **settings) == pytest.approx(2 * smallest)


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
        [result] = paired_permutation_test(
            scorer, [stats.selected(drawn) for stats in pool], n_resamples=399, seed=seed
        )
        n_seen += result[name].pvalue < 0.05
    assert n_seen / n_runs == pytest.approx(0.8, abs=0.05)
