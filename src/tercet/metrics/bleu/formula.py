"""BLEU (Papineni et al. 2002): one pass over the texts, many weightings, smoothings and length rules.

    BLEU = brevity penalty * exp(sum over the orders n of weight_n * log precision_n)

The precision of order n is the share of the predictions' n-grams that match a reference, each counted at most as
often as it occurs in the one reference that has it most often (clipped): "the the the" has one match where each
reference has one "the". Precision alone would favour short texts, hence the penalty: 1 for predictions at least as
long as their references, else exp(1 - reference length / prediction length). Matches, n-grams and lengths are
summed over all items before anything is divided.

An order without a match would make the score 0, and is smoothed (Chen and Cherry 2014). Its precision, of N n-grams:

    none     0
    exp      1 / (2N) for the first such order, 1 / (4N) for the next, and so on
    floor    0.1 / N
    add-k    (M + 1) / (N + 1) for all orders but the first, also where there are M matches

0.1 and 1 are the defaults of smooth_value. Where no word matches, BLEU is 0, except with smooth=True. The first three
do not smooth an order of which the predictions have no n-gram (N = 0): BLEU is then 0, unless effective_order=True
takes the mean over the other orders. The formula, step by step, is `engine/plain_bleu.py`, and `engine/bleu.pxi` the
same compiled, as are NLTK's methods.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine

from .options import SMOOTH_VALUES
from .rows import FIRST_MATCH_COLUMN, LENGTH_COLUMN

Array = NDArray[np.float64]


class Settings(NamedTuple):
    """What the formula takes besides sums: the arguments of :func:`.plain_bleu.bleu_scores`, in its order."""

    length_column: int
    method: str
    smooth_value: float
    effective: bool
    weights: Array
    scale: float


def nltk_scores(rows: Array, settings: Settings) -> Array:
    """Return what the engine's `bleu_scores` does, as NLTK smooths, which leaves out orders of precision 0."""
    max_order = settings.weights.shape[1]
    parts = nltk_precisions(rows, settings.length_column, settings.method, settings.smooth_value, max_order)
    precisions = parts[:, :-1]
    penalty = parts[:, -1:]
    has_match = rows[:, FIRST_MATCH_COLUMN, None] > 0
    # The logarithm of a 0 is minus infinity: that of 1 adds nothing.
    logarithms = np.log(np.where(precisions > 0, precisions, 1.0))
    means = np.exp((logarithms[:, None, :] * settings.weights).sum(axis=-1))
    scores = settings.scale * penalty * np.where(has_match, means, 0.0)
    return np.concatenate([scores, settings.scale * precisions, penalty], axis=1)


def nltk_precisions(rows: Array, length_column: int, method: str, value: float | None, max_order: int) -> Array:
    """Return :func:`.plain_bleu.nltk_precisions` of these rows, of the method's own value without another."""
    lengths = rows[:, LENGTH_COLUMN]
    log_lengths = lengths
    if method in ("nltk4", "nltk7"):
        log_lengths = np.log(np.where(lengths > 1, lengths, 2.0))
    smooth_value = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    precisions: Array = engine.nltk_precisions(rows, length_column, method, smooth_value, max_order, log_lengths)
    return precisions


def brevity_penalty(length: NDArray[Any], reference_length: NDArray[Any]) -> NDArray[np.float64]:
    """Return the brevity penalty of many texts, for other metrics than BLEU, which has the engine's."""
    # Both values of `where` are computed: a length of 0 must not be a divisor.
    ratio = reference_length / np.maximum(length, 1.0)
    penalty = np.where(length > 0, np.exp(1 - np.maximum(ratio, 1.0)), 0.0)
    return np.where(length < reference_length, penalty, 1.0)
