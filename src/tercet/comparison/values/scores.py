"""Scores as values: of one system, in a table of all, with what they rest on, and which systems are the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.statistics.clusters import Clusters, clustered
from tercet.statistics.intervals import ConfidenceInterval
from tercet.statistics.ranks import best_first
from tercet.statistics.resampled_scores import jackknife
from tercet.statistics.rounding import apart
from tercet.statistics.stats import SegmentStats
from tercet.table_formats import decimals, interval_text, pvalue_text

if TYPE_CHECKING:
    from .run_scores import ScoresOverRuns
    from .sections import Section

#: Marks of the best system, of those not significantly worse, and of scores of which lower is better.
BEST, AS_GOOD, LOWER = "*", "†", "↓"

#: What a table for people shows beside each score, where there is such.
BESIDE_SCORES = ("interval", "difference", "p", "rank")


class Counts(NamedTuple):
    """On how many segments, or clusters, a system is better than, the same as, or worse than the baseline."""

    wins: int
    ties: int
    losses: int


class DifferenceFromBaseline(NamedTuple):
    """How far a system's score is from that of the baseline, and how sure that is."""

    value: float
    interval: ConfidenceInterval
    pvalue: float | None
    adjusted_pvalue: float | None
    #: None of systems over their runs.
    counts: Counts | None


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A score of a system, compared with the baseline and the best system.

    Attributes
    ----------
    system : str
    value : float
    low, high : float
        Bootstrap interval; Wilson's where :attr:`ScoreTable.is_exact`. NaN of fewer than 5 segments or clusters.
    against : DifferenceFromBaseline or None
        None for the baseline itself, and of results without texts; then all attributes of the difference are None.
    best : bool
        Whether no system has a better value. Of several systems that all score 0, the worst value, none is the best.
    as_good : bool or None
        Whether it is not significantly worse than the best (adjusted p); None where none is the best, and without a
        test unless it is the best.
    rank : (int, int) or None
        The best and the worst that it may have: from 1 + how many systems are significantly better, to the number of
        systems less how many are significantly worse. None without a test, or where the score is NaN.
    group : int or None
        Of the systems that cannot be told apart, from 1, that of the best: a group ends where every system down to it
        is significantly better than every one below. None as for the rank.
    digits : int
        With how many decimals people read it.
    """

    system: str
    value: float
    low: float
    high: float
    against: DifferenceFromBaseline | None
    best: bool
    as_good: bool | None
    rank: tuple[int, int] | None = None
    group: int | None = None
    digits: int = 2

    @property
    def is_baseline(self) -> bool:
        """Whether it has no difference from a baseline: it is the baseline itself, or of results without texts."""
        return self.against is None

    @property
    def difference(self) -> float | None:
        """From the baseline."""
        return None if self.against is None else self.against.value

    @property
    def difference_low(self) -> float | None:
        """The lower end of the difference's interval.

        It is from the same resampled units of both systems; Tango's (1998) where :attr:`ScoreTable.is_exact`.
        """
        return None if self.against is None else self.against.interval.low

    @property
    def difference_high(self) -> float | None:
        """The upper end of the difference's interval."""
        return None if self.against is None else self.against.interval.high

    @property
    def pvalue(self) -> float | None:
        """Of the paired test against the baseline, unadjusted."""
        return None if self.against is None else self.against.pvalue

    @property
    def adjusted_pvalue(self) -> float | None:
        """P adjusted for all pairs of systems, as in :attr:`ScoreTable.pvalues`; tables show this one."""
        return None if self.against is None else self.against.adjusted_pvalue

    @property
    def counts(self) -> Counts | None:
        """How many segments score better than, the same as, or worse than those of the baseline.

        Clusters where the test set has them.
        """
        return None if self.against is None else self.against.counts

    @property
    def wins(self) -> int | None:
        """How many are better than those of the baseline."""
        return None if self.counts is None else self.counts.wins

    @property
    def ties(self) -> int | None:
        """How many are the same as those of the baseline."""
        return None if self.counts is None else self.counts.ties

    @property
    def losses(self) -> int | None:
        """How many are worse than those of the baseline."""
        return None if self.counts is None else self.counts.losses

    @property
    def mark(self) -> str:
        """The mark of the best, or of one that is not significantly worse; "" of the others."""
        if self.best:
            return BEST
        return AS_GOOD if self.as_good else ""

    @property
    def interval(self) -> str:
        """The interval of the score as people read it; "" where there is none."""
        return interval_text(self.low, self.high, self.digits)

    @property
    def interval_of_difference(self) -> str:
        """The interval of the difference as people read it, such as ``[+0.12, +0.80]``; "" where there is none."""
        if self.against is None:
            return ""
        return interval_text(*self.against.interval, self.digits, signed=True)

    @property
    def places(self) -> str:
        """The rank as people read it, such as ``2–4``; "" without one."""
        return places_of(self.rank)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """One score of all systems.

    Attributes
    ----------
    metric : str
        With the options that were given.
    name : str
        Of the score, such as ``rougeL``.
    signature : str
    rows : list of SystemScore
    pvalues : ndarray, shape (s, s)
        Of the paired test of each pair of systems, adjusted for all pairs as :meth:`Comparison.inference_of` says;
        1 on the diagonal. NaN without a test.
    segments : dict of str to list
        The score of each segment by system; None for a segment left out.
    higher_is_better : bool
    scorer : Metric
        Computes the score.
    stats : dict of str to SegmentStats
        The statistics of all segments by system, including those left out.
    is_exact : bool
        Whether all segments score 0 or 1, and none are resampled together. Then p of the permutation test is exact,
        McNemar's, and the interval is Wilson's, unless percentiles are asked for.
    n_units : int
        Number of segments, or clusters, that are scored for all systems and resampled.
    too_few : str or None
        Why no difference could be significant, however large: too few segments, or resamples. Then there are no ranks
        and groups, and nothing is said to be as good. None if one could, or without a test.
    cannot_tell : str
        Why the score, the worst of all systems, says nothing of their texts, such as that these are short; "" where
        it does.
    over_runs : ScoresOverRuns or None
        The means of systems with several runs, and their tests; None where no system has several.
    sections : list of Section
        What else is said of the score, such as how small a difference the test set can show.
    """

    metric: str
    name: str
    signature: str
    rows: list[SystemScore]
    pvalues: NDArray[np.float64] = field(repr=False)
    segments: dict[str, list[float | None]] = field(repr=False)
    higher_is_better: bool
    scorer: Metric = field(repr=False)
    stats: dict[str, SegmentStats] = field(repr=False)
    is_exact: bool = False
    n_units: int = 0
    too_few: str | None = None
    cannot_tell: str = ""
    over_runs: ScoresOverRuns | None = field(default=None, repr=False)
    sections: list[Section] = field(default_factory=list, repr=False)

    @property
    def title(self) -> str:
        """What people call the score, such as ROUGE-L."""
        return self.scorer.score_title(self.name)

    @property
    def column_title(self) -> str:
        """The title of its column in files of segments: the score with its metric."""
        return f"{self.metric} {self.name}"

    @property
    def better(self) -> str:
        """Which values are better, ``higher`` or ``lower``."""
        return "higher" if self.higher_is_better else "lower"

    @property
    def arrow(self) -> str:
        """What stands behind the name of the score where lower is better; "" elsewhere."""
        return "" if self.higher_is_better else f" {LOWER}"

    @property
    def digits(self) -> int:
        """With how many decimals people read the score."""
        return self.rows[0].digits

    @property
    def order(self) -> list[int]:
        """The indices of the rows, the best first, NaN last."""
        return best_first([row.value for row in self.rows], self.higher_is_better)

    @property
    def shown_order(self) -> Sequence[int]:
        """The indices of the rows as people read them: the best first, but two systems as they were given."""
        return self.order if len(self.rows) > 2 else range(len(self.rows))

    @property
    def group_ends(self) -> list[int]:
        """After how many rows, the best first, a group ends; not after the last one."""
        groups = [self.rows[index].group for index in self.order]
        return [n_above for n_above in range(1, len(groups)) if groups[n_above] != groups[n_above - 1]]

    def n_scored(self, n_segments: int) -> int:
        """Return how many segments are scored for all systems: all there are where `stats` does not tell."""
        if not self.stats:
            return n_segments
        return int(scored_for_all(list(self.stats.values())).sum())

    def score_of(self, system: str, segments: Sequence[int] | NDArray[Any]) -> float:
        """Return the score of a part of the test set, by the numbers of its segments, from 0."""
        part = self.stats[system].selected(np.asarray(segments, np.int64))
        return float(self.scorer.finalize(self.scorer.corpus_totals(part))[self.name])

    def scores_without_each(self, units: SegmentStats) -> NDArray[np.float64]:
        """Return the scores of all units but each in turn (jackknife)."""
        return np.asarray(jackknife(self.scorer, units)[self.name], np.float64)


