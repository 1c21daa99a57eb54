"""The numbers that harnesses computed of samples -> scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.errors import shorten, warn
from tercet.files.json_values import without_nan
from tercet.files.numbers import LARGEST


def numbers_of_scores(
    values: Mapping[str, Mapping[str, Sequence[Any]]], name: str
) -> dict[str, dict[str, list[float]]]:
    """Return the scores that are a number of each sample, NaN where one has none; a warning names a mixed one.

    Others are what a harness computes a score of all samples from, such as pairs of labels for F1.
    """
    numbers: dict[str, dict[str, list[float]]] = {}
    for score, cells_by_system in values.items():
        by_system: dict[str, list[float]] = {}
        n_numbers = 0
        non_numbers = []
        for system, cells in cells_by_system.items():
            by_system[system] = []
            for value in map(score_of, cells):
                number = math.nan
                if is_number(value):
                    number = float(value)
                    n_numbers += 1
                elif value is not None:
                    non_numbers.append(value)
                by_system[system].append(number)
        if n_numbers and not non_numbers:
            numbers[score] = by_system
        elif n_numbers:
            warn(
                f"{name}: the score {shorten(score)} is {shorten(non_numbers[0])} in a sample; expected a number: "
                "the score is left out."
            )
    return numbers


def score_of(value: Any) -> Any:
    """Return a value, or the score in an object of it and what it is of, as lmms-eval writes some; None for NaN."""
    if isinstance(value, dict):
        return without_nan(value.get("score", value))
    return without_nan(value)


def is_number(value: Any) -> bool:
    """Return whether a value of JSON, no text, is a number of which a variance can be made; True and False are."""
    return isinstance(value, int | float) and abs(value) <= LARGEST
