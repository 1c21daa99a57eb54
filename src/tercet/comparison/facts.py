"""What there is to say of each system beside its scores: lengths, empty predictions, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.core.result import Result
from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats

#: Why a segment was left out.
NO_REFERENCE, NOTHING, ELSEWHERE = "no reference", "empty prediction", "not scored for another system"


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """What a metric tells of a system beside its scores.

    Attributes
    ----------
    metric : str
        As a table names it: with the options that were given.
    system : str
    segments : int
        How many were scored.
    empty_predictions : int
        How many predictions have no token.
    skipped : dict of str to int
        How many segments were left out, by the reason.
    more : dict of str to any
        The metric's own, as its result names them (:attr:`.Scorer.facts`): for BLEU lengths, brevity penalty and
        precisions.
    line : str
        The same on one line, for BLEU as sacrebleu prints it; empty for a metric that has none.
    """

    metric: str
    system: str
    segments: int
    empty_predictions: int
    skipped: dict[str, int]
    more: dict[str, Any]
    line: str

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row, without the line."""
        own = ("metric", "system", "segments", "empty_predictions", "skipped")
        return {**{name: getattr(self, name) for name in own}, **self.more}


def facts_of_systems(
    metric: str, scorer: Scorer, stats: Mapping[str, SegmentStats], scored: Sequence[SegmentStats]
) -> list[SystemFacts]:
    """Return the facts of each system.

    Parameters
    ----------
    metric : str
    scorer : Scorer
    stats : mapping of str to SegmentStats
        The rows of all segments, by system.
    scored : sequence of SegmentStats
        The rows that scores are made of: of segments that were scored for every system.
    """
    found = []
    for (system, rows), kept in zip(stats.items(), scored, strict=True):
        totals = scorer.corpus_totals(kept)
        entries = scorer.report(totals, None)
        known = {**entries, **scorer.details(totals, None, entries)}
        empty = int(rows.column("empty").sum())
        found.append(_facts(metric, system, scorer, known, len(kept), empty, _skipped(rows, len(kept))))
    return found


def facts_of_result(metric: str, system: str, scorer: Scorer, result: Result) -> SystemFacts:
    """Return the facts that the result of a system holds; left out are what has no reference."""
    left_out = result.missing_references if scorer.missing_references == "skip" else 0
    skipped = {NO_REFERENCE: left_out} if left_out else {}
    known = result.to_dict(full=True)
    return _facts(metric, system, scorer, known, result.n_segments, result.empty_predictions, skipped)


def _facts(
    metric: str,
    system: str,
    scorer: Scorer,
    known: Mapping[str, Any],
    n: int,
    empty: int,
    skipped: dict[str, int],
) -> SystemFacts:
    more = {name: known[name] for name in scorer.facts}
    return SystemFacts(metric, system, n, empty, skipped, more, scorer.facts_line(known) if more else "")


def _skipped(rows: SegmentStats, n_scored: int) -> dict[str, int]:
    """Return how many segments were left out for each reason."""
    left_out = rows.column("items") == 0
    missing = int(np.count_nonzero(left_out & (rows.column("missing") > 0)))
    own = int(np.count_nonzero(left_out))
    counts = {NO_REFERENCE: missing, NOTHING: own - missing, ELSEWHERE: len(rows) - own - n_scored}
    return {reason: count for reason, count in counts.items() if count}


def remarks_of(facts: Sequence[SystemFacts], plain: Callable[[str], str] = str) -> list[str]:
    """Return sentences on empty predictions, and on segments that were left out; none where there are none.

    Parameters
    ----------
    facts : sequence of SystemFacts
    plain : callable
        Writes the name of a system.

    Examples
    --------
    >>> counts = {"A": (1, {NO_REFERENCE: 2}), "B": (0, {NO_REFERENCE: 2})}
    >>> facts = [SystemFacts("ter", name, 8, *each, {}, "") for name, each in counts.items()]
    >>> remarks_of(facts)
    ['Empty predictions: A 1 (of 10).', 'Segments left out, no reference: 2 of each system (of 10).']
    """
    metrics = list(dict.fromkeys(row.metric for row in facts))
    whole = max((row.segments + sum(row.skipped.values()) for row in facts), default=0)
    found = []
    for reason in ("", NO_REFERENCE, NOTHING, ELSEWHERE):
        told = f"Segments left out, {reason}" if reason else "Empty predictions"
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
                found.append(f"{told}{by}: {counted} (of {whole:,}).")
    return found


def _counted(counts: Mapping[str, int]) -> str:
    """Return the counts of systems, or the one count of all of them; nothing for nothing but 0."""
    if len(set(counts.values())) == 1:
        (count,) = set(counts.values())
        each = " of each system" if len(counts) > 1 else ""
        return f"{count:,}{each}" if count else ""
    return ", ".join(f"{system} {count:,}" for system, count in counts.items() if count)
