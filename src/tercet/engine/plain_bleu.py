"""BLEU in plain Python, from texts to scores: rows of counts, then precisions, smoothing and their mean."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

from .plain_ngrams import clipped
from .plain_text import Offsets, Texts, pairs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

# Columns of a row of :func:`bleu_rows`.
REFERENCES = 3  # how many
LENGTH = 4  # of the prediction, in tokens
CLOSEST = 5  # of the reference that is closest in length
FIRST_MATCH = 8


def bleu_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, max_order: int, divisors: bool = False,
    next_order: bool = False, n_systems: int = 1,
) -> Array:  # fmt: skip
    """Count what predictions share with their references: clipped n-grams (Papineni et al. 2002, section 2.1).

    `texts`, in either form of `Texts`, are the n predictions of each system, then all references, item by item, which
    are split once for all systems: item i has ``reference_offsets[i]`` to ``reference_offsets[i + 1]``, or one where
    that is None. Time: linear in the tokens.

    The rows, of one system behind those of the other, have these columns, with N = `max_order`. Their names are those
    of `Bleu.columns`::

        column          name                             what is counted of an item
        0               items                            1
        1               empty                            1 if the prediction has no token
        2               missing                          1 if there is no reference
        3               references                       the number of references
        4               length                           the tokens of the prediction
        5, 6, 7         closest, shortest, average       those of the reference closest in length (of two equally
                                                         close ones the shorter), of the shortest, and their average
        8 to 7 + N      match1 to matchN                 the n-grams of each order that match
        8 + N to 7 + 2N total1 to totalN                 all n-grams of the prediction
        then, for NLTK's methods of smoothing (and not for the one called "floor"):
        N with divisors floor1 to floorN                 what NLTK divides matches by: the n-grams, or 1 where there
                                                         is none
        2 with          next_match, next_floor           the matches of the order above N, and what NLTK divides
        next_order                                       them by
    """
    if max_order < 1:
        raise ValueError(f"the order must be 1 or more: {max_order}")
    rows = np.empty((n_systems * n, FIRST_MATCH + (2 + divisors) * max_order + 2 * next_order))
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        length = len(words)
        # Without a reference, a prediction is as long as it should be.
        reference_lengths = list(map(len, references)) or [length]
        closest = min(reference_lengths, key=lambda other: (abs(other - length), other))
        shortest = min(reference_lengths)
        average = sum(reference_lengths) / len(reference_lengths)
        orders = range(1, max_order + 1)
        matches = [clipped(words, references, order) for order in orders]
        n_ngrams = [max(length - order + 1, 0) for order in orders]
        row[:LENGTH] = 1, not words, not references, len(references)
        row[LENGTH:FIRST_MATCH] = length, closest, shortest, average
        columns = [*matches, *n_ngrams]
        if divisors:
            columns += [max(number, 1) for number in n_ngrams]
        if next_order:
            columns += [clipped(words, references, max_order + 1), max(length - max_order, 1)]
        row[FIRST_MATCH:] = columns
    return rows


def bleu_scores(
    rows: Array, length_column: int, method: str, smooth_value: float, effective: bool, weights: Array, scale: float
) -> Array:
    """Return BLEU, times `scale`, of rows or of sums of them.

    With uniform weights, the closest length and a scale of 100, each step is sacrebleu's, to the last bit.

    Parameters
    ----------
    rows : ndarray, shape (n, 8 + 2 N)
        Rows of :func:`bleu_rows` or sums of them, with N orders; NLTK's methods read the columns behind them too.
    length_column : int
        The column of the reference's length: 5, 6 or 7 for the closest, the shortest or the average one.
    method : {"none", "floor", "add-k", "exp", "add-one", "nltk0" to "nltk7"}
        Of smoothing (see :func:`_precisions`); "add-one" is smooth=True of evaluate. The last ones are NLTK's, whose
        BLEU has other steps (see :func:`_nltk_scores`).
    smooth_value : float
        The matches that "floor" takes where there is none, what "add-k" and "add-one" add, and the number of a method
        of NLTK.
    effective : bool
        Whether orders without n-grams are left out of the mean.
    weights : ndarray, shape (W, N)
        The weights of the orders in each of W scores.
    scale : float
        100 for percent.

    Returns
    -------
    ndarray, shape (n, W + N + 1)
        The W scores, the precisions of the orders, and the brevity penalty.
    """
    max_order = weights.shape[1]
    weightings = weights.tolist()
    if method.startswith("nltk"):
        return _nltk_scores(rows, length_column, method, smooth_value, weightings, scale)
    scores = np.empty((len(rows), len(weightings) + max_order + 1))
    for row, scores_of_row in zip(rows.tolist(), scores, strict=True):
        length = row[LENGTH]
        reference_length = row[length_column]
        matches = row[FIRST_MATCH : FIRST_MATCH + max_order]
        ngrams = row[FIRST_MATCH + max_order : FIRST_MATCH + 2 * max_order]
        penalty = brevity_penalty(length, reference_length)
        precisions, n_reached = _precisions(matches, ngrams, method, smooth_value, scale)
        n_orders = max_order  # an order without n-grams has the precision 0, and makes the mean 0
        if effective:  # it is left out
            n_orders = n_reached
        if method == "add-one":
            # It scores texts without a word in common, too, but not where one side has no text at all.
            is_scored = row[REFERENCES] > 0 and length > 0 and reference_length > 0
        else:
            is_scored = any(matches)
        for number, weights_of_orders in enumerate(weightings):
            scores_of_row[number] = 0.0
            if is_scored:
                scores_of_row[number] = penalty * _mean(precisions, n_orders, weights_of_orders, scale)
        scores_of_row[len(weightings) :] = *precisions, penalty
    return scores


# The steps, as sacrebleu takes them.


def _precisions(
    matches: Sequence[float], ngrams: Sequence[float], method: str, smooth_value: float, scale: float
) -> tuple[list[float], int]:
    """Return the precision of each order, times `scale`, and how many orders come before one without n-grams.

    With M matches of N n-grams, it is M / N. Where M is 0 (Chen and Cherry 2014):

    - none: 0
    - floor, their method 1: smooth_value / N
    - exp, their method 3: 1 / (2N) for the first such order, 1 / (4N) for the next one, and so on

    With or without matches:

    - add-k, their method 2: (M + smooth_value) / (N + smooth_value), but for the first order
    - add-one: (M + 1) / (N + 1)

    What is added counts as n-grams. Where no n-gram of any order matches, only "add-one" smooths: the others have
    precisions of 0, and the score is 0.
    """
    precisions = [0.0] * len(matches)
    if method != "add-one" and not any(matches):
        # sacrebleu too reports precisions of 0. The number of orders is not read: the score is 0 (`is_scored`).
        return precisions, 0
    n_reached = 0
    divisor = 1.0
    for order, (n_matches, n_ngrams) in enumerate(zip(matches, ngrams, strict=True), start=1):
        if method == "add-one" or (method == "add-k" and order > 1):
            n_matches += smooth_value
            n_ngrams += smooth_value
        if n_ngrams <= 0:
            # No prediction is so long, and so none has n-grams of a higher order: their precisions stay 0.
            break
        n_reached += 1
        if n_matches == 0 and method == "exp":
            divisor *= 2
            n_matches = 1
            n_ngrams *= divisor
        elif n_matches == 0 and method == "floor":
            n_matches = smooth_value
        precisions[order - 1] = scale * n_matches / n_ngrams
    return precisions, n_reached


def _mean(precisions: Sequence[float], n_orders: int, weights: Sequence[float], scale: float) -> float:
    """Return the weighted geometric mean of the first orders: 0 if one that has a weight is 0, and without orders."""
    n = len(precisions)
    # Equal weights are added up as sacrebleu does: the weighted sum has other last bits.
    if all(weight == 1 / n for weight in weights):
        return _uniform_mean(precisions[:n_orders])
    return _weighted_mean(precisions, n_orders, weights, scale)


def _uniform_mean(precisions: Sequence[float]) -> float:
    """Return the geometric mean of precisions, times the scale as they are; 0 if one is 0, and of none."""
    if not precisions or 0 in precisions:
        return 0.0
    # As sacrebleu, to the last bit: logarithms of percents, where the scale is 100, added up by Python's `sum`, which
    # from 3.12 on carries what it rounds off, and divided at the end.
    return math.exp(sum(map(math.log, precisions)) / len(precisions))


def _weighted_mean(precisions: Sequence[float], n_orders: int, weights: Sequence[float], scale: float) -> float:
    """Return the weighted geometric mean of the first `n_orders` precisions, times the scale as they are."""
    total = 0.0
    weight_of_orders = 0.0
    for precision, weight in zip(precisions[:n_orders], weights[:n_orders], strict=True):
        if weight <= 0:
            continue
        if precision == 0:
            return 0.0
        weight_of_orders += weight
        total += weight * math.log(precision / scale)
    if weight_of_orders == 0:
        return 0.0
    if n_orders < len(weights):
        weight_of_all = 0.0
        for weight in weights:
            weight_of_all += weight
        # What the orders that are left out weigh goes to the others.
        total *= weight_of_all / weight_of_orders
    return scale * math.exp(total)


def brevity_penalty(length: float, reference_length: float) -> float:
    """Return 1 for predictions at least as long as their references, else exp(1 - reference / prediction length)."""
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length > 0 else 0.0


def brevity_penalties(lengths: Array, reference_lengths: Array) -> Array:
    """Return :func:`brevity_penalty` of many texts, by NumPy's `exp`, for BLEU-ROUGE and rewards."""
    # Both values of `where` are computed: a length of 0 must not be a divisor.
    ratios = reference_lengths / np.maximum(lengths, 1.0)
    penalties = np.where(lengths > 0, np.exp(1 - np.maximum(ratios, 1.0)), 0.0)
    return np.where(lengths < reference_lengths, penalties, 1.0)


# As NLTK, with its methods of smoothing (Chen and Cherry 2014).


def _nltk_scores(
    rows: Array, length_column: int, method: str, smooth_value: float, weightings: list[list[float]], scale: float
) -> Array:
    """Return what :func:`bleu_scores` does, as NLTK: orders of precision 0 are left out of the mean."""
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

    Rows are those of :func:`bleu_rows` with `divisors` and, for methods 5 and 7, with `next_order`. `smooth_value` is
    the method's number, v. Of N n-grams (at least 1 an item), M of them matches, and z orders without a match up to
    and with this one::

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
            next_matches, next_divisor = row[-2:]
            _average(values, next_matches / max(next_divisor, 1.0))
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
