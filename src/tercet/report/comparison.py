"""A comparison as one self-contained HTML file."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.lengths import Buckets, buckets_of
from tercet.comparison.overall import Overall, sets_and_overall
from tercet.comparison.run_means import over_runs
from tercet.comparison.scores import against
from tercet.comparison.sections import Section
from tercet.comparison.verdicts import score_verdict, verdict_of, with_names
from tercet.errors import InputError, needs
from tercet.explanation.html import COLOURS
from tercet.names_and_sentences import MOST_NAMED, Name, Sentence, all_of, short_names
from tercet.signature import __version__

from .plots import (
    SERIES,
    Dot,
    DotColumn,
    Histograms,
    Marks,
    Plot,
    PlotTexts,
    Series,
    baseline_index,
    bucket_plot,
    by_metric,
    difference_column,
    dot_column,
    marks_of,
    primary_table,
    score_distributions,
    shown_tables,
)
from .rendering import Packed, minus, number, render
from .segments import (
    Browse,
    Example,
    Frequencies,
    Ngram,
    Pair,
    Segments,
    Telling,
    browse,
    bucket_scores,
    compared_pairs,
    ngram_pairs,
    read_words,
    telling,
    which_pairs,
    word_frequencies,
)
from .table_data import copies, table_data

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.scores import ScoreTable, SystemScore
    from tercet.comparison.system_facts import SystemFacts
    from tercet.test_sets.test_set import TestSet

#: The scripts that list the segments, and unpack them first.
BROWSING = ("unpack.js", "browse.js")
#: The script that copies and changes the tables of a report, and the one that a page with many systems needs before.
_TABLES, _ORDER = "tables.js", "order.js"
#: Systems beyond which their table can be sorted and searched.
_MANY = 20
#: Systems of which a table shows each pair: of more, the best ones. Of 1,000, all pairs would be 18 MB of the page.
_MOST_PAIRED = 100


def to_html(
    comparisons: Sequence[Comparison],
    *,
    command: str | None = None,
    title: str | None = None,
    version: str = __version__,
    date: str | None = None,
) -> str:
    """Return a report: one HTML page that loads nothing; its one script lists the segments and changes the tables.

    The same comparisons give the same page of a day, to the byte. `command` is the command line; without it the
    report shows the calls in Python. `date` is today's by default. The page holds all texts, compressed: a third of
    their size or less.
    """
    sets, over_all = sets_and_overall(comparisons)
    if not sets:
        raise InputError("There is no comparison to report.")
    needs("An HTML report", "report", "jinja2")
    views = [view(comparison, f"t{number}") for number, comparison in enumerate(sets, 1)]
    overall_views = [_overall_view(comparison) for comparison in over_all]
    if title is None:
        title = _title(sets)
    if date is None:
        date = datetime.date.today().isoformat()
    return render(
        "page.html",
        scripts=_scripts(views, overall_views),
        title=title,
        version=version,
        date=date,
        command=command,
        views=views,
        over_all=overall_views,
        tables=Packed.of(_data(views, overall_views)),
        colours=COLOURS,
        json=json.dumps,
    )


def _scripts(views: Sequence[TestSetView], over_all: Sequence[OverallView]) -> list[str]:
    """Return the scripts of a page: those that it uses."""
    columns = [column for view in over_all for column in view.table.columns]
    for view in views:
        for metric in view.metrics:
            columns += [score.column for score in metric.scores]
    if any(column.is_many for column in columns):
        return [*BROWSING, _ORDER, _TABLES]
    return [*BROWSING, _TABLES]


def _data(views: Sequence[TestSetView], over_all: Sequence[OverallView]) -> dict[str, Any]:
    """Return what the script needs of the tables, by their keys."""
    to_copy = {}
    tables = {}
    for view in views:
        to_copy[view.prefix] = copies(view.comparison)
        tables[view.prefix] = table_data(view.comparison, view.names)
        if view.over_runs is not None:
            tables[view.over_runs.key] = table_data(view.over_runs.comparison, view.over_runs.names)
    for overall in over_all:
        to_copy[overall.table.key] = copies(overall.comparison)
        tables[overall.table.key] = table_data(overall.table.comparison, overall.table.names)
    return {"copies": to_copy, "tables": tables}


@dataclass(frozen=True, slots=True, eq=False)
class OverallView:
    """What a report shows over all test sets."""

    comparison: Overall
    verdict: list[Sentence]
    opening: list[Sentence]  # by score, which systems the test tells apart
    table: TableView
    sections: list[Section]  # of each score; their titles name it
    notes: list[str]


def _overall_view(comparison: Overall) -> OverallView:
    names = short_names(list(comparison.test_set.systems))
    opening: list[Sentence] = []
    sections = []
    for title, table in zip(comparison.titles(), comparison.tables, strict=True):
        for section in _sections(table, names):
            if section.key == "groups":
                opening += [(f"{title}: ", *sentence) for sentence in section.sentences]
            else:
                sections.append(section)
    verdict: list[Sentence] = []
    if len(names) > 1:
        verdict = verdict_of(comparison, names)
    return OverallView(
        comparison=comparison,
        verdict=verdict,
        opening=opening,
        table=_table_of_systems(comparison, names, "overall"),
        sections=sections,
        notes=comparison.remarks(),
    )


def _sections(table: ScoreTable, names: dict[str, str]) -> list[Section]:
    """Return what is said of a score, with the names of the page."""
    return [with_names(section, names) for section in table.sections]


def _title(comparisons: Sequence[Comparison]) -> str:
    systems: set[str] = set()
    is_compared = False
    for comparison in comparisons:
        systems.update(comparison.test_set.systems)
        if comparison.test is not None or comparison.joins_runs:
            is_compared = True
    start = "Scores of systems"
    if is_compared:
        start = "Comparison of systems"
    elif len(systems) == 1:
        start = "Scores of a system"
    if len(comparisons) > 1:
        return f"{start} on {len(comparisons)} test sets"
    name = comparisons[0].test_set.name
    # "test set" is the name of texts that come from no file
    if name == "test set":
        return start
    return f"{start} on {name}"


# The contents of a report, in order.


class Against(NamedTuple):
    """What is said of a system against the baseline, each "" for the baseline itself and without a test."""

    difference: str
    p: str
    counts: str  # of segments won, tied and lost


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A score of a system as a table shows it."""

    row: SystemScore
    dot: Dot
    score: str
    against: Against
    difference: Dot | None  # with its interval; none without a test
    way: str  # "better" or "worse" than the baseline, where that is significant; else ""


