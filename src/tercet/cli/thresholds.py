"""``--fail-under``, ``--fail-if-worse`` and ``--max-missing``: texts -> the gate, whose failure is exit code 1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from tercet.comparison.inputs.default_metrics import default_metrics
from tercet.comparison.inputs.settings import MOST_MISSING
from tercet.comparison.specs.metric_specs import label, label_of, metric_of
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.metrics.column import Column
from tercet.specs import split_metric

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.test_sets.test_set import TestSet


class Threshold(NamedTuple):
    """The name of a score, or of a metric for its primary score, and the worst value or greatest loss allowed."""

    name: str
    value: float


class Gate(NamedTuple):
    """What scores and losses must not exceed, else a command ends with code 1."""

    thresholds: list[Threshold]
    margins: list[Threshold]
    most_missing: float = MOST_MISSING

    @property
    def is_set(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.thresholds or self.margins)

    def check(self, test_sets: Iterable[TestSet], runs: str | None, alpha: float) -> None:
        """Refuse margins where there is no other system, and an alpha that no interval has."""
        if not self.margins:
            return
        for test_set in test_sets:
            systems = list(test_set.systems)
            if runs is not None:
                from tercet.comparison.runs.of_systems import members

                systems = list(members(systems, runs))
            if len(systems) < 2:
                system = shorten(systems[0])
                raise OptionError(
                    f"--fail-if-worse: {test_set.name} has one system, {system}, and no other to compare it with."
                )
        if alpha >= 0.5:
            raise OptionError(f"--fail-if-worse needs an --alpha below 0.5. Got {alpha:g} instead.")


class NamedScore(NamedTuple):
    """A score of a metric with options, and whether it is the metric's primary one."""

    metric: str
    name: str
    is_primary: bool


def read_gate(
    threshold_texts: Sequence[str] | None,
    margin_texts: Sequence[str] | None,
    metrics: Sequence[Metric],
    max_missing: str = "",
) -> Gate:
    """Return what ``--fail-under``, ``--fail-if-worse`` and ``--max-missing`` take; unknown names are refused."""
    most_missing = MOST_MISSING
    if max_missing:
        most_missing = _read_share(max_missing)
    return Gate(read_thresholds(threshold_texts, metrics), read_margins(margin_texts, metrics), most_missing)


def _read_share(text: str) -> float:
    """Return a share of 1 that is given in percent."""
    number = text.strip().removesuffix("%").strip()
    try:
        percent = float(number)
    except ValueError:
        percent = math.nan
    if not 0 <= percent <= 100:
        raise OptionError(f"--max-missing takes a percentage from 0 to 100, such as 1%. Got {shorten(text)} instead.")
    return percent / 100


def read_thresholds(threshold_texts: Sequence[str] | None, metrics: Sequence[Metric]) -> list[Threshold]:
    """Return the thresholds given as ``METRIC=VALUE``; unknown names are refused."""
    thresholds = []
    for text in threshold_texts or ():
        threshold = _parse_threshold(text)
        if threshold is None:
            raise OptionError(f"--fail-under takes METRIC=VALUE, such as bleu=30. Got {shorten(text)} instead.")
        thresholds.append(threshold)
    for threshold in thresholds:
        _check_name("--fail-under", threshold.name, metrics)
    return thresholds


def read_margins(margin_texts: Sequence[str] | None, metrics: Sequence[Metric]) -> list[Threshold]:
    """Return the margins given as ``METRIC=MARGIN``, or ``METRIC`` for none; unknown names are refused."""
    scores = _scores_of(metrics)
    margins = []
    for text in margin_texts or ():
        # The options of a metric have "=", too: "chrf:word_order=2" has no margin.
        margin = Threshold(text.strip(), 0.0)
        if "=" in text and not find_scores(margin.name, scores):
            with_value = _parse_threshold(text)
            if with_value is None or with_value.value < 0:
                raise OptionError(
                    "--fail-if-worse takes METRIC, or METRIC=MARGIN with the greatest loss allowed, as in chrf=0.3. "
                    f"Got {shorten(text)} instead."
                )
            margin = with_value
        _check_name("--fail-if-worse", margin.name, metrics)
        margins.append(margin)
    return margins


