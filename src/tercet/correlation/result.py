"""The result of a correlation: figures of every metric with intervals, tests between metrics, and the grades."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from tercet.base.settings import PERMUTATIONS
from tercet.comparison.fitting import Fitted, Shown, fitted, in_parts, left_out_in_words, printed
from tercet.errors import OptionError, argument_set, did_you_mean, needs, shorten
from tercet.markup import MOST_NAMED, Name, Sentence, all_of, clean, joined, listed, one_cell, sentences_html
from tercet.statistics.inference import ADJUSTED
from tercet.tables import (
    FOR_PEOPLE,
    Cell,
    Column,
    Table,
    finite_or_none,
    json_text,
    pvalue_text,
    to_lines,
    to_notebook,
)
from tercet.test_sets.test_set import TestSet

from .coefficients import FIGURES, UNITS, FigureValue
from .grades import Grades, MetricColumn
from .layers import LayerSweep
from .samples import Array, Numbers, graded

#: Of a row in :meth:`Correlation.records`.
COLUMNS = (
    "test_set",
    "dimension",
    "metric",
    "figure",
    "value",
    "low",
    "high",
    "n",
    "epsilon",
    "rank",
    "cluster",
    "unit",
    "signature",
)
#: Of a correlation, as they stand in its JSON.
_SETTINGS = ("unit", "n_resamples", "n_permutations", "seed", "confidence_level", "alpha", "ties")
#: How p is adjusted for all pairs of metrics.
_ADJUST = "step-down"
#: Attributes of a figure, likewise.
_FIELDS = ("value", "low", "high", "n", "epsilon")


@dataclass(frozen=True, slots=True, eq=False)
class DimensionTable:
    """How all metrics agree with the grades of one dimension.

    Attributes
    ----------
    dimension : str
    n_graded, n_items : int
        Graded outputs, and items with at least one.
    figures : dict of str to dict of str to FigureValue
        By metric, then by name of the figure.
    rank_by : str
        The figure of the ranking and of the tests.
    ranking : list of str
        Metrics, the best first.
    clusters : dict of str to int, or to None where equal grades make none
        By two-sided p, not adjusted, by the rule of the WMT metrics tasks.
    test : str
        The test between metrics.
    pvalues : ndarray, shape (k, k)
        In row a and column b, the one-sided p-value that a agrees better than b, as of mt-metrics-eval; NaN where the
        figure is undefined. Rows and columns have the order of `figures`. It is for two metrics of which one was
        expected to be better before the data were seen: sentences and marks are by `adjusted`, clusters by
        two-sided p.
    adjusted : ndarray, shape (k, k)
        The two-sided p-value of a and b where a is the better one, adjusted for all pairs by the step-down maximum
        (Romano and Wolf 2005, Econometrica 73); otherwise 1.
    williams : ndarray, shape (k, k)
        The same as `pvalues`, one-sided, by Williams' test, where metrics are ranked by Pearson's r; otherwise NaN.
    agreement : dict of str to float
        Of the raters: ``alpha_ordinal``, ``alpha_interval`` and ``raw``; empty with one rater.
    remarks : list of str
        Warnings about the ranking; what people read shows one that several tables have once.
    layers : list of LayerSweep
        For each metric that was scored with ``all_layers=True``, which layer agrees best.
    equal_grades : bool
        Whether no two grades that the ranking compares differ, so that it says nothing.
    """

    dimension: str
    n_graded: int
    n_items: int
    figures: dict[str, dict[str, FigureValue]]
    rank_by: str
    ranking: list[str]
    clusters: dict[str, int | None]
    test: str
    pvalues: Array = field(repr=False)
    adjusted: Array = field(repr=False)
    williams: Array = field(repr=False)
    agreement: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    layers: list[LayerSweep] = field(default_factory=list)
    equal_grades: bool = False

    def ranked(self) -> list[str]:
        """Return the metrics for which the figure of the ranking is defined, the best first."""
        return [label for label in self.ranking if not math.isnan(self.figures[label][self.rank_by].value)]

    @property
    def is_compared(self) -> bool:
        """Whether the figure of the ranking differs between metrics."""
        values = {self.figures[label][self.rank_by].value for label in self.ranked()}
        return len(values) > 1 and not self.equal_grades

    def adjusted_p(self, one: str, other: str) -> float:
        """Return the adjusted two-sided p-value of two metrics where the one agrees better; otherwise 1."""
        labels = list(self.figures)
        return float(self.adjusted[labels.index(one), labels.index(other)])

    def pair_p(self, one: str, other: str) -> float:
        """Return the adjusted two-sided p-value of two metrics, whichever is better; NaN if it is undefined."""
        labels = list(self.figures)
        if math.isnan(self.pvalues[labels.index(one), labels.index(other)]):
            return math.nan
        return min(self.adjusted_p(one, other), self.adjusted_p(other, one))

    @property
    def p_label(self) -> str:
        """What p of two metrics is called: with two there is one pair, and nothing to adjust."""
        return "adjusted p" if len(self.ranked()) > 2 else "p"

    def cluster_of(self, label: str) -> str:
        """Return the number of a metric's cluster as people read it."""
        cluster = self.clusters[label]
        return "-" if cluster is None else str(cluster)

    @property
    def cluster_label(self) -> str:
        """What the column of clusters is called beside sentences that are by adjusted p."""
        return "cluster" if self.p_label == "p" else "cluster (p unadjusted)"

    def significance(self, one: str, other: str, alpha: float) -> str:
        """Return ``better`` or ``worse`` if one metric differs significantly from another, else an empty text."""
        ways = {"better": self.adjusted_p(one, other), "worse": self.adjusted_p(other, one)}
        return next((way for way, p in ways.items() if p < alpha), "")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlation:
    """Metrics beside human grades.

    Attributes
    ----------
    test_set : TestSet
    grades : Grades
    metrics : list of MetricColumn
    tables : list of DimensionTable
    unit : {"items", "systems", "both"}
        The unit that the intervals resample.
    n_resamples, n_permutations, seed : int
        Of the intervals; of the tests; of both.
    confidence_level, alpha : float
    standardize : bool
        Whether grades are means of the raters' z-scores.
    ties : {"scored", "exact"}
        Whether scores tie if equal to the last bit, or if they agree to 12 significant digits.
    """

    test_set: TestSet
    grades: Grades
    metrics: list[MetricColumn]
    tables: list[DimensionTable]
    unit: str
    n_resamples: int
    n_permutations: int
    seed: int
    confidence_level: float
    alpha: float
    standardize: bool = False
    ties: str = "scored"

    def table(self, dimension: str | None = None) -> DimensionTable:
        """Return how the metrics agree with the grades of a dimension; by default the first.

        Raises
        ------
        OptionError
            For an unknown dimension.
        """
        names = [table.dimension for table in self.tables]
        if dimension is not None and dimension not in names:
            raise OptionError(f"There is no dimension {shorten(dimension)}. {did_you_mean(dimension, names)}")
        return self.tables[0 if dimension is None else names.index(dimension)]

    def titles(self) -> dict[str, str]:
        """Return what people call each metric, by its label; with its options where two share a name."""
        times, titles = Counter(column.title for column in self.metrics), {}
        for column in self.metrics:
            # a label may be the name of the metric, a colon and its options
            options = f" ({column.label.partition(':')[2] or column.label})" if times[column.title] > 1 else ""
            titles[column.label] = f"{column.title}{options}"
        return titles

    def graded(self, table: DimensionTable, columns: Sequence[MetricColumn]) -> tuple[Array, Array]:
        """Return grades (n, m) of the graded systems, and scores (k, n, m); NaN where one of them is missing."""
        scores = np.array([column.scores for column in columns], np.float64)
        return graded(self.grades.mean(table.dimension, self.standardize), scores)

    def cluster_numbers(self) -> Numbers | None:
        """Return the cluster of each item, from 0; None where each item is its own."""
        return None if self.test_set.clusters is None else self.test_set.clusters.numbers

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each figure of each metric and dimension, in the order of :data:`COLUMNS`."""
        rows = []
        for table in self.tables:
            for column in self.metrics:
                for name, figure in table.figures[column.label].items():
                    ranked = name == table.rank_by
                    rows.append(
                        {
                            "test_set": self.test_set.name,
                            "dimension": table.dimension,
                            "metric": column.label,
                            "figure": name,
                            "value": figure.value,
                            "low": figure.low,
                            "high": figure.high,
                            "n": figure.n,
                            "epsilon": figure.epsilon if name == "item.acc_eq" else None,
                            "rank": table.ranking.index(column.label) + 1 if ranked else None,
                            "cluster": table.clusters[column.label] if ranked else None,
                            "unit": self.unit,
                            "signature": column.signature,
                        }
                    )
        return rows

    def to_dataframe(self) -> Any:
        """Return a data frame of pandas: the rows of :meth:`records`."""
        needs("A data frame", "evaluate", "pandas")
        import pandas as pd

        return pd.DataFrame(self.records(), columns=list(COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """Return figures, intervals and tests as plain Python (not texts, grades or scores)."""
        labels = [column.label for column in self.metrics]
        clusters = self.test_set.clusters
        return {
            "test_set": self.test_set.name,
            "systems": list(self.grades.systems),
            "n_items": self.grades.n_items,
            "clusters_of_items": None if clusters is None else clusters.to_dict(),
            "raters": [rater for rater in self.grades.raters if rater],
            **{name: getattr(self, name) for name in _SETTINGS},
            "notes": self.notes(),
            "metrics": [
                {"metric": column.label, "signature": column.signature, "negated": column.negated}
                for column in self.metrics
            ],
            "dimensions": [
                {
                    **{name: getattr(table, name) for name in ("dimension", "n_graded", "n_items")},
                    "negated": table.dimension in self.grades.lower_is_better,
                    "agreement": _plain(table.agreement),
                    "figures": {
                        label: {
                            name: _plain({field: getattr(figure, field) for field in _FIELDS})
                            for name, figure in table.figures[label].items()
                        }
                        for label in labels
                    },
                    **{name: getattr(table, name) for name in ("rank_by", "ranking", "clusters", "test")},
                    "adjust": _ADJUST,
                    "p_row_better_than_column": finite_or_none(table.pvalues.tolist()),
                    "p_adjusted": finite_or_none(table.adjusted.tolist()),
                    "p_williams": finite_or_none(table.williams.tolist()),
                    "remarks": table.remarks,
                    "layers": [sweep.to_dict() for sweep in table.layers],
                }
                for table in self.tables
            ],
        }

    def legend(self) -> str:
        """Return what the numbers are."""
        resampled = [] if self.test_set.clusters is None else self.test_set.clusters.notes()
        negated = ", ".join(self.titles()[column.label] for column in self.metrics if column.negated)
        negated_grades = ", ".join(
            table.dimension for table in self.tables if table.dimension in self.grades.lower_is_better
        )
        clusters = (
            " Clusters: a new one begins at the first metric that is significantly worse than all metrics of the one "
            f"before, by the rule of the WMT metrics tasks (two-sided p, not adjusted, alpha {self.alpha:g})."
        )
        if any(table.p_label != "p" for table in self.tables):
            clusters += " Sentences and marks are by adjusted p, which may not tell metrics of two clusters apart."
        return (
            f"Intervals: {100 * self.confidence_level:g} %, percentile bootstrap over "
            f"{'items and systems' if self.unit == 'both' else self.unit} ({UNITS[self.unit]}), "
            f"{self.n_resamples:,} resamples, seed {self.seed}."
            f"{''.join(f' {note}' for note in resampled)}"
            f"{clusters if len(self.metrics) > 1 else ''}"
            f"{' Scores that agree to 12 significant digits are ties.' if self.ties == 'exact' else ''}"
            f"{f' Negated, as lower is better: {negated}.' if negated else ''}"
            f"{f' Grades negated, as lower is better: {negated_grades}.' if negated_grades else ''}"
        )

    def notes(self) -> list[str]:
        """Return what holds of all tables at once: that the tests could not find any difference."""
        if any(too_few_permutations(self, table) for table in self.tables):
            return ["".join(_too_few_permutations(self))]
        return []

    def tests(self, tables: Sequence[DimensionTable]) -> list[str]:
        """Return what the p-values are; nothing for one metric."""
        if len(self.metrics) < 2:
            return []
        adjusted = f"; adjusted for all pairs of metrics by {ADJUSTED[_ADJUST]}"
        tests = [
            f"{table.p_label}: two-sided, that two metrics agree equally well in {table.rank_by}; "
            f"{table.test}; {self.n_permutations:,} draws, seed {self.seed}"
            f"{adjusted if table.p_label != 'p' else ''}."
            for table in tables
        ]
        return list(dict.fromkeys(tests))

    def tested(self, tables: Sequence[DimensionTable]) -> list[str]:
        """Return what the p-values and their marks are, below a table of them; nothing for one metric."""
        if len(self.metrics) < 2:
            return []
        return [
            *self.tests(tables),
            "JSON also has p_row_better_than_column: one-sided, not adjusted, as of mt-metrics-eval.",
            "▲ the metric of the row is significantly better than that of the column, ▼ worse "
            f"(alpha {self.alpha:g}).",
        ]

    def about(self, names: Sequence[str]) -> list[str]:
        """Return a line that defines each figure."""
        return [f"{name}: {FIGURES[name].definition}" for name in names]

    def signatures(self) -> list[str]:
        """Return the signature of each metric once."""
        return [signature for signature in dict.fromkeys(column.signature for column in self.metrics) if signature]

    def __repr__(self) -> str:
        return (
            f"<Correlation of {', '.join(repr(column.label) for column in self.metrics)} with the grades of "
            f"{', '.join(repr(table.dimension) for table in self.tables)} on {self.test_set.name!r}: "
            f"{len(self.grades.systems)} systems, {self.grades.n_items:,} items>"
        )

    def __str__(self) -> str:
        """Return what a terminal shows: the answers, the figures with their intervals, and the tests."""
        return to_text(self).rstrip("\n")

    def to_markdown(self) -> str:
        """Return the answers and figures as tables in Markdown."""
        return in_format(self, "markdown")

    def to_latex(self) -> str:
        """Return the figures as tables in LaTeX, which need the package booktabs."""
        return in_format(self, "latex")

    def _repr_html_(self) -> str:
        """Show the answer, and the figures with their intervals, in a notebook."""
        return correlation_html(self)


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: finite_or_none(float(value)) for name, value in values.items()}


# A correlation as text, JSON, TSV, Markdown or LaTeX.


def to_text(correlation: Correlation, width: int | None = None, colour: bool = False, *, wraps: bool = False) -> str:
    """Return the answers, then for each dimension the ranking and p between metrics, for a terminal.

    Figures that do not fit are left out, and a line below says which. `wraps` breaks long lines between words.
    """
    width = Console(width=width, force_terminal=colour).width
    parts: list[str | Fitted] = []
    for table in correlation.tables:
        parts += [*map(one_cell, answer_lines(correlation, table)), ""]
    for table in correlation.tables:
        parts.append(_ranking(correlation, table, width))
        if len(correlation.metrics) > 1:
            parts += _pvalues(correlation, table, width)
        parts += [*map(one_cell, note_lines(correlation, table)), ""]
    names = list(dict.fromkeys(name for table in correlation.tables for name in shown_figures(table)))
    tables = [part for part in parts if isinstance(part, Fitted)]
    below = left_out_in_words(tables, "-f tsv")
    below += [correlation.legend(), *correlation.tested(correlation.tables), *correlation.about(names)]
    return printed([*parts, *map(one_cell, [*below, *correlation.signatures()])], width, colour, wraps=wraps)


def _ranking(correlation: Correlation, table: DimensionTable, width: int) -> Fitted:
    title = (
        f"{correlation.test_set.name}: {table.dimension}, {table.n_graded} graded outputs of {table.n_items} items"
    )
    names, titles = shown_figures(table), correlation.titles()
    columns = [
        Shown(
            table.cluster_label.replace("cluster (p ", "cluster (p\n"),
            [table.cluster_of(label) for label in table.ranking],
        ),
        Shown("metric", [one_cell(titles[label]) for label in table.ranking], is_name=True),
    ]
    for index, name in enumerate(names):
        figures = [table.figures[label][name] for label in table.ranking]
        if name == table.rank_by:
            cells = [f"[bold]{with_interval(figure)}[/]" for figure in figures]
            columns.append(Shown(name.replace(".", "\n"), cells))
        else:
            cells = [number(figure.value) for figure in figures]
            # The last ones leave first.
            columns.append(Shown(name.replace(".", "\n"), cells, leaves=len(names) - index, said=name))
    ranking = Grid(title=escape(one_cell(title)), box=box.SIMPLE_HEAD, title_justify="left")
    return fitted(ranking, columns, width)


def _pvalues(correlation: Correlation, table: DimensionTable, width: int) -> Iterator[Fitted]:
    """Yield p of each two metrics: as many columns as fit, and the others in further tables."""
    titles = correlation.titles()
    names = [f"{place} {one_cell(titles[label])}" for place, label in enumerate(table.ranking, 1)]
    rows = [
        ["" if p is None else f"{MARKS[outcome]}{_p(p)}" for p, outcome in row] for row in pairs(correlation, table)
    ]
    columns = [Shown(str(place), cells) for place, cells in enumerate(zip(*rows, strict=True), 1)]
    of_names = Shown(table.p_label, names, is_name=True)
    for some in in_parts(of_names, columns, width):
        yield fitted(Grid(box=box.SIMPLE_HEAD), some, width)


def in_format(correlation: Correlation, form: str) -> str:
    """Return a correlation as json, tsv or csv, with all numbers, or as markdown or latex, as people read it."""
    if form == "json":
        return json_text(correlation.to_dict())
    if form in FOR_PEOPLE:
        return FOR_PEOPLE[form](_tables(correlation, alone=form == "latex"))
    return to_lines(sheet_of(correlation), form)


def sheet_of(correlation: Correlation) -> Table:
    """Return a row for each figure of each metric and dimension."""
    rows = [[None if value != value else value for value in row.values()] for row in correlation.records()]
    return Table("Figures", [Column(name) for name in COLUMNS], rows)


def _tables(correlation: Correlation, *, alone: bool) -> Iterator[Table]:
    """Yield a table for each dimension: a row for each metric, the best first, and a column for each figure.

    The legend stands below the last one, or below each that is read `alone`, then without signatures.
    """
    for table in correlation.tables:
        names = [name for name in SHOWN if name in next(iter(table.figures.values()))]
        names = names if table.rank_by in names else [table.rank_by, *names]
        best = {name: max(_known(figures[name].value) for figures in table.figures.values()) for name in names}
        rows = []
        for label in table.ranking:
            figures = table.figures[label]
            # A metric alone is not the best of several.
            has_others = len(table.ranking) > 1
            cells = [
                Cell(with_interval(figures[name]), has_others and figures[name].value == best[name]) for name in names
            ]
            rows.append([table.cluster_of(label), correlation.titles()[label], *cells])
        last = table is correlation.tables[-1]
        notes = note_lines(correlation, table)
        if alone or last:
            notes += [correlation.legend(), *correlation.tests([table] if alone else correlation.tables)]
        yield Table(
            table.dimension,
            [Column(table.cluster_label), Column("metric", "name"), *map(Column, names)],
            rows,
            above=answer_lines(correlation, table),
            notes=notes,
            signatures=correlation.signatures() if last and not alone else [],
        )


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _p(value: float) -> str:
    return "-" if math.isnan(value) else pvalue_text(value)


# What readable forms show of a dimension: figures, cells, lines around tables; and all of it in a notebook.

#: Figures of the readable tables, where defined; JSON and TSV have all of them.
SHOWN = (
    "pooled.pearson",
    "pooled.kendall_b",
    "item.kendall_b",
    "item.acc_eq",
    "item.darr",
    "system.pearson",
    "system.pairwise_accuracy",
    "system.spa",
)
#: Before the p-value of a pair whose difference is significant.
MARKS = {"better": "▲ ", "worse": "▼ ", "": ""}
#: Figures beside the one of the ranking, in a terminal.
_BESIDE = 4


def shown_figures(table: DimensionTable) -> list[str]:
    """Return the figure of the ranking, and the next ones of those that are shown."""
    # every metric has the same figures
    figures = next(iter(table.figures.values()))
    beside = [name for name in SHOWN if name in figures and name != table.rank_by]
    beside = [name for name in beside if name != "item.darr"] or beside
    if len(beside) > _BESIDE:
        return [table.rank_by, *beside[:_BESIDE], beside[-1]]
    return [table.rank_by, *beside]


def pairs(correlation: Correlation, table: DimensionTable) -> list[list[tuple[float | None, str]]]:
    """Return adjusted p of each two metrics, the best first, and whether the row is significantly better or worse.

    There is no p of a metric and itself.
    """

    def pair(row: str, column: str) -> tuple[float | None, str]:
        p = None if row == column else table.pair_p(row, column)
        return p, table.significance(row, column, correlation.alpha)

    return [[pair(row, column) for column in table.ranking] for row in table.ranking]


def agreement_lines(table: DimensionTable) -> list[str]:
    """Return the agreement of the raters, in words; nothing for one rater."""
    if not table.agreement:
        return []
    ordinal, interval, raw = map(number, table.agreement.values())
    alpha = f"Krippendorff's alpha {ordinal} (ordinal), {interval} (interval)"
    return [f"Inter-rater agreement: {alpha}; share of equal grades {raw}."]


def answer_lines(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return the answer, and the warnings about it."""
    return [" ".join("".join(sentence) for sentence in answer(correlation, table)), *new_remarks(correlation, table)]


