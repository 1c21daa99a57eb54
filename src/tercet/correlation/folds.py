"""Cross-validation of a choice among metrics: the outputs of each fold are scored by what the other folds choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, OptionError, shorten

from .figures import value_of
from .samples import Array, GradedOutputs, Numbers

#: A mean of metrics: their indices and weights.
Weights = tuple[tuple[int, float], ...]
#: From the name of a figure, grades (n, m) and standardized scores (k, n, m) to the candidates.
Candidates = Callable[[str, Array, Array], Sequence[Weights]]
_Indices = NDArray[np.int64]
#: Of grades (n, m), by the unit that folds hold.
_AXES = {"systems": 0, "items": 1}


def out_of_fold(
    figure: str, outputs: GradedOutputs, choices: Sequence[Candidates], *, unit: str, n_folds: int, seed: int
) -> Array:
    """Return out-of-fold scores of each choice, shape (len(choices), n, m).

    For each output it is the mean that was best by the figure without the outputs of its fold, which holds some of
    the items, or some of the systems with all their items. There are fewer folds where there are fewer systems. All
    items of a cluster are in the same fold.
    """
    if not isinstance(n_folds, int) or n_folds < 2:
        raise OptionError(f"The number of folds must be an integer of at least 2. Got {shorten(n_folds)} instead.")
    too_few = why_no_folds(outputs, unit, n_folds)
    if too_few:
        raise InputError(too_few)
    human = outputs.human
    axis = _AXES[unit]
    scores = np.full((len(choices), *human.shape), np.nan)
    for training, held_indices in _folds(human, axis, n_folds, seed, outputs.clusters):
        values = standardize(outputs.metrics, training, axis)
        training_grades = np.take(human, training, axis)
        training_scores = np.take(values, training, axis + 1)
        for choice, candidates_of in enumerate(choices):
            candidates = candidates_of(figure, training_grades, training_scores)
            chosen_scores = combine(values, best_candidate(figure, training_grades, training_scores, candidates))
            # the held-out items of all systems, or all items of the held-out systems
            held_out = (slice(None), held_indices) if axis == 1 else (held_indices,)
            scores[choice][held_out] = chosen_scores[held_out]
    return scores


def why_no_folds(outputs: GradedOutputs, unit: str, n_folds: int) -> str:
    """Return why items or systems are too few for folds; "" where they are enough."""
    graded = _graded(outputs.human, _AXES[unit])
    if unit == "items" and len(graded) < 2 * n_folds:
        return f"{len(graded)} graded items are too few for {n_folds} folds."
    if unit == "items" and outputs.clusters is not None and len(np.unique(outputs.clusters[graded])) < 2:
        return "All graded items are of one cluster; expected at least two clusters for folds."
    if unit == "systems" and len(graded) < 3:
        return f"{len(graded)} graded systems are too few for folds of systems; expected at least 3."
    return ""


def _graded(human: Array, axis: int) -> _Indices:
    """Return the systems (axis 0), or items (1), of which any output is graded."""
    return np.flatnonzero((~np.isnan(human)).any(axis=1 - axis))


def _folds(
    human: Array, axis: int, n_folds: int, seed: int, clusters: Numbers | None
) -> Iterator[tuple[_Indices, _Indices]]:
    """Yield the training items, or systems, and the held-out ones."""
    graded = _graded(human, axis)
    units = graded if axis == 0 or clusters is None else clusters[graded]
    order = np.random.default_rng(seed).permutation(np.unique(units))
    for fold in np.array_split(order, min(n_folds, len(order))):
        is_held_out = np.isin(units, fold)
        yield graded[~is_held_out], graded[is_held_out]


def standardize(metrics: Array, indices: _Indices | None = None, axis: int = 1) -> Array:
    """Return z-scores, with mean and deviation of all outputs, or of those of some systems (axis 0) or items (1)."""
    selected = metrics if indices is None else np.take(metrics, indices, axis + 1)
    spread = spreads(selected)
    mean = np.nanmean(selected.reshape(len(selected), -1), axis=1)
    return np.asarray((metrics - mean[:, None, None]) / spread[:, None, None], np.float64)


def spreads(metrics: Array) -> Array:
    """Return the standard deviation of each metric, 1 of a constant one."""
    deviations = np.nanstd(metrics.reshape(len(metrics), -1), axis=1)
    return np.where(deviations > 0, deviations, 1.0)


def combine(values: Array, weights: Weights) -> Array:
    """Return the weighted sum of scores."""
    return np.asarray(sum(weight * values[index] for index, weight in weights), np.float64)


def best_candidate(figure: str, human: Array, values: Array, candidates: Sequence[Weights]) -> Weights:
    """Return the candidate with the best figure, of equal ones the first."""
    figures = [value_of(figure, human, combine(values, weights)).value for weights in candidates]
    return candidates[int(np.argmax(np.nan_to_num(figures, nan=-np.inf)))]


def single_metrics(figure: str, human: Array, values: Array) -> list[Weights]:
    """Return each metric alone."""
    return [((index, 1.0),) for index in range(len(values))]
