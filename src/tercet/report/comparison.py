"""A comparison as one self-contained HTML file."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.lengths import Buckets, buckets_of
from tercet.comparison.overall import Overall
from tercet.comparison.run_means import over_runs
from tercet.comparison.scores import against
from tercet.comparison.sections import Section
from tercet.comparison.verdicts import score_verdict, verdict_of, with_names
from tercet.errors import InputError, needs
from tercet.explanation.html import COLOURS
from tercet.markup import MOST_NAMED, Name, Sentence, all_of, short_names
from tercet.signature import __version__

from .plots import (
    SERIES,
    Dot,
    DotColumn,
    Histograms,
    Marks,
    Plot,
    difference_column,
    dot_column,
    length_plot,
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
    from tercet.comparison.facts import SystemFacts
    from tercet.comparison.result import Comparison
    from tercet.comparison.scores import ScoreTable, SystemScore

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
    over_all = [_over_all(comparison) for comparison in comparisons if isinstance(comparison, Overall)]
    comparisons = [comparison for comparison in comparisons if not isinstance(comparison, Overall)]
    if not comparisons:
        raise InputError("There is no comparison to report.")
    needs("An HTML report", "report", "jinja2")
    views = [view(comparison, f"t{number}") for number, comparison in enumerate(comparisons, 1)]
    return render(
        "page.html",
        scripts=_scripts(views, over_all),
        title=_title(comparisons) if title is None else title,
        version=version,
        date=datetime.date.today().isoformat() if date is None else date,
        command=command,
        views=views,
        over_all=over_all,
        tables=Packed.of(_data(views, over_all)),
        colours=COLOURS,
        json=json.dumps,
    )


def _scripts(views: Sequence[TestSetView], over_all: Sequence[OverallView]) -> list[str]:
    """Return the scripts of a page: those that it uses."""
    columns = [score.column for view in views for metric in view.metrics for score in metric.scores]
    columns += [column for view in over_all for column in view.table.columns]
    if any(column.is_many for column in columns):
        return [*BROWSING, _ORDER, _TABLES]
    return [*BROWSING, _TABLES]


def _data(views: Sequence[TestSetView], over_all: Sequence[OverallView]) -> dict[str, Any]:
    """Return what the script needs of the tables, by their keys."""
    to_copy = {}
    tables = {}
    for view in views:
        to_copy[view.key] = copies(view.comparison)
        tables[view.key] = table_data(view.comparison, view.names)
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


def _over_all(comparison: Overall) -> OverallView:
    names = short_names(list(comparison.test_set.systems))
    opening = []
    sections = []
    for title, table in zip(comparison.titles(), comparison.tables, strict=True):
        for section in (with_names(section, names) for section in table.sections):
            if section.key == "groups":
                opening += [(f"{title}: ", *sentence) for sentence in section.sentences]
            else:
                sections.append(section)
    return OverallView(
        comparison=comparison,
        verdict=verdict_of(comparison, names) if len(names) > 1 else [],
        opening=opening,
        table=_table_view(comparison, names, "overall"),
        sections=sections,
        notes=comparison.remarks(),
    )


def _title(comparisons: Sequence[Comparison]) -> str:
    systems = {name for comparison in comparisons for name in comparison.test_set.systems}
    start = "Scores of a system" if len(systems) == 1 else "Scores of systems"
    if any(comparison.test is not None or comparison.joins_runs for comparison in comparisons):
        start = "Comparison of systems"
    if len(comparisons) > 1:
        return f"{start} on {len(comparisons)} test sets"
    name = comparisons[0].test_set.name
    # "test set" is the name of texts that come from no file
    return start if name == "test set" else f"{start} on {name}"


# The contents of a report, in order.


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A score of a system as a table shows it."""

    row: SystemScore
    dot: Dot
    score: str
    against: tuple[str, str, str]  # the difference from the baseline, its p, and the counts of segments
    difference: Dot | None  # with its interval; none without a test
    way: str  # "better" or "worse" than the baseline, where that is significant; else ""


