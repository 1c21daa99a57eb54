"""From the counts of BLEU to its score, row by row, in plain Python: penalty, precisions, smoothing and mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def bleu_scores(
    rows: Array, reference: int, method: str, amount: float, effective: bool, weights: Array, scale: float
) -> Array:
    """Return BLEU, times `scale`, in the steps of sacrebleu's ``compute_bleu``: the same to the last digit.

    Parameters
    ----------
    rows : ndarray, shape (n, 8 + 2 N)
        Rows of :func:`.plain_rows.bleu_rows` or sums of them, with N orders; further columns are not read.
    reference : int
        The column of the reference's length: 5, 6 or 7 for the closest, the shortest or the average one.
    method : {"none", "floor", "add-k", "exp", "add-one"}
        How orders without a match are smoothed (see :func:`_precisions`); "add-one" is smooth=True of evaluate.
    amount : float
        What "floor" takes for no match, and what "add-k" and "add-one" add.
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
    weightings = weights.tolist()
    scores = np.empty((len(rows), len(weightings) + weights.shape[1] + 1))
    for row, of_row in zip(rows.tolist(), scores, strict=True):
        penalty = brevity_penalty(row[4], row[reference])
        matches, ngrams = row[8 : 8 + weights.shape[1]], row[8 + weights.shape[1] : 8 + 2 * weights.shape[1]]
        precisions, n_orders = _precisions(matches, ngrams, method, amount, scale)
        # Without a word in common, BLEU is 0; "add-one" scores all but an empty text, or an item without reference.
        scored = row[3] > 0 and row[4] > 0 and row[reference] > 0 if method == "add-one" else any(matches)
        for place, weighting in enumerate(weightings):
            mean = _mean(precisions, n_orders if effective else len(precisions), weighting, scale)
            of_row[place] = penalty * mean if scored else 0.0
        of_row[len(weightings) :] = *precisions, penalty
    return scores


def brevity_penalty(length: float, reference_length: float) -> float:
    """Return 1 for predictions at least as long as their references, else exp(1 - reference / prediction length)."""
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length > 0 else 0.0


def _precisions(
    matches: Sequence[float], ngrams: Sequence[float], method: str, amount: float, scale: float
) -> tuple[list[float], int]:
    """Return the precision of each order, and how many orders the effective order keeps: those with n-grams.

    The methods are those of Chen and Cherry 2014: for orders without a match, "exp" (their method 3) takes 1/2, 1/4
    and so on of a match, and "floor" (method 1) a fixed share of one. "add-k" (method 2) adds to the matches and
    n-grams of all orders but the first, "add-one" to those of all. Where no n-gram matches, only "add-one" smooths.
    """
    precisions, n_orders, divisor = [0.0] * len(matches), 0, 1.0
    if method != "add-one" and not any(matches):
        return precisions, sum(number > 0 for number in ngrams)
    for order, (n_matches, n_ngrams) in enumerate(zip(matches, ngrams, strict=True)):
        if method == "add-one" or (method == "add-k" and order > 0):
            n_matches, n_ngrams = n_matches + amount, n_ngrams + amount
        if n_ngrams <= 0:
            # No text is so long, and so none has n-grams of a higher order: their precisions stay 0.
            break
        n_orders += 1
        if n_matches == 0 and method == "exp":
            divisor *= 2
            precisions[order] = scale / (divisor * n_ngrams)
        else:
            precisions[order] = scale * (amount if n_matches == 0 and method == "floor" else n_matches) / n_ngrams
    return precisions, n_orders


def _mean(precisions: Sequence[float], n_orders: int, weights: Sequence[float], scale: float) -> float:
    """Return the geometric mean of the first orders; 0 if one with a weight is 0.

    Their weights are scaled up to the sum of all.
    """
    n = len(precisions)
    if any(weight > 0 and precision == 0 for weight, precision in zip(weights, precisions[:n_orders], strict=False)):
        return 0.0
    # Added in a loop: from Python 3.12 on, `sum` rounds once, so that bits would depend on the version.
    total = weight_of_orders = weight_of_all = 0.0
    if all(weight == 1 / n for weight in weights):
        # In sacrebleu's steps, to the last bit: in percent, and divided at the end.
        for precision in precisions[:n_orders]:
            total += math.log(precision)
        return math.exp(total / n_orders) if n_orders else 0.0
    for order, (precision, weight) in enumerate(zip(precisions, weights, strict=True)):
        weight_of_all += weight
        if order < n_orders and weight > 0:
            weight_of_orders += weight
            total += weight * math.log(precision / scale)
    if n_orders < n:
        total *= weight_of_all / weight_of_orders if weight_of_orders else 0.0
    return scale * math.exp(total)
