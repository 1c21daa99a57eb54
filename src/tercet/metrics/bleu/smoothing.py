"""BLEU's precisions with and without smoothing, of one corpus in floats or of any number at once in arrays.

Sources: Chen and Cherry 2014; sacrebleu's and tensorflow/nmt's ``compute_bleu``; NLTK's ``SmoothingFunction``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.statistics.either import Either, added, exp, holds, logs, positive, quotient, stacked, where

Array = NDArray[np.float64]

#: Default of the number that a method takes; the others take none.
SMOOTH_VALUES: dict[str, float] = {
    "floor": 0.1, "add-k": 1.0, "nltk1": 0.1, "nltk4": 5.0, "nltk6": 5.0, "nltk7": 5.0,
}  # fmt: skip
NLTK_METHODS = ("none", *(f"nltk{number}" for number in range(1, 8)))
SMOOTH_METHODS = ("none", "floor", "add-k", "exp", *NLTK_METHODS[1:])
#: What ``smooth=True`` stands for.
ADD_ONE = "add-one"


@dataclass(slots=True)
class Counts:
    """BLEU's counts of a corpus, as floats, or of several, as arrays; N is the highest order."""

    #: `matches`, `totals`: Clipped matches and n-grams of each order.
    matches: list[Either]
    totals: list[Either]
    #: Tokens of the predictions.
    length: Either
    #: N-grams of each order with at least 1 a segment (NLTK).
    floors: list[Either] | None = None
    #: `next_matches`, `next_floors`, `optional`: The same for the order N + 1 (NLTK's methods 5 and 7).
    next_matches: Either = None
    next_floors: Either = None


def precisions(counts: Counts, method: str, value: float | None) -> tuple[list[Either], Either]:
    """Return the precisions of each order, and how many orders were reached, as sacrebleu defines them."""
    amount = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    more = [0.0] * len(counts.matches)
    if method == ADD_ONE:
        more = [1.0] * len(more)
    elif method == "add-k":
        more[1:] = [amount] * (len(more) - 1)
    if positive(counts.matches):  # as of most corpora and resamples
        each_order = zip(counts.matches, counts.totals, more, strict=True)
        return [(hits + extra) / (total + extra) for hits, total, extra in each_order], len(more)
    found: list[Either] = []
    alive, halves, reached, matched = True, 1.0, 0, False
    for hits, total, extra in zip(counts.matches, counts.totals, more, strict=True):
        matched = matched | (hits > 0)
        if extra:
            hits, total = hits + extra, total + extra
        alive = alive & (total > 0)
        safe = where(total > 0, total, 1.0)
        each = where(alive, hits / safe, 0.0)
        if method in ("exp", "floor"):
            zero = alive & (hits == 0)
            halves = where(zero, 2.0 * halves, halves)
            each = where(zero, 1.0 / (halves * safe) if method == "exp" else amount / safe, each)
        found.append(each)
        reached = reached + alive
    if method != ADD_ONE and not holds(matched):
        found = [where(matched, each, 0.0) for each in found]
    return found, reached


def sentence_percents(counts: Counts, reference_lengths: Array, method: str, value: float | None) -> Array:
    """Return the BLEU of each text in percent, in the steps of :func:`percent_of_counts`."""
    columns = (stacked(counts.matches), stacked(counts.totals), counts.length, reference_lengths)
    texts = zip(*(column.tolist() for column in columns), strict=True)
    return np.array([percent_of_counts(*text, method=method, value=value, effective=True)[0] for text in texts])


