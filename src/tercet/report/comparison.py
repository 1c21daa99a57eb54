"""A comparison as one self-contained HTML file."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import InputError, needs
from tercet.explanation.parts import COLOURS
from tercet.markup import MOST_NAMED, Sentence, all_of, listed
from tercet.signature import __version__
from tercet.statistics.paired_tests import pvalue_text

from .plots import (
    SERIES,
    DotChart,
    Marks,
    dot_column,
    drawing,
    length_plot,
    marks_of,
    primary_table,
    score_distributions,
    short_names,
    summary_charts,
)
from .rendering import render
from .segments import (
    Browse,
    Buckets,
    Example,
    Frequencies,
    Ngram,
    Pair,
    Segments,
    browse,
    bucket_scores,
    buckets_of,
    compared_pairs,
    ngram_pairs,
    read_words,
    which_pairs,
    word_frequencies,
)

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable, SystemFacts, SystemScore


def to_html(
    comparisons: Sequence[Comparison],
    *,
    command: str | None = None,
    title: str | None = None,
    version: str = __version__,
    date: str | None = None,
) -> str:
    """Return a report: one HTML page that loads nothing; its one script lists the segments.

    The same comparisons give the same page of a day, to the byte (with the same matplotlib). `command` is the command
    line; without it the report shows the calls in Python. `date` is today's by default. The page holds all texts,
    compressed: a third of their size or less.
    """
    if not comparisons:
        raise InputError("There is no comparison to report.")
    needs("An HTML report", "report", "jinja2", "matplotlib")
    with drawing():
        views = [view(comparison, f"t{number}") for number, comparison in enumerate(comparisons, 1)]
    return render(
        "page.html", script="browse.js", title=_title(comparisons) if title is None else title, version=version,
        date=datetime.date.today().isoformat() if date is None else date, command=command, views=views,
        colours=COLOURS, json=json.dumps,
    )  # fmt: skip


def _title(comparisons: Sequence[Comparison]) -> str:
    systems = {name for each in comparisons for name in each.test_set.systems}
    counted = "Scores of a system" if len(systems) == 1 else "Scores of systems"
    if any(each.test is not None for each in comparisons):
        counted = "Comparison of systems"
    if len(comparisons) > 1:
        return f"{counted} on {len(comparisons)} test sets"
    name = comparisons[0].test_set.name
    return counted if name == "test set" else f"{counted} on {name}"  # so are texts called that have no file


# The contents of a report, in order.


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


# Verdicts on a table, in plain sentences that claim no more than its tests show.


def score_verdict(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return which system has the best score, by how much, and whether the difference is significant.

    The p-values are those of the marks: of all pairs of systems, adjusted by Holm's method (with two systems there is
    one pair, and nothing to adjust). Lack of significance is not presented as equality.
    """
    undefined = [row for row in table.rows if math.isnan(row.value)]
    if undefined:
        return _without(comparison, table, names, undefined)
    better = -1.0 if table.higher_is_better else 1.0
    rows = sorted(table.rows, key=lambda row: better * row.value)
    top = [row for row in rows if row.best]
    rest = [row for row in rows if not row.best]
    called = {row.system: names[row.system] for row in rows}
    which = f"{table.title}{'' if table.higher_is_better else ' (lower is better)'}"
    if len(rows) == 1:
        return [("", called[rows[0].system], f" has a {which} of {rows[0].value:.2f}. There is no other system.")]
    if not rest or not top:
        return [(f"{all_of(len(rows)).capitalize()} systems have the same {which}: {rows[0].value:.2f}.",)]
    have = " has the best " if len(top) == 1 else " share the best "
    score = f"{have}{which}: {top[0].value:.2f}, {_apart(table, top[0], rest[0])} "
    next_best = ", the next best." if len(rows) > 2 else "."
    first = (*listed([called[row.system] for row in top])[:-1], score, called[rest[0].system], next_best)
    if comparison.test is None:
        return [first, ("This was not tested: the difference may be due to chance.",)]
    return [first, *_tested(comparison, table, rest, called), *_baseline(comparison, table, called)]


def _without(
    comparison: Comparison, table: ScoreTable, names: Mapping[str, str], undefined: Sequence[SystemScore]
) -> list[Sentence]:
    """Return the verdict on the systems that have a score, and which have none: NaN is neither good nor bad."""
    have = "has" if len(undefined) == 1 else "have"
    ending = f" {have} no {table.title}: it is NaN, not a number, and compared with no other."
    which = (*listed([names[row.system] for row in undefined])[:-1], ending)
    places = [place for place, row in enumerate(table.rows) if not math.isnan(row.value)]
    if not places:
        return [which]
    scored = replace(
        table, rows=[table.rows[place] for place in places], pvalues=table.pvalues[np.ix_(places, places)]
    )
    return [*score_verdict(comparison, scored, names), which]