@dataclass(frozen=True, eq=False)  # without slots, as widths are kept: each row asks for them
class Column:
    """A score of all systems in a table, in the order of its rows."""

    table: ScoreTable
    title: str
    drawn: DotColumn
    cells: list[Cell]
    differences: DotColumn | None  # where the differences are drawn
    ranked: bool  # whether ranks tell any systems apart

    @property
    def is_many(self) -> bool:
        """Whether the table has so many rows that it can be sorted and searched."""
        return len(self.cells) > _MANY

    @cached_property
    def widths(self) -> list[int]:
        """Letters of the longest score, difference and p, so that they stand below each other."""
        texts = [(cell.score, *cell.against[:2]) for cell in self.cells]
        return [max(map(len, column)) for column in zip(*texts, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """A table of all scores: a row for each system, a column for each score."""

    comparison: Comparison
    key: str  # by which the script knows it
    names: dict[str, str]  # how the systems are called
    columns: list[Column]
    marks: Marks


def _table_view(comparison: Comparison, names: dict[str, str], key: str) -> TableView:
    """Return the table of all scores, the best system by the first one first; of many scores of a metric, one."""
    if comparison.joins_runs:
        comparison = over_runs(comparison)
        names = {system: names.get(system, system) for system in comparison.test_set.systems}
    first = comparison.tables[0]
    order = [first.rows[index].system for index in first.order]
    shown = shown_tables(comparison.tables)
    columns = []
    for table, title in zip(comparison.tables, comparison.titles(), strict=True):
        if table in shown:
            columns.append(_column(comparison, table, title, order))
    return TableView(comparison, key, names, columns, marks_of(comparison, comparison.tables))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreView:
    """A score as the template shows it; rows and what goes by row have the best system first."""

    table: ScoreTable
    rows: list[SystemScore]
    verdict: list[Sentence]
    length_verdict: list[Sentence]
    # of each two of the first rows "better", "worse", "" or None for itself, and p
    pairs: list[list[tuple[str | None, float]]]
    by_length: list[list[float]]  # of each row the score of each bucket; none where no length is known
    best_by_length: list[float]
    rule: str  # how the scores of buckets are made
    series: list[tuple[str, str, str]]  # colour, mark and system of the lines of the plot of lengths
    marks: Marks
    column: Column
    least: float  # p of several pairs, which a legend says once for them all; NaN without such pairs
    lengths: Plot | None
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
    verdict: list[Sentence] = field(default_factory=list)
    best: list[float] = field(default_factory=list)  # F of each bucket
    series: list[tuple[str, str, str]] = field(default_factory=list)  # as of lengths in a ScoreView
    plot: Plot | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TestSetView:
    """A comparison as the template shows it."""

    comparison: Comparison
    prefix: str  # of the ids
    names: dict[str, str]  # how the systems are called
    contents: list[tuple[str, str]]  # where each part stands, and what it is called
    remarks: list[str]  # facts, such as how many predictions are empty
    warnings: list[str]
    verdict: list[Sentence]
    over_runs: TableView | None  # of systems, where single outputs are runs
    titles: list[str]  # of the scores
    segment_rules: list[tuple[str, str]]  # by which single segments are scored, and the score, where they differ
    opening: list[Sentence]  # which systems cannot be told apart by the first score, and which differences be seen
    columns: list[Column]  # of the table of all scores; none where there is one
    marks: Marks
    metrics: list[MetricView]
    words: WordsView
    browse: Browse
    digest: str  # of all texts, or of the scores where there are none
    telling: Telling | None  # a segment that shows what the verdict says

    @property
    def key(self) -> str:
        """By which the script knows the tables."""
        return self.prefix


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names = short_names(list(comparison.test_set.systems))
    titles = comparison.titles()
    by_metric: dict[str, list[ScoreTable]] = {}
    # A score that is NaN or infinite is shown as none: it has no rank, and no bin of a histogram.
    comparison = replace(comparison, tables=[_with_numbers(table) for table in comparison.tables])
    for table in comparison.tables:
        by_metric.setdefault(table.metric, []).append(table)
    # kept, since mostly the same segments are scored by all metrics
    buckets = lru_cache(lambda scored: buckets_of(comparison.test_set, scored))
    segments = [Segments(comparison, primary_table(tables)) for tables in by_metric.values()]
    metrics = [
        _metric(segments[number], names, buckets(_scored(tables[0])), anchor=f"m{number}")
        for number, tables in enumerate(by_metric.values())
    ]
    rows = metrics[0].scores[0].rows
    words = _words(segments[0], rows, names)
    has_several_scores = len(comparison.tables) > 1
    contents = [(metric.anchor, " ".join(filter(None, [metric.title, metric.options]))) for metric in metrics]
    if not comparison.test_set.no_texts:
        contents.append(("words", "Words"))
    if words.pairs:
        contents.append(("ngrams", "N-grams"))
    contents += [("segments", "Segments"), ("repeat", "Signatures")]
    texts = [list(comparison.test_set.systems.items()), comparison.test_set.references, comparison.test_set.source]
    if comparison.test_set.no_texts:
        # NaN, of a missing number, is no JSON.
        texts.append(
            {
                score: {system: list(map(repr, numbers.tolist())) for system, numbers in by_system.items()}
                for score, by_system in comparison.test_set.scores.items()
            }
        )
    order = [row.system for row in rows]
    columns = [
        _column(comparison, table, title, order)
        for table, title in zip(comparison.tables, titles, strict=True)
        if table in shown_tables(comparison.tables)
    ]
    opening: list[Sentence] = []
    for key in ("direction", "groups", "cautions", "power"):
        for section in metrics[0].scores[0].sections:
            if section.key == key and section.table is None:
                opening += with_names(section, names).sentences
    if columns and has_several_scores and opening:
        opening[0] = (f"{metrics[0].scores[0].table.title}: ", *opening[0])
    # Remarks also name metrics, where some leave out segments that others score: these have no short name. The
    # isolates (U+2068, U+2069) keep a name in a script from right to left from turning the words around it.
    remarks = comparison.remarks(lambda name: f"\u2068{names.get(name, name)}\u2069")
    segment_rules = []
    for table in comparison.tables:
        notes = table.scorer.notes("", segments=True)
        if "seg" in notes:
            segment_rules.append((notes["seg"], table.title))
    return TestSetView(
        comparison=comparison,
        prefix=prefix,
        names=names,
        contents=contents,
        remarks=remarks,
        warnings=comparison.warnings,
        verdict=verdict_of(comparison, names),
        over_runs=_table_view(comparison, names, f"{prefix}-systems") if comparison.joins_runs else None,
        titles=titles,
        segment_rules=segment_rules,
        columns=columns if has_several_scores else [],
        opening=opening,
        marks=marks_of(comparison, comparison.tables),
        metrics=metrics,
        words=words,
        browse=browse(segments, titles, names, metrics[0].buckets),
        digest=sha256(json.dumps(texts).encode()).hexdigest()[:16],
        telling=_telling(segments[0], metrics[0]),
    )


def _telling(segments: Segments, metric: MetricView) -> Telling | None:
    """Return the segment that stands beside the verdict; runs have none, as no single one is their system."""
    comparison = segments.comparison
    if comparison.joins_runs or comparison.test_set.no_texts:
        return None
    return telling(segments.table, metric.pairs)


def _metric(segments: Segments, names: dict[str, str], buckets: Buckets | None, anchor: str) -> MetricView:
    scores = []
    comparison = segments.comparison
    tables = [table for table in comparison.tables if table.metric == segments.table.metric]
    for index, table in enumerate(tables):
        same_segments = (earlier.title for earlier in tables[:index] if earlier.segments == table.segments)
        scores.append(_score(comparison, table, names, buckets, same_segments=next(same_segments, "")))
    primary = segments.table
    label = tables[0].metric
    return MetricView(
        label=label,
        title=primary.scorer.title or primary.name,
        options=comparison.options()[label],
        anchor=anchor,
        scores=scores,
        buckets=buckets,
        facts=[facts for facts in comparison.facts if facts.metric == label and facts.line],
        name=primary.title,
        digits=primary.rows[0].digits,
        higher_is_better=primary.higher_is_better,
        legend=segments.legend,
        pairs=segments.pairs(),
        which_pairs=which_pairs(primary),
        spread=segments.spread(),
    )


def _words(segments: Segments, rows: Sequence[SystemScore], names: dict[str, str]) -> WordsView:
    comparison = segments.comparison
    table = segments.table
    texts = comparison.test_set.systems
    row_names = [names[row.system] for row in rows]
    words = read_words(comparison.corpus or comparison.test_set.corpus(), list(texts))
    lengths = [
        LengthRow(row.system, *words.length_ratio(row.system), sum(not text.strip() for text in texts[row.system]))
        for row in rows
    ]
    if not words.tokens.lengths[words.references].any():
        return WordsView(words.unit, lengths, has_references=False)
    pairs = ngram_pairs(words, compared_pairs(comparison, table))
    # where no pair has any, there is nothing to show
    pairs = [pair for pair in pairs if any(ngrams for _, ngrams in pair.groups)]
    if _is_small(comparison):
        return WordsView(words.unit, lengths, pairs=pairs)
    frequencies = word_frequencies(words)
    coloured = _shown(rows)
    values = [frequencies.values[row.system] for row in rows]
    columns = list(zip(*values, strict=True))
    # outputs that are runs of a system are not judged, nor is one system alone
    judged = not comparison.joins_runs and len(rows) > 1
    description = f"F of {words.unit} by how often they occur in the references; the numbers are in the table below"
    labels = (f"occurrences of the {words.unit} in the references", "F in percent", description)
    verdict = []
    best = [math.nan] * len(columns)
    if judged:
        verdict = bucket_verdict(columns, row_names, True, "frequency groups")
        best = [float(np.nanmax(column)) for column in columns]
    plot = None
    # Of one group, a plot would be a point.
    if len(frequencies.labels) > 1:
        plot = length_plot(values, coloured, frequencies.labels, labels)
    return WordsView(
        words.unit,
        lengths,
        pairs=pairs,
        frequencies=frequencies,
        verdict=verdict,
        best=best,
        series=_series(row_names, coloured),
        plot=plot,
    )


def _with_numbers(table: ScoreTable) -> ScoreTable:

    def number(score: float | None) -> float | None:
        return score if score is not None and math.isfinite(score) else None

    segments = {system: list(map(number, scores)) for system, scores in table.segments.items()}
    return replace(table, segments=segments)


def _scored(table: ScoreTable) -> tuple[int, ...]:
    """Return the segments that have a score of every system."""
    columns = zip(*table.segments.values(), strict=True)
    return tuple(index for index, scores in enumerate(columns) if None not in scores)


def _score(
    comparison: Comparison,
    table: ScoreTable,
    names: dict[str, str],
    buckets: Buckets | None,
    same_segments: str,
) -> ScoreView:
    higher = table.higher_is_better
    order = table.order
    rows = [table.rows[index] for index in order]
    row_names = [names[row.system] for row in rows]
    bucket_rows, rule = ([], "") if buckets is None else bucket_scores(table, buckets)
    by_length = [bucket_rows[index] for index in order if bucket_rows]
    coloured = _shown(rows)
    judged = not comparison.joins_runs and len(rows) > 1
    columns = list(zip(*by_length, strict=True))
    choose = np.fmax if higher else np.fmin
    plot = None
    title = table.title if higher else f"{table.title}, lower is better"
    # of one group, a plot would be a point, and a table what stands above
    if buckets is not None and len(buckets.labels) > 1:
        axis = f"{buckets.called} of the {buckets.of}"
        description = f"{title} by {axis}; the numbers are in the table below"
        plot = length_plot(by_length, coloured, buckets.labels, (axis, title, description))
    length_verdict = []
    best_by_length = [math.nan] * len(columns)
    if judged:
        length_verdict = bucket_verdict(columns, row_names, higher, "length groups")
        best_by_length = [choose.reduce(column) for column in columns]
    distributions = None
    if not same_segments and not _is_small(comparison):
        distributions = score_distributions(table, rows, row_names)
    pairs = []
    best = order[:_MOST_PAIRED]
    for index in best:
        pairs.append([_verdict(table, index, other, alpha=comparison.alpha, higher=higher) for other in best])
    return ScoreView(
        table=table,
        rows=rows,
        verdict=score_verdict(comparison, table, names),
        length_verdict=length_verdict,
        pairs=pairs,
        by_length=by_length,
        best_by_length=best_by_length,
        rule=rule,
        series=_series(row_names, coloured),
        marks=marks_of(comparison, [table]),
        column=_column(comparison, table, table.title, [row.system for row in rows]),
        least=_shared_least(table.pvalues),
        lengths=plot,
        distributions=distributions,
        same_segments=same_segments,
        sections=[with_names(section, names) for section in table.sections],
    )


def _column(comparison: Comparison, table: ScoreTable, title: str, order: Sequence[str]) -> Column:
    drawn = dot_column(comparison, table, title, order)
    indices = {row.system: index for index, row in enumerate(table.rows)}
    baseline = indices[comparison.baseline]
    tested = comparison.test is not None
    cells = []
    differences = difference_column(comparison, table, order) if tested else None
    for number_of_row, (name, dot) in enumerate(zip(order, drawn.dots, strict=True)):
        row = table.rows[indices[name]]
        way, _ = _verdict(table, indices[name], baseline, alpha=comparison.alpha, higher=table.higher_is_better)
        difference, p, counts = against(row) if tested else ("", "", "")
        beside = minus(difference), p, counts
        of_difference = None if differences is None else differences.dots[number_of_row]
        cells.append(
            Cell(row, dot, number(row.value, row.digits), beside, of_difference, way or "" if tested else "")
        )
    ranked = comparison.has_ranks and len({row.rank for row in table.rows}) > 1
    return Column(table, title, drawn, cells, differences, ranked)


def _shared_least(pvalues: NDArray[np.float64]) -> float:
    """Return the least p of all pairs where several pairs have it: mostly the least that the test can give."""
    pairs = pvalues[np.triu_indices(len(pvalues), 1)]
    least = pairs.min(initial=math.inf)
    return float(least) if (pairs == least).sum() > 1 else math.nan


#: Segments below which no chart shows how their scores or words are distributed.
_FEW = 10


def _is_small(comparison: Comparison) -> bool:
    return len(comparison.test_set.references) < _FEW


def _series(names: Sequence[str], coloured: Sequence[int]) -> list[tuple[str, str, str]]:
    return [(colour, mark, names[index]) for (colour, mark, _), index in zip(SERIES, coloured, strict=False)]


def _shown(rows: Sequence[SystemScore]) -> list[int]:
    """Return the systems that get a colour: the best ones and the baseline."""
    coloured = list(range(min(len(rows), len(SERIES))))
    baseline = next(index for index, row in enumerate(rows) if row.difference is None)
    return coloured if baseline in coloured else [*coloured[:-1], baseline]


def _verdict(table: ScoreTable, row: int, column: int, alpha: float, higher: bool) -> tuple[str | None, float]:
    p = float(table.pvalues[row, column])
    if row == column:
        return None, p
    # not "p >= alpha", which is false for NaN
    if not p < alpha:
        return "", p
    is_better = (table.rows[row].value > table.rows[column].value) == higher
    return "better" if is_better else "worse", p


# Verdicts on buckets of segments or words.


def bucket_verdict(
    columns: Sequence[Sequence[float]], names: Sequence[str], higher: bool, bucket: str
) -> list[Sentence]:
    """Return in how many buckets each system alone is best; `columns` has a value of each system for each bucket."""
    if len(names) < 2 or len(columns) < 2:
        return []
    wins = dict.fromkeys(names, 0)
    ties = 0
    choose = max if higher else min
    for column in columns:
        defined = [value for value in column if not np.isnan(value)]
        best = [name for name, value in zip(names, column, strict=True) if defined and value == choose(defined)]
        if len(best) == 1:
            wins[best[0]] += 1
        elif len(best) > 1:
            ties += 1
    winners = sorted((name for name in names if wins[name]), key=lambda name: -wins[name])[:MOST_NAMED]
    tied = ""
    if ties == 1:
        tied = "; 1 ends in a tie"
    elif ties:
        tied = f"; {ties} end in a tie"
    parts: list[str] = []
    for name in winners:
        number = all_of(len(columns)) if wins[name] == len(columns) else f"{wins[name]} of {len(columns)}"
        joint = "; " if name != winners[-1] else f"{tied}. These were not tested."
        parts += [Name(name), f" is best in {number} {bucket}{joint}"]
    return [tuple(parts)] if winners else []


# A comparison as fragments of HTML, for a page that has a style of its own: it defines the colours of base.html as
# variables, and runs the scripts of `BROWSING`.


def compared_html(comparison: Comparison, notes: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the verdict by the primary score of one metric, the table of it, and its other scores folded."""
    names = short_names(list(comparison.test_set.systems))
    scores = [
        (
            _column(comparison, table, table.title, [table.rows[index].system for index in table.order]),
            score_verdict(comparison, table, names),
            [with_names(section, names) for section in table.sections],
        )
        for table in _primary_first(comparison.tables)
    ]
    return render(
        "compared.html",
        c=comparison,
        view={"comparison": comparison, "names": names},
        scores=scores,
        notes=notes,
        lines=lines,
        marks=marks_of(comparison, comparison.tables),
    )


def segments_html(comparison: Comparison) -> str:
    """Return the list of all segments of a comparison by one metric."""
    names = short_names(list(comparison.test_set.systems))
    comparison = replace(comparison, tables=list(map(_with_numbers, _primary_first(comparison.tables))))
    primary = comparison.tables[0]
    titles = comparison.titles()
    buckets = buckets_of(comparison.test_set, _scored(primary))
    browsed = browse([Segments(comparison, primary)], titles, names, buckets)
    view = {"names": names, "titles": titles, "browse": browsed}
    return render("browsed.html", c=comparison, t="t1", view=view, colours=COLOURS, unfolded=True)


def _primary_first(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Return the tables of one metric with that of its primary score first."""
    primary = primary_table(tables)
    return [primary, *(table for table in tables if table is not primary)]
