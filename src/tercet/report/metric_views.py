"""What a report shows of each metric: its scores, and the segments on which systems differ by its primary one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.comparison.values.sections import Section
from tercet.comparison.verdicts.verdicts import score_verdict, with_names
from tercet.names_as_shown import Sentence
from tercet.test_sets.length_buckets import Buckets, buckets_of

from .bucket_scores import ByBucket, by_length
from .histograms import Histograms, has_few_segments, score_distributions
from .marks import Marks, marks_of
from .score_notes import notes_of_score
from .score_tables import AllPairs, Column, all_pairs, score_column
from .segments import Examples, SegmentChooser, which_pairs

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore
    from tercet.comparison.values.system_facts import SystemFacts


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
class ScoreView:
    """A score as the template shows it; rows and what goes by row have the best system first."""

    column: Column
    marks: Marks
    notes: list[Sentence]  # below its table
    verdict: list[Sentence]
    sections: list[Section]  # with the names of the page
    all_pairs: AllPairs
    by_length: ByBucket | None  # none where no length is known, or all segments are of one group
    distributions: Histograms | None
    heading_of_charts: str  # of these two
    same_segments: str  # the score before it whose segments have the same scores; empty without one

    @property
    def table(self) -> ScoreTable:
        """The score."""
        return self.column.table

    @property
    def rows(self) -> list[SystemScore]:
        """The score of each system."""
        return [cell.row for cell in self.column.cells]


def metric_views(choosers: Sequence[SegmentChooser], names: dict[str, str]) -> list[MetricView]:
    """Return what is shown of each metric, by what chooses its segments."""
    # kept, since mostly the same segments are scored by all metrics
    buckets_of_scored: dict[tuple[int, ...], Buckets | None] = {}
    metrics = []
    for index, chooser in enumerate(choosers):
        comparison = chooser.comparison
        tables = [table for table in comparison.tables if table.metric == chooser.table.metric]
        scored = scored_segments(tables[0])
        if scored not in buckets_of_scored:
            buckets_of_scored[scored] = buckets_of(comparison.test_set, scored)
        metrics.append(_metric(chooser, tables, names=names, buckets=buckets_of_scored[scored], anchor=f"m{index}"))
    return metrics


def _metric(
    chooser: SegmentChooser,
    tables: Sequence[ScoreTable],
    *,
    names: dict[str, str],
    buckets: Buckets | None,
    anchor: str,
) -> MetricView:
    comparison = chooser.comparison
    scores = []
    for index, table in enumerate(tables):
        same_segments = _with_same_segments(table, tables[:index])
        scores.append(_score(comparison, table, names=names, buckets=buckets, same_segments=same_segments))
    primary = chooser.table
    examples = Examples(
        legend=chooser.legend,
        pairs=chooser.pairs(),
        which_pairs=which_pairs(primary),
        spread=chooser.spread(),
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
    lengths_of = ""
    if scores_by_length is not None and buckets is not None:
        lengths_of = buckets.of
    marks = marks_of(comparison, [table])
    return ScoreView(
        column=column,
        marks=marks,
        notes=notes_of_score(comparison, names, column, marks),
        verdict=score_verdict(comparison, table, names),
        sections=named_sections(table, names),
        all_pairs=all_pairs(comparison, table),
        by_length=scores_by_length,
        distributions=distributions,
        heading_of_charts=_heading_of_charts(lengths_of, has_distributions=distributions is not None),
        same_segments=same_segments,
    )


def _heading_of_charts(lengths_of: str, *, has_distributions: bool) -> str:
    """Return the heading of the charts by length, of the references or sources or "", and of distributions."""
    if lengths_of and has_distributions:
        return f"By length of the {lengths_of}, and distribution over segments"
    if lengths_of:
        return f"By length of the {lengths_of}"
    if has_distributions:
        return "Distribution over segments"
    return "Distribution"


def named_sections(table: ScoreTable, names: dict[str, str]) -> list[Section]:
    """Return what is said of a score, with the names of the page."""
    return [with_names(section, names) for section in table.sections]
