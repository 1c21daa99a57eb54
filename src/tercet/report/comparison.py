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

from tercet.comparison.lengths import Buckets, buckets_of
from tercet.comparison.overall import Overall
from tercet.comparison.scores import wide_table
from tercet.comparison.sections import Section
from tercet.errors import InputError, needs
from tercet.explanation.parts import COLOURS
from tercet.markup import MOST_NAMED, Sentence, all_of, listed, short_names
from tercet.signature import __version__
from tercet.tables import decimals, pvalue_text

from .plots import (
    SERIES,
    DotChart,
    Histograms,
    Marks,
    Plot,
    dot_column,
    length_plot,
    marks_of,
    primary_table,
    score_distributions,
    summary_charts,
)
from .rendering import render
from .segments import (
    Browse,
    Example,
    Frequencies,
    Ngram,
    Pair,
    Segments,
    browse,
    bucket_scores,
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
        script="browse.js",
        title=_title(comparisons) if title is None else title,
        version=version,
        date=datetime.date.today().isoformat() if date is None else date,
        command=command,
        views=views,
        over_all=over_all,
        colours=COLOURS,
        json=json.dumps,
    )


def _over_all(comparison: Overall) -> tuple[Section, list[str]]:
    """Return what a report shows over all test sets: a part with a table, and notes below it."""
    sentences = [sentence for table in comparison.tables for part in table.sections for sentence in part.sentences]
    table = wide_table(comparison, [])
    notes = [f"In parentheses: {100 * comparison.confidence_level:g} % intervals. {comparison.legend()}"]
    notes += [line for line in (comparison.rank_legend(), *comparison.remarks()) if line]
    return Section("overall", f"Over {comparison.test_set.name}", sentences, table, None), notes


def _title(comparisons: Sequence[Comparison]) -> str:
    systems = {name for comparison in comparisons for name in comparison.test_set.systems}
    start = "Scores of a system" if len(systems) == 1 else "Scores of systems"
    if any(comparison.test is not None for comparison in comparisons):
        start = "Comparison of systems"
    if len(comparisons) > 1:
        return f"{start} on {len(comparisons)} test sets"
    name = comparisons[0].test_set.name
    # "test set" is the name of texts that come from no file
    return start if name == "test set" else f"{start} on {name}"


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
    plot: Plot | None
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
    digest: str  # of all texts, or of the scores where there are none


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names, titles = short_names(list(comparison.test_set.systems)), comparison.titles()
    by_metric: dict[str, list[ScoreTable]] = {}
    # A segment whose score is NaN is shown as one without a score: it has no place in an order or a histogram.
    comparison = replace(comparison, tables=[_with_numbers(table) for table in comparison.tables])
    for table in comparison.tables:
        by_metric.setdefault(table.metric, []).append(table)
    # kept, since mostly the same segments are scored by all metrics
    buckets = lru_cache(lambda scored: buckets_of(comparison.test_set, scored))
    segments = [Segments(comparison, primary_table(tables)) for tables in by_metric.values()]
    metrics = [
        _metric(segments[number], names, buckets(_scored(tables[0])), place=f"m{number}")
        for number, tables in enumerate(by_metric.values())
    ]
    rows = metrics[0].scores[0].rows
    words = _words(segments[0], rows, names)
    has_several_scores = len(comparison.tables) > 1
    contents = [(metric.place, " ".join(filter(None, [metric.title, metric.options]))) for metric in metrics]
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
    verdict = metrics[0].scores[0].verdict
    if has_several_scores and comparison.joins_runs:
        verdict = list(dict.fromkeys(part for metric in metrics for score in metric.scores for part in score.verdict))
    elif has_several_scores:
        verdict = summary_verdict(comparison.tables, titles, names)
    # Remarks also name metrics, where some leave out segments that others score: these have no short name. The
    # isolates (U+2068, U+2069) keep a name in a script from right to left from turning the words around it.
    remarks = comparison.remarks(lambda name: f"\u2068{names.get(name, name)}\u2069")
    return TestSetView(
        comparison=comparison,
        prefix=prefix,
        names=names,
        contents=contents,
        warnings=[*remarks, *comparison.warnings],
        verdict=verdict,
        titles=titles,
        segment_rules=[
            (notes["seg"], table.title)
            for table in comparison.tables
            if "seg" in (notes := table.scorer.notes("", segments=True))
        ],
        charts=(
            summary_charts(comparison, titles, [row.system for row in rows], names) if has_several_scores else []
        ),
        marks=marks_of(comparison, comparison.tables),
        places={name: place for place, name in enumerate(names)},
        metrics=metrics,
        words=words,
        browse=browse(segments, titles, names, metrics[0].buckets),
        digest=sha256(json.dumps(texts).encode()).hexdigest()[:16],
    )