def percent_of_counts(
    matches: Sequence[float],
    totals: Sequence[float],
    length: float,
    reference_length: float,
    *,
    method: str,
    value: float | None,
    effective: bool,
) -> tuple[float, list[float], float]:
    """Return BLEU and precisions in percent, and the penalty, in the steps of sacrebleu and with Python's log.

    These are the same bits. The other functions make many scores at once, and a perfect one 1 instead of
    1.0000000000000004.
    """
    penalty = 1.0
    if length < reference_length:
        penalty = math.exp(1 - reference_length / length) if length > 0 else 0.0
    without = [0.0] * len(matches)
    if not any(matches):
        return 0.0, without, penalty
    amount, halves, found = SMOOTH_VALUES.get(method, 0.0) if value is None else value, 1.0, []
    for order, (hits, total) in enumerate(zip(matches, totals, strict=True)):
        if method == "add-k" and order:
            hits, total = hits + amount, total + amount
        if total == 0:
            break
        if hits == 0 and method == "exp":
            halves *= 2
            found.append(100.0 / (halves * total))
        else:
            found.append(100.0 * (amount if hits == 0 and method == "floor" else hits) / total)
    padded = found + without[len(found) :]
    counted = found if effective and found else padded
    mean = math.exp(sum([math.log(each) if each else -9999999999 for each in counted]) / len(counted))
    return penalty * mean, padded, penalty


def nltk_precisions(counts: Counts, method: str, value: float | None) -> list[Either]:
    """Return the precisions that NLTK's ``method0`` to ``method7`` give (``none`` is method0).

    Differences from NLTK, where it has no value or a wrong one: method 6 does not ask for a match of order 3,
    and methods 5 to 7 take the n-grams of the whole corpus (see :meth:`tercet.metrics.bleu.Bleu.corpus_totals`).
    """
    assert counts.floors is not None
    matches, floors = (np.asarray(stacked(each)) for each in (counts.matches, counts.floors))
    found = _by_nltk(matches, floors, counts, method, value)
    one = isinstance(counts.length, float)
    return found.tolist() if one else list(np.moveaxis(found, -1, 0))


def _by_nltk(matches: Array, floors: Array, counts: Counts, method: str, value: float | None) -> Array:
    floors = np.maximum(floors, 1.0)
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
        length = np.asarray(counts.length)[..., None]
        long = length > 1
        log_length = np.log(np.where(long, length, 2.0))
        raw = np.where(zero & long, log_length / (2.0**rank * amount) / floors, raw)
    return _averaged(raw, counts) if method in ("nltk5", "nltk7") else raw


def _averaged(raw: Array, counts: Counts) -> Array:
    """Method 5: the mean of an order's precision, the one above it, and the averaged one below it."""
    last = np.asarray(counts.next_matches) / np.maximum(counts.next_floors, 1.0)
    above = np.concatenate([raw[..., 1:], last[..., None]], axis=-1)
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
        result[..., order] = (counts.matches[order] + alpha * prior) / (counts.totals[order] + alpha)
    return result


def geometric_mean(
    values: Sequence[Either], weights: Sequence[float], reached: Either | None, skip_zeros: bool
) -> Either:
    """Return ``exp(sum(weights * log(values)))`` over the orders."""
    if reached is not None and holds(reached == len(values)):
        reached = None
    if reached is None and min(weights) > 0 and positive(values):  # of most corpora and resamples
        return exp(added([log * weight for log, weight in zip(logs(values), weights, strict=True)]))
    above = [value > 0 for value in values]
    used: list[Either] = [weight > 0 for weight in weights]
    if reached is not None:
        used = [each & (order < reached) for order, each in enumerate(used)]
    if skip_zeros:
        used = [each & some for each, some in zip(used, above, strict=True)]
    logarithms = logs([where(each & some, value, 1.0) for each, some, value in zip(used, above, values, strict=True)])
    shares = [where(each, weight, 0.0) for each, weight in zip(used, weights, strict=True)]
    exponent = added([log * share for log, share in zip(logarithms, shares, strict=True)])
    if reached is not None:
        exponent = exponent * quotient(added(weights), added(shares))
    mean = exp(exponent)
    for each, value in () if skip_zeros else zip(used, values, strict=True):
        mean = where(each & (value == 0), 0.0, mean)
    return mean
