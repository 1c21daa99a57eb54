"""Scores of another program, given with the texts or alone, compared as those of a metric are."""

import html
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

import tercet
from tercet import Column, InputError, OptionError
from tercet.comparison.shown.tables import in_format, sheets_of
from tercet.comparison.specs.metric_specs import label_of, parse_column
from tercet.table_formats import write_workbook

TEXTS = {"base": ["a cat", "a dog", "it rains"], "tuned": ["the cat", "the dog", "it rained"]}
REFERENCES = ["the cat", "a dog", "it rained"]
COMET = {"base": [0.7, 0.5, 0.9], "tuned": [0.8, 0.9, 0.7]}

numbers = st.lists(st.floats(-100, 100), min_size=2, max_size=12)


def compared(scores, **options):
    return tercet.compare(scores=scores, **{"n_resamples": 200, **options})


def test_a_column_is_a_metric_beside_others():
    found = tercet.compare(TEXTS, "chrf", references=REFERENCES, scores={"COMET": COMET}, n_resamples=200)
    chrf, comet = found.tables
    assert (chrf.name, comet.name, comet.metric, comet.title) == ("chrf", "COMET", "COMET", "COMET")
    assert [row.value for row in comet.rows] == pytest.approx([0.7, 0.8])
    assert comet.rows[1].difference == pytest.approx(0.1)
    assert (comet.rows[1].wins, comet.rows[1].ties, comet.rows[1].losses) == (2, 0, 1)
    assert comet.segments == COMET
    assert comet.signature.startswith("COMET|column:mean|better:higher|version:")
    assert json.loads(json.dumps(found.to_dict()))["tables"][1]["metric"] == "COMET"


def test_texts_are_not_needed():
    found = compared({"COMET": COMET})
    alone, beside = found.tables[0], tercet.compare(TEXTS, [], scores={"COMET": COMET}, n_resamples=200).tables[0]
    assert alone.rows == beside.rows
    assert (alone.pvalues == beside.pvalues).all()
    assert found.warnings == []
    assert found.test_set.no_texts
    with pytest.raises(InputError, match="test set has no texts for chrf_multi: it has only scores"):
        tercet.compare(metrics="chrf", scores={"COMET": COMET})


def test_numbers_of_iterators_are_read_once():
    given_as_lists = compared({"COMET": COMET})
    found = compared({"COMET": {system: iter(numbers) for system, numbers in COMET.items()}})
    assert found.tables[0].rows == given_as_lists.tables[0].rows


@pytest.mark.filterwarnings("ignore:.*are they of one scale")
@given(st.data())
def test_a_score_is_the_mean_of_the_numbers(data):
    base = data.draw(numbers)
    tuned = data.draw(st.lists(st.floats(-100, 100), min_size=len(base), max_size=len(base)))
    (table,) = compared({"x": {"base": base, "tuned": tuned}}, n_resamples=10).tables
    scale = table.scorer.scale
    assert [row.value for row in table.rows] == pytest.approx([scale * np.mean(base), scale * np.mean(tuned)])


