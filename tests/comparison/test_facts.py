"""What a comparison says beside scores: lengths, empty predictions, what was left out; and BLEU's line."""

import html
import math
import warnings

import pytest
import sacrebleu

from conftest import ZERO_BLEU
from samples import sample
from tercet import compare, score
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.comparison.values.system_facts import NO_REFERENCE

NEWS = sample("en")
TEXTS = {
    "mt": ["the cat sat on the mat", "", "un perro ladra", "кошка сидит"],
    "tuned": ["the cat sat on a mat", "it rains", "un perro ladra mucho", "кошка лежит"],
}
REFERENCES = [["the cat sat on the mat"], ["it rained", "it rains"], ["un perro ladra"], []]
SKIP = "missing_references=skip"


@pytest.fixture(scope="module")
def found():
    return compare(TEXTS, [f"bleu_multi:{SKIP},max_order=2", f"ter:{SKIP}"], references=REFERENCES)


def test_the_line_of_bleu_is_the_one_that_sacrebleu_prints():
    for method in ["exp", "floor", "add-k"]:
        comparison = compare(NEWS, [f"bleu_multi:smooth_method={method}"], test=None)
        most = max(map(len, NEWS.references))
        streams = [[texts[n] if n < len(texts) else None for texts in NEWS.references] for n in range(most)]
        for row in comparison.facts:
            theirs = sacrebleu.corpus_bleu(NEWS.systems[row.system], streams, smooth_method=method)
            assert row.line == theirs.format(width=1)


def test_facts_are_what_the_result_of_the_metric_holds(found):
    assert len(found.facts) == 4
    for row in found.facts:
        metric, own = ("ter", {}) if row.metric.startswith("ter") else ("bleu_multi", {"max_order": 2})
        expected = score(metric, TEXTS[row.system], REFERENCES, missing_references="skip", scale=100, **own)
        known = expected.to_dict(full=True)
        assert row.more
        assert {name: known[name] for name in row.more} == row.more
        assert (row.segments, row.empty_predictions) == (expected.n_segments, expected.empty_predictions)
        assert row.skipped == {NO_REFERENCE: expected.missing_references}


def test_every_form_counts_what_is_empty_and_what_was_left_out(found):
    remarks = ["Empty predictions: mt 1 (of 4).", "Segments left out, no reference: 1 of each system (of 4)."]
    assert found.remarks()[:2] == remarks
    page = found.to_html().replace("\u2068", "").replace("\u2069", "")  # around names, whose script is not known
    for remark in remarks:
        assert all(remark in text for text in (to_text([found]), in_format([found], "markdown"), found._repr_html_()))
        assert f">{remark}</p>" in page


def test_json_has_a_row_for_each_metric_and_system(found):
    row, *others = found.to_dict()["facts"]
    assert len(others) == 3
    assert (row["system"], row["empty_predictions"], row["skipped"]) == ("mt", 1, {"no reference": 1})
    assert (row["translation_length"], row["reference_length"]) == (9, 11)
    assert '"brevity_penalty": 0.8' in in_format([found], "json")


def test_metrics_that_differ_are_named():
    texts = {"mt": ["!!!", "a dog"], "B": ["a cat", "a dog"]}
    metrics = ["rouge_nlws:rouge_types=rouge1", "chrf_multi", "ter"]
    comparison = compare(texts, metrics, references=[["a cat"], ["a dog"]], test=None)
    assert comparison.remarks() == [
        "Empty predictions, rouge_nlws:rouge_types=rouge1: mt 1 (of 2).",
        "No intervals: 2 segments cannot tell how much scores vary; 5 or more would.",
    ]


def test_that_no_difference_could_be_significant_is_said_in_every_form():
    texts = {"A": ["a cat", "the dog", "", "one"], "B": ["a bat", "two dogs", "no", "none"]}
    found = compare(texts, ["chrf_multi"], references=["a cat", "the dog", "the", "one"])
    said = "Too few segments for any test: with 4 segments, p is 0.125 or more."
    assert (found.tables[0].pvalues >= 0.1).all()  # of draws: about an eighth
    for shown in (to_text([found]), in_format([found], "markdown"), found.to_html(), found._repr_html_()):
        assert said in shown
        assert "†" not in shown
    (table,) = found.to_dict()["tables"]
    assert (table["too_few"], table["systems"][1]["as_good"]) == (said, None)


