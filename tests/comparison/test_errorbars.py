"""The figures that errorbars has too, where that is installed: ``pip install errorbars``.

Its p of numbers is that of Student's t, ours that of the permutation test.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.statistics.holm import holm
from tercet.statistics.power import smallest_difference, units_needed
from tercet.statistics.wilson import wilson

errorbars = pytest.importorskip("errorbars")
from errorbars.compare import mcnemar_exact, paired_compare  # noqa: E402
from errorbars.leaderboard import holm_correction  # noqa: E402
from errorbars.power import minimum_detectable_effect, questions_needed  # noqa: E402
from errorbars.stats import wilson_ci  # noqa: E402

RNG = np.random.default_rng(2)
BASE = RNG.normal(size=400)
TUNED = BASE + RNG.normal(0.08, 0.6, size=400)


def compared(base, tuned, **options):
    (table,) = tercet.compare(scores={"x": {"base": base, "tuned": tuned}}, **options).tables
    return table.rows[1]


@pytest.mark.parametrize("cluster", [None, np.arange(400) // 4], ids=["segments", "clusters"])
def test_the_standard_error_of_a_difference_and_p(cluster):
    expected = paired_compare(TUNED, BASE, clusters=cluster)
    asked = {"cluster": None if cluster is None else cluster.tolist()}
    scores = {"x": {"base": BASE, "tuned": TUNED}}
    (score,) = tercet.plan(scores=scores, difference=0.1, n_resamples=50_000, **asked).scores
    expected_error = expected.se_paired if cluster is None else expected.se_clustered
    assert score.standard_error[0] == pytest.approx(expected_error, rel=0.02)
    row = compared(BASE, TUNED, **asked)
    assert row.difference == pytest.approx(expected.mean_diff)
    assert row.pvalue == pytest.approx(expected.p_value if cluster is None else expected.p_value_clustered, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=200))
def test_right_and_wrong_answers(pairs):
    base, tuned = zip(*pairs, strict=True)
    assert compared(base, tuned).pvalue == pytest.approx(mcnemar_exact(base, tuned).p_value, rel=1e-9)
    expected = wilson_ci(sum(base), len(base))
    assert tuple(wilson(sum(base), len(base), 0.95)) == pytest.approx((expected.ci_low, expected.ci_high), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holms_method_is_that_of_errorbars(pvalues):
    assert holm(pvalues) == pytest.approx(holm_correction(pvalues))


@given(
    st.floats(0.01, 5), st.floats(0.1, 20), st.floats(-0.5, 0.95), st.integers(40, 5000), st.sampled_from([0.8, 0.9])
)
def test_power_is_that_of_errorbars(difference, variance, rho, n, power):
    asked = {"alpha": 0.05, "power": power}
    error = math.sqrt(2 * variance * (1 - rho) / n)
    smallest = minimum_detectable_effect(n, variance=variance, rho=rho, **asked)
    assert smallest_difference(error, n, **asked) == pytest.approx(smallest)
    needed = questions_needed(difference, variance=variance, rho=rho, **asked).n_questions
    # For fewer than 30 units, Student's t asks for more.
    if needed >= 30:
        assert units_needed(difference, error, n, **asked) == pytest.approx(needed, abs=1)
