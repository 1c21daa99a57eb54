"""Comparisons without intervals: scores and tests are the same, and nothing speaks of intervals."""

import json
import math

import pytest

import tercet
from commands import command
from samples import FOLDER, sample
from tercet import OptionError
from tercet.comparison.overall import overall
from tercet.report.comparison import to_html

EN = sample("en")


@pytest.fixture
def without():
    return tercet.compare(EN, ["bleu", "ter"], interval=None, by={"half": [number % 2 for number in range(44)]})


def test_scores_and_tests_are_those_with_intervals(without):
    usual = tercet.compare(EN, ["bleu", "ter"])
    for table, bare_table in zip(usual.tables, without.tables, strict=True):
        assert bare_table.pvalues.tolist() == table.pvalues.tolist()
        for row, bare_row in zip(table.rows, bare_table.rows, strict=True):
            assert (bare_row.value, bare_row.rank, bare_row.group) == (row.value, row.rank, row.group)
            assert math.isfinite(row.low)
            assert math.isnan(bare_row.low)
            assert math.isnan(bare_row.high)


def test_no_form_speaks_of_intervals(without):
    assert without.to_dict()["interval"] is None
    for form in (str(without), without.to_markdown(), without.to_latex(), without._repr_html_(), to_html([without])):
        assert "bootstrap" not in form
        assert "Intervals" not in form
    page = to_html([without])
    assert "interval=None" in page
    assert "alpha=0.05" in page


def test_nothing_is_said_of_too_few_segments_for_them():
    few = tercet.compare({"one": ["a b", "a"]}, "chrf", references=["a c", "a"], interval=None)
    assert "No intervals" not in str(few)


def test_shares_have_none_either():
    """Scores that are 0 or 1 have intervals that are computed."""
    right = {"one": [1, 0, 1, 1, 0, 1, 1], "two": [1, 1, 1, 1, 0, 1, 0]}
    (table,) = tercet.compare(scores={"accuracy": right}, interval=None).tables
    assert table.is_exact
    assert all(math.isnan(row.low) for row in table.rows)


def test_nor_do_scores_over_several_test_sets(without):
    of_all = overall([without, tercet.compare(sample("es"), ["bleu", "ter"], interval=None)])
    assert all(math.isnan(row.low) for table in of_all.tables for row in table.rows)
    assert [row.value for row in of_all.tables[0].rows] == [
        row.value
        for row in overall([tercet.compare(sample(name), ["bleu", "ter"]) for name in ("en", "es")]).tables[0].rows
    ]


def test_the_command_leaves_them_out():
    table = json.loads(command("score", FOLDER / "en.tsv", "-m", "bleu", "--no-intervals", "-f", "json").stdout)
    assert {row["low"] for row in table["test_sets"][0]["tables"][0]["systems"]} == {None}
    text = command("compare", FOLDER / "en.tsv", "-m", "bleu", "--no-intervals", "--fail-if-worse", "bleu").stdout
    assert "95 %" not in text.partition("bleu_multi|")[0]


def test_other_kinds_and_runs_are_refused():
    run = command("score", FOLDER / "en.tsv", "--no-intervals", "--interval", "BCa", code=2)
    assert "--interval and --no-intervals cannot be given together." in run.stderr
    runs = {"a-1": ["x"] * 6, "a-2": ["y"] * 6, "b-1": ["x"] * 6, "b-2": ["z"] * 6}
    with pytest.raises(OptionError, match="Intervals cannot be left out where systems have several runs"):
        tercet.compare(runs, "chrf", references=["x"] * 6, runs=r"\w-(\d)", interval=None)


def test_runs_are_refused_by_what_they_are_where_each_system_has_one():
    """Nothing is said of several runs where there are none."""
    systems = {"a-1": ["x"] * 6, "b-1": ["z"] * 6}
    with pytest.raises(OptionError) as error:
        tercet.compare(systems, "chrf", references=["x"] * 6, runs={"a": ["a-1"], "b": ["b-1"]}, interval=None)
    assert str(error.value) == (
        "Intervals cannot be left out beside runs, also where each system has one: leave out interval= or runs=."
    )
