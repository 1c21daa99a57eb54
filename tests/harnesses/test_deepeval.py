"""deepeval evaluates test cases, each of which is a segment."""

import pytest

import tercet
from harness_texts import ONE, PREDICTIONS

SEGMENTS = tercet.score("bleu", PREDICTIONS, ONE, segments=True).segments["bleu"]


def cases():
    from deepeval.test_case import LLMTestCase

    pairs = zip(PREDICTIONS, ONE, strict=True)
    return [LLMTestCase(input="?", actual_output=text, expected_output=gold) for text, gold in pairs]


def test_evaluate_gives_each_case_its_score():
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig

    from tercet.harnesses.deepeval import SegmentScore

    for run_async in (False, True):
        found = evaluate(
            cases(), [SegmentScore("bleu", threshold=0.5)], async_config=AsyncConfig(run_async=run_async),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            cache_config=CacheConfig(write_cache=False),
        )  # fmt: skip
        by_text = {result.actual_output: result for result in found.test_results}
        for text, score in zip(PREDICTIONS, SEGMENTS, strict=True):
            (metric,) = by_text[text].metrics_data
            assert metric.score == score
            assert metric.success is by_text[text].success is (score >= 0.5)
            assert metric.name == "bleu of a segment"
            assert metric.reason.startswith("bleu_multi|")


@pytest.mark.parametrize(
    ("metric", "threshold", "succeeds"), [("chrf", 40, True), ("ter", 40, True), ("ter", 5, False)]
)
def test_lower_may_be_better(metric, threshold, succeeds):
    from tercet.harnesses.deepeval import SegmentScore

    made = SegmentScore(metric, threshold=threshold)
    case = cases()[0]
    assert made.measure(case) == made.score == tercet.score(metric, PREDICTIONS[:1], ONE[:1])[metric]
    assert made.is_successful() is made.success is succeeds