class ScoreEvidence(NamedTuple):
    """A score of all systems, and what says how far its differences go beyond this test set."""

    table: ScoreTable
    #: Paired resamples of the score, and the rows of what is resampled, of each system.
    resampled: Sequence[NDArray[np.float64]]
    units: Sequence[SegmentStats]


def places_of(rank: tuple[int, int] | None) -> str:
    """Return the places that a system may have as people read them, such as ``2–4``; "" without a rank."""
    if rank is None:
        return ""
    best, worst = rank
    return f"{best}" if best == worst else f"{best}–{worst}"


def row_of(table: ScoreTable, system: str) -> SystemScore:
    """Return the score of a system in a table."""
    return next(row for row in table.rows if row.system == system)


def some_best(values: Sequence[float], higher_is_better: bool) -> bool:
    """Return whether one of the systems' values is the best: not of one system, nor where nothing matched for any."""
    # Python takes NaN for true.
    has_match = any(value and not math.isnan(value) for value in values)
    return len(values) > 1 and (not higher_is_better or has_match)


class Standing(NamedTuple):
    """Whether a system is the best, and whether it is not significantly worse: None where nobody can tell."""

    is_best: bool
    as_good: bool | None


def standings(
    values: Sequence[float],
    adjusted_pvalues: NDArray[np.float64],
    *,
    alpha: float,
    higher_is_better: bool,
    can_tell: bool = True,
) -> list[Standing]:
    """Return how each system compares with the best, by p of each pair, where the test could tell any apart."""
    if not some_best(values, higher_is_better):
        return [Standing(False, None)] * len(values)
    best = best_first(values, higher_is_better)[0]
    compared = []
    for index, value in enumerate(values):
        p = float(adjusted_pvalues[index, best])
        # Systems may tie for the best; NaN equals nothing, so that it is never the best.
        if not apart(value, values[best]):
            compared.append(Standing(True, True))
        elif can_tell and not math.isnan(p):
            compared.append(Standing(False, p >= alpha))
        else:
            compared.append(Standing(False, None))
    return compared


