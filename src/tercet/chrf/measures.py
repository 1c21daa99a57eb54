"""The F of chrF from counts, for any number of texts or corpora at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: What eps_smoothing takes for a ratio that has no value (chrF++.py, Moses, NLTK).
EPSILON = 1e-16


def f_scores(counts: Array, beta: float, eps_smoothing: bool, scale: float) -> Array:
    """Return the F of chrF, in the steps and the order of sacrebleu, so that it is the same to the last digit.

    Parameters
    ----------
    counts : ndarray, shape (..., N, 3)
        For each order the n-grams of the prediction, those of the reference, and the matches.
    beta : float
        Weight of recall.
    eps_smoothing : bool
        Average the F of every order, instead of precision and recall over the orders that both texts have.
    scale : float
        100 for percent.

    Returns
    -------
    ndarray of float64, shape (...)
        From 0 to `scale`.

    Notes
    -----
    Popovic 2015 (chrF), Popovic 2017 (chrF++); sacrebleu's ``CHRF``.

    Examples
    --------
    >>> counts = np.array([[4.0, 5.0, 3.0], [3.0, 4.0, 1.0], [0.0, 3.0, 0.0]])
    >>> f_scores(counts, 2, False, 100).round(2).tolist(), f_scores(counts, 2, True, 100).round(2).tolist()
    (44.41, 29.61)
    """
    predicted, referenced, matched = (counts[..., place] for place in range(3))
    factor, n_orders = beta**2, counts.shape[-2]
    if eps_smoothing:
        precision = np.where(predicted > 0, matched / np.maximum(predicted, 1.0), EPSILON)
        recall = np.where(referenced > 0, matched / np.maximum(referenced, 1.0), EPSILON)
        below = factor * precision + recall
        each = np.where(below > 0, (1 + factor) * precision * recall / np.where(below > 0, below, 1.0), EPSILON)
        mean: Array = scale * _sum(each) / n_orders
        return mean
    both = (predicted > 0) & (referenced > 0)
    reached = np.maximum(both.sum(axis=-1), 1)
    precision = _sum(np.where(both, matched / np.maximum(predicted, 1.0), 0.0)) / reached
    recall = _sum(np.where(both, matched / np.maximum(referenced, 1.0), 0.0)) / reached
    below = factor * precision + recall
    return scale * np.where(below > 0, (1 + factor) * precision * recall / np.where(below > 0, below, 1.0), 0.0)


def _sum(values: Array) -> Array:
    """Return the sums over the last axis, added one after the other (NumPy adds eight at a time)."""
    total: Array = np.zeros(values.shape[:-1])
    for place in range(values.shape[-1]):
        total = total + values[..., place]
    return total
