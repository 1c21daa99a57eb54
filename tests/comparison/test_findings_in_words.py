"""Findings as sentences: clauses on systems, counts of segments that are empty or left out, names of files."""

from pathlib import Path

import pytest

from tercet import InputError
from tercet.comparison.shown.exported_texts import export_paths
from tercet.comparison.values.system_facts import SystemFacts, fact_lines
from tercet.comparison.wording.clauses import Clause, few_named, sentence
from tercet.names_as_shown import MOST_NAMED
from tercet.test_sets.test_set import TestSet


def said(*clauses):
    return "".join(map(str, sentence(("новая",), " is ", clauses)))


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        (Clause("best"), "best"),
        (Clause("better than", ("a",)), "better than a"),
        (Clause("better than", ("a", "猫")), "better than a and 猫"),
        (Clause("better than", ("a", "b", "c")), "better than a, b and c"),
        (Clause("better in", ("a",), ("+1.0",)), "better in a (+1.0)"),
        (Clause("better in", ("a", "b", "c"), ("+1.0", "", "+3.0")), "better in a (+1.0), b and c (+3.0)"),
        (Clause("better than", ("a",), scores="by BLEU"), "better than a by BLEU"),
        (Clause("better", scores="by BLEU", note=("p ", "0.01")), "better by BLEU (p 0.01)"),
    ],
)
def test_a_clause_has_its_finding_others_scores_and_a_note(clause, words):
    assert said(clause) == f"новая is {words}."
    assert said(clause, Clause("behind"), clause) == f"новая is {words}; behind; {words}."


@pytest.mark.parametrize("n", [1, 2, MOST_NAMED, MOST_NAMED + 1])
def test_of_many_their_number_is_said(n):
    names = [f"с{number}" for number in range(n)]
    words = "".join(map(str, few_named(names)))
    assert (words == f"{n} others") is (n > MOST_NAMED)
    assert all(name in words for name in names) is (n <= MOST_NAMED)


def facts(metric, system, *, empty=0, skipped=None, zero=0, segments=10):
    return SystemFacts(metric, system, segments, empty, skipped or {}, zero, {}, "")


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([], []),
        ([facts("chrf", "a"), facts("chrf", "б")], []),
        ([facts("chrf", "a", empty=2)], ["Empty predictions: 2 (of 10)."]),
        (
            [facts("chrf", "a", empty=2), facts("chrf", "б", empty=2)],
            ["Empty predictions: 2 of each system (of 10)."],
        ),
        ([facts("chrf", "a", empty=2), facts("chrf", "б")], ["Empty predictions: a 2 (of 10)."]),
        (
            [facts("chrf", "a", empty=1200, segments=2000), facts("chrf", "б", empty=1, segments=2000)],
            ["Empty predictions: a 1,200, б 1 (of 2,000)."],
        ),
        (
            [facts("chrf", "a", empty=1), facts("ter", "a", empty=1)],
            ["Empty predictions: 1 (of 10)."],
        ),
        (
            [facts("chrf", "a", empty=1), facts("ter", "a", empty=2), facts("wer", "a")],
            ["Empty predictions, chrf: 1 (of 10).", "Empty predictions, ter: 2 (of 10)."],
        ),
        (
            [facts("chrf", "a", zero=3, skipped={"no reference": 2, "no number": 1}, segments=7)],
            [
                "Segments without a number or reference, which count as 0: 3 (of 10).",
                "Segments left out, no reference: 2 (of 10).",
                "Segments left out, no number: 1 (of 10).",
            ],
        ),
        (
            [facts("chrf", "a", skipped={"empty prediction": 1, "not scored for another system": 4}, segments=5)],
            [
                "Segments left out, empty prediction: 1 (of 10).",
                "Segments left out, not scored for another system: 4 (of 10).",
            ],
        ),
    ],
)
def test_counts_are_said_once_where_systems_and_metrics_have_the_same(rows, lines):
    assert fact_lines(rows) == lines


def test_names_are_formatted_as_the_page_does():
    rows = [facts("chrf", "a", empty=1), facts("chrf", "б"), facts("ter", "a"), facts("ter", "б")]
    assert fact_lines(rows, "<{}>".format) == ["Empty predictions, <chrf>: <a> 1 (of 10)."]


def sets_of(system, name="ноябрь"):
    return [TestSet(name, {system: ["x"]}, [["x"]], None)]


@pytest.mark.parametrize(("n", "fits"), [(246, True), (247, False)])
def test_a_file_has_a_name_of_255_bytes_at_most(n, fits):
    if fits:
        assert [path.name for path in export_paths(sets_of("a" * n, "test"), Path("x"))] == [f"{'a' * n}_test.tsv"]
        return
    with pytest.raises(InputError, match=r"is too long for a file name\. Rename it"):
        export_paths(sets_of("a" * n, "test"), Path("x"))
    with pytest.raises(InputError, match="too long"):
        export_paths(sets_of("я" * 124, "test"), Path("x"))


@pytest.mark.parametrize(
    ("system", "name"),
    [("a/b:c", "a_b_c"), ("..", "_"), ("модель 2.0+", "модель_2.0+"), (".猫.", "猫"), ("a_-", "a_-")],
)
def test_signs_that_a_name_of_a_file_cannot_have_become_a_line(system, name):
    assert [str(path) for path in export_paths(sets_of(system), Path("x"))] == [f"x/{name}_ноябрь.tsv"]


def test_two_systems_with_one_file_are_named():
    both = TestSet("t", {"a b": ["x"], "a/b": ["x"]}, [["x"]], None)
    with pytest.raises(
        InputError, match=r"^Two systems would be written to a_b_t\.tsv: 'a b' of 't' and 'a/b' of 't'\."
    ):
        export_paths([both], Path("x"))
