"""Facts of each system besides its scores: lengths, empty predictions, segments left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.metric.scorer import Scorer
from tercet.result import Result
from tercet.statistics.stats import SegmentStats

#: Reasons why a segment is left out.
NO_REFERENCE, NOTHING, ELSEWHERE = "no reference", "empty prediction", "not scored for another system"


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """A metric's facts of a system besides its scores."""

    metric: str  # its label in tables, with the given options
    system: str
    segments: int  # scored
    empty_predictions: int  # without tokens
    skipped: dict[str, int]  # segments left out, by reason
    more: dict[str, Any]  # the metric's own: `Scorer.facts`
    line: str  # the same on one line; "" if the metric has none

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row, without the line."""
        own = ("metric", "system", "segments", "empty_predictions", "skipped")
        return {**{name: getattr(self, name) for name in own}, **self.more}


def facts_of_systems(
    metric: str, scorer: Scorer, stats: Mapping[str, SegmentStats], scored: Sequence[SegmentStats]
) -> list[SystemFacts]:
    """Return the facts of each system from the rows of all segments and of the scored ones."""
    found = []
    for (system, rows), kept in zip(stats.items(), scored, strict=True):
        totals = scorer.corpus_totals(kept)
        entries = scorer.report(totals, None)
        known = {**entries, **scorer.details(totals, None, entries)}
        empty = int(rows.column("empty").sum())
        found.append(_facts(metric, system, scorer, known, len(kept), empty, _skipped(rows, len(kept))))
    return found


def facts_of_result(metric: str, system: str, scorer: Scorer, result: Result) -> SystemFacts:
    """Return the facts in a system's result; segments without a reference are left out."""
    left_out = result.missing_references if scorer.missing_references == "skip" else 0
    skipped = {NO_REFERENCE: left_out} if left_out else {}
    known = result.to_dict(full=True)
    return _facts(metric, system, scorer, known, result.n_segments, result.empty_predictions, skipped)


def _facts(
    metric: str, system: str, scorer: Scorer, known: Mapping[str, Any], n: int, empty: int, skipped: dict[str, int]
) -> SystemFacts:
    more = {name: known[name] for name in scorer.facts}
    return SystemFacts(metric, system, n, empty, skipped, more, scorer.facts_line(known) if more else "")


def _skipped(rows: SegmentStats, n_scored: int) -> dict[str, int]:
    """Return the number of segments left out, by reason."""
    left_out = rows.column("items") == 0
    missing = int(np.count_nonzero(left_out & (rows.column("missing") > 0)))
    own = int(np.count_nonzero(left_out))
    counts = {NO_REFERENCE: missing, NOTHING: own - missing, ELSEWHERE: len(rows) - own - n_scored}
    return {reason: count for reason, count in counts.items() if count}


def fact_lines(facts: Sequence[SystemFacts], plain: Callable[[str], str] = str) -> list[str]:
    """Return sentences on empty predictions and segments left out; `plain` formats names of systems and metrics."""
    metrics = list(dict.fromkeys(row.metric for row in facts))
    whole = max((row.segments + sum(row.skipped.values()) for row in facts), default=0)
    found = []
    for reason in ("", NO_REFERENCE, NOTHING, ELSEWHERE):
        begin = f"Segments left out, {reason}" if reason else "Empty predictions"
        groups: dict[str, list[str]] = {}
        for metric in metrics:
            counts = {
                plain(row.system): row.skipped.get(reason, 0) if reason else row.empty_predictions
                for row in facts
                if row.metric == metric
            }
            groups.setdefault(_counted(counts), []).append(metric)
        for counted, of in groups.items():
            if counted:
                by = "" if len(of) == len(metrics) else f", {', '.join(map(plain, of))}"
                found.append(f"{begin}{by}: {counted} (of {whole:,}).")
    return found


def _counted(counts: Mapping[str, int]) -> str:
    """Return the counts of systems, or one if they are all equal; empty if all are 0."""
    if len(set(counts.values())) == 1:
        (count,) = set(counts.values())
        each = " of each system" if len(counts) > 1 else ""
        return f"{count:,}{each}" if count else ""
    return ", ".join(f"{system} {count:,}" for system, count in counts.items() if count)


def some_best(values: Sequence[float], higher_is_better: bool) -> bool:
    """Return whether one of the systems' values is the best: not where nothing matched for any of several."""
    return len(values) == 1 or not higher_is_better or any(values)
