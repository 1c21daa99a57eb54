"""lm-evaluation-harness: a metric that keeps each item's texts, and an aggregation that scores them as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from tercet.base.metric import Metric
from tercet.errors import InputError, needs

from .shared import answers_of, score_keys, scores_of_repeats_once, with_intervals

needs("tercet.harnesses.lm_eval", "", "lm_eval", package="lm-eval")

from lm_eval.api.registry import register_aggregation, register_metric


class _ItemTexts(tuple[Any, ...]):
    """A score's name, the answers of an item and its targets, which wait for those of all other items.

    Where a task's process_results returns scores that its metric_list does not name, lm-eval takes the mean of their
    items, which is their sum by their number: it is the score of the corpus here.
    """

    metric: Metric

    def __radd__(self, start: int) -> _Sum:
        return _Sum([self])

    def __sub__(self, mean: float) -> float:
        # lm-eval subtracts the "mean" of items for its standard error, which the score of a corpus does not have.
        return nan


class _Sum(list[_ItemTexts]):
    def __add__(self, texts: _ItemTexts) -> _Sum:  # type: ignore[override]
        self.append(texts)
        return self

    def __truediv__(self, number: int) -> float:
        return corpus_score(self[0].metric, self)


def corpus_score(metric: Metric, items: Sequence[Any]) -> float:
    """Return the score that the items name, of the corpus that they are."""
    keys, answers, references = zip(*items, strict=True)
    return float(scores_of_repeats_once(metric, answers, references)[keys[0]])


@dataclass(frozen=True)
class _Item:
    metric: Metric
    #: lm-eval asks functions for their names.
    __name__: str

    def __call__(self, references: Sequence[Any], predictions: Sequence[Any]) -> dict[str, Any]:
        golds = references[0] if isinstance(references[0], str) else tuple(references[0])
        answers, scores = answers_of(predictions), {}
        for key in score_keys(self.metric):
            scores[f"tercet_{key}"] = texts = _ItemTexts((key, answers, golds))
            texts.metric = self.metric
        return scores


@dataclass(frozen=True)
class _Corpus(_Item):
    """An aggregation: one for each name, by which lm-eval looks it up."""

    def __call__(self, items: Sequence[Any]) -> float:  # type: ignore[override]
        if not all(isinstance(item, tuple) for item in items):
            raise InputError(
                "lm-eval gives a metric the targets of an item one by one, and keeps none: give the task a "
                "process_results that returns metric(references=[targets], predictions=results)."
            )
        return corpus_score(self.metric, items)


def register(metric: str | Metric, **options: Any) -> _Item:
    """Register a metric as ``tercet_<score>``, and return it for ``metric: !function``, or for a ``process_results``.

    Parameters
    ----------
    metric : str or Metric
    **options
        As for :func:`tercet.scorer`; ``confidence_level`` is 0.95 unless given.
    """
    configured_metric = with_intervals(metric, options)
    keys = score_keys(configured_metric)
    registered_metric = _Item(configured_metric, f"tercet_{keys[0]}")
    for name in [f"tercet_{key}" for key in keys]:
        register_aggregation(name)(_Corpus(configured_metric, name))
        register_metric(metric=name, higher_is_better=configured_metric.higher_is_better, aggregation=name)(
            registered_metric
        )
    return registered_metric