class Widths(NamedTuple):
    """Letters of the longest texts, so that they stand below each other."""

    score: int
    difference: int
    p: int


@dataclass(frozen=True, eq=False)  # without slots, as widths are kept: each row asks for them
class Column:
    """A score of all systems in a table, in the order of its rows."""

    table: ScoreTable
    title: str
    drawn: DotColumn
    cells: list[Cell]
    differences: DotColumn | None  # where the differences are drawn
    is_ranked: bool  # ranks tell some systems apart

    @property
    def is_many(self) -> bool:
        """Whether the table has so many rows that it can be sorted and searched."""
        return len(self.cells) > _MANY

    @cached_property
    def widths(self) -> Widths:
        """The widths of the column's texts."""
        return Widths(
            score=max(len(cell.score) for cell in self.cells),
            difference=max(len(cell.against.difference) for cell in self.cells),
            p=max(len(cell.against.p) for cell in self.cells),
        )


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """A table of all scores: a row for each system, a column for each score."""

    comparison: Comparison
    key: str  # by which the script knows it
    names: dict[str, str]  # how the systems are called
    columns: list[Column]
    marks: Marks


def _table_of_systems(comparison: Comparison, names: dict[str, str], key: str) -> TableView:
    """Return the table of all scores; where outputs are runs, of the systems."""
    if comparison.joins_runs:
        comparison = over_runs(comparison)
        names = {system: names.get(system, system) for system in comparison.test_set.systems}
    return _table_view(comparison, names, key)


