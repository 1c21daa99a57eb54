"""inspect-ai: a scorer of single answers, whose metric is the score of the corpus that they are."""

from __future__ import annotations

from typing import Any

from tercet.base.metric import Metric
from tercet.errors import needs

from .shared import corpus_scores, segment_score, with_intervals

needs("tercet.harnesses.inspect_ai", "", "inspect_ai", package="inspect-ai")

import inspect_ai.scorer as inspect
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, Value
from inspect_ai.solver import TaskState


def scorer(metric: str | Metric, **options: Any) -> Scorer:
    """Return a scorer for ``Task(scorer=...)``: scores of answers against all their targets, and of the corpus.

    The log has the corpus score with its standard error and the ends of its interval, the options, and in the
    metadata of each sample the signature. All epochs count as items of the corpus, and
    those of a sample are resampled together.

    Parameters
    ----------
    metric : str or Metric
    **options
        As for :func:`tercet.scorer`; ``confidence_level`` is 0.95 unless given.
    """
    configured_metric = with_intervals(metric, options)

    @inspect.metric(configured_metric.name, scores="unreduced")
    def corpus() -> inspect.Metric:
        def compute(scores: list[SampleScore]) -> Value:
            answers = [sample_score.score.answer or "" for sample_score in scores]
            targets = [(sample_score.score.metadata or {})["target"] for sample_score in scores]
            ids = [sample_score.sample_id for sample_score in scores]
            # Without ids the samples' epochs cannot be told: each answer is a sample of its own.
            return dict(corpus_scores(configured_metric, answers, targets, None if None in ids else ids))

        return compute

    @inspect.scorer(metrics=[corpus()], name=configured_metric.name)
    def segments(metric: str, **options: Any) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            answer, targets = state.output.completion, list(target)
            segment_value, signature = segment_score(configured_metric, answer, targets)
            about = {"target": targets, "signature": signature}
            return Score(
                value=float("nan") if segment_value is None else segment_value, answer=answer, metadata=about
            )

        return score

    # The arguments are for the log of inspect-ai, which shows them as the options of this scorer.
    return segments(configured_metric.name, **configured_metric.all_changed_options)
