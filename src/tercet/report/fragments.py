"""A comparison as fragments of HTML, for a page that has a style of its own.

That page defines the colours of base.html as variables, and runs the scripts of `BROWSING`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.comparison.values.scores import BESIDE_SCORES
from tercet.comparison.values.sections import Section
from tercet.comparison.verdicts.legends import marks_in_words, numbers_in_words
from tercet.comparison.verdicts.verdicts import score_verdict
from tercet.explanation.html import COLOURS
from tercet.names_as_shown import Sentence, short_names
from tercet.test_sets.length_buckets import buckets_of

from .browsing import browse
from .marks import Marks, marks_of
from .metric_views import named_sections, scored_segments
from .rendering import render
from .score_tables import Column, score_column
from .segments import SegmentChooser
from .set_view import with_finite_scores
from .shown_scores import primary_table

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable


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
        column = score_column(comparison, table, title=table.title, order=table.order)
        scores.append(ScoreFragment(column, score_verdict(comparison, table, names), named_sections(table, names)))
    marks = marks_of(comparison, comparison.tables)
    return render(
        "compared.html",
        comparison=comparison,
        names=names,
        scores=scores,
        notes=notes,
        lines=lines,
        marks=marks,
        legend=_legend(comparison, marks),
    )


def _legend(comparison: Comparison, marks: Marks) -> str:
    """Return the legend of the table: it has a dagger only where another system is significantly worse."""
    if marks.has_worse:
        marks_said = marks_in_words(comparison, "Bold")
    else:
        marks_said = marks_in_words(comparison, "Bold", "no other is significantly worse")
    numbers_said = numbers_in_words(comparison, comparison.p_at_start, str, BESIDE_SCORES)
    return f"{marks_said} {numbers_said}".strip()


def segments_html(comparison: Comparison) -> str:
    """Return the list of all segments of a comparison by one metric."""
    names = short_names(list(comparison.test_set.systems))
    comparison = with_finite_scores(replace(comparison, tables=_primary_first(comparison.tables)))
    primary = comparison.tables[0]
    buckets = buckets_of(comparison.test_set, scored_segments(primary))
    browsed = browse([SegmentChooser(comparison, primary)], names, buckets)
    return render("browsed.html", comparison=comparison, names=names, browse=browsed, colours=COLOURS)


def _primary_first(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Return the tables of one metric with that of its primary score first."""
    primary = primary_table(tables)
    return [primary, *(table for table in tables if table is not primary)]