def _table_view(comparison: Comparison, names: dict[str, str], key: str) -> TableView:
    """Return the table of all scores, the best system by the first one first; of many scores of a metric, one."""
    order = comparison.tables[0].order
    shown = shown_tables(comparison.tables)
    columns = []
    for table, title in zip(comparison.tables, comparison.titles(), strict=True):
        if table in shown:
            columns.append(_column(comparison, table, title=title, order=order))
    return TableView(comparison, key, names, columns, marks_of(comparison, comparison.tables))


@dataclass(frozen=True, slots=True, eq=False)
class ByBucket:
    """A score of each group of segments, or of words; rows have the best system first."""

    values: list[list[float]]  # of each row the score of each group
    best: list[float]  # of each group; NaN where none is judged
    verdict: list[Sentence]
    lines: dict[str, Series]  # of the systems, as the page calls them, that have a colour in the plot
    plot: Plot | None


class PairVerdict(NamedTuple):
    """What the test of two systems says of one of them."""

    way: Literal["itself", "better", "worse", "not significant"]
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class ScoreView:
    """A score as the template shows it; rows and what goes by row have the best system first."""

    table: ScoreTable
    rows: list[SystemScore]
    verdict: list[Sentence]
    pairs: list[list[PairVerdict]]  # of each two of the first rows
    by_length: ByBucket | None  # none where no length is known, or all segments are of one group
    rule: str  # how the scores of groups are made
    marks: Marks
    column: Column
    least: float  # p of several pairs, which a legend says once for them all; NaN without such pairs
    distributions: Histograms | None
    same_segments: str  # the score before it whose segments have the same scores; empty without one
    sections: list[Section]  # with the names of the page


@dataclass(frozen=True, slots=True, eq=False)
class MetricView:
    """A metric as the template shows it: its scores, and segments by its primary one."""

    label: str
    title: str
    options: str  # as given
    anchor: str  # the id of its heading on the page, without the prefix
    scores: list[ScoreView]
    buckets: Buckets | None  # of the segments that are scored for every system
    facts: list[SystemFacts]  # what it counted, where it says more than scores
    name: str  # of the primary score
    digits: int  # of its numbers
    higher_is_better: bool
    legend: Sequence[str]  # what the colours of the texts say; empty for texts without colours
    pairs: list[Pair[Example]]
    which_pairs: str
    spread: Example | None


@dataclass(frozen=True, slots=True)
class LengthRow:
    """The length of a system's output."""

    system: str
    length: int  # words
    ratio: float  # to those of the references; NaN without
    empty: int  # predictions


@dataclass(frozen=True, slots=True, eq=False)
class WordsView:
    """The words of the systems as the template shows them; rows have the best system first."""

    unit: str
    rows: list[LengthRow]
    has_references: bool = True
    pairs: list[Pair[Ngram]] = field(default_factory=list)
    # By how often words occur in the references, of test sets that are not small.
    frequencies: Frequencies | None = None
    by_frequency: ByBucket | None = None


