"""The marks of scores in charts: diamonds, filled and hollow dots, and which of them need a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

#: Of scores, as the legend says; a difference has a stroke, since a hollow dot would be taken for a worse score.
Mark = Literal["best", "filled", "hollow", "difference"]


def mark_of(row: SystemScore) -> Mark:
    """Return the mark of a score: hollow is what a test found worse than the best, not what no test could judge."""
    if row.best:
        return "best"
    if row.as_good is False:
        return "hollow"
    return "filled"


def marks_of(comparison: Comparison, tables: Sequence[ScoreTable]) -> Marks:
    """Return the marks that occur in some tables."""
    marks = set()
    has_intervals = False
    has_as_good = False
    for table in tables:
        for row in table.rows:
            marks.add(mark_of(row))
            has_intervals |= row.low < row.high
            has_as_good |= row.as_good is True and not row.best
    return Marks(
        has_best="best" in marks,
        has_as_good=has_as_good,
        has_worse="hollow" in marks,
        has_lower=any(not table.higher_is_better for table in tables),
        has_baseline=comparison.test is not None,
        has_pairs=any((table.pvalues < comparison.alpha).any() for table in tables),
        intervals=f"{100 * comparison.confidence_level:g} %" if has_intervals else "",
    )


@dataclass(frozen=True, slots=True)
class Marks:
    """Which marks occur: a legend explains no others."""

    has_best: bool
    has_as_good: bool
    has_worse: bool
    has_lower: bool  # a score of which lower is better
    has_baseline: bool
    has_pairs: bool  # a significant difference
    intervals: str  # their level; empty where all are points

    def key(self) -> str:
        """Return what the dots and lines of a chart are."""
        sentences = []
        if self.intervals:
            sentences.append(f"Lines: {self.intervals} intervals.")
        dots = []
        if self.has_best:
            dots.append("Diamond: best")
        if self.has_as_good:
            dots.append("filled: not significantly worse")
        if self.has_worse:
            dots.append("hollow: significantly worse")
        if dots:
            sentences.append(f"{'; '.join(dots)}.")
        if self.has_baseline:
            sentences.append("Dashed: the baseline’s score.")
        return " ".join(sentences)
