"""The charts of reports: what stands where, which templates/plots.html draws, and which marks need a legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from tercet.comparison.run_means import over_runs
from tercet.errors import needs
from tercet.explanation.pictures import for_notebooks
from tercet.names_as_shown import fitted, one_cell, short_names

from .rendering import minus

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.scores import ScoreTable, SystemScore

#: Scores from which on the summary draws only the primary one of each metric.
_MOST_COLUMNS = 6


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


def primary_table(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the score that the metric sorts systems by."""
    for table in tables:
        if table.name == table.scorer.primary:
            return table
    return tables[0]


def by_metric(tables: Sequence[ScoreTable]) -> list[list[ScoreTable]]:
    """Return the scores of each metric."""
    tables_of: dict[str, list[ScoreTable]] = {}
    for table in tables:
        tables_of.setdefault(table.metric, []).append(table)
    return list(tables_of.values())


def shown_tables(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Return the scores that stand side by side; of many scores, those that each metric sorts systems by."""
    if len(tables) <= _MOST_COLUMNS:
        return list(tables)
    return [primary_table(tables_of_metric) for tables_of_metric in by_metric(tables)]


def mark_of(row: SystemScore) -> Mark:
    """Return the mark of a score: hollow is what a test found worse than the best, not what no test could judge."""
    if row.best:
        return "best"
    if row.as_good is False:
        return "hollow"
    return "filled"


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
        if row.difference is None or row.difference_low is None or row.difference_high is None:
            # The baseline is not compared with itself: nothing is drawn.
            dots.append(Dot(math.nan, math.nan, math.nan))
        else:
            dots.append(Dot(row.difference, row.difference_low, row.difference_high, "difference"))
    return DotColumn("difference", dots, 0.0, lower_is_better=not table.higher_is_better)


def baseline_index(comparison: Comparison, rows: Sequence[SystemScore]) -> int:
    """Return which of the rows is that of the baseline."""
    return [row.system for row in rows].index(comparison.baseline)


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


# Scales, of which all charts are made.

#: Share of a scale's width left free at both ends, so that no mark is cut.
_MARGIN = 0.06
#: Digits of the labels of a scale: so many at least, and as many as a number has for sure at most.
_LEAST_DIGITS = 6
_MOST_DIGITS = 15


def bounds(values: Iterable[float], *, share: float = _MARGIN) -> tuple[float, float]:
    """Return where a scale of these values begins and ends; a share of it is free at both ends."""
    finite = [value for value in values if math.isfinite(value)]
    low = min(finite, default=0.0)
    high = max(finite, default=1.0)
    margin = share * (high - low)
    if margin == 0:
        # all values are the same: the scale must not be empty
        margin = share * max(abs(high), 1.0)
    return low - margin, high + margin


@dataclass(frozen=True, slots=True)
class Scale:
    """A line from `start` to `stop` for the values from `low` to `high`: in percent of a width, or in pixels."""

    low: float
    high: float
    start: float = 0.0
    stop: float = 100.0

    def position(self, value: float) -> float:
        """Return where a value stands, NaN nowhere; what is beyond an end stands at that end."""
        # in this order of arguments, NaN stays NaN
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.start + (self.stop - self.start) * share

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return round values, at most one more than `most`: where each stands, and its label."""
        values = _round_values(self.low, self.high, most)
        digits = _digits_of(values)
        return [(self.position(value), minus(f"{value:.{digits}g}")) for value in values]


def better_right(low_and_high: tuple[float, float], *, lower_is_better: bool) -> Scale:
    """Return the scale of a width on which better values stand further right."""
    if lower_is_better:
        return Scale(*low_and_high, 100.0, 0.0)
    return Scale(*low_and_high)


def _round_values(low: float, high: float, most: int) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten between two numbers: at least two."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = [factor * power for factor in (1, 2, 5, 10, 20)]
    number = 0
    while steps[number] * most < high - low:
        number += 1
    values = _multiples(steps[number], low, high)
    # a step that is wide enough may have one multiple only
    while len(values) < 2 and number > 0:
        number -= 1
        values = _multiples(steps[number], low, high)
    return values


def _digits_of(values: Sequence[float]) -> int:
    """Return how many digits the labels of values at equal steps need: six, or more where the steps are small."""
    step = values[1] - values[0]
    if step <= 0:
        return _LEAST_DIGITS
    greatest = max(abs(values[0]), abs(values[-1]))
    needed = math.floor(math.log10(greatest)) - math.floor(math.log10(step)) + 1
    return min(max(needed, _LEAST_DIGITS), _MOST_DIGITS)


def _multiples(step: float, low: float, high: float) -> list[float]:
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


# Values with their intervals as dots on lines, in HTML: text keeps its size at any width, unlike in a picture.

#: Of scores, as the legend says; a difference has a stroke, since a hollow dot would be taken for a worse score.
Mark = Literal["best", "filled", "hollow", "difference"]


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

    def scale(self) -> Scale:
        """Return where values stand, in percent of the column's width; right is always better."""
        return self._scale

    @cached_property
    def _scale(self) -> Scale:
        numbers = []
        for dot in self.dots:
            if dot.is_drawn:
                numbers += [dot.value, dot.low, dot.high]
        if self.line is not None:
            numbers.append(self.line)
        return better_right(bounds(numbers), lower_is_better=self.lower_is_better)


# How the scores of segments are distributed: a row for each system.

_BINS = 30
#: Segments below which no chart shows how their scores or words are distributed.
_FEW = 10


def has_few_segments(comparison: Comparison) -> bool:
    """Return whether a test set is so small that no chart shows how its scores or words are distributed."""
    return len(comparison.test_set.references) < _FEW


@dataclass(frozen=True, slots=True)
class Histograms:
    """Histograms on one scale, each with its median."""

    names: Sequence[str]
    paths: Sequence[str]  # in a square of 100 by 100, upside down as SVG has it
    medians: Sequence[float]  # where each stands
    title: str
    described: str
    scale: Scale


def score_distributions(table: ScoreTable, rows: Sequence[SystemScore], names: Sequence[str]) -> Histograms | None:
    """Return the histogram of the scores of each system's segments; None without any score."""
    scores = {}
    for row, name in zip(rows, names, strict=True):
        segment_scores = [score for score in table.segments[row.system] if score is not None]
        if segment_scores:
            scores[name] = np.array(segment_scores)
    if not scores:
        return None
    numbers = np.concatenate(list(scores.values()))
    edges = np.histogram_bin_edges(numbers, _BINS, _range(float(numbers.min()), float(numbers.max())))
    counts = [np.histogram(values, edges)[0] for values in scores.values()]
    scale = better_right(bounds(edges.tolist()), lower_is_better=not table.higher_is_better)
    left, *rights = [scale.position(edge) for edge in edges.tolist()]
    highest = max(int(count.max()) for count in counts)
    paths = []
    for count in counts:
        bars = [f"V{100 - 90 * n / highest:.4g}H{right:.2f}" for n, right in zip(count, rights, strict=True)]
        paths.append(f"M{left:.2f} 100{''.join(bars)}V100z")
    medians = [float(np.median(values)) for values in scores.values()]
    in_words = "; ".join(f"{name} {median:.2f}" for name, median in zip(scores, medians, strict=True))
    return Histograms(
        names=list(scores),
        paths=paths,
        medians=[scale.position(median) for median in medians],
        title=f"{table.title} of single segments",
        described=f"Histograms of the segments' {table.title}; medians: {in_words}",
        scale=scale,
    )


def _range(low: float, high: float) -> tuple[float, float]:
    """Return where bins begin and end: numbers that are nearly the same have no bins between them."""
    size = max(abs(low), abs(high))
    if high - low > max(1e-12 * size, 1e-300):
        return low, high
    margin = max(0.5, size / 1000)
    return low - margin, high + margin


# Plots with two axes, as SVG: lines over groups of segments or layers, and points.


class Series(NamedTuple):
    """How the line of a system looks."""

    colour: str  # with a contrast of 3 to white and to black
    sign: str  # its mark as the page writes it
    path: str  # that mark, drawn around its point


#: Lines of systems in plots over lengths, or frequencies.
SERIES = (
    Series("#2f7fc1", "●", "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"),
    Series("#c8620b", "■", "m-3-3h6v6h-6z"),
    Series("#1a9173", "▲", "m0-3.5l3.5 6.5h-7z"),
    Series("#b0569a", "◆", "m0-4l4 4-4 4-4-4z"),
    Series("#8a7a1f", "▼", "m0 3.5l-3.5-6.5h7z"),
)
#: Marks of plots that have one series.
DIAMOND = "m0-5.5l5.5 5.5-5.5 5.5-5.5-5.5z"
RING = "m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z"

# In pixels of a plot, which a page may stretch: its size, what its axes leave free, and the width of a digit.
_WIDTH = 360
_HEIGHT = 240
_TOP = 24
_BOTTOM = 38
_RIGHT = 14
_LETTER = 7.0
_TICKS = 5
_COLUMNS = int(_WIDTH / _LETTER)  # letters of an axis's label


@dataclass(frozen=True, slots=True)
class Shape:
    """A line, an area or a mark."""

    look: str  # its class, by which the template paints it
    path: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """Shapes between two axes."""

    x: Scale
    y: Scale
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    is_staggered: bool  # every second label of x stands on a line of its own, as they are too long for one
    x_label: str  # below
    y_label: str  # above
    described: str
    shapes: Sequence[Shape]

    width: ClassVar[int] = _WIDTH
    height: ClassVar[int] = _HEIGHT


def scales(x_bounds: tuple[float, float], y_values: Iterable[float]) -> tuple[Scale, Scale]:
    """Return both scales of a plot: the upper one leaves room for the labels of the other."""
    y = Scale(*bounds(y_values), _HEIGHT - _BOTTOM, _TOP)
    left = max(30.0, 12 + _LETTER * max(len(label) for _, label in y.ticks(_TICKS)))
    return Scale(*x_bounds, left, _WIDTH - _RIGHT), y


class PlotTexts(NamedTuple):
    """What a plot says."""

    x: str  # the label of its axis
    y: str
    description: str  # for readers who do not see it


def plot(
    x: Scale,
    y: Scale,
    *,
    texts: PlotTexts,
    shapes: Sequence[Shape],
    x_ticks: Sequence[tuple[float, str]] | None = None,
) -> Plot:
    """Return a plot; its ticks of x are round values by default."""
    if x_ticks is None:
        x_ticks = x.ticks(_TICKS)
    return Plot(
        x=x,
        y=y,
        x_ticks=x_ticks,
        y_ticks=y.ticks(_TICKS),
        is_staggered=_labels_touch(x_ticks),
        x_label=fitted(one_cell(texts.x), _COLUMNS),
        y_label=fitted(one_cell(texts.y), _COLUMNS),
        described=texts.description,
        shapes=shapes,
    )


def _labels_touch(ticks: Sequence[tuple[float, str]]) -> bool:
    """Return whether any two labels beside each other are too long for the room between their middles."""
    for (position, label), (next_position, next_label) in pairwise(ticks):
        half_widths = (len(label) + len(next_label)) * _LETTER / 2
        if half_widths + 5 > next_position - position:
            return True
    return False


def line_path(points: Iterable[tuple[float, float]]) -> str:
    """Return the path through points, which is broken where one is NaN."""
    path = ""
    pen = "M"
    for x, y in points:
        if math.isnan(y):
            pen = "M"
        else:
            path += f"{pen}{x:.1f} {y:.1f}"
            pen = "L"
    return path


def marks_path(points: Iterable[tuple[float, float]], mark: str) -> str:
    """Return the path of a mark at each point."""
    return "".join(f"M{x:.1f} {y:.1f}{mark}" for x, y in points if not math.isnan(y))


def bucket_plot(
    values: Sequence[Sequence[float]], labels: Sequence[str], *, coloured: Sequence[int], texts: PlotTexts
) -> Plot:
    """Return lines over buckets: those of the systems with the indices `coloured` in colour, the others grey."""
    x, y = scales((-0.3, len(labels) - 0.7), (value for row in values for value in row))
    positions = [x.position(number) for number in range(len(labels))]
    points = [list(zip(positions, map(y.position, row), strict=True)) for row in values]
    shapes = [Shape("grey", line_path(row)) for index, row in enumerate(points) if index not in coloured]
    for series, index in zip(SERIES, coloured, strict=False):
        style = f"color: {series.colour}"
        shapes.append(Shape("line", line_path(points[index]), style))
        shapes.append(Shape("mark", marks_path(points[index], series.path), style))
    return plot(x, y, texts=texts, shapes=shapes, x_ticks=list(zip(positions, labels, strict=True)))


# A figure of matplotlib, for notebooks.

_INK = "#3b434c"
_ACCENT = "#1668b3"  # of what is as good as the best
_PAPER = "#ffffff"
_ACROSS = 3  # scores beside each other
_LETTERS = 30  # of the name of a system


def intervals_figure(comparison: Comparison) -> Any:
    """Return a figure: for each score a row for each system, with its interval; a dashed line at the baseline.

    Of more than two systems, the best by the first score is on top. Where outputs are runs, the systems are shown.
    """
    needs("A plot", "report", "matplotlib")
    from matplotlib.figure import Figure

    shown = comparison
    if comparison.joins_runs:
        shown = over_runs(comparison)
    names = short_names(list(shown.test_set.systems))
    order = list(range(len(names)))
    if len(names) > 2:
        order = shown.tables[0].order
    n_columns = min(_ACROSS, len(shown.tables))
    n_rows = math.ceil(len(shown.tables) / n_columns)
    size = (1.5 + 2.6 * n_columns, 0.5 + n_rows * (1.0 + 0.32 * len(names)))
    figure = for_notebooks(Figure(figsize=size, layout="constrained"))
    level = f"{100 * shown.confidence_level:g} %"
    heights = [-number for number in range(len(names))]
    for number, (table, title) in enumerate(zip(shown.tables, shown.titles(), strict=True)):
        axes = figure.add_subplot(n_rows, n_columns, 1 + number)
        rows = [table.rows[index] for index in order]
        if shown.test is not None:
            axes.axvline(rows[baseline_index(shown, rows)].value, **_BASELINE)
        _draw_intervals(axes, rows)
        is_first_column = number % n_columns == 0
        if is_first_column:
            labels = [fitted(one_cell(names[row.system]), _LETTERS) for row in rows]
            axes.set_yticks(heights, labels=labels, parse_math=False)
        else:
            axes.set_yticks([])
        axes.set_ylim(-len(rows) + 0.45, 0.55)
        better = "\N{LEFTWARDS ARROW} better"
        if table.higher_is_better:
            better = "better \N{RIGHTWARDS ARROW}"
        axes.set_xlabel(f"{one_cell(title)}, {level} interval\n{better}", parse_math=False)
        _style_axes(axes)
    _add_legend(figure, shown, names[shown.baseline])
    return figure


def _style_axes(axes: Any) -> None:
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.grid(axis="x", color="#d5dae0")
    axes.set_axisbelow(True)


def _draw_intervals(axes: Any, rows: Sequence[SystemScore]) -> None:
    """Draw a row for each system, downwards."""
    numbers = []
    for number, row in enumerate(rows):
        look = _look(mark_of(row))
        colour = look["color"]
        axes.plot([row.low, row.high], [-number, -number], color=colour, linewidth=2.2, solid_capstyle="round")
        axes.plot([row.value], [-number], zorder=3, **look)
        numbers += [row.low, row.value, row.high]
    axes.set_xlim(*bounds(numbers, share=0.05))


#: The line at the baseline's score.
_BASELINE: Mapping[str, Any] = {
    "color": _INK,
    "linewidth": 1,
    "linestyle": (0, (4, 3)),
    "alpha": 0.7,
    "zorder": 1,
}


def _look(mark: Mark) -> dict[str, Any]:
    """Return how matplotlib draws a mark: a diamond for the best, and hollow what is significantly worse."""
    marker = "o"
    colour = _ACCENT
    face = _ACCENT
    if mark == "best":
        marker = "D"
    elif mark == "hollow":
        colour = _INK
        face = _PAPER
    return {
        "linestyle": "",
        "marker": marker,
        "markersize": 7.5,
        "color": colour,
        "markerfacecolor": face,
        "markeredgewidth": 1.8,
    }


def _add_legend(figure: Any, comparison: Comparison, baseline: str) -> None:
    """Say below a figure what its marks are."""
    from matplotlib.lines import Line2D

    marks = marks_of(comparison, comparison.tables)
    signs = []
    if marks.has_best:
        signs.append(("the best", _look("best")))
    if marks.has_as_good:
        signs.append(("not significantly worse than the best", _look("filled")))
    if marks.has_worse:
        signs.append(("significantly worse than the best", _look("hollow")))
    if marks.has_baseline:
        signs.append((f"the baseline, {fitted(one_cell(baseline), _LETTERS)}", dict(_BASELINE)))
    if not signs:
        return
    handles = [Line2D([], [], **look) for _, look in signs]
    legend = figure.legend(
        handles, [text for text, _ in signs], loc="outside lower left", ncols=1, frameon=False, fontsize="small"
    )
    for text in legend.get_texts():
        # A name may have signs that are formulas to matplotlib.
        text.set_parse_math(False)
