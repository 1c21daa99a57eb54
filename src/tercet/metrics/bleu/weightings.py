"""The weightings of a BLEU, and the grid of weightings, smoothing methods and length rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tercet.errors import OptionError

#: The weights of the orders, by the name of the score.
Weightings = dict[str, list[float]]


class Grid(NamedTuple):
    """What the option ``grid`` combines, each with each of the others."""

    methods: Sequence[str]  # of smoothing
    length_rules: Sequence[str]  # of the references
    weightings: Weightings


def grid_weightings(weights: Any, max_order: int) -> Weightings:
    """Return the weightings of a grid by the name that its rows have."""
    if weights is None:
        return {"uniform": [1 / max_order] * max_order}
    if isinstance(weights, Mapping):
        return {name: weights_of_all_orders(values, max_order) for name, values in weights.items()}
    return {",".join(f"{weight:g}" for weight in weights): weights_of_all_orders(weights, max_order)}


def weights_of_all_orders(weights: Sequence[float], max_order: int) -> list[float]:
    """Return weights with 0 for the orders that they leave out."""
    if len(weights) > max_order:
        raise OptionError(
            f"The 'weights' option of bleu_multi has {len(weights)} weights, but max_order is {max_order}: "
            f"set max_order={len(weights)}."
        )
    return [*map(float, weights), *[0.0] * (max_order - len(weights))]
