"""``--fail-under`` and ``--fail-if-worse``: thresholds, so that a command fails if a system became worse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tercet.base.metric import Metric
from tercet.comparison.gate import losses, warn_of_limit
from tercet.comparison.metric_specs import label, label_of
from tercet.comparison.runs import members
from tercet.comparison.scores import Comparison, ScoreTable
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.metrics.column import Column
from tercet.specs import split_metric
from tercet.tables import decimals
from tercet.test_sets.test_set import TestSet


class Threshold(NamedTuple):
    """The name of a score, or of a metric for its primary score, and the worst value or greatest loss allowed."""

    name: str
    value: float


class Gate(NamedTuple):
    """What scores and losses must not exceed, else a command ends with code 1."""

    thresholds: list[Threshold]
    margins: list[Threshold]

    def check(self, test_sets: Iterable[TestSet], runs: str | None, alpha: float) -> None:
        """Refuse margins where there is no other system, and an alpha that no interval has."""
        if not self.margins:
            return
        for test_set in test_sets:
            names = list(test_set.systems)
            systems = names if runs is None else list(members(names, runs))
            if len(systems) < 2:
                system = shorten(systems[0])
                raise OptionError(
                    f"--fail-if-worse: {test_set.name} has one system, {system}, and no other to compare it with."
                )
        if alpha >= 0.5:
            raise OptionError(f"--fail-if-worse needs an --alpha below 0.5. Got {alpha:g} instead.")

    def findings(self, comparisons: Sequence[Comparison]) -> tuple[list[str], list[str]]:
        """Return a line for what fails, and for each comparison with a baseline that does not."""
        failed, passed = losses_in_words(self.margins, comparisons)
        return [*failures(self.thresholds, comparisons), *failed], passed


class _Score(NamedTuple):
    """A score of a metric with options, and whether it is the metric's primary one."""

    metric: str
    name: str
    is_primary: bool


def read_gate(
    threshold_texts: Sequence[str] | None, margin_texts: Sequence[str] | None, metrics: Sequence[Metric]
) -> Gate:
    """Return what ``--fail-under`` and ``--fail-if-worse`` take; unknown names are refused."""
    return Gate(read_thresholds(threshold_texts, metrics), read_margins(margin_texts, metrics))


def read_thresholds(threshold_texts: Sequence[str] | None, metrics: Iterable[Metric]) -> list[Threshold]:
    """Return the thresholds given as ``METRIC=VALUE``; unknown names are refused."""
    scores = _scores_of(metrics)
    thresholds = []
    for text in threshold_texts or ():
        threshold = _threshold(text)
        if threshold is None:
            raise OptionError(f"--fail-under takes METRIC=VALUE, such as bleu=30. Got {shorten(text)} instead.")
        thresholds.append(threshold)
    for threshold in thresholds:
        _check_name("--fail-under", threshold.name, scores)
    return thresholds


def read_margins(margin_texts: Sequence[str] | None, metrics: Iterable[Metric]) -> list[Threshold]:
    """Return the margins given as ``METRIC=MARGIN``, or ``METRIC`` for none; unknown names are refused."""
    scores = _scores_of(metrics)
    margins = []
    for text in margin_texts or ():
        # The options of a metric have "=", too: "chrf:word_order=2" has no margin.
        margin = Threshold(text.strip(), 0.0)
        if "=" in text and not _meant(margin.name, scores):
            with_value = _threshold(text)
            if with_value is None or with_value.value < 0:
                raise OptionError(
                    "--fail-if-worse takes METRIC, or METRIC=MARGIN with the greatest loss allowed, as in chrf=0.3. "
                    f"Got {shorten(text)} instead."
                )
            margin = with_value
        _check_name("--fail-if-worse", margin.name, scores)
        margins.append(margin)
    return margins


def _threshold(text: str) -> Threshold | None:
    name, _, value = text.rpartition("=")
    try:
        threshold = Threshold(name.strip(), float(value))
    except ValueError:
        return None
    return threshold if threshold.name and math.isfinite(float(value)) else None


