"""A comparison as a figure of matplotlib, for notebooks: the interval of each system's score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tercet.comparison.runs.means import as_systems
from tercet.errors import needs
from tercet.explanation.pictures import for_notebooks
from tercet.names_as_shown import fitted, one_cell, short_names

from .marks import Mark, mark_of, marks_of
from .scales import bounds
from .shown_scores import baseline_index

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import SystemScore

_INK = "#3b434c"
_ACCENT = "#1668b3"  # of what is as good as the best
_PAPER = "#ffffff"
_ACROSS = 3  # scores beside each other
_LETTERS = 30  # of the name of a system
#: The line at the baseline's score.
_BASELINE: Mapping[str, Any] = {
    "color": _INK,
    "linewidth": 1,
    "linestyle": (0, (4, 3)),
    "alpha": 0.7,
    "zorder": 1,
}


def intervals_figure(comparison: Comparison) -> Any:
    """Return a figure: for each score a row for each system, with its interval; a dashed line at the baseline.

    Of more than two systems, the best by the first score is on top. Where outputs are runs, the systems are shown.
    """
    needs("A plot", "report", "matplotlib")
    from matplotlib.figure import Figure

    shown = comparison
    if comparison.joins_runs:
        shown = as_systems(comparison)
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