class SegmentRule(NamedTuple):
    """The rule by which single segments are scored, of a score that has another one for the test set."""

    rule: str
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class TestSetView:
    """A comparison as the template shows it."""

    comparison: Comparison
    prefix: str  # of the ids; also the key by which the script knows the tables
    names: dict[str, str]  # how the systems are called
    contents: dict[str, str]  # what each part is called, by its id without the prefix
    remarks: list[str]  # facts, such as how many predictions are empty
    warnings: list[str]
    verdict: list[Sentence]
    over_runs: TableView | None  # of systems, where single outputs are runs
    titles: list[str]  # of the scores
    segment_rules: list[SegmentRule]
    opening: list[Sentence]  # which systems cannot be told apart by the first score, and which differences be seen
    table: TableView | None  # of all scores; none where there is one
    metrics: list[MetricView]
    words: WordsView
    browse: Browse
    digest: str  # of all texts, or of the scores where there are none
    telling: Telling | None  # a segment that shows what the verdict says


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names = short_names(list(comparison.test_set.systems))
    comparison = _with_finite_scores(comparison)
    titles = comparison.titles()
    segments = [Segments(comparison, primary_table(tables)) for tables in by_metric(comparison.tables)]
    metrics = _metrics(segments, names)
    first = metrics[0].scores[0]
    words = _words(segments[0], first.rows, names)
    table = None
    if len(comparison.tables) > 1:
        table = _table_view(comparison, names, prefix)
    runs_table = None
    if comparison.joins_runs:
        runs_table = _table_of_systems(comparison, names, f"{prefix}-systems")
    # Remarks also name metrics, where some leave out segments that others score: these have no short name. The
    # isolates (U+2068, U+2069) keep a name in a script from right to left from turning the words around it.
    remarks = comparison.remarks(lambda name: f"\u2068{names.get(name, name)}\u2069")
    return TestSetView(
        comparison=comparison,
        prefix=prefix,
        names=names,
        contents=_contents(comparison, metrics, words),
        remarks=remarks,
        warnings=comparison.warnings,
        verdict=verdict_of(comparison, names),
        over_runs=runs_table,
        titles=titles,
        segment_rules=_segment_rules(comparison.tables),
        opening=_opening(first, with_title=table is not None),
        table=table,
        metrics=metrics,
        words=words,
        browse=browse(segments, titles, names, metrics[0].buckets),
        digest=_digest(comparison.test_set),
        telling=_telling(segments[0], metrics[0]),
    )


def _with_finite_scores(comparison: Comparison) -> Comparison:
    """Return a comparison in which scores of segments that are NaN or infinite are none.

    Such a score has no rank, and no bin of a histogram.
    """
    tables = []
    for table in comparison.tables:
        segments = {system: list(map(_finite, scores)) for system, scores in table.segments.items()}
        tables.append(replace(table, segments=segments))
    return replace(comparison, tables=tables)


def _finite(score: float | None) -> float | None:
    if score is None or not math.isfinite(score):
        return None
    return score


def _contents(comparison: Comparison, metrics: Sequence[MetricView], words: WordsView) -> dict[str, str]:
    contents = {metric.anchor: f"{metric.title} {metric.options}".strip() for metric in metrics}
    if not comparison.test_set.no_texts:
        contents["words"] = "Words"
    if words.pairs:
        contents["ngrams"] = "N-grams"
    return {**contents, "segments": "Segments", "repeat": "Signatures"}


def _opening(score: ScoreView, *, with_title: bool) -> list[Sentence]:
    """Return what is said of the first score beside the verdict; with its title where there are further scores."""
    opening: list[Sentence] = []
    for key in ("direction", "groups", "cautions", "power"):
        for section in score.sections:
            if section.key == key and section.table is None:
                opening += section.sentences
    if opening and with_title:
        opening[0] = (f"{score.table.title}: ", *opening[0])
    return opening


def _segment_rules(tables: Sequence[ScoreTable]) -> list[SegmentRule]:
    rules = []
    for table in tables:
        notes = table.scorer.notes("", segments=True)
        if "seg" in notes:
            rules.append(SegmentRule(notes["seg"], table.title))
    return rules


def _digest(test_set: TestSet) -> str:
    """Return a digest of all texts, or of the scores where there are none."""
    texts: list[Any] = [list(test_set.systems.items()), test_set.references, test_set.source]
    if test_set.no_texts:
        scores_as_text: dict[str, dict[str, list[str]]] = {}
        for score, by_system in test_set.scores.items():
            scores_as_text[score] = {}
            for system, numbers in by_system.items():
                # NaN, of a missing number, is no JSON.
                scores_as_text[score][system] = list(map(repr, numbers.tolist()))
        texts.append(scores_as_text)
    return sha256(json.dumps(texts).encode()).hexdigest()[:16]


def _telling(segments: Segments, metric: MetricView) -> Telling | None:
    """Return the segment that stands beside the verdict; runs have none, as no single one is their system."""
    comparison = segments.comparison
    if comparison.joins_runs or comparison.test_set.no_texts:
        return None
    return telling(segments.table, metric.pairs)


