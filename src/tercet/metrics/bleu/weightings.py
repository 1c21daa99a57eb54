"""The weightings of a BLEU: the weights of the orders of n-grams, for each of its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.errors import OptionError

#: The weights of the orders, by the name of the score.
Weightings = dict[str, list[float]]


def weightings_of(weights: Any, max_order: int) -> Weightings:
    """Return the weights of each score of BLEU: of ``bleu``, then of each named weighting."""
    uniform = [1 / max_order] * max_order
    if weights is None:
        return {"bleu": uniform}
    if not isinstance(weights, Mapping):
        return {"bleu": weights_of_all_orders(weights, max_order)}
    weightings = {"bleu": uniform}
    for name, values in weights.items():
        weightings[f"bleu_{name}"] = weights_of_all_orders(values, max_order)
    return weightings


def weights_of_all_orders(weights: Sequence[float], max_order: int) -> list[float]:
    """Return weights with 0 for the orders that they leave out."""
    if len(weights) > max_order:
        raise OptionError(
            f"The 'weights' option of bleu_multi has {len(weights)} weights, but max_order is {max_order}: "
            f"set max_order={len(weights)}."
        )
    return [*map(float, weights), *[0.0] * (max_order - len(weights))]