def _metric(segments: Segments, names: dict[str, str], buckets: Buckets | None, place: str) -> MetricView:
    scores, comparison = [], segments.comparison
    tables = [table for table in comparison.tables if table.metric == segments.table.metric]
    for index, table in enumerate(tables):
        same_segments = (earlier.title for earlier in tables[:index] if earlier.segments == table.segments)
        scores.append(_score(comparison, table, names, buckets, same_segments=next(same_segments, "")))
    primary, label = segments.table, tables[0].metric
    return MetricView(
        label=label,
        title=primary.scorer.title or primary.name,
        options=comparison.options()[label],
        place=place,
        scores=scores,
        buckets=buckets,
        facts=[facts for facts in comparison.facts if facts.metric == label and facts.line],
        name=primary.title,
        higher_is_better=primary.higher_is_better,
        legend=segments.legend,
        pairs=segments.pairs(),
        which_pairs=which_pairs(primary),
        spread=segments.spread(),
    )


def _words(segments: Segments, rows: Sequence[SystemScore], names: dict[str, str]) -> WordsView:
    comparison, table = segments.comparison, segments.table
    texts = comparison.test_set.systems
    row_names = [names[row.system] for row in rows]
    words = read_words(comparison.corpus or comparison.test_set.corpus(), list(texts))
    lengths = [
        LengthRow(row.system, *words.length_ratio(row.system), sum(not text.strip() for text in texts[row.system]))
        for row in rows
    ]
    if not words.tokens.lengths[words.references].any():
        return WordsView(
            unit=words.unit,
            has_references=False,
            rows=lengths,
            frequencies=None,
            verdict=[],
            best=[],
            series=[],
            plot=None,
            pairs=[],
        )
    frequencies, coloured = word_frequencies(words), _shown(rows)
    values = [frequencies.values[row.system] for row in rows]
    columns = list(zip(*values, strict=True))
    # outputs that are runs of a system are not judged
    judged = not comparison.joins_runs
    description = f"F of {words.unit} by how often they occur in the references; the numbers are in the table beside"
    labels = (f"occurrences of the {words.unit} in the references", "F in percent", description)
    return WordsView(
        unit=words.unit,
        has_references=True,
        rows=lengths,
        frequencies=frequencies,
        verdict=bucket_verdict(columns, row_names, True, "frequency groups") if judged else [],
        best=[float(np.nanmax(column)) if judged else math.nan for column in columns],
        series=_series(row_names, coloured),
        plot=length_plot(values, coloured, frequencies.labels, labels),
        pairs=ngram_pairs(words, compared_pairs(comparison, table)),
    )


def _with_numbers(table: ScoreTable) -> ScoreTable:
    segments = {
        system: [None if score is None or math.isnan(score) else score for score in scores]
        for system, scores in table.segments.items()
    }
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
    higher, order = table.higher_is_better, table.order
    rows = [table.rows[index] for index in order]
    row_names = [names[row.system] for row in rows]
    bucket_rows, rule = ([], "") if buckets is None else bucket_scores(table, buckets)
    by_length = [bucket_rows[index] for index in order if bucket_rows]
    coloured, judged = _shown(rows), not comparison.joins_runs
    columns, choose = list(zip(*by_length, strict=True)), np.fmax if higher else np.fmin
    plot, title = None, f"{table.title}{'' if higher else ', lower is better'}"
    if buckets is not None:
        axis = f"{buckets.unit} of the {buckets.of}"
        description = f"{title} by length of the {buckets.of} in {buckets.unit}; the numbers are in the table below"
        plot = length_plot(by_length, coloured, buckets.labels, (axis, title, description))
    return ScoreView(
        table=table,
        rows=rows,
        verdict=score_verdict(comparison, table, names),
        length_verdict=bucket_verdict(columns, row_names, higher, "length groups") if judged else [],
        pairs=[
            [_verdict(table, index, column_index, alpha=comparison.alpha, higher=higher) for column_index in order]
            for index in order
        ],
        by_length=by_length,
        best_by_length=[choose.reduce(column) if judged else math.nan for column in columns],
        rule=rule,
        series=_series(row_names, coloured),
        marks=marks_of(comparison, [table]),
        chart=DotChart(row_names, [dot_column(comparison, table, table.title, [row.system for row in rows])]),
        lengths=plot,
        distributions=None if same_segments else score_distributions(table, rows, row_names),
        same_segments=same_segments,
        sections=[_with_names(section, names) for section in table.sections],
    )