def _metrics(segments_of_metrics: Sequence[Segments], names: dict[str, str]) -> list[MetricView]:
    # kept, since mostly the same segments are scored by all metrics
    buckets_of_scored: dict[tuple[int, ...], Buckets | None] = {}
    metrics = []
    for index, segments in enumerate(segments_of_metrics):
        comparison = segments.comparison
        tables = [table for table in comparison.tables if table.metric == segments.table.metric]
        scored = _scored(tables[0])
        if scored not in buckets_of_scored:
            buckets_of_scored[scored] = buckets_of(comparison.test_set, scored)
        metrics.append(_metric(segments, tables, names=names, buckets=buckets_of_scored[scored], anchor=f"m{index}"))
    return metrics


def _metric(
    segments: Segments, tables: Sequence[ScoreTable], *, names: dict[str, str], buckets: Buckets | None, anchor: str
) -> MetricView:
    comparison = segments.comparison
    scores = []
    for index, table in enumerate(tables):
        same_segments = _with_same_segments(table, tables[:index])
        scores.append(_score(comparison, table, names=names, buckets=buckets, same_segments=same_segments))
    primary = segments.table
    label = primary.metric
    return MetricView(
        label=label,
        title=primary.scorer.title or primary.name,
        options=comparison.options()[label],
        anchor=anchor,
        scores=scores,
        buckets=buckets,
        facts=[facts for facts in comparison.facts if facts.metric == label and facts.line],
        name=primary.title,
        digits=primary.digits,
        higher_is_better=primary.higher_is_better,
        legend=segments.legend,
        pairs=segments.pairs(),
        which_pairs=which_pairs(primary),
        spread=segments.spread(),
    )


def _with_same_segments(table: ScoreTable, earlier_tables: Sequence[ScoreTable]) -> str:
    """Return the title of the first earlier score whose segments have the same scores; empty without one."""
    for earlier in earlier_tables:
        if earlier.segments == table.segments:
            return earlier.title
    return ""


def _words(segments: Segments, rows: Sequence[SystemScore], names: dict[str, str]) -> WordsView:
    comparison = segments.comparison
    texts = comparison.test_set.systems
    words = read_words(comparison.corpus or comparison.test_set.corpus(), list(texts))
    lengths = []
    for row in rows:
        n_words, ratio = words.length_ratio(row.system)
        n_empty = sum(not text.strip() for text in texts[row.system])
        lengths.append(LengthRow(row.system, n_words, ratio, n_empty))
    if not words.tokens.lengths[words.references].any():
        return WordsView(words.unit, lengths, has_references=False)
    pairs = ngram_pairs(words, compared_pairs(comparison, segments.table))
    # where no pair has any, there is nothing to show
    pairs = [pair for pair in pairs if any(pair.groups.values())]
    if _is_small(comparison):
        return WordsView(words.unit, lengths, pairs=pairs)
    frequencies = word_frequencies(words)
    by_frequency = _by_bucket(
        comparison,
        rows,
        names=names,
        values=[frequencies.values[row.system] for row in rows],
        labels=frequencies.labels,
        groups="frequency groups",
        higher_is_better=True,
        texts=PlotTexts(
            x=f"occurrences of the {words.unit} in the references",
            y="F in percent",
            description=f"F of {words.unit} by how often they occur in the references; {_IN_NUMBERS}",
        ),
    )
    return WordsView(words.unit, lengths, pairs=pairs, frequencies=frequencies, by_frequency=by_frequency)


def _scored(table: ScoreTable) -> tuple[int, ...]:
    """Return the segments that have a score of every system."""
    columns = zip(*table.segments.values(), strict=True)
    return tuple(index for index, scores in enumerate(columns) if None not in scores)


