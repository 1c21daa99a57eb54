"""A correlation as one HTML file: an overview, the answers, figures, tests, and what a metric gets wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.correlation.answer import answer
from tercet.correlation.figures import FIGURES
from tercet.correlation.grades import MetricColumn
from tercet.correlation.layers import LayerSweep
from tercet.correlation.result import Correlation, DimensionTable
from tercet.correlation.samples import Array, means
from tercet.correlation.tables import MARKS, SHOWN, agreement_lines, new_remarks, pairs
from tercet.errors import needs
from tercet.names_as_shown import Sentence

from .plots import (
    DIAMOND,
    RING,
    SERIES,
    Dot,
    DotColumn,
    Mark,
    Plot,
    PlotTexts,
    Shape,
    bounds,
    line_path,
    marks_path,
    plot,
    scales,
)
from .rendering import minus, render

#: Outputs shown of each dimension.
_WORST = 6
#: Metrics with a plot.
_PLOTS = 6
#: Outputs above which a plot counts them in hexagons.
_MANY = 400
#: The width of a hexagon in pixels.
_HEXAGON = 16


def trust_html(correlation: Correlation, *, command: str | None = None, title: str = "Which metric to trust") -> str:
    """Return a report of a correlation: one HTML page that loads nothing and needs no script."""
    needs("An HTML report", "report", "jinja2")
    views = [_view(correlation, table, f"c{number}") for number, table in enumerate(correlation.tables, 1)]
    return render(
        "trust.html",
        title=title,
        command=command,
        found=correlation,
        overview=_overview(correlation),
        views=views,
        figures=FIGURES,
        marks=MARKS,
        in_words=_in_words,
        figure=lambda value: "–" if math.isnan(value) else minus(f"{value:.3f}"),
    )


def _in_words(line: str) -> str:
    """Return a line with the titles of figures, as the page calls them, instead of their names."""
    for name, figure in FIGURES.items():
        line = line.replace(name, figure.title)
    return line


# The overview and the figures of a dimension: tables of numbers, each above its interval on the scale of its column.


@dataclass(frozen=True, slots=True)
class _Column(DotColumn):
    """One figure of the metrics, on a scale of its own, with a line at 0, which is what unrelated scores have."""

    name: str = ""  # of the figure
    href: str = ""


def _column(name: str, title: str, href: str, dots: Sequence[Dot]) -> _Column:
    column = _Column(title, dots, name=name, href=href)
    if FIGURES[name].is_correlation and column.scale().low < 0:
        column = replace(column, line=0.0)
    return column


class _Overview(NamedTuple):
    """Metrics by the mean of their ranks, and for each dimension the figure that ranks them."""

    names: list[str]
    columns: list[_Column]


def _overview(correlation: Correlation) -> _Overview:

    def sum_of_ranks(label: str) -> int:
        return sum(table.ranking.index(label) for table in correlation.tables)

    labels = sorted([column.label for column in correlation.metrics], key=sum_of_ranks)
    titles = correlation.titles()
    columns = []
    for number, table in enumerate(correlation.tables, 1):
        dots = _dots(correlation, table, table.rank_by, labels)
        columns.append(_column(table.rank_by, table.dimension, f"c{number}", dots))
    return _Overview([titles[label] for label in labels], columns)


def _columns(correlation: Correlation, table: DimensionTable) -> list[_Column]:
    """Return the figure that ranks the metrics, and the others that are shown."""
    # every metric has the same figures
    figures = next(iter(table.figures.values()))
    others = [name for name in SHOWN if name in figures and name != table.rank_by]
    columns = []
    for name in (table.rank_by, *others):
        # so that no line breaks within "tau-b"
        title = FIGURES[name].title.replace("tau-", "tau\N{NON-BREAKING HYPHEN}")
        columns.append(_column(name, title, f"f-{name}", _dots(correlation, table, name, table.ranking)))
    return columns


class _TitledPlot(NamedTuple):
    """A plot, and what stands above it."""

    title: str
    plot: Plot


@dataclass(frozen=True, slots=True)
class _Output:
    """An output, its grade and its score, each with its percentile."""

    item: int  # from 1
    references: Sequence[str]
    system: str
    text: str
    grade: float
    score: float
    grade_percentile: float
    score_percentile: float


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A dimension as the template shows it."""

    table: DimensionTable
    prefix: str
    answer: list[Sentence]
    remarks: list[str]
    titles: dict[str, str]
    columns: list[_Column]
    agreement: list[str]
    pairs: list[list[tuple[float | None, str]]]
    layers: list[_TitledPlot]
    in_hexagons: bool  # outputs are counted, as they are many
    plots: list[_TitledPlot]
    worst: list[_Output]