def _tested(
    comparison: Comparison, table: ScoreTable, rest: Sequence[SystemScore], called: Mapping[str, str]
) -> list[Sentence]:
    """Return which others are significantly worse than the best (the first of those with the best score)."""
    place = {row.system: index for index, row in enumerate(table.rows)}
    best = next(index for index, row in enumerate(table.rows) if row.best)
    named = called[table.rows[best].system]
    pvalues = {row.system: float(table.pvalues[place[row.system], best]) for row in rest}
    worse, unclear = ([row for row in rest if bool(row.as_good) == same] for same in (False, True))
    unknown, better = "The test finds no significant difference between ", " is significantly better than"
    kind, alpha = "p" if len(table.rows) == 2 else "adjusted p", f"alpha {comparison.alpha:g}"
    largest = pvalue_text(max((pvalues[row.system] for row in worse), default=1.0))
    if len(rest) == 1 and worse:
        if len(table.rows) == 2:
            return [(f"The difference is significant ({kind} {largest}, {alpha}).",)]
        return [("", named, f"{better} ", called[worse[0].system], f" ({kind} {largest}, {alpha}).")]
    if not unclear:
        return [("", named, f"{better} {all_of(len(rest))} others (largest {kind} {largest}, {alpha}).")]
    none = "which does not show that there is none"
    if len(unclear) <= MOST_NAMED:
        others = listed([called[row.system] for row in unclear])
        joint = {1: " and ", 2: " and either of "}.get(len(unclear), " and any of ")
        inside = ", ".join(pvalue_text(pvalues[row.system]) for row in unclear)
        ending = f" ({kind} {inside}; {alpha}), {none}."
        found: list[Sentence] = [(unknown, named, joint, *others[1:-1], ending)]
    else:
        least = pvalue_text(min(pvalues[row.system] for row in unclear))
        counted = f" and {len(unclear)} of the {len(rest)} others (least {kind} {least}, {alpha}), {none}."
        found = [(unknown, named, counted)]
    if worse:
        others_named = "the other" if len(worse) == 1 else f"the other {len(worse)}"
        found.append(
            ("", named, f"{better} {others_named} ({'' if len(worse) == 1 else 'largest '}{kind} {largest}).")
        )
    return found


def _baseline(comparison: Comparison, table: ScoreTable, called: Mapping[str, str]) -> list[Sentence]:
    """Return how many systems differ significantly from the baseline, unless the verdict on the best says it."""
    base = next((index for index, row in enumerate(table.rows) if row.difference is None), None)
    if base is None or len(table.rows) == 2 or table.rows[base].best:
        return []
    direction = 1.0 if table.higher_is_better else -1.0
    gains = direction * np.array([row.value - table.rows[base].value for row in table.rows])
    significant = table.pvalues[base] < comparison.alpha
    better, worse = (int((significant & (sign * gains > 0)).sum()) for sign in (1, -1))
    found = [
        f"significantly {how} than {_others(n, len(table.rows) - 1)}"
        for how, n in (("worse", better), ("better", worse))
        if n
    ]
    if not found:
        return [("The test finds no significant difference between the baseline and any other system.",)]
    name = called[table.rows[base].system]
    start = "The baseline " if name != "baseline" else "The "
    return [(start, name, f" is {', and '.join(found)}.")]