def _score(
    comparison: Comparison,
    table: ScoreTable,
    *,
    names: dict[str, str],
    buckets: Buckets | None,
    same_segments: str,
) -> ScoreView:
    rows = [table.rows[index] for index in table.order]
    by_length = None
    rule = ""
    # of one group, a plot would be a point, and a table what stands above
    if buckets is not None and len(buckets.labels) > 1:
        bucket_rows, rule = bucket_scores(table, buckets)
        title = table.title if table.higher_is_better else f"{table.title}, lower is better"
        axis = f"{buckets.called} of the {buckets.of}"
        by_length = _by_bucket(
            comparison,
            rows,
            names=names,
            values=[bucket_rows[index] for index in table.order],
            labels=buckets.labels,
            groups="length groups",
            higher_is_better=table.higher_is_better,
            texts=PlotTexts(x=axis, y=title, description=f"{title} by {axis}; {_IN_NUMBERS}"),
        )
    distributions = None
    if not same_segments and not _is_small(comparison):
        distributions = score_distributions(table, rows, [names[row.system] for row in rows])
    pairs = []
    best = table.order[:_MOST_PAIRED]
    for index in best:
        pairs.append([_verdict(table, index, other, alpha=comparison.alpha) for other in best])
    return ScoreView(
        table=table,
        rows=rows,
        verdict=score_verdict(comparison, table, names),
        pairs=pairs,
        by_length=by_length,
        rule=rule,
        marks=marks_of(comparison, [table]),
        column=_column(comparison, table, title=table.title, order=table.order),
        least=_shared_least(table.pvalues),
        distributions=distributions,
        same_segments=same_segments,
        sections=_sections(table, names),
    )


#: Where a plot is described to those who do not see it.
_IN_NUMBERS = "the numbers are in the table below"


def _by_bucket(
    comparison: Comparison,
    rows: Sequence[SystemScore],
    *,
    names: dict[str, str],
    values: list[list[float]],
    labels: Sequence[str],
    groups: str,
    higher_is_better: bool,
    texts: PlotTexts,
) -> ByBucket:
    """Return the scores of groups, which have these labels and are called `groups` in a sentence."""
    row_names = [names[row.system] for row in rows]
    columns = list(zip(*values, strict=True))
    verdict: list[Sentence] = []
    best = [math.nan] * len(columns)
    # outputs that are runs of a system are not judged, nor is one system alone
    if not comparison.joins_runs and len(rows) > 1:
        verdict = bucket_verdict(columns, row_names, groups, higher_is_better=higher_is_better)
        choose = np.fmax if higher_is_better else np.fmin
        best = [float(choose.reduce(column)) for column in columns]
    coloured = _coloured(comparison, rows)
    plot = None
    # Of one group, a plot would be a point.
    if len(labels) > 1:
        plot = bucket_plot(values, labels, coloured=coloured, texts=texts)
    lines = dict(zip([row_names[index] for index in coloured], SERIES, strict=False))
    return ByBucket(values=values, best=best, verdict=verdict, lines=lines, plot=plot)


def _coloured(comparison: Comparison, rows: Sequence[SystemScore]) -> list[int]:
    """Return the rows that get a colour: the best ones and the baseline."""
    coloured = list(range(min(len(rows), len(SERIES))))
    baseline = baseline_index(comparison, rows)
    if baseline not in coloured:
        coloured[-1] = baseline
    return coloured


def _column(comparison: Comparison, table: ScoreTable, *, title: str, order: Sequence[int]) -> Column:
    """Return a score of all systems; `order` are the indices of its rows."""
    rows = [table.rows[index] for index in order]
    drawn = dot_column(comparison, table, rows, title=title)
    differences = None
    if comparison.test is not None:
        differences = difference_column(comparison, table, rows)
    baseline = baseline_index(comparison, table.rows)
    cells = []
    for place, index in enumerate(order):
        row = rows[place]
        texts = Against("", "", "")
        difference = None
        if differences is not None:
            difference_text, p, counts = against(row)
            texts = Against(minus(difference_text), p, counts)
            difference = differences.dots[place]
        verdict = _verdict(table, index, baseline, alpha=comparison.alpha)
        way = ""
        if verdict.way in ("better", "worse"):
            way = verdict.way
        cells.append(
            Cell(
                row=row,
                dot=drawn.dots[place],
                score=number(row.value, row.digits),
                against=texts,
                difference=difference,
                way=way,
            )
        )
    is_ranked = comparison.has_ranks and len({row.rank for row in rows}) > 1
    return Column(table, title, drawn, cells, differences, is_ranked)


