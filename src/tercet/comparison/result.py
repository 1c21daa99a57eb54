"""The comparison: the scores of all systems on a test set, how they were tested, and what is said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tercet.base.metric import Metric
from tercet.base.options import check_value
from tercet.comparison.specs.metric_specs import behind_title, short_label
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import BESIDE_SCORES, ScoredSegments, ScoreTable
from tercet.comparison.values.system_facts import SystemFacts, fact_lines
from tercet.corpus.corpus import Corpus
from tercet.errors import needs
from tercet.names_as_shown import one_cell
from tercet.option_checks import integer
from tercet.statistics.inference import Inference
from tercet.statistics.intervals import FEWEST_UNITS, too_few_units
from tercet.statistics.kinds_of_tests import WELCH
from tercet.statistics.stats import SegmentStats
from tercet.test_sets.test_set import TestSet

if TYPE_CHECKING:
    from tercet.comparison.values.slices import Slices


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Systems compared on a test set. A notebook shows it as a table.

    Attributes
    ----------
    design : Design
        What is compared, and how; its fields are attributes of the comparison, too.
    tables : list of ScoreTable
        One for each score of each metric.
    facts : list of SystemFacts
        Facts of each system besides its scores: lengths, empty predictions, segments left out.
    warnings : list of str
        Warnings raised while scoring, such as another tokenizer chosen for the texts.
    corpus : Corpus or None
        The texts as scored.
    """

    design: Design
    tables: list[ScoreTable]
    facts: list[SystemFacts] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    corpus: Corpus | None = None

    # What the design says.

    @property
    def test_set(self) -> TestSet:
        """The texts or numbers of the systems."""
        return self.design.test_set

    @property
    def baseline(self) -> str:
        """The system that the others are tested against."""
        return self.design.baseline

    @property
    def test(self) -> str | None:
        """The paired test, if there was one."""
        return self.design.test

    @property
    def n_resamples(self) -> int | None:
        """How many resamples the paired test took, if there was one."""
        return self.design.n_resamples

    @property
    def confidence_level(self) -> float:
        """The level of the intervals."""
        return self.design.confidence_level

    @property
    def alpha(self) -> float:
        """The level of the significance tests."""
        return self.design.alpha

    @property
    def seed(self) -> int:
        """The seed of all resampling."""
        return self.design.seed

    @property
    def interval(self) -> str | None:
        """The kind of the bootstrap intervals, which have 1,000 resamples; None without intervals."""
        return self.design.interval

    @property
    def adjust(self) -> str:
        """How p is adjusted for all pairs of systems, where their draws are common: step-down or holm."""
        return self.design.adjust

    @property
    def runs(self) -> dict[str, list[str]]:
        """The outputs that are runs of each system; empty where each output is a system."""
        return self.design.runs

    @property
    def slices(self) -> list[Slices]:
        """Which segments are scored and tested alone, by what."""
        return self.design.slices

    @property
    def joins_runs(self) -> bool:
        """Whether any outputs are runs of one system; then none of them is the best."""
        return self.design.joins_runs

    @property
    def inference(self) -> Inference:
        """How scores are inferred, but for those that are 0 or 1."""
        return self.design.inference

    def inference_of(self, table: ScoreTable) -> Inference:
        """Return how a table's score is inferred: its test, how p are adjusted, and its intervals."""
        return self.design.inference_of(table)

    @property
    def p_label(self) -> str:
        """The header of p in narrow tables: with two systems there is one pair, and nothing to adjust."""
        return self.design.p_label

    @property
    def unit(self) -> str:
        """What is resampled, ``segment`` or ``cluster``."""
        return self.design.unit

    # What was found.

    @property
    def tests_runs(self) -> bool:
        """Whether any systems with several runs were tested: the spread of their runs may be unknown."""
        return any(table.over_runs.tests_baseline for table in self.tables if table.over_runs is not None)

    @property
    def outputs_of_baseline(self) -> list[str]:
        """The outputs of the baseline: itself, or its runs."""
        return self.runs.get(self.design.system_of_baseline, [self.baseline])

    @property
    def has_ranks(self) -> bool:
        """Whether tables show ranks: of three systems or more, where the test could tell any apart."""
        is_tested = self.test is not None and len(self.test_set.systems) > 2
        return is_tested and any(row.rank is not None for table in self.tables for row in table.rows)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each score of each system: of the columns of the TSV file.

        Where outputs are runs, the systems by the means of their runs come first, then each output.
        """
        from tercet.comparison.shown.records import records_of

        return records_of(self)

    @property
    def p_in_words(self) -> str:
        """What p is called within a sentence."""
        return "adjusted p" if len(self.test_set.systems) > 2 else "p"

    @property
    def p_at_start(self) -> str:
        """What p is called at the start of a sentence."""
        return "Adjusted p" if len(self.test_set.systems) > 2 else "p"

    def score_labels(self) -> list[str]:
        """Return the label of each table's score, with its metric where two share a name."""
        return self._with_metrics([table.name for table in self.tables], "{metric} {name}")

    def titles(self) -> list[str]:
        """Return what people call each table's score, with the metric's options where two share a title."""
        return self._with_metrics([table.title for table in self.tables], "{name} ({metric})")

    def _with_metrics(self, names: Sequence[str], form: str) -> list[str]:
        """Return names of all tables' scores, those that several have in a form with the label of the metric."""
        counts = Counter(names)
        metric_labels = self.metric_labels()
        distinct = []
        for table, name in zip(self.tables, names, strict=True):
            named = form.format(name=name, metric=metric_labels[table.metric])
            distinct.append(named if counts[name] > 1 else name)
        return distinct

    def options(self) -> dict[str, str]:
        """Return the options of each metric as given, such as ``max_order=2``; of a mean of metrics, its file."""
        options = {}
        for metric, metric_label in self.metric_labels().items():
            options[metric] = behind_title(self._scorers[metric], shortens=metric_label != metric)
        return options

    def metric_labels(self) -> dict[str, str]:
        """Return the label of each metric in headings, with paths shortened to their last part where unique."""
        labels = {metric: short_label(scorer) for metric, scorer in self._scorers.items()}
        counts = Counter(labels.values())
        return {metric: label if counts[label] == 1 else metric for metric, label in labels.items()}

    @property
    def _scorers(self) -> dict[str, Metric]:
        """The metrics by their labels."""
        return {table.metric: table.scorer for table in self.tables}

    def to_dataframe(self) -> Any:
        """Return a pandas data frame: a row per score and system, with the columns of the TSV file.

        Where outputs are runs, ``row`` is ``"system"`` in the rows of systems over their runs, which come first, and
        ``"output"`` in those of each output; else it is ``"system"`` in all.
        """
        needs("A data frame", "evaluate", "pandas")
        import pandas as pd

        from tercet.comparison.shown.records import COLUMNS

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
        from tercet.comparison.shown.segment_rows import segments_of

        check_value("segments", "worst", integer(1, none=True), worst)
        return segments_of(self, worst)

    def to_markdown(self, columns: Iterable[str] | None = None) -> str:
        """Return the verdict and the scores of all systems as tables in Markdown.

        Parameters
        ----------
        columns : iterable of {"interval", "difference", "p", "rank"}, optional
            What stands beside each score; by default all that there is. ``[]`` shows scores alone. An interval stands
            beside the score, and beside the difference.
        """
        from tercet.comparison.shown.tables import in_format

        return in_format([self], "markdown", columns)

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
        from tercet.comparison.shown.tables import in_format

        return in_format([self], "latex", columns)

    def plot(self) -> Any:
        """Return a matplotlib figure: for each score, a row per system with its interval.

        Of more than two systems, the best by the first score is on top.

        Raises
        ------
        OptionError
            Where matplotlib is not installed.
        """
        from tercet.report.intervals_figure import intervals_figure

        return intervals_figure(self)

    def to_html(self, title: str | None = None) -> str:
        """Return the report: one HTML page that loads nothing; only its list of segments needs a script.

        Raises
        ------
        OptionError
            Where jinja2 is not installed.
        """
        from tercet.report.comparison import to_html

        return to_html([self], title=title)

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
        from tercet.comparison.shown.published_results import to_entries

        return to_entries(self, dataset_id, task_id)

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
        return f"{WELCH.title} against {self.design.system_of_baseline!r}"

    def __str__(self) -> str:
        """Return what a terminal shows: the verdict, the scores, intervals and tests, and how columns were read."""
        from tercet.comparison.shown.terminal import to_text

        text = to_text([self], with_warnings=True)
        fields = self.test_set.fields
        if not fields:
            return text.rstrip("\n")
        return f"{text}{one_cell(fields)}"

    def _repr_html_(self) -> str:
        """Show the verdict and the scores with their intervals in a notebook, a row for each system."""
        from tercet.comparison.shown.notebook import to_html

        return to_html(self)

    def legend(
        self, plain: Callable[[str], str] = str, best: str = "Bold", shown: Collection[str] = BESIDE_SCORES
    ) -> str:
        """Return the legend of a table's marks, `best` that of the best; `plain` formats the name of the baseline.

        `shown` is what the table has beside scores: its marks are by tests even where it has no p.
        """
        from tercet.comparison.verdicts.legends import table_legend

        return table_legend(self, plain, best, shown)

    def methods_in_words(self) -> list[str]:
        """Return as sentences of which kind the intervals are, and which tests ran."""
        from tercet.comparison.verdicts.legends import methods_in_words

        return methods_in_words(self)

    def intervals_in_words(
        self, tables: Sequence[ScoreTable] | None = None, plain: Callable[[str], str] = str
    ) -> str:
        """Return the kinds of intervals of scores, of all by default."""
        from tercet.comparison.verdicts.legends import intervals_in_words

        return intervals_in_words(self, tables, plain)

    def resamples_in_words(self) -> str:
        """Return how many resamples the test takes, or that it takes every exchange of so few units."""
        from tercet.comparison.verdicts.legends import resamples_in_words

        return resamples_in_words(self)

    @property
    def has_intervals(self) -> bool:
        """Whether some score has an interval: there are enough units, and intervals were not left out."""
        return any(row.interval for table in self.tables for row in table.rows)

    def labelled_tables(self) -> list[tuple[str, ScoreTable]]:
        """Return each score's table after its label."""
        return list(zip(self.score_labels(), self.tables, strict=True))

    def section_lines(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return the sentences of all sections, with the score where there are several; `plain` formats names."""
        sentences = []
        for label, table in self.labelled_tables():
            heading = f"{plain(label)}: " if len(self.tables) > 1 else ""
            for section in table.sections:
                sentences += [f"{heading}{line}" for line in section.lines(plain)]
        return sentences

    def marked_labels(self) -> list[str]:
        """Return the label of each table's score, with a mark where lower is better."""
        return [f"{label}{table.arrow}" for label, table in self.labelled_tables()]

    def remarks(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return sentences on empty predictions, segments left out, and too few segments; `plain` formats names."""
        test_set = self.test_set
        remarks: list[str] = []
        if test_set.clusters is not None:
            remarks += test_set.clusters.notes(plain)
        remarks += fact_lines(self.facts, plain)
        n_units = min((table.n_units for table in self.tables if table.n_units), default=self._n_units)
        lacks_intervals = any(not row.interval for table in self.tables for row in table.rows)
        if self.interval is not None and n_units < FEWEST_UNITS and lacks_intervals:
            remarks.append(too_few_units(n_units, self.unit))
        why_too_few = [table.too_few for table in self.tables if table.too_few is not None]
        return remarks + why_too_few[:1]

    def units_of(self, table: ScoreTable) -> list[SegmentStats]:
        """Return the rows of each system that are resampled: segments scored for all systems, or their clusters."""
        return ScoredSegments.of(list(table.stats.values()), self.test_set.clusters).units()

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
    def _n_units(self) -> int:
        """How many units are resampled."""
        clusters = self.test_set.clusters
        return self.test_set.n_segments if clusters is None else len(clusters)

    def to_dict(self) -> dict[str, Any]:
        """Return scores, intervals and tests as plain Python (not the texts)."""
        from tercet.comparison.shown.records import entries_of

        return entries_of(self)
