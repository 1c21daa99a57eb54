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
from tercet.statistics.clusters import Clusters
from tercet.statistics.stats import SegmentStats


def with_intervals(metric: str | Metric, options: Mapping[str, Any]) -> Metric:
    """Return a metric whose results have intervals, of 95 % where neither it nor an option says otherwise."""
    level = metric.asked.confidence_level if isinstance(metric, Metric) else None
    return make_scorer(metric, {"confidence_level": level or 0.95, **options})


def corpus_scores(
    metric: Metric, predictions: Sequence[str], references: Sequence[Any] | None, samples: Sequence[Any] | None = None
) -> Result:
    """Return the scores of a corpus, each with its standard error and the ends of its interval.

    Predictions with the same label in `samples`, as those of a sample's epochs, are resampled together.
    """
    repeated = samples is not None and len({*samples}) < len(samples)
    clusters = Clusters.of(samples, len(predictions)) if repeated else None
    stats, asked = metric.stats(predictions, references), metric.asked
    warn(metric, metric.score_warning(stats.sums() if metric.in_floats else stats.total()))
    result = summarize(metric, stats, clusters)
    if asked.confidence_level is None:
        return flat(metric, result, {})
    kept = stats.column("items") > 0
    units = stats.selected(kept)
    if clusters is not None:
        units = clusters.selected(kept).stats(units)
    found = bootstrap(metric, units, n_resamples=asked.n_resamples, seed=asked.seed)
    return flat(metric, result, {name: each.standard_error for name, each in found.items()})


def scores_of_repeats(metric: Metric, answers: Sequence[Sequence[str]], references: Sequence[Any]) -> Result:
    """Return the same of samples, each with one answer, or with several as of repeats."""
    samples = [number for number, texts in enumerate(answers) for _ in texts]
    texts = [text for several in answers for text in several]
    return corpus_scores(metric, texts, [references[number] for number in samples], samples)


#: The same for harnesses that ask for number after number of one corpus, whose texts are tuples here.
corpus_scores_once = lru_cache(maxsize=1)(corpus_scores)
scores_of_repeats_once = lru_cache(maxsize=1)(scores_of_repeats)


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
        raise InputError(f"A segment has one prediction, got {shorten(texts)}: ask the model for one.")
    return texts[0]


def answers_of(texts: Sequence[Any]) -> tuple[str, ...]:
    """Return the predictions of a sample: one, or one for each time that a harness asked."""
    flat = texts[0] if len(texts) == 1 and isinstance(texts[0], list | tuple) else texts
    if not flat or not all(isinstance(text, str) for text in flat):
        raise InputError(f"Expected the texts that a model wrote for a sample, got {shorten(texts)}.")
    return tuple(flat)
