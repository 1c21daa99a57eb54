"""The result of a correlation: figures of every metric with intervals, tests between metrics, and the grades."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tercet.errors import OptionError, argument_set, did_you_mean, needs, shorten
from tercet.names_as_shown import counted
from tercet.statistics.inference import ADJUSTED
from tercet.table_formats import finite_or_none
from tercet.test_sets.test_set import TestSet

from .figures import FIGURES, FigureValue
from .grades import Grades
from .layers import LayerSweep
from .metric_columns import MetricColumn
from .resampling import UNITS
from .samples import Array, GradedOutputs, Numbers
from .settings import PERMUTATIONS

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
#: Attributes of a figure, likewise.
_FIELDS = ("value", "low", "high", "n", "epsilon")
#: How p is adjusted for all pairs of metrics.
_ADJUST = "step-down"


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
        One-sided p-values by Williams' test in place of `pvalues`, where metrics are ranked by Pearson's r; otherwise
        NaN.
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
    def is_adjusted(self) -> bool:
        """Whether p is adjusted for several pairs: two metrics are one."""
        return len(self.ranked()) > 2

    @property
    def p_label(self) -> str:
        """What p of two metrics is called."""
        return "adjusted p" if self.is_adjusted else "p"

    def cluster_of(self, label: str) -> str:
        """Return the number of a metric's cluster as people read it."""
        cluster = self.clusters[label]
        return "-" if cluster is None else str(cluster)

    @property
    def cluster_label(self) -> str:
        """What the column of clusters is called beside sentences that are by adjusted p."""
        return "cluster (p unadjusted)" if self.is_adjusted else "cluster"

    def significance(self, one: str, other: str, alpha: float) -> str:
        """Return ``better`` or ``worse`` if one metric differs significantly from another, else an empty text."""
        if self.adjusted_p(one, other) < alpha:
            return "better"
        if self.adjusted_p(other, one) < alpha:
            return "worse"
        return ""


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
        index = 0 if dimension is None else names.index(dimension)
        return self.tables[index]

    def titles(self) -> dict[str, str]:
        """Return what people call each metric, by its label; with its options where two share a name."""
        times = Counter(column.title for column in self.metrics)
        titles = {}
        for column in self.metrics:
            titles[column.label] = column.title
            if times[column.title] > 1:
                # A label may be the name of the metric, a colon and its options.
                options = column.label.partition(":")[2] or column.label
                titles[column.label] = f"{column.title} ({options})"
        return titles

    def mean_grades(self, dimension: str) -> Array:
        """Return what metrics are compared with: the mean grade of each output, or z-score, shape (n, m)."""
        return self.grades.mean(dimension, self.standardize)

    def graded(self, table: DimensionTable, columns: Sequence[MetricColumn]) -> tuple[Array, Array]:
        """Return grades (n, m) of the graded systems, and scores (k, n, m); NaN where one of them is missing."""
        scores = np.array([column.scores for column in columns], np.float64)
        outputs = GradedOutputs.of(self.mean_grades(table.dimension), scores, self.cluster_numbers())
        return outputs.human, outputs.metrics

    def cluster_numbers(self) -> Numbers | None:
        """Return the cluster of each item, from 0; None where each item is its own."""
        if self.test_set.clusters is None:
            return None
        return self.test_set.clusters.numbers

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each figure of each metric and dimension, in the order of :data:`COLUMNS`."""
        rows = []
        for table in self.tables:
            for column in self.metrics:
                for name, figure in table.figures[column.label].items():
                    is_of_ranking = name == table.rank_by
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
                            "rank": table.ranking.index(column.label) + 1 if is_of_ranking else None,
                            "cluster": table.clusters[column.label] if is_of_ranking else None,
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
            "dimensions": [self._entries_of(table) for table in self.tables],
        }

    def _entries_of(self, table: DimensionTable) -> dict[str, Any]:
        """Return a dimension as plain Python."""
        figures: dict[str, dict[str, dict[str, float | None]]] = {}
        for column in self.metrics:
            figures[column.label] = {}
            for name, figure in table.figures[column.label].items():
                values = {field: getattr(figure, field) for field in _FIELDS}
                figures[column.label][name] = _plain_numbers(values)
        return {
            "dimension": table.dimension,
            "n_graded": table.n_graded,
            "n_items": table.n_items,
            "negated": table.dimension in self.grades.lower_is_better,
            "agreement": _plain_numbers(table.agreement),
            "figures": figures,
            "rank_by": table.rank_by,
            "ranking": table.ranking,
            "clusters": table.clusters,
            "test": table.test,
            "adjust": _ADJUST,
            "p_row_better_than_column": finite_or_none(table.pvalues.tolist()),
            "p_adjusted": finite_or_none(table.adjusted.tolist()),
            "p_williams": finite_or_none(table.williams.tolist()),
            "remarks": table.remarks,
            "layers": [sweep.to_dict() for sweep in table.layers],
        }

    def legend(self) -> str:
        """Return what the numbers are."""
        titles = self.titles()
        units = "items and systems" if self.unit == "both" else self.unit
        sentences = [
            f"Intervals: {100 * self.confidence_level:g} %, percentile bootstrap over {units} ({UNITS[self.unit]}), "
            f"{self.n_resamples:,} resamples, seed {self.seed}."
        ]
        if self.test_set.clusters is not None:
            sentences += self.test_set.clusters.notes()
        if len(self.metrics) > 1:
            sentences.append(
                "Clusters: a new one begins at the first metric that is significantly worse than all metrics of the "
                f"one before, by the rule of the WMT metrics tasks (two-sided p, not adjusted, alpha {self.alpha:g})."
            )
            if any(table.is_adjusted for table in self.tables):
                sentences.append(
                    "Sentences and marks are by adjusted p, which may not tell metrics of two clusters apart."
                )
        if self.ties == "exact":
            sentences.append("Scores that agree to 12 significant digits are ties.")
        negated = [titles[column.label] for column in self.metrics if column.negated]
        if negated:
            sentences.append(f"Negated, as lower is better: {', '.join(negated)}.")
        dimensions = [table.dimension for table in self.tables]
        negated_grades = [name for name in dimensions if name in self.grades.lower_is_better]
        if negated_grades:
            sentences.append(f"Grades negated, as lower is better: {', '.join(negated_grades)}.")
        return " ".join(sentences)

    def notes(self) -> list[str]:
        """Return what holds of all tables at once: that the tests could not find any difference."""
        if any(too_few_permutations(self, table) for table in self.tables):
            return [too_few_permutations_in_words(self)]
        return []

    def tests(self, tables: Sequence[DimensionTable]) -> list[str]:
        """Return what the p-values are; nothing for one metric."""
        if len(self.metrics) < 2:
            return []
        tests = []
        for table in tables:
            adjusted = ""
            if table.is_adjusted:
                adjusted = f"; adjusted for all pairs of metrics by {ADJUSTED[_ADJUST]}"
            tests.append(
                f"{table.p_label}: two-sided, that two metrics agree equally well in {table.rank_by}; {table.test}; "
                f"{self.n_permutations:,} draws, seed {self.seed}{adjusted}."
            )
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
        signatures = [column.signature for column in self.metrics if column.signature]
        return list(dict.fromkeys(signatures))

    def __repr__(self) -> str:
        labels = ", ".join(repr(column.label) for column in self.metrics)
        dimensions = ", ".join(repr(table.dimension) for table in self.tables)
        return (
            f"<Correlation of {labels} with the grades of {dimensions} on {self.test_set.name!r}: "
            f"{len(self.grades.systems)} systems, {self.grades.n_items:,} items>"
        )

    def __str__(self) -> str:
        """Return what a terminal shows: the answers, the figures with their intervals, and the tests."""
        from .tables import to_text

        return to_text(self).rstrip("\n")

    def to_markdown(self) -> str:
        """Return the answers and figures as tables in Markdown."""
        from .tables import in_format

        return in_format(self, "markdown")

    def to_latex(self) -> str:
        """Return the figures as tables in LaTeX, which need the package booktabs."""
        from .tables import in_format

        return in_format(self, "latex")

    def _repr_html_(self) -> str:
        """Show the answer, and the figures with their intervals, in a notebook."""
        from .tables import correlation_html

        return correlation_html(self)


def _plain_numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: finite_or_none(float(value)) for name, value in values.items()}


# Whether the tests could find anything.


def too_few_permutations(correlation: Correlation, table: DimensionTable) -> bool:
    """Return whether metrics are compared, and no difference of them could be significant, whatever the data."""
    return table.is_compared and _least_p(correlation) >= correlation.alpha


def too_few_permutations_in_words(correlation: Correlation) -> str:
    """Say that no difference could be significant, whatever the data."""
    drawn = counted(correlation.n_permutations, "permutation")
    enough = max(PERMUTATIONS, math.floor(1 / correlation.alpha))
    return (
        f"Too few permutations to tell metrics apart: with {drawn}, p is at least "
        f"{_least_p(correlation):.3g}. {argument_set('n_permutations', enough)} would do."
    )


def _least_p(correlation: Correlation) -> float:
    """Return the least p that the draws can give: the observed difference counts as one of them."""
    return 1 / (correlation.n_permutations + 1)
