"""Short names: wherever a metric is named its room's name will do, and results have the full one."""

import evaluate
import pytest

import tercet
from conftest import ZERO_BLEU, needed
from tercet.comparison.compare import compare
from tercet.comparison.metric_specs import MetricSpec, parse_metric
from tercet.comparison.paired import paired_significance
from tercet.comparison.test_sets import TestSet
from tercet.difference.differences import explain_difference
from tercet.registry import METRICS, canonical

PREDICTIONS = ["the cat sat on the mat today", "a dog barks at the cats"]
REFERENCES = [["the cat lay on the mat today", "a cat"], ["a dog barks at the cats"]]


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


@pytest.fixture
def short(metric):
    return METRICS[metric].partition(".")[0]


def test_a_short_name_stands_for_one_metric():
    names = [name for metric, entry in METRICS.items() for name in {metric, entry.partition(".")[0]}]
    assert len(set(names)) == len(names)


def test_scores_and_explanations_are_those_of_the_metric(metric, short):
    assert canonical(short) == canonical(metric) == metric
    found, expected = (tercet.score(name, PREDICTIONS, REFERENCES, **needed(metric)) for name in (short, metric))
    assert (found.to_dict(full=True), found.metric) == (expected.to_dict(full=True), metric)
    assert tercet.scorer(short, **needed(metric)).name == metric
    options = needed(metric) | ({"idf": False} if metric == "bertscore_idf" else {})
    why = [tercet.explain(name, PREDICTIONS[0], REFERENCES[0], **options) for name in (short, metric)]
    assert why[0].to_dict() == why[1].to_dict()


def test_the_module_is_that_of_the_metric(metric, short):
    assert tercet.load(short).name == metric
    with pytest.raises(tercet.OptionError, match=f"{metric} has no configuration 'x'"):
        tercet.load(short, "x")


def test_evaluate_s_own_load_may_be_redirected(monkeypatch):
    """As people do who want every line of a program to load the suite's modules."""
    monkeypatch.setattr(evaluate, "load", tercet.load)
    for name in ("bleu", "bleu_multi"):
        assert evaluate.load(name, "evaluate", module_type="metric").name == "bleu_multi"


@ZERO_BLEU
def test_comparisons_have_the_full_name(metric, short):
    assert parse_metric(f"{short}:scale=1").label == f"{metric}:scale=1"
    systems = {"one": PREDICTIONS, "other": PREDICTIONS[::-1]}
    test_set = TestSet("small", systems, REFERENCES, None)
    comparison = compare(test_set, [MetricSpec(short, needed(metric))], n_resamples=10)
    assert {table.metric.split(":")[0] for table in comparison.tables} == {metric}
    result = paired_significance(short, *systems.values(), REFERENCES, **needed(metric))
    assert result["signature"].startswith(metric)


def test_differences_have_the_full_name():
    assert explain_difference("bleu", PREDICTIONS, REFERENCES, against="nltk").metric == "bleu_multi"


class TestOfATrainer:
    def test_scores_are_those_of_the_metrics(self):
        options = {"bleu": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rouge1"]}}
        given = {"options": options, "decode": lambda rows: rows}
        compute = tercet.compute_metrics(None, ["bleu", "rouge"], **given)
        full = tercet.compute_metrics(None, ["bleu_multi", "rouge_nlws"], **given)
        labels = [texts[0] for texts in REFERENCES]
        assert compute(PREDICTIONS, labels) == full(PREDICTIONS, labels)

    def test_a_metric_under_both_names_is_one_given_twice(self):
        with pytest.raises(tercet.OptionError, match="metrics must be names of different metrics"):
            tercet.compute_metrics(None, ["bleu", "bleu_multi"], decode=list)
