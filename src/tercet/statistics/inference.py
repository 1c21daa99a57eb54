"""How a score is inferred: by which paired test, how p are adjusted for several systems, and by which intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from .holm import adjusted_by_holm
from .intervals import KINDS
from .kinds_of_tests import MCNEMAR, PERMUTATION, TESTS, TestKind
from .p_tables import PTables, no_p, p_tables

if TYPE_CHECKING:
    from .adjusted_p import FamilyResult
    from .null_differences import Pairs
    from .stats import Formula, SegmentStats

#: What legends call the kinds of intervals; those of streams are of a Poisson bootstrap.
INTERVALS = {**KINDS, "Poisson": "Poisson bootstrap", "Student": "Student's t"}

#: How p is adjusted for all pairs, in legends.
ADJUSTED = {
    "step-down": "the step-down maximum (Romano and Wolf 2005)",
    "holm": "Holm's method",
}


class Inference(NamedTuple):
    """How much the scores of systems may vary, and how they are told apart: the test, p and the intervals.

    Attributes
    ----------
    test : TestKind or None
        Of the differences; None without a test.
    adjust : str
        How p are adjusted for all pairs of systems, ``step-down`` or ``holm``.
    interval : str or None
        The kind of intervals, a key of :data:`INTERVALS`, or ``Wilson``; None without intervals.
    """

    test: TestKind | None
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
    ) -> dict[str, PTables]:
        """Return p of all pairs of systems for each score, alone and adjusted; NaN without a test."""
        n_systems = len(systems)
        if self.test is None:
            scores = metric.finalize(metric.corpus_totals(systems[0]))
            return dict.fromkeys(scores, no_p(n_systems))
        pairs = list(combinations(range(n_systems), 2))
        results = pvalues_of_pairs(self.test, metric, systems, pairs, n_resamples=n_resamples, seed=seed)
        return self.tables_of_pairs(pairs, results, n_systems)

    def tables_of_pairs(self, pairs: Pairs, results: dict[str, FamilyResult], n_systems: int) -> dict[str, PTables]:
        """Return the p of all pairs as tables of all systems, adjusted as this inference says."""
        tables = {name: p_tables(pairs, result, n_systems) for name, result in results.items()}
        if self.adjust == "holm":
            return {name: adjusted_by_holm(of_score.pvalues) for name, of_score in tables.items()}
        return tables

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


def pvalues_of_pairs(
    test: TestKind,
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Pairs,
    *,
    n_resamples: int,
    seed: int,
) -> dict[str, FamilyResult]:
    """Return p of pairs of systems for each score, alone and adjusted for all of them.

    Parameters
    ----------
    test : TestKind
        Any but Welch's, which is of runs.
    metric : Formula
    systems : sequence of SegmentStats
        The rows of the units of each system.
    pairs : sequence of (int, int)
    n_resamples, seed : int
        Of no effect where p is computed.
    """
    # Imported where a test runs.
    from .mcnemar import mcnemar_of_pairs
    from .paired_tests import all_pairs_test

    if test == MCNEMAR:
        return mcnemar_of_pairs(metric, systems, pairs)
    if not test.is_resampled:
        raise AssertionError(f"{test.title} needs runs: rows have no p of it")
    return all_pairs_test(metric, systems, pairs, test, n_resamples=n_resamples, seed=seed)
