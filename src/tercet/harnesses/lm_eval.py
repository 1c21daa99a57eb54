"""lm-evaluation-harness: a metric that keeps each item's texts, and an aggregation that scores them as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tercet.errors import InputError, needs
from tercet.metric.metric import Metric

from .texts import answers_of, score_keys, scores_of_repeats_once, with_intervals

needs("tercet.harnesses.lm_eval", "", "lm_eval", package="lm-eval")

from lm_eval.api.registry import register_aggregation, register_metric


@dataclass(frozen=True)
class _Item:
    metric: Metric
    __name__: str  # lm-eval asks functions for theirs

    def __call__(self, references: Sequence[Any], predictions: Sequence[Any]) -> dict[str, Any]:
        golds = references[0] if isinstance(references[0], str) else tuple(references[0])
        return {f"tercet_{key}": (key, answers_of(predictions), golds) for key in score_keys(self.metric)}


@dataclass(frozen=True)
class _Corpus(_Item):  # one for each name, which lm-eval looks up by it
    def __call__(self, items: Sequence[Any]) -> float:  # type: ignore[override]
        if not all(isinstance(each, tuple) for each in items):
            raise InputError(
                "lm-eval gives a metric the targets of an item one by one, and keeps none: give the task a "
                "process_results that returns metric(references=[targets], predictions=results)."
            )
        keys, answers, references = zip(*items, strict=True)
        return float(scores_of_repeats_once(self.metric, answers, references)[keys[0]])


def register(metric: str | Metric, **options: Any) -> _Item:
    """Register a metric as ``tercet_<score>``, and return it for ``metric: !function``, or for a ``process_results``.

    Parameters
    ----------
    metric : str or Metric
    **options
        As for :func:`tercet.scorer`; ``confidence_level`` is 0.95 unless given.
    """
    value = with_intervals(metric, options)
    keys = score_keys(value)
    made = _Item(value, f"tercet_{keys[0]}")
    for name in [f"tercet_{key}" for key in keys]:
        register_aggregation(name)(_Corpus(value, name))
        register_metric(metric=name, higher_is_better=value.higher_is_better, aggregation=name)(made)
    return made
