"""What a report shows of a comparison on one test set, from the answer to how it was scored."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.comparison.verdicts.verdicts import verdict_of
from tercet.names_as_shown import Sentence, short_names

from .browsing import Browse, browse
from .metric_views import MetricView, ScoreView, metric_views
from .score_tables import TableView, table_of_outputs, table_of_systems
from .segments import Segments, Telling, telling
from .shown_scores import by_metric, primary_table
from .words_view import WordsView, words_view

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable
    from tercet.test_sets.test_set import TestSet


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


def set_view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names = short_names(list(comparison.test_set.systems))
    comparison = with_finite_scores(comparison)
    segments = [Segments(comparison, primary_table(tables)) for tables in by_metric(comparison.tables)]
    metrics = metric_views(segments, names)
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
