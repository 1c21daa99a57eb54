"""BLEU in plain Python, from texts to scores: rows of counts, then precisions, smoothing and their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

from .plain_bleu_base import FIRST_MATCH, LENGTH, REFERENCES, brevity_penalty
from .plain_bleu_nltk import nltk_scores
from .plain_ngrams import clipped
from .plain_text import Offsets, Texts, pairs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


def bleu_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, max_order: int, divisors: bool = False,
    next_order: bool = False, n_systems: int = 1,
) -> Array:  # fmt: skip
    """Count what predictions share with their references: clipped n-grams (Papineni et al. 2002, section 2.1).

    `texts`, in either form of `Texts`, are the n predictions of each system, then all references, item by item, which
    are split once for all systems: item i has ``reference_offsets[i]`` to ``reference_offsets[i + 1]``, or one where
    that is None. Time: linear in the tokens; where both texts have up to 512 tokens, in their product / 64.

    The rows, of one system behind those of the other, have these columns, with N = `max_order`. Their names are those
    of `Bleu.columns`::

        column          name                             what is counted of an item
        0 to 3          items, empty, missing,           1; 1 if the prediction has no token; 1 if there is no
                        references                       reference; the references
        4               length                           the tokens of the prediction
        5, 6, 7         closest, shortest, average       those of the reference closest in length (of two equally
                                                         close ones the shorter), of the shortest, and their average
        8 to 7 + N      match1 to matchN                 the n-grams of each order that match
        8 + N to 7 + 2N total1 to totalN                 all n-grams of the prediction
        then, for NLTK's methods of smoothing:
        N with divisors floor1 to floorN                 what NLTK divides matches by: the n-grams, or 1 where there
                                                         is none
        2 with          next_match, next_floor           the matches of the order above N, and what NLTK divides
        next_order                                       them by
    """
    if max_order < 1:
        raise ValueError(f"the order must be 1 or more: {max_order}")
    rows = np.empty((n_systems * n, FIRST_MATCH + (2 + divisors) * max_order + 2 * next_order))
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        size = len(words)
        # Without a reference, a prediction is as long as it should be.
        lengths = list(map(len, references)) or [size]
        closest = min(lengths, key=lambda length: (abs(length - size), length))
        orders = range(1, max_order + 1)
        matches = [clipped(words, references, order) for order in orders]
        n_ngrams = [max(size - order + 1, 0) for order in orders]
        row[:LENGTH] = 1, not words, not references, len(references)
        row[LENGTH:FIRST_MATCH] = size, closest, min(lengths), sum(lengths) / len(lengths)
        columns = [*matches, *n_ngrams]
        if divisors:
            columns += [max(number, 1) for number in n_ngrams]
        if next_order:
            columns += [clipped(words, references, max_order + 1), max(size - max_order, 1)]
        row[FIRST_MATCH:] = columns
    return rows


# From rows, or their sums, to scores.


def bleu_scores(
    rows: Array, length_column: int, method: str, smooth_value: float, effective: bool, weights: Array, scale: float
) -> Array:
    """Return BLEU, times `scale`, in the steps of sacrebleu's ``compute_bleu``: with its options, to the last bit.

    These are uniform weights, the closest reference's length and a scale of 100.

    Parameters
    ----------
    rows : ndarray, shape (n, 8 + 2 N)
        Rows of :func:`bleu_rows` or sums of them, with N orders; NLTK's methods read the columns behind them too.
    length_column : int
        The column of the reference's length: 5, 6 or 7 for the closest, the shortest or the average one.
    method : {"none", "floor", "add-k", "exp", "add-one", "nltk0" to "nltk7"}
        Of smoothing (see :func:`_precisions`); "add-one" is smooth=True of evaluate. The last ones are NLTK's, whose
        BLEU has other steps (see :func:`.plain_bleu_nltk.nltk_scores`).
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
    n = weights.shape[1]
    weightings = weights.tolist()
    if method.startswith("nltk"):
        return nltk_scores(rows, length_column, method, smooth_value, weightings, scale)
    scores = np.empty((len(rows), len(weightings) + n + 1))
    for row, scores_of_row in zip(rows.tolist(), scores, strict=True):
        length = row[LENGTH]
        reference_length = row[length_column]
        matches = row[FIRST_MATCH : FIRST_MATCH + n]
        ngrams = row[FIRST_MATCH + n : FIRST_MATCH + 2 * n]
        penalty = brevity_penalty(length, reference_length)
        precisions = _precisions(matches, ngrams, method, smooth_value, scale)
        n_orders = n  # an order without n-grams has the precision 0, and makes the mean 0
        if effective:  # it is left out
            n_orders = _n_orders_with_ngrams(ngrams, method, smooth_value)
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


