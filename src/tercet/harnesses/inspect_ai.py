"""inspect-ai: a scorer of single answers, whose metric is the score of the corpus that they are."""

from __future__ import annotations

from typing import Any

from tercet.errors import needs
from tercet.metric.metric import Metric

from .texts import corpus_scores, segment_score, with_intervals

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
    value = with_intervals(metric, options)

    @inspect.metric(value.name, scores="unreduced")
    def corpus() -> inspect.Metric:
        def compute(scores: list[SampleScore]) -> Value:
            answers = [each.score.answer or "" for each in scores]
            targets = [(each.score.metadata or {})["target"] for each in scores]
            ids = [each.sample_id for each in scores]
            return dict(corpus_scores(value, answers, targets, None if None in ids else ids))

        return compute

    @inspect.scorer(metrics=[corpus()], name=value.name)
    def segments(metric: str, **options: Any) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            answer, targets = state.output.completion, list(target)
            found, signature = segment_score(value, answer, targets)
            about = {"target": targets, "signature": signature}
            return Score(value=float("nan") if found is None else found, answer=answer, metadata=about)

        return score

    return segments(value.name, **{**value.given, **value.asked.given})
