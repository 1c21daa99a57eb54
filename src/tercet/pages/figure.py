"""A comparison as a figure of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.errors import needs
from tercet.metric.drawing.pictures import for_notebooks
from tercet.metric.drawing.visible import one_cell

from .names import fitted, short_names
from .plots import draw_intervals

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison

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
    for number, (table, label) in enumerate(zip(comparison.tables, comparison.score_labels(), strict=True)):
        axes = figure.add_subplot(down, across, 1 + number)
        draw_intervals(axes, table.rows, comparison.test is not None, _COLOURS)
        shown = [fitted(one_cell(names[row.system]), _LETTERS) for row in table.rows if number % across == 0]
        axes.set_yticks(places if shown else [], labels=shown, parse_math=False)
        axes.set_ylim(-len(table.rows) + 0.45, 0.55)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"{one_cell(label)}, {level} interval", parse_math=False)
        axes.spines[["top", "left", "right"]].set_visible(False)
        axes.grid(axis="x", color="#d5dae0")
        axes.set_axisbelow(True)
    return figure
