"""MLflow: a metric for ``mlflow.models.evaluate``, and a scorer for ``mlflow.genai.evaluate``, of whole corpora."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.errors import InputError, needs
from tercet.metric.metric import Metric

from .texts import corpus_scores, corpus_scores_once, score_keys, segment_score, segment_scores, with_intervals

needs("tercet.harnesses.mlflow", "", "mlflow")

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer
from mlflow.genai.scorers import scorer as scorer_of
from mlflow.metrics import MetricValue
from mlflow.metrics import make_metric as make
from mlflow.models import EvaluationMetric


def make_metric(metric: str | Metric, **options: Any) -> EvaluationMetric:
    """Return a metric for ``extra_metrics``: the primary score of each row, and the scores of the corpus."""
    value = with_intervals(metric, options)

    def eval_fn(predictions: Any, targets: Any) -> MetricValue:
        texts = list(predictions), list(targets)
        scores, signature = segment_scores(value, value.stats(*texts))
        return MetricValue(scores, [signature] * len(scores), aggregate_results=dict(corpus_scores(value, *texts)))

    return make(eval_fn=eval_fn, greater_is_better=value.higher_is_better, name=value.name)


def scorer(metric: str | Metric, **options: Any) -> Scorer:
    """Return a scorer of rows against ``expected_response``, and of all rows of a run, in order of their texts."""
    value = with_intervals(metric, options)
    keys = score_keys(value)
    seen: list[tuple[str, Any]] = []  # rows come in threads, in any order

    def score(outputs: Any, expectations: Any) -> Feedback:
        golds = expectations["expected_response"]
        seen.append((outputs, golds if isinstance(golds, str) else tuple(golds)))
        found, signature = segment_score(value, outputs, golds)
        return Feedback(value=found, metadata={"signature": signature})

    def aggregation(key: str) -> Callable[[list[float]], float]:
        def aggregate(values: list[float]) -> float:
            texts = sorted(seen, key=repr)
            if key == keys[-1]:  # MLflow asks for them in turn
                seen.clear()
            if len(texts) != len(values):
                raise InputError(f"{len(texts)} texts for {len(values)} scores: make a scorer for each run.")
            return float(corpus_scores_once(value, *zip(*texts, strict=True))[key])

        aggregate.__name__ = key
        return aggregate

    return scorer_of(score, name=value.name, aggregations=[aggregation(key) for key in keys])
