"""A difference is significant where p is below alpha, and not where it is alpha: in every place that says so."""

import math

import pytest

import tercet
from tercet.comparison.gates.gate import losses
from tercet.comparison.overall import overall
from tercet.comparison.verdicts.verdicts import verdict_of

SCORES = {
    "numbers": {"base": [10.0, 20, 30, 40, 50, 60, 70, 80], "новая": [11, 22.5, 33, 44, 55, 66, 77, 76]},
    "answers": {"base": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0], "новая": [1, 1, 1, 1, 1, 1, 0, 1, 1, 1]},
}


def compared(kind, **settings):
    return tercet.compare(scores={"q:better=higher": SCORES[kind]}, **settings)


def p_of(kind):
    """Return p of the difference, of which all exchanges make the same each time."""
    p = compared(kind).tables[0].rows[1].adjusted_pvalue
    assert 0.01 < p < 0.2
    return p


@pytest.fixture(params=SCORES)
def kind(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["at alpha", "below alpha"])
def is_significant(request):
    return request.param


@pytest.fixture
def alpha(kind, is_significant):
    p = p_of(kind)
    return math.nextafter(p, 1) if is_significant else p


def test_in_ranks_and_verdicts_and_the_gate(kind, alpha, is_significant):
    found = compared(kind, alpha=alpha)
    (table,) = found.tables
    ranks = [row.rank for row in table.rows]
    assert ranks == ([(2, 2), (1, 1)] if is_significant else [(1, 2), (1, 2)])
    said = " ".join("".join(map(str, sentence)) for sentence in verdict_of(found, {"base": "base", "новая": "новая"}))
    assert ("The difference is significant" in said) is is_significant
    assert losses(found, table)[0].is_told_apart is is_significant


def test_in_slices(kind, alpha, is_significant):
    n = len(SCORES[kind]["base"])
    scores = {system: numbers * 2 for system, numbers in SCORES[kind].items()}
    slices = {"область": ["море"] * n + ["суша"] * n}
    found = tercet.compare(scores={"q:better=higher": scores}, by=slices, alpha=0.05)
    p = found.tables[0].sections[-1].value[0]["systems"][1]["adjusted_pvalue"]
    alpha = math.nextafter(p, 1) if is_significant else p
    found = tercet.compare(scores={"q:better=higher": scores}, by=slices, alpha=alpha)
    said = " ".join(found.tables[0].sections[-1].lines())
    assert ("significantly better in" in said) is is_significant


def test_over_several_test_sets(kind, is_significant):
    alone = compared(kind)
    p = overall([alone, alone]).tables[0].rows[1].adjusted_pvalue
    found = compared(kind, alpha=math.nextafter(p, 1) if is_significant else p)
    (table,) = overall([found, found]).tables
    said = " ".join(table.sections[-1].lines())
    assert ("новая is better than base" in said, "not significant" in said) == (is_significant, not is_significant)
