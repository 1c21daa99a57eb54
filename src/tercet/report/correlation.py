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


def trust_html(found: Correlation, *, command: str | None = None, title: str = "Which metric to trust") -> str:
    """Return a report of a correlation: one HTML page that loads nothing and needs no script."""
    needs("An HTML report", "report", "jinja2", "matplotlib")
    with drawing():
        views = [_view(found, table, f"c{number}") for number, table in enumerate(found.tables, 1)]
    return render(
        "trust.html", title=title, command=command, found=found, views=views, figures=FIGURES, marks=MARKS,
        figure=lambda value: "–" if math.isnan(value) else f"{value:.3f}".replace("-", "−"),
    )  # fmt: skip


def _view(found: Correlation, table: DimensionTable, prefix: str) -> dict[str, Any]:
    """Return what the template shows of a dimension."""
    columns = {column.label: column for column in found.metrics}
    titles = found.titles()
    known = next(iter(table.figures.values()))
    names = [table.rank_by, *(name for name in SHOWN if name in known and name != table.rank_by)]
    columns_of_dots = [_dots(found, table, name) for name in names]
    human = found.grades.mean(table.dimension)
    return {
        "table": table,
        "prefix": prefix,
        "answer": answer(found, table),
        "names": names,
        "titles": titles,
        "charts": [
            (chart, names[_ACROSS * number :][:_ACROSS])
            for number, chart in enumerate(
                dot_charts([titles[label] for label in table.ranking], columns_of_dots, _ACROSS)
            )
        ],
        "agreement": agreement_lines(table),
        "pairs": pairs(found, table),
        "layers": [
            (each.summary(found.alpha), _curve(each, f"{prefix}l{number}"))
            for number, each in enumerate(table.layers)
        ],
        "many": table.n_graded > _MANY,
        "plots": [
            (titles[label], _scatter(human, columns[label], f"{prefix}p{number}", table.n_graded > _MANY))
            for number, label in enumerate(table.ranking[:_PLOTS])
        ],
        "worst": _worst(found, human, columns[table.ranking[0]]),
    }


def _dots(found: Correlation, table: DimensionTable, name: str) -> DotColumn:
    """Return a figure of each metric; of the figure that was tested, metrics worse than the best are hollow."""
    values = [table.figures[label][name] for label in table.ranking]
    best = max((each.value for each in values if not math.isnan(each.value)), default=math.nan)
    worse = [
        name == table.rank_by and bool(table.significance(table.ranking[0], label, found.alpha))
        for label in table.ranking
    ]
    dots = [
        Dot(each.value, each.low, each.high, "best" if each.value == best else "hollow" if hollow else "filled")
        for each, hollow in zip(values, worse, strict=True)
    ]
    title = FIGURES[name].title.replace("tau-", "tau\N{NON-BREAKING HYPHEN}")
    return DotColumn(title, dots, f"{FIGURES[name].least} to 1".replace("-", "−"))


def _scatter(human: Array, column: MetricColumn, prefix: str, many: bool) -> str:
    """Return a plot of the outputs, with a point for each system's means; many outputs are counted in hexagons."""
    figure, axes = _axes()
    there = ~np.isnan(human) & ~np.isnan(column.scores)
    x, y = human[there], column.scores[there]
    if many:
        axes.hexbin(x, y, gridsize=18, mincnt=1, cmap="Blues", alpha=0.7, linewidths=0)
    else:
        axes.plot(x, y, linestyle="", marker="o", markersize=3, color=INK, alpha=0.25, markeredgewidth=0)
    once = np.ones((1, human.shape[1]))
    of_systems = [means(np.where(there, values, np.nan), once)[0] for values in (human, column.scores)]
    axes.plot(*of_systems, linestyle="", marker="D", markersize=8, color=ACCENT)
    axes.grid(color=LINE)
    axes.set_axisbelow(True)
    pairs = zip(*(each.tolist() for each in of_systems), strict=True)
    description = f"Mean grade and mean score of each system: {'; '.join(f'{a:.2f} and {b:.4g}' for a, b in pairs)}"
    return inline_svg(figure, ["grade", "score, negated" if column.negated else "score"], description, prefix)


def _curve(sweep: LayerSweep, prefix: str) -> str:
    """Return a plot of the figure of each layer with its interval; the best is a diamond, the usual one a ring."""
    figure, axes = _axes()
    values = [each.value for each in sweep.values]
    low, high = ([getattr(each, side) for each in sweep.values] for side in ("low", "high"))
    axes.fill_between(range(len(values)), low, high, color=LINE)
    axes.plot(values, color=INK, marker="o", markersize=3, linewidth=1)
    axes.plot([sweep.usual], [values[sweep.usual]], marker="o", markersize=9, color=ACCENT, fillstyle="none")
    axes.plot([sweep.best], [values[sweep.best]], marker="D", markersize=8, color=ACCENT)
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


def _worst(found: Correlation, human: Array, column: MetricColumn) -> list[dict[str, Any]]:
    """Return the outputs whose ranks by grade and by score differ most."""
    there = ~np.isnan(human) & ~np.isnan(column.scores)
    places = np.full((2, *human.shape), np.nan)
    for place, values in enumerate((human, column.scores)):
        own = values[there]
        low = np.searchsorted(np.sort(own), own, "left")
        high = np.searchsorted(np.sort(own), own, "right")
        places[place][there] = 50 * (low + high) / len(own)
    apart = np.nan_to_num(np.abs(places[0] - places[1]))
    systems, items = np.unravel_index(np.argsort(-apart, axis=None, kind="stable")[:_WORST], apart.shape)
    names = list(found.test_set.systems)
    return [
        {
            "item": int(item) + 1,
            "references": found.test_set.references[item],
            "system": names[system],
            "text": found.test_set.systems[names[system]][item],
            "grade": float(human[system, item]),
            "score": float(column.scores[system, item]),
            "places": [float(each[system, item]) for each in places],
        }
        for system, item in zip(systems.tolist(), items.tolist(), strict=True)
    ]
