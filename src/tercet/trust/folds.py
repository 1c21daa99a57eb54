"""Cross-validation of a choice among metrics: some folds choose, the others are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, OptionError, shorten

from .figures import value_of
from .sample import Array, Numbers

#: A mean of metrics: their indices and weights.
Weights = tuple[tuple[int, float], ...]
#: From the name of a figure, grades (n, m) and standardized scores (k, n, m) to the candidates.
Candidates = Callable[[str, Array, Array], Sequence[Weights]]

#: What a fold holds.
UNITS = ("items", "systems")
_Places = NDArray[np.int64]


def out_of_fold(
    figure: str,
    human: Array,
    metrics: Array,
    choices: Sequence[Candidates],
    *,
    unit: str,
    n_folds: int,
    seed: int,
    clusters: Numbers | None = None,
) -> Array:
    """Return out-of-fold scores of each choice, shape (len(choices), n, m).

    For each output it is the mean that was best by the figure without the outputs of its fold, which holds some of
    the items, or some of the systems with all their items. There are fewer folds where there are fewer systems. All
    items of a cluster are in the same fold.
    """
    axis = 1 if unit == "items" else 0
    found = np.full((len(choices), *human.shape), np.nan)
    for kept, held in _folds(human, axis, n_folds, seed, clusters):
        values = standardized(metrics, kept, axis)
        grades, seen = np.take(human, kept, axis), np.take(values, kept, axis + 1)
        for place, candidates in enumerate(choices):
            chosen = combined(values, best(figure, grades, seen, candidates(figure, grades, seen)))
            there = (slice(None), held) if axis else (held,)
            found[place][there] = chosen[there]
    return found


def _folds(
    human: Array, axis: int, n_folds: int, seed: int, clusters: Numbers | None
) -> Iterator[tuple[_Places, _Places]]:
    """Yield the training items, or systems, and the held-out ones."""
    if not isinstance(n_folds, int) or n_folds < 2:
        raise OptionError(f"The number of folds must be an integer of at least 2. Got {shorten(n_folds)} instead.")
    graded = np.flatnonzero((~np.isnan(human)).any(axis=1 - axis))
    if axis == 1 and len(graded) < 2 * n_folds:
        raise InputError(f"{len(graded)} graded items are too few for {n_folds} folds.")
    if axis == 0 and len(graded) < 3:
        raise InputError(f"{len(graded)} graded systems are too few for folds of systems; expected at least 3.")
    units = graded if axis == 0 or clusters is None else clusters[graded]
    order = np.random.default_rng(seed).permutation(np.unique(units))
    if len(order) < 2:
        raise InputError("All graded items are of one cluster; expected at least two clusters for folds.")
    for fold in np.array_split(order, min(n_folds, len(order))):
        held = np.isin(units, fold)
        yield graded[~held], graded[held]


def standardized(metrics: Array, places: _Places | None = None, axis: int = 1) -> Array:
    """Return z-scores, with mean and deviation of all outputs, or of those of some systems (axis 0) or items (1)."""
    seen = metrics if places is None else np.take(metrics, places, axis + 1)
    spread = spreads(seen)
    middle = np.nanmean(seen.reshape(len(seen), -1), axis=1)
    return np.asarray((metrics - middle[:, None, None]) / spread[:, None, None], np.float64)


def spreads(metrics: Array) -> Array:
    """Return the standard deviation of each metric, 1 of a constant one."""
    found = np.nanstd(metrics.reshape(len(metrics), -1), axis=1)
    return np.where(found > 0, found, 1.0)


def combined(values: Array, weights: Weights) -> Array:
    """Return the weighted sum of scores."""
    return np.asarray(sum(weight * values[number] for number, weight in weights), np.float64)


def best(figure: str, human: Array, values: Array, candidates: Sequence[Weights]) -> Weights:
    """Return the candidate with the best figure, of equal ones the first."""
    found = [np.nan_to_num(value_of(figure, human, combined(values, each))[0], nan=-np.inf) for each in candidates]
    return candidates[int(np.argmax(found))]


def singles(figure: str, human: Array, values: Array) -> list[Weights]:
    """Return each metric alone."""
    return [((number, 1.0),) for number in range(len(values))]
