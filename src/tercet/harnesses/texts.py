"""What the adapters share: a metric with intervals, and the scores of a corpus as flat numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tercet.api import make_scorer
from tercet.errors import InputError, shorten
from tercet.metric.metric import Metric
from tercet.metric.scorer import segment_lists
from tercet.metric.scoring import summarize, warn
from tercet.result import Result
from tercet.statistics.bootstrap import bootstrap
from tercet.statistics.stats import SegmentStats


def with_intervals(metric: str | Metric, options: Mapping[str, Any]) -> Metric:
    """Return a metric whose results have intervals, of 95 % where neither it nor an option says otherwise."""
    level = metric.asked.confidence_level if isinstance(metric, Metric) else None
    return make_scorer(metric, {"confidence_level": level or 0.95, **options})


def corpus_scores(metric: Metric, predictions: Sequence[str], references: Sequence[Any] | None) -> Result:
    """Return the scores of a corpus, each with its standard error and the ends of its interval."""
    stats, asked = metric.stats(predictions, references), metric.asked
    warn(metric, metric.score_warning(stats.sums() if metric.in_floats else stats.total()))
    result = summarize(metric, stats)
    if asked.confidence_level is None:
        return flat(metric, result, {})
    kept = stats.selected(stats.column("items") > 0)
    found = bootstrap(metric, kept, n_resamples=asked.n_resamples, seed=asked.seed)
    return flat(metric, result, {name: each.standard_error for name, each in found.items()})


#: The same for harnesses that ask for number after number of one corpus, whose texts are tuples here.
corpus_scores_once = lru_cache(maxsize=1)(corpus_scores)


def flat(metric: Metric, result: Result, errors: Mapping[str, float]) -> Result:
    """Return only the scores of a result, with the standard errors and the ends of the intervals that there are."""
    found = {}
    for name in metric.score_names:
        found[name] = result[name]
        if name in errors:
            found[f"{name}_stderr"] = errors[name]
        if result.intervals:
            found[f"{name}_low"], found[f"{name}_high"] = result.intervals[name]
    return result.with_keys(found)


def score_keys(metric: Metric) -> list[str]:
    """Return the names of what :func:`corpus_scores` gives."""
    ends = ("", "_stderr", "_low", "_high") if metric.asked.confidence_level is not None else ("",)
    return [f"{name}{end}" for name in metric.score_names for end in ends]


def segment_scores(metric: Metric, stats: SegmentStats) -> tuple[list[float | None], str]:
    """Return the primary score of each item, None for one that the options leave out, and how they were scored."""
    names = dict(zip(metric.score_names, metric.segment_names, strict=True))
    notes = metric.notes(stats.span("references")) | ({"seg": metric.segment_rule} if metric.segment_rule else {})
    return segment_lists(metric, stats)[names[metric.primary]], str(stats.signature.extended(notes))


def segment_score(metric: Metric, prediction: str, references: str | Sequence[str]) -> tuple[float | None, str]:
    """Return the same of an item by itself."""
    (score,), signature = segment_scores(metric, metric.stats([prediction], [references]))
    return score, signature


def only(texts: Sequence[str]) -> str:
    """Return the one prediction of an item; InputError where a harness sampled several."""
    if len(texts) != 1 or not isinstance(texts[0], str):
        raise InputError(f"A corpus has one prediction per item, got {shorten(texts)}: ask the model for one.")
    return texts[0]
