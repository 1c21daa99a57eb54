"""Groups of systems that the test tells apart, in a sentence below the table of three systems or more."""

import numpy as np
import pytest

import tercet


def groups_of(*means):
    """Return the section on systems a, b and so on with numbers of these means, which vary alike."""
    numbers = np.random.default_rng(5).normal(size=(len(means), 40))
    scores = {name: (mean + row).tolist() for name, mean, row in zip("abcdef", means, numbers, strict=False)}
    (table,) = tercet.compare(scores={"quality": scores}).tables
    return next(section for section in table.sections if section.key == "groups")


@pytest.mark.parametrize(
    ("means", "groups"),
    [((9, 0, 0), [["a"], ["b", "c"]]), ((0, 9, 0), [["b"], ["a", "c"]]), ((18, 9, 0), [["a"], ["b"], ["c"]])],
)
def test_groups_stand_in_the_order_of_the_table(means, groups):
    section = groups_of(*means)
    assert [sorted(group) for group in section.value] == groups
    in_words = "; ".join(" and ".join(group) for group in section.value)
    assert section.lines() == [f"{len(groups)} groups that the test tells apart: {in_words}."]


def test_systems_that_are_alike_are_one_group():
    assert groups_of(0, 0, 0).lines() == ["One group: the test does not split the ranking anywhere."]


def test_of_two_systems_the_verdict_says_enough():
    assert groups_of(9, 0).lines() == []
