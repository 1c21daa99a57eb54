"""Values with their intervals as dots on lines, in HTML: text keeps its size at any width, unlike in a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Mark = Literal["best", "filled", "hollow"]

#: Share of the scale's width left free at both ends, so that no dot is cut.
_MARGIN = 0.06


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval; values that are not finite are not drawn."""

    value: float
    low: float
    high: float
    mark: Mark = "filled"

    @property
    def drawn(self) -> bool:
        """Whether there is a value to draw."""
        return math.isfinite(self.value)


@dataclass(frozen=True, slots=True)
class DotColumn:
    """One figure of every row: a score of all systems, or one measure of agreement of all metrics.

    The columns of a chart each have their own scale, from the least lower bound to the greatest upper one.
    """

    title: str
    dots: Sequence[Dot]
    note: str = ""  # below the title
    line: float | None = None  # a value to be compared with, such as the baseline's

    def bounds(self) -> tuple[float, float]:
        """Return where the scale begins and ends."""
        given = [each for dot in self.dots if dot.drawn for each in (dot.value, dot.low, dot.high)]
        known = [value for value in given if math.isfinite(value)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        margin = _MARGIN * (high - low) or max(abs(high), 1.0) * _MARGIN
        return low - margin, high + margin

    def place(self, value: float) -> str:
        """Return where a value stands on the scale, as SVG and CSS write it: ``0%`` at the left."""
        low, high = self.bounds()
        return f"{100 * min(1.0, max(0.0, (value - low) / (high - low))):.2f}%"

    def ticks(self) -> list[tuple[str, str]]:
        """Return round values on the scale: where each stands, and its label."""
        from matplotlib.ticker import MaxNLocator

        low, high = self.bounds()
        values = [each for each in MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= each <= high]
        return [(self.place(each), f"{each:.6g}".replace("-", "−")) for each in values]


@dataclass(frozen=True, slots=True)
class DotChart:
    """Rows of dots: a name each, and columns that share the rows."""

    names: Sequence[str]
    columns: Sequence[DotColumn]

    def described(self) -> str:
        """Return the chart in words, for readers who do not see it."""
        return "; ".join(f"{each.title}: {', '.join(self._in_words(each.dots))}" for each in self.columns)

    def _in_words(self, dots: Sequence[Dot]) -> Iterable[str]:
        for name, dot in zip(self.names, dots, strict=True):
            yield f"{name} {dot.value:.4g} ({dot.low:.4g} to {dot.high:.4g})" if dot.drawn else f"{name} unknown"


def dot_charts(names: Sequence[str], columns: Sequence[DotColumn], across: int = 3) -> list[DotChart]:
    """Return charts of at most so many columns each: more would be too narrow on a telephone."""
    return [DotChart(names, columns[start : start + across]) for start in range(0, len(columns), across)]
