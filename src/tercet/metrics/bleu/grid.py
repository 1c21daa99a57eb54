"""The grid of a BLEU: its score by each combination of weights, smoothing method and length rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .options import NLTK_METHODS, REFERENCE_LENGTHS, SMOOTH_METHODS
from .weightings import Weightings, weights_of_all_orders


class Grid(NamedTuple):
    """What the option ``grid`` combines, each with each of the others."""

    methods: Sequence[str]  # of smoothing
    length_rules: Sequence[str]  # of the references
    weightings: Weightings

    def rows(self, scores_of: Callable[[str, str], Sequence[float]]) -> list[dict[str, Any]]:
        """Return a row for each combination; `scores_of` a method and a rule begin with those of the weightings."""
        rows = []
        for method in self.methods:
            for rule in self.length_rules:
                scores_of_weightings = scores_of(method, rule)[: len(self.weightings)]
                for name, score in zip(self.weightings, scores_of_weightings, strict=True):
                    rows.append({"weights": name, "smooth_method": method, "reference_length": rule, "bleu": score})
        return rows


def methods_of_grid(grid: Any, method: str, compat: str | None) -> Sequence[str]:
    """Return the smoothing methods of the option ``grid``; none where it is None. `method` is that of the score."""
    if grid is None:
        return []
    if isinstance(grid, Mapping):
        methods: Sequence[str] = grid.get("smooth_method", [method])
        return methods
    if compat == "nltk":
        return NLTK_METHODS
    return [method for method in SMOOTH_METHODS if not method.startswith("nltk")]


def grid_of(grid: Any, methods: Sequence[str], length_rule: str, weights: Any, max_order: int) -> Grid | None:
    """Return what the option ``grid`` combines; what it leaves out has the value of the score, None without it."""
    if grid is None:
        return None
    length_rules: Sequence[str] = REFERENCE_LENGTHS
    if isinstance(grid, Mapping):
        length_rules = grid.get("reference_length", [length_rule])
        weights = grid.get("weights", weights)
    return Grid(methods, length_rules, _weightings_of_rows(weights, max_order))


def _weightings_of_rows(weights: Any, max_order: int) -> Weightings:
    """Return the weightings of a grid by the name that its rows have."""
    if weights is None:
        return {"uniform": [1 / max_order] * max_order}
    if isinstance(weights, Mapping):
        return {name: weights_of_all_orders(values, max_order) for name, values in weights.items()}
    return {",".join(f"{weight:g}" for weight in weights): weights_of_all_orders(weights, max_order)}