def new_remarks(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return the warnings about a ranking that do not stand with an earlier one: what holds of all is said once."""
    earlier = correlation.tables[: correlation.tables.index(table)]
    said_before = {remark for one in earlier for remark in one.remarks}
    return [remark for remark in table.remarks if remark not in said_before]


def note_lines(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return the agreement of raters, and the best layers."""
    return [*agreement_lines(table), *(sweep.summary(correlation.alpha) for sweep in table.layers)]


def with_interval(figure: FigureValue) -> str:
    """Return a figure and its interval for a cell of a table."""
    if math.isnan(figure.low):
        return number(figure.value)
    return f"{number(figure.value)} ({number(figure.low)} to {number(figure.high)})"


def number(value: float) -> str:
    """Return a figure as text."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def correlation_html(correlation: Correlation) -> str:
    """Return the answers, then the figures of each dimension with their intervals, as HTML for a notebook."""
    parts = [
        sentences_html([*answer(correlation, table), *((line,) for line in new_remarks(correlation, table))])
        for table in correlation.tables
    ]
    names = list(dict.fromkeys(name for table in correlation.tables for name in shown_figures(table)))
    for table in correlation.tables:
        shown = shown_figures(table)
        graded = f"{table.n_graded:,} graded outputs of {table.n_items:,} items"
        rows = []
        for label in table.ranking:
            cells = [with_interval(table.figures[label][name]) for name in shown]
            rows.append([correlation.titles()[label], table.cluster_of(label), *cells])
        notes = note_lines(correlation, table)
        if table is correlation.tables[-1]:
            of_tests = correlation.tests(correlation.tables)
            notes += [correlation.legend(), *of_tests, *correlation.about(names), *correlation.signatures()]
        parts.append(f"<p><b><bdi>{clean(table.dimension)}</bdi></b>: {graded}</p>")
        columns = [Column("metric", "name"), *map(Column, [table.cluster_label, *shown])]
        parts.append(to_notebook(Table("", columns, rows, notes=notes)))
    return f"<div>{''.join(parts)}</div>"


# Which metric agrees best with the grades, in plain sentences that claim no more than the tests show.


def answer(correlation: Correlation, table: DimensionTable) -> list[Sentence]:
    """Return which metrics agree best with a dimension, and which of them the tests tell apart.

    The p-values are adjusted for all pairs of metrics (with two metrics there is one pair, and nothing to adjust).
    Lack of significance is not presented as equality.
    """
    return _Answer(correlation, table).sentences()


def _least_p(correlation: Correlation) -> float:
    """Return the least p that the draws can give: the observed difference counts as one of them."""
    return 1 / (correlation.n_permutations + 1)


def too_few_permutations(correlation: Correlation, table: DimensionTable) -> bool:
    """Return whether metrics are compared, and no difference of them could be significant, whatever the data."""
    return table.is_compared and _least_p(correlation) >= correlation.alpha


def _too_few_permutations(correlation: Correlation) -> Sentence:
    """Say that no difference could be significant, whatever the data."""
    draws = correlation.n_permutations
    drawn = "1 permutation" if draws == 1 else f"{draws:,} permutations"
    enough = max(PERMUTATIONS, math.floor(1 / correlation.alpha))
    return (
        f"Too few permutations to tell metrics apart: with {drawn}, p is at least "
        f"{_least_p(correlation):.3g}. {argument_set('n_permutations', enough)} would do.",
    )


class _Answer:
    """The sentences on one dimension; metrics are passed by their labels, the best first."""

    def __init__(self, correlation: Correlation, table: DimensionTable) -> None:
        self.correlation, self.table = correlation, table
        self.ranked = table.ranked()
        self.titles = {label: Name(title) for label, title in correlation.titles().items()}
        self.dimension = Name(table.dimension)
        self.figure = FIGURES[table.rank_by]

    def sentences(self) -> list[Sentence]:
        dimension, title = self.dimension, self.figure.title
        if not self.ranked:
            return [(f"No metric has a {title} with ", dimension, ": constant grades or scores have none.")]
        if self.table.equal_grades:
            return [("No metric is shown to agree with ", dimension, ".")]
        sentences = [*self._on_ranked(), *self._unrelated()]
        if undefined := [label for label in self.table.ranking if label not in self.ranked]:
            have = "has" if len(undefined) == 1 else "have"
            sentences.append((*self._names(undefined), f" {have} no {title}: constant scores have none."))
        return sentences

    def _on_ranked(self) -> list[Sentence]:
        """Say which metrics agree best, if there are several that do not agree equally, and if it could be tested."""
        (first, *lower_ranked), dimension, title = self.ranked, self.dimension, self.figure.title
        name, value = self.titles[first], self._values([first])
        if not lower_ranked:
            figure = self.table.figures[first][self.table.rank_by]
            interval = ""
            if not math.isnan(figure.low):
                level = f"{100 * self.correlation.confidence_level:g} %"
                interval = f" ({level} interval {figure.low:.3f} to {figure.high:.3f})"
            alone = "There is no other metric to compare it with."
            return [(name, f" has a {title} of {value} with ", dimension, f"{interval}."), (alone,)]
        if not self.table.is_compared:
            return [
                (
                    f"{all_of(len(self.ranked)).capitalize()} metrics have the same {title} with ",
                    dimension,
                    f": {value}.",
                )
            ]
        if too_few_permutations(self.correlation, self.table):
            best: Sentence = (name, " agrees best with ", dimension, f" ({title} {value}).")
            # the same holds of every dimension: said once
            is_first = self.table is next(table for table in self.correlation.tables if table.is_compared)
            return [best, _too_few_permutations(self.correlation)] if is_first else [best]
        worse = [label for label in lower_ranked if self.table.significance(first, label, self.correlation.alpha)]
        unclear = [label for label in lower_ranked if label not in worse]
        return [self._best(first, unclear), *self._better(first, worse, not unclear)]

    def _best(self, first: str, unclear: Sequence[str]) -> Sentence:
        """Say which metric agrees best, and that the tests do not find some others worse."""
        dimension, group = self.dimension, [first, *unclear]
        best: Sentence = (self.titles[first], " agrees best with ", dimension)
        apart = f" ({self.figure.title} {self._values([first])}); these data do not tell it apart from "
        if not unclear:
            return (*best, f" ({self.figure.title} {self._values([first])}).")
        p = f"{self._p(first, unclear)}, alpha {self.correlation.alpha:g}"
        if len(group) > MOST_NAMED:
            n_others = len(self.ranked) - 1
            return (
                *best,
                f"{apart}{'any' if len(unclear) == n_others else len(unclear)} of the {n_others} others ({p}).",
            )
        # "A, B and C agree best" would be wrong if the tests tell B from C, or if a worse metric ranks between them.
        alike = not any(self.table.significance(*pair, self.correlation.alpha) for pair in permutations(unclear, 2))
        if not alike or group != self.ranked[: len(group)]:
            return (*best, apart, *self._names(unclear), f" ({p}).")
        values, names = f"{self.figure.title} {self._values(group)}", self._names(group)
        if len(group) == len(self.ranked):
            start = "These data do not tell apart how well "
            return (start, *names, " agree with ", dimension, f" ({values}; {p}).")
        return (*names, " agree best with ", dimension, f" ({values}); these data do not tell them apart ({p}).")

    def _better(self, first: str, worse: Sequence[str], all_others: bool) -> list[Sentence]:
        """Say that metrics are significantly worse than the first."""
        if not worse:
            return []
        better, p = " agrees significantly better than ", self._p(first, worse)
        p += f", alpha {self.correlation.alpha:g}" if all_others else ""
        if len(worse) == 1:
            return [(self.titles[first], better, self.titles[worse[0]], f" ({p}).")]
        others = f"{all_of(len(worse))} others" if all_others else f"the other {len(worse)}"
        return [(self.titles[first], f"{better}{others} ({p}).")]

    def _unrelated(self) -> list[Sentence]:
        """Say that even the best metric may be unrelated to the grades, where its interval shows that."""
        figure = self.table.figures[self.ranked[0]][self.table.rank_by]
        if not (self.figure.is_correlation and figure.low <= 0):
            return []
        interval = (
            f"the {100 * self.correlation.confidence_level:g} % interval, {figure.low:.3f} to {figure.high:.3f}"
        )
        name, dimension = self.titles[self.ranked[0]], self.dimension
        return [("That ", name, " agrees with ", dimension, f" at all is not shown: {interval}, is not above 0.")]

    def _p(self, first: str, labels: Sequence[str]) -> str:
        """Return the p-value of the first and another metric; of several the least, or the largest if significant."""
        pvalues = [self.table.adjusted_p(first, label) for label in labels]
        significant = max(pvalues) < self.correlation.alpha
        which = "" if len(pvalues) == 1 else "largest " if significant else "least "
        return f"{which}{self.table.p_label} {pvalue_text(max(pvalues) if significant else min(pvalues))}"

    def _names(self, labels: Sequence[str]) -> Sentence:
        return listed([self.titles[label] for label in labels])

    def _values(self, labels: Sequence[str]) -> str:
        return joined([f"{self.table.figures[label][self.table.rank_by].value:.3f}" for label in labels])
