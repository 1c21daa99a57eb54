"""A correlation as one HTML file: an overview, the answers, figures, tests, and what a metric gets wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tercet.correlation.answer import answer
from tercet.correlation.figures import FIGURES
from tercet.correlation.result import Correlation, DimensionTable
from tercet.correlation.tables import MARKS, SHOWN, PairCell, agreement_lines, new_remarks, pairs
from tercet.errors import needs
from tercet.names_as_shown import Name, Sentence

from .correlation_plots import curve, scatter
from .dots import Dot, DotColumn
from .marks import Mark
from .outputs_apart import RankedOutput, outputs_apart
from .plots import Plot
from .rendering import minus, render

#: Metrics with a plot.
_PLOTS = 6
#: Outputs above which a plot counts them in hexagons.
_MANY = 400


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
    if FIGURES[name].is_correlation and column.scale.low < 0:
        column = replace(column, line=0.0)
    return column


class _Overview(NamedTuple):
    """Metrics by the mean of their ranks, and for each dimension the figure that ranks them."""

    names: list[str]
    columns: list[_Column]
    notes: list[str]  # below


def _overview(correlation: Correlation) -> _Overview:

    def sum_of_ranks(label: str) -> int:
        return sum(table.ranking.index(label) for table in correlation.tables)

    labels = sorted([column.label for column in correlation.metrics], key=sum_of_ranks)
    titles = correlation.titles()
    columns = []
    for number, table in enumerate(correlation.tables, 1):
        dots = _dots(correlation, table, table.rank_by, labels)
        columns.append(_column(table.rank_by, table.dimension, f"c{number}", dots))
    return _Overview([titles[label] for label in labels], columns, _notes(correlation, columns))


def _notes(correlation: Correlation, columns: Sequence[_Column]) -> list[str]:
    """Return what is said below the overview."""
    notes = [f"Lines: {_level(correlation)} intervals."]
    marks = {dot.mark for column in columns for dot in column.dots}
    if "best" in marks:
        best = "Diamond: the best of a dimension"
        if "filled" in marks:
            best += "; filled: not significantly worse"
        if "hollow" in marks:
            best += "; hollow: significantly worse"
        notes.append(f"{best}.")
    if len(columns) > 1:
        notes.append("Each column has its own scale; metrics are sorted by the mean of their ranks.")
    rank_by = {column.name for column in columns}
    if len(rank_by) == 1:
        figure = FIGURES[rank_by.pop()]
        notes.append(f"{figure.title[0].upper()}{figure.title[1:]}: {figure.about}.")
    return notes


def _level(correlation: Correlation) -> str:
    return f"{100 * correlation.confidence_level:g} %"


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


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A dimension as the template shows it."""

    table: DimensionTable
    prefix: str
    answer: list[Sentence]
    remarks: list[str]
    titles: dict[str, str]
    columns: list[_Column]
    key: Sentence  # what their lines and marks are
    agreement: list[str]
    pairs: list[list[PairCell]]
    layers: list[_TitledPlot]
    in_hexagons: bool  # outputs are counted, as they are many
    plots: list[_TitledPlot]
    grade_title: str
    worst: list[RankedOutput]


def _view(correlation: Correlation, table: DimensionTable, prefix: str) -> _View:
    """Return what the template shows of a dimension."""
    columns = {column.label: column for column in correlation.metrics}
    titles = correlation.titles()
    human = correlation.mean_grades(table.dimension)
    grade_title = "z-score of the grade" if correlation.standardize else "grade"
    x_title = grade_title
    if table.dimension in correlation.grades.lower_is_better:
        x_title += ", negated"
    in_hexagons = table.n_graded > _MANY
    plots = []
    for label in table.ranking[:_PLOTS]:
        outputs_plot = scatter(human, columns[label], in_hexagons=in_hexagons, x_title=x_title)
        plots.append(_TitledPlot(titles[label], outputs_plot))
    of_figures = _columns(correlation, table)
    return _View(
        table=table,
        prefix=prefix,
        answer=answer(correlation, table),
        remarks=new_remarks(correlation, table),
        titles=titles,
        columns=of_figures,
        key=_key(correlation, table, of_figures),
        agreement=agreement_lines(table),
        pairs=pairs(correlation, table),
        layers=[_TitledPlot(sweep.summary(correlation.alpha), curve(sweep)) for sweep in table.layers],
        in_hexagons=in_hexagons,
        plots=plots,
        grade_title=grade_title,
        worst=outputs_apart(correlation, human, columns[table.ranking[0]]),
    )


def _key(correlation: Correlation, table: DimensionTable, columns: Sequence[_Column]) -> Sentence:
    """Return what the lines and marks of a dimension's figures are."""
    best, *others = table.ranking
    parts: list[str] = [f"Lines: {_level(correlation)} intervals"]
    if others:
        parts.append(". Diamond: the best")
    if any(dot.mark == "hollow" for dot in columns[0].dots):
        worse = f"; hollow: significantly worse in {FIGURES[table.rank_by].title} than "
        parts += [worse, Name(correlation.titles()[best])]
    if any(column.line is not None for column in columns):
        parts.append("; dashed: 0, as of unrelated scores")
    parts.append(".")
    if others:
        parts.append(" The other figures were not tested.")
    return tuple(parts)


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
