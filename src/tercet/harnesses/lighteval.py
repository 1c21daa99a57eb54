"""lighteval: a corpus metric that is one, and a mean of segments that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tercet.base.metric import Metric
from tercet.errors import needs
from tercet.specs import take_options

from .shared import answers_of, only, scores_of_repeats, segment_score, with_intervals

needs("tercet.harnesses.lighteval", "", "lighteval")

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.sample_preparator import GenerativePreparator
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric, SampleLevelMetric
from lighteval.tasks.requests import SamplingMethod


class _OfMetric:
    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    def __str__(self) -> str:
        # lighteval writes this beside the results.
        return repr(self.metric)


class _Corpus(_OfMetric, CorpusLevelComputation):
    def compute_corpus(self, items: Sequence[Any]) -> dict[str, float]:
        """Return all numbers as a dict, to which lighteval adds no standard error of its own (its page says more)."""
        answers = [answers_of(item.preds) for item in items]
        scores = scores_of_repeats(self.metric, answers, [item.golds for item in items])
        return {f"tercet_{name}": value for name, value in scores.items()}


class _Segments(_OfMetric, SampleLevelComputation):
    def compute(self, doc: Any, model_response: Any, **_: Any) -> float | None:
        """Return the score of an item."""
        return segment_score(self.metric, only(model_response.final_text), doc.get_golds())[0]


def corpus_metric(metric: str | Metric, **options: Any) -> CorpusLevelMetric:
    """Return the corpus score as a metric of lighteval, with its standard error and the ends of its interval."""
    configured_metric = with_intervals(metric, options)
    settings = {"higher_is_better": configured_metric.higher_is_better, "category": SamplingMethod.GENERATIVE}
    name = f"tercet_{configured_metric.score_names[0]}"
    return CorpusLevelMetric(
        name, sample_level_fn=GenerativePreparator(), corpus_level_fn=_Corpus(configured_metric), **settings
    )


def sample_metric(metric: str | Metric, **options: Any) -> SampleLevelMetric:
    """Return the mean of the segments' primary scores as a metric of lighteval: its details have each of them."""
    # A segment has no interval.
    metric, options = take_options(metric, options)
    configured_metric = with_intervals(metric, {**options, "confidence_level": None})
    settings = {"higher_is_better": configured_metric.higher_is_better, "category": SamplingMethod.GENERATIVE}
    name = f"tercet_{configured_metric.primary}_segment_mean"
    return SampleLevelMetric(name, sample_level_fn=_Segments(configured_metric), corpus_level_fn=np.mean, **settings)
