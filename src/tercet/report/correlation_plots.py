"""The plots of a correlation: grades against scores, and a figure over the layers of a network."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tercet.correlation.figures import FIGURES
from tercet.correlation.layers import LayerSweep
from tercet.correlation.metric_columns import MetricColumn
from tercet.correlation.samples import Array, means

from .plots import DIAMOND, RING, SERIES, Plot, PlotTexts, Shape, line_path, marks_path, plot, scales
from .scales import bounds

#: The width of a hexagon in pixels.
_HEXAGON = 16


def scatter(human: Array, column: MetricColumn, *, in_hexagons: bool, x_title: str = "grade") -> Plot:
    """Return a plot of the outputs, with a point for each system's means; many outputs are counted in hexagons."""
    is_graded = ~np.isnan(human) & ~np.isnan(column.scores)
    once = np.ones((1, human.shape[1]))
    mean_grades = means(np.where(is_graded, human, np.nan), once)[0].tolist()
    mean_scores = means(np.where(is_graded, column.scores, np.nan), once)[0].tolist()
    grades = human[is_graded].tolist()
    scores = column.scores[is_graded].tolist()
    x, y = scales(bounds(grades), scores)
    points = list(zip(map(x.position, grades), map(y.position, scores), strict=True))
    if in_hexagons:
        shapes = _hexagons(np.array(points))
    else:
        # one path for each: where points lie upon each other, the page shows a darker one
        shapes = [Shape("point", f"M{left:.1f} {top:.1f}h0") for left, top in points]
    means_of_systems = zip(map(x.position, mean_grades), map(y.position, mean_scores), strict=True)
    shapes.append(Shape("mark", marks_path(means_of_systems, DIAMOND)))
    systems = "; ".join(f"{grade:.2f} and {score:.4g}" for grade, score in zip(mean_grades, mean_scores, strict=True))
    description = f"Mean grade and mean score of each system: {systems}"
    y_title = "score, negated" if column.negated else "score"
    return plot(x, y, texts=PlotTexts(x_title, y_title, description), shapes=shapes)


def curve(sweep: LayerSweep) -> Plot:
    """Return a plot of the figure of each layer with its interval; the best is a diamond, the usual one a ring."""
    low = [value.low for value in sweep.values]
    high = [value.high for value in sweep.values]
    values = [value.value for value in sweep.values]
    x, y = scales(bounds(range(len(values))), [*low, *values, *high])
    layers = [x.position(layer) for layer in range(len(values))]
    points = list(zip(layers, map(y.position, values), strict=True))
    tops = list(zip(layers, map(y.position, high), strict=True))
    bottoms = list(zip(layers, map(y.position, low), strict=True))
    shapes = [
        *_bands(tops, bottoms),
        Shape("ink", line_path(points)),
        Shape("mark", marks_path(points, SERIES[0].path), "color: var(--ink)"),
        Shape("ring", marks_path([points[sweep.usual]], RING)),
        Shape("mark", marks_path([points[sweep.best]], DIAMOND)),
    ]
    # about eight ticks, however deep the network is
    ticks = [(layers[layer], str(layer)) for layer in range(0, len(values), max(1, len(values) // 8))]
    description = "; ".join(f"layer {layer}: {value:.3f}" for layer, value in enumerate(values))
    texts = PlotTexts(f"layer of {sweep.metric}", FIGURES[sweep.figure].title, description)
    return plot(x, y, texts=texts, shapes=shapes, x_ticks=ticks)


def _hexagons(points: Array) -> list[Shape]:
    """Return the hexagons with points in them, the more the less transparent."""
    # The centres stand in rows, every second of which is moved by half a hexagon: two lattices of rectangles.
    lattice = np.array([_HEXAGON, _HEXAGON * math.sqrt(3)])
    centres = np.stack([np.round(points / lattice) * lattice, (np.floor(points / lattice) + 0.5) * lattice])
    nearest = np.argmin(((centres - points) ** 2).sum(axis=-1), axis=0)
    hexagons, counts = np.unique(centres[nearest, np.arange(len(points))], axis=0, return_counts=True)
    side = _HEXAGON / math.sqrt(3)
    half = _HEXAGON / 2
    sides = (
        f"l{half:.2f} {side / 2:.2f}v{side:.2f}l-{half:.2f} {side / 2:.2f}l-{half:.2f}-{side / 2:.2f}v-{side:.2f}z"
    )
    shapes = []
    for (x, y), count in zip(hexagons.tolist(), counts.tolist(), strict=True):
        opacity = 0.15 + 0.6 * count / counts.max()
        shapes.append(Shape("area", f"M{x:.1f} {y - side:.1f}{sides}", f"opacity: {opacity:.2f}"))
    return shapes


def _bands(tops: Sequence[tuple[float, float]], bottoms: Sequence[tuple[float, float]]) -> list[Shape]:
    """Return the area between two lines: as it cannot be broken, one for each run of points that are no NaN."""
    bands = []
    upper: list[tuple[float, float]] = []
    lower: list[tuple[float, float]] = []
    # NaN, which ends the last run
    end = (math.nan, math.nan)
    for top, bottom in zip([*tops, end], [*bottoms, end], strict=True):
        if not math.isnan(top[1] + bottom[1]):
            upper.append(top)
            lower.insert(0, bottom)
        elif upper:
            bands.append(Shape("band", line_path([*upper, *lower])))
            upper = []
            lower = []
    return bands
