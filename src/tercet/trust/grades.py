"""Human grades: of several raters, in several dimensions, of the outputs of systems; some may be missing."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tercet.errors import InputError, OptionError, did_you_mean, shorten

from .weighted import Array

#: What stands for a grade that is not there.
_MISSING = frozenset({"", "-", "na", "n/a", "nan", "none", "null"})


@dataclass(frozen=True, slots=True, eq=False)
class Grades:
    """Grades by dimension.

    Attributes
    ----------
    systems : tuple of str
    n_items : int
    raters : tuple of str
        One without name where nobody is named.
    values : dict of str to ndarray, shape (raters, n, m)
        For each dimension the grade of each rater, system and item; NaN where there is none.
    scores : dict of str to ndarray, shape (n, m)
        Scores of metrics that were made elsewhere, in the same form.

    Examples
    --------
    >>> rows = [("content", "anna", "A", 0, "3"), ("content", "boris", "A", 0, 4), ("content", "anna", "B", 0, 5)]
    >>> grades = Grades.of_rows(rows, ["A", "B"], 1)
    >>> grades.raters, grades.mean("content").tolist()
    (('anna', 'boris'), [[3.5], [5.0]])
    """

    systems: tuple[str, ...]
    n_items: int
    raters: tuple[str, ...]
    values: dict[str, Array]
    scores: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[str, str, str, int, Any]], systems: Iterable[str], n_items: int) -> Grades:
        """Gather grades from rows of dimension, rater, system, number of the item from 0, and value."""
        places = {system: place for place, system in enumerate(systems)}
        found: dict[str, dict[tuple[str, int, int], float]] = {}
        raters: dict[str, int] = {}
        for dimension, rater, system, item, value in rows:
            number = read_number(value, f"the grade of {shorten(system)} on item {item + 1}, {shorten(dimension)}")
            own = found.setdefault(dimension, {})
            key = (rater, places[system], item)
            raters.setdefault(rater, len(raters))
            if key in own and not math.isnan(own[key]) and not math.isnan(number) and own[key] != number:
                of = f" of {shorten(rater)}" if rater else ""
                raise InputError(
                    f"There are two grades{of} for {shorten(system)} on item {item + 1} in {shorten(dimension)}: "
                    f"{own[key]:g} and {number:g}. Expected one; name the raters if there are several."
                )
            if key not in own or math.isnan(own[key]):
                own[key] = number
        values = {}
        for dimension, own in found.items():
            table = np.full((len(raters), len(places), n_items), np.nan)
            for (rater, system_place, item), number in own.items():
                table[raters[rater], system_place, item] = number
            values[dimension] = table
        return cls(tuple(places), n_items, tuple(raters), values)

    @property
    def dimensions(self) -> list[str]:
        """The names of the dimensions."""
        return list(self.values)

    def check(self, dimension: str) -> None:
        """Raise an OptionError for a dimension that nobody graded."""
        if dimension not in self.values:
            raise OptionError(f"There is no dimension {shorten(dimension)}. {did_you_mean(dimension, self.values)}")

    def mean(self, dimension: str, standardize: bool = False) -> Array:
        """Return the mean of the raters' grades, shape (n, m); NaN where nobody graded.

        Parameters
        ----------
        dimension : str
        standardize : bool
            Take each rater's z-scores, for raters who use the scale differently.
        """
        values = self.values[dimension]
        if standardize:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # of a rater without a grade
                middle = np.nanmean(values, axis=(1, 2), keepdims=True)
                spread = np.nanstd(values, axis=(1, 2), keepdims=True)
            values = (values - middle) / np.where(spread > 0, spread, 1.0)
        count = (~np.isnan(values)).sum(0)
        return np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)

    def with_scores(self, names: Iterable[str]) -> Grades:
        """Return the same with some dimensions taken for scores of metrics that were made elsewhere."""
        chosen = list(names)
        for name in chosen:
            self.check(name)
        kept: Mapping[str, Array] = {name: values for name, values in self.values.items() if name not in chosen}
        return Grades(
            self.systems, self.n_items, self.raters, dict(kept),
            {**self.scores, **{name: self.mean(name) for name in chosen}},
        )  # fmt: skip


def read_number(value: Any, what: str) -> float:
    """Return a grade as a number; NaN where there is none.

    Raises
    ------
    InputError
        For what is neither.

    Examples
    --------
    >>> read_number(" 4,5 ", "it"), read_number("n/a", "it")
    (4.5, nan)
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        text = value.strip()
        if text.casefold() in _MISSING:
            return math.nan
        try:
            found = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except ValueError:
            raise InputError(f"Expected a number as {what}, got {shorten(value)}.") from None
    elif isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"Expected a number as {what}, got {shorten(value)}.")
    else:
        found = float(value)
    if math.isinf(found):
        raise InputError(f"Expected a finite number as {what}, got {shorten(value)}.")
    return found
