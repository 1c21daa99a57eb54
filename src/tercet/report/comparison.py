"""A comparison as one self-contained HTML file."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.comparison.lengths import Buckets, buckets_of
from tercet.comparison.overall import Overall, sets_and_overall
from tercet.comparison.sections import Section
from tercet.comparison.verdicts import score_verdict, verdict_of, with_names
from tercet.errors import InputError, needs
from tercet.explanation.html import COLOURS
from tercet.names_as_shown import Sentence, short_names
from tercet.signature import __version__

from .browsing import Browse, browse
from .buckets import ByBucket, by_length
from .plots import (
    Histograms,
    Marks,
    by_metric,
    has_few_segments,
    marks_of,
    primary_table,
    score_distributions,
)
from .rendering import Packed, render
from .score_tables import AllPairs, Column, TableView, all_pairs, score_column, table_of_outputs, table_of_systems
from .segments import Examples, Segments, Telling, telling, which_pairs
from .table_data import copies, table_data
from .words_view import WordsView, words_view

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.scores import ScoreTable, SystemScore
    from tercet.comparison.system_facts import SystemFacts
    from tercet.test_sets.test_set import TestSet

#: The scripts that list the segments, and unpack them first.
BROWSING = ("unpack.js", "browse.js")
#: The script that copies and changes the tables of a report.
_TABLES = "tables.js"
#: The script that sorts and searches them, which a page with many systems needs before that one.
_ORDER = "order.js"


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
        if view.tables.of_systems is not None:
            of_systems = view.tables.of_systems
            tables[of_systems.key] = table_data(of_systems.comparison, of_systems.names)
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
        for section in named_sections(table, names):
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
        table=table_of_systems(comparison, names, "overall"),
        sections=sections,
        notes=comparison.remarks(),
    )


def named_sections(table: ScoreTable, names: dict[str, str]) -> list[Section]:
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


@dataclass(frozen=True, slots=True, eq=False)
class ScoreView:
    """A score as the template shows it; rows and what goes by row have the best system first."""

    column: Column
    marks: Marks
    verdict: list[Sentence]
    sections: list[Section]  # with the names of the page
    all_pairs: AllPairs
    by_length: ByBucket | None  # none where no length is known, or all segments are of one group
    distributions: Histograms | None
    same_segments: str  # the score before it whose segments have the same scores; empty without one

    @property
    def table(self) -> ScoreTable:
        """The score."""
        return self.column.table

    @property
    def rows(self) -> list[SystemScore]:
        """The score of each system."""
        return [cell.row for cell in self.column.cells]


@dataclass(frozen=True, slots=True, eq=False)
class MetricView:
    """A metric as the template shows it: its scores, and segments by its primary one."""

    title: str
    options: str  # as given
    anchor: str  # the id of its heading on the page, without the prefix
    primary: ScoreTable
    scores: list[ScoreView]
    buckets: Buckets | None  # of the segments that are scored for every system
    facts: list[SystemFacts]  # what it counted, where it says more than scores
    examples: Examples

    @property
    def digits(self) -> int:
        """The decimals of its primary score."""
        return self.primary.digits


@dataclass(frozen=True, slots=True, eq=False)
class AnswerView:
    """What stands first: which system is better, how sure that is, and what is odd in the texts."""

    verdict: list[Sentence]
    opening: list[Sentence]  # which systems cannot be told apart by the first score, and which differences be seen
    telling: Telling | None  # a segment that shows what the verdict says
    remarks: list[str]  # facts, such as how many predictions are empty


@dataclass(frozen=True, slots=True, eq=False)
class SummaryTables:
    """The tables that follow the answer."""

    of_systems: TableView | None  # where single outputs are runs
    of_outputs: TableView | None  # of all scores; none where there is one


class SegmentRule(NamedTuple):
    """The rule by which single segments are scored, of a score that has another one for the test set."""

    rule: str
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class HowScored:
    """What a reader needs to repeat it, beside the signatures."""

    segment_rules: list[SegmentRule]
    methods: list[str]  # of intervals and tests
    digest: str  # of all texts, or of the scores where there are none


@dataclass(frozen=True, slots=True, eq=False)
class TestSetView:
    """A comparison as the template shows it."""

    comparison: Comparison
    prefix: str  # of the ids; also the key by which the script knows the tables
    names: dict[str, str]  # how the systems are called
    answer: AnswerView
    tables: SummaryTables
    metrics: list[MetricView]
    words: WordsView
    browse: Browse
    how_scored: HowScored

    @property
    def contents(self) -> dict[str, str]:
        """What each part is called, by its id without the prefix."""
        contents = {metric.anchor: f"{metric.title} {metric.options}".strip() for metric in self.metrics}
        if not self.comparison.test_set.no_texts:
            contents["words"] = "Words"
        if self.words.pairs:
            contents["ngrams"] = "N-grams"
        return {**contents, "segments": "Segments", "repeat": "Signatures"}


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names = short_names(list(comparison.test_set.systems))
    comparison = with_finite_scores(comparison)
    segments = [Segments(comparison, primary_table(tables)) for tables in by_metric(comparison.tables)]
    metrics = _metrics(segments, names)
    tables = _summary_tables(comparison, names, prefix)
    return TestSetView(
        comparison=comparison,
        prefix=prefix,
        names=names,
        answer=_answer(segments[0], metrics[0], names),
        tables=tables,
        metrics=metrics,
        words=words_view(segments[0], metrics[0].scores[0].rows, names),
        browse=browse(segments, names, metrics[0].buckets),
        how_scored=_how_scored(comparison, tables),
    )


def _answer(segments: Segments, metric: MetricView, names: dict[str, str]) -> AnswerView:
    """Return what stands first, of which the first metric says most."""
    comparison = segments.comparison
    # Remarks also name metrics, where some leave out segments that others score: these have no short name. The
    # isolates (U+2068, U+2069) keep a name in a script from right to left from turning the words around it.
    remarks = comparison.remarks(lambda name: f"\u2068{names.get(name, name)}\u2069")
    # Of runs no segment stands beside the verdict, as no single one is their system.
    telling_segment = None
    if not comparison.joins_runs and not comparison.test_set.no_texts:
        telling_segment = telling(segments.table, metric.examples.pairs)
    return AnswerView(
        verdict=verdict_of(comparison, names),
        opening=_opening(metric.scores[0], with_title=len(comparison.tables) > 1),
        telling=telling_segment,
        remarks=remarks,
    )


def _summary_tables(comparison: Comparison, names: dict[str, str], prefix: str) -> SummaryTables:
    of_systems = None
    if comparison.joins_runs:
        of_systems = table_of_systems(comparison, names, f"{prefix}-systems")
    of_outputs = None
    if len(comparison.tables) > 1:
        of_outputs = table_of_outputs(comparison, names, prefix)
    return SummaryTables(of_systems, of_outputs)


def _how_scored(comparison: Comparison, tables: SummaryTables) -> HowScored:
    # Where outputs are runs, their systems are what was tested.
    tested = comparison
    if tables.of_systems is not None:
        tested = tables.of_systems.comparison
    return HowScored(_segment_rules(comparison.tables), tested.methods_in_words(), _digest(comparison.test_set))


def with_finite_scores(comparison: Comparison) -> Comparison:
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


def _metrics(segments_of_metrics: Sequence[Segments], names: dict[str, str]) -> list[MetricView]:
    # kept, since mostly the same segments are scored by all metrics
    buckets_of_scored: dict[tuple[int, ...], Buckets | None] = {}
    metrics = []
    for index, segments in enumerate(segments_of_metrics):
        comparison = segments.comparison
        tables = [table for table in comparison.tables if table.metric == segments.table.metric]
        scored = scored_segments(tables[0])
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
    examples = Examples(
        legend=segments.legend,
        pairs=segments.pairs(),
        which_pairs=which_pairs(primary),
        spread=segments.spread(),
    )
    return MetricView(
        title=primary.scorer.title or primary.name,
        options=comparison.options()[primary.metric],
        anchor=anchor,
        primary=primary,
        scores=scores,
        buckets=buckets,
        facts=[facts for facts in comparison.facts if facts.metric == primary.metric and facts.line],
        examples=examples,
    )


def _with_same_segments(table: ScoreTable, earlier_tables: Sequence[ScoreTable]) -> str:
    """Return the title of the first earlier score whose segments have the same scores; empty without one."""
    for earlier in earlier_tables:
        if earlier.segments == table.segments:
            return earlier.title
    return ""


def scored_segments(table: ScoreTable) -> tuple[int, ...]:
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
    column = score_column(comparison, table, title=table.title, order=table.order)
    scores_by_length = None
    # of one group, a plot would be a point, and a table what stands above
    if buckets is not None and len(buckets.labels) > 1:
        scores_by_length = by_length(comparison, table, names, buckets)
    distributions = None
    if not same_segments and not has_few_segments(comparison):
        rows = [cell.row for cell in column.cells]
        distributions = score_distributions(table, rows, [names[row.system] for row in rows])
    return ScoreView(
        column=column,
        marks=marks_of(comparison, [table]),
        verdict=score_verdict(comparison, table, names),
        sections=named_sections(table, names),
        all_pairs=all_pairs(comparison, table),
        by_length=scores_by_length,
        distributions=distributions,
        same_segments=same_segments,
    )
