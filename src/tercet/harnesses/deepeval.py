"""deepeval: a metric for test cases, which are segments: deepeval cannot show the score of a corpus."""

from __future__ import annotations

from typing import Any

from tercet.api import scorer
from tercet.base.metric import Metric
from tercet.errors import needs

from .shared import segment_score

needs("tercet.harnesses.deepeval", "", "deepeval")

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase, SingleTurnParams


class SegmentScore(BaseMetric):
    """The primary score of ``actual_output`` against ``expected_output``; its reason is the signature.

    Parameters
    ----------
    metric : str or Metric
    threshold : float
        A test case with at least this score is successful; or, where lower is better, with at most this score.
    **options
        As for :func:`tercet.scorer`.
    """

    _required_params = (SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT)

    def __init__(self, metric: str | Metric, threshold: float = 0.5, **options: Any) -> None:
        # deepeval copies this object by means of this attribute.
        self.metric = scorer(metric, **options)
        self.threshold = threshold

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float | None:
        """Score a test case."""
        texts = test_case.actual_output, test_case.expected_output
        score, self.reason = segment_score(self.metric, *texts)
        self.score = score
        self.is_successful()
        return score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float | None:
        """Score a test case."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Return whether the score reaches the threshold."""
        sign = 1 if self.metric.higher_is_better else -1
        # None is an item that the options leave out.
        self.success = self.score is not None and sign * self.score >= sign * self.threshold
        return self.success

    # deepeval shows a metric under this name.
    @property
    def __name__(self) -> str:
        return f"{self.metric.primary} of a segment"
