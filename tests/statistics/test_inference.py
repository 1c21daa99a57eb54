"""How scores are inferred: which test and which intervals they have, by name and by numbers."""

import numpy as np
import pytest

from tercet.metrics.column import Column
from tercet.statistics.inference import inference, pvalues_of_pairs
from tercet.statistics.kinds_of_tests import BOOTSTRAP, MCNEMAR, PERMUTATION, WELCH

COLUMN = Column("accuracy")


def rows_of(*answers):
    return COLUMN.stats_of({f"system {number}": np.array(right, float) for number, right in enumerate(answers)})


ANSWERS = [
    [1, 1, 0, 1, 0, 1, 1, 0, 1, 1],
    [0, 0, 0, 1, 0, 0, 1, 0, 0, 1],
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1],
]


def test_mcnemars_p_is_that_of_all_exchanges():
    pairs = [(0, 1), (0, 2), (1, 2)]
    systems = rows_of(*ANSWERS)
    (computed,) = pvalues_of_pairs(MCNEMAR, COLUMN, systems, pairs, n_resamples=1, seed=0).values()
    # Ten answers can be exchanged in 1,024 ways, and all of them are tested.
    assert PERMUTATION.resamples(10, 2000) == (1024, True)
    (enumerated,) = pvalues_of_pairs(PERMUTATION, COLUMN, systems, pairs, n_resamples=2000, seed=0).values()
    np.testing.assert_allclose(computed.pvalues, enumerated.pvalues, rtol=1e-12)
    assert computed.pvalues[0] == pytest.approx(2 / 2**4)  # four answers differ, all in one direction


def test_computed_p_share_no_draws_and_are_adjusted_by_holm():
    systems = rows_of(*ANSWERS)
    (computed,) = pvalues_of_pairs(MCNEMAR, COLUMN, systems, [(0, 1), (0, 2)], n_resamples=1, seed=0).values()
    smaller, larger = sorted(computed.pvalues)
    assert sorted(computed.adjusted) == [min(1, 2 * smaller), max(min(1, 2 * smaller), larger)]


def test_rows_have_no_p_of_welchs_t():
    with pytest.raises(AssertionError, match="Welch's t over units and runs needs runs"):
        pvalues_of_pairs(WELCH, COLUMN, rows_of(*ANSWERS), [(0, 1)], n_resamples=1, seed=0)


def test_shares_are_inferred_exactly_where_that_is_possible():
    permuted = inference("permutation", "step-down", "expanded").of_shares()
    assert permuted.to_dict() == {"test": "McNemar", "adjust": "holm", "interval": "Wilson"}
    assert permuted.has_exact_test
    assert permuted.has_exact_intervals
    assert not permuted.resamples_slices_together
    # Koehn's test has no exact form, and percentiles that are asked for stay.
    resampled = inference("bootstrap", "step-down", "percentile").of_shares()
    assert resampled.to_dict() == {"test": "bootstrap", "adjust": "step-down", "interval": "percentile"}
    assert not resampled.has_exact_test
    assert not resampled.has_exact_intervals


def test_only_exchanges_can_be_counted():
    assert PERMUTATION.resamples(13, 10_000) == (8192, True)
    assert PERMUTATION.resamples(14, 10_000) == (10_000, False)
    assert BOOTSTRAP.resamples(5, 1000) == (1000, False)


def test_a_level_says_whether_its_test_errs_more():
    assert PERMUTATION.level(0.05) == "alpha 0.05"
    assert BOOTSTRAP.level(0.05) == "nominal alpha 0.05; this test errs two to four times as often"


@pytest.mark.parametrize("test", [PERMUTATION, BOOTSTRAP])
def test_a_single_unit_tells_no_systems_apart(test):
    (found,) = pvalues_of_pairs(test, COLUMN, rows_of([0], [1]), [(0, 1)], n_resamples=10, seed=0).values()
    assert (found.pvalues.tolist(), found.adjusted.tolist()) == ([1], [1])


def test_without_a_test_there_is_no_p():
    untested = inference(None, "holm", "BCa")
    (of_score,) = untested.of_all_pairs(COLUMN, rows_of(*ANSWERS), n_resamples=0, seed=0).values()
    assert np.isnan(of_score.pvalues).all()
    assert np.isnan(of_score.adjusted).all()
    assert untested.to_dict()["test"] is None
