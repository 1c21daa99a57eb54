"""BLEU's precisions with and without smoothing, for any number of corpora at once (arrays of shape (..., N)).

Sources: Chen and Cherry 2014; sacrebleu's and tensorflow/nmt's ``compute_bleu``; NLTK's ``SmoothingFunction``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Default of the number that a method takes; the others take none.
SMOOTH_VALUES: dict[str, float] = {
    "floor": 0.1, "add-k": 1.0, "nltk1": 0.1, "nltk4": 5.0, "nltk6": 5.0, "nltk7": 5.0,
}  # fmt: skip
NLTK_METHODS = ("none", *(f"nltk{number}" for number in range(1, 8)))
SMOOTH_METHODS = ("none", "floor", "add-k", "exp", *NLTK_METHODS[1:])
#: What ``smooth=True`` stands for.
ADD_ONE = "add-one"

#: numpy adds fewer numbers than these one after another, so that their order in memory does not change the sum.
_IN_TURN = 8


@dataclass(frozen=True, slots=True)
class Counts:
    """What BLEU knows of a corpus; N is the highest order.

    Attributes
    ----------
    matches, totals : ndarray, shape (..., N)
        Clipped matches and n-grams of each order.
    floors : ndarray, shape (..., N), optional
        N-grams of each order with at least 1 a segment (NLTK).
    next_matches, next_floors : ndarray, shape (...), optional
        The same for the order N + 1 (NLTK's methods 5 and 7).
    length : ndarray, shape (...)
        Tokens of the predictions.
    """

    matches: Array
    totals: Array
    length: Array
    floors: Array | None = None
    next_matches: Array | None = None
    next_floors: Array | None = None


def precisions(counts: Counts, method: str, value: float | None) -> tuple[Array, Array]:
    """Return the precisions of each order, and how many orders were reached, as sacrebleu defines them.

    Parameters
    ----------
    counts : Counts
    method : {"none", "floor", "add-k", "exp", "add-one"}
        ``floor`` and ``add-k`` add `value` to matches that are 0, or to matches and totals of the orders above 1;
        ``exp`` halves the precision at each order without a match. They leave a corpus without a single match at 0.
        ``add-one``, that of nmt's ``compute_bleu`` and so of evaluate, adds 1 to matches and totals of every order.
    value : float or None

    Returns
    -------
    precisions : ndarray, shape (..., N)
        In [0, 1].
    reached : ndarray, shape (...)
        Orders up to the first one of which the predictions have no n-gram.
    """
    matches, totals = counts.matches, counts.totals
    amount = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    if method == "add-k":
        added = np.where(np.arange(matches.shape[-1]) > 0, amount, 0.0)
        matches, totals = matches + added, totals + added
    elif method == ADD_ONE:
        matches, totals = matches + 1.0, totals + 1.0
    few = totals.shape[-1] < _IN_TURN
    if (
        few and (totals > 0).all() and (counts.matches > 0).all()
    ):  # as of most resamples: all that follows changes nothing
        return matches / totals, np.full(totals.shape[:-1], totals.shape[-1])
    alive = np.cumprod(totals > 0, axis=-1).astype(bool)
    zero = alive & (matches == 0)
    safe = np.where(totals > 0, totals, 1.0)
    result = np.where(alive, matches / safe, 0.0)
    if method == "exp":
        result = np.where(zero, 1.0 / (2.0 ** np.cumsum(zero, axis=-1) * safe), result)
    elif method == "floor":
        result = np.where(zero, amount / safe, result)
    if method != ADD_ONE:
        result = np.where((counts.matches > 0).any(axis=-1, keepdims=True), result, 0.0)
    return result, alive.sum(axis=-1)


def sentence_percents(counts: Counts, reference_lengths: Array, method: str, value: float | None) -> Array:
    """Return the BLEU of each text in percent, in the steps of sacrebleu and with Python's log: the same bits.

    The other functions make many scores at once, and a perfect one 1 instead of 1.0000000000000004.

    Examples
    --------
    >>> counts = Counts(np.array([[3, 1, 0, 0]]), np.array([[3, 2, 1, 0]]), np.array([3]))
    >>> sentence_percents(counts, np.array([3]), "exp", None)
    array([62.99605249])
    """
    columns = (counts.matches, counts.totals, counts.length, reference_lengths)
    texts = zip(*(column.tolist() for column in columns), strict=True)
    return np.array([_sentence_percent(*text, method=method, value=value) for text in texts])


def _sentence_percent(
    matches: Sequence[float],
    totals: Sequence[float],
    length: float,
    reference_length: float,
    *,
    method: str,
    value: float | None,
) -> float:
    if not any(matches):
        return 0.0
    amount, halves, found = SMOOTH_VALUES.get(method, 0.0) if value is None else value, 1.0, []
    for order, (hits, total) in enumerate(zip(matches, totals, strict=True)):
        added = amount if method == "add-k" and order else 0.0
        if total + added == 0:
            break
        if hits + added == 0 and method == "exp":
            halves *= 2
            found.append(100.0 / (halves * (total + added)))
        else:
            found.append(100.0 * (amount if hits + added == 0 else hits + added) / (total + added))
    penalty = math.exp(1 - reference_length / length) if length < reference_length else 1.0
    return penalty * math.exp(sum([math.log(each) if each else -9999999999 for each in found]) / len(found))


def nltk_precisions(counts: Counts, method: str, value: float | None) -> Array:
    """Return the precisions that NLTK's ``method0`` to ``method7`` give (``none`` is method0).

    Differences from NLTK, where it has no value or a wrong one: method 6 does not ask for a match of order 3,
    and methods 5 to 7 take the n-grams of the whole corpus (see :meth:`tercet.bleu.BleuScorer.corpus_totals`).

    Returns
    -------
    ndarray, shape (..., N)
    """
    assert counts.floors is not None
    matches, floors = counts.matches, np.maximum(counts.floors, 1.0)
    amount = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    raw = matches / floors
    zero = matches == 0
    rank = np.cumsum(zero, axis=-1)
    if method == "none":
        return np.where(zero, sys.float_info.min, raw)
    if method == "nltk1":
        return np.where(zero, amount / floors, raw)
    if method == "nltk2":
        later = np.arange(matches.shape[-1]) > 0
        return np.where(later, (matches + 1) / (floors + 1), raw)
    if method == "nltk3":
        return np.where(zero, 1 / (2.0**rank * floors), raw)
    if method == "nltk6":
        return _interpolated(raw, counts, amount)
    if method in ("nltk4", "nltk7"):
        long = counts.length[..., None] > 1
        log_length = np.log(np.where(long, counts.length[..., None], 2.0))
        raw = np.where(zero & long, log_length / (2.0**rank * amount) / floors, raw)
    return _averaged(raw, counts) if method in ("nltk5", "nltk7") else raw


def _averaged(raw: Array, counts: Counts) -> Array:
    """Method 5: the mean of an order's precision, the one above it, and the averaged one below it."""
    assert counts.next_matches is not None
    assert counts.next_floors is not None
    above = np.concatenate(
        [raw[..., 1:], (counts.next_matches / np.maximum(counts.next_floors, 1.0))[..., None]], axis=-1
    )
    result = np.empty_like(raw)
    below = raw[..., 0] + 1
    for order in range(raw.shape[-1]):
        below = (below + raw[..., order] + above[..., order]) / 3
        result[..., order] = below
    return result


def _interpolated(raw: Array, counts: Counts, alpha: float) -> Array:
    """Method 6: from order 3 on, between the precision and what the two orders below it let expect."""
    result = raw.copy()
    for order in range(2, raw.shape[-1]):
        below, lowest = result[..., order - 1], result[..., order - 2]
        prior = np.where(lowest == 0, 0.0, below**2 / np.where(lowest == 0, 1.0, lowest))
        result[..., order] = (counts.matches[..., order] + alpha * prior) / (counts.totals[..., order] + alpha)
    return result


def geometric_mean(values: Array, weights: Array, reached: Array | None, skip_zeros: bool) -> Array:
    """Return ``exp(sum(weights * log(values)))`` over the last axis.

    Parameters
    ----------
    values : ndarray, shape (..., N)
    weights : ndarray, shape (N,)
        Orders of weight 0 do not matter.
    reached : ndarray, shape (...), optional
        Take this many orders only, with their weights scaled to the same sum (effective order).
    skip_zeros : bool
        Leave zeros out (NLTK) instead of returning 0 for them.
    """
    few = values.shape[-1] < _IN_TURN
    if (
        few and reached is None and (weights > 0).all() and (values > 0).all()
    ):  # the same to the bit, in a third of the time
        whole: Array = np.exp((np.log(values) * weights).sum(axis=-1))
        return whole
    used = np.broadcast_to(weights > 0, values.shape)
    if reached is not None:
        used = used & (np.arange(values.shape[-1]) < reached[..., None])
    if skip_zeros:
        used = used & (values > 0)
    logs = np.log(np.where(used & (values > 0), values, 1.0))
    shares = np.where(used, weights, 0.0)
    exponent = (logs * shares).sum(axis=-1)
    if reached is not None:
        kept = shares.sum(axis=-1)
        exponent = exponent * np.where(kept > 0, weights.sum() / np.where(kept > 0, kept, 1.0), 0.0)
    mean = np.exp(exponent)
    return mean if skip_zeros else np.where((used & (values == 0)).any(axis=-1), 0.0, mean)
