"""A correlation as one HTML file: the answer, figures, tests between metrics, and what a metric gets wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tercet.correlation.coefficients import FIGURES
from tercet.correlation.grades import Array, MetricColumn, means
from tercet.correlation.layers import LayerSweep
from tercet.correlation.result import MARKS, SHOWN, Correlation, DimensionTable, agreement_lines, answer, pairs
from tercet.errors import needs

from .plots import ACCENT, INK, LINE, Dot, DotColumn, dot_charts, drawing, inline_svg
from .rendering import render

#: Outputs shown of each dimension, and metrics with a plot.
_WORST, _PLOTS = 6, 6
#: Outputs above which a plot counts them in hexagons.
_MANY = 400
_WIDTH, _HEIGHT = 290, 220
#: Figures beside each other in a plot: more would be too narrow on a telephone.
_ACROSS = 2


def trust_html(correlation: Correlation, *, command: str | None = None, title: str = "Which metric to trust") -> str:
    """Return a report of a correlation: one HTML page that loads nothing and needs no script."""
    needs("An HTML report", "report", "jinja2", "matplotlib")
    with drawing():
        views = [_view(correlation, table, f"c{number}") for number, table in enumerate(correlation.tables, 1)]
    return render(
        "trust.html",
        title=title,
        command=command,
        found=correlation,
        views=views,
        figures=FIGURES,
        marks=MARKS,
        figure=lambda value: "–" if math.isnan(value) else f"{value:.3f}".replace("-", "−"),
    )


def _view(correlation: Correlation, table: DimensionTable, prefix: str) -> dict[str, Any]:
    """Return what the template shows of a dimension."""
    columns = {column.label: column for column in correlation.metrics}
    titles = correlation.titles()
    # every metric has the same figures
    figures = next(iter(table.figures.values()))
    names = [table.rank_by, *(name for name in SHOWN if name in figures and name != table.rank_by)]
    columns_of_dots = [_dots(correlation, table, name) for name in names]
    human = correlation.grades.mean(table.dimension)
    return {
        "table": table,
        "prefix": prefix,
        "answer": answer(correlation, table),
        "names": names,
        "titles": titles,
        "charts": [
            (chart, names[_ACROSS * number :][:_ACROSS])
            for number, chart in enumerate(
                dot_charts([titles[label] for label in table.ranking], columns_of_dots, _ACROSS)
            )
        ],
        "agreement": agreement_lines(table),
        "pairs": pairs(correlation, table),
        "layers": [
            (sweep.summary(correlation.alpha), _curve(sweep, f"{prefix}l{number}"))
            for number, sweep in enumerate(table.layers)
        ],
        "many": table.n_graded > _MANY,
        "plots": [
            (titles[label], _scatter(human, columns[label], f"{prefix}p{number}", table.n_graded > _MANY))
            for number, label in enumerate(table.ranking[:_PLOTS])
        ],
        "worst": _worst(correlation, human, columns[table.ranking[0]]),
    }


def _dots(correlation: Correlation, table: DimensionTable, name: str) -> DotColumn:
    """Return a figure of each metric; of the figure that was tested, metrics worse than the best are hollow."""
    figure_values = [table.figures[label][name] for label in table.ranking]
    best = max(
        (figure_value.value for figure_value in figure_values if not math.isnan(figure_value.value)),
        default=math.nan,
    )
    worse = [
        name == table.rank_by and bool(table.significance(table.ranking[0], label, correlation.alpha))
        for label in table.ranking
    ]
    dots = [
        Dot(
            figure_value.value,
            figure_value.low,
            figure_value.high,
            "best" if figure_value.value == best else "hollow" if hollow else "filled",
        )
        for figure_value, hollow in zip(figure_values, worse, strict=True)
    ]
    # so that no line breaks within "tau-b"
    title = FIGURES[name].title.replace("tau-", "tau\N{NON-BREAKING HYPHEN}")
    return DotColumn(title, dots, f"{FIGURES[name].least} to 1".replace("-", "−"))


def _scatter(human: Array, column: MetricColumn, prefix: str, many: bool) -> str:
    """Return a plot of the outputs, with a point for each system's means; many outputs are counted in hexagons."""
    figure, axes = _axes()
    is_graded = ~np.isnan(human) & ~np.isnan(column.scores)
    x, y = human[is_graded], column.scores[is_graded]
    if many:
        axes.hexbin(x, y, gridsize=18, mincnt=1, cmap="Blues", alpha=0.7, linewidths=0)
    else:
        axes.plot(x, y, linestyle="", marker="o", markersize=3, color=INK, alpha=0.25, markeredgewidth=0)
    once = np.ones((1, human.shape[1]))
    mean_grades, mean_scores = (
        means(np.where(is_graded, values, np.nan), once)[0].tolist() for values in (human, column.scores)
    )
    axes.plot(mean_grades, mean_scores, linestyle="", marker="D", markersize=8, color=ACCENT)
    axes.grid(color=LINE)
    axes.set_axisbelow(True)
    systems = "; ".join(f"{grade:.2f} and {score:.4g}" for grade, score in zip(mean_grades, mean_scores, strict=True))
    description = f"Mean grade and mean score of each system: {systems}"
    return inline_svg(figure, ["grade", "score, negated" if column.negated else "score"], description, prefix)


