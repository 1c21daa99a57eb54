"""Which weightings a BLEU has, and the grid of weightings, smoothing methods and length rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from tercet.errors import OptionError

from .options import REFERENCE_LENGTHS, BleuOptions

Weightings = dict[str, list[float]]


def score_weightings(options: BleuOptions) -> Weightings:
    """Return the weights of the orders by the key of their score: ``bleu``, and ``bleu_<name>`` of named ones."""
    order, weights = options.max_order, options.weights
    uniform = [1 / order] * order
    if weights is None:
        return {"bleu": uniform}
    if isinstance(weights, Mapping):
        return {"bleu": uniform, **{f"bleu_{name}": _padded(each, order) for name, each in weights.items()}}
    return {"bleu": _padded(weights, order)}


class Grid:
    """All combinations that the option ``grid`` asks for."""

    def __init__(self, options: BleuOptions, methods: Sequence[str]) -> None:
        own = options.grid if isinstance(options.grid, Mapping) else {}
        self._methods = methods
        self._lengths: Sequence[str] = REFERENCE_LENGTHS
        if isinstance(options.grid, Mapping):
            self._lengths = own.get("reference_length", [options.reference_length])
        self._weightings = _grid_weightings(own.get("weights", options.weights), options.max_order)

    def rows(self, combined: Callable[..., tuple[Any, Any, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Return a row for each combination; `combined` scores a method and a length rule under weightings."""
        rows = []
        for method, rule in product(self._methods, self._lengths):
            _, _, scores = combined(method, rule, self._weightings)
            for name, value in scores.items():
                row = {"weights": name, "smooth_method": method, "reference_length": rule}
                rows.append({**row, "bleu": float(value)})
        return rows


def _grid_weightings(weights: Any, max_order: int) -> Weightings:
    """Return the weightings of a grid by the name that its rows have."""
    if weights is None:
        return {"uniform": [1 / max_order] * max_order}
    if isinstance(weights, Mapping):
        return {name: _padded(each, max_order) for name, each in weights.items()}
    return {",".join(f"{weight:g}" for weight in weights): _padded(weights, max_order)}


def _padded(weights: Sequence[float], max_order: int) -> list[float]:
    if len(weights) > max_order:
        raise OptionError(
            f"The 'weights' option of bleu_multi has {len(weights)} weights, but max_order is {max_order}: "
            f"set max_order={len(weights)}."
        )
    return [*map(float, weights), *[0.0] * (max_order - len(weights))]
