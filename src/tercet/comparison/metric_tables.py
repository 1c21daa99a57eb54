"""Systems by a metric: the rows of their texts, the scores of these, and a table of each score, tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.base.definition import is_higher_better
from tercet.base.metric import Metric
from tercet.base.scoring import batch_stats, segment_lists, summarize
from tercet.comparison.inputs.given_scores import column_stats
from tercet.comparison.scoring.score_rows import Measured, bounds_of_systems, score_rows
from tercet.comparison.scoring.too_few import why_too_few
from tercet.comparison.specs.metric_specs import label_of
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoredSegments, ScoreEvidence, ScoreTable
from tercet.comparison.values.system_facts import SystemFacts, facts_of_systems
from tercet.comparison.wording.decimals import digits_of
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, recorded, shorten
from tercet.metrics.column import Column
from tercet.statistics.inference import Inference
from tercet.statistics.intervals import BootstrapResult
from tercet.statistics.stats import Scores, SegmentStats
from tercet.test_sets.checks import check_gaps
from tercet.test_sets.test_set import TestSet
from tercet.test_sets.text_warnings import warn_of_scores

if TYPE_CHECKING:
    from tercet.comparison.slices.scores import ScoredSlices
    from tercet.comparison.values.sections import Section
    from tercet.statistics.p_tables import PTables


class MetricFindings(NamedTuple):
    """What a comparison finds by one metric, or by all, and what these warned of."""

    tables: list[ScoreTable]
    facts: list[SystemFacts]
    messages: list[str]


def compare_by(
    metric: Metric, design: Design, corpus: Corpus, heading: str, show_line: Callable[[str], None]
) -> MetricFindings:
    """Score the systems by a metric, and test them."""
    test_set = design.test_set
    show_line(f"{heading}: scores")
    with recorded() as messages:
        stats = system_stats(metric, corpus, test_set)
        warn_of_scores(test_set, metric, stats)
    check_gaps(test_set, metric, stats)
    work = "intervals" if design.test is None else f"{design.test} test and intervals"
    show_line(f"{heading}: {work}")
    rows = _MetricRows.of(design, metric, stats)
    facts = facts_of_systems(metric, rows.stats_by_system, rows.scored.rows)
    return MetricFindings(list(_tables(design, rows, corpus)), facts, list(messages))


def system_stats(metric: Metric, corpus: Corpus, test_set: TestSet) -> list[SegmentStats]:
    """Return the rows of each system; an error in its texts names it."""
    if isinstance(metric, Column):
        return column_stats(metric, test_set)
    try:
        return batch_stats(metric, corpus).split(corpus.n_systems)
    except InputError:
        # All systems are scored in one call, whose error does not say whose text it was.
        for index, name in enumerate(test_set.systems):
            try:
                batch_stats(metric, corpus.system(index))
            except InputError as error:
                heading = f"{test_set.name}: the system {shorten(name)}: {metric.name}"
                raise InputError(f"{heading}: {error}") from None
        raise


class _MetricRows(NamedTuple):
    """The rows that a metric makes of each system's texts, and how they are tested."""

    metric: Metric
    #: Of all segments, by system.
    stats_by_system: dict[str, SegmentStats]
    scored: ScoredSegments
    #: What is resampled: the segments that are scored for all systems, or their clusters.
    units: list[SegmentStats]
    #: Whether scores are 0 or 1 alone, of which tests and intervals are exact.
    are_shares: bool
    inference: Inference

    @classmethod
    def of(cls, design: Design, metric: Metric, stats: list[SegmentStats]) -> _MetricRows:
        """Return the rows of a metric."""
        scored = ScoredSegments.of(stats, design.test_set.clusters)
        are_shares = isinstance(metric, Column) and scored.clusters is None and metric.are_shares(scored.rows)
        inference = design.inference
        if are_shares:
            inference = inference.of_shares()
        stats_by_system = dict(zip(design.systems, stats, strict=True))
        return cls(metric, stats_by_system, scored, scored.units(), are_shares, inference)

    @property
    def n_units(self) -> int:
        """How many units are resampled."""
        return len(self.units[0])


