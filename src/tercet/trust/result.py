"""The result of a correlation: figures of every metric with intervals, tests between metrics, and the grades."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tercet.comparison.test_sets import TestSet
from tercet.errors import OptionError, did_you_mean, needs, shorten

from .figures import FIGURES, UNITS, FigureValue
from .grades import Grades, MetricColumn
from .layers import LayerSweep
from .sample import Array, Numbers, graded

#: Of a row in :meth:`Correlation.records`.
COLUMNS = (
    *("test_set", "dimension", "metric", "figure", "value", "low", "high", "n", "epsilon", "rank", "cluster", "unit"),
    "signature",
)
#: Of a correlation, as they stand in its JSON.
_SETTINGS = ("unit", "n_resamples", "n_permutations", "seed", "confidence_level", "alpha", "ties")


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
    clusters : dict of str to int
    test : str
        The test between metrics.
    pvalues : ndarray, shape (k, k)
        In row a and column b, the one-sided p-value that a agrees better than b; NaN where the figure is undefined.
        Rows and columns have the order of `figures`.
    adjusted : ndarray, shape (k, k)
        The same where a is the better one, adjusted for all pairs (Holm 1979); otherwise 1.
    williams : ndarray, shape (k, k)
        The same by Williams' test, where metrics are ranked by Pearson's r; otherwise NaN.
    agreement : dict of str to float
        Of the raters: ``alpha_ordinal``, ``alpha_interval`` and ``raw``; empty with one rater.
    remarks : list of str
        Warnings about the ranking.
    layers : list of LayerSweep
        For each metric that was scored with ``all_layers=True``, which layer agrees best.
    """

    dimension: str
    n_graded: int
    n_items: int
    figures: dict[str, dict[str, FigureValue]]
    rank_by: str
    ranking: list[str]
    clusters: dict[str, int]
    test: str
    pvalues: Array = field(repr=False)
    adjusted: Array = field(repr=False)
    williams: Array = field(repr=False)
    agreement: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    layers: list[LayerSweep] = field(default_factory=list)

    def ranked(self) -> list[str]:
        """Return the metrics for which the figure of the ranking is defined, the best first."""
        return [label for label in self.ranking if not math.isnan(self.figures[label][self.rank_by].value)]

    def adjusted_p(self, one: str, other: str) -> float:
        """Return the adjusted p-value that one metric agrees better than another."""
        labels = list(self.figures)
        return float(self.adjusted[labels.index(one), labels.index(other)])

    def pair_p(self, one: str, other: str) -> float:
        """Return the adjusted p-value that the better of two metrics agrees better; NaN if it is undefined."""
        labels = list(self.figures)
        if math.isnan(self.pvalues[labels.index(one), labels.index(other)]):
            return math.nan
        return min(self.adjusted_p(one, other), self.adjusted_p(other, one))

    @property
    def p_label(self) -> str:
        """What p of two metrics is called: with two there is one pair, and nothing to adjust."""
        return "adjusted p" if len(self.ranked()) > 2 else "p"

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
        times, found = Counter(column.title for column in self.metrics), {}
        for column in self.metrics:
            inside = f" ({column.label.partition(':')[2] or column.label})" if times[column.title] > 1 else ""
            found[column.label] = f"{column.title}{inside}"
        return found

    def graded(self, table: DimensionTable, columns: Sequence[MetricColumn]) -> tuple[Array, Array]:
        """Return grades (n, m) of the graded systems, and scores (k, n, m); NaN where one of them is missing."""
        scores = np.array([column.scores for column in columns], np.float64)
        return graded(self.grades.mean(table.dimension, self.standardize), scores)

    def cluster_numbers(self) -> Numbers | None:
        """Return the cluster of each item, from 0; None where each item is its own."""
        return None if self.test_set.clusters is None else self.test_set.clusters.numbers

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each figure of each metric and dimension, in the order of :data:`COLUMNS`."""
        found = []
        for table in self.tables:
            for column in self.metrics:
                for name, figure in table.figures[column.label].items():
                    ranked = name == table.rank_by
                    row = (
                        *(self.test_set.name, table.dimension, column.label, name),
                        *(figure.value, figure.low, figure.high, figure.n),
                        figure.epsilon if name == "item.acc_eq" else None,
                        table.ranking.index(column.label) + 1 if ranked else None,
                        table.clusters[column.label] if ranked else None,
                        *(self.unit, column.signature),
                    )
                    found.append(dict(zip(COLUMNS, row, strict=True)))
        return found

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
            "metrics": [
                {"metric": column.label, "signature": column.signature, "negated": column.negated}
                for column in self.metrics
            ],
            "dimensions": [
                {
                    **{name: getattr(table, name) for name in ("dimension", "n_graded", "n_items")},
                    "agreement": _plain(table.agreement),
                    "figures": {
                        label: {name: _plain(_fields(each)) for name, each in table.figures[label].items()}
                        for label in labels
                    },
                    **{name: getattr(table, name) for name in ("rank_by", "ranking", "clusters", "test")},
                    "p_row_better_than_column": _rows(table.pvalues),
                    "p_adjusted": _rows(table.adjusted),
                    "p_williams": _rows(table.williams),
                    "remarks": table.remarks,
                    "layers": [each.to_dict() for each in table.layers],
                }
                for table in self.tables
            ],
        }

    def legend(self) -> str:
        """Return what the numbers are."""
        resampled = [] if self.test_set.clusters is None else self.test_set.clusters.notes()
        negated = ", ".join(self.titles()[column.label] for column in self.metrics if column.negated)
        clusters = (
            f" Clusters: a new one begins at the first metric that is significantly worse than all metrics of the "
            f"one before (one-sided p, not adjusted, alpha {self.alpha:g})."
        )
        return (
            f"Intervals: {100 * self.confidence_level:g} %, percentile bootstrap over "
            f"{'items and systems' if self.unit == 'both' else self.unit} ({UNITS[self.unit]}), "
            f"{self.n_resamples:,} resamples, seed {self.seed}."
            f"{''.join(f' {note}' for note in resampled)}"
            f"{clusters if len(self.metrics) > 1 else ''}"
            f"{' Scores that agree to 12 significant digits are ties.' if self.ties == 'exact' else ''}"
            f"{f' Negated, as lower is better: {negated}.' if negated else ''}"
        )

    def tested(self, tables: Sequence[DimensionTable]) -> list[str]:
        """Return what the p-values and their marks are; nothing for one metric."""
        if len(self.metrics) < 2:
            return []
        adjusted = "; adjusted for all pairs of metrics by Holm's method"
        tests = [
            f"{table.p_label}: one-sided, that the better of two metrics agrees better in {table.rank_by}; "
            f"{table.test}; {self.n_permutations:,} draws, seed {self.seed}"
            f"{adjusted if table.p_label != 'p' else ''}."
            for table in tables
        ]
        return [
            *dict.fromkeys(tests),
            "▲ the metric of the row is significantly better than that of the column, ▼ worse "
            f"(alpha {self.alpha:g}).",
        ]

    def about(self, names: Sequence[str]) -> list[str]:
        """Return a line that defines each figure."""
        return [f"{name}: {FIGURES[name].definition}" for name in names]

    def signatures(self) -> list[str]:
        """Return the signature of each metric once."""
        return [each for each in dict.fromkeys(column.signature for column in self.metrics) if each]

    def __repr__(self) -> str:
        return (
            f"<Correlation of {', '.join(repr(column.label) for column in self.metrics)} with the grades of "
            f"{', '.join(repr(table.dimension) for table in self.tables)} on {self.test_set.name!r}: "
            f"{len(self.grades.systems)} systems, {self.grades.n_items:,} items>"
        )

    def _repr_html_(self) -> str:
        """Show the answer, and the figures with their intervals, in a notebook."""
        from .shown import correlation_html

        return correlation_html(self)


def _fields(figure: FigureValue) -> dict[str, float]:
    return {"value": figure.value, "low": figure.low, "high": figure.high, "n": figure.n, "epsilon": figure.epsilon}


def _plain(values: dict[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in values.items()}


def _rows(values: Array) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in values.tolist()]


def _number(value: float) -> float | None:
    return None if value != value else float(value)
