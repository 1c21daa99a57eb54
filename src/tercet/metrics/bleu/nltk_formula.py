"""BLEU as NLTK computes it, whose methods of smoothing leave out orders of precision 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tercet import numpy_later as np
from tercet.engine.chosen import engine

from .options import SMOOTH_VALUES
from .rows import FIRST_MATCH_COLUMN, LENGTH_COLUMN

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


class Settings(NamedTuple):
    """What the formula takes besides sums: the arguments of :func:`.plain_bleu.bleu_scores`, in its order."""

    length_column: int
    method: str
    smooth_value: float
    effective: bool
    weights: Any  # of the orders, for each weighting
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