class ScoredSegments(NamedTuple):
    """The segments that are scored for all systems, and what of them is resampled."""

    is_scored: NDArray[np.bool_]
    #: The rows of these segments, of each system.
    rows: list[SegmentStats]
    #: Of these segments, if there are any.
    clusters: Clusters | None

    @classmethod
    def of(cls, stats: Sequence[SegmentStats], clusters: Clusters | None) -> ScoredSegments:
        """Return what is scored of the rows of all segments, of each system."""
        is_scored = scored_for_all(stats)
        rows = [system_stats.selected(is_scored) for system_stats in stats]
        return cls(is_scored, rows, None if clusters is None else clusters.selected(is_scored))

    def units(self) -> list[SegmentStats]:
        """Return what is resampled of each system: the segments, or their clusters."""
        return clustered(self.rows, self.clusters)


def scored_for_all(stats: Sequence[SegmentStats]) -> NDArray[np.bool_]:
    """Return which items were scored for all systems."""
    # The column "items" is 0 where a metric leaves an item out.
    is_scored: NDArray[np.bool_] = np.logical_and.reduce([system_rows.column("items") > 0 for system_rows in stats])
    return is_scored


class AgainstInWords(NamedTuple):
    """How a system compares with the baseline, as tables show it: each "" for the baseline itself."""

    difference: str = ""
    p: str = ""
    #: Of the segments, or clusters, that are won, tied and lost.
    counts: str = ""


def against_in_words(row: SystemScore) -> AgainstInWords:
    """Return how a system compares with the baseline, as tables show it."""
    against = row.against
    if against is None:
        return AgainstInWords()
    p = "NaN" if against.adjusted_pvalue is None else pvalue_text(against.adjusted_pvalue)
    difference = decimals(against.value, row.digits, signed=True)
    return AgainstInWords(difference, p, f"{row.wins}/{row.ties}/{row.losses}")