def summary_verdict(tables: Sequence[ScoreTable], titles: Sequence[str], names: Mapping[str, str]) -> list[Sentence]:
    """Return whether all scores have the same best system, or which is best by which, and what the tests add."""
    if len(tables) < 2 or len(tables[0].rows) < 2:
        return []
    undefined = [
        title for table, title in zip(tables, titles, strict=True) if any(math.isnan(row.value) for row in table.rows)
    ]
    if undefined:
        complete = [(table, title) for table, title in zip(tables, titles, strict=True) if title not in undefined]
        found = summary_verdict([table for table, _ in complete], [title for _, title in complete], names)
        return [*found, (f"Left out here: {_joined(undefined)}, which not every system has (NaN).",)]
    # where all systems score 0, none is best
    both = [
        (table, title) for table, title in zip(tables, titles, strict=True) if any(row.best for row in table.rows)
    ]
    tables, titles = [table for table, _ in both], [title for _, title in both]
    if len(tables) < 2:
        return []
    tops: dict[tuple[str, ...], list[str]] = {}
    for table, title in zip(tables, titles, strict=True):
        tops.setdefault(tuple(names[row.system] for row in table.rows if row.best), []).append(title)
    if len(tops) == 1:
        (best,) = tops
        first = (*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best in {_counted(tables)}.")
        return [first, *_apart_from_best(tables, titles, names, len(best))]
    found = [("The scores do not agree on the best system.",)]
    for best, scores in tops.items():
        found.append((*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best by {_joined(scores)}."))
    rivals = {name for best in tops for name in best}
    near = [
        title
        for table, title in zip(tables, titles, strict=True)
        if any(row.as_good and not row.best and names[row.system] in rivals for row in table.rows)
    ]
    if near:
        found.append((f"By {_joined(near)}, the test does not tell them apart.",))
    return found


def _counted(tables: Sequence[ScoreTable]) -> str:
    """Return how many metrics were asked for, and how many scores they have where these are more.

    A metric with several scores, as ROUGE, is one metric.
    """
    n_metrics, n_scores = len({table.metric for table in tables}), len(tables)
    if n_metrics == 1:
        return f"{all_of(n_scores)} scores"
    return f"{all_of(n_metrics)} metrics{f' ({n_scores} scores)' if n_scores > n_metrics else ''}"


def _apart_from_best(
    tables: Sequence[ScoreTable], titles: Sequence[str], names: Mapping[str, str], n_best: int
) -> list[Sentence]:
    """Return which systems the tests do not tell apart from the one that is best in all scores, and in which."""
    rows = [row for row in tables[0].rows if not row.best]
    if n_best > 1 or not rows:
        return []
    if rows[0].as_good is None:
        return [("The differences were not tested: they may be due to chance.",)]
    unclear = {
        system.system: [title for table, title in zip(tables, titles, strict=True) if table.rows[place].as_good]
        for place, system in enumerate(tables[0].rows)
        if not system.best
    }
    unclear = {system: scores for system, scores in unclear.items() if scores}
    if not unclear:
        other = "the other" if len(rows) == 1 else f"{all_of(len(rows))} others"
        return [(f"It is significantly better than {other} in each of them.",)]
    if len(unclear) > MOST_NAMED:
        number = "any" if len(unclear) == len(rows) else f"{len(unclear)}"
        return [
            (f"In at least one of them, the tests do not tell it apart from {number} of the {len(rows)} others.",)
        ]
    parts = ["The tests do not tell it apart from "]
    for place, (system, scores) in enumerate(unclear.items()):
        inside = "" if len(scores) == len(tables) else f" ({', '.join(scores)})"
        last = place == len(unclear) - 1
        parts += [names[system], f"{inside}{'.' if last else ' and ' if place == len(unclear) - 2 else ', '}"]
    return [tuple(parts)]


def bucket_verdict(
    columns: Sequence[Sequence[float]], called: Sequence[str], higher: bool, bucket: str
) -> list[Sentence]:
    """Return in how many buckets each system alone is best; `columns` has a value of each system for each bucket."""
    if len(called) < 2 or len(columns) < 2:
        return []
    wins, ties, choose = dict.fromkeys(called, 0), 0, max if higher else min
    for column in columns:
        known = [value for value in column if not np.isnan(value)]
        best = [name for name, value in zip(called, column, strict=True) if known and value == choose(known)]
        if len(best) == 1:
            wins[best[0]] += 1
        ties += len(best) > 1
    ordered = sorted((name for name in called if wins[name]), key=lambda name: -wins[name])[:MOST_NAMED]
    tied = f"; {ties} end{'s' if ties == 1 else ''} in a tie" if ties else ""
    parts: list[str] = [""]
    for name in ordered:
        number = all_of(len(columns)) if wins[name] == len(columns) else f"{wins[name]} of {len(columns)}"
        joint = "; " if name != ordered[-1] else f"{tied}. These were not tested."
        parts += [name, f" is best in {number} {bucket}{joint}"]
    return [tuple(parts)] if ordered else []


def _joined(names: Sequence[str]) -> str:
    return "".join(listed(names))


def _apart(table: ScoreTable, best: SystemScore, other: SystemScore) -> str:
    """Return by how much one is better; scores in percent are points apart."""
    apart = abs(best.value - other.value)
    percent = table.scorer.is_share and table.scorer.scale == 100
    points = " points" if percent else ""
    where = "above" if table.higher_is_better else "below"
    return f"{f'{apart:.2f}' if apart >= 0.005 else 'less than 0.01'}{points} {where}"


def _others(count: int, of: int) -> str:
    if count == of:
        return f"{all_of(of)} others"
    return "1 other" if count == 1 else f"{count} others"


# A comparison as a fragment of HTML, for a page that has a style of its own.


def compared_html(comparison: Comparison, notes: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the verdict by the primary score of one metric, a table and a plot of it, and its other scores folded.

    The page defines the colours as variables: ``--ink``, ``--soft``, ``--line``, ``--paper`` and ``--accent``.
    """
    names = short_names(list(comparison.test_set.systems))
    first = primary_table(comparison.tables)
    views = []
    for table in (first, *(each for each in comparison.tables if each is not first)):
        rows = _ordered(table)
        order = [row.system for row in rows]
        chart = DotChart([names[name] for name in order], [dot_column(comparison, table, table.title, order)])
        views.append((table, rows, score_verdict(comparison, table, names), chart))
    return render(
        "compared.html", c=comparison, views=views, names=names, notes=notes, lines=lines,
        marks=marks_of(comparison, comparison.tables),
    )  # fmt: skip


def _ordered(table: ScoreTable) -> list[SystemScore]:
    """Return the rows, the best first."""
    sign = -1.0 if table.higher_is_better else 1.0
    return sorted(table.rows, key=lambda row: math.inf if math.isnan(row.value) else sign * row.value)