def _shared_least(pvalues: NDArray[np.float64]) -> float:
    """Return the least p of all pairs where several pairs have it: mostly the least that the test can give."""
    pairs = pvalues[np.triu_indices(len(pvalues), 1)]
    least = pairs.min(initial=math.inf)
    return float(least) if (pairs == least).sum() > 1 else math.nan


#: Segments below which no chart shows how their scores or words are distributed.
_FEW = 10


def _is_small(comparison: Comparison) -> bool:
    return len(comparison.test_set.references) < _FEW


def _verdict(table: ScoreTable, row: int, column: int, *, alpha: float) -> PairVerdict:
    """Return what the test says of one row against another."""
    p = float(table.pvalues[row, column])
    if row == column:
        return PairVerdict("itself", p)
    # not "p >= alpha", which is false for NaN
    if not p < alpha:
        return PairVerdict("not significant", p)
    is_higher = table.rows[row].value > table.rows[column].value
    if is_higher == table.higher_is_better:
        return PairVerdict("better", p)
    return PairVerdict("worse", p)


# Verdicts on buckets of segments or words.


def bucket_verdict(
    columns: Sequence[Sequence[float]], names: Sequence[str], groups: str, *, higher_is_better: bool
) -> list[Sentence]:
    """Return in how many buckets each system alone is best; `columns` has a value of each system for each bucket."""
    if len(names) < 2 or len(columns) < 2:
        return []
    wins = dict.fromkeys(names, 0)
    ties = 0
    choose = max if higher_is_better else min
    for column in columns:
        defined = [value for value in column if not np.isnan(value)]
        if not defined:
            continue
        best_value = choose(defined)
        best = [name for name, value in zip(names, column, strict=True) if value == best_value]
        if len(best) == 1:
            wins[best[0]] += 1
        else:
            ties += 1
    winners = [name for name in names if wins[name]]
    winners.sort(key=wins.__getitem__, reverse=True)
    del winners[MOST_NAMED:]
    if not winners:
        return []
    tied = ""
    if ties == 1:
        tied = "; 1 ends in a tie"
    elif ties:
        tied = f"; {ties} end in a tie"
    parts: list[str] = []
    for name in winners:
        number = f"{wins[name]} of {len(columns)}"
        if wins[name] == len(columns):
            number = all_of(len(columns))
        joint = "; "
        if name == winners[-1]:
            joint = f"{tied}. These were not tested."
        parts += [Name(name), f" is best in {number} {groups}{joint}"]
    return [tuple(parts)]


# A comparison as fragments of HTML, for a page that has a style of its own: it defines the colours of base.html as
# variables, and runs the scripts of `BROWSING`.


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFragment:
    """A score as a fragment shows it."""

    column: Column
    verdict: list[Sentence]
    sections: list[Section]


def compared_html(comparison: Comparison, notes: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the verdict by the primary score of one metric, the table of it, and its other scores folded."""
    names = short_names(list(comparison.test_set.systems))
    scores = []
    for table in _primary_first(comparison.tables):
        column = _column(comparison, table, title=table.title, order=table.order)
        scores.append(ScoreFragment(column, score_verdict(comparison, table, names), _sections(table, names)))
    return render(
        "compared.html",
        comparison=comparison,
        names=names,
        scores=scores,
        notes=notes,
        lines=lines,
        marks=marks_of(comparison, comparison.tables),
    )


def segments_html(comparison: Comparison) -> str:
    """Return the list of all segments of a comparison by one metric."""
    names = short_names(list(comparison.test_set.systems))
    comparison = _with_finite_scores(replace(comparison, tables=_primary_first(comparison.tables)))
    primary = comparison.tables[0]
    titles = comparison.titles()
    buckets = buckets_of(comparison.test_set, _scored(primary))
    browsed = browse([Segments(comparison, primary)], titles, names, buckets)
    return render("browsed.html", comparison=comparison, names=names, titles=titles, browse=browsed, colours=COLOURS)


def _primary_first(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Return the tables of one metric with that of its primary score first."""
    primary = primary_table(tables)
    return [primary, *(table for table in tables if table is not primary)]