def test_p_is_that_of_all_permutations():
    rng = np.random.default_rng(5)
    base = rng.normal(size=11)
    tuned = base + rng.normal(0.3, 0.6, size=11)
    exact = permutation_test(
        (tuned, base), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    (table,) = compared({"x": {"base": base, "tuned": tuned}}, n_resamples=20_000).tables
    assert table.rows[1].pvalue == pytest.approx(exact.pvalue, abs=0.01)


def test_lower_may_be_better():
    higher, lower = (compared({name: COMET}).tables[0] for name in ("COMET", Column("COMET", better="lower")))
    assert [row.best for row in higher.rows] == [row.best for row in lower.rows][::-1] == [False, True]
    assert (lower.rows[1].wins, lower.rows[1].losses) == (1, 2)
    assert [row.pvalue for row in higher.rows] == [row.pvalue for row in lower.rows]
    assert lower.metric == "COMET:better=lower"
    assert not lower.higher_is_better


@pytest.mark.parametrize("gap", [None, math.nan, "", "n/a"])
def test_a_missing_number_is_left_out_counted_as_0_or_refused(gap):
    scores = {"base": [0.5, 0.7, gap], "tuned": [0.6, 0.8, 0.9]}
    with pytest.warns(UserWarning, match="1 segment is not scored for every system"):
        found = compared({"x": scores})
    assert [row.value for row in found.tables[0].rows] == pytest.approx([0.6, 0.7])
    assert found.tables[0].segments["base"] == [0.5, 0.7, None]
    assert "Segments left out, no number: base 1 (of 3)." in found.remarks()
    (zero,) = compared({Column("x", missing="zero"): scores}).tables
    assert [row.value for row in zero.rows] == pytest.approx([0.4, 2.3 / 3])
    with pytest.raises(InputError, match="'base' has no number in the column 'x' in segment 3; missing=skip"):
        compared({Column("x", missing="error"): scores})


def test_answers_that_are_right_or_wrong_are_in_percent():
    (table,) = compared({"acc": {"base": [True, False, False, True], "tuned": [1, 1, 0, "true"]}}).tables
    assert [row.value for row in table.rows] == [50, 75]
    (share,) = compared({"acc:scale=1": {"base": [1, 0], "tuned": [1, 1]}}).tables
    assert [row.value for row in share.rows] == [0.5, 1]


def test_clusters_are_resampled():
    scores = {"base": [0.1, 0.2, 0.5, 0.4, 0.8] * 3, "tuned": [0.3, 0.2, 0.6, 0.1, 0.7] * 3}
    copies = compared({"x": scores}, cluster=[0, 1, 2, 3, 4] * 3).tables[0]
    once = compared({"x": {name: values[:5] for name, values in scores.items()}}).tables[0]
    assert [row.value for row in copies.rows] == pytest.approx([row.value for row in once.rows])
    assert copies.pvalues == pytest.approx(once.pvalues)
    for row, row_once in zip(copies.rows, once.rows, strict=True):
        assert (row.low, row.high) == pytest.approx((row_once.low, row_once.high))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            {"x": {"base": [1, 2], "tuned": [1]}},
            "'tuned' must have 2 numbers, one for each segment, got 1",
        ),
        ({"x": {"base": [1, "good"]}}, "Expected a number as 'x' of 'base' in segment 2, got 'good'"),
        ({"x": {"base": [1, math.inf]}}, "Expected a finite number as 'x' of 'base' in segment 2"),
        ({"x": {"base": [1, -1e300]}}, "Expected a number of at most 1e\\+100 as 'x' of 'base' in segment 2"),
        (
            {"x": {"base": [1.5, None], "b": [None, 2]}},
            "test set: x: no segment was scored for every system: of 2 segments, 'base' has 1 and 'b' has 1.",
        ),
        ({"x": {"base": [None, None]}}, "test set: the system 'base' has no number in the column 'x'"),
        ({"x": {"base": "12"}}, "column 'x' of the system 'base': expected a number for each segment"),
        ({"x": [1, 2]}, "column 'x': expected the numbers of each system"),
        ({"x": {"base": [1]}, "y": {"other": [1]}}, "'y' has numbers of 'other', which is no system"),
        ({"x": {"base": [1], "b": [1]}, "y": {"b": [1]}}, "'y' has no numbers of the system 'base'"),
        ({"x": {"base": []}}, "test set has no segment to score"),
        (["x"], "There is nothing to compare: give the texts"),
        (None, "There is nothing to compare: give the texts"),
    ],
)
def test_wrong_scores_are_named(scores, message):
    with pytest.raises(InputError, match=message):
        tercet.compare(scores=scores)


def test_wrong_options_are_named():
    with pytest.raises(InputError, match=r"test set has no scores 'COMT'\. Give them, as scores="):
        tercet.compare(TEXTS, scores=["COMT"], references=REFERENCES)
    with pytest.raises(OptionError, match="scores= takes numbers by the name of a column"):
        tercet.compare(TEXTS, scores=3)
    with pytest.raises(OptionError, match="The column 'x' is given twice"):
        tercet.compare(TEXTS, scores=["x", Column("x", better="lower")])
    with pytest.raises(OptionError, match="'name' option of column must be the name of a column of scores"):
        Column(" ")
    with pytest.raises(OptionError, match=r"column has no option 'bettr'\. Did you mean 'better'"):
        parse_column("COMET:bettr=lower")
    for call in (lambda: Column("x")(["a"]), lambda: tercet.compare(TEXTS, [Column("x")], references=REFERENCES)):
        with pytest.raises((OptionError, InputError), match=r"scores"):
            call()


def test_a_column_is_a_value():
    column = Column("COMET", better="lower")
    assert column == eval(repr(column)) == pickle.loads(pickle.dumps(column)) == parse_column("COMET:better=lower")
    assert (label_of(column), label_of(Column("COMET"))) == ("COMET:better=lower", "COMET")
    assert parse_column("lm: acc").name == "lm: acc"
    assert parse_column("lm:acc:better=lower") == Column("lm:acc", better="lower")


