"""How a score is inferred: by which paired test, how p are adjusted for several systems, and by which intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .draws import n_exchanges
from .families import FamilyResult, PairTests, adjusted_by_holm, pair_tests
from .intervals import KINDS
from .mcnemar import mcnemar_of_pairs

if TYPE_CHECKING:
    from .paired_tests import Pairs
    from .stats import Formula, Scores, SegmentStats

#: What legends call the kinds of intervals; those of streams are of a Poisson bootstrap.
INTERVALS = {**KINDS, "Poisson": "Poisson bootstrap", "Student": "Student's t"}

#: How p is adjusted for all pairs, in legends.
ADJUSTED = {
    "step-down": "the step-down maximum (Romano and Wolf 2005)",
    "holm": "Holm's method",
}


class PairedTest(NamedTuple):
    """A test of two systems on the same units.

    Attributes
    ----------
    name : str
    title : str
        What sentences call it, without the article.
    exchanges : bool
        Whether outputs are exchanged unit by unit: then p of n units is at least 2 ** (1 - n).
    is_resampled : bool
        Whether p is from resamples, which all pairs share. Else it is computed, and pairs are adjusted by Holm.
    errs_more : bool
        Whether it calls equal systems different more often than alpha says.
    """

    name: str
    title: str
    exchanges: bool
    is_resampled: bool
    errs_more: bool = False

    def of_pairs(
        self, metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, *, n_resamples: int, seed: int
    ) -> dict[str, FamilyResult]:
        """Return p of pairs of systems for each score, alone and adjusted for all of them.

        Parameters
        ----------
        metric : Formula
        systems : sequence of SegmentStats
            The rows of the units of each system.
        pairs : sequence of (int, int)
        n_resamples, seed : int
            Of no effect where p is computed.
        """
        if not self.is_resampled:
            return mcnemar_of_pairs(metric, systems, pairs)
        # Imported where a test runs.
        from .paired_tests import all_pairs_test

        return all_pairs_test(metric, systems, pairs, self.name, n_resamples=n_resamples, seed=seed)

    def resamples(self, n_units: int, n_resamples: int) -> Resamples:
        """Return how many resamples a test takes: those asked for, or all exchanges of units where they are fewer."""
        n_all = n_exchanges(n_units, n_resamples) if self.exchanges else None
        if n_all is None:
            return Resamples(n_resamples, are_all=False)
        return Resamples(n_all, are_all=True)

    def level(self, alpha: float) -> str:
        """Return the level of the test, as sentences have it.

        The paired bootstrap test (Koehn 2004) calls equal systems different two to four times as often.
        """
        if self.errs_more:
            return f"nominal alpha {alpha:g}; this test errs two to four times as often"
        return f"alpha {alpha:g}"


class Resamples(NamedTuple):
    """How many resamples a test takes, and whether they are all that there are."""

    number: int
    are_all: bool


PERMUTATION = PairedTest("permutation", "paired permutation test", exchanges=True, is_resampled=True)
BOOTSTRAP = PairedTest("bootstrap", "paired bootstrap test", exchanges=False, is_resampled=True, errs_more=True)
#: Of scores that are 0 or 1: what all permutations would give.
MCNEMAR = PairedTest("McNemar", "McNemar's exact test", exchanges=True, is_resampled=False)
#: Of systems with several runs; computed where the runs are.
WELCH = PairedTest("Welch", "Welch's t over units and runs", exchanges=False, is_resampled=False)

#: The tests by name. Those of systems with one output each can be asked for.
TESTS = {test.name: test for test in (PERMUTATION, BOOTSTRAP, WELCH)}


class Inference(NamedTuple):
    """How much the scores of systems may vary, and how they are told apart: the test, p and the intervals.

    Attributes
    ----------
    test : PairedTest or None
        Of the differences; None without a test.
    adjust : str
        How p are adjusted for all pairs of systems, ``step-down`` or ``holm``.
    interval : str or None
        The kind of intervals, a key of :data:`INTERVALS`, or ``Wilson``; None without intervals.
    """

    test: PairedTest | None
    adjust: str
    interval: str | None

    @property
    def has_exact_intervals(self) -> bool:
        """Whether intervals are Wilson's, and those of differences Tango's."""
        return self.interval == "Wilson"

    @property
    def has_exact_test(self) -> bool:
        """Whether p is computed, and not from resamples."""
        return self.test is not None and not self.test.is_resampled

    @property
    def resamples_slices_together(self) -> bool:
        """Whether one resample of the whole test set is one of each of its slices."""
        return self.test is not None and self.test.is_resampled and self.test.exchanges

    def of_shares(self) -> Inference:
        """Return how the same is inferred of scores that are 0 or 1, unit by unit: exactly, where that is possible.

        The bootstrap test has no exact form; percentiles that are asked for stay, and so does that there are none.
        """
        exact = self
        if self.test == PERMUTATION:
            exact = exact._replace(test=MCNEMAR, adjust="holm")
        if self.interval not in (None, "percentile"):
            exact = exact._replace(interval="Wilson")
        return exact

    def of_all_pairs(
        self, metric: Formula, systems: Sequence[SegmentStats], *, n_resamples: int, seed: int
    ) -> dict[str, PairTests]:
        """Return p of all pairs of systems for each score, alone and adjusted; NaN without a test."""
        n_systems = len(systems)
        if self.test is None:
            return dict.fromkeys(_corpus_scores(metric, systems[0]), untested(n_systems))
        pairs = list(combinations(range(n_systems), 2))
        results = self.test.of_pairs(metric, systems, pairs, n_resamples=n_resamples, seed=seed)
        return self.adjusted(pairs, results, n_systems)

    def adjusted(self, pairs: Pairs, results: dict[str, FamilyResult], n_systems: int) -> dict[str, PairTests]:
        """Return the p of all pairs as tables of all systems, adjusted as this inference says."""
        tests = {name: pair_tests(pairs, result, n_systems) for name, result in results.items()}
        if self.adjust == "holm":
            return {name: adjusted_by_holm(of_score.pvalues) for name, of_score in tests.items()}
        return tests

    def to_dict(self) -> dict[str, str | None]:
        """Return the names of the test, the adjustment and the interval."""
        return {
            "test": None if self.test is None else self.test.name,
            "adjust": self.adjust,
            "interval": self.interval,
        }


def inference(test: str | None, adjust: str, interval: str | None) -> Inference:
    """Return the inference by the names of its parts, as users give them."""
    paired_test = None if test is None else TESTS[test]
    return Inference(paired_test, adjust, interval)


def untested(n_systems: int) -> PairTests:
    """Return p where there is no test: NaN for each pair of systems."""
    unknown = np.full((n_systems, n_systems), np.nan)
    return PairTests(unknown, unknown)


def _corpus_scores(metric: Formula, stats: SegmentStats) -> Scores:
    return metric.finalize(metric.corpus_totals(stats))
