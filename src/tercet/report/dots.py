"""Values with their intervals as dots on lines, in HTML: text keeps its size at any width, unlike in a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .marks import Mark, mark_of
from .scales import Scale, better_right, bounds
from .shown_scores import baseline_index

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval; values that are not finite are not drawn."""

    value: float
    low: float
    high: float
    mark: Mark = "filled"

    @property
    def is_drawn(self) -> bool:
        """Whether there is a value to draw."""
        return math.isfinite(self.value)


@dataclass(frozen=True)  # without slots, as the scale is kept: each row of a table asks for it
class DotColumn:
    """One figure of every row: a score of all systems, or one measure of agreement of all metrics.

    The columns of a chart each have their own scale, from the least lower bound to the greatest upper one.
    """

    title: str
    dots: Sequence[Dot]
    line: float | None = None  # a value to be compared with, such as the baseline's
    lower_is_better: bool = False  # then lower values stand further right

    @cached_property
    def scale(self) -> Scale:
        """Where values stand, in percent of the column's width; right is always better."""
        numbers = []
        for dot in self.dots:
            if dot.is_drawn:
                numbers += [dot.value, dot.low, dot.high]
        if self.line is not None:
            numbers.append(self.line)
        return better_right(bounds(numbers), lower_is_better=self.lower_is_better)


def dot_column(comparison: Comparison, table: ScoreTable, rows: Sequence[SystemScore], *, title: str) -> DotColumn:
    """Return the scores of one table, the rows of which stand in some order, with their intervals."""
    dots = [Dot(row.value, row.low, row.high, mark_of(row)) for row in rows]
    line = None
    if comparison.test is not None:
        baseline = rows[baseline_index(comparison, rows)].value
        if not math.isnan(baseline):
            line = baseline
    return DotColumn(title, dots, line, lower_is_better=not table.higher_is_better)


def difference_column(table: ScoreTable, rows: Sequence[SystemScore]) -> DotColumn:
    """Return the differences of a table from the baseline with their intervals, and the line of no difference."""
    dots = []
    for row in rows:
        if row.against is None:
            # The baseline is not compared with itself: nothing is drawn.
            dots.append(Dot(math.nan, math.nan, math.nan))
        else:
            dots.append(Dot(row.against.value, *row.against.interval, "difference"))
    return DotColumn("difference", dots, 0.0, lower_is_better=not table.higher_is_better)
