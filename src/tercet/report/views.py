"""What a report shows of a comparison, in the order in which it shows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from tercet.comparison.facts import SystemFacts
from tercet.comparison.scores import Comparison, ScoreTable, SystemScore

from .frequency import Frequencies, word_frequencies
from .lengths import Buckets, bucket_scores, buckets_of
from .names import short_names
from .ngrams import NgramPair, ngram_pairs
from .plots import SERIES, length_plot, score_distributions, scores_by_length, system_intervals
from .segments import Browse, Example, Pair, Segments, compared_pairs
from .verdicts import Sentence, bucket_verdict, score_verdict, summary_verdict
from .words import read_words


@dataclass(frozen=True, slots=True, eq=False)
class ScoreView:
    """A score as the template shows it.

    Attributes
    ----------
    table : ScoreTable
    rows : list of SystemScore
        The best system first.
    verdict, length_verdict : list of Sentence
        What the table says, and that of the buckets.
    pairs : list of tuple
        For each of those rows the systems in the same order: ``"better"``, ``"worse"``, ``""`` or None for itself,
        and p.
    by_length : list of list of float
        For each of those rows the score of each bucket; none where no length is known.
    best_by_length : list of float
        The best of each bucket.
    rule : str
        How the scores of buckets are made.
    series : list of tuple
        Colour, mark and system of the lines of the plot of lengths.
    intervals, lengths, distributions : str
        Plots, as SVG; empty where there is nothing to show.
    same_segments : str
        The score before it whose segments have the same scores; empty without one.
    """

    table: ScoreTable
    rows: list[SystemScore]
    verdict: list[Sentence]
    length_verdict: list[Sentence]
    pairs: list[list[tuple[str | None, float]]]
    by_length: list[list[float]]
    best_by_length: list[float]
    rule: str
    series: list[tuple[str, str, str]]
    intervals: str
    lengths: str
    distributions: str
    same_segments: str


@dataclass(frozen=True, slots=True, eq=False)
class MetricView:
    """A metric as the template shows it: its scores, and segments by the first of them.

    Attributes
    ----------
    label : str
    place : str
        Where it stands on the page.
    scores : list of ScoreView
    buckets : Buckets or None
        Of the segments that are scored for every system.
    facts : list of SystemFacts
        What it counted, where it has more to tell than scores.
    name : str
        The score that segments are chosen by.
    higher_is_better : bool
    legend : sequence of str
        What the colours of the texts say; empty for texts without colours.
    pairs : list of Pair
    spread : Example or None
    """

    label: str
    place: str
    scores: list[ScoreView]
    buckets: Buckets | None
    facts: list[SystemFacts]
    name: str
    higher_is_better: bool
    legend: Sequence[str]
    pairs: list[Pair]
    spread: Example | None


@dataclass(frozen=True, slots=True)
class LengthRow:
    """How much a system wrote: words, their ratio to those of the references (NaN without), empty predictions."""

    system: str
    length: int
    ratio: float
    empty: int


@dataclass(frozen=True, slots=True, eq=False)
class WordsView:
    """The words of the systems as the template shows them.

    Attributes
    ----------
    unit : str
    has_references : bool
    rows : list of LengthRow
        In the order of the first score, the best system first.
    frequencies : Frequencies or None
    verdict : list of Sentence
    best : list of float
        The best F of each bucket.
    series, plot
        As those of lengths in a :class:`ScoreView`.
    pairs : list of NgramPair
    """

    unit: str
    has_references: bool
    rows: list[LengthRow]
    frequencies: Frequencies | None
    verdict: list[Sentence]
    best: list[float]
    series: list[tuple[str, str, str]]
    plot: str
    pairs: list[NgramPair]


@dataclass(frozen=True, slots=True, eq=False)
class TestSetView:
    """A comparison as the template shows it.

    Attributes
    ----------
    comparison : Comparison
    prefix : str
        Of the ids.
    names : dict of str to str
        How the systems are called.
    contents : list of tuple of str
        Where each part stands, and what it is called.
    remarks : list of str
        On empty predictions, segments that were left out, too little to test, and what was warned of.
    verdict : list of Sentence
    metrics : list of MetricView
    words : WordsView
    browse : Browse
    digest : str
        Of all texts.
    """

    comparison: Comparison
    prefix: str
    names: dict[str, str]
    contents: list[tuple[str, str]]
    remarks: list[str]
    verdict: list[Sentence]
    metrics: list[MetricView]
    words: WordsView
    browse: Browse
    digest: str


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names = short_names(list(comparison.test_set.systems))
    labels = list(dict.fromkeys(table.metric for table in comparison.tables))
    metrics = []
    for number, label in enumerate(labels):
        tables = [table for table in comparison.tables if table.metric == label]
        metrics.append(_metric(comparison, tables, names, f"{prefix}m{number}", f"m{number}"))
    first = [table for table in comparison.tables if table.metric == labels[0]]
    chosen, rows = _primary(first), metrics[0].scores[0].rows
    words = _words(comparison, chosen, rows, names, f"{prefix}w")
    browse = Segments(comparison, chosen).browse(
        [rows[index].system for index in _shown(rows)], _scored(chosen), metrics[0].buckets
    )
    contents = [("summary", "Summary")] if len(comparison.tables) > 1 else []
    contents += [(each.place, each.label) for each in metrics]
    contents += [("words", "Words"), *([("ngrams", "N-grams")] if words.pairs else [])]
    contents += [("segments", "Segments"), ("repeat", "Signatures")]
    texts = [list(comparison.test_set.systems.items()), comparison.test_set.references, comparison.test_set.source]
    return TestSetView(
        comparison, prefix, names, contents,
        [*comparison.remarks(lambda name: f"\u2068{names[name]}\u2069"), *comparison.warnings],
        summary_verdict(comparison.tables, comparison.score_labels(), names), metrics, words, browse,
        digest=sha256(json.dumps(texts).encode()).hexdigest()[:16],
    )  # fmt: skip


def _metric(
    comparison: Comparison, tables: Sequence[ScoreTable], names: dict[str, str], prefix: str, place: str
) -> MetricView:
    buckets = buckets_of(comparison.test_set, _scored(tables[0]))
    scores: list[ScoreView] = []
    for index, table in enumerate(tables):
        same = next((other.name for other in tables[:index] if other.segments == table.segments), "")
        scores.append(_score(comparison, table, names, buckets, f"{prefix}s{index}", same))
    chosen, label = _primary(tables), tables[0].metric
    segments = Segments(comparison, chosen)
    return MetricView(
        label, place, scores, buckets, [each for each in comparison.facts if each.metric == label and each.line],
        chosen.name, chosen.higher_is_better, segments.legend, segments.pairs(), segments.spread(),
    )  # fmt: skip


def _words(
    comparison: Comparison, table: ScoreTable, rows: Sequence[SystemScore], names: dict[str, str], prefix: str
) -> WordsView:
    texts, called = comparison.test_set.systems, [names[row.system] for row in rows]
    words = read_words(comparison.corpus or comparison.test_set.corpus(), list(texts))
    lengths = [
        LengthRow(row.system, *words.length_ratio(row.system), sum(not text.strip() for text in texts[row.system]))
        for row in rows
    ]
    known = bool(words.tokens.lengths[words.references].any())
    if not known:
        return WordsView(words.unit, False, lengths, None, [], [], [], "", [])
    found, shown = word_frequencies(words), _shown(rows)
    values = [found.values[row.system] for row in rows]
    columns = list(zip(*values, strict=True))
    description = f"F of {words.unit} by how often they occur in the references; the numbers are in the table beside"
    axes = (f"occurrences in the references, of {words.unit}", "F in percent", description)
    return WordsView(
        words.unit, True, lengths, found, bucket_verdict(columns, called, True, "frequency groups"),
        [float(np.nanmax(column)) for column in columns], _series(called, shown),
        length_plot(values, shown, found.labels, axes, prefix),
        ngram_pairs(words, compared_pairs(comparison, table)),
    )  # fmt: skip


def _scored(table: ScoreTable) -> list[int]:
    """Return the segments that have a score of every system."""
    columns = zip(*table.segments.values(), strict=True)
    return [index for index, scores in enumerate(columns) if None not in scores]


def _primary(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the score that the metric sorts systems by."""
    return next((table for table in tables if table.name == table.scorer.primary), tables[0])