def test_without_metrics_the_scores_of_the_test_set_are_compared():
    with_scores = compared({"COMET": COMET, "x": COMET}).test_set
    assert [table.name for table in tercet.compare(with_scores, test=None).tables] == ["COMET", "x"]
    assert [table.name for table in tercet.compare(with_scores, scores="x", test=None).tables] == ["x"]
    with pytest.raises(InputError, match=r"test set has no scores 'comet'\. Did you mean 'COMET'"):
        tercet.compare(with_scores, scores=["comet"])


answers = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60)


@given(answers)
def test_of_right_and_wrong_answers_p_and_intervals_are_exact(pairs):
    base, tuned = zip(*pairs, strict=True)
    found = compared({"acc": {"base": base, "tuned": tuned}})
    (table,) = found.tables
    only_base, only_tuned = ((np.array(one) > np.array(other)).sum() for one, other in ((base, tuned), (tuned, base)))
    n = only_base + only_tuned
    assert table.rows[1].pvalue == pytest.approx(binomtest(only_base, n).pvalue if n else 1)
    for row, values in zip(table.rows, (base, tuned), strict=True):
        wilson = binomtest(sum(values), len(values)).proportion_ci(0.95, "wilson")
        assert (row.low, row.high) == pytest.approx((100 * wilson.low, 100 * wilson.high), abs=1e-9)
        assert row.low <= row.value <= row.high
    assert "p: McNemar's exact test against base. Intervals: Wilson's, of differences Tango's." in found.legend()


@pytest.mark.parametrize(
    ("n", "too_few"),
    [(5, "Too few segments for any test: with 5 segments, p is 0.0625 or more."), (6, None)],
)
def test_of_few_right_and_wrong_answers_an_exact_test_shows_nothing(n, too_few):
    (table,) = compared({"верно": {"старый": [0] * n, "новый": [1] * n}}).tables
    assert (table.too_few, table.rows[1].pvalue) == (too_few, pytest.approx(2 ** (1 - n)))


def test_exact_ones_are_named_beside_others():
    answers = {"base": [0, 0, 1], "tuned": [1, 0, 1], "other": [1, 1, 1]}
    found = compared({"acc": answers, "COMET": {**COMET, "other": [0.1, 0.2, 0.3]}}, n_resamples=99)
    assert (
        "adj. p: paired permutation test against base, adjusted for all pairs by the step-down maximum (Romano and "
        "Wolf 2005), all 8 exchanges; of acc McNemar's exact test, "
        "adjusted for all pairs by Holm's method; not adjusted over scores. "
        "Intervals: expanded percentile bootstrap (Hesterberg 2015), 1,000 resamples, seed 12345; of acc Wilson's, "
        "of differences Tango's."
    ) in found.legend()
    acc, comet = found.to_dict()["tables"]
    assert (acc["test"], acc["adjust"], acc["interval"]) == ("McNemar", "holm", "Wilson")
    assert not {"test", "adjust", "interval"} & comet.keys()
    assert [record["interval"] for record in found.records()] == ["Wilson"] * 3 + ["expanded"] * 3
    assert acc["systems"][2]["pvalue"] == pytest.approx(0.5)  # better in 2 segments of 2
    assert acc["systems"][2]["adjusted_pvalue"] == 1


def test_exact_ones_are_where_they_are_wanted():
    scores = {"acc": {"base": [0, 1, 0, 1], "tuned": [1, 1, 0, 1]}}
    assert not compared(scores, cluster=[0, 0, 1, 1]).tables[0].is_exact
    eight = {"acc": {name: values * 2 for name, values in scores["acc"].items()}}
    bootstrap = compared(eight, test="bootstrap", interval="percentile")
    inference = bootstrap.inference_of(bootstrap.tables[0])
    assert inference.test.name == "bootstrap"
    assert inference.interval == "percentile"
    assert "Intervals: percentile bootstrap" in bootstrap.legend()
    # BCa has no width where all answers are right, and Wilson's has.
    assert compared(scores, interval="BCa").inference_of(bootstrap.tables[0]).interval == "Wilson"
    (alone,) = tercet.compare(scores={"acc": {"base": [1, 1, 1]}}).tables
    assert 0 < alone.rows[0].low < 100 == alone.rows[0].high


