"""Plots with two axes, as SVG that templates/plots.html draws: lines over groups or layers, and points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

from tercet.names_as_shown import fitted, one_cell

from .scales import Scale, bounds


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
    description: str  # for readers who do not see it
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

    x_label: str  # below
    y_label: str  # above
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
        x_label=fitted(one_cell(texts.x_label), _COLUMNS),
        y_label=fitted(one_cell(texts.y_label), _COLUMNS),
        description=texts.description,
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
