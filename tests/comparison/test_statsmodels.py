"""McNemar's test is statsmodels', where that is installed: ``pip install statsmodels``."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet

mcnemar = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_p_of_right_and_wrong_answers(pairs):
    base, tuned = zip(*pairs, strict=True)
    (table,) = tercet.compare(scores={"acc": {"base": base, "tuned": tuned}}).tables
    counts = [[sum(pair == (first, second) for pair in pairs) for second in (True, False)] for first in (True, False)]
    assert table.rows[1].pvalue == pytest.approx(mcnemar(counts, exact=True).pvalue, rel=1e-9)
