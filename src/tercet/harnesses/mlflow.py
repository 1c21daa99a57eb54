"""MLflow: a metric for ``mlflow.models.evaluate``, and a scorer for ``mlflow.genai.evaluate``, of whole corpora."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.base.metric import Metric
from tercet.errors import InputError, needs

from .shared import corpus_scores, corpus_scores_once, score_keys, segment_score, segment_scores, with_intervals

needs("tercet.harnesses.mlflow", "", "mlflow")

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer
from mlflow.genai.scorers import scorer as scorer_of
from mlflow.metrics import MetricValue
from mlflow.metrics import make_metric as make
from mlflow.models import EvaluationMetric


def make_metric(metric: str | Metric, **options: Any) -> EvaluationMetric:
    """Return a metric for ``extra_metrics``: the primary score of each row, and the scores of the corpus."""
    configured_metric = with_intervals(metric, options)

    def eval_fn(predictions: Any, targets: Any) -> MetricValue:
        texts = list(predictions), list(targets)
        scores, signature = segment_scores(configured_metric, configured_metric.stats(*texts))
        return MetricValue(
            scores, [signature] * len(scores), aggregate_results=dict(corpus_scores(configured_metric, *texts))
        )

    return make(eval_fn=eval_fn, greater_is_better=configured_metric.higher_is_better, name=configured_metric.name)


def scorer(metric: str | Metric, **options: Any) -> Scorer:
    """Return a scorer of rows against ``expected_response``, and of all rows of a run, in order of their texts."""
    configured_metric = with_intervals(metric, options)
    keys = score_keys(configured_metric)
    # Rows come from threads, in any order: they are sorted before they are scored as a corpus.
    scored_texts: list[tuple[str, Any]] = []

    def score(outputs: Any, expectations: Any) -> Feedback:
        golds = expectations["expected_response"]
        # Tuples, by which the scores of the corpus are looked up.
        scored_texts.append((outputs, golds if isinstance(golds, str) else tuple(golds)))
        segment_value, signature = segment_score(configured_metric, outputs, golds)
        return Feedback(value=segment_value, metadata={"signature": signature})

    def aggregation(key: str) -> Callable[[list[float]], float]:
        def aggregate(values: list[float]) -> float:
            texts = sorted(scored_texts, key=repr)
            # MLflow asks for the keys in turn: after the last, the next run begins.
            if key == keys[-1]:
                scored_texts.clear()
            if len(texts) != len(values):
                raise InputError(f"{len(texts)} texts for {len(values)} scores: make a scorer for each run.")
            return float(corpus_scores_once(configured_metric, *zip(*texts, strict=True))[key])

        aggregate.__name__ = key
        return aggregate

    return scorer_of(score, name=configured_metric.name, aggregations=[aggregation(key) for key in keys])