def _view(correlation: Correlation, table: DimensionTable, prefix: str) -> _View:
    """Return what the template shows of a dimension."""
    columns = {column.label: column for column in correlation.metrics}
    titles = correlation.titles()
    human = correlation.grades.mean(table.dimension)
    is_negated = table.dimension in correlation.grades.lower_is_better
    in_hexagons = table.n_graded > _MANY
    plots = []
    for label in table.ranking[:_PLOTS]:
        scatter = _scatter(human, columns[label], in_hexagons=in_hexagons, is_negated=is_negated)
        plots.append(_TitledPlot(titles[label], scatter))
    return _View(
        table=table,
        prefix=prefix,
        answer=answer(correlation, table),
        remarks=new_remarks(correlation, table),
        titles=titles,
        columns=_columns(correlation, table),
        agreement=agreement_lines(table),
        pairs=pairs(correlation, table),
        layers=[_TitledPlot(sweep.summary(correlation.alpha), _curve(sweep)) for sweep in table.layers],
        in_hexagons=in_hexagons,
        plots=plots,
        worst=_worst(correlation, human, columns[table.ranking[0]]),
    )


def _dots(correlation: Correlation, table: DimensionTable, name: str, labels: Sequence[str]) -> list[Dot]:
    """Return a figure of some metrics; of the figure that was tested, metrics worse than the best are hollow.

    A metric alone is not the best of several.
    """
    figures = {label: table.figures[label][name] for label in labels}
    known_values = [figure.value for figure in figures.values() if not math.isnan(figure.value)]
    best = math.nan
    if len(labels) > 1:
        best = max(known_values, default=math.nan)
    dots = []
    for label, figure in figures.items():
        mark: Mark = "filled"
        if figure.value == best:
            mark = "best"
        elif name == table.rank_by and table.significance(table.ranking[0], label, correlation.alpha):
            mark = "hollow"
        dots.append(Dot(figure.value, figure.low, figure.high, mark))
    return dots


def _scatter(human: Array, column: MetricColumn, *, in_hexagons: bool, is_negated: bool = False) -> Plot:
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
    x_title = "grade, negated" if is_negated else "grade"
    y_title = "score, negated" if column.negated else "score"
    return plot(x, y, texts=PlotTexts(x_title, y_title, description), shapes=shapes)


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


def _curve(sweep: LayerSweep) -> Plot:
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


def _worst(correlation: Correlation, human: Array, column: MetricColumn) -> list[_Output]:
    """Return the outputs whose ranks by grade and by score differ most."""
    is_graded = ~np.isnan(human) & ~np.isnan(column.scores)
    grade_percentiles = _percentiles(human, is_graded)
    score_percentiles = _percentiles(column.scores, is_graded)
    apart = np.nan_to_num(np.abs(grade_percentiles - score_percentiles))
    systems, items = np.unravel_index(np.argsort(-apart, axis=None, kind="stable")[:_WORST], apart.shape)
    names = list(correlation.test_set.systems)
    outputs = []
    for system, item in zip(systems.tolist(), items.tolist(), strict=True):
        name = names[system]
        outputs.append(
            _Output(
                item=item + 1,
                references=correlation.test_set.references[item],
                system=name,
                text=correlation.test_set.systems[name][item],
                grade=float(human[system, item]),
                score=float(column.scores[system, item]),
                grade_percentile=float(grade_percentiles[system, item]),
                score_percentile=float(score_percentiles[system, item]),
            )
        )
    return outputs


def _percentiles(values: Array, is_graded: NDArray[np.bool_]) -> Array:
    """Return the percentile of each value among those of graded outputs; equal values share the middle of theirs."""
    graded_values = values[is_graded]
    in_order = np.sort(graded_values)
    n_lower = np.searchsorted(in_order, graded_values, "left")
    n_not_higher = np.searchsorted(in_order, graded_values, "right")
    percentiles = np.full(values.shape, np.nan)
    percentiles[is_graded] = 50 * (n_lower + n_not_higher) / len(graded_values)
    return percentiles
