"""The plots of reports and notebooks: intervals, scores by length, and how scores of segments are distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.errors import needs
from tercet.metric.drawing.pictures import for_notebooks
from tercet.metric.drawing.visible import one_cell

from .names import fitted, short_names
from .svg import ACCENT, INK, LINE, inline_svg

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable, SystemScore

#: Lines of systems in the plot of lengths: colours with a contrast of 3 to white and to black, and other marks each.
SERIES = (
    ("#2f7fc1", "●", "o"), ("#c8620b", "■", "s"), ("#1a9173", "▲", "^"), ("#b0569a", "◆", "D"), ("#8a7a1f", "▼", "v"),
)  # fmt: skip

# in pixels
_WIDTH, _HEIGHT = 400, 240
_LEFT, _RIGHT, _BOTTOM, _TOP = 125, 12, 38, 6
_ROW = 22  # at least
_COLUMNS = 18  # letters of a name beside a row
_BINS = 30

# of a figure for notebooks
_COLOURS = ("#3b434c", "#1668b3", "#ffffff")  # lines, what is as good as the best, paper
_ACROSS = 3  # scores beside each other
_LETTERS = 30  # of the name of a system


def intervals_figure(comparison: Comparison) -> Any:
    """Return a figure: for each score a row for each system, with its interval; a dashed line at the baseline."""
    needs("A plot", "report", "matplotlib")
    from matplotlib.figure import Figure

    names = short_names(list(comparison.test_set.systems))
    across = min(_ACROSS, len(comparison.tables))
    down = -(-len(comparison.tables) // across)
    size = (1.5 + 2.6 * across, down * (0.8 + 0.32 * len(names)))
    figure = for_notebooks(Figure(figsize=size, layout="constrained"))
    level = f"{100 * comparison.confidence_level:g} %"
    places = [-place for place in range(len(names))]
    for number, (table, label) in enumerate(zip(comparison.tables, comparison.titles(), strict=True)):
        axes = figure.add_subplot(down, across, 1 + number)
        _draw_intervals(axes, table.rows, comparison.test is not None)
        shown = [fitted(one_cell(names[row.system]), _LETTERS) for row in table.rows if number % across == 0]
        axes.set_yticks(places if shown else [], labels=shown, parse_math=False)
        axes.set_ylim(-len(table.rows) + 0.45, 0.55)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"{one_cell(label)}, {level} interval", parse_math=False)
        axes.spines[["top", "left", "right"]].set_visible(False)
        axes.grid(axis="x", color="#d5dae0")
        axes.set_axisbelow(True)
    return figure


def _draw_intervals(axes: Any, rows: Sequence[SystemScore], tested: bool) -> None:
    """Draw a row for each system, downwards, and a dashed line at the baseline's score."""
    ink, accent, paper = _COLOURS
    baseline = next(row.value for row in rows if row.difference is None)
    axes.axvline(baseline, color=ink, linewidth=1, linestyle=(0, (4, 3)), alpha=0.7, zorder=1)
    for place, row in enumerate(rows):
        as_good = row.as_good or not tested  # without a test, none is known to be worse
        colour = accent if as_good else ink
        axes.plot([row.low, row.high], [-place, -place], color=colour, linewidth=2.2, solid_capstyle="round")
        axes.plot(
            [row.value], [-place], linestyle="", marker="D" if row.best else "o", markersize=7.5,
            color=colour, markerfacecolor=colour if as_good else paper, markeredgewidth=1.8, zorder=3,
        )  # fmt: skip
    known = [row for row in rows if row.low <= row.high]  # not NaN
    low, high = min((row.low for row in known), default=0.0), max((row.high for row in known), default=1.0)
    margin = 0.05 * (high - low) or 1.0
    axes.set_xlim(low - margin, high + margin)


def score_distributions(table: ScoreTable, rows: Sequence[SystemScore], called: Sequence[str], prefix: str) -> str:
    """Return a row for each system: the histogram of its segments' scores, with a line at their median."""
    scores = [np.array([score for score in table.segments[row.system] if score is not None]) for row in rows]
    called = [name for name, own in zip(called, scores, strict=True) if own.size]
    scores = [own for own in scores if own.size]
    if not scores:
        return ""
    medians = "; ".join(f"{name} {np.median(own):.2f}" for name, own in zip(called, scores, strict=True))
    description = f"Histograms of the segments' {table.title}; medians: {medians}"
    figure, axes = _rows_of_systems(len(scores), highest=56)
    edges = np.histogram_bin_edges(np.concatenate(scores), _BINS)
    counts = [np.histogram(each, edges)[0] for each in scores]
    highest = max(int(each.max()) for each in counts)
    for place, (own, count) in enumerate(zip(scores, counts, strict=True)):
        floor = -place - 0.42
        axes.stairs(floor + 0.9 * count / highest, edges, baseline=floor, fill=True, color=ACCENT, alpha=0.6)
        axes.plot([np.median(own)] * 2, [floor, floor + 0.9], color=INK, linewidth=2, solid_capstyle="butt")
    labels = [f"{table.title} of single segments", *(fitted(name, _COLUMNS) for name in called)]
    return inline_svg(figure, labels, description, prefix)


def length_plot(
    values: Sequence[Sequence[float]], shown: Sequence[int], labels: Sequence[str], texts: tuple[str, str, str],
    prefix: str,
) -> str:  # fmt: skip
    """Return lines over the buckets: those of the systems `shown` in colour, the others grey."""
    figure, axes = _axes(_HEIGHT, left=48)
    places = range(len(labels))
    for index, row in enumerate(values):
        if index not in shown:
            axes.plot(places, row, color=INK, alpha=0.3, linewidth=1)
    for (colour, _, marker), index in zip(SERIES, shown, strict=False):
        axes.plot(places, values[index], color=colour, marker=marker, markersize=6, linewidth=1.8)
    axes.set_xticks(list(places), labels=[f"@{2 + place}" for place in places])
    axes.set_xlim(-0.3, len(labels) - 0.7)
    axes.grid(axis="y", color=LINE)
    axes.set_xlabel("@0")
    axes.set_ylabel("@1")
    return inline_svg(figure, [*texts[:2], *labels], texts[2], prefix)


def _rows_of_systems(number: int, highest: int) -> tuple[Any, Any]:
    """Return axes with a row for each system; the texts @1, @2 ... are their names, @0 is the label below."""
    row = max(_ROW, min(highest, (_HEIGHT - _BOTTOM - _TOP) // number))
    figure, axes = _axes(row * number + _BOTTOM + _TOP, left=_LEFT)
    axes.set_yticks([-place for place in range(number)], labels=[f"@{1 + place}" for place in range(number)])
    axes.set_ylim(-number + 0.45, 0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=LINE)
    axes.set_xlabel("@0")
    return figure, axes


def _axes(height: int, left: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH / 72, height / 72))
    width, inner = _WIDTH - left - _RIGHT, height - _BOTTOM - _TOP
    axes = figure.add_axes((left / _WIDTH, _BOTTOM / height, width / _WIDTH, inner / height))
    axes.set_axisbelow(True)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.spines["bottom"].set_color(LINE)
    axes.tick_params(axis="both", width=0.8)
    axes.locator_params(axis="x", nbins=6)
    return figure, axes
