"""``--fail-under``: thresholds, so that a command fails if a system became worse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tercet.comparison.metric_specs import MetricSpec, parse_metric
from tercet.comparison.scores import Comparison, ScoreTable
from tercet.errors import OptionError, did_you_mean, shorten


class Threshold(NamedTuple):
    """The name of a score, or of a metric for its primary score, and the worst value allowed."""

    name: str
    value: float


class _Score(NamedTuple):
    """A score of a metric with options, and whether it is the metric's primary one."""

    metric: str
    name: str
    is_primary: bool


def read_thresholds(written: Sequence[str] | None, metrics: Iterable[MetricSpec]) -> list[Threshold]:
    """Return the thresholds given as ``METRIC=VALUE``; unknown names are refused."""
    found = []
    for text in written or ():
        name, _, value = text.rpartition("=")
        try:
            threshold = Threshold(name.strip(), float(value))
        except ValueError:
            threshold = Threshold("", math.nan)
        if not threshold.name or not math.isfinite(threshold.value):
            raise OptionError(f"--fail-under takes METRIC=VALUE, such as bleu=30. Got {shorten(text)} instead.")
        found.append(threshold)
    scorers = [(spec.label, spec.scorer(scale=100)) for spec in metrics] if found else []
    scores = [_Score(label, name, name == each.primary) for label, each in scorers for name in each.score_names]
    for name, _ in found:
        if not _meant(name, scores):
            known = dict.fromkeys(score.name for score in scores)
            raise OptionError(
                f"--fail-under: no score is called {shorten(name)} with these metrics. {did_you_mean(name, known)}"
            )
    return found


def failures(thresholds: Iterable[Threshold], comparisons: Iterable[Comparison]) -> list[str]:
    """Return a line for each score of a system that is worse than its threshold."""
    lines = []
    for comparison in comparisons:
        scores = [_Score(t.metric, t.name, t.name == t.scorer.primary) for t in comparison.tables]
        labels = comparison.score_labels()
        for threshold in thresholds:
            for index in _meant(threshold.name, scores):
                for system, why in _worse(comparison.tables[index], threshold.value):
                    name = f"{comparison.test_set.name}: the system {shorten(system)}"
                    lines.append(f"{name}: {labels[index]} is {why}")
    return lines


def _worse(table: ScoreTable, limit: float) -> Iterable[tuple[str, str]]:
    """Yield the systems beyond a limit, and by how much; NaN counts as beyond."""
    way = "below" if table.higher_is_better else "above"
    for row in table.rows:
        if math.isnan(row.value):
            yield row.system, f"NaN, not a number: expected {limit:g} or {'more' if way == 'below' else 'less'}."
        elif not (row.value >= limit if table.higher_is_better else row.value <= limit):
            by = abs(row.value - limit)
            yield row.system, f"{row.value:.2f}, {way} {limit:g} by {by:{'.2f' if by >= 0.005 else '.1g'}}."


def _meant(name: str, scores: Sequence[_Score]) -> list[int]:
    """Return the scores with this name, or the primary ones of a metric with this name."""
    named = [index for index, score in enumerate(scores) if name in (score.name, f"{score.metric} {score.name}")]
    try:
        metric = parse_metric(name).label  # its name in tables
    except OptionError:  # not a metric: the name of a score, or a typo
        metric = name
    return named or [
        index
        for index, score in enumerate(scores)
        if score.is_primary and metric in (score.metric, score.metric.partition(":")[0])
    ]
