"""The weightings of a BLEU, and the grid of weightings, smoothing methods and length rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np
from tercet.errors import OptionError

from .option_checks import REFERENCE_LENGTHS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

#: The weights of the orders, by the name of the score.
Weightings = dict[str, list[float]]


def score_weightings(weights: Any, max_order: int) -> Weightings:
    """Return the weights of the orders by the key of their score: ``bleu``, and ``bleu_<name>`` of named ones."""
    uniform = [1 / max_order] * max_order
    if weights is None:
        return {"bleu": uniform}
    if not isinstance(weights, Mapping):
        return {"bleu": _padded(weights, max_order)}
    weightings = {"bleu": uniform}
    for name, values in weights.items():
        weightings[f"bleu_{name}"] = _padded(values, max_order)
    return weightings


class Grid:
    """All combinations that the option ``grid`` asks for."""

    def __init__(
        self, grid: Any, methods: Sequence[str], reference_length: str, weights: Any, max_order: int
    ) -> None:
        self._methods = methods
        self._length_rules: Sequence[str] = REFERENCE_LENGTHS
        weights_of_grid = weights
        if isinstance(grid, Mapping):
            self._length_rules = grid.get("reference_length", [reference_length])
            weights_of_grid = grid.get("weights", weights)
        self._weightings = _grid_weightings(weights_of_grid, max_order)

    def rows(self, scores_of: Callable[[str, str, Array], list[float]]) -> list[dict[str, Any]]:
        """Return a row for each combination; `scores_of` gives the scores of a method, a length rule and weights."""
        weights = np.array(list(self._weightings.values()))
        rows = []
        for method, rule in product(self._methods, self._length_rules):
            scores = scores_of(method, rule, weights)
            for name, score in zip(self._weightings, scores, strict=True):
                rows.append({"weights": name, "smooth_method": method, "reference_length": rule, "bleu": score})
        return rows


def _grid_weightings(weights: Any, max_order: int) -> Weightings:
    """Return the weightings of a grid by the name that its rows have."""
    if weights is None:
        return {"uniform": [1 / max_order] * max_order}
    if isinstance(weights, Mapping):
        return {name: _padded(values, max_order) for name, values in weights.items()}
    return {",".join(f"{weight:g}" for weight in weights): _padded(weights, max_order)}


def _padded(weights: Sequence[float], max_order: int) -> list[float]:
    if len(weights) > max_order:
        raise OptionError(
            f"The 'weights' option of bleu_multi has {len(weights)} weights, but max_order is {max_order}: "
            f"set max_order={len(weights)}."
        )
    return [*map(float, weights), *[0.0] * (max_order - len(weights))]