def _with_names(section: Section, names: Mapping[str, str]) -> Section:
    """Return a section whose sentences call systems as the page does."""
    sentences = [
        tuple(names.get(part, part) if place % 2 else part for place, part in enumerate(sentence))
        for sentence in section.sentences
    ]
    return replace(section, sentences=sentences)


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


# Verdicts on a table, in plain sentences that claim no more than its tests show.


def score_verdict(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return which system has the best score, by how much, and whether the difference is significant.

    The p-values are those of the marks: of all pairs of systems, adjusted by Holm's method (with two systems there is
    one pair, and nothing to adjust). Lack of significance is not presented as equality.
    """
    if comparison.joins_runs:
        (of_runs,) = (section for section in table.sections if section.key == "runs")
        return _with_names(of_runs, names).sentences
    undefined = [row for row in table.rows if math.isnan(row.value)]
    if undefined:
        return _without(comparison, table, names, undefined)
    better = -1.0 if table.higher_is_better else 1.0
    rows = sorted(table.rows, key=lambda row: better * row.value)
    top = [row for row in rows if row.best]
    not_best = [row for row in rows if not row.best]
    row_names = {row.system: names[row.system] for row in rows}
    score_title = f"{table.title}{'' if table.higher_is_better else ' (lower is better)'}"
    # of one system, or of those that are best
    shown = decimals(rows[0].value, rows[0].digits)
    if len(rows) == 1:
        return [("", row_names[rows[0].system], f" has a {score_title} of {shown}. There is no other system.")]
    if not not_best or not top:
        return [(f"{all_of(len(rows)).capitalize()} systems have the same {score_title}: {shown}.",)]
    have = " has the best " if len(top) == 1 else " share the best "
    score = f"{have}{score_title}: {shown}, {_apart(table, top[0], not_best[0])} "
    next_best = ", the next best." if len(rows) > 2 else "."
    first = (*listed([row_names[row.system] for row in top])[:-1], score, row_names[not_best[0].system], next_best)
    if comparison.test is None:
        return [first, ("This was not tested: the difference may be due to chance.",)]
    return [first, *_tested(comparison, table, not_best, row_names), *_baseline(comparison, table, row_names)]


def _without(
    comparison: Comparison, table: ScoreTable, names: Mapping[str, str], undefined: Sequence[SystemScore]
) -> list[Sentence]:
    """Return the verdict on the systems that have a score, and which have none: NaN is neither good nor bad."""
    have = "has" if len(undefined) == 1 else "have"
    ending = f" {have} no {table.title}: it is NaN, not a number, and compared with no other."
    missing = (*listed([names[row.system] for row in undefined])[:-1], ending)
    places = [place for place, row in enumerate(table.rows) if not math.isnan(row.value)]
    if not places:
        return [missing]
    scored = replace(
        table, rows=[table.rows[place] for place in places], pvalues=table.pvalues[np.ix_(places, places)]
    )
    return [*score_verdict(comparison, scored, names), missing]


def _tested(
    comparison: Comparison, table: ScoreTable, not_best: Sequence[SystemScore], names: Mapping[str, str]
) -> list[Sentence]:
    """Return which others are significantly worse than the best (the first of those with the best score)."""
    place = {row.system: index for index, row in enumerate(table.rows)}
    best = next(index for index, row in enumerate(table.rows) if row.best)
    best_name = names[table.rows[best].system]
    pvalues = {row.system: float(table.pvalues[place[row.system], best]) for row in not_best}
    worse = [row for row in not_best if not row.as_good]
    unclear = [row for row in not_best if row.as_good]
    unknown, better = "The test finds no significant difference between ", " is significantly better than"
    # with two systems there is one pair, and nothing to adjust
    kind, alpha = "p" if len(table.rows) == 2 else "adjusted p", f"alpha {comparison.alpha:g}"
    largest = pvalue_text(max((pvalues[row.system] for row in worse), default=1.0))
    if len(not_best) == 1 and worse:
        if len(table.rows) == 2:
            return [(f"The difference is significant ({kind} {largest}, {alpha}).",)]
        return [("", best_name, f"{better} ", names[worse[0].system], f" ({kind} {largest}, {alpha}).")]
    if not unclear:
        return [("", best_name, f"{better} {all_of(len(not_best))} others (largest {kind} {largest}, {alpha}).")]
    caution = "which does not show that there is none"
    if len(unclear) <= MOST_NAMED:
        unclear_names = listed([names[row.system] for row in unclear])
        joint = {1: " and ", 2: " and either of "}.get(len(unclear), " and any of ")
        inside = ", ".join(pvalue_text(pvalues[row.system]) for row in unclear)
        ending = f" ({kind} {inside}; {alpha}), {caution}."
        sentences: list[Sentence] = [(unknown, best_name, joint, *unclear_names[1:-1], ending)]
    else:
        least = pvalue_text(min(pvalues[row.system] for row in unclear))
        counted = f" and {len(unclear)} of the {len(not_best)} others (least {kind} {least}, {alpha}), {caution}."
        sentences = [(unknown, best_name, counted)]
    if worse:
        if len(worse) == 1:
            ending = f"{better} the other ({kind} {largest})."
        else:
            ending = f"{better} the other {len(worse)} (largest {kind} {largest})."
        sentences.append(("", best_name, ending))
    return sentences


def _baseline(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return how many systems differ significantly from the baseline, unless the verdict on the best says it."""
    baseline = next((index for index, row in enumerate(table.rows) if row.difference is None), None)
    if baseline is None or len(table.rows) == 2 or table.rows[baseline].best:
        return []
    direction = 1.0 if table.higher_is_better else -1.0
    gains = direction * np.array([row.value - table.rows[baseline].value for row in table.rows])
    significant = table.pvalues[baseline] < comparison.alpha
    better, worse = int((significant & (gains > 0)).sum()), int((significant & (gains < 0)).sum())
    findings = [
        f"significantly {outcome} than {_others(n, len(table.rows) - 1)}"
        for outcome, n in (("worse", better), ("better", worse))
        if n
    ]
    if not findings:
        return [("The test finds no significant difference between the baseline and any other system.",)]
    name = names[table.rows[baseline].system]
    start = "The baseline " if name != "baseline" else "The "
    return [(start, name, f" is {', and '.join(findings)}.")]


