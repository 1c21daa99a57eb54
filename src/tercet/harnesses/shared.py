"""What the adapters share: a metric with intervals, and the scores of a corpus as flat numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.scoring import segment_lists, summarize, warn_of
from tercet.comparison.result import Comparison
from tercet.errors import InputError, shorten
from tercet.result import Result
from tercet.specs import take_options
from tercet.statistics.clusters import Clusters
from tercet.statistics.intervals import bootstrap
from tercet.statistics.stats import SegmentStats


def with_intervals(metric: str | Metric, options: Mapping[str, Any]) -> Metric:
    """Return a metric whose results have intervals, of 95 % where neither it nor an option says otherwise."""
    metric, options = take_options(metric, options)
    level = metric.asked.confidence_level if isinstance(metric, Metric) else None
    return make_scorer(metric, {"confidence_level": level or 0.95, **options})


def corpus_scores(
    metric: Metric, predictions: Sequence[str], references: Sequence[Any] | None, samples: Sequence[Any] | None = None
) -> Result:
    """Return the scores of a corpus, each with its standard error and the ends of its interval.

    Predictions with the same label in `samples`, as those of a sample's epochs, are resampled together.
    """
    has_repeats = samples is not None and len(set(samples)) < len(samples)
    clusters = Clusters.of(samples, len(predictions)) if has_repeats else None
    stats, options = metric.stats(predictions, references), metric.asked
    warn_of(metric, metric.score_warning(stats.total()))
    result = summarize(metric, stats, clusters)
    if options.confidence_level is None:
        return flat(metric, result, {})
    is_scored = stats.column("items") > 0
    units = stats.selected(is_scored)
    if clusters is not None:
        units = clusters.selected(is_scored).stats(units)
    intervals = bootstrap(metric, units, n_resamples=options.n_resamples, seed=options.seed)
    return flat(metric, result, {name: interval.standard_error for name, interval in intervals.items()})


def scores_of_repeats(metric: Metric, answers: Sequence[Sequence[str]], references: Sequence[Any]) -> Result:
    """Return :func:`corpus_scores` of samples, each with one answer, or with several as of repeats."""
    samples = [number for number, texts in enumerate(answers) for _ in texts]
    texts = [text for answers_of_sample in answers for text in answers_of_sample]
    return corpus_scores(metric, texts, [references[number] for number in samples], samples)


#: For harnesses that ask for the numbers of a corpus one by one: it is scored once. Texts must be tuples, as keys.
corpus_scores_once = lru_cache(maxsize=1)(corpus_scores)
scores_of_repeats_once = lru_cache(maxsize=1)(scores_of_repeats)


def flat(metric: Metric, result: Result, errors: Mapping[str, float]) -> Result:
    """Return only the scores of a result, with the standard errors and the ends of the intervals that there are."""
    numbers = {}
    for name in metric.score_names:
        numbers[name] = result[name]
        if name in errors:
            numbers[f"{name}_stderr"] = errors[name]
        if result.intervals:
            numbers[f"{name}_low"], numbers[f"{name}_high"] = result.intervals[name]
    return result.with_keys(numbers)


def score_keys(metric: Metric) -> list[str]:
    """Return the names of what :func:`corpus_scores` gives."""
    ends = ("", "_stderr", "_low", "_high") if metric.asked.confidence_level is not None else ("",)
    return [f"{name}{end}" for name in metric.score_names for end in ends]


def segment_scores(metric: Metric, stats: SegmentStats) -> tuple[list[float | None], str]:
    """Return the primary score of each item, None for one that the options leave out, and how they were scored."""
    names = dict(zip(metric.score_names, metric.segment_names, strict=True))
    notes = metric.notes(stats.span("references"), segments=True)
    return segment_lists(metric, stats)[names[metric.primary]], str(stats.signature.extended(notes))


def segment_score(metric: Metric, prediction: str, references: str | Sequence[str]) -> tuple[float | None, str]:
    """Return the primary score of an item by itself, and how it was scored."""
    (score,), signature = segment_scores(metric, metric.stats([prediction], [references]))
    return score, signature


def only(texts: Sequence[str]) -> str:
    """Return the one prediction of an item; InputError where a harness sampled several."""
    if len(texts) != 1 or not isinstance(texts[0], str):
        raise InputError(f"A segment has one prediction, got {shorten(texts)}: ask the model for one.")
    return texts[0]


def answers_of(texts: Sequence[Any]) -> tuple[str, ...]:
    """Return the predictions of a sample: one, or one for each time that a harness asked."""
    answers = texts[0] if len(texts) == 1 and isinstance(texts[0], list | tuple) else texts
    if not answers or not all(isinstance(text, str) for text in answers):
        raise InputError(f"Expected the texts that a model wrote for a sample, got {shorten(texts)}.")
    return tuple(answers)


# What loggers are given: the numbers of a result or a comparison, and tables.

Table = Callable[[list[str], list[list[Any]]], Any]


def entries(scores: Result | Comparison, table: Table) -> dict[str, Any]:
    """Return what to log, with the tables that a logger makes of names of columns and rows."""
    return _of_comparison(scores, table) if isinstance(scores, Comparison) else _of_result(scores, table)


def _of_result(result: Result, table: Table) -> dict[str, Any]:
    numbers = {name: value for name, value in result.items() if isinstance(value, int | float)}
    for name, (low, high) in (result.intervals or {}).items():
        numbers |= {f"{name}_low": low, f"{name}_high": high}
    log_entries = {**numbers, "signature": result.signature}
    if result.segments:
        rows = zip(*result.segments.values(), strict=True)
        log_entries["segments"] = table(
            ["segment", *result.segments], [[number, *row] for number, row in enumerate(rows, start=1)]
        )
    return {f"{result.metric}/{name}": value for name, value in log_entries.items()}


def _of_comparison(comparison: Comparison, table: Table) -> dict[str, Any]:
    log_entries: dict[str, Any] = {}
    for label, score_table in zip(comparison.score_labels(), comparison.tables, strict=True):
        log_entries[f"{label}/signature"] = score_table.signature
        for row in score_table.rows:
            numbers = {"": row.value, "_low": row.low, "_high": row.high, "_adjusted_pvalue": row.adjusted_pvalue}
            log_entries |= {
                f"{row.system}/{label}{end}": value for end, value in numbers.items() if value is not None
            }
    records, test_set = comparison.records(), comparison.test_set
    log_entries["systems"] = table(list(records[0]), [list(record.values()) for record in records])
    labels = comparison.score_labels()
    scores = {label: score_table.segments for label, score_table in zip(labels, comparison.tables, strict=True)}
    rows = []
    for number, references in enumerate(test_set.references):
        for system, predictions in test_set.systems.items():
            values = [values_by_system[system][number] for values_by_system in scores.values()]
            rows.append([number + 1, system, *values, predictions[number], "\n".join(references)])
    log_entries["segments"] = table(["segment", "system", *scores, "prediction", "references"], rows)
    return log_entries
