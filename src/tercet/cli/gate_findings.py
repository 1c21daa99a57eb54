"""What a gate finds: which thresholds and margins fail or pass, said and put into the exit code."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import typer

from tercet.comparison.gates.checks import check_gated
from tercet.comparison.gates.completeness import too_many_gaps
from tercet.comparison.gates.gate import Question, losses_of_all, warn_of_limit
from tercet.errors import OptionError, shorten
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, counted, joined, visible
from tercet.table_formats import decimals

from .job_summary import append_to_job_summary
from .thresholds import Gate, NamedScore, Threshold, find_scores

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable


class Finding(NamedTuple):
    """What fails or passes in a test set."""

    test_set: str
    line: str


class Findings(NamedTuple):
    """All that fails, and all that passes."""

    failed: list[Finding]
    passed: list[Finding]


def decide(gate: Gate, comparisons: Sequence[Comparison], results: Sequence[Comparison]) -> None:
    """Say what passed and failed, also in the summary of a job; exit with code 1 if anything failed."""
    findings = _findings(gate, comparisons)
    lines = [f"passed: {finding.test_set}: {finding.line}" for finding in findings.passed]
    lines += [f"failed: {finding.test_set}: {finding.line}" for finding in findings.failed]
    if len(comparisons) > 1:
        lines.append(_over_all(comparisons, findings.failed))
    for line in lines:
        typer.echo(visible(line), err=True)
    append_to_job_summary(results, lines)
    if findings.failed:
        raise typer.Exit(1)


def _findings(gate: Gate, comparisons: Sequence[Comparison]) -> Findings:
    """Return what fails, in the order of its reasons, and what passes."""
    lacking = _lacking(gate, comparisons)
    losses = losses_in_words(gate.margins, comparisons, lacking)
    failed = [
        *_absent(comparisons),
        *_not_gated(gate, comparisons),
        *lacking.values(),
        *failures(gate.thresholds, comparisons),
        *losses.failed,
    ]
    return Findings(failed, losses.passed)


def _not_gated(gate: Gate, comparisons: Sequence[Comparison]) -> Iterator[Finding]:
    """Yield each test set that has none of the scores that are named: of it nothing is known."""
    names = dict.fromkeys(shorten(threshold.name) for threshold in (*gate.thresholds, *gate.margins))
    for comparison in comparisons:
        if not _tables(gate, comparison):
            scores = joined(comparison.score_labels(), MOST_NAMED)
            gated = joined(list(names), MOST_NAMED)
            yield Finding(
                comparison.test_set.name, f"not gated: its scores are {scores}, and the gate names {gated}."
            )


def _tables(gate: Gate, comparison: Comparison) -> list[ScoreTable]:
    """Return the scores of a test set that are named."""
    named = [
        *_gated_scores("--fail-under", gate.thresholds, [comparison]),
        *_gated_scores("--fail-if-worse", gate.margins, [comparison]),
    ]
    return [score.table for score in named]


def _lacking(gate: Gate, comparisons: Sequence[Comparison]) -> dict[tuple[str, str], Finding]:
    """Return each test set and system that lacks too much; margins alone are for new systems."""
    lacking: dict[tuple[str, str], Finding] = {}
    for comparison in comparisons:
        name = comparison.test_set.name
        # What is missing fails in a test set that has none of the scores, too.
        tables = _tables(gate, comparison) or comparison.tables
        for gaps in too_many_gaps(comparison, tables, gate.most_missing):
            if gate.thresholds or gaps.system not in comparison.outputs_of_baseline:
                lacking[name, gaps.system] = Finding(name, gaps.in_words(gate.most_missing))
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
    for comparison in comparisons:
        scores = [
            NamedScore(table.metric, table.name, table.name == table.scorer.primary) for table in comparison.tables
        ]
        labels = comparison.score_labels()
        for threshold in thresholds:
            for index in find_scores(threshold.name, scores):
                table = comparison.tables[index]
                check_gated(table, comparison.test_set, f"{option} {threshold.name}")
                yield _GatedScore(comparison, table, labels[index], threshold.value)


def _check_limit(table: ScoreTable, limit: float) -> None:
    """Refuse a share of 1 as the limit of answers in percent; warn of one for a metric, which may score so little."""
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
