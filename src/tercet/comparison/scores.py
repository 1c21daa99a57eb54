"""The comparison: the scores of all systems, and how they were computed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.api import make_scorer
from tercet.base.metric import Metric, batch_stats, is_higher_better, summarize
from tercet.base.options import check_value, check_values
from tercet.base.settings import RESAMPLES, CompareSettings
from tercet.checks import integer, one_of
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.errors import InputError, OptionError, needs
from tercet.markup import one_cell
from tercet.metrics.bleu import Bleu
from tercet.registry import drawing
from tercet.result import Result
from tercet.specs import take_options
from tercet.statistics.bootstrap import N_RESAMPLES
from tercet.statistics.clusters import clustered
from tercet.statistics.groups import best_first
from tercet.statistics.inference import ADJUSTED, INTERVALS, TESTS, WELCH, Inference, inference
from tercet.statistics.intervals import FEWEST_UNITS, MOST_UNITS, too_few_units
from tercet.statistics.stats import SegmentStats
from tercet.tables import Cell, Column, Group, Table, decimals, interval_text, number_or_none, pvalue_text
from tercet.test_sets.test_set import TestSet

from .metric_specs import label_of
from .power import too_little
from .sections import Section

if TYPE_CHECKING:
    from tercet.streaming.rows import Rows

    from .slices import Slices

#: Marks of the best system, of those not significantly worse, and of scores of which lower is better.
BEST, AS_GOOD, LOWER = "*", "†", "↓"

#: What a table for people shows beside each score, where there is such.
BESIDE_SCORES = ("interval", "difference", "p", "rank")

#: What the table of systems with several runs shows.
_OVER_RUNS = (
    "Over runs: means, and the standard deviation of the runs as spread; intervals, ± and p by Welch's t from the "
    "variances of units and of runs, p adjusted for all pairs by Holm's method."
)

#: The folders of a path in a metric's options, or of a mean of metrics: two or more, without the file's name.
_PATHS = re.compile(r"(^|=)(?:[^,=:/]*/){2,}(?=[^,=/])")

#: A list of words among the options, as JSON.
_LIST = re.compile(r'\["([^]"]+(?:","[^]"]+)*)"\]')

#: Columns of :meth:`Comparison.records`.
COLUMNS = (
    "test_set",
    "metric",
    "score",
    "system",
    "value",
    "low",
    "high",
    "interval",
    "difference",
    "difference_low",
    "difference_high",
    "pvalue",
    "adjusted_pvalue",
    "wins",
    "ties",
    "losses",
    "best",
    "as_good",
    "better",
    "signature",
    "rank_low",
    "rank_high",
    "group",
    "row",
)

#: What a row of :meth:`Comparison.records` is of: a system, or where systems have several runs, one output of one.
OF_SYSTEM, OF_OUTPUT = "system", "output"

#: Attributes of a comparison that its JSON has under the same names.
_SETTINGS = ("test", "n_resamples", "adjust", "confidence_level", "alpha", "seed", "interval")


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A score of a system, compared with the baseline and the best system.

    Attributes
    ----------
    system : str
    value : float
    low, high : float
        Bootstrap interval; Wilson's where :attr:`ScoreTable.is_exact`. NaN of fewer than 5 segments or clusters.
    difference : float or None
        To the baseline; None for the baseline itself.
    difference_low, difference_high : float or None
        The interval of the difference, from the same resampled units of both systems; Tango's (1998) where
        :attr:`ScoreTable.is_exact`.
    pvalue : float or None
        Of the paired test against the baseline, unadjusted.
    adjusted_pvalue : float or None
        The same, adjusted for all pairs of systems, as in :attr:`ScoreTable.pvalues`; tables show this one.
    wins, ties, losses : int or None
        Segments that score better than, the same as, or worse than those of the baseline; clusters where the test set
        has them.
    best : bool
        Whether no system has a better value. Of several systems that all score 0, the worst value, none is the best.
    as_good : bool or None
        Whether it is not significantly worse than the best (adjusted p); None where none is the best, and without a
        test unless it is the best.
    rank : (int, int) or None
        The places that it may have: from 1 + how many systems are significantly better, to the number of systems less
        how many are significantly worse. None without a test, or where the score is NaN.
    group : int or None
        Of the systems that cannot be told apart, from 1, that of the best: a group ends where every system down to it
        is significantly better than every one below. None as for the rank.
    digits : int
        With how many decimals people read it.
    """

    system: str
    value: float
    low: float
    high: float
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    pvalue: float | None
    adjusted_pvalue: float | None
    wins: int | None
    ties: int | None
    losses: int | None
    best: bool
    as_good: bool | None
    rank: tuple[int, int] | None = None
    group: int | None = None
    digits: int = 2

    @property
    def interval(self) -> str:
        """The interval of the score as people read it; "" where there is none."""
        return interval_text(self.low, self.high, self.digits)

    @property
    def interval_of_difference(self) -> str:
        """The interval of the difference as people read it, such as ``[+0.12, +0.80]``; "" where there is none."""
        if self.difference_low is None or self.difference_high is None:
            return ""
        return interval_text(self.difference_low, self.difference_high, self.digits, signed=True)

    @property
    def places(self) -> str:
        """The rank as people read it, such as ``2–4``; "" without one."""
        if self.rank is None:
            return ""
        low, high = self.rank
        return f"{low}" if low == high else f"{low}–{high}"


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
        Of the paired test of each pair of systems, adjusted for all pairs as :meth:`Comparison.inference_of` says;
        1 on the diagonal. NaN without a test.
    segments : dict of str to list
        The score of each segment by system; None for a segment left out.
    higher_is_better : bool
    scorer : Metric
        Computes the score.
    stats : dict of str to SegmentStats
        The statistics of all segments by system, including those left out.
    is_exact : bool
        Whether all segments score 0 or 1, and none are resampled together. Then p of the permutation test is exact,
        McNemar's, and the interval is Wilson's, unless percentiles are asked for.
    n_units : int
        Number of segments, or clusters, that are scored for all systems and resampled.
    too_few : str or None
        Why no difference could be significant, however large: too few segments, or resamples. Then there are no ranks
        and groups, and nothing is said to be as good. None if one could, or without a test.
    sections : list of Section
        What else is said of the score, such as how small a difference the test set can show.
    """

    metric: str
    name: str
    signature: str
    rows: list[SystemScore]
    pvalues: NDArray[np.float64] = field(repr=False)
    segments: dict[str, list[float | None]] = field(repr=False)
    higher_is_better: bool
    scorer: Metric = field(repr=False)
    stats: dict[str, SegmentStats] = field(repr=False)
    is_exact: bool = False
    n_units: int = 0
    too_few: str | None = None
    sections: list[Section] = field(default_factory=list, repr=False)

    @property
    def title(self) -> str:
        """What people call the score, such as ROUGE-L."""
        return self.scorer.score_title(self.name)

    @property
    def better(self) -> str:
        """Which values are better, ``higher`` or ``lower``."""
        return "higher" if self.higher_is_better else "lower"

    @property
    def order(self) -> list[int]:
        """The places of the rows, the best first, NaN last."""
        return best_first([row.value for row in self.rows], self.higher_is_better)

    @property
    def lines(self) -> list[int]:
        """After how many rows, the best first, a group ends; not after the last one."""
        groups = [self.rows[place].group for place in self.order]
        return [place for place in range(1, len(groups)) if groups[place] != groups[place - 1]]

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
    interval : {"expanded", "percentile", "BCa"} or None
        Kind of the bootstrap intervals, which have 1,000 resamples; None without intervals.
    adjust : {"step-down", "holm"}
        How p is adjusted for all pairs of systems, where their draws are common.
    facts : list of SystemFacts
        Facts of each system besides its scores: lengths, empty predictions, segments left out.
    warnings : list of str
        Warnings raised while scoring, such as another tokenizer chosen for the texts.
    corpus : Corpus or None
        The texts as scored.
    runs : dict of str to list of str
        The outputs that are runs of each system; empty where each output is a system.
    slices : list of Slices
        Which segments are scored and tested alone, by what.
    """

    test_set: TestSet
    baseline: str
    tables: list[ScoreTable]
    test: str | None
    n_resamples: int | None
    confidence_level: float
    alpha: float
    seed: int
    interval: str | None = "expanded"
    adjust: str = "step-down"
    facts: list[SystemFacts] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    corpus: Corpus | None = None
    runs: dict[str, list[str]] = field(default_factory=dict)
    slices: list[Slices] = field(default_factory=list)

    @property
    def joins_runs(self) -> bool:
        """Whether any outputs are runs of one system; then none of them is the best."""
        return 0 < len(self.runs) < len(self.test_set.systems)

    @property
    def tests_runs(self) -> bool:
        """Whether any systems with several runs were tested: the spread of their runs may be unknown."""
        of_runs = [section for table in self.tables for section in table.sections if section.key == "runs"]
        systems = [system for section in of_runs for system in section.value["systems"]]
        return self.joins_runs and any(system["pvalue"] is not None for system in systems)

    @property
    def outputs_of_baseline(self) -> list[str]:
        """The outputs of the baseline: itself, or its runs."""
        return next((outputs for outputs in self.runs.values() if self.baseline in outputs), [self.baseline])

    @property
    def has_ranks(self) -> bool:
        """Whether tables show ranks: of three systems or more, where the test could tell any apart."""
        is_tested = self.test is not None and len(self.test_set.systems) > 2
        return is_tested and any(row.rank is not None for table in self.tables for row in table.rows)

    def numbers(self, row: SystemScore) -> dict[str, Any]:
        """Return the fields of a row; without a test, None for those against the baseline."""
        tested_fields: tuple[str, ...] = ()
        if self.test is None:
            tested_fields = ("difference", "difference_low", "difference_high", "wins", "ties", "losses")
        rank = None if row.rank is None else list(row.rank)
        numbers = {**asdict(row), **dict.fromkeys(tested_fields), "rank": rank}
        # Too few units have no interval.
        for name in ("low", "high", "difference_low", "difference_high"):
            if numbers[name] is not None:
                numbers[name] = number_or_none(numbers[name])
        del numbers["digits"]
        return numbers

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each score of each system, in the order of :data:`COLUMNS`.

        Where outputs are runs, the systems by the means of their runs come first, then each output.
        """
        if not self.joins_runs:
            return self._records(OF_SYSTEM)
        over_runs: Comparison = drawing("comparison over runs")(self)
        return [*over_runs._records(OF_SYSTEM), *self._records(OF_OUTPUT)]

    def _records(self, kind: str) -> list[dict[str, Any]]:
        """Return a row for each score and row of the tables."""
        records = []
        for table in self.tables:
            table_fields: dict[str, Any] = {
                "test_set": self.test_set.name,
                "metric": table.metric,
                "score": table.name,
            }
            table_fields |= {
                "interval": self.inference_of(table).interval,
                "better": table.better,
                "signature": table.signature,
                "row": kind,
            }
            ranks = [(None, None) if row.rank is None else row.rank for row in table.rows]
            rows = (
                {**self.numbers(row), **table_fields, "rank_low": low, "rank_high": high}
                for row, (low, high) in zip(table.rows, ranks, strict=True)
            )
            records += [{name: row[name] for name in COLUMNS} for row in rows]
        return records

    @property
    def inference(self) -> Inference:
        """How scores are inferred, but for those that are 0 or 1."""
        return inference(self.test, self.adjust, self.interval)

    def inference_of(self, table: ScoreTable) -> Inference:
        """Return how a table's score is inferred: its test, how p are adjusted, and its intervals."""
        return self.inference.of_shares() if table.is_exact else self.inference

    @property
    def p_label(self) -> str:
        """The header of p in narrow tables: with two systems there is one pair, and nothing to adjust."""
        return "adj. p" if len(self.test_set.systems) > 2 else "p"

    def score_labels(self) -> list[str]:
        """Return the label of each table's score, with its metric where two share a name."""
        counts, labels = Counter(table.name for table in self.tables), self.metric_labels()
        return [
            f"{labels[table.metric]} {table.name}" if counts[table.name] > 1 else table.name for table in self.tables
        ]

    def titles(self) -> list[str]:
        """Return what people call each table's score, with the metric's options where two share a title."""
        counts, labels = Counter(table.title for table in self.tables), self.metric_labels()
        return [
            f"{table.title} ({labels[table.metric]})" if counts[table.title] > 1 else table.title
            for table in self.tables
        ]

    def options(self) -> dict[str, str]:
        """Return the options of each metric as given, such as ``max_order=2``; of a mean of metrics, its file."""
        labels = {metric: _LIST.sub(_in_words, label) for metric, label in self.metric_labels().items()}
        return {
            table.metric: labels[table.metric].partition(":")[2] if table.scorer.title else labels[table.metric]
            for table in self.tables
        }

    def metric_labels(self) -> dict[str, str]:
        """Return the label of each metric in headings, with paths shortened to their last part where unique."""
        labels = {table.metric: _PATHS.sub(r"\1…/", table.metric) for table in self.tables}
        counts = Counter(labels.values())
        return {metric: label if counts[label] == 1 else metric for metric, label in labels.items()}

    def to_dataframe(self) -> Any:
        """Return a pandas data frame: a row per score and system, with the columns of the TSV file.

        Where outputs are runs, ``row`` is ``"system"`` in the rows of systems over their runs, which come first, and
        ``"output"`` in those of each output; else it is ``"system"`` in all.
        """
        needs("A data frame", "evaluate", "pandas")
        import pandas as pd

        return pd.DataFrame(self.records(), columns=list(COLUMNS))

    def segments(self, worst: int | None = None) -> Any:
        """Return a row for each segment and system: its scores, and its texts.

        The columns are those of the file that ``tercet compare --segments`` writes: the number of the segment, from
        1, a table's own columns, the system, and each score (None of a segment that is left out). Then come the
        source, the prediction, and the list of references.

        Parameters
        ----------
        worst : int, optional
            So many rows, of the lowest first scores, or the highest where lower is better, the worst first. By
            default all rows, in the order of the texts.

        Returns
        -------
        pandas.DataFrame or list of dict
            A list of rows where pandas is not installed.

        Examples
        --------
        >>> import tercet
        >>> texts = {"A": ["a cat sat", "it rains"], "B": ["a dog ran", "it rained"]}
        >>> found = tercet.compare(texts, "chrf", references=["a cat sat", "it rained"])
        >>> found.segments(worst=2)[["segment", "system", "chrf_multi chrf", "prediction"]].round(1)
           segment system  chrf_multi chrf prediction
        0        1      B              4.8  a dog ran
        1        2      A             61.8   it rains
        """
        check_value("segments", "worst", integer(1, none=True), worst)
        return drawing("segments of a comparison")(self, worst)

    def to_markdown(self, columns: Iterable[str] | None = None) -> str:
        """Return the verdict and the scores of all systems as tables in Markdown.

        Parameters
        ----------
        columns : iterable of {"interval", "difference", "p", "rank"}, optional
            What stands beside each score; by default all that there is. ``[]`` shows scores alone. An interval stands
            beside the score, and beside the difference.
        """
        text: str = drawing("comparison in a format")([self], "markdown", columns)
        return text

    def to_latex(self, columns: Iterable[str] | None = None) -> str:
        r"""Return the scores of all systems as tables in LaTeX, which need the package booktabs.

        What the marks and numbers are stands below each table as a comment.

        Parameters
        ----------
        columns : iterable of {"interval", "difference", "p", "rank"}, optional
            As of :meth:`to_markdown`.

        Examples
        --------
        >>> import tercet
        >>> texts = {"A": ["a cat sat", "it rains"], "B": ["a dog ran", "it rained"]}
        >>> found = tercet.compare(texts, "chrf", references=["a cat sat", "it rained"])
        >>> print(found.to_latex(columns=["difference"]).partition("\n%")[0])
        % \usepackage{booktabs}
        \begin{tabular}{@{}lrr@{}}
        \toprule
        system & chrF & $\Delta$ \\
        \midrule
        A & \textbf{78.81} &  \\
        B & 57.96 & $-20.85$ \\
        \bottomrule
        \end{tabular}
        """
        text: str = drawing("comparison in a format")([self], "latex", columns)
        return text

    def plot(self) -> Any:
        """Return a matplotlib figure: for each score, a row per system with its interval.

        Of more than two systems, the best by the first score is on top.

        Raises
        ------
        OptionError
            Where matplotlib is not installed.
        """
        return drawing("comparison as a figure")(self)

    def to_html(self, title: str | None = None) -> str:
        """Return the report: one HTML page that loads nothing; only its list of segments needs a script.

        Raises
        ------
        OptionError
            Where jinja2 is not installed.
        """
        page: str = drawing("comparison as a page")([self], title=title)
        return page

    def to_eval_results(self, dataset_id: str, task_id: str | None = None) -> list[Any]:
        """Return the scores of one system as huggingface_hub's ``EvalResultEntry``.

        A dataset and its task have one value, so each metric is an entry: its main score, with what it is, its
        interval, the metric's other scores and the signature in the notes. A score that is no number is left out with
        a warning. ``tercet score --out .eval_results/NAME.yaml`` writes them as a model on the Hub has them.

        Parameters
        ----------
        dataset_id : str
            The dataset on the Hub, such as ``openai/gsm8k``.
        task_id : str, optional
            The task in the dataset's ``eval.yaml``; by default named as the test set.

        Raises
        ------
        InputError
            Where there are several systems.
        OptionError
            Where huggingface_hub is not installed, or the id is none.

        Examples
        --------
        >>> import tercet
        >>> comparison = tercet.compare({"mine": ["a cat sat"]}, "chrf", references=["the cat sat"])
        >>> (entry,) = comparison.to_eval_results("openai/gsm8k", "main")
        >>> print(entry.dataset_id, entry.task_id, round(entry.value, 2))
        openai/gsm8k main 53.61
        """
        entries: list[Any] = drawing("comparison as results of the Hub")(self, dataset_id, task_id)
        return entries

    def __repr__(self) -> str:
        test = self._test_in_short()
        return (
            f"<Comparison of {', '.join(map(repr, self.test_set.systems))} on {self.test_set.name!r} "
            f"(segments: {self.test_set.n_segments:,}): {', '.join(self.score_labels())}; {test}>"
        )

    def _test_in_short(self) -> str:
        """Return the name of the test and the baseline."""
        if self.test is not None:
            return f"{self.test} test against {self.baseline!r}"
        if not self.tests_runs:
            return "no test"
        (baseline,) = (system for system, outputs in self.runs.items() if self.baseline in outputs)
        return f"{WELCH.title} against {baseline!r}"

    def __str__(self) -> str:
        """Return what a terminal shows: the verdict, the scores, intervals and tests, and how columns were read."""
        text: str = drawing("comparison as text")([self], with_warnings=True)
        fields = self.test_set.fields
        return f"{text}{one_cell(fields)}" if fields else text.rstrip("\n")

    def _repr_html_(self) -> str:
        """Show the verdict and the scores with their intervals in a notebook, a row for each system."""
        shown: str = drawing("comparison in a notebook")(self)
        return shown

    def legend(
        self, plain: Callable[[str], str] = str, best: str = "Bold", shown: Collection[str] = BESIDE_SCORES
    ) -> str:
        """Return the legend of a table's marks, `best` that of the best; `plain` formats the name of the baseline.

        `shown` is what the table has beside scores: its marks are by tests even where it has no p.
        """
        marks = self.marks_in_words(best)
        sentences = [marks] if marks else []
        if self.test is not None:
            over_scores = "; not adjusted over scores" if len(self.tables) > 1 else ""
            label = self.p_label if "p" in shown else "Tests"
            sentences.append(f"{label}: {self._tests_in_words(plain)}{over_scores}.")
        elif self.joins_runs:
            sentences.append(_OVER_RUNS)
        if "interval" in shown and self.has_intervals:
            sentences.append(f"Intervals: {self.intervals_in_words(plain=plain)}.")
        lower = [label for label, table in self._labelled if not table.higher_is_better]
        if lower:
            sentences.append(f"{LOWER} Lower is better: {', '.join(map(plain, lower))}.")
        return " ".join(sentences)

    def marks_in_words(self, best: str) -> str:
        """Return what the marks beside scores are, `best` that of the best; "" where there are none."""
        rows = [row for table in self.tables for row in table.rows]
        if self.test is None and not any(row.best for row in rows):
            return ""
        as_good = ""
        if self.test is not None and any(row.as_good and not row.best for row in rows):
            as_good = f"; {AS_GOOD}: not significantly worse than the best ({self.level_in_words})"
        return f"{best}: the best{as_good}."

    @property
    def _labelled(self) -> list[tuple[str, ScoreTable]]:
        return list(zip(self.score_labels(), self.tables, strict=True))

    def _of_exact_scores(self, plain: Callable[[str], str]) -> str | None:
        """Return which scores are exact, as words before what is said of them; "" if all are, None if none is."""
        exact = [plain(label) for label, table in self._labelled if table.is_exact]
        if not exact:
            return None
        return "" if len(exact) == len(self.tables) else f"of {', '.join(exact)} "

    def _tests_in_words(self, plain: Callable[[str], str]) -> str:
        """Return the tests of all scores, and how their p are adjusted."""
        by_method = {method: f", adjusted for all pairs by {name}" for method, name in ADJUSTED.items()}
        if self.p_label == "p":
            by_method = dict.fromkeys(ADJUSTED, "")
        baseline = plain(self.baseline)
        resampled = self.inference
        exact = resampled.of_shares()
        if resampled.test is None or exact.test is None:
            return ""
        if resampled.has_exact_test:
            return f"{resampled.test.title} against {baseline}{by_method[resampled.adjust]}"
        by_resamples = (
            f"{resampled.test.title} against {baseline}{by_method[resampled.adjust]}, {self.resamples_in_words()}"
        )
        of_exact = self._of_exact_scores(plain) if exact.has_exact_test else None
        if of_exact is None:
            return by_resamples
        if not of_exact:
            return f"{exact.test.title} against {baseline}{by_method[exact.adjust]}"
        return f"{by_resamples}; {of_exact}{exact.test.title}{by_method[exact.adjust]}"

    def resamples_in_words(self) -> str:
        """Return how many resamples the test takes, or that it takes every exchange of so few units."""
        n_resamples = self.n_resamples or 0
        test = self.inference.test
        if test is not None:
            draws = {test.n_draws(table.n_units, n_resamples) for table in self.tables if not table.is_exact}
            if len(draws) == 1 and all(of_table.are_all for of_table in draws):
                (of_all_tables,) = draws
                return f"all {of_all_tables.number:,} exchanges"
        return f"{n_resamples:,} resamples, seed {self.seed}"

    @property
    def has_intervals(self) -> bool:
        """Whether some score has an interval: there are enough units, and intervals were not left out."""
        return any(row.interval for table in self.tables for row in table.rows)

    def methods_in_words(self) -> list[str]:
        """Return as sentences of which kind the intervals are, and which tests ran."""
        sentences = []
        if self.has_intervals:
            sentences.append(f"Intervals: {self.intervals_in_words()}.")
        if self.test is not None:
            label = "p" if self.p_label == "p" else "Adjusted p"
            sentences.append(f"{label}: {self._tests_in_words(str)}.")
        return sentences

    def intervals_in_words(
        self, tables: Sequence[ScoreTable] | None = None, plain: Callable[[str], str] = str
    ) -> str:
        """Return the kinds of intervals of scores, of all by default."""
        chosen = self.tables if tables is None else tables
        resampled = INTERVALS[self.interval or "expanded"]
        # Student's t draws none.
        if self.interval != "Student":
            resampled += f", {N_RESAMPLES:,} resamples"
            if any(table.n_units > MOST_UNITS for table in chosen):
                resampled += f" of {MOST_UNITS:,} random groups of {self.unit}s"
            resampled += f", seed {self.seed}"
        exact = [label for label, table in self._labelled if table.is_exact and table in chosen]
        if not exact or not self.inference.of_shares().has_exact_intervals:
            return resampled
        of_exact = "Wilson's" if self.test is None else "Wilson's, of differences Tango's"
        if len(exact) == len(chosen):
            return of_exact
        return f"{resampled}; of {', '.join(map(plain, exact))} {of_exact}"

    def in_parentheses(self, shown: Collection[str] = BESIDE_SCORES) -> str:
        """Return what stands in parentheses and brackets where a score and its interval share a cell.

        `shown` is what the table has beside scores.
        """
        if "interval" not in shown or not self.has_intervals:
            return ""
        level = f"{100 * self.confidence_level:g} %"
        has_brackets = self.test is not None and "difference" in shown
        of_differences = "; in brackets: those of differences" if has_brackets else ""
        return f"In parentheses: {level} intervals{of_differences}."

    def rank_legend(self, lined: Sequence[ScoreTable] = ()) -> str:
        """Return what ranks mean, and the lines that are drawn by these scores; "" where tables have no ranks."""
        if not self.has_ranks:
            return ""
        line = ""
        if any(table.lines for table in lined):
            by = "" if len(lined) == len(self.tables) else f" (by {', '.join(table.title for table in lined)})"
            line = f" A line{by}: every system above it is significantly better than every one below."
        return (
            f"rank: the best and the worst place that a system may hold, as only significant differences count "
            f"({self.level_in_words}).{line}"
        )

    def section_lines(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return the sentences of all sections, with the score where there are several; `plain` formats names."""
        labels = self.score_labels() if len(self.tables) > 1 else [""]
        return [
            f"{plain(label)}: {line}" if label else line
            for label, table in zip(labels, self.tables, strict=True)
            for section in table.sections
            for line in section.lines(plain)
        ]

    def marked_labels(self) -> list[str]:
        """Return the label of each table's score, with a mark where lower is better."""
        labelled = zip(self.score_labels(), self.tables, strict=True)
        return [label if table.higher_is_better else f"{label} {LOWER}" for label, table in labelled]

    def remarks(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return sentences on empty predictions, segments left out, and too few segments; `plain` formats names."""
        test_set = self.test_set
        n_units, unit = self._units
        too_few = next((table.too_few for table in self.tables if table.too_few is not None), None)
        remarks = [] if test_set.clusters is None else [*test_set.clusters.notes(plain)]
        remarks += _fact_lines(self.facts, plain)
        n_units = min((table.n_units for table in self.tables if table.n_units), default=n_units)
        if (
            self.interval is not None
            and n_units < FEWEST_UNITS
            and any(not row.interval for table in self.tables for row in table.rows)
        ):
            remarks.append(too_few_units(n_units, unit))
        if too_few is not None:
            remarks.append(too_few)
        return remarks

    def too_few(self, pvalues: NDArray[np.float64], n_units: int, inferred: Inference) -> str | None:
        """Return why no difference of a score could be significant, however large; None if one could, or one is."""
        if inferred.test is None:
            return None
        # The bootstrap test calls many equal systems different where no test of exchanges could.
        may_err = inferred.test.errs_more and 2.0 ** (1 - n_units) >= self.alpha
        if (pvalues < self.alpha).any() and not may_err:
            return None
        return too_little(
            inferred,
            self.n_resamples or 0,
            n_units=n_units,
            unit=self._units[1],
            n_systems=len(self.test_set.systems),
            alpha=self.alpha,
        )

    def units_of(self, table: ScoreTable) -> list[SegmentStats]:
        """Return the rows of each system that are resampled: segments scored for all systems, or their clusters."""
        stats = list(table.stats.values())
        is_scored = scored_for_all(stats)
        clusters = None if self.test_set.clusters is None else self.test_set.clusters.selected(is_scored)
        return clustered([system_stats.selected(is_scored) for system_stats in stats], clusters)

    @property
    def unit(self) -> str:
        """What is resampled, ``segment`` or ``cluster``."""
        return "segment" if self.test_set.clusters is None else "cluster"

    @property
    def counted(self) -> str:
        """What wins, ties and losses count."""
        return self.unit

    @property
    def level_in_words(self) -> str:
        """The level of the test, as sentences have it."""
        test = self.inference.test
        return f"alpha {self.alpha:g}" if test is None else test.level(self.alpha)

    @property
    def _units(self) -> tuple[int, str]:
        """How many units are resampled, and what they are."""
        clusters = self.test_set.clusters
        return (self.test_set.n_segments, "segment") if clusters is None else (len(clusters), "cluster")

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
            # Outputs are not tested; their systems are.
            **({"test": WELCH.name, "adjust": "holm"} if self.tests_runs else {}),
            "tables": [
                {
                    "metric": table.metric,
                    "score": table.name,
                    "higher_is_better": table.higher_is_better,
                    "signature": table.signature,
                    **(self.inference_of(table).to_dict() if table.is_exact else {}),
                    "systems": [self.numbers(row) for row in table.rows],
                    "adjusted_pvalues": table.pvalues.tolist() if self.test is not None else None,
                    "too_few": table.too_few,
                    **_values(table.sections),
                }
                for table in self.tables
            ],
            "facts": [row.to_dict() for row in self.facts],
            "warnings": self.warnings,
        }


def _values(sections: Sequence[Section]) -> dict[str, Any]:
    """Return the values of sections by their keys; the slices of all kinds in one list."""
    values = {section.key: section.value for section in sections}
    slices = [row for section in sections if section.key == "slices" for row in section.value]
    return {**values, "slices": slices} if slices else values


def scored_for_all(stats: Sequence[SegmentStats]) -> NDArray[np.bool_]:
    """Return which items were scored for all systems."""
    # The column "items" is 0 where a metric leaves an item out.
    is_scored: NDArray[np.bool_] = np.logical_and.reduce([system_rows.column("items") > 0 for system_rows in stats])
    return is_scored


def wide_table(
    comparison: Comparison, notes: Sequence[str], *, title: str = "", shown: Collection[str] = BESIDE_SCORES
) -> Table:
    """Return a table with a row for each system: each score with its interval and mark, and against the baseline.

    `shown` is what stands beside scores. Where there are ranks, the best by the first score is first, and where they
    are shown, lines are between its groups.
    """
    ranked = comparison.test is not None and comparison.has_ranks
    columns = [Column("system", "name")]
    rows: list[list[Any]] = [[system] for system in comparison.test_set.systems]
    for label, table in zip(comparison.score_labels(), comparison.tables, strict=True):
        columns.append(Column(label, after=_mark(table)))
        columns += _columns_beside(comparison, shown)
        for cells, row in zip(rows, table.rows, strict=True):
            cells += _cells_of(comparison, row, shown)
    lines: Sequence[int] = ()
    if ranked:
        first = comparison.tables[0]
        rows = [rows[place] for place in first.order]
        lines = first.lines if "rank" in shown else ()
    signatures = list(dict.fromkeys(table.signature for table in comparison.tables))
    return Table(title, columns, rows, notes=notes, signatures=signatures, lines=lines)


def stacked_table(
    comparison: Comparison, notes: Sequence[str], *, title: str = "", shown: Collection[str] = BESIDE_SCORES
) -> Table:
    """Return the same with the scores below each other, as the page of a paper is narrow.

    Where there are ranks, the best by each score is first there, and where they are shown, lines are between its
    groups.
    """
    ranked = comparison.test is not None and comparison.has_ranks
    several = len(comparison.tables) > 1
    rows: list[list[Any]] = []
    groups = []
    lines: list[int] = []
    for score, table in zip(comparison.titles(), comparison.tables, strict=True):
        start = len(rows)
        groups.append(Group(start, score, _mark(table)))
        order = table.order if ranked else range(len(table.rows))
        for place in order:
            row = table.rows[place]
            rows.append([row.system, *_cells_of(comparison, row, shown)])
        if ranked and "rank" in shown:
            lines += [start + line for line in table.lines]
    first = comparison.tables[0]
    head = Column("score") if several else Column(comparison.titles()[0], after=_mark(first))
    return Table(
        title,
        [Column("system", "name"), head, *_columns_beside(comparison, shown)],
        rows,
        notes=notes,
        signatures=list(dict.fromkeys(table.signature for table in comparison.tables)),
        lines=lines,
        groups=groups if several else (),
    )


def _mark(table: ScoreTable) -> str:
    return "" if table.higher_is_better else f" {LOWER}"


def _columns_beside(comparison: Comparison, shown: Collection[str]) -> list[Column]:
    """Return the columns that stand beside that of a score, of those that are shown."""
    columns: list[Column] = []
    if comparison.test is None:
        return columns
    if "difference" in shown:
        columns.append(Column("difference", "difference"))
    if "p" in shown:
        columns.append(Column(comparison.p_label))
    if "rank" in shown and comparison.has_ranks:
        columns.append(Column("rank"))
    return columns


def _cells_of(comparison: Comparison, row: SystemScore, shown: Collection[str]) -> list[Any]:
    """Return a score with its interval and mark, and what stands beside it, of what is shown."""
    mark = AS_GOOD if row.as_good and not row.best else ""
    interval = row.interval.replace(" – ", "–") if "interval" in shown else ""
    cells: list[Any] = [Cell(decimals(row.value, row.digits), row.best, f"{mark} ({interval})" if interval else mark)]
    if comparison.test is None:
        return cells
    difference, p, _ = against(row)
    if "difference" in shown:
        around = f" {row.interval_of_difference}" if row.interval_of_difference and "interval" in shown else ""
        cells.append(Cell(difference, after=around))
    if "p" in shown:
        cells.append(p)
    if "rank" in shown and comparison.has_ranks:
        cells.append(Cell("", after=row.places))
    return cells


def digits_of(metric: Metric, values: Iterable[float | None]) -> int:
    """Return with how many decimals people read scores: two, or four of scores that are no percents and small."""
    small = all(value is None or math.isnan(value) or abs(value) < 10 for value in values)
    return 4 if metric.scale == 1 and small else 2


def against(row: SystemScore) -> tuple[str, str, str]:
    """Return the difference from the baseline, its p, and the counts of segments; nothing for the baseline itself."""
    if row.difference is None:
        return "", "", ""
    p = "NaN" if row.adjusted_pvalue is None else pvalue_text(row.adjusted_pvalue)
    return decimals(row.difference, row.digits, signed=True), p, f"{row.wins}/{row.ties}/{row.losses}"


def _in_words(words: re.Match[str]) -> str:
    """Return a list of words as it is written on the command line."""
    return words[1].replace('","', "+")


# Paired significance tests of two systems on the same texts, for any metric.


def check_options(
    metric: str | Metric, test: str, n_resamples: int | None, seed: int, options: Mapping[str, Any]
) -> Metric:
    """Return the metric, or raise an OptionError for what :func:`paired_significance` does not take."""
    # In contrast to `compare`, None is no test here.
    check_value("paired_significance", "test", one_of(*RESAMPLES), test)
    metric, options = take_options(metric, options)
    for name in ("confidence_level", "segments"):
        # Compared with None and False, since an array of segments has no truth value.
        if not (options.get(name) is None or options[name] is False):
            raise OptionError(f"A paired test has no {name!r}: it gives differences and their p-values.")
    check_values("paired_significance", locals(), CompareSettings.checks())
    metric = make_scorer(metric, options)
    metric.check_call(resampled=True)
    return metric


def read_two(predictions1: Any, predictions2: Any, references: Any) -> Corpus:
    """Return the texts of two systems, checked and encoded; references may be an iterator, None for none."""
    return read_systems(("predictions1", "predictions2"), (predictions1, predictions2), references).encoded()


def paired_significance(
    metric: str | Metric,
    predictions1: Any,
    predictions2: Any,
    references: Any = None,
    *,
    test: str = "permutation",
    n_resamples: int | None = None,
    seed: int = 12345,
    **options: Any,
) -> dict[str, Any]:
    """Test whether the difference between two systems is more than chance.

    Test, resamples, seed and options are those of the evaluate module; references are ignored if the metric
    takes none. The result has ``stat`` and ``p`` of the primary score (second less first), ``scores1``, ``scores2``,
    ``stats`` and ``pvalues`` by name of score, and ``test``, ``n_resamples``, ``seed``, ``n_segments``,
    ``signature``.
    """
    metric = check_options(metric, test, n_resamples, seed, options)
    if references is None and metric.takes_references:
        raise InputError("references must be a list with one text or one list of texts per item, got None.")
    corpus = read_two(predictions1, predictions2, references if metric.takes_references else None)
    stats = batch_stats(metric, corpus).split(2)
    return significance(metric, stats, test=test, n_resamples=n_resamples, seed=seed)


def significance_of_parts(metric: Metric, parts: Sequence[Sequence[Rows]], **settings: Any) -> dict[str, Any]:
    """Return the result of :func:`paired_significance` for the parts of each system, with checked options."""
    from tercet.streaming.rows import stats_of_rows

    return significance(metric, [stats_of_rows(metric, system_parts) for system_parts in parts], **settings)


def significance(
    metric: Metric, stats: Sequence[SegmentStats], *, test: str, n_resamples: int | None, seed: int
) -> dict[str, Any]:
    """Return the same result for the rows of both systems."""
    is_scored = np.logical_and(*(system_stats.column("items") > 0 for system_stats in stats))
    if not is_scored.any():
        raise InputError(metric.nothing_left)
    systems = [system_stats.selected(is_scored) for system_stats in stats]
    n_resamples = RESAMPLES[test] if n_resamples is None else n_resamples
    paired_test = TESTS[test]
    tests = paired_test.of_pairs(metric, systems, [(0, 1)], n_resamples=n_resamples, seed=seed)
    totals = map(metric.corpus_totals, systems)
    scores = [
        {name: float(system_scores[name]) for name in metric.score_names}
        for system_scores in map(metric.finalize, totals)
    ]
    statistics = {name: scores[1][name] - scores[0][name] for name in metric.score_names}
    pvalues = {name: float(tests[name].pvalues[0]) for name in metric.score_names}
    return {
        "stat": statistics[metric.primary],
        "p": pvalues[metric.primary],
        "scores1": scores[0],
        "scores2": scores[1],
        "stats": statistics,
        "pvalues": pvalues,
        "test": test,
        "n_resamples": paired_test.n_draws(len(systems[0]), n_resamples).number,
        "seed": seed,
        "n_segments": int(np.sum(is_scored)),
        "signature": summarize(metric, stats[0]).signature,
    }


# Facts of each system besides its scores: lengths, empty predictions, segments left out.

#: Reasons why a segment is left out.
NO_REFERENCE, NO_NUMBER = "no reference", "no number"
NOTHING, ELSEWHERE = "empty prediction", "not scored for another system"
_EMPTY, _LEFT_OUT = "Empty predictions", "Segments left out, "
_ZERO = "Segments without a number or reference, which count as 0"


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """A metric's facts of a system besides its scores."""

    #: Its label in tables, with the options that were given.
    metric: str
    system: str
    #: How many were scored.
    segments: int
    #: How many have no token.
    empty_predictions: int
    #: The number of segments left out, by reason.
    skipped: dict[str, int]
    #: How many without a number or reference count as 0.
    counted_as_zero: int
    #: What this metric alone reports, as its `Metric.facts` name it.
    more: dict[str, Any]
    #: The same on one line; "" if the metric reports nothing.
    line: str

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row, without the line."""
        names = ("metric", "system", "segments", "empty_predictions", "skipped", "counted_as_zero")
        return {**{name: getattr(self, name) for name in names}, **self.more}


def facts_of_systems(
    metric: Metric, stats: Mapping[str, SegmentStats], scored: Sequence[SegmentStats]
) -> list[SystemFacts]:
    """Return the facts of each system from the rows of all segments and of the scored ones."""
    facts = []
    for (system, rows), scored_rows in zip(stats.items(), scored, strict=True):
        totals = metric.corpus_totals(scored_rows)
        entries = metric.report(totals, None)
        report = {**entries, **metric.details(totals, None, entries)}
        n_empty = int(rows.column("empty").sum())
        facts.append(
            _facts(
                metric,
                system,
                report=report,
                n_segments=len(scored_rows),
                n_empty=n_empty,
                skipped=_skipped(metric, rows, len(scored_rows)),
                n_zero=int(np.count_nonzero((rows.column("items") > 0) & (rows.column("missing") > 0))),
            )
        )
    return facts


def _facts_of_result(metric: Metric, system: str, result: Result) -> SystemFacts:
    """Return the facts in a system's result; segments without a reference are left out."""
    n_left_out = result.missing_references if metric.missing_references == "skip" else 0
    skipped = {NO_REFERENCE: n_left_out} if n_left_out else {}
    report = result.to_dict(full=True)
    return _facts(
        metric,
        system,
        report=report,
        n_segments=result.n_segments,
        n_empty=result.empty_predictions,
        skipped=skipped,
        n_zero=result.missing_references - n_left_out,
    )


def _facts(
    metric: Metric,
    system: str,
    *,
    report: Mapping[str, Any],
    n_segments: int,
    n_empty: int,
    skipped: dict[str, int],
    n_zero: int,
) -> SystemFacts:
    metric_facts = {name: report[name] for name in metric.facts}
    line = _line_of_sacrebleu(report, metric.scale) if isinstance(metric, Bleu) else _line(metric_facts)
    return SystemFacts(
        metric=label_of(metric),
        system=system,
        segments=n_segments,
        empty_predictions=n_empty,
        skipped=skipped,
        counted_as_zero=n_zero,
        more=metric_facts,
        line=line,
    )


def _line(facts: Mapping[str, Any]) -> str:
    lists = {name: value if isinstance(value, list) else [value] for name, value in facts.items()}
    return ", ".join(f"{name} = {'/'.join(f'{value:g}' for value in values)}" for name, values in lists.items())


def _line_of_sacrebleu(report: Mapping[str, Any], scale: float) -> str:
    """Return the facts of BLEU as sacrebleu prints them, in percent."""
    bleu, *precisions = (100 / scale * value for value in (report["bleu"], *report["precisions"]))
    return (
        f"BLEU = {bleu:.1f} {'/'.join(f'{precision:.1f}' for precision in precisions)} "
        f"(BP = {report['brevity_penalty']:.3f} ratio = {report['length_ratio']:.3f} "
        f"hyp_len = {report['translation_length']} ref_len = {report['reference_length']:g})"
    )


def _skipped(metric: Metric, rows: SegmentStats, n_scored: int) -> dict[str, int]:
    """Return the number of segments left out, by reason."""
    is_left_out = rows.column("items") == 0
    n_missing = int(np.count_nonzero(is_left_out & (rows.column("missing") > 0)))
    n_left_out = int(np.count_nonzero(is_left_out))
    counts = {
        NO_REFERENCE if metric.takes_references else NO_NUMBER: n_missing,
        NOTHING: n_left_out - n_missing,
        ELSEWHERE: len(rows) - n_left_out - n_scored,
    }
    return {reason: count for reason, count in counts.items() if count}


def _fact_lines(facts: Sequence[SystemFacts], plain: Callable[[str], str] = str) -> list[str]:
    """Return sentences on segments that are empty, zero or left out; `plain` formats names of systems and metrics."""
    metrics = list(dict.fromkeys(row.metric for row in facts))
    n_segments = max((row.segments + sum(row.skipped.values()) for row in facts), default=0)
    lines = []
    reasons = (NO_REFERENCE, NO_NUMBER, NOTHING, ELSEWHERE)
    for heading in (_EMPTY, _ZERO, *(f"{_LEFT_OUT}{reason}" for reason in reasons)):
        groups: dict[str, list[str]] = {}
        for metric in metrics:
            counts = {plain(row.system): _numbers(row).get(heading, 0) for row in facts if row.metric == metric}
            groups.setdefault(_counted(counts), []).append(metric)
        for words, group in groups.items():
            if words:
                # Metrics are named only where they differ.
                by = "" if len(group) == len(metrics) else f", {', '.join(map(plain, group))}"
                lines.append(f"{heading}{by}: {words} (of {n_segments:,}).")
    return lines


def _numbers(facts: SystemFacts) -> dict[str, int]:
    """Return the numbers of a system's segments that are empty, zero or left out, by heading."""
    skipped = {f"{_LEFT_OUT}{reason}": number for reason, number in facts.skipped.items()}
    return {_EMPTY: facts.empty_predictions, _ZERO: facts.counted_as_zero, **skipped}


def _counted(counts: Mapping[str, int]) -> str:
    """Return the counts of systems, or one if they are all equal; empty if all are 0."""
    if len(set(counts.values())) == 1:
        (count,) = set(counts.values())
        suffix = " of each system" if len(counts) > 1 else ""
        return f"{count:,}{suffix}" if count else ""
    return ", ".join(f"{system} {count:,}" for system, count in counts.items() if count)


def some_best(values: Sequence[float], higher_is_better: bool) -> bool:
    """Return whether one of the systems' values is the best: not of one system, nor where nothing matched for any."""
    return len(values) > 1 and (not higher_is_better or any(values))


# Results of systems whose texts are not in memory, as a comparison for the tables.


@dataclass(frozen=True, slots=True)
class CountedSet(TestSet):
    """A test set without texts: its names, number of segments, and skipped files with reasons."""

    n_items: int = 0
    bad_files: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, Any]:
        """The skipped files."""
        return {"bad_files": list(self.bad_files)}

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return self.n_items


def to_comparison(
    name: str,
    metrics: Sequence[Metric],
    results: Mapping[tuple[str, str], Result],
    confidence_level: float,
    seed: int,
) -> Comparison:
    """Return results by system and label of a metric as a comparison without texts, segments and tests."""
    systems = list(dict.fromkeys(system for system, _ in results))
    tables = [
        _table(metric, score, {system: results[system, label_of(metric)] for system in systems})
        for metric in metrics
        for score in metric.score_names
    ]
    facts = [
        _facts_of_result(metric, system, results[system, label_of(metric)])
        for metric in metrics
        for system in systems
    ]
    n_items = max(result.n_segments for result in results.values())
    bad_files = tuple(results[systems[0], label_of(metrics[0])].bad_files)
    test_set = CountedSet(
        name=name,
        systems={system: [] for system in systems},
        references=[],
        source=None,
        n_items=n_items,
        bad_files=bad_files,
    )
    return Comparison(
        test_set=test_set,
        baseline=systems[0],
        tables=tables,
        test=None,
        n_resamples=None,
        confidence_level=confidence_level,
        # Nothing is tested; the JSON has a level all the same.
        alpha=CompareSettings.alpha,
        seed=seed,
        interval="Poisson",
        facts=facts,
    )


def _table(metric: Metric, score: str, results: Mapping[str, Result]) -> ScoreTable:
    values = {system: float(result[score]) for system, result in results.items()}
    higher_is_better = is_higher_better(metric, score)
    # Whether max and min return NaN depends on its place among the values.
    numbers = [value for value in values.values() if not math.isnan(value)]
    best_value = (max if higher_is_better else min)(numbers, default=math.nan)
    any_best = some_best(list(values.values()), higher_is_better)
    rows = []
    for system, value in values.items():
        low, high = (results[system].intervals or {})[score]
        is_best = any_best and value == best_value
        rows.append(
            SystemScore(
                system=system,
                value=value,
                low=low,
                high=high,
                difference=None,
                difference_low=None,
                difference_high=None,
                pvalue=None,
                adjusted_pvalue=None,
                wins=None,
                ties=None,
                losses=None,
                best=is_best,
                # Without a test, only the best is known to be as good.
                as_good=is_best or None,
            )
        )
    pvalues = np.full((len(rows), len(rows)), np.nan)
    signature = next(iter(results.values())).signature
    return ScoreTable(
        metric=label_of(metric),
        name=score,
        signature=signature,
        rows=rows,
        pvalues=pvalues,
        segments={},
        higher_is_better=higher_is_better,
        scorer=metric,
        stats={},
    )
