"""Facts of each system besides its scores: lengths, empty predictions, segments left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.base.metric import Metric
from tercet.comparison.specs.metric_specs import label_of
from tercet.result import Result
from tercet.statistics.stats import SegmentStats

#: Reasons why a segment is left out.
NO_REFERENCE = "no reference"
NO_NUMBER = "no number"
NOTHING = "empty prediction"
ELSEWHERE = "not scored for another system"
_EMPTY = "Empty predictions"
_LEFT_OUT = "Segments left out, "
_ZERO = "Segments without a number or reference, which count as 0"


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """A metric's facts of a system besides its scores."""

    #: Its label in tables, with the options that were given.
    metric: str
    system: str
    #: How many were scored.
    segments: int
    #: How many have no token.
    empty_predictions: int
    #: The number of segments left out, by reason.
    skipped: dict[str, int]
    #: How many without a number or reference count as 0.
    counted_as_zero: int
    #: What this metric alone reports, as its `Metric.facts` name it.
    more: dict[str, Any]
    #: `more` on one line; "" if the metric reports nothing.
    line: str

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row, without the line."""
        names = ("metric", "system", "segments", "empty_predictions", "skipped", "counted_as_zero")
        return {**{name: getattr(self, name) for name in names}, **self.more}


def facts_of_systems(
    metric: Metric, stats: Mapping[str, SegmentStats], scored: Sequence[SegmentStats]
) -> list[SystemFacts]:
    """Return the facts of each system from the rows of all segments and of the scored ones."""
    facts = []
    for (system, rows), scored_rows in zip(stats.items(), scored, strict=True):
        totals = metric.corpus_totals(scored_rows)
        entries = metric.report(totals, None)
        report = {**entries, **metric.details(totals, None, entries)}
        n_empty = int(rows.column("empty").sum())
        facts.append(
            _facts(
                metric,
                system,
                report=report,
                n_segments=len(scored_rows),
                n_empty=n_empty,
                skipped=_skipped(metric, rows, len(scored_rows)),
                n_zero=int(np.count_nonzero((rows.column("items") > 0) & (rows.column("missing") > 0))),
            )
        )
    return facts


def facts_of_result(metric: Metric, system: str, result: Result) -> SystemFacts:
    """Return the facts in a system's result; segments without a reference are left out."""
    n_left_out = result.missing_references if metric.missing_references == "skip" else 0
    skipped = {NO_REFERENCE: n_left_out} if n_left_out else {}
    report = result.to_dict(full=True)
    return _facts(
        metric,
        system,
        report=report,
        n_segments=result.n_segments,
        n_empty=result.empty_predictions,
        skipped=skipped,
        n_zero=result.missing_references - n_left_out,
    )


def fact_lines(facts: Sequence[SystemFacts], plain: Callable[[str], str] = str) -> list[str]:
    """Return sentences on segments that are empty, zero or left out; `plain` formats names of systems and metrics."""
    metrics = list(dict.fromkeys(row.metric for row in facts))
    n_segments = max((row.segments + sum(row.skipped.values()) for row in facts), default=0)
    lines = []
    reasons = (NO_REFERENCE, NO_NUMBER, NOTHING, ELSEWHERE)
    for heading in (_EMPTY, _ZERO, *(f"{_LEFT_OUT}{reason}" for reason in reasons)):
        groups: dict[str, list[str]] = {}
        for metric in metrics:
            counts = {
                plain(row.system): _counts_by_heading(row).get(heading, 0) for row in facts if row.metric == metric
            }
            groups.setdefault(_counts_in_words(counts), []).append(metric)
        for words, group in groups.items():
            if words:
                by = ""
                # Metrics are named only where they differ.
                if len(group) < len(metrics):
                    by = f", {', '.join(map(plain, group))}"
                lines.append(f"{heading}{by}: {words} (of {n_segments:,}).")
    return lines


def _facts(
    metric: Metric,
    system: str,
    *,
    report: Mapping[str, Any],
    n_segments: int,
    n_empty: int,
    skipped: dict[str, int],
    n_zero: int,
) -> SystemFacts:
    metric_facts = {name: report[name] for name in metric.facts}
    return SystemFacts(
        metric=label_of(metric),
        system=system,
        segments=n_segments,
        empty_predictions=n_empty,
        skipped=skipped,
        counted_as_zero=n_zero,
        more=metric_facts,
        line=metric.facts_in_a_line(report),
    )


def _skipped(metric: Metric, rows: SegmentStats, n_scored: int) -> dict[str, int]:
    """Return the number of segments left out, by reason."""
    is_left_out = rows.column("items") == 0
    n_missing = int(np.count_nonzero(is_left_out & (rows.column("missing") > 0)))
    n_left_out = int(np.count_nonzero(is_left_out))
    counts = {
        NO_REFERENCE if metric.takes_references else NO_NUMBER: n_missing,
        NOTHING: n_left_out - n_missing,
        ELSEWHERE: len(rows) - n_left_out - n_scored,
    }
    return {reason: count for reason, count in counts.items() if count}


def _counts_by_heading(facts: SystemFacts) -> dict[str, int]:
    """Return the numbers of a system's segments that are empty, zero or left out, by heading."""
    skipped = {f"{_LEFT_OUT}{reason}": number for reason, number in facts.skipped.items()}
    return {_EMPTY: facts.empty_predictions, _ZERO: facts.counted_as_zero, **skipped}


def _counts_in_words(counts: Mapping[str, int]) -> str:
    """Return the counts of systems, or one if they are all equal; empty if all are 0."""
    if len(set(counts.values())) == 1:
        (count,) = set(counts.values())
        if not count:
            return ""
        return f"{count:,} of each system" if len(counts) > 1 else f"{count:,}"
    return ", ".join(f"{system} {count:,}" for system, count in counts.items() if count)
