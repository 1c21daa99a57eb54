"""Kendall's tau and Spearman's rho of resamples of many items, by the influence of each point on their sums.

Both are made of sums over pairs, or triples, of points: a resample of n points would take n log n steps. How much
such a sum changes with the weight of one point is its derivative, which is found for all points in n log n steps,
once. Of resamples of many items the rest, of the second order in the changes of the weights, is small beside what
resamples differ by (the infinitesimal jackknife: Efron and Tibshirani 1993, *An Introduction to the Bootstrap*,
chapter 22), and a resample takes a product of its weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .samples import Array, PointWeights

_Integers = NDArray[np.int64]


class Influences(NamedTuple):
    """Sums over all points, and what the weight of each point adds to them."""

    sums: Array  # (k,)
    derivatives: Array  # (N, k)

    def of_items(self, weights: PointWeights) -> ItemInfluences:
        """Return what the weight of each item adds."""
        return ItemInfluences(self.sums, weights.sums_of_items(self.derivatives))


class ItemInfluences(NamedTuple):
    """Sums over all points, and what the weight of each item, with all its points, adds to them."""

    sums: Array  # (k,)
    derivatives: Array  # (m, k)

    def in_resamples(self, weights: PointWeights) -> Array:
        """Return the sums in each resample, shape (k, B)."""
        changes = weights.item_weights @ self.derivatives - self.derivatives.sum(0)
        return np.asarray((self.sums + changes).T, np.float64)


def kendall_influences(x_ranks: _Integers, y_ranks: _Integers) -> Influences:
    """Return those of n, concordant minus discordant pairs, and the squares of the numbers of ties in x and in y.

    Ranks are dense, from 0, shape (N,).
    """
    n_points = len(x_ranks)
    concordance = concordances(x_ranks, y_ranks)
    tied_x = np.bincount(x_ranks)[x_ranks]
    tied_y = np.bincount(y_ranks)[y_ranks]
    # A pair, and a square, is counted from both of its sides.
    sums = np.array([n_points, concordance.sum() / 2, tied_x.sum(), tied_y.sum()], np.float64)
    derivatives = np.column_stack([np.ones(n_points), concordance, 2 * tied_x, 2 * tied_y])
    return Influences(sums, derivatives.astype(np.float64))


def spearman_influences(x: Array, y: Array) -> Influences:
    """Return those of n, and of the sums of squares and products of centred ranks: xx, yy, xy.

    The centred rank of a point is half the number of points below it minus half of those above, so that each product
    is a sum over triples of points: the one that is ranked, one beside it in x, and one in y.
    """
    n_points = len(x)
    x_order = Order.of(x)
    y_order = Order.of(y)
    x_ranks = x_order.centred_ranks(np.ones(n_points))
    y_ranks = y_order.centred_ranks(np.ones(n_points))
    sums = [float(n_points)]
    derivatives = [np.ones(n_points)]
    of_x = (x_order, x_ranks)
    of_y = (y_order, y_ranks)
    for (order, ranks), (second_order, second_ranks) in ((of_x, of_x), (of_y, of_y), (of_x, of_y)):
        product = ranks * second_ranks
        # As the point that is ranked, and as one beside others in x and in y, where it has the opposite sign.
        derivative = product - order.centred_ranks(second_ranks) - second_order.centred_ranks(ranks)
        sums.append(float(product.sum()))
        derivatives.append(derivative)
    return Influences(np.array(sums), np.column_stack(derivatives))


class Order(NamedTuple):
    """Points in the order of their values."""

    points: _Integers
    #: For each point where those of its value begin and end in that order.
    begin: _Integers
    end: _Integers

    @classmethod
    def of(cls, values: Array | _Integers) -> Order:
        """Return the order of values, shape (N,)."""
        points = np.argsort(values, kind="stable")
        in_order = values[points]
        is_first = np.append(True, in_order[1:] != in_order[:-1])[: len(values)]
        bounds = np.append(np.flatnonzero(is_first), len(values))
        value_of_point = np.empty_like(points)
        value_of_point[points] = np.cumsum(is_first) - 1
        return cls(points, bounds[value_of_point], bounds[value_of_point + 1])

    def centred_ranks(self, weights: Array) -> Array:
        """Return, for each point, half the weight of the points below it minus half of those above it."""
        sums = np.append(0.0, np.cumsum(weights[self.points]))
        below = sums[self.begin]
        above = sums[-1] - sums[self.end]
        return np.asarray((below - above) / 2, np.float64)


def concordances(x_ranks: _Integers, y_ranks: _Integers) -> _Integers:
    """Return, for each point, the number of points concordant with it minus that of discordant ones."""
    n_points = len(x_ranks)
    x_order = Order.of(x_ranks)
    y_order = Order.of(y_ranks)
    # Points of one x and one y are a pair: it has a number, in the order of x and then of y, and the other way round.
    n_y = int(y_ranks.max(initial=0)) + 1
    n_x = int(x_ranks.max(initial=0)) + 1
    by_x = Order.of(x_ranks * n_y + y_ranks)
    by_y = Order.of(y_ranks * n_x + x_ranks)
    low_y_of_same_x = by_x.begin - x_order.begin
    high_y_of_same_x = x_order.end - by_x.end
    low_x_of_same_y = by_y.begin - y_order.begin
    low_low = _n_lower_in_both(x_ranks, y_ranks)
    high_low = y_order.begin - low_low - low_y_of_same_x  # x higher, y lower
    low_high = x_order.begin - low_low - low_x_of_same_y
    high_high = (n_points - y_order.end) - low_high - high_y_of_same_x
    return np.asarray(low_low + high_high - low_high - high_low, np.int64)


def _n_lower_in_both(x_ranks: _Integers, y_ranks: _Integers) -> _Integers:
    """Return, for each point, how many points have both a lower x and a lower y.

    Points stand in the order of x, those of one x by falling y, so that what stands before a point and has a lower y
    has a lower x, too. They are parted by the highest bit of y, each part by the next, and so on: a point of the
    upper half of a part is above those of the lower half that stand before it. That takes N steps for each bit.
    """
    n_points = len(x_ranks)
    order = np.lexsort((-y_ranks, x_ranks))
    y = y_ranks[order]
    n_lower = np.zeros(n_points, np.int64)
    starts = np.zeros(n_points, np.int64)  # where the part of each point begins
    for bit in range(int(y.max(initial=0)).bit_length() - 1, -1, -1):
        is_upper = (y >> bit) & 1 == 1
        n_low_before = np.append(0, np.cumsum(~is_upper))
        low_of_part_before = n_low_before[:-1] - n_low_before[starts]
        n_lower[order[is_upper]] += low_of_part_before[is_upper]
        # The lower half of each part, and then its upper half, both as they stand: a stable sort of parts and halves.
        position = np.argsort(2 * starts + is_upper, kind="stable")
        order = order[position]
        y = y[position]
        starts = starts[position]
        is_upper = is_upper[position]
        begins = np.append(True, (starts[1:] != starts[:-1]) | (is_upper[1:] != is_upper[:-1]))
        starts = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return n_lower
