"""Which metric agrees best with the grades, in plain sentences that claim no more than the tests show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from tercet.pages.verdicts import MOST_NAMED, Sentence, listed
from tercet.statistics.paired_tests import pvalue_text

from .figures import FIGURES

if TYPE_CHECKING:
    from .result import Correlation, DimensionTable


def answer(found: Correlation, table: DimensionTable) -> list[Sentence]:
    """Return which metrics agree best with a dimension, and which of them the tests tell apart.

    The p-values are adjusted for all pairs of metrics (with two metrics there is one pair, and nothing to adjust).
    Lack of significance is not presented as equality.
    """
    ranked = table.ranked()
    of, title = table.dimension, FIGURES[table.rank_by].title
    if not ranked:
        return [(f"No metric has a {title} with ", of, ": constant grades or scores have none.")]
    sentences = [*_ranked(found, table, ranked), *_unrelated(found, table, ranked[0])]
    if undefined := [label for label in table.ranking if label not in ranked]:
        has = " has" if len(undefined) == 1 else " have"
        sentences.append((*listed(undefined)[:-1], f"{has} no {title}: constant scores have none."))
    return sentences


def _ranked(found: Correlation, table: DimensionTable, ranked: Sequence[str]) -> list[Sentence]:
    """Return the answer on metrics that have the figure."""
    (first, *others), of, title = ranked, table.dimension, FIGURES[table.rank_by].title
    value = _values(table, [first])
    if not others:
        own = table.figures[first][table.rank_by]
        interval = f"{100 * found.confidence_level:g} % interval {own.low:.3f} to {own.high:.3f}"
        alone = "There is no other metric to compare it with."
        return [("", first, f" has a {title} of {value} with ", of, f" ({interval})."), (alone,)]
    if len({table.figures[label][table.rank_by].value for label in ranked}) == 1:
        return [(f"{_all(len(ranked))} metrics have the same {title} with ", of, f": {value}.")]
    best: Sentence = ("", first, " agrees best with ", of, f" ({title} {value})")
    n_pairs = math.comb(len(ranked), 2)
    if n_pairs / (found.n_permutations + 1) >= found.alpha:
        few = f"{found.n_permutations:,} permutations are too few to test that"
        adjusted = f", adjusted for {n_pairs} pairs of metrics" if n_pairs > 1 else ""
        enough = f"p is at least {min(1.0, n_pairs / (found.n_permutations + 1)):.3g}{adjusted}"
        return [(*best[:-1], f"{best[-1]}."), (f"{few}: {enough}. {math.floor(n_pairs / found.alpha):,} would do.",)]
    worse = [label for label in others if table.significance(first, label, found.alpha)]
    unclear = [label for label in others if label not in worse]
    return [_best(found, table, best, unclear), *_better(found, table, first, worse, bool(unclear))]


def _best(found: Correlation, table: DimensionTable, best: Sentence, unclear: Sequence[str]) -> Sentence:
    """Return which metric agrees best, and those that the tests do not find worse."""
    _, first, _, of, _ = best
    group = [first, *unclear]
    if not unclear:
        return (*best[:-1], f"{best[-1]}.")
    p = _p(found, table, [table.adjusted_p(first, label) for label in unclear], min)
    if len(group) > MOST_NAMED:
        n_others = len(table.ranked()) - 1
        counted = f"{'any' if len(unclear) == n_others else len(unclear)} of the {n_others} others"
        return (*best[:-1], f"{best[-1]}; these data do not tell it apart from {counted} ({p}).")
    if any(table.significance(one, other, found.alpha) for one, other in permutations(unclear, 2)):
        names = listed(unclear)
        return (*best[:-1], f"{best[-1]}; these data do not tell it apart from ", *names[1:-1], f" ({p}).")
    values = f"{FIGURES[table.rank_by].title} {_values(table, group)}"
    if len(group) == len(table.ranked()):
        names = listed(group)
        start = "These data do not tell apart how well "
        return (start, *names[1:-1], " agree with ", of, f" ({values}; {p}).")
    return (*listed(group)[:-1], " agree best with ", of, f" ({values}); these data do not tell them apart ({p}).")


def _better(
    found: Correlation, table: DimensionTable, first: str, worse: Sequence[str], some: bool
) -> list[Sentence]:
    """Return which metrics are significantly worse than the first."""
    if not worse:
        return []
    p = _p(found, table, [table.adjusted_p(first, label) for label in worse], max)
    better = " agrees significantly better than "
    if len(worse) == 1:
        return [("", first, better, worse[0], f" ({p}).")]
    others = f"the other {len(worse)}" if some else f"{_all(len(worse)).lower()} others"
    return [("", first, f"{better}{others} ({p}).")]


def _unrelated(found: Correlation, table: DimensionTable, first: str) -> list[Sentence]:
    """Return that even the best metric may be unrelated to the grades, where the interval says so."""
    figure = table.figures[first][table.rank_by]
    if not (FIGURES[table.rank_by].is_correlation and figure.low <= 0):
        return []
    interval = f"the {100 * found.confidence_level:g} % interval, {figure.low:.3f} to {figure.high:.3f}"
    return [("That ", first, " agrees with ", table.dimension, f" at all is not shown: {interval}, is not above 0.")]


def _p(
    found: Correlation, table: DimensionTable, pvalues: Sequence[float], chosen: Callable[[Sequence[float]], float]
) -> str:
    which = "" if len(pvalues) == 1 else "least " if chosen is min else "largest "
    kind = "p" if len(table.ranked()) == 2 else "adjusted p"
    return f"{which}{kind} {pvalue_text(chosen(pvalues))}, alpha {found.alpha:g}"


def _values(table: DimensionTable, labels: Sequence[str]) -> str:
    return "".join(listed([f"{table.figures[label][table.rank_by].value:.3f}" for label in labels]))


def _all(count: int) -> str:
    return "Both" if count == 2 else f"All {count}"
