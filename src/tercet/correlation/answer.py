"""Which metric agrees best with the grades, in plain sentences that claim no more than the tests show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

from tercet.names_as_shown import MOST_NAMED, Name, Sentence, all_of, joined, listed
from tercet.table_formats import pvalue_text

from .figures import FIGURES
from .result import Correlation, DimensionTable, too_few_permutations, too_few_permutations_in_words


def answer(correlation: Correlation, table: DimensionTable) -> list[Sentence]:
    """Return which metrics agree best with a dimension, and which of them the tests tell apart.

    The p-values are adjusted for all pairs of metrics (with two metrics there is one pair, and nothing to adjust).
    Lack of significance is not presented as equality.
    """
    return _Answer(correlation, table).sentences()


class _Answer:
    """The sentences on one dimension; metrics are passed by their labels, the best first."""

    def __init__(self, correlation: Correlation, table: DimensionTable) -> None:
        self.correlation = correlation
        self.table = table
        self.ranked = table.ranked()
        self.titles = {label: Name(title) for label, title in correlation.titles().items()}
        self.dimension = Name(table.dimension)
        self.figure = FIGURES[table.rank_by]

    def sentences(self) -> list[Sentence]:
        title = self.figure.title
        if not self.ranked:
            return [(f"No metric has a {title} with ", self.dimension, ": constant grades or scores have none.")]
        if self.table.equal_grades:
            return [("No metric is shown to agree with ", self.dimension, ".")]
        sentences = [*self._on_ranked(), *self._unrelated()]
        undefined = [label for label in self.table.ranking if label not in self.ranked]
        if undefined:
            have = "has" if len(undefined) == 1 else "have"
            sentences.append((*self._names(undefined), f" {have} no {title}: constant scores have none."))
        return sentences

    def _on_ranked(self) -> list[Sentence]:
        """Say which metrics agree best, if there are several that do not agree equally, and if it could be tested."""
        first, *lower_ranked = self.ranked
        if not lower_ranked:
            return self._on_one(first)
        name = self.titles[first]
        title = self.figure.title
        value = self._values([first])
        if not self.table.is_compared:
            all_metrics = f"{all_of(len(self.ranked)).capitalize()} metrics"
            return [(f"{all_metrics} have the same {title} with ", self.dimension, f": {value}.")]
        if too_few_permutations(self.correlation, self.table):
            best: Sentence = (name, " agrees best with ", self.dimension, f" ({title} {value}).")
            # The same holds of every dimension: it is said once.
            first_compared = next(table for table in self.correlation.tables if table.is_compared)
            if self.table is not first_compared:
                return [best]
            return [best, (too_few_permutations_in_words(self.correlation),)]
        worse = [label for label in lower_ranked if self.table.significance(first, label, self.correlation.alpha)]
        unclear = [label for label in lower_ranked if label not in worse]
        return [self._best(first, unclear), *self._better(first, worse, not unclear)]

    def _on_one(self, label: str) -> list[Sentence]:
        """Say how well the only metric agrees."""
        figure = self.table.figures[label][self.table.rank_by]
        interval = ""
        if not math.isnan(figure.low):
            interval = f" ({self._level()} interval {figure.low:.3f} to {figure.high:.3f})"
        start = f" has a {self.figure.title} of {self._values([label])} with "
        return [
            (self.titles[label], start, self.dimension, f"{interval}."),
            ("There is no other metric to compare it with.",),
        ]

    def _best(self, first: str, unclear: Sequence[str]) -> Sentence:
        """Say which metric agrees best, and that the tests do not find some others worse."""
        title = self.figure.title
        best: Sentence = (self.titles[first], " agrees best with ", self.dimension)
        if not unclear:
            return (*best, f" ({title} {self._values([first])}).")
        apart = f" ({title} {self._values([first])}); these data do not tell it apart from "
        p = f"{self._p(first, unclear)}, alpha {self.correlation.alpha:g}"
        group = [first, *unclear]
        n_others = len(self.ranked) - 1
        if len(group) > MOST_NAMED:
            n_unclear = "any" if len(unclear) == n_others else len(unclear)
            return (*best, f"{apart}{n_unclear} of the {n_others} others ({p}).")
        # "A, B and C agree best" would be wrong if the tests tell B from C, or if a worse metric ranks between them.
        alike = not any(self.table.significance(*pair, self.correlation.alpha) for pair in permutations(unclear, 2))
        if not alike or group != self.ranked[: len(group)]:
            return (*best, apart, *self._names(unclear), f" ({p}).")
        values = f"{title} {self._values(group)}"
        names = self._names(group)
        if len(group) == len(self.ranked):
            start = "These data do not tell apart how well "
            return (start, *names, " agree with ", self.dimension, f" ({values}; {p}).")
        end = f" ({values}); these data do not tell them apart ({p})."
        return (*names, " agree best with ", self.dimension, end)

    def _better(self, first: str, worse: Sequence[str], all_others: bool) -> list[Sentence]:
        """Say that metrics are significantly worse than the first."""
        if not worse:
            return []
        better = " agrees significantly better than "
        p = self._p(first, worse)
        if all_others:
            p += f", alpha {self.correlation.alpha:g}"
        if len(worse) == 1:
            return [(self.titles[first], better, self.titles[worse[0]], f" ({p}).")]
        others = f"{all_of(len(worse))} others" if all_others else f"the other {len(worse)}"
        return [(self.titles[first], f"{better}{others} ({p}).")]

    def _unrelated(self) -> list[Sentence]:
        """Say that even the best metric may be unrelated to the grades, where its interval shows that."""
        best = self.ranked[0]
        figure = self.table.figures[best][self.table.rank_by]
        if not (self.figure.is_correlation and figure.low <= 0):
            return []
        interval = f"the {self._level()} interval, {figure.low:.3f} to {figure.high:.3f}"
        end = f" at all is not shown: {interval}, is not above 0."
        return [("That ", self.titles[best], " agrees with ", self.dimension, end)]

    def _level(self) -> str:
        return f"{100 * self.correlation.confidence_level:g} %"

    def _p(self, first: str, labels: Sequence[str]) -> str:
        """Return the p-value of the first and another metric; of several the least, or the largest if significant."""
        pvalues = [self.table.adjusted_p(first, label) for label in labels]
        if len(pvalues) == 1:
            return f"{self.table.p_label} {pvalue_text(pvalues[0])}"
        if max(pvalues) < self.correlation.alpha:
            return f"largest {self.table.p_label} {pvalue_text(max(pvalues))}"
        return f"least {self.table.p_label} {pvalue_text(min(pvalues))}"

    def _names(self, labels: Sequence[str]) -> Sentence:
        return listed([self.titles[label] for label in labels])

    def _values(self, labels: Sequence[str]) -> str:
        return joined([f"{self.table.figures[label][self.table.rank_by].value:.3f}" for label in labels])
