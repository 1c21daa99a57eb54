"""A score by buckets of segments, by their length, or of words: which system is best in each, and a plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, all_of, counted
from tercet.test_sets.length_buckets import Buckets

from .plots import SERIES, Plot, PlotTexts, Series, bucket_plot
from .shown_scores import baseline_index

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

EXACT = "The score of a group is computed from the statistics of its segments, like that of the test set."
#: Where it is known: of numbers that came with the texts.
MEAN = "The score of a group is the mean of its segments' scores, as it is for the whole test set."

#: Where a plot is described to those who do not see it.
IN_NUMBERS = "the numbers are in the table below"


@dataclass(frozen=True, slots=True, eq=False)
class BucketScores:
    """A score of each system for each bucket; rows have the best system first."""

    called: str  # what a sentence calls the buckets, such as "length groups"
    labels: Sequence[str]
    values: list[list[float]]  # of each row the score of each bucket
    higher_is_better: bool
    rule: str = ""  # how they are made; "" where the page says it


@dataclass(frozen=True, slots=True, eq=False)
class ByBucket:
    """The scores of buckets, and what is said and drawn of them."""

    scores: BucketScores
    best: list[float]  # of each bucket; NaN where none is judged
    verdict: list[Sentence]
    lines: dict[str, Series]  # of the systems, as the page calls them, that have a colour in the plot
    plot: Plot | None


def by_length(comparison: Comparison, table: ScoreTable, names: dict[str, str], buckets: Buckets) -> ByBucket:
    """Return a score of segments by their length."""
    of_groups = bucket_scores(table, buckets)
    scores = BucketScores(
        called="length groups",
        labels=buckets.labels,
        values=[of_groups.values[index] for index in table.order],
        higher_is_better=table.higher_is_better,
        rule=of_groups.rule,
    )
    title = table.title
    if not table.higher_is_better:
        title += ", lower is better"
    axis = f"{buckets.called} of the {buckets.of}"
    texts = PlotTexts(x_label=axis, y_label=title, description=f"{title} by {axis}; {IN_NUMBERS}")
    return by_bucket(comparison, [table.rows[index] for index in table.order], names, scores, texts)


class GroupScores(NamedTuple):
    """The score of each group of segments, and how it is computed."""

    values: list[list[float]]  # of each system
    rule: str


def bucket_scores(table: ScoreTable, buckets: Buckets) -> GroupScores:
    """Return the scores of the segments in each bucket."""
    values = []
    for system in table.stats:
        values.append([table.score_of(system, members) for members in buckets.members])
    if isinstance(table.scorer, Column):
        return GroupScores(values, MEAN)
    return GroupScores(values, EXACT)


def by_bucket(
    comparison: Comparison,
    rows: Sequence[SystemScore],
    names: dict[str, str],
    scores: BucketScores,
    texts: PlotTexts,
) -> ByBucket:
    """Return what is said and drawn of the scores of buckets; systems are called as `names` has them."""
    row_names = [names[row.system] for row in rows]
    columns = list(zip(*scores.values, strict=True))
    verdict: list[Sentence] = []
    best = [math.nan] * len(columns)
    # outputs that are runs of a system are not judged, nor is one system alone
    if not comparison.joins_runs and len(rows) > 1:
        verdict = bucket_verdict(columns, row_names, scores.called, higher_is_better=scores.higher_is_better)
        best = _best_of_each(columns, higher_is_better=scores.higher_is_better)
    coloured = _coloured(comparison, rows)
    plot = None
    # Of one bucket, a plot would be a point.
    if len(scores.labels) > 1:
        plot = bucket_plot(scores.values, scores.labels, coloured=coloured, texts=texts)
    lines = dict(zip([row_names[index] for index in coloured], SERIES, strict=False))
    return ByBucket(scores, best, verdict, lines, plot)


def _coloured(comparison: Comparison, rows: Sequence[SystemScore]) -> list[int]:
    """Return the rows that get a colour: the best ones and the baseline."""
    coloured = list(range(min(len(rows), len(SERIES))))
    baseline = baseline_index(comparison, rows)
    if baseline not in coloured:
        coloured[-1] = baseline
    return coloured


def _best_of_each(columns: Sequence[Sequence[float]], *, higher_is_better: bool) -> list[float]:
    """Return the best value of each bucket; NaN where no system has one."""
    choose = np.fmax if higher_is_better else np.fmin
    return [float(choose.reduce(column)) for column in columns]


def bucket_verdict(
    columns: Sequence[Sequence[float]], names: Sequence[str], called: str, *, higher_is_better: bool
) -> list[Sentence]:
    """Return in how many buckets each system alone is best; `columns` has a value of each system for each bucket."""
    if len(names) < 2 or len(columns) < 2:
        return []
    wins = dict.fromkeys(names, 0)
    ties = 0
    for column, best_value in zip(columns, _best_of_each(columns, higher_is_better=higher_is_better), strict=True):
        if math.isnan(best_value):
            continue
        best = [name for name, value in zip(names, column, strict=True) if value == best_value]
        if len(best) == 1:
            wins[best[0]] += 1
        else:
            ties += 1
    winners = [name for name in names if wins[name]]
    winners.sort(key=wins.__getitem__, reverse=True)
    if not winners:
        return []
    parts: list[str] = []
    for name in winners[:MOST_NAMED]:
        number = f"{wins[name]} of {len(columns)}"
        if wins[name] == len(columns):
            number = all_of(len(columns))
        if parts:
            parts.append("; ")
        parts += [Name(name), f" is best in {number} {called}"]
    if ties:
        parts.append(f"; {counted(ties, 'ends', 'end')} in a tie")
    parts.append(". These were not tested.")
    return [tuple(parts)]
