"""BLEU from rows to scores as NLTK computes it, in plain Python: its methods of smoothing (Chen and Cherry 2014)."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

from .plain_bleu_base import FIRST_MATCH, LENGTH, brevity_penalty

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


def nltk_scores(
    rows: Array, length_column: int, method: str, smooth_value: float, weightings: list[list[float]], scale: float
) -> Array:
    """Return what :func:`.plain_bleu.bleu_scores` does, as NLTK: orders of precision 0 are left out of the mean."""
    n = len(weightings[0])
    scores = np.empty((len(rows), len(weightings) + n + 1))
    precisions = nltk_precisions(rows, length_column, method, smooth_value, n)
    for row, parts, scores_of_row in zip(rows.tolist(), precisions.tolist(), scores, strict=True):
        *precisions_of_row, penalty = parts
        for number, weights in enumerate(weightings):
            total = 0.0
            for precision, weight in zip(precisions_of_row, weights, strict=True):
                if precision > 0:
                    total += weight * math.log(precision)
            # Without a word in common BLEU is 0.
            scores_of_row[number] = 0.0
            if row[FIRST_MATCH] > 0:
                scores_of_row[number] = scale * penalty * math.exp(total)
        scores_of_row[len(weightings) :] = *(precision * scale for precision in precisions_of_row), penalty
    return scores


def nltk_precisions(rows: Array, length_column: int, method: str, smooth_value: float, max_order: int) -> Array:
    """Return the precisions that NLTK's ``method0`` to ``method7`` give, and the penalty, shape (n, N + 1).

    Rows are those of :func:`.plain_bleu.bleu_rows` with `divisors` and, for methods 5 and 7, with `next_order`.
    `smooth_value` is the method's number, v. Of N n-grams (at least 1 an item), M of them matches, and z orders
    without a match up to and with this one::

        method  M = 0                       M > 0
        0       the smallest normal float   M / N
        1       v / N                       M / N
        2       (M + 1) / (N + 1) for all orders but the first, whose precision is M / N
        3       1 / (2**z N)                M / N
        4       log(tokens) / (2**z v N)    M / N
        5       the mean of the precisions of the order below (smoothed), itself and above: `_average`
        6       (M + v prior) / (N + v) from order 3 on: `_interpolate`
        7       as 4, then as 5

    Differences from NLTK, where it has no value or a wrong one: method 6 does not ask for a match of order 3, nor for
    three orders; the order above the highest is N + 1, where NLTK takes 5; and methods 5 to 7 take the n-grams of the
    whole corpus, unless ``compat="nltk"`` puts those of the last item in their place (see `Bleu.corpus_totals`).
    """
    precisions = np.empty((len(rows), max_order + 1))
    first_ngrams = FIRST_MATCH + max_order
    first_divisors = first_ngrams + max_order
    for row, result in zip(rows.tolist(), precisions, strict=True):
        matches = row[FIRST_MATCH:first_ngrams]
        ngrams = row[first_ngrams:first_divisors]
        divisors = row[first_divisors : first_divisors + max_order]
        values = []
        n_zeros = 0
        for order, (n_matches, divisor) in enumerate(zip(matches, divisors, strict=True)):
            divisor = max(divisor, 1.0)  # rows of items that were left out are 0 throughout
            precision = n_matches / divisor
            n_zeros += n_matches == 0
            if method == "nltk2" and order > 0:
                precision = (n_matches + 1) / (divisor + 1)
            elif n_matches == 0 and method == "nltk0":
                # The smallest normal float, as NLTK takes it; its logarithm is finite.
                precision = sys.float_info.min
            elif n_matches == 0 and method == "nltk1":
                precision = smooth_value / divisor
            elif n_matches == 0 and method == "nltk3":
                precision = 1 / (2.0**n_zeros * divisor)
            # NLTK leaves a text of one token, whose logarithm is 0, as it is.
            elif n_matches == 0 and method in ("nltk4", "nltk7") and row[LENGTH] > 1:
                precision = math.log(row[LENGTH]) / (2.0**n_zeros * smooth_value) / divisor
            values.append(precision)
        if method == "nltk6":
            _interpolate(values, matches, ngrams, alpha=smooth_value)
        elif method in ("nltk5", "nltk7"):
            next_matches, next_ngrams = row[-2:]
            _average(values, next_matches / max(next_ngrams, 1.0))
        result[:] = *values, brevity_penalty(row[LENGTH], row[length_column])
    return precisions


def _average(values: list[float], last: float) -> None:
    """Method 5: the mean of an order's precision, the one above it, and the averaged one below it."""
    # Chen and Cherry 2014: below order 1 stands the precision of order 1, plus 1.
    below = values[0] + 1
    for order, above in enumerate([*values[1:], last]):
        values[order] = (below + values[order] + above) / 3
        below = values[order]


def _interpolate(values: list[float], matches: Sequence[float], ngrams: Sequence[float], alpha: float) -> None:
    """Method 6: from order 3 on, between the precision and what the two orders below it predict."""
    for order in range(2, len(values)):
        lowest, below = values[order - 2 : order]
        prior = 0.0
        if lowest:
            prior = below * below / lowest
        values[order] = (matches[order] + alpha * prior) / (ngrams[order] + alpha)