@pytest.mark.parametrize("clusters", [None, [0, 1, 2, 3, 4, 5, 6, 7] * 2])
def test_a_report_and_a_workbook_have_them(clusters, tmp_path):
    rng = np.random.default_rng(3)
    scores = {
        "acc": {name: rng.integers(0, 2, 16).tolist() for name in ("base", "tuned", "other")},
        Column("loss", better="lower"): {name: rng.random(16) for name in ("base", "tuned", "other")},
    }
    found = compared(scores, cluster=clusters)
    page = found.to_html()
    assert (
        ("McNemar’s exact test" in page)
        == ("95 % intervals: Wilson's, of differences Tango's" in html.unescape(page))
        == (clusters is None)
    )
    assert "loss" in page
    assert "Words of the predictions" not in page
    write_workbook(tmp_path / "x.xlsx", sheets_of([found]))
    for form in ("json", "tsv", "csv", "markdown", "latex"):
        assert "loss" in in_format([found], form)
    assert "loss" in found._repr_html_()
    assert found.plot() is not None


def test_what_can_be_seen_is_not_said_where_few_segments_differ_or_only_by_rounding():
    first, n = [0, 1] * 100, 200
    few = [*first[:-10], *(1 - value for value in first[-10:])]
    many = [*first[:-60], *(1 - value for value in first[-60:])]
    keys = [
        [section.key for section in tercet.compare(scores={"ok": {"a": first, "b": other}}).tables[0].sections]
        for other in (few, many)
    ]
    assert ["power" in of_score for of_score in keys] == [False, True]
    table = tercet.compare(scores={"quality": {"a": [0.5] * n, "b": [0.7] * n}}).tables[0]
    # That all differ alike is said in place of it.
    assert [section.key for section in table.sections] == ["groups", "cautions"]


def test_an_exact_test_has_no_resamples_that_could_be_too_few():
    scores = {f"s{number}": [0] * 30 if number % 2 else [*[1] * 20, *[0] * 10] for number in range(8)}
    comparison = tercet.compare(scores={"ok": scores}, n_resamples=100)
    assert not [remark for remark in comparison.remarks() if "No difference" in remark]
    assert comparison.tables[0].rows[1].adjusted_pvalue < 0.001


def test_the_segments_that_count_are_those_that_are_scored():
    values = [0.5, 0.7, 0.2, *[None] * 17]
    comparison = tercet.compare(scores={"C": {"a": values, "b": [0.6, 0.9, 0.1, *[None] * 17]}})
    assert comparison.tables[0].n_units == 3
    assert [remark for remark in comparison.remarks() if "with 3 segments" in remark]


def test_lower_is_better_by_the_name_unless_the_user_says_otherwise():
    numbers = {"a": [0.3, 0.4, 0.2], "b": [0.1, 0.2, 0.1]}
    for name, lower in (("WER", True), ("bits.loss", True), ("error_acc", False), ("COMET", False)):
        (table,) = tercet.compare(scores={name: numbers}).tables
        assert table.higher_is_better != lower
        assert [row.best for row in table.rows] == [not lower, lower]
    (table,) = tercet.compare(scores={"WER:better=higher": numbers}).tables
    assert table.higher_is_better


def test_zeros_would_reward_failures_where_lower_is_better():
    with pytest.raises(OptionError, match="missing='zero' would reward an answer that failed"):
        tercet.Column("TER", better="lower", missing="zero")
    with pytest.raises(OptionError, match="would reward"):
        tercet.compare(scores={"TER:missing=zero": {"a": [1, None], "b": [2, 3]}})


def test_names_of_systems_are_strings():
    with pytest.raises(InputError, match="The names of systems must be strings, got 1"):
        tercet.compare(scores={"C": {1: [1, 2], 2: [1, 2]}})


@pytest.mark.parametrize("n", [1, 2])
def test_a_negative_zero_is_no_other_number_than_zero(n):
    comparison = tercet.compare(scores={"x": {"base": [-0.0] * n, "tuned": [0.0] * n}}, test=None)
    assert [str(row.value) for row in comparison.tables[0].rows] == ["0.0", "0.0"]


def test_systems_with_numbers_of_another_scale_are_warned_of():
    shares, percent = [0.5, 0.0, 1.0, 0.25], [55.0, 70.0, 0.0, 91.5]
    scores = {"acc": {"base": percent, "модель": shares}, "COMET": {"base": [0.7] * 4, "модель": [0.8] * 4}}
    message = (
        "test set: acc: the numbers of the system 'модель' are from 0 to 1, those of the system 'base' from 0 to "
        "91.5: are they of one scale? They are compared as given."
    )
    with pytest.warns(UserWarning, match="are they of one scale") as caught:
        found = tercet.compare(scores=scores)
    assert [message] == [str(each.message) for each in caught if "scale" in str(each.message)]
    assert message in found.warnings
    alike = {"latency": {"base": [0.4, 0.9, 2.1], "b": [0.1, 0.3, 0.8]}, "error": {"base": [0, 0, 0], "b": [0, 3, 9]}}
    assert not [each for each in tercet.compare(scores=alike).warnings if "scale" in each]
