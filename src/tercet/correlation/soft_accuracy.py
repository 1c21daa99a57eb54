"""Soft pairwise accuracy: how close a metric's p-values between systems are to those of the grades."""

from __future__ import annotations

import numpy as np

from .samples import Array, Key, Sample, pair_differences, pair_weights

#: As in the reference implementation.
_PERMUTATIONS = 1_000
_SEED = 4
#: Squared differences below this share of their terms are rounding: of differences of products of matrices.
_NEARLY_EQUAL = 1e-12
#: Likewise of differences of values, which are the same if they agree to 12 digits.
_SAME = 1e-24


def soft_pairwise_accuracy(human: Array, metric: Array) -> float:
    """Return 1 minus the mean difference of both p-values over all pairs of systems.

    Source: Thompson et al. 2024 (WMT24, WMT25); 1,000 sign flips of the items, sums in single precision. So where
    sums tie but for rounding, p depends on the processor by some thousandths, here and in mt-metrics-eval alike.
    """
    return float(1 - np.abs(_flipped_p(human) - _flipped_p(metric)).mean())


def resampled_soft_accuracy(sample: Sample) -> Array:
    """Return the soft pairwise accuracy of resamples, with the normal distribution instead of sign flips."""
    of_grades = sample.of_grades(Key("p"), lambda: _normal_p(sample.human, sample.item_weights))
    of_scores = _normal_p(sample.metric, sample.item_weights)
    of_pairs = pair_weights(sample.system_weights)
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - (of_pairs * np.abs(of_grades - of_scores)).sum(1) / of_pairs.sum(1), np.float64)


def p_of_pairs(values: Array, is_graded: Array) -> Array:
    """Return p of each pair of systems, by the normal distribution of their differences, shape (..., pairs).

    `values` (..., n, m) are 0 where an output is not graded, and `is_graded` (n, m), or (1, m) where all are, is 1
    where it is. Of systems i and j the sum of the differences, and that of their squares, are
    ``sums[i, j] - sums[j, i]`` and ``squares[i, j] + squares[j, i] - 2 products[i, j]``: three products of matrices,
    n n m steps.
    """
    products = values @ values.swapaxes(-1, -2)
    sums = np.broadcast_to(values @ is_graded.T, products.shape)
    squares = np.broadcast_to((values * values) @ is_graded.T, products.shape)
    first, second = np.triu_indices(values.shape[-2], 1)
    size = squares[..., first, second] + squares[..., second, first]
    square = size - 2 * products[..., first, second]
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (sums[..., first, second] - sums[..., second, first]) / np.sqrt(square)
    return shares_above(np.where(square > _NEARLY_EQUAL * size, z, -np.inf))


def shares_above(z: Array) -> Array:
    """Return the share of the normal distribution above z, to 1.5e-7 (Abramowitz and Stegun 1964, 26.2.19)."""
    x = np.abs(z)
    series = 1 + x * (
        0.0498673470
        + x * (0.0211410061 + x * (0.0032776263 + x * (0.0000380036 + x * (0.0000488906 + x * 0.0000053830))))
    )
    # The formula takes the 16th power: four squarings.
    for _ in range(4):
        series *= series
    tail = 0.5 / series
    return np.where(z > 0, tail, 1 - tail)


def _flipped_p(values: Array) -> Array:
    """Return p of each pair of systems by sign flips of the items that both have."""
    tosses = np.random.default_rng(_SEED).random((_PERMUTATIONS, values.shape[1]), dtype=np.float32)
    signs = 2 * np.rint(tosses) - 1
    first, second = np.triu_indices(len(values), 1)
    # Where every output is graded, a pair's sums are differences of its systems' sums; elsewhere only the items that
    # both systems have may count.
    if not np.isnan(values).any():
        single = values.astype(np.float32)
        sums = single.sum(1)
        flipped = signs @ single.T
        observed = sums[first] - sums[second]
        null = flipped[:, first] - flipped[:, second]
    else:
        single = np.nan_to_num(pair_differences(values)).astype(np.float32)
        observed = single.sum(1)
        null = signs @ single.T
    return np.asarray((null >= observed).mean(0), np.float64)


def _normal_p(values: Array, items: Array) -> Array:
    """Return p of each pair of systems in resampled items by the normal distribution, shape (B, pairs).

    It is 1 of two systems that have the same values.
    """
    first, second = np.triu_indices(len(values), 1)
    differences = np.nan_to_num(pair_differences(values))
    sums = items @ differences.T
    squares = items @ (differences * differences).T
    # Of any scale: those of a metric may be probabilities of 1e-7.
    sizes = items @ np.nan_to_num(values * values).T
    differ = squares > _SAME * (sizes[:, first] + sizes[:, second])
    return np.where(differ, shares_above(sums / np.sqrt(np.where(differ, squares, 1.0))), 1.0)
