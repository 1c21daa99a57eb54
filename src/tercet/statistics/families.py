"""P of many comparisons that share their draws: of each alone, and adjusted for all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bootstrap import ROUNDING
from .progress import bar_of

if TYPE_CHECKING:
    from .stats import Scores

Array = NDArray[np.float64]

#: The most numbers that draws of a family hold at a time: half a gigabyte.
_MOST_HELD = 1 << 26

#: Makes blocks of draws, the same at each call: the differences of each score, shape (comparisons, b).
Blocks = Callable[[], "Iterator[Scores]"]


@dataclass(frozen=True, slots=True, eq=False)
class NullDraws:
    """The differences of a family of comparisons under the null hypothesis, from draws that all of them share.

    Attributes
    ----------
    comparisons : sequence
        What is compared: pairs of systems, say.
    n_draws : int
    differences : callable
        Takes a comparison and a slice of the draws, and returns the differences of each score there.
    is_complete : bool
        Whether the draws are all that there are, so that one of them is the observed arrangement, and p is exact.
    """

    comparisons: Sequence[Any]
    n_draws: int
    differences: Callable[[Any, slice], Scores]
    is_complete: bool = False

    def blocks(self, n_scores: int) -> Blocks:
        """Return a function that yields the differences in blocks of draws, shape (comparisons, b) for each score.

        What fits in memory is made once; of more, each call makes all blocks anew, one at a time.
        """
        size = max(1, _MOST_HELD // (n_scores * len(self.comparisons)))
        if size < self.n_draws:
            return lambda: self._made(size)
        held = list(self._made(self.n_draws))
        return lambda: iter(held)

    def _made(self, size: int) -> Iterator[Scores]:
        starts = range(0, self.n_draws, size)
        with bar_of("testing", "pairs", len(self.comparisons) * len(starts)) as bar:
            for start in starts:
                draws = slice(start, min(start + size, self.n_draws))
                block: dict[str, Array] = {}
                for row, comparison in enumerate(self.comparisons):
                    for name, differences in self.differences(comparison, draws).items():
                        if name not in block:
                            block[name] = np.empty((len(self.comparisons), draws.stop - draws.start))
                        block[name][row] = differences
                    if bar is not None:
                        bar.update()
                yield block


def made_once(blocks: Blocks, n_numbers: int) -> Blocks:
    """Return blocks that are held from now on, where so many numbers fit in memory; else those that are given."""
    if n_numbers > _MOST_HELD:
        return blocks
    held = list(blocks())
    return lambda: iter(held)


class FamilyResult(NamedTuple):
    """P of each comparison of a family, shape (comparisons,): alone, and adjusted for all of them."""

    pvalues: Array
    adjusted: Array


def family_test(
    null: NullDraws, first: Scores, second: Scores, *, around_mean: bool = False, slack: float = ROUNDING
) -> dict[str, FamilyResult]:
    """Return p of each comparison of a family for each score, two-sided, from draws under the null hypothesis.

    Adjusted p are those of the step-down maximum (Westfall and Young 1993; Romano and Wolf 2005, Econometrica 73),
    which hold the family-wise error rate: each difference is divided by the root mean square of its own null
    differences, and compared with the largest of those of all comparisons that are no larger than it. The least p is
    1 / (draws + 1) for any number of comparisons; of draws that are complete, the share of those that are as large.

    Parameters
    ----------
    null : NullDraws
    first, second : dict of str to ndarray, shape (comparisons,)
        The observed scores of the two sides of each comparison, by name. Where one is NaN, so is p, and the
        comparison is none of the family.
    around_mean : bool
        Whether the size of a null difference is by how much it exceeds the mean of all, as in Koehn's test.
    slack : float
        Smaller differences, relative to the scores, may be of rounding alone.
    """
    return family_test_of_blocks(
        null.blocks(len(first)),
        null.n_draws,
        first,
        second,
        around_mean=around_mean,
        slack=slack,
        is_complete=null.is_complete,
    )


def family_test_of_blocks(
    blocks: Blocks,
    n_draws: int,
    first: Scores,
    second: Scores,
    *,
    around_mean: bool = False,
    slack: float = ROUNDING,
    is_complete: bool = False,
) -> dict[str, FamilyResult]:
    """Return the same as :func:`family_test`, from blocks of draws in which all comparisons are made together."""
    families = {name: _Family(first[name], second[name], around_mean, slack) for name in first}
    for block in blocks():
        for name, family in families.items():
            family.measure(block[name])
    for family in families.values():
        family.order(n_draws)
    for block in blocks():
        for name, family in families.items():
            family.count(block[name])
    # The observed arrangement is one of those under the null hypothesis: p is never 0.
    n_observed = 0 if is_complete else 1
    return {name: family.result(n_draws, n_observed) for name, family in families.items()}


class _Family:
    """A score's comparisons: counts over draws, in two passes."""

    def __init__(self, first: Array, second: Array, around_mean: bool, slack: float) -> None:
        self.sizes = sizes = np.abs(second - first)
        # a difference that is smaller by rounding alone counts as one of the observed size
        self.slack = slack * np.maximum(np.abs(first), np.abs(second))
        #: From which size on a null difference counts as at least as large.
        self.least = sizes - self.slack
        self.around_mean = around_mean
        self.sums = np.zeros(len(sizes))
        self.squares = np.zeros(len(sizes))
        self.n_alone = np.zeros(len(sizes), np.int64)
        self.n_largest = np.zeros(len(sizes), np.int64)

    def measure(self, differences: Array) -> None:
        """Add a block to the sums from which the scale of each comparison is made."""
        for row, of_comparison in enumerate(differences):
            # a draw in which a score is NaN is none
            known = np.abs(of_comparison[~np.isnan(of_comparison)])
            self.sums[row] += known.sum()
            self.squares[row] += float(known @ known)

    def order(self, n_draws: int) -> None:
        """Find the scale of each comparison, and go from the largest by that scale to the smallest."""
        self.centre = self.sums / n_draws if self.around_mean else np.zeros(len(self.sizes))
        self.scale = np.sqrt(np.maximum(self.squares / n_draws - self.centre**2, 0.0))
        # null differences that are 0, but for rounding
        self.is_constant = self.scale <= self.slack
        studentized = np.full(len(self.sizes), np.nan)
        np.divide(self.sizes, self.scale, out=studentized, where=~self.is_constant)
        # larger than any null difference, or no difference at all
        studentized[self.is_constant] = np.where(self.sizes > self.slack, np.inf, 0.0)[self.is_constant]
        studentized[np.isnan(self.sizes)] = np.nan
        known = np.flatnonzero(~np.isnan(studentized))
        self.ordered = known[np.argsort(-studentized[known], kind="stable")]

    def count(self, differences: Array) -> None:
        """Count in how many draws of a block the null differences are at least as large as the observed ones."""
        largest = np.full(differences.shape[1], -np.inf)
        for row in self.ordered[::-1]:
            sizes = np.abs(differences[row]) - self.centre[row]
            self.n_alone[row] += np.count_nonzero(sizes >= self.least[row])
            if self.is_constant[row]:
                continue
            np.fmax(largest, sizes / self.scale[row], out=largest)
            self.n_largest[row] += np.count_nonzero(largest >= self.least[row] / self.scale[row])

    def result(self, n_draws: int, n_observed: int) -> FamilyResult:
        """Return p, where the observed differences count as so many more draws."""
        is_unknown = np.isnan(self.sizes)
        alone = (self.n_alone + n_observed) / (n_draws + n_observed)
        n_largest = self.n_largest.copy()
        n_largest[self.is_constant & (self.sizes <= self.slack)] = n_draws
        adjusted = (n_largest + n_observed) / (n_draws + n_observed)
        adjusted[self.ordered] = np.maximum.accumulate(adjusted[self.ordered])
        return FamilyResult(np.where(is_unknown, np.nan, alone), np.where(is_unknown, np.nan, adjusted))


