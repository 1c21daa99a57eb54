"""The comparison: the scores of all systems, and how they were computed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.errors import needs
from tercet.markup import scores_html
from tercet.metric.scorer import Scorer
from tercet.statistics.paired_tests import decimals
from tercet.statistics.stats import SegmentStats

from .facts import SystemFacts, fact_lines
from .test_sets import TestSet
from .warnings_of_test_sets import too_little

#: Marks of the best system, of those not significantly worse, and of scores of which lower is better.
BEST, AS_GOOD, LOWER = "*", "†", "↓"

#: The folders of a path in a metric's options, or of a mean of metrics.
_PATHS = re.compile(r"(^|=)(?:[^,=:/]*/){2,}(?=[^,=/])")

#: A list of words among the options, as JSON.
_LIST = re.compile(r'\["([^]"]+(?:","[^]"]+)*)"\]')

#: Columns of :meth:`Comparison.records`.
COLUMNS = (
    *("test_set", "metric", "score", "system", "value", "low", "high", "interval", "difference"),
    *("pvalue", "adjusted_pvalue", "wins", "ties", "losses", "best", "as_good", "better", "signature"),
)

#: Of a comparison, as they stand in its JSON.
_SETTINGS = ("test", "n_resamples", "confidence_level", "alpha", "seed", "interval")


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A score of a system, compared with the baseline and the best system.

    Attributes
    ----------
    system : str
    value : float
    low, high : float
        Bootstrap interval.
    difference : float or None
        To the baseline; None for the baseline itself.
    pvalue : float or None
        Of the paired test against the baseline, unadjusted.
    adjusted_pvalue : float or None
        The same, adjusted for the number of pairs of systems (Holm 1979), as in :attr:`ScoreTable.pvalues`; tables
        show this one.
    wins, ties, losses : int or None
        Segments that score better than, the same as, or worse than those of the baseline; clusters where the test set
        has them.
    best : bool
        Whether no system has a better value. Of several systems that all score 0, the worst value, none is the best.
    as_good : bool or None
        Whether it is not significantly worse than the best (Holm over all pairs of systems); None where none is the
        best, and without a test unless it is the best.
    """

    system: str
    value: float
    low: float
    high: float
    difference: float | None
    pvalue: float | None
    adjusted_pvalue: float | None
    wins: int | None
    ties: int | None
    losses: int | None
    best: bool
    as_good: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """One score of all systems.

    Attributes
    ----------
    metric : str
        With the options that were given.
    name : str
        Of the score, such as ``rougeL``.
    signature : str
    rows : list of SystemScore
    pvalues : ndarray, shape (s, s)
        Of the paired test of each pair of systems, adjusted for their number (Holm 1979); 1 on the diagonal. NaN
        without a test.
    segments : dict of str to list
        The score of each segment by system; None for a segment left out.
    higher_is_better : bool
    scorer : Scorer
        Computes the score.
    stats : dict of str to SegmentStats
        The statistics of all segments by system, including those left out.
    """

    metric: str
    name: str
    signature: str
    rows: list[SystemScore]
    pvalues: NDArray[np.float64] = field(repr=False)
    segments: dict[str, list[float | None]] = field(repr=False)
    higher_is_better: bool
    scorer: Scorer = field(repr=False)
    stats: dict[str, SegmentStats] = field(repr=False)

    @property
    def title(self) -> str:
        """What people call the score, such as ROUGE-L."""
        return self.scorer.score_title(self.name)

    @property
    def better(self) -> str:
        """Which values are better, ``higher`` or ``lower``."""
        return "higher" if self.higher_is_better else "lower"

    def score_of(self, system: str, segments: Sequence[int] | NDArray[Any]) -> float:
        """Return the score of a part of the test set, by the numbers of its segments, from 0."""
        part = self.stats[system].selected(np.asarray(segments, np.int64))
        return float(self.scorer.finalize(self.scorer.corpus_totals(part))[self.name])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """Systems compared on a test set. A notebook shows it as a table.

    Attributes
    ----------
    test_set : TestSet
    baseline : str
    tables : list of ScoreTable
        One for each score of each metric.
    test : str or None
        The paired test, if there was one.
    n_resamples : int or None
        Of the paired test, if there was one.
    confidence_level, alpha : float
        Of the intervals; of the significance tests.
    seed : int
    interval : {"percentile", "BCa"}
        Kind of the bootstrap intervals, which have 1,000 resamples.
    facts : list of SystemFacts
        Facts of each system besides its scores: lengths, empty predictions, segments left out.
    warnings : list of str
        Warnings raised while scoring, such as another tokenizer chosen for the texts.
    corpus : Corpus or None
        The texts as scored.
    """

    test_set: TestSet
    baseline: str
    tables: list[ScoreTable]
    test: str | None
    n_resamples: int | None
    confidence_level: float
    alpha: float
    seed: int
    interval: str = "percentile"
    facts: list[SystemFacts] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    corpus: Corpus | None = None

    def numbers(self, row: SystemScore) -> dict[str, Any]:
        """Return the fields of a row; without a test, None for those against the baseline."""
        against = ("difference", "wins", "ties", "losses") if self.test is None else ()
        return {**asdict(row), **dict.fromkeys(against)}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each score of each system, in the order of :data:`COLUMNS`."""
        found = []
        for table in self.tables:
            fixed = {"test_set": self.test_set.name, "metric": table.metric, "score": table.name}
            fixed |= {"interval": self.interval, "better": table.better, "signature": table.signature}
            rows = ({**self.numbers(row), **fixed} for row in table.rows)
            found += [{name: row[name] for name in COLUMNS} for row in rows]
        return found

    @property
    def p_label(self) -> str:
        """The header of p in narrow tables: with two systems there is one pair, and nothing to adjust."""
        return "adj. p" if len(self.test_set.systems) > 2 else "p"

    def score_labels(self) -> list[str]:
        """Return the label of each table's score, with its metric where two share a name."""
        times, labels = Counter(table.name for table in self.tables), self.metric_labels()
        return [f"{labels[each.metric]} {each.name}" if times[each.name] > 1 else each.name for each in self.tables]

    def titles(self) -> list[str]:
        """Return what people call each table's score, with the metric's options where two share a title."""
        times, labels = Counter(table.title for table in self.tables), self.metric_labels()
        return [
            f"{table.title} ({labels[table.metric]})" if times[table.title] > 1 else table.title
            for table in self.tables
        ]

    def options(self) -> dict[str, str]:
        """Return the options of each metric as given, such as ``max_order=2``; of a mean of metrics, its file."""
        labels = {metric: _LIST.sub(_joined, label) for metric, label in self.metric_labels().items()}
        return {
            table.metric: labels[table.metric].partition(":")[2] if table.scorer.title else labels[table.metric]
            for table in self.tables
        }

    def metric_labels(self) -> dict[str, str]:
        """Return the label of each metric in headings, with paths shortened to their last part where unique."""
        labels = {table.metric: _PATHS.sub(r"\1…/", table.metric) for table in self.tables}
        times = Counter(labels.values())
        return {metric: label if times[label] == 1 else metric for metric, label in labels.items()}

    def to_dataframe(self) -> Any:
        """Return a pandas data frame: a row per score and system, with the columns of the TSV file."""
        needs("A data frame", "evaluate", "pandas")
        import pandas as pd

        return pd.DataFrame(self.records(), columns=list(COLUMNS))

    def plot(self) -> Any:
        """Return a matplotlib figure: for each score, a row per system with its interval.

        Raises
        ------
        OptionError
            Where matplotlib is not installed.
        """
        from tercet.pages.plots import intervals_figure

        return intervals_figure(self)

    def to_html(self, title: str | None = None) -> str:
        """Return the report: one HTML page that loads nothing; only its list of segments needs a script.

        Raises
        ------
        OptionError
            Where jinja2 or matplotlib is not installed.
        """
        from tercet.pages.page import to_html

        return to_html([self], title=title)

    def __repr__(self) -> str:
        test = f"{self.test} test against {self.baseline!r}" if self.test is not None else "no test"
        return (
            f"<Comparison of {', '.join(map(repr, self.test_set.systems))} on {self.test_set.name!r} "
            f"(segments: {self.test_set.n_segments:,}): {', '.join(self.score_labels())}; {test}>"
        )

    def _repr_html_(self) -> str:
        """Show the scores as a table in a notebook: a row for each system, a column for each score."""
        rows = []
        for index, system in enumerate(self.test_set.systems):
            own = [table.rows[index] for table in self.tables]
            marked = [(row, BEST if row.best else AS_GOOD if row.as_good else "") for row in own]
            shown = [(*map(decimals, (row.value, row.low, row.high)), mark) for row, mark in marked]
            rows.append([system, *(f"{value}{mark} ({low} – {high})" for value, low, high, mark in shown)])
        signatures = dict.fromkeys(table.signature for table in self.tables)
        level = f"In brackets: {100 * self.confidence_level:g} % intervals. "
        below = [f"{level}{self.legend(best=BEST)}", *self.remarks(), *signatures]
        return scores_html(["system", *self.marked_labels()], rows, below)

    def legend(self, plain: Callable[[str], str] = str, best: str = "Bold") -> str:
        """Return the legend of a table's marks, `best` that of the best; `plain` formats the name of the baseline."""
        likewise = ", adjusted for all pairs by Holm's method" if self.p_label != "p" else ""
        intervals = f"Intervals: {self.interval} bootstrap, 1,000 resamples, seed {self.seed}."
        labelled = zip(self.score_labels(), self.tables, strict=True)
        if lower := [name for name, table in labelled if not table.higher_is_better]:
            intervals += f" {LOWER} Lower is better: {', '.join(map(plain, lower))}."
        if self.test is None:
            return f"{best}: the best. {intervals}"
        as_good = any(row.as_good and not row.best for table in self.tables for row in table.rows)
        marked = f"; {AS_GOOD}: not significantly worse than the best (alpha {self.alpha:g})" if as_good else ""
        return (
            f"{best}: the best{marked}. {self.p_label}: paired {self.test} test against "
            f"{plain(self.baseline)}{likewise}, {self.n_resamples:,} resamples, seed {self.seed}. {intervals}"
        )

    def marked_labels(self) -> list[str]:
        """Return the label of each table's score, with a mark where lower is better."""
        labelled = zip(self.score_labels(), self.tables, strict=True)
        return [label if table.higher_is_better else f"{label} {LOWER}" for label, table in labelled]

    def remarks(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return sentences on empty predictions, segments left out, and too few segments; `plain` formats names."""
        texts = self.test_set
        n_units, unit = texts.n_segments, "segment"
        if texts.clusters is not None:
            n_units, unit = len(texts.clusters), "cluster"
        little = None
        if not any((table.pvalues < self.alpha).any() for table in self.tables):
            little = too_little(self.test, self.n_resamples, n_units, unit, len(texts.systems), self.alpha)
        alone = f"With 1 {unit}, an interval has no width: it says nothing about other texts."
        few = [alone] * (n_units == 1) + ([] if little is None else [little])
        resampled = [] if texts.clusters is None else texts.clusters.notes(plain)
        return [*resampled, *fact_lines(self.facts, plain), *few]

    def to_dict(self) -> dict[str, Any]:
        """Return scores, intervals and tests as plain Python (not the texts)."""
        clusters = self.test_set.clusters
        return {
            "test_set": self.test_set.name,
            "n_segments": self.test_set.n_segments,
            "clusters": None if clusters is None else clusters.to_dict(),
            **self.test_set.about,
            "baseline": self.baseline if self.test is not None else None,
            **{name: getattr(self, name) for name in _SETTINGS},
            "tables": [
                {
                    "metric": table.metric,
                    "score": table.name,
                    "higher_is_better": table.higher_is_better,
                    "signature": table.signature,
                    "systems": [self.numbers(row) for row in table.rows],
                    "adjusted_pvalues": table.pvalues.tolist() if self.test is not None else None,
                }
                for table in self.tables
            ],
            "facts": [row.to_dict() for row in self.facts],
            "warnings": self.warnings,
        }


def _joined(words: re.Match[str]) -> str:
    """Return a list of words as it is written on the command line."""
    return words[1].replace('","', "+")
