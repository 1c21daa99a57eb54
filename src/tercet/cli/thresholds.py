"""``--fail-under``: the least that scores must be, so that a command fails where a system became worse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tercet.comparison.metric_specs import MetricSpec, parse_metric
from tercet.comparison.scores import Comparison, ScoreTable, SystemScore
from tercet.core.scorer import Scorer
from tercet.errors import OptionError, did_you_mean, shorten


class Threshold(NamedTuple):
    """The name of a score, or of a metric, whose primary score is meant; and the worst value that is allowed."""

    name: str
    value: float


class _Score(NamedTuple):
    """A score of a metric with options, and whether it is the one that the metric sorts systems by."""

    metric: str
    name: str
    is_primary: bool


def read_thresholds(written: Sequence[str] | None, metrics: Iterable[MetricSpec]) -> list[Threshold]:
    """Return the thresholds that ``METRIC=VALUE`` texts stand for.

    Raises
    ------
    OptionError
        For a text of another form, and for a name that no score of these metrics has.

    Examples
    --------
    >>> read_thresholds(["bleu=30", "rouge=45.5"], [MetricSpec("bleu", {}), MetricSpec("rouge", {})])
    [Threshold(name='bleu', value=30.0), Threshold(name='rouge', value=45.5)]
    """
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
    scores = [each for spec in metrics for each in _scores(spec.label, spec.scorer(scale=100))] if found else []
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
                table, label = comparison.tables[index], labels[index]
                lines += [
                    f"{comparison.test_set.name}: the system {shorten(row.system)}: "
                    f"{_told(label, table, row, threshold)}"
                    for row in table.rows
                    if not _is_reached(table, row, threshold)
                ]
    return lines


def _scores(label: str, scorer: Scorer) -> list[_Score]:
    return [_Score(label, name, name == scorer.primary) for name in scorer.score_names]


def _meant(name: str, scores: Sequence[_Score]) -> list[int]:
    """Return which scores a name stands for: those of this name, or the primary ones of a metric of this name."""
    named = [index for index, score in enumerate(scores) if name in (score.name, f"{score.metric} {score.name}")]
    metric = _label(name)
    return named or [
        index
        for index, score in enumerate(scores)
        if score.is_primary and metric in (score.metric, score.metric.partition(":")[0])
    ]


def _label(name: str) -> str:
    """Return how tables name a metric that was written as --metric takes it."""
    try:
        return parse_metric(name).label
    except OptionError:  # no metric: the name of a score, or a mistake
        return name


def _is_reached(table: ScoreTable, row: SystemScore, threshold: Threshold) -> bool:
    """Return whether a score is good enough; what is no number is not."""
    return row.value >= threshold.value if table.higher_is_better else row.value <= threshold.value


def _told(label: str, table: ScoreTable, row: SystemScore, threshold: Threshold) -> str:
    by = abs(row.value - threshold.value)
    way = "below" if table.higher_is_better else "above"
    written = f"{by:.2f}" if by >= 0.005 else f"{by:.1g}"
    return f"{label} is {row.value:.2f}, {way} {threshold.value:g} by {written}."