class PairTests(NamedTuple):
    """P of each pair of systems, shape (s, s): alone, and adjusted for all pairs.

    On the diagonal it is 1; NaN is no test.
    """

    pvalues: Array
    adjusted: Array


def of_pairs(pairs: Sequence[tuple[int, int]], result: FamilyResult, n_systems: int) -> PairTests:
    """Return the p of pairs of systems as tables of all systems."""
    tables = PairTests(np.ones((n_systems, n_systems)), np.ones((n_systems, n_systems)))
    for table, pvalues in zip(tables, result, strict=True):
        for (first, second), p in zip(pairs, pvalues.tolist(), strict=True):
            table[first, second] = table[second, first] = p
    return tables


def adjusted_by_holm(pvalues: Array) -> PairTests:
    """Return p of each pair of systems, shape (s, s), and the same adjusted by :func:`holm`; NaN is no test."""
    is_known = np.triu(~np.isnan(pvalues), 1)
    adjusted = np.where(np.isnan(pvalues), np.nan, 1.0)
    # Each pair counts once: only the upper triangle is adjusted, and then mirrored.
    adjusted[is_known] = holm(pvalues[is_known].tolist())
    return PairTests(pvalues, np.minimum(adjusted, adjusted.T))


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), which controls the family-wise error rate."""
    order = sorted(range(len(pvalues)), key=lambda index: pvalues[index])
    adjusted, greatest = [0.0] * len(pvalues), 0.0
    for rank, index in enumerate(order):
        greatest = max(greatest, min(1.0, (len(pvalues) - rank) * pvalues[index]))
        adjusted[index] = greatest
    return adjusted