def _precisions(
    matches: Sequence[float], ngrams: Sequence[float], method: str, smooth_value: float, scale: float
) -> list[float]:
    """Return the precision of each order.

    With M matches of N n-grams, it is M / N. Where M is 0 (Chen and Cherry 2014):

    - none: 0
    - floor, their method 1: smooth_value / N
    - exp, their method 3: 1 / (2N) for the first such order, 1 / (4N) for the next one, and so on

    With or without matches:

    - add-k, their method 2: (M + smooth_value) / (N + smooth_value), but for the first order
    - add-one: (M + 1) / (N + 1)

    Where no n-gram of any order matches, only "add-one" smooths.
    """
    precisions = [0.0] * len(matches)
    if method != "add-one" and not any(matches):
        return precisions
    divisor = 1.0
    for order, (n_matches, n_ngrams) in enumerate(zip(matches, ngrams, strict=True)):
        if _adds(method, order):
            n_matches += smooth_value
            n_ngrams += smooth_value
        if n_ngrams <= 0:
            # No prediction is so long, and so none has n-grams of a higher order: their precisions stay 0.
            break
        if n_matches == 0 and method == "exp":
            divisor *= 2
            n_matches = 1
            n_ngrams *= divisor
        elif n_matches == 0 and method == "floor":
            n_matches = smooth_value
        precisions[order] = scale * n_matches / n_ngrams
    return precisions


def _adds(method: str, order: int) -> bool:
    """Return whether a method adds to matches and n-grams; orders are numbered from 0."""
    return method == "add-one" or (method == "add-k" and order > 0)


def _n_orders_with_ngrams(ngrams: Sequence[float], method: str, smooth_value: float) -> int:
    """Return how many orders the effective order keeps: those that have n-grams, or are given some by smoothing."""
    for order, n_ngrams in enumerate(ngrams):
        if _adds(method, order):
            n_ngrams += smooth_value
        if n_ngrams <= 0:
            return order
    return len(ngrams)


def _mean(precisions: Sequence[float], n_orders: int, weights: Sequence[float], scale: float) -> float:
    """Return the weighted geometric mean of the first orders: 0 if one that has a weight is 0, and without orders."""
    n = len(precisions)
    # Equal weights are added up as sacrebleu does: the weighted sum has other last bits.
    if all(weight == 1 / n for weight in weights):
        return _uniform_mean(precisions[:n_orders])
    return _weighted_mean(precisions, n_orders, weights, scale)


def _uniform_mean(precisions: Sequence[float]) -> float:
    if not precisions or 0 in precisions:
        return 0.0
    # Logarithms of percents, divided at the end, by Python's `sum`: from 3.12 on it rounds once.
    return math.exp(sum(map(math.log, precisions)) / len(precisions))


def _weighted_mean(precisions: Sequence[float], n_orders: int, weights: Sequence[float], scale: float) -> float:
    total = 0.0
    weight_of_orders = 0.0
    weight_of_all = 0.0
    for order, (precision, weight) in enumerate(zip(precisions, weights, strict=True)):
        weight_of_all += weight
        if order >= n_orders or weight <= 0:
            continue
        if precision == 0:
            return 0.0
        weight_of_orders += weight
        total += weight * math.log(precision / scale)
    if weight_of_orders == 0:
        return 0.0
    if n_orders < len(weights):
        # What the orders that are left out weigh goes to the others.
        total *= weight_of_all / weight_of_orders
    return scale * math.exp(total)
