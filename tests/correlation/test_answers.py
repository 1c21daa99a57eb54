"""The answer to which metric agrees best: each sentence, and that it claims no more than the tests show."""

import math

import numpy as np
import pytest

import tercet
from tercet.correlation.answer import answer
from tercet.correlation.cautions import ranking_warnings
from tercet.correlation.figures import FigureValue
from tercet.correlation.grades import Grades
from tercet.correlation.metric_columns import MetricColumn
from tercet.correlation.result import Correlation, DimensionTable
from tercet.correlation.tables import in_format, to_text
from tercet.names_as_shown import Name
from tercet.report.correlation import trust_html
from tercet.test_sets.test_set import TestSet

THREE = {"a": 0.6, "b": 0.5, "c": 0.4}
MANY = {f"m{number}": 0.9 - number / 10 for number in range(7)}
ALL_OF_MANY = {("m0", other): 0.01 for other in MANY if other != "m0"}


def ranked(values, adjusted=None, rank_by="item.acc_eq", low=0.3, n_permutations=1000, alpha=0.05):
    """Return a result in which metrics have these figures, and pairs (better, worse) these adjusted p; others 1."""
    labels = list(values)
    order = sorted(labels, key=lambda label: -np.nan_to_num(values[label], nan=-np.inf))
    p = np.ones((len(labels), len(labels)))
    for (one, other), value in (adjusted or {}).items():
        p[labels.index(one), labels.index(other)] = value
    figures = {label: {rank_by: FigureValue(value, low, 0.7, 0.0, 60)} for label, value in values.items()}
    clusters = dict.fromkeys(labels, 1)
    table = DimensionTable("content", 120, 60, figures, rank_by, order, clusters, "a test", p, p, p)
    columns = [MetricColumn(label, "", np.zeros((2, 3)), title=label) for label in labels]
    grades = Grades.of_lists({"A": [1, 2, 3], "B": [3, 2, 1]}, ["A", "B"], 3)
    test_set = TestSet("sample", {name: ["a", "b", "c"] for name in "AB"}, [["a"]] * 3, None)
    return Correlation(test_set, grades, columns, [table], "items", 100, n_permutations, 1, 0.95, alpha)


def said(values, adjusted=None, **settings):
    found = ranked(values, adjusted, **settings)
    return ["".join(sentence) for sentence in answer(found, found.tables[0])]


FIGURE = "tie-calibrated pairwise accuracy"