def _curve(sweep: LayerSweep, prefix: str) -> str:
    """Return a plot of the figure of each layer with its interval; the best is a diamond, the usual one a ring."""
    figure, axes = _axes()
    values = [figure_value.value for figure_value in sweep.values]
    low = [figure_value.low for figure_value in sweep.values]
    high = [figure_value.high for figure_value in sweep.values]
    axes.fill_between(range(len(values)), low, high, color=LINE)
    axes.plot(values, color=INK, marker="o", markersize=3, linewidth=1)
    axes.plot([sweep.usual], [values[sweep.usual]], marker="o", markersize=9, color=ACCENT, fillstyle="none")
    axes.plot([sweep.best], [values[sweep.best]], marker="D", markersize=8, color=ACCENT)
    # about eight ticks, however deep the network is
    axes.set_xticks(range(0, len(values), max(1, len(values) // 8)))
    description = "; ".join(f"layer {layer}: {value:.3f}" for layer, value in enumerate(values))
    return inline_svg(figure, [f"layer of {sweep.metric}", sweep.figure], description, prefix)


def _axes() -> tuple[Any, Any]:
    """Return a figure, and its axes between the labels @0, below, and @1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH / 72, _HEIGHT / 72), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("@0")
    axes.set_ylabel("@1")
    return figure, axes


def _worst(correlation: Correlation, human: Array, column: MetricColumn) -> list[dict[str, Any]]:
    """Return the outputs whose ranks by grade and by score differ most."""
    is_graded = ~np.isnan(human) & ~np.isnan(column.scores)
    places = np.full((2, *human.shape), np.nan)
    for place, values in enumerate((human, column.scores)):
        graded_values = values[is_graded]
        low = np.searchsorted(np.sort(graded_values), graded_values, "left")
        high = np.searchsorted(np.sort(graded_values), graded_values, "right")
        # a percentile; equal values share the middle of their places
        places[place][is_graded] = 50 * (low + high) / len(graded_values)
    apart = np.nan_to_num(np.abs(places[0] - places[1]))
    systems, items = np.unravel_index(np.argsort(-apart, axis=None, kind="stable")[:_WORST], apart.shape)
    names = list(correlation.test_set.systems)
    return [
        {
            "item": int(item) + 1,
            "references": correlation.test_set.references[item],
            "system": names[system],
            "text": correlation.test_set.systems[names[system]][item],
            "grade": float(human[system, item]),
            "score": float(column.scores[system, item]),
            "places": [float(ranks[system, item]) for ranks in places],
        }
        for system, item in zip(systems.tolist(), items.tolist(), strict=True)
    ]