def metrics_of_gate(
    threshold_texts: Sequence[str] | None, margin_texts: Sequence[str] | None, test_sets: Sequence[TestSet]
) -> list[list[Metric]]:
    """Return the metrics of each test set where none is asked for; an empty list for the default ones.

    The metrics that thresholds and margins name are compared in every test set that has texts, beside the scores that
    came with it.
    """
    defaults = [default_metrics(test_set) for test_set in test_sets]
    texts = [*(threshold_texts or ()), *(margin_texts or ())]
    named = _metrics_named(texts, list(chain.from_iterable(defaults)))
    metrics_of_sets: list[list[Metric]] = []
    for test_set, set_defaults in zip(test_sets, defaults, strict=True):
        metrics = set_defaults
        if named and not test_set.no_texts:
            columns = [metric for metric in set_defaults if isinstance(metric, Column)]
            metrics = [*columns, *named]
        if list(map(label_of, metrics)) == list(map(label_of, set_defaults)):
            metrics = []
        metrics_of_sets.append(metrics)
    return metrics_of_sets


def _metrics_named(texts: Iterable[str], defaults: Sequence[Metric]) -> list[Metric]:
    """Return the metrics of texts that thresholds and margins name, by a name of their own or by that of a score."""
    metric_with: dict[NamedScore, Metric] = {}
    for metric in defaults:
        for score in _scores_of([metric]):
            metric_with[score] = metric
    scores = list(metric_with)
    named: list[Metric] = []
    for text in texts:
        names = _possible_names(text)
        of_defaults: list[Metric] = []
        for name in names:
            of_defaults += [metric_with[scores[index]] for index in find_scores(name, scores)]
        named += of_defaults or _first_metric(names)
    # Several test sets have the same metrics.
    distinct = {label_of(metric): metric for metric in named}
    # Scores that came with texts are not computed for others.
    return [metric for metric in distinct.values() if not isinstance(metric, Column)]


def _possible_names(text: str) -> list[str]:
    """Return what may be the name in ``bleu=30``, or in ``chrf:word_order=2``, where all of it is a metric."""
    threshold = _parse_threshold(text)
    if threshold is None:
        return [text.strip()]
    return [text.strip(), threshold.name]


def _first_metric(names: Sequence[str]) -> list[Metric]:
    """Return the metric of the first name that is one's; none where there is no such name, which is refused later."""
    for name in names:
        try:
            return [metric_of(name)]
        except OptionError:
            continue
    return []


def _parse_threshold(text: str) -> Threshold | None:
    """Return what ``NAME=NUMBER`` says; None where a text is not so."""
    name, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return None
    if not name.strip() or not math.isfinite(value):
        return None
    return Threshold(name.strip(), value)


def _scores_of(metrics: Iterable[Metric]) -> list[NamedScore]:
    return [
        NamedScore(label_of(metric), name, name == metric.primary)
        for metric in metrics
        for name in metric.score_names
    ]


def _check_name(option: str, name: str, metrics: Sequence[Metric]) -> None:
    scores = _scores_of(metrics)
    if not find_scores(name, scores):
        score_names = dict.fromkeys(score.name for score in scores)
        hint = _how_asked_for(name, metrics) or did_you_mean(name, score_names)
        raise OptionError(f"{option}: no score is called {shorten(name)} with these metrics. {hint}")


def _how_asked_for(name: str, metrics: Sequence[Metric]) -> str:
    """Return how a score is asked for that a metric has and tables leave out; "" if there is none."""
    for metric in metrics:
        for option in metric.in_tables:
            if option not in metric.written and name in type(metric)().score_names:
                return f"It is asked for by an option: -m {metric.name}:{option}={name}."
    return ""


def find_scores(name: str, scores: Sequence[NamedScore]) -> list[int]:
    """Return which scores have this name, or are the primary ones of a metric with this name."""
    with_this_name = [
        index for index, score in enumerate(scores) if name in (score.name, f"{score.metric} {score.name}")
    ]
    if with_this_name:
        return with_this_name
    try:
        # A short name becomes the name that tables have.
        cls, options = split_metric(name)
        metric = label(cls.name, options)
    except OptionError:
        # It is no metric: the name of a score, or a typo.
        metric = name
    return [
        index
        for index, score in enumerate(scores)
        if score.is_primary and metric in (score.metric, score.metric.partition(":")[0])
    ]
