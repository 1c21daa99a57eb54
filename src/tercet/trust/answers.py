"""Which metric agrees best with the grades, in plain sentences that claim no more than the tests show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from tercet.pages.verdicts import MOST_NAMED, Sentence, all_of, listed
from tercet.statistics.paired_tests import pvalue_text

from .figures import FIGURES

if TYPE_CHECKING:
    from .result import Correlation, DimensionTable


def answer(found: Correlation, table: DimensionTable) -> list[Sentence]:
    """Return which metrics agree best with a dimension, and which of them the tests tell apart.

    The p-values are adjusted for all pairs of metrics (with two metrics there is one pair, and nothing to adjust).
    Lack of significance is not presented as equality.
    """
    return _Answer(found, table).sentences()


class _Answer:
    """The sentences on one dimension; metrics are passed by their labels, the best first."""

    def __init__(self, found: Correlation, table: DimensionTable) -> None:
        self.found, self.table = found, table
        self.ranked, self.titles = table.ranked(), found.titles()
        self.figure = FIGURES[table.rank_by]

    def sentences(self) -> list[Sentence]:
        of, title = self.table.dimension, self.figure.title
        if not self.ranked:
            return [(f"No metric has a {title} with ", of, ": constant grades or scores have none.")]
        found = [*self._on_ranked(), *self._unrelated()]
        if undefined := [label for label in self.table.ranking if label not in self.ranked]:
            have = "has" if len(undefined) == 1 else "have"
            found.append((*self._names(undefined)[:-1], f" {have} no {title}: constant scores have none."))
        return found

    def _on_ranked(self) -> list[Sentence]:
        """Say which metrics agree best, if there are several that do not agree equally, and if it could be tested."""
        (first, *others), of, title = self.ranked, self.table.dimension, self.figure.title
        name, value = self.titles[first], self._values([first])
        if not others:
            own = self.table.figures[first][self.table.rank_by]
            interval = f"{100 * self.found.confidence_level:g} % interval {own.low:.3f} to {own.high:.3f}"
            alone = "There is no other metric to compare it with."
            return [("", name, f" has a {title} of {value} with ", of, f" ({interval})."), (alone,)]
        if len({self.table.figures[label][self.table.rank_by].value for label in self.ranked}) == 1:
            return [
                (f"{all_of(len(self.ranked)).capitalize()} metrics have the same {title} with ", of, f": {value}.")
            ]
        n_pairs, draws = math.comb(len(self.ranked), 2), self.found.n_permutations
        if n_pairs / (draws + 1) >= self.found.alpha:
            adjusted = f", adjusted for {n_pairs} pairs of metrics" if n_pairs > 1 else ""
            least = f"p is at least {min(1.0, n_pairs / (draws + 1)):.3g}{adjusted}"
            enough = f"{math.floor(n_pairs / self.found.alpha):,} would do."
            few: Sentence = (f"{draws:,} permutations are too few to test that: {least}. {enough}",)
            return [("", name, " agrees best with ", of, f" ({title} {value})."), few]
        worse = [label for label in others if self.table.significance(first, label, self.found.alpha)]
        unclear = [label for label in others if label not in worse]
        return [self._best(first, unclear), *self._better(first, worse, not unclear)]

    def _best(self, first: str, unclear: Sequence[str]) -> Sentence:
        """Say which metric agrees best, and that the tests do not find some others worse."""
        of, group = self.table.dimension, [first, *unclear]
        best: Sentence = ("", self.titles[first], " agrees best with ", of)
        apart = f" ({self.figure.title} {self._values([first])}); these data do not tell it apart from "
        if not unclear:
            return (*best, f" ({self.figure.title} {self._values([first])}).")
        p = f"{self._p(first, unclear)}, alpha {self.found.alpha:g}"
        if len(group) > MOST_NAMED:
            n_others = len(self.ranked) - 1
            return (
                *best,
                f"{apart}{'any' if len(unclear) == n_others else len(unclear)} of the {n_others} others ({p}).",
            )
        alike = not any(self.table.significance(*pair, self.found.alpha) for pair in permutations(unclear, 2))
        if not alike or group != self.ranked[: len(group)]:
            return (*best, apart, *self._names(unclear)[1:-1], f" ({p}).")
        values, names = f"{self.figure.title} {self._values(group)}", self._names(group)
        if len(group) == len(self.ranked):
            start = "These data do not tell apart how well "
            return (start, *names[1:-1], " agree with ", of, f" ({values}; {p}).")
        return (*names[:-1], " agree best with ", of, f" ({values}); these data do not tell them apart ({p}).")

    def _better(self, first: str, worse: Sequence[str], all_others: bool) -> list[Sentence]:
        """Say that metrics are significantly worse than the first."""
        if not worse:
            return []
        better, p = " agrees significantly better than ", self._p(first, worse)
        p += f", alpha {self.found.alpha:g}" if all_others else ""
        if len(worse) == 1:
            return [("", self.titles[first], better, self.titles[worse[0]], f" ({p}).")]
        others = f"{all_of(len(worse))} others" if all_others else f"the other {len(worse)}"
        return [("", self.titles[first], f"{better}{others} ({p}).")]

    def _unrelated(self) -> list[Sentence]:
        """Say that even the best metric may be unrelated to the grades, where its interval shows that."""
        own = self.table.figures[self.ranked[0]][self.table.rank_by]
        if not (self.figure.is_correlation and own.low <= 0):
            return []
        interval = f"the {100 * self.found.confidence_level:g} % interval, {own.low:.3f} to {own.high:.3f}"
        name, of = self.titles[self.ranked[0]], self.table.dimension
        return [("That ", name, " agrees with ", of, f" at all is not shown: {interval}, is not above 0.")]

    def _p(self, first: str, others: Sequence[str]) -> str:
        """Return the p-value of the first and another metric; of several the least, or the largest if significant."""
        pvalues = [self.table.adjusted_p(first, label) for label in others]
        significant = max(pvalues) < self.found.alpha
        which = "" if len(pvalues) == 1 else "largest " if significant else "least "
        return f"{which}{self.table.p_label} {pvalue_text(max(pvalues) if significant else min(pvalues))}"

    def _names(self, labels: Sequence[str]) -> Sentence:
        return listed([self.titles[label] for label in labels])

    def _values(self, labels: Sequence[str]) -> str:
        return "".join(listed([f"{self.table.figures[label][self.table.rank_by].value:.3f}" for label in labels]))
