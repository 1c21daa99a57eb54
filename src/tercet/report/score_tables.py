"""The tables of scores: a row for each system, and of each score the number, its interval, and what the test says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.runs.means import as_systems
from tercet.comparison.values.scores import AgainstInWords, against_in_words

from .dots import Dot, DotColumn, difference_column, dot_column
from .marks import Marks, marks_of
from .rendering import minus, score_text
from .shown_scores import baseline_index, shown_tables

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

#: Systems beyond which their table can be sorted and searched.
_MANY = 20
#: Systems of which a table shows each pair: of more, the best ones. Of 1,000, all pairs would be 18 MB of the page.
_MOST_PAIRED = 100


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A score of a system as a table shows it."""

    row: SystemScore
    dot: Dot
    score: str
    against: AgainstInWords
    difference: Dot | None  # with its interval; none without a test
    outcome: Literal["better", "worse", ""]  # than the baseline, where that is significant


class Widths(NamedTuple):
    """Letters of the longest texts, so that they stand below each other."""

    score: int
    difference: int
    p: int


@dataclass(frozen=True, eq=False)  # without slots, as widths are kept: each row asks for them
class Column:
    """A score of all systems in a table, in the order of its rows."""

    table: ScoreTable
    title: str
    drawn: DotColumn
    cells: list[Cell]
    differences: DotColumn | None  # where the differences are drawn
    is_ranked: bool  # ranks tell some systems apart

    @property
    def is_many(self) -> bool:
        """Whether the table has so many rows that it can be sorted and searched."""
        return len(self.cells) > _MANY

    @property
    def ranks_in_words(self) -> str:
        """What ranks are, and the lines between groups."""
        ranks = "The rank is a range of places: those that a system may hold, as only significant differences count."
        if not self.table.group_ends:
            return ranks
        return f"{ranks} A line is drawn where every system above is significantly better than every one below."

    @cached_property
    def widths(self) -> Widths:
        """The widths of the column's texts."""
        return Widths(
            score=max(len(cell.score) for cell in self.cells),
            difference=max(len(cell.against.difference) for cell in self.cells),
            p=max(len(cell.against.p) for cell in self.cells),
        )


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """A table of all scores: a row for each system, a column for each score."""

    comparison: Comparison
    key: str  # by which the script knows it
    names: dict[str, str]  # how the systems are called
    columns: list[Column]
    marks: Marks

    @property
    def notes(self) -> list[str]:
        """What is said below it."""
        notes = [self.marks.key()]
        if self.marks.has_best:
            notes.append(f"Best in bold{self.marks.as_good_in_words}.")
        if self.marks.has_lower:
            notes.append("↓ Lower is better. Lower scores are drawn further right.")
        if self.comparison.test is not None:
            beside = "interval" if self.comparison.has_intervals else "score"
            difference = "the difference from the baseline, ▲ significantly better, ▼ worse"
            notes.append(f"Beside each {beside}: {difference}, and {self.comparison.p_in_words}.")
        ranked = self.columns[0]
        if ranked.is_ranked:
            notes.append(ranked.ranks_in_words)
        if ranked.is_ranked and len(self.columns) > 1:
            notes.append(f"Ranks and lines are by {ranked.title}.")
        notes += self.comparison.methods_in_words()
        if len(self.columns) < len(self.comparison.tables):
            notes.append("Of each metric, one score is shown.")
        if len(self.columns) > 1:
            notes.append("Each score is drawn on its own scale.")
        return notes


def table_of_systems(comparison: Comparison, names: dict[str, str], key: str) -> TableView:
    """Return the table of all scores; where outputs are runs, of the systems."""
    if comparison.joins_runs:
        comparison = as_systems(comparison)
        names = {system: names.get(system, system) for system in comparison.test_set.systems}
    return table_of_outputs(comparison, names, key)


def table_of_outputs(comparison: Comparison, names: dict[str, str], key: str) -> TableView:
    """Return the table of all scores, the best system by the first one first; of many scores of a metric, one."""
    order = comparison.tables[0].order
    shown = shown_tables(comparison.tables)
    columns = []
    for table, title in zip(comparison.tables, comparison.titles(), strict=True):
        if table in shown:
            columns.append(score_column(comparison, table, title=title, order=order))
    return TableView(comparison, key, names, columns, marks_of(comparison, comparison.tables))


def score_column(comparison: Comparison, table: ScoreTable, *, title: str, order: Sequence[int]) -> Column:
    """Return a score of all systems; `order` are the indices of its rows."""
    rows = [table.rows[index] for index in order]
    drawn = dot_column(comparison, table, rows, title=title)
    differences = None
    if comparison.test is not None:
        differences = difference_column(table, rows)
    baseline = baseline_index(comparison, table.rows)
    cells = []
    for position, index in enumerate(order):
        row = rows[position]
        beside = AgainstInWords()
        difference = None
        if differences is not None:
            beside = against_in_words(row)
            beside = beside._replace(difference=minus(beside.difference))
            difference = differences.dots[position]
        outcome: Literal["better", "worse", ""] = ""
        verdict = _pair_verdict(table, index, baseline, alpha=comparison.alpha)
        if verdict.outcome in ("better", "worse"):
            outcome = verdict.outcome
        cells.append(
            Cell(
                row=row,
                dot=drawn.dots[position],
                score=score_text(row.value, row.digits),
                against=beside,
                difference=difference,
                outcome=outcome,
            )
        )
    is_ranked = comparison.has_ranks and len({row.rank for row in rows}) > 1
    return Column(table, title, drawn, cells, differences, is_ranked)


# All pairs of systems.


class PairVerdict(NamedTuple):
    """What the test of two systems says of one of them."""

    outcome: Literal["itself", "better", "worse", "not significant"]
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class AllPairs:
    """What the test says of each two of the best systems."""

    rows: list[SystemScore]  # the best first
    verdicts: list[list[PairVerdict]]  # of each row, on it against each
    least: float  # p of several pairs, which a legend says once for them all; NaN without such pairs


def all_pairs(comparison: Comparison, table: ScoreTable) -> AllPairs:
    """Return what the test says of each two of the best systems."""
    best = table.order[:_MOST_PAIRED]
    verdicts = []
    for index in best:
        verdicts.append([_pair_verdict(table, index, other, alpha=comparison.alpha) for other in best])
    return AllPairs([table.rows[index] for index in best], verdicts, _shared_least(table.pvalues))


def _pair_verdict(table: ScoreTable, row: int, column: int, *, alpha: float) -> PairVerdict:
    """Return what the test says of one row against another."""
    p = float(table.pvalues[row, column])
    if row == column:
        return PairVerdict("itself", p)
    # not "p >= alpha", which is false for NaN
    if not p < alpha:
        return PairVerdict("not significant", p)
    is_higher = table.rows[row].value > table.rows[column].value
    if is_higher == table.higher_is_better:
        return PairVerdict("better", p)
    return PairVerdict("worse", p)


def _shared_least(pvalues: NDArray[np.float64]) -> float:
    """Return the least p of all pairs where several pairs have it: mostly the least that the test can give."""
    pairs = pvalues[np.triu_indices(len(pvalues), 1)]
    least = pairs.min(initial=math.inf)
    if (pairs == least).sum() > 1:
        return float(least)
    return math.nan
