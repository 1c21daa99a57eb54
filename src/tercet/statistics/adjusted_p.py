"""P of many comparisons that share their resamples: of each alone, and adjusted for all of them together."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.threads import in_threads

from .progress import bar_of
from .rounding import ROUNDING

if TYPE_CHECKING:
    from .stats import Scores

Array = NDArray[np.float64]

#: The most numbers of a null distribution that are held at a time: half a gigabyte.
_MOST_HELD = 1 << 26
#: Comparisons whose differences are made, and counted, together.
_TOGETHER = 1 << 10


class NullDistribution(NamedTuple):
    """The differences of a family of comparisons under the null hypothesis, in resamples that all of them share.

    Attributes
    ----------
    comparisons : sequence
        What is compared: pairs of systems, say.
    n_resamples : int
    differences : callable
        Takes some of the comparisons and a slice of the resamples, and returns the differences of each score there,
        shape (comparisons, b).
    is_complete : bool
        Whether the resamples are all that there are, so that one of them is the observed arrangement, and p is exact.
    """

    comparisons: Sequence[Any]
    n_resamples: int
    differences: Callable[[Sequence[Any], slice], Scores]
    is_complete: bool = False

    def blocks(self, n_scores: int) -> Iterator[Scores]:
        """Yield the differences in blocks of resamples, shape (comparisons, b) for each score, as can be held.

        A block lies where the one before it lay, which is gone when the next one is asked for.
        """
        # Where there are several, each has more than half of the numbers that may be held: only one is ever held.
        n_comparisons = len(self.comparisons)
        size = min(self.n_resamples, max(1, _MOST_HELD // (n_scores * n_comparisons)))
        starts = range(0, self.n_resamples, size)
        memory: dict[str, Array] = {}
        with bar_of("testing", "pairs", n_comparisons * len(starts)) as bar:
            for start in starts:
                resamples = slice(start, min(start + size, self.n_resamples))
                shape = (n_comparisons, resamples.stop - resamples.start)
                block: dict[str, Array] = {}
                for rows, differences_by_score in self._differences_in_threads(resamples):
                    for name, differences in differences_by_score.items():
                        if name not in memory:
                            memory[name] = np.empty(n_comparisons * size)
                        if name not in block:
                            block[name] = memory[name][: math.prod(shape)].reshape(shape)
                        block[name][rows] = differences
                    bar.update(rows.stop - rows.start)
                yield block

    def _differences_in_threads(self, resamples: slice) -> Iterator[tuple[slice, Scores]]:
        """Return the differences of some comparisons at a time, in order: formulas of the engine let threads work."""
        n_comparisons = len(self.comparisons)

        def differences_from(start: int) -> tuple[slice, Scores]:
            rows = slice(start, min(start + _TOGETHER, n_comparisons))
            return rows, self.differences(self.comparisons[rows], resamples)

        return in_threads(differences_from, range(0, n_comparisons, _TOGETHER), os.cpu_count())


class FamilyResult(NamedTuple):
    """P of each comparison of a family, shape (comparisons,): alone, and adjusted for all of them."""

    pvalues: Array
    adjusted: Array


def family_test(
    null: NullDistribution, first: Scores, second: Scores, *, centred: bool = False, slack: float = ROUNDING
) -> dict[str, FamilyResult]:
    """Return p of each comparison of a family for each score, two-sided, from their null distribution.

    Adjusted p are those of the step-down maximum (Westfall and Young 1993; Romano and Wolf 2005, Econometrica 73),
    which hold the family-wise error rate: each difference is divided by the root mean square of its own null
    differences, and compared with the largest of those of all comparisons that are no larger than it. Where not all
    null differences fit in half a gigabyte, the root mean square is of the first ones: any scale holds the rate. The
    least p is 1 / (resamples + 1) for any number of comparisons; of all resamples that there are, the share of those
    that are as large.

    Parameters
    ----------
    null : NullDistribution
    first, second : dict of str to ndarray, shape (comparisons,)
        The observed scores of the two sides of each comparison, by name. Where one is NaN, so is p, and the
        comparison is none of the family.
    centred : bool
        Whether the size of a null difference is by how much it exceeds the mean of all, as in Koehn's test.
    slack : float
        Smaller differences, relative to the scores, may be of rounding alone.
    """
    return family_test_of_blocks(
        null.blocks(len(first)),
        null.n_resamples,
        first,
        second,
        centred=centred,
        slack=slack,
        is_complete=null.is_complete,
    )


def family_test_of_blocks(
    blocks: Iterable[Scores],
    n_resamples: int,
    first: Scores,
    second: Scores,
    *,
    centred: bool = False,
    slack: float = ROUNDING,
    is_complete: bool = False,
) -> dict[str, FamilyResult]:
    """Make a :func:`family_test` of null differences that come in blocks of resamples, of all comparisons at once."""
    observed = {name: _Observed(first[name], second[name], slack) for name in first}
    all_blocks = iter(blocks)
    held = _first_blocks(all_blocks)
    counts = {}
    for name, of_score in observed.items():
        scale = _Scale.of([block[name] for block in held], of_score, centred)
        counts[name] = _TailCounts(of_score, scale)
    while held:
        block = held.pop(0)  # so that its memory is free once it is counted
        for name, counts_of_score in counts.items():
            counts_of_score.add(block[name])
    for block in all_blocks:
        for name, counts_of_score in counts.items():
            counts_of_score.add(block[name])
    # The observed arrangement is one of those under the null hypothesis: p is never 0.
    n_observed = 0 if is_complete else 1
    return {name: counts_of_score.result(n_resamples, n_observed) for name, counts_of_score in counts.items()}


def _first_blocks(blocks: Iterator[Scores]) -> list[Scores]:
    """Return as many of the blocks as may be held, at least one."""
    held: list[Scores] = []
    n_held = 0
    for block in blocks:
        if held and any(np.may_share_memory(held[-1][name], block[name]) for name in block):
            raise AssertionError("a block of null differences overwrote the one before it, which is still held")
        held.append(block)
        n_of_block = sum(differences.size for differences in block.values())
        n_held += n_of_block
        if n_held + n_of_block > _MOST_HELD:
            break
    return held


class _Observed:
    """The observed differences of a score."""

    def __init__(self, first: Array, second: Array, slack: float) -> None:
        self.sizes = np.abs(second - first)
        #: A difference that is smaller by rounding alone counts as one of the observed size.
        self.slack = slack * np.maximum(np.abs(first), np.abs(second))
        #: From which size on a null difference counts as at least as large.
        self.least = self.sizes - self.slack


class _Scale(NamedTuple):
    """By what the differences of each comparison are divided, so that those of all can be compared."""

    #: What is taken off a size first.
    centre: Array
    #: The root mean square of null differences.
    divisor: Array
    #: Where these are 0, but for rounding: what was observed is larger than all, or no difference.
    is_constant: NDArray[np.bool_]
    #: The comparisons that have a score, from the largest by this scale to the smallest.
    order: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: Sequence[Array], observed: _Observed, centred: bool) -> _Scale:
        """Return the scale by blocks of null differences."""
        n_comparisons = len(observed.sizes)
        n_resamples = sum(differences.shape[1] for differences in blocks)
        sums, squares = _sums_and_squares(blocks, n_comparisons)
        centre = np.zeros(n_comparisons)
        if centred:
            centre = sums / n_resamples
        variance = squares / n_resamples - centre**2
        divisor = np.sqrt(np.maximum(variance, 0.0))  # rounding may make it negative
        is_constant = divisor <= observed.slack
        studentized = np.where(observed.sizes > observed.slack, np.inf, 0.0)
        has_scale = ~is_constant
        studentized[has_scale] = observed.sizes[has_scale] / divisor[has_scale]
        studentized[np.isnan(observed.sizes)] = np.nan
        with_score = np.flatnonzero(~np.isnan(studentized))
        order = with_score[np.argsort(-studentized[with_score], kind="stable")]
        return cls(centre, divisor, is_constant, order)


def _sums_and_squares(blocks: Sequence[Array], n_comparisons: int) -> tuple[Array, Array]:
    """Return the sum of the sizes of each comparison's null differences, and that of their squares."""
    sums = np.zeros(n_comparisons)
    squares = np.zeros(n_comparisons)
    for differences in blocks:
        for start in range(0, n_comparisons, _TOGETHER):
            rows = slice(start, start + _TOGETHER)
            # A resample in which a score is NaN counts as 0.
            sizes = np.nan_to_num(np.abs(differences[rows]), copy=False, posinf=np.inf)
            sums[rows] += sizes.sum(axis=1)
            squares[rows] += np.einsum("ij,ij->i", sizes, sizes)
    return sums, squares