#: Figures of metrics, adjusted p of pairs (better, worse), other settings, and the sentences.
CASES = {
    "one metric": ({"a": 0.5}, {}, {}, [
        f"a has a {FIGURE} of 0.500 with content (95 % interval 0.300 to 0.700).",
        "There is no other metric to compare it with.",
    ]),
    "the better of two": ({"a": 0.4, "b": 0.5}, {("b", "a"): 0.004}, {}, [
        f"b agrees best with content ({FIGURE} 0.500).",
        "b agrees significantly better than a (p 0.0040, alpha 0.05).",
    ]),
    "two, and no difference was found": ({"a": 0.5, "b": 0.4}, {("a", "b"): 0.2}, {}, [
        f"These data do not tell apart how well a and b agree with content ({FIGURE} 0.500 and 0.400; p 0.200, alpha "
        "0.05).",
    ]),
    "the user's alpha": ({"a": 0.5, "b": 0.4}, {("a", "b"): 0.02}, {"alpha": 0.01}, [
        f"These data do not tell apart how well a and b agree with content ({FIGURE} 0.500 and 0.400; p 0.020, alpha "
        "0.01).",
    ]),
    "equal figures": ({"a": 0.5, "b": 0.5}, {}, {}, [f"Both metrics have the same {FIGURE} with content: 0.500."]),
    "better than both others": (THREE, {("a", "b"): 0.03, ("a", "c"): 0.003}, {}, [
        f"a agrees best with content ({FIGURE} 0.600).",
        "a agrees significantly better than both others (largest adjusted p 0.030, alpha 0.05).",
    ]),
    "two of three are best": (THREE, {("a", "b"): 0.3, ("a", "c"): 0.003}, {}, [
        f"a and b agree best with content ({FIGURE} 0.600 and 0.500); these data do not tell them apart (adjusted p "
        "0.300, alpha 0.05).",
        "a agrees significantly better than c (adjusted p 0.0030).",
    ]),
    "the others differ from each other, but not from the best": (THREE, {("b", "c"): 0.01, ("a", "c"): 0.06}, {}, [
        f"a agrees best with content ({FIGURE} 0.600); these data do not tell it apart from b and c (least adjusted "
        "p 0.060, alpha 0.05).",
    ]),
    "a metric between them is worse": (THREE, {("a", "b"): 0.01, ("a", "c"): 0.06}, {}, [
        f"a agrees best with content ({FIGURE} 0.600); these data do not tell it apart from c (adjusted p 0.060, "
        "alpha 0.05).",
        "a agrees significantly better than b (adjusted p 0.010).",
    ]),
    "none of three": (THREE, {("a", "b"): 0.3, ("a", "c"): 0.2}, {}, [
        "These data do not tell apart how well a, b and c agree with content "
        f"({FIGURE} 0.600, 0.500 and 0.400; least adjusted p 0.200, alpha 0.05).",
    ]),
    "better than all of many": (MANY, ALL_OF_MANY, {}, [
        f"m0 agrees best with content ({FIGURE} 0.900).",
        "m0 agrees significantly better than all 6 others (largest adjusted p 0.010, alpha 0.05).",
    ]),
    "better than one of many": (MANY, {("m0", "m6"): 0.01, ("m0", "m5"): 0.08}, {}, [
        f"m0 agrees best with content ({FIGURE} 0.900); these data do not tell it apart from 5 of the 6 others "
        "(least adjusted p 0.080, alpha 0.05).",
        "m0 agrees significantly better than m6 (adjusted p 0.010).",
    ]),
    "better than none of many": (MANY, {}, {}, [
        f"m0 agrees best with content ({FIGURE} 0.900); these data do not tell it apart from any of the 6 others "
        "(least adjusted p 1.000, alpha 0.05).",
    ]),
    "too few permutations, which says nothing of the data": (MANY, {}, {"n_permutations": 19}, [
        f"m0 agrees best with content ({FIGURE} 0.900).",
        "Too few permutations to tell metrics apart: with 19 permutations, p is at least 0.05. n_permutations=1000 "
        "would do.",
    ]),
    "more permutations than the default are needed": (THREE, {}, {"alpha": 0.0005}, [
        f"a agrees best with content ({FIGURE} 0.600).",
        "Too few permutations to tell metrics apart: with 1,000 permutations, p is at least 0.000999. "
        "n_permutations=2000 would do.",
    ]),
    "no figure": ({"a": math.nan, "b": math.nan}, {}, {"rank_by": "pooled.pearson"}, [
        "No metric has a pooled Pearson's r with content: constant grades or scores have none.",
    ]),
    "a metric without a figure": ({**THREE, "d": math.nan}, {("a", "b"): 0.01, ("a", "c"): 0.01}, {}, [
        f"a agrees best with content ({FIGURE} 0.600).",
        "a agrees significantly better than both others (largest adjusted p 0.010, alpha 0.05).",
        f"d has no {FIGURE}: constant scores have none.",
    ]),
    "the best may be unrelated": ({"a": 0.1}, {}, {"rank_by": "pooled.pearson", "low": -0.2}, [
        "a has a pooled Pearson's r of 0.100 with content (95 % interval -0.200 to 0.700).",
        "There is no other metric to compare it with.",
        "That a agrees with content at all is not shown: the 95 % interval, -0.200 to 0.700, is not above 0.",
    ]),
    "an accuracy is never about 0": ({"a": 0.1}, {}, {"low": 0.0}, [
        f"a has a {FIGURE} of 0.100 with content (95 % interval 0.000 to 0.700).",
        "There is no other metric to compare it with.",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_answer_says_no_more_than_the_figures_and_tests(case):
    values, adjusted, settings, sentences = CASES[case]
    assert said(values, adjusted, **settings) == sentences


@pytest.mark.parametrize(("alpha", "enough"), [(0.05, 20), (0.0005, 2000)])
def test_so_many_permutations_are_enough_for_any_number_of_metrics(alpha, enough):
    surely_better = dict.fromkeys(ALL_OF_MANY, 1 / (enough + 1))
    for n_permutations, finds in ((enough - 1, False), (enough, True)):
        (_, sentence) = said(MANY, surely_better, n_permutations=n_permutations, alpha=alpha)
        assert ("significantly" in sentence) == finds
        assert ("Too few permutations" in sentence) != finds


def test_too_few_permutations_are_said_once_for_all_dimensions():
    rng = np.random.default_rng(8)
    texts = {name: ["a"] * 30 for name in "AB"}
    grades = {
        "all the same": {name: [3.0] * 30 for name in "AB"},
        **{dimension: {name: rng.normal(size=30).tolist() for name in "AB"} for dimension in ("form", "content")},
    }
    scores = {metric: {name: rng.normal(size=30).tolist() for name in "AB"} for metric in ("x", "y", "z")}
    found = tercet.correlate(texts, [], grades, scores=scores, n_resamples=20, n_permutations=19)
    forms = {form: in_format(found, form) for form in ("json", "markdown", "latex")}
    forms |= {"text": to_text(found, 120), "notebook": found._repr_html_(), "page": trust_html(found)}
    for form, text in forms.items():
        assert text.count("Too few permutations to tell metrics apart") == 1, form
        assert "do not tell" not in text
    assert "n_permutations=1000 would do" in forms["text"]
    (note,) = found.to_dict()["notes"]
    assert note in forms["text"]
    enough = tercet.correlate(texts, [], grades, scores=scores, n_resamples=20, n_permutations=20)
    assert enough.to_dict()["notes"] == []
    assert "Too few permutations" not in to_text(enough, 120)


def test_what_is_warned_of_all_dimensions_is_said_once():
    texts = {name: ["a", "b", "c"] for name in "AB"}
    grades = {dimension: {"A": [1, 2, 3], "B": [3, 2, 2]} for dimension in ("form", "content")}
    scores = {metric: {"A": [1, 5, 3], "B": [3, 2, number]} for number, metric in enumerate(("x", "y"))}
    found = tercet.correlate(texts, [], grades, scores=scores, n_resamples=20)
    few = "Only 3 graded items: too few for reliable tests."
    assert [few in table.remarks for table in found.tables] == [True, True]
    for text in (to_text(found, 120), in_format(found, "markdown"), found._repr_html_(), trust_html(found)):
        assert text.count(few) == 1


def test_one_item_is_not_counted_as_several():
    grades, scores = ({"A": [1], "B": [3], "C": [2]}, {"x": {"A": [1], "B": [4], "C": [3]}})
    found = tercet.correlate({name: ["a"] for name in "ABC"}, [], grades, scores=scores, n_resamples=20)
    assert "Only 1 graded item: too few for reliable tests." in found.tables[0].remarks
    for text in (to_text(found, 120), found._repr_html_(), trust_html(found)):
        assert "3 graded outputs of 1 item" in text
        assert "1 items" not in text


def test_names_are_kept_apart_from_what_is_said_of_them():
    """What is a name, of a metric or of the dimension, is marked as one."""
    names = ("מדד", "<b>", "c")
    found = ranked(dict(zip(names, (0.6, 0.5, 0.4), strict=True)), {(names[0], names[2]): 0.01})
    best, better = answer(found, found.tables[0])
    assert tuple(part for part in best if isinstance(part, Name)) == (*names[:2], "content")
    assert tuple(part for part in better if isinstance(part, Name)) == (names[0], names[2])


def test_a_real_answer_has_the_names_of_metrics_and_the_adjusted_p_of_the_table():
    rng = np.random.default_rng(1)
    grades = {name: rng.normal(size=40).tolist() for name in "ABC"}
    good = {name: (np.array(own) + rng.normal(size=40) / 4).tolist() for name, own in grades.items()}
    bad = {name: rng.normal(size=40).tolist() for name in "ABC"}
    texts = {name: ["the cat sat"] * 40 for name in "ABC"}
    found = tercet.correlate(
        texts, ["bleu", "jaccard"], grades, references=["the cat sat"] * 40, scores={"good": good, "bad": bad},
        rank_by="pooled.pearson", n_resamples=50, n_permutations=200,
    )  # fmt: skip
    (table,) = found.tables
    p = table.adjusted_p("good", "bad")
    value = table.figures["good"]["pooled.pearson"].value
    assert ["".join(each) for each in answer(found, table)] == [
        f"good agrees best with grade (pooled Pearson's r {value:.3f}).",
        f"good agrees significantly better than bad (p {p:.4f}, alpha 0.05).",
        "BLEU and Jaccard have no pooled Pearson's r: constant scores have none.",
    ]
    assert p == table.pvalues[2, 3] < 0.05 < table.adjusted_p("bad", "good")


def test_the_warning_is_about_the_first_metric_that_is_not_significantly_worse():
    adjusted = {("a", "b"): 0.01, ("a", "c"): 0.2}
    power = "(80 % power, by resampling)."
    for value_of_c, drawn_of_c, warning in (
        (0.4, [0.4, 0.8], f"between a and c in item.acc_eq takes about 471 graded items; there are 60 {power}"),
        (0.4, [0.4, 0.4], None),  # there are enough for one test, if not for all pairs
        (0.6, [0.4, 0.9], None),  # no difference to detect
        (0.6 - 1e-9, [0.4, 0.9], None),  # no number of items that anybody grades
    ):
        found = ranked({**THREE, "c": value_of_c}, adjusted)
        drawn = np.array([[0.6, 0.6], [0.5, 0.5], drawn_of_c])
        warnings = ranking_warnings(found.tables[0], drawn, found.titles(), 0.05)
        assert len(warnings) == (warning is not None)
        assert all(each.endswith(warning) for each in warnings)