def summary_verdict(tables: Sequence[ScoreTable], titles: Sequence[str], names: Mapping[str, str]) -> list[Sentence]:
    """Return whether all scores have the same best system, or which is best by which, and what the tests add."""
    if len(tables) < 2 or len(tables[0].rows) < 2:
        return []
    undefined = [
        title for table, title in zip(tables, titles, strict=True) if any(math.isnan(row.value) for row in table.rows)
    ]
    if undefined:
        complete = [(table, title) for table, title in zip(tables, titles, strict=True) if title not in undefined]
        sentences = summary_verdict([table for table, _ in complete], [title for _, title in complete], names)
        return [*sentences, (f"Left out here: {_joined(undefined)}, which not every system has (NaN).",)]
    # Where all systems score 0, none is the best, and the score has no say.
    with_best = [
        (table, title) for table, title in zip(tables, titles, strict=True) if any(row.best for row in table.rows)
    ]
    tables, titles = [table for table, _ in with_best], [title for _, title in with_best]
    if len(tables) < 2:
        return []
    tops: dict[tuple[str, ...], list[str]] = {}
    for table, title in zip(tables, titles, strict=True):
        tops.setdefault(tuple(names[row.system] for row in table.rows if row.best), []).append(title)
    if len(tops) == 1:
        (best,) = tops
        first = (*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best in {_counted(tables)}.")
        return [first, *_apart_from_best(tables, titles, names, len(best))]
    sentences = [("The scores do not agree on the best system.",)]
    for best, scores in tops.items():
        sentences.append((*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best by {_joined(scores)}."))
    rivals = {name for best in tops for name in best}
    undecided = [
        title
        for table, title in zip(tables, titles, strict=True)
        if any(row.as_good and not row.best and names[row.system] in rivals for row in table.rows)
    ]
    if undecided:
        sentences.append((f"By {_joined(undecided)}, the test does not tell them apart.",))
    return sentences


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
    # by system, the scores in which it is not told apart from the best
    unclear = {
        row.system: [title for table, title in zip(tables, titles, strict=True) if table.rows[place].as_good]
        for place, row in enumerate(tables[0].rows)
        if not row.best
    }
    unclear = {system: scores for system, scores in unclear.items() if scores}
    if not unclear:
        others = "the other" if len(rows) == 1 else f"{all_of(len(rows))} others"
        return [(f"It is significantly better than {others} in each of them.",)]
    if len(unclear) > MOST_NAMED:
        number = "any" if len(unclear) == len(rows) else f"{len(unclear)}"
        return [
            (f"In at least one of them, the tests do not tell it apart from {number} of the {len(rows)} others.",)
        ]
    parts = ["The tests do not tell it apart from "]
    for n_left, (system, scores) in zip(reversed(range(len(unclear))), unclear.items(), strict=True):
        inside = "" if len(scores) == len(tables) else f" ({', '.join(scores)})"
        joint = {0: ".", 1: " and "}.get(n_left, ", ")
        parts += [names[system], f"{inside}{joint}"]
    return [tuple(parts)]


def bucket_verdict(
    columns: Sequence[Sequence[float]], names: Sequence[str], higher: bool, bucket: str
) -> list[Sentence]:
    """Return in how many buckets each system alone is best; `columns` has a value of each system for each bucket."""
    if len(names) < 2 or len(columns) < 2:
        return []
    wins, ties = dict.fromkeys(names, 0), 0
    choose = max if higher else min
    for column in columns:
        defined = [value for value in column if not np.isnan(value)]
        best = [name for name, value in zip(names, column, strict=True) if defined and value == choose(defined)]
        if len(best) == 1:
            wins[best[0]] += 1
        elif len(best) > 1:
            ties += 1
    winners = sorted((name for name in names if wins[name]), key=lambda name: -wins[name])[:MOST_NAMED]
    tied = f"; {ties} end{'s' if ties == 1 else ''} in a tie" if ties else ""
    parts: list[str] = [""]
    for name in winners:
        number = all_of(len(columns)) if wins[name] == len(columns) else f"{wins[name]} of {len(columns)}"
        joint = "; " if name != winners[-1] else f"{tied}. These were not tested."
        parts += [name, f" is best in {number} {bucket}{joint}"]
    return [tuple(parts)] if winners else []


def _joined(names: Sequence[str]) -> str:
    return "".join(listed(names))


def _apart(table: ScoreTable, best: SystemScore, next_best: SystemScore) -> str:
    """Return by how much the best score is better than the next best; scores in percent are points apart."""
    difference = abs(best.value - next_best.value)
    percent = table.scorer.unit == "share" and table.scorer.scale == 100
    points = " points" if percent else ""
    where = "above" if table.higher_is_better else "below"
    least = 10.0**-best.digits
    # less than half of 0.01 would read as 0.00
    amount = decimals(difference, best.digits) if difference >= least / 2 else f"less than {least:g}"
    return f"{amount}{points} {where}"


def _others(count: int, n_others: int) -> str:
    if count == n_others:
        return f"{all_of(n_others)} others"
    return "1 other" if count == 1 else f"{count} others"


# A comparison as a fragment of HTML, for a page that has a style of its own.


def compared_html(comparison: Comparison, notes: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the verdict by the primary score of one metric, a table and a plot of it, and its other scores folded.

    The page defines the colours as variables: ``--ink``, ``--soft``, ``--line``, ``--paper`` and ``--accent``.
    """
    names = short_names(list(comparison.test_set.systems))
    primary = primary_table(comparison.tables)
    views = []
    for table in (primary, *(table for table in comparison.tables if table is not primary)):
        rows = [table.rows[place] for place in table.order]
        order = [row.system for row in rows]
        chart = DotChart([names[name] for name in order], [dot_column(comparison, table, table.title, order)])
        sections = [_with_names(section, names) for section in table.sections]
        views.append((table, rows, score_verdict(comparison, table, names), chart, sections))
    return render(
        "compared.html",
        c=comparison,
        views=views,
        names=names,
        notes=notes,
        lines=lines,
        marks=marks_of(comparison, comparison.tables),
    )
