"""unitxt evaluates a small data set, and its global scores are tercet's."""

from typing import List  # noqa: UP035  unitxt knows no list[str]

import pytest

import tercet
from harness_texts import ONE, PREDICTIONS, SEVERAL, by_sacrebleu, numbers


def run(metric, references=SEVERAL):
    from unitxt import create_dataset, evaluate
    from unitxt.blocks import Task
    from unitxt.templates import MultiReferenceTemplate

    task = Task(
        input_fields={"number": str},
        reference_fields={"gold": List[str]},  # noqa: UP006
        prediction_type=str,
        metrics=[metric],
    )
    template = MultiReferenceTemplate(input_format="{number}", references_field="gold")
    rows = [
        {"number": str(n), "gold": [each] if isinstance(each, str) else each} for n, each in enumerate(references)
    ]
    data = create_dataset(task=task, template=template, test_set=rows, split="test")
    return evaluate(predictions=PREDICTIONS, data=data)


def test_global_scores_are_those_of_the_corpus():
    from tercet.harnesses.unitxt import CorpusScores

    found = run(CorpusScores(metric="bleu"))
    expected = numbers()
    assert found.global_scores["score"] == expected["bleu"] == pytest.approx(by_sacrebleu())
    assert found.global_scores["score_name"] == "bleu"
    assert found.global_scores["score_ci_low"] == found.global_scores["bleu_ci_low"] == expected["bleu_low"]
    assert found.global_scores["bleu_ci_high"] == expected["bleu_high"]
    assert found.global_scores["signature"].startswith("bleu_multi|")


def test_instances_have_the_scores_of_segments():
    from tercet.harnesses.unitxt import CorpusScores

    found = run(CorpusScores(metric="rouge", options={"rouge_types": ["rougeL"], "tokenizer": "unicode"}), ONE)
    options = {"rouge_types": ["rougeL"], "tokenizer": "unicode", "segments": True}
    expected = tercet.score("rouge", PREDICTIONS, ONE, **options)
    assert [each["score"]["instance"]["rougeL"] for each in found] == expected.segments["rougeL"]
    assert found.global_scores["rougeL"] == pytest.approx(expected["rougeL"])


def test_without_intervals():
    from tercet.harnesses.unitxt import CorpusScores

    metric = CorpusScores(metric="ter")
    metric.set_confidence_interval_calculation(False)
    found = metric.reduce_and_bootstrap(list(zip(PREDICTIONS, SEVERAL, strict=True)))
    assert found.keys() == {"ter", "signature"}
    assert found["ter"] == numbers("ter")["ter"]
