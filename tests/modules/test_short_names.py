"""Short names: wherever a metric is named its room's name will do, and results have the full one."""

import evaluate
import pytest

import tercet
from conftest import ZERO_BLEU, needed
from suite import SUITE
from tercet.comparison.difference.differences import explain_difference
from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.paired import paired_significance
from tercet.comparison.test_sets import TestSet

PREDICTIONS = ["the cat sat on the mat today", "a dog barks at the cats"]
REFERENCES = [["the cat lay on the mat today", "a cat"], ["a dog barks at the cats"]]


@ZERO_BLEU
@pytest.mark.parametrize(("metric", "short"), [(metric, known.short) for metric, known in SUITE.items()])
def test_every_door_takes_a_short_name_and_answers_with_the_full_one(metric, short):
    options = needed(metric)
    found, expected = (tercet.score(name, PREDICTIONS, REFERENCES, **options) for name in (short, metric))
    assert (found.to_dict(full=True), found.metric) == (expected.to_dict(full=True), metric)
    assert tercet.scorer(short, **options).name == tercet.load(short).name == metric
    with pytest.raises(tercet.OptionError, match=f"{metric} has no configuration 'x'"):
        tercet.load(short, "x")
    test_set = TestSet("small", {"one": PREDICTIONS, "other": PREDICTIONS[::-1]}, REFERENCES, None)
    comparison = tercet.compare(test_set, [MetricSpec(short, options)], n_resamples=10)
    assert {table.metric.split(":")[0] for table in comparison.tables} == {metric}
    result = paired_significance(short, PREDICTIONS, PREDICTIONS[::-1], REFERENCES, n_resamples=10, **options)
    assert result["signature"].startswith(metric)
    why = [tercet.explain(name, PREDICTIONS[0], REFERENCES[0], **options).to_dict() for name in (short, metric)]
    assert why[0] == why[1]
    if metric == "bleu_multi":
        assert explain_difference(short, PREDICTIONS, REFERENCES, against="nltk").metric == metric


def test_evaluate_s_own_load_may_be_redirected(monkeypatch):
    """As people do who want every line of a program to load the suite's modules."""
    monkeypatch.setattr(evaluate, "load", tercet.load)
    for name in ("bleu", "bleu_multi"):
        assert evaluate.load(name, "evaluate", module_type="metric").name == "bleu_multi"


def test_a_trainer_s_function_takes_each_metric_once_by_either_name():
    options = {"bleu": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rouge1"]}}
    compute = tercet.compute_metrics(None, ["bleu", "rouge"], options=options, decode=list)
    first = [texts[0] for texts in REFERENCES]
    found = compute(PREDICTIONS, first)
    for metric, (name, own) in zip(("bleu", "rouge1"), options.items(), strict=True):
        assert found[metric] == tercet.score(name, PREDICTIONS, first, **own)[metric]
    with pytest.raises(tercet.OptionError, match="metrics must be different metrics"):
        tercet.compute_metrics(None, ["bleu", "bleu_multi"], decode=list)
