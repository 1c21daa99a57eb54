"""The contents of a report, in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from .browse import Browse, browse
from .charts import Marks, dot_column, marks_of, primary_table, summary_charts
from .dots import DotChart
from .frequency import Frequencies, word_frequencies
from .lengths import Buckets, bucket_scores, buckets_of
from .names import short_names
from .ngrams import Ngram, ngram_pairs
from .plots import SERIES, length_plot, score_distributions
from .segments import Example, Pair, Segments, compared_pairs, which_pairs
from .verdicts import Sentence, bucket_verdict, score_verdict, summary_verdict
from .words import read_words

if TYPE_CHECKING:
    from tercet.comparison.facts import SystemFacts
    from tercet.comparison.scores import Comparison, ScoreTable, SystemScore


@dataclass(frozen=True, slots=True, eq=False)
class ScoreView:
    """A score as the template shows it; rows and what goes by row have the best system first."""

    table: ScoreTable
    rows: list[SystemScore]
    verdict: list[Sentence]
    length_verdict: list[Sentence]
    pairs: list[list[tuple[str | None, float]]]  # of each two rows "better", "worse", "" or None for itself, and p
    by_length: list[list[float]]  # of each row the score of each bucket; none where no length is known
    best_by_length: list[float]
    rule: str  # how the scores of buckets are made
    series: list[tuple[str, str, str]]  # colour, mark and system of the lines of the plot of lengths
    marks: Marks
    chart: DotChart
    lengths: str
    distributions: str  # as the one above a plot, empty where there is nothing to show
    same_segments: str  # the score before it whose segments have the same scores; empty without one


@dataclass(frozen=True, slots=True, eq=False)
class MetricView:
    """A metric as the template shows it: its scores, and segments by its primary one."""

    label: str
    title: str
    options: str  # as given
    place: str  # where it stands on the page
    scores: list[ScoreView]
    buckets: Buckets | None  # of the segments that are scored for every system
    facts: list[SystemFacts]  # what it counted, where it says more than scores
    name: str  # of the primary score
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
    has_references: bool
    rows: list[LengthRow]
    frequencies: Frequencies | None
    verdict: list[Sentence]
    best: list[float]  # F of each bucket
    series: list[tuple[str, str, str]]  # as of lengths in a ScoreView
    plot: str
    pairs: list[Pair[Ngram]]


@dataclass(frozen=True, slots=True, eq=False)
class TestSetView:
    """A comparison as the template shows it."""

    comparison: Comparison
    prefix: str  # of the ids
    names: dict[str, str]  # how the systems are called
    contents: list[tuple[str, str]]  # where each part stands, and what it is called
    warnings: list[str]
    verdict: list[Sentence]
    titles: list[str]  # of the scores
    segment_rules: list[tuple[str, str]]  # by which single segments are scored, and the score, where they differ
    charts: list[DotChart]  # of all scores; none where there is one
    marks: Marks
    places: dict[str, int]  # of the systems in a table
    metrics: list[MetricView]
    words: WordsView
    browse: Browse
    digest: str  # of all texts


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names, titles = short_names(list(comparison.test_set.systems)), comparison.titles()
    by_metric: dict[str, list[ScoreTable]] = {}
    # A segment whose score is NaN is shown as one without a score: it has no place in an order or a histogram.
    comparison = replace(comparison, tables=[_with_numbers(table) for table in comparison.tables])
    for table in comparison.tables:
        by_metric.setdefault(table.metric, []).append(table)
    buckets = lru_cache(lambda scored: buckets_of(comparison.test_set, scored))  # mostly the same for all metrics
    segments = [Segments(comparison, primary_table(tables)) for tables in by_metric.values()]
    metrics = [
        _metric(segments[number], names, buckets(_scored(tables[0])), prefix, f"m{number}")
        for number, tables in enumerate(by_metric.values())
    ]
    rows = metrics[0].scores[0].rows
    words = _words(segments[0], rows, names, f"{prefix}w")
    several = len(comparison.tables) > 1
    contents = [(each.place, " ".join(filter(None, [each.title, each.options]))) for each in metrics]
    contents += [("words", "Words"), *([("ngrams", "N-grams")] if words.pairs else [])]
    contents += [("segments", "Segments"), ("repeat", "Signatures")]
    texts = [list(comparison.test_set.systems.items()), comparison.test_set.references, comparison.test_set.source]
    verdict = summary_verdict(comparison.tables, titles, names) if several else metrics[0].scores[0].verdict
    return TestSetView(
        comparison, prefix, names, contents,
        # Metrics are named too where some leave out segments that others score: they have no short name.
        [*comparison.remarks(lambda name: f"\u2068{names.get(name, name)}\u2069"), *comparison.warnings],
        verdict, titles,
        [(each.scorer.segment_rule, each.title) for each in comparison.tables if each.scorer.segment_rule],
        summary_charts(comparison, titles, [row.system for row in rows], names) if several else [],
        marks_of(comparison, comparison.tables), {name: place for place, name in enumerate(names)},
        metrics, words, browse(segments, titles, names, metrics[0].buckets),
        digest=sha256(json.dumps(texts).encode()).hexdigest()[:16],
    )  # fmt: skip


def _metric(
    segments: Segments, names: dict[str, str], buckets: Buckets | None, prefix: str, place: str
) -> MetricView:
    scores, comparison = [], segments.comparison
    tables = [table for table in comparison.tables if table.metric == segments.table.metric]
    for index, table in enumerate(tables):
        same = next((other.title for other in tables[:index] if other.segments == table.segments), "")
        scores.append(_score(comparison, table, names, buckets, f"{prefix}{place}s{index}", same))
    chosen, label = segments.table, tables[0].metric
    title = chosen.scorer.title or chosen.name
    return MetricView(
        label, title, comparison.options()[label], place, scores, buckets,
        [each for each in comparison.facts if each.metric == label and each.line],
        chosen.title, chosen.higher_is_better, segments.legend, segments.pairs(), which_pairs(chosen),
        segments.spread(),
    )  # fmt: skip


def _words(segments: Segments, rows: Sequence[SystemScore], names: dict[str, str], prefix: str) -> WordsView:
    comparison, table = segments.comparison, segments.table
    texts, called = comparison.test_set.systems, [names[row.system] for row in rows]
    words = read_words(comparison.corpus or comparison.test_set.corpus(), list(texts))
    lengths = [
        LengthRow(row.system, *words.length_ratio(row.system), sum(not text.strip() for text in texts[row.system]))
        for row in rows
    ]
    if not words.tokens.lengths[words.references].any():
        return WordsView(words.unit, False, lengths, None, [], [], [], "", [])
    found, shown = word_frequencies(words), _shown(rows)
    values = [found.values[row.system] for row in rows]
    columns = list(zip(*values, strict=True))
    description = f"F of {words.unit} by how often they occur in the references; the numbers are in the table beside"
    axes = (f"occurrences of the {words.unit} in the references", "F in percent", description)
    return WordsView(
        words.unit, True, lengths, found, bucket_verdict(columns, called, True, "frequency groups"),
        [float(np.nanmax(column)) for column in columns], _series(called, shown),
        length_plot(values, shown, found.labels, axes, prefix),
        ngram_pairs(words, compared_pairs(comparison, table)),
    )  # fmt: skip


def _with_numbers(table: ScoreTable) -> ScoreTable:
    segments = {
        system: [None if score is None or np.isnan(score) else score for score in scores]
        for system, scores in table.segments.items()
    }
    return replace(table, segments=segments)


def _scored(table: ScoreTable) -> tuple[int, ...]:
    """Return the segments that have a score of every system."""
    columns = zip(*table.segments.values(), strict=True)
    return tuple(index for index, scores in enumerate(columns) if None not in scores)


def _score(
    comparison: Comparison, table: ScoreTable, names: dict[str, str], buckets: Buckets | None, prefix: str, same: str
) -> ScoreView:
    values = [row.value for row in table.rows]
    higher = table.higher_is_better
    ranks = [np.inf if np.isnan(value) else -value if higher else value for value in values]
    order = sorted(range(len(values)), key=lambda index: (ranks[index], index))
    rows = [table.rows[index] for index in order]
    called = [names[row.system] for row in rows]
    lengths, rule = ([], "") if buckets is None else bucket_scores(table, buckets)
    ordered, shown = [lengths[index] for index in order if lengths], _shown(rows)
    columns = list(zip(*ordered, strict=True))
    plot, title = "", f"{table.title}{'' if higher else ', lower is better'}"
    if buckets is not None:
        axis = f"{buckets.unit} of the {buckets.of}"
        about = f"{title} by length of the {buckets.of} in {buckets.unit}; the numbers are in the table below"
        plot = length_plot(ordered, shown, buckets.labels, (axis, title, about), f"{prefix}l")
    return ScoreView(
        table=table,
        rows=rows,
        verdict=score_verdict(comparison, table, names),
        length_verdict=bucket_verdict(columns, called, higher, "length groups"),
        pairs=[[_verdict(table, one, other, comparison.alpha, higher) for other in order] for one in order],
        by_length=ordered,
        best_by_length=[(np.fmax if higher else np.fmin).reduce(column) for column in columns],
        rule=rule,
        series=_series(called, shown),
        marks=marks_of(comparison, [table]),
        chart=DotChart(called, [dot_column(comparison, table, table.title, [row.system for row in rows])]),
        lengths=plot,
        distributions="" if same else score_distributions(table, rows, called, f"{prefix}d"),
        same_segments=same,
    )


def _series(called: Sequence[str], shown: Sequence[int]) -> list[tuple[str, str, str]]:
    return [(colour, mark, called[index]) for (colour, mark, _), index in zip(SERIES, shown, strict=False)]


def _shown(rows: Sequence[SystemScore]) -> list[int]:
    """Return the systems that get a colour: the best ones and the baseline."""
    shown = list(range(min(len(rows), len(SERIES))))
    baseline = next(index for index, row in enumerate(rows) if row.difference is None)
    return shown if baseline in shown else [*shown[:-1], baseline]


def _verdict(table: ScoreTable, one: int, other: int, alpha: float, higher: bool) -> tuple[str | None, float]:
    p = float(table.pvalues[one, other])
    if one == other:
        return None, p
    if not p < alpha:  # NaN too
        return "", p
    return ("better" if (table.rows[one].value > table.rows[other].value) == higher else "worse"), p