class _MetricScores(NamedTuple):
    """What a metric says of the systems: each list has an entry for each of them, with all scores by their names."""

    values: list[Scores]
    intervals: list[dict[str, BootstrapResult]]
    segments: list[dict[str, list[float | None]]]
    #: What wins and losses count: clusters, or else segments, where those left out have no score.
    counted_scores: list[dict[str, list[float | None]]]
    tests: dict[str, PTables]
    signature: str

    @classmethod
    def of(cls, design: Design, rows: _MetricRows) -> _MetricScores:
        """Return the scores by the rows of a metric, tested."""
        metric = rows.metric
        n_draws = design.n_resamples or 0
        tests = rows.inference.of_all_pairs(metric, rows.units, n_resamples=n_draws, seed=design.seed)
        segments = [segment_lists(metric, stats) for stats in rows.stats_by_system.values()]
        counted_scores = segments
        if design.test_set.clusters is not None:
            counted_scores = [segment_lists(metric, stats) for stats in rows.units]
        return cls(
            values=[metric.finalize(metric.corpus_totals(stats)) for stats in rows.scored.rows],
            intervals=design.intervals(metric, rows.units),
            segments=segments,
            counted_scores=counted_scores,
            tests=tests,
            signature=summarize(metric, rows.stats_by_system[design.baseline]).signature,
        )

    def measure(self, design: Design, rows: _MetricRows, name: str, segment_name: str) -> Measured:
        """Return one of the scores."""
        values = np.array([float(value_by_score[name]) for value_by_score in self.values])
        intervals = [interval_by_score[name] for interval_by_score in self.intervals]
        return Measured(
            values=values,
            bounds=bounds_of_systems(design, rows.metric, rows.scored.rows, intervals, rows.inference),
            tests=self.tests[name],
            counted_scores=[scores_of_system[segment_name] for scores_of_system in self.counted_scores],
            higher_is_better=is_higher_better(rows.metric, name),
            digits=digits_of(rows.metric, values.tolist()),
        )


def _tables(design: Design, rows: _MetricRows, corpus: Corpus) -> Iterator[ScoreTable]:
    """Yield a table for each score of a metric."""
    metric = rows.metric
    scores = _MetricScores.of(design, rows)
    slices = []
    if design.slices:
        # Here, as most comparisons have no slices.
        from tercet.comparison.slices.scores import scores_of_slices

        slices = scores_of_slices(design, metric, rows.scored, rows.inference)
    for name, segment_name in zip(metric.score_names, metric.segment_names, strict=True):
        table = _table(design, rows, scores, corpus, name, segment_name)
        resampled = [interval_by_score[name].bootstrap_distribution for interval_by_score in scores.intervals]
        if design.runs:
            # Here, as most comparisons have no runs.
            from tercet.comparison.runs.significance import scores_over_runs

            table = replace(table, over_runs=scores_over_runs(design, table, resampled))
        sections = _sections(design, ScoreEvidence(table, resampled, rows.units))
        yield replace(table, sections=[*sections, *_slices_sections(design, table, slices)])


def _table(
    design: Design, rows: _MetricRows, scores: _MetricScores, corpus: Corpus, name: str, segment_name: str
) -> ScoreTable:
    """Return the table of a score, to which what is said of it is still to be added."""
    score = scores.measure(design, rows, name, segment_name)
    too_few = why_too_few(design, score.tests.adjusted, rows.n_units, rows.inference)
    system_scores, adjusted_pvalues = score_rows(design, score, can_tell=too_few is None)
    segments = [scores_of_system[segment_name] for scores_of_system in scores.segments]
    return ScoreTable(
        metric=label_of(rows.metric),
        name=name,
        signature=scores.signature,
        rows=system_scores,
        pvalues=adjusted_pvalues,
        segments=dict(zip(design.systems, segments, strict=True)),
        higher_is_better=score.higher_is_better,
        scorer=rows.metric,
        stats=rows.stats_by_system,
        is_exact=rows.are_shares,
        n_units=rows.n_units,
        too_few=too_few,
        cannot_tell=_why_all_are_worst(score, rows, corpus),
    )


def _why_all_are_worst(score: Measured, rows: _MetricRows, corpus: Corpus) -> str:
    """Return why a score is the worst of all systems whatever their texts; "" where it is not, or no reason is known.

    It is 0, or 1 of a rate of errors.
    """
    worst = 0.0 if score.higher_is_better else rows.metric.scale
    if len(score.values) < 2 or (score.values != worst).any():
        return ""
    texts = rows.metric.as_scored(corpus)
    reasons = (rows.metric.why_worst(stats.total(), texts) for stats in rows.stats_by_system.values())
    return next(filter(None, reasons), "")


def _sections(design: Design, evidence: ScoreEvidence) -> Iterator[Section]:
    """Yield what else is said of a score, but for its slices."""
    table = evidence.table
    if design.runs:
        from tercet.comparison.runs.section import runs_section

        yield runs_section(design, table)
    if isinstance(table.scorer, Column):
        from tercet.comparison.notes.direction import direction_section

        direction = direction_section(design.test_set, table)
        if direction is not None:
            yield direction
    if design.test is None:
        return
    from tercet.comparison.notes.fragile_differences import cautions_section
    from tercet.comparison.notes.groups import groups_section
    from tercet.comparison.notes.smallest_differences import power_of, power_section

    if table.too_few is None:
        yield groups_section(table)
    if table.too_few is None and design.interval is not None:
        power = power_of(design, evidence)
        if power is not None:
            yield power_section(design, table, power)
    cautions = cautions_section(design, evidence)
    if cautions is not None:
        yield cautions


def _slices_sections(design: Design, table: ScoreTable, slices: Sequence[ScoredSlices]) -> Iterator[Section]:
    """Yield what is said of a score in the slices of each kind."""
    if not slices:
        return
    from tercet.comparison.slices.section import slices_section

    for scored_slices in slices:
        yield slices_section(design, table, scored_slices)