def test_a_floor_of_the_resamples_is_no_finding():
    """Of 11 systems one wins every segment: too few resamples do not show that it is as good as the others."""
    texts = {f"s{number:02}": [f"the cat sat {number}"] * 12 for number in range(11)}
    texts["s03"] = ["the cat sat down"] * 12
    few = compare(texts, ["chrf"], references=["the cat sat down"] * 12, n_resamples=100, adjust="holm")
    said = (
        "Too few resamples to tell systems apart: with 100 resamples, adjusted for 55 pairs of systems, p is at "
        "least 0.545. n_resamples=10000 would do."
    )
    (table,) = few.tables
    assert table.too_few == said
    assert {(row.rank, row.group) for row in table.rows} == {(None, None)}
    assert [row.system for row in table.rows if row.as_good] == ["s03"]
    for shown in (to_text([few]), in_format([few], "markdown"), few.to_html(), few._repr_html_()):
        assert said in shown
        assert "no significant difference" not in shown
        assert "groups that" not in shown
    (enough,) = compare(texts, ["chrf"], references=["the cat sat down"] * 12, n_resamples=100).tables
    assert enough.too_few is None
    assert enough.rows[3].rank == (1, 1)


def test_chance_may_make_a_few_segments_significant_and_then_nothing_is_said():
    texts = {"A": ["a cat", "the dog", "it", "one"], "B": ["a bat", "two dogs", "no", "none"]}
    settings = {"references": texts["A"], "alpha": 0.125, "n_resamples": 15}
    found = [compare(texts, ["chrf_multi"], seed=seed, **settings) for seed in range(8)]
    too_few = {bool(each.tables[0].pvalues[0, 1] < 0.125): each.tables[0].too_few for each in found}
    assert too_few[True] is None
    assert too_few[False].startswith("Too few segments for any test: with 4 segments, p is about 0.125 or more.")


@ZERO_BLEU
def test_what_was_warned_of_stands_in_the_json_and_in_the_report():
    texts = {"mt": ["кот на столе", "да"], "copy": ["кот на стуле", ""]}
    with pytest.warns(UserWarning, match="tokenizer='unicode' is used instead") as caught:
        found = compare(texts, ["rouge_nlws:rouge_types=rouge1", "bleu_multi"], references=["кот на стуле", " "])
    messages = [str(each.message) for each in caught]
    assert len(set(messages)) == len(messages)
    assert any("'copy': bleu_multi: BLEU is 0 only because the texts are short" in each for each in messages)
    odd = "test set: 1 segment has only empty references, the first is segment 2: nothing matches there."
    assert found.warnings == found.to_dict()["warnings"] == [odd, *messages]
    page = html.unescape(found.to_html())
    assert all(each in page for each in found.warnings)


def test_each_warning_is_given_as_the_caller_s_filters_say():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="only because the texts are short"):
            compare({"mt": ["a cat"]}, ["bleu_multi"], references=["a cat"])
        warnings.simplefilter("ignore")
        assert len(compare({"mt": ["a cat"]}, ["bleu_multi"], references=["a cat"]).warnings) == 2


def test_nothing_is_said_where_nothing_is_empty_or_left_out():
    comparison = compare({"A": ["a cat", "sat"]}, ["ter"], references=["a cat", "sat"])
    assert comparison.remarks() == ["No intervals: 2 segments cannot tell how much scores vary; 5 or more would."]
    assert "Empty" not in to_text([comparison])


def test_one_segment_has_no_interval_worth_the_name():
    comparison = compare({"A": ["a cat sat"]}, ["ter"], references=["a cat"])
    assert math.isnan(comparison.tables[0].rows[0].low)
    text = to_text([comparison])
    assert "No intervals: 1 segment cannot tell how much scores vary; 5 or more would." in text
    assert "95 %" not in text
