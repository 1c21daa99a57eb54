"""``--fail-under`` and ``--fail-if-worse``: thresholds, so that a command exits with 1 if a system became worse."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import typer

from tercet.comparison.gates.completeness import MOST_MISSING, too_many_gaps
from tercet.comparison.inputs.defaults import default_metrics
from tercet.comparison.specs.metric_specs import label, label_of, metric_of
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, counted, joined, visible
from tercet.specs import split_metric
from tercet.table_formats import decimals

from .job_summary import append_to_job_summary

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable
    from tercet.test_sets.test_set import TestSet


class Threshold(NamedTuple):
    """The name of a score, or of a metric for its primary score, and the worst value or greatest loss allowed."""

    name: str
    value: float


class Finding(NamedTuple):
    """What fails or passes in a test set."""

    test_set: str
    line: str


class Findings(NamedTuple):
    """All that fails, and all that passes."""

    failed: list[Finding]
    passed: list[Finding]


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

    def decide(self, comparisons: Sequence[Comparison], results: Sequence[Comparison]) -> None:
        """Say what passed and failed, also in the summary of a job; exit with code 1 if anything failed."""
        if not self.is_set:
            return
        findings = self.findings(comparisons)
        lines = [f"passed: {finding.test_set}: {finding.line}" for finding in findings.passed]
        lines += [f"failed: {finding.test_set}: {finding.line}" for finding in findings.failed]
        if len(comparisons) > 1:
            lines.append(_over_all(comparisons, findings.failed))
        for line in lines:
            typer.echo(visible(line), err=True)
        append_to_job_summary(results, lines)
        if findings.failed:
            raise typer.Exit(1)

    def findings(self, comparisons: Sequence[Comparison]) -> Findings:
        """Return what fails, in the order of its reasons, and what passes."""
        lacking = self._lacking(comparisons)
        losses = losses_in_words(self.margins, comparisons, lacking)
        failed = [
            *_absent(comparisons),
            *self._not_gated(comparisons),
            *lacking.values(),
            *failures(self.thresholds, comparisons),
            *losses.failed,
        ]
        return Findings(failed, losses.passed)

    def _not_gated(self, comparisons: Sequence[Comparison]) -> Iterator[Finding]:
        """Yield each test set that has none of the scores that are named: of it nothing is known."""
        names = dict.fromkeys(shorten(threshold.name) for threshold in (*self.thresholds, *self.margins))
        for comparison in comparisons:
            if not self._tables(comparison):
                scores = joined(comparison.score_labels(), MOST_NAMED)
                gated = joined(list(names), MOST_NAMED)
                yield Finding(
                    comparison.test_set.name, f"not gated: its scores are {scores}, and the gate names {gated}."
                )

    def _tables(self, comparison: Comparison) -> list[ScoreTable]:
        """Return the scores of a test set that are named."""
        named = [
            *_gated_scores("--fail-under", self.thresholds, [comparison]),
            *_gated_scores("--fail-if-worse", self.margins, [comparison]),
        ]
        return [score.table for score in named]

    def _lacking(self, comparisons: Sequence[Comparison]) -> dict[tuple[str, str], Finding]:
        """Return each test set and system that lacks too much; margins alone are for new systems."""
        lacking: dict[tuple[str, str], Finding] = {}
        for comparison in comparisons:
            name = comparison.test_set.name
            # What is missing fails in a test set that has none of the scores, too.
            tables = self._tables(comparison) or comparison.tables
            for gaps in too_many_gaps(comparison, tables, self.most_missing):
                if self.thresholds or gaps.system not in comparison.outputs_of_baseline:
                    lacking[name, gaps.system] = Finding(name, gaps.in_words(self.most_missing))
        return lacking


def _over_all(comparisons: Sequence[Comparison], failed: Sequence[Finding]) -> str:
    """Return the line that says in how many of several test sets anything fails."""
    failing_names = {finding.test_set for finding in failed}
    names = [comparison.test_set.name for comparison in comparisons]
    failing = [name for name in names if name in failing_names]
    if not failing:
        return f"passed: over all: all {len(names)} test sets."
    return f"failed: over all: {len(failing)} of {len(names)} test sets: {joined(failing, MOST_NAMED)}."


def _absent(comparisons: Sequence[Comparison]) -> Iterator[Finding]:
    """Yield each output that a test set lacks, though it has others that are in the same sets as it."""
    sets_of: dict[str, set[str]] = {}
    for comparison in comparisons:
        for output in comparison.test_set.systems:
            sets_of.setdefault(output, set()).add(comparison.test_set.name)
    for comparison in comparisons:
        name = comparison.test_set.name
        here = comparison.test_set.systems
        for output, sets in sets_of.items():
            # Sets of other systems altogether, as of other languages, lack nothing.
            if name not in sets and any(sets_of[present] & sets for present in here):
                n_segments = counted(comparison.test_set.n_segments, "segment")
                yield Finding(name, f"{shorten(output)} is missing: all {n_segments}.")


class _NamedScore(NamedTuple):
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
        if "=" in text and not _find_scores(margin.name, scores):
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
    metric_with: dict[_NamedScore, Metric] = {}
    for metric in defaults:
        for score in _scores_of([metric]):
            metric_with[score] = metric
    scores = list(metric_with)
    named: list[Metric] = []
    for text in texts:
        names = _possible_names(text)
        of_defaults: list[Metric] = []
        for name in names:
            of_defaults += [metric_with[scores[index]] for index in _find_scores(name, scores)]
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


def _scores_of(metrics: Iterable[Metric]) -> list[_NamedScore]:
    return [
        _NamedScore(label_of(metric), name, name == metric.primary)
        for metric in metrics
        for name in metric.score_names
    ]


def _check_name(option: str, name: str, metrics: Sequence[Metric]) -> None:
    scores = _scores_of(metrics)
    if not _find_scores(name, scores):
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


def failures(thresholds: Sequence[Threshold], comparisons: Iterable[Comparison]) -> Iterator[Finding]:
    """Yield each score of a system that is worse than its threshold."""
    for score in _gated_scores("--fail-under", thresholds, comparisons):
        name = score.comparison.test_set.name
        _check_limit(score.table, score.limit)
        for system, why in _systems_beyond(score.table, score.limit):
            yield Finding(name, f"the system {shorten(system)}: {score.label} is {why}")


def losses_in_words(
    margins: Sequence[Threshold], comparisons: Sequence[Comparison], lacking: Container[tuple[str, str]] = ()
) -> Findings:
    """Return each system and score that fails against the baseline, and each that does not.

    Nothing passes of what is `lacking`: the names of a test set and a system.
    """
    findings = Findings([], [])
    if not margins:
        return findings
    # Here, as most commands have no gate.
    from tercet.comparison.gates.gate import Question, losses_of_all

    scores = _gated_scores("--fail-if-worse", margins, comparisons)
    questions = [Question(score.comparison, score.table, score.limit) for score in scores]
    for comparison, loss in losses_of_all(questions):
        name = comparison.test_set.name
        finding = Finding(name, f"{shorten(loss.system)} against {shorten(loss.baseline)}: {loss}")
        outputs = comparison.runs.get(loss.system, [loss.system])
        if loss.failed:
            findings.failed.append(finding)
        elif not any((name, output) in lacking for output in outputs):
            findings.passed.append(finding)
    return findings


class _GatedScore(NamedTuple):
    """A score that a threshold or a margin names."""

    comparison: Comparison
    table: ScoreTable
    label: str
    #: The worst value, or the greatest loss allowed.
    limit: float


def _gated_scores(
    option: str, thresholds: Sequence[Threshold], comparisons: Iterable[Comparison]
) -> Iterator[_GatedScore]:
    """Yield the scores that thresholds name."""
    from tercet.comparison.gates.checks import check_gated

    for comparison in comparisons:
        scores = [
            _NamedScore(table.metric, table.name, table.name == table.scorer.primary) for table in comparison.tables
        ]
        labels = comparison.score_labels()
        for threshold in thresholds:
            for index in _find_scores(threshold.name, scores):
                table = comparison.tables[index]
                check_gated(table, comparison.test_set, f"{option} {threshold.name}")
                yield _GatedScore(comparison, table, labels[index], threshold.value)


def _check_limit(table: ScoreTable, limit: float) -> None:
    """Refuse a share of 1 as the limit of answers in percent; warn of one for a metric, which may score so little."""
    # Here, as most commands have no gate.
    from tercet.comparison.gates.gate import warn_of_limit

    threshold = f"--fail-under {table.name}={limit:g}"
    are_answers = isinstance(table.scorer, Column) and table.scorer.scale == 100
    if are_answers and 0 < limit <= 1:
        raise OptionError(
            f"{threshold}: {table.name} is in percent here, as all its numbers are 0 or 1. "
            f"Give {table.name}={100 * limit:g}."
        )
    warn_of_limit(table, limit, threshold)


def _systems_beyond(table: ScoreTable, limit: float) -> Iterable[tuple[str, str]]:
    """Yield the systems beyond a limit, and by how much; NaN counts as beyond."""
    side = "above"
    expected = "less"
    if table.higher_is_better:
        side = "below"
        expected = "more"
    for row in table.rows:
        loss = row.value - limit
        if table.higher_is_better:
            loss = limit - row.value
        if math.isnan(row.value):
            yield row.system, f"NaN, not a number: expected {limit:g} or {expected}."
        elif loss > 0:
            apart = f"{loss:.{row.digits}f}"
            if loss < 0.5 / 10**row.digits:
                apart = f"{loss:.1g}"
            yield row.system, f"{decimals(row.value, row.digits)}, {side} {limit:g} by {apart}."


def _find_scores(name: str, scores: Sequence[_NamedScore]) -> list[int]:
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