def _scores_of(metrics: Iterable[Metric]) -> list[_Score]:
    return [
        _Score(label_of(metric), name, name == metric.primary) for metric in metrics for name in metric.score_names
    ]


def _check_name(option: str, name: str, scores: Sequence[_Score]) -> None:
    if not _meant(name, scores):
        score_names = dict.fromkeys(score.name for score in scores)
        raise OptionError(
            f"{option}: no score is called {shorten(name)} with these metrics. {did_you_mean(name, score_names)}"
        )


def failures(thresholds: Iterable[Threshold], comparisons: Iterable[Comparison]) -> list[str]:
    """Return a line for each score of a system that is worse than its threshold."""
    return [
        f"{comparison.test_set.name}: the system {shorten(system)}: {label} is {why}"
        for comparison, table, label, limit in _named(thresholds, comparisons)
        for system, why in _worse(table, limit)
    ]


def losses_in_words(margins: Sequence[Threshold], comparisons: Sequence[Comparison]) -> tuple[list[str], list[str]]:
    """Return a line for each system and score that fails against the baseline, and for each that does not."""
    found = [
        (comparison.test_set.name, loss)
        for comparison, table, _, margin in _named(margins, comparisons)
        for loss in losses(comparison, table, margin)
    ]
    # With a margin, more tests do not make it easier to pass; without one, they fail more often by chance.
    n_tests = sum(not loss.margin for _, loss in found)
    failed: list[str] = []
    passed: list[str] = []
    for name, loss in found:
        heading = f"{name}: {shorten(loss.system)} against {shorten(loss.baseline)}"
        (failed if loss.failed else passed).append(f"{heading}: {replace(loss, n_tests=n_tests)}")
    return failed, passed


def _named(
    thresholds: Iterable[Threshold], comparisons: Iterable[Comparison]
) -> Iterator[tuple[Comparison, ScoreTable, str, float]]:
    """Yield the scores that thresholds name, with their labels and values."""
    thresholds = list(thresholds)
    for comparison in comparisons:
        scores = [_Score(table.metric, table.name, table.name == table.scorer.primary) for table in comparison.tables]
        labels = comparison.score_labels()
        for threshold in thresholds:
            for index in _meant(threshold.name, scores):
                yield comparison, comparison.tables[index], labels[index], threshold.value


def _worse(table: ScoreTable, limit: float) -> Iterable[tuple[str, str]]:
    """Yield the systems beyond a limit, and by how much; NaN counts as beyond."""
    side = "below" if table.higher_is_better else "above"
    if isinstance(table.scorer, Column) and table.scorer.scale == 100 and 0 < limit <= 1:
        raise OptionError(
            f"--fail-under {table.name}={limit:g}: {table.name} is in percent here, as all its numbers are 0 or 1. "
            f"Give {table.name}={100 * limit:g}."
        )
    warn_of_limit(table, limit, f"--fail-under {table.name}={limit:g}")
    for row in table.rows:
        if math.isnan(row.value):
            yield row.system, f"NaN, not a number: expected {limit:g} or {'more' if side == 'below' else 'less'}."
        elif not (row.value >= limit if table.higher_is_better else row.value <= limit):
            gap = abs(row.value - limit)
            apart = f"{gap:.{row.digits}f}" if gap >= 0.5 / 10**row.digits else f"{gap:.1g}"
            yield row.system, f"{decimals(row.value, row.digits)}, {side} {limit:g} by {apart}."


def _meant(name: str, scores: Sequence[_Score]) -> list[int]:
    """Return the scores with this name, or the primary ones of a metric with this name."""
    named_scores = [
        index for index, score in enumerate(scores) if name in (score.name, f"{score.metric} {score.name}")
    ]
    try:
        # A short name becomes the name that tables have.
        cls, options = split_metric(name)
        metric = label(cls.name, options)
    except OptionError:
        # It is no metric: the name of a score, or a typo.
        metric = name
    return named_scores or [
        index
        for index, score in enumerate(scores)
        if score.is_primary and metric in (score.metric, score.metric.partition(":")[0])
    ]