class _TailCounts:
    """In how many resamples the null differences of each comparison are at least as large as the observed ones."""

    def __init__(self, observed: _Observed, scale: _Scale) -> None:
        self.observed = observed
        self.scale = scale
        #: Those of a comparison alone, and the largest by scale of it and of all that are smaller.
        self.n_alone = np.zeros(len(observed.sizes), np.int64)
        self.n_largest = np.zeros(len(observed.sizes), np.int64)

    def add(self, differences: Array) -> None:
        """Add the counts of a block of resamples."""
        scale = self.scale
        smallest_first = np.ascontiguousarray(scale.order[::-1])
        engine.count_as_large(
            np.ascontiguousarray(differences, np.float64), smallest_first, scale.centre, scale.divisor,
            self.observed.least, scale.is_constant.view(np.uint8), self.n_alone, self.n_largest,
        )  # fmt: skip

    def result(self, n_resamples: int, n_observed: int) -> FamilyResult:
        """Return p, where the observed differences count as so many more resamples."""
        sizes = self.observed.sizes
        order = self.scale.order
        n_all = n_resamples + n_observed
        alone = (self.n_alone + n_observed) / n_all
        n_largest = self.n_largest.copy()
        # Where there is no difference, in no resample, each resample is as large.
        n_largest[self.scale.is_constant & (sizes <= self.observed.slack)] = n_resamples
        adjusted = (n_largest + n_observed) / n_all
        # A smaller difference never has a smaller p than a larger one.
        adjusted[order] = np.maximum.accumulate(adjusted[order])
        alone[np.isnan(sizes)] = np.nan
        adjusted[np.isnan(sizes)] = np.nan
        return FamilyResult(alone, adjusted)