def _score(
    comparison: Comparison,
    table: ScoreTable,
    names: dict[str, str],
    buckets: Buckets | None,
    prefix: str,
    same_segments: str,
) -> ScoreView:
    values = [row.value for row in table.rows]
    higher = table.higher_is_better
    order = sorted(range(len(values)), key=lambda index: (-values[index] if higher else values[index], index))
    rows = [table.rows[index] for index in order]
    called = [names[row.system] for row in rows]
    lengths, rule = ([], "") if buckets is None else bucket_scores(table, buckets)
    ordered, shown = [lengths[index] for index in order if lengths], _shown(rows)
    columns = list(zip(*ordered, strict=True))
    return ScoreView(
        table=table,
        rows=rows,
        verdict=score_verdict(comparison, table, names),
        length_verdict=bucket_verdict(columns, called, higher, "length groups"),
        pairs=[[_verdict(table, one, other, comparison.alpha, higher) for other in order] for one in order],
        by_length=ordered,
        best_by_length=[(max if higher else min)(column) for column in columns],
        rule=rule,
        series=_series(called, shown),
        intervals=system_intervals(comparison, table, rows, called, f"{prefix}i"),
        lengths="" if buckets is None else scores_by_length(table, ordered, shown, buckets, f"{prefix}l"),
        distributions="" if same_segments else score_distributions(table, rows, called, f"{prefix}d"),
        same_segments=same_segments,
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
    if p >= alpha:
        return "", p
    return ("better" if (table.rows[one].value > table.rows[other].value) == higher else "worse"), p
