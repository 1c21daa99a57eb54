"""Human grades of the outputs of systems, by several raters in several dimensions, and how far raters agree."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tercet.errors import InputError, OptionError, argument, did_you_mean, shorten
from tercet.files.numbers import Notation, notation_of, read_number
from tercet.option_checks import has_entries

from .samples import Array

#: The dimension of grades that name none.
GRADE = "grade"


class GradeRow(NamedTuple):
    """A grade as a table has it."""

    dimension: str
    rater: str
    system: str
    item: int  # from 0
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Grades:
    """Grades by dimension."""

    systems: tuple[str, ...]
    n_items: int
    #: A single "" if raters are not named.
    raters: tuple[str, ...]
    #: For each dimension the grade of each rater, system and item; NaN where there is none. (dict of str to ndarray,
    #: shape (raters, n, m))
    values: dict[str, Array]
    #: External scores, in the same form. (dict of str to ndarray, shape (n, m))
    scores: dict[str, Array] = field(default_factory=dict)
    #: Dimensions of which lower grades are better.
    lower_is_better: tuple[str, ...] = ()

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[GradeRow],
        systems: Iterable[str],
        n_items: int,
        read: Callable[[Any, str, Notation], float] = read_number,
        notation_of: Callable[[Sequence[Any], str], Notation] = notation_of,
    ) -> Grades:
        """Gather grades from rows in any order."""
        numbers_of_systems = {system: number for number, system in enumerate(systems)}
        all_rows = list(rows)
        cells: dict[str, list[Any]] = {}
        for dimension, _, _, _, value in all_rows:
            cells.setdefault(dimension, []).append(value)
        notations = {}
        for dimension, cells_of_dimension in cells.items():
            notations[dimension] = notation_of(cells_of_dimension, f"grades, {shorten(dimension)}")
        by_dimension: dict[str, dict[tuple[str, int, int], float]] = {}
        raters: dict[str, int] = {}
        for dimension, rater, system, item, value in all_rows:
            number = read(
                value,
                f"the grade of {shorten(system)} on item {item + 1}, {shorten(dimension)}",
                notations[dimension],
            )
            grades = by_dimension.setdefault(dimension, {})
            key = (rater, numbers_of_systems[system], item)
            raters.setdefault(rater, len(raters))
            earlier_number = grades.get(key, math.nan)
            # A sum is NaN where either is missing: a missing grade contradicts none, in whatever order they come.
            if earlier_number != number and not math.isnan(earlier_number + number):
                of_rater = f" of {shorten(rater)}" if rater else ""
                raise InputError(
                    f"There are two grades{of_rater} for {shorten(system)} on item {item + 1} in "
                    f"{shorten(dimension)}: {earlier_number:g} and {number:g}. Expected one; name the raters if "
                    "there are several."
                )
            grades[key] = number if math.isnan(earlier_number) else earlier_number
        values = {}
        for dimension, grades in by_dimension.items():
            table = np.full((len(raters), len(numbers_of_systems), n_items), np.nan)
            for (rater, system_number, item), number in grades.items():
                table[raters[rater], system_number, item] = number
            values[dimension] = table
        return cls(tuple(numbers_of_systems), n_items, tuple(raters), values)

    @classmethod
    def of_lists(cls, grades: Grades | Mapping[str, Any] | None, systems: list[str], n_items: int) -> Grades:
        """Return the grades of a test set, which may be given as plain lists."""
        if isinstance(grades, Grades):
            if grades.systems != tuple(systems) or grades.n_items != n_items:
                raise InputError(
                    f"The grades are of {len(grades.systems)} systems and {grades.n_items} items, the texts of "
                    f"{len(systems)} and {n_items}."
                )
            return grades
        if not isinstance(grades, Mapping) or not grades:
            raise InputError(
                f"Grades are missing: give a table with grades, or {argument('grades')}a mapping of systems to lists."
            )
        has_dimensions = all(isinstance(value, Mapping) for value in grades.values())
        by_dimension = grades if has_dimensions else {GRADE: grades}
        return cls.of_rows(_rows_of_lists(by_dimension, systems, n_items), systems, n_items)

    @property
    def dimensions(self) -> list[str]:
        """The names of the dimensions."""
        return list(self.values)

    def check(self, dimension: str) -> None:
        """Raise an OptionError for an unknown dimension."""
        if dimension not in self.values:
            raise OptionError(f"There is no dimension {shorten(dimension)}. {did_you_mean(dimension, self.values)}")

    def mean(self, dimension: str, standardize: bool = False) -> Array:
        """Return the mean of the raters' grades, or of their z-scores, shape (n, m); NaN where there is no grade.

        Of dimensions whose lower grades are better it is negated.
        """
        values = self.values[dimension]
        if dimension in self.lower_is_better:
            values = 0.0 - values  # no grade of -0
        if standardize:
            with warnings.catch_warnings():
                # numpy warns of a rater without a grade
                warnings.simplefilter("ignore", RuntimeWarning)
                middle = np.nanmean(values, axis=(1, 2), keepdims=True)
                spread = np.nanstd(values, axis=(1, 2), keepdims=True)
            values = (values - middle) / np.where(spread > 0, spread, 1.0)
        count = (~np.isnan(values)).sum(0)
        return np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)

    def agreement(self, dimension: str) -> dict[str, float]:
        """Return the agreement of the raters; empty if no output has two grades."""
        raters = self.values[dimension].reshape(len(self.raters), -1)
        if ((~np.isnan(raters)).sum(0) > 1).sum() == 0:
            return {}
        alphas = {f"alpha_{level}": krippendorff_alpha(raters, level) for level in ("ordinal", "interval")}
        return {**alphas, "raw": raw_agreement(raters)}

    def with_scores(self, names: Sequence[str], scores: Mapping[str, Array]) -> Grades:
        """Return grades with external scores: `scores`, and dimensions among `names`, which are no grades then."""
        # What a table had as scores is known already.
        dimensions = [name for name in names if name not in {*scores, *self.scores}]
        for name in dimensions:
            self.check(name)
        values = {name: cells for name, cells in self.values.items() if name not in dimensions}
        external_scores = {}
        for name in names:
            if name in dimensions:
                external_scores[name] = self.mean(name)
            elif name in scores:
                external_scores[name] = scores[name]
        return replace(self, values=values, scores={**self.scores, **external_scores})


def names_of_grades(value: Any, option: str) -> list[str]:
    """Return the names of grades that an option gives, one or several."""
    if isinstance(value, str):
        return [value]
    names: list[Any] = list(value) if has_entries(value) else [None]
    if all(isinstance(name, str) for name in names):
        return names
    raise InputError(f"{argument(option)} is a name or a list of names, got {shorten(value)}.")


def krippendorff_alpha(values: Array, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha of grades (raters, units): 1 - observed / expected disagreement.

    Two grades are apart by being different ("nominal"), by the grades between them ("ordinal"), or by their squared
    difference ("interval"). NaN where no unit has two grades, or all are the same. Source: Krippendorff 2011.
    """
    units = values[:, (~np.isnan(values)).sum(0) > 1]
    different = np.unique(units[~np.isnan(units)])
    if len(different) < 2:
        return float("nan")
    # how often each grade occurs in each unit, shape (units, grades)
    counts = np.stack([(units == grade).sum(0) for grade in different], axis=1).astype(np.float64)
    sizes = counts.sum(1)
    scaled = counts / (sizes - 1)[:, None]
    # pairs of grades of one unit, without a grade and itself
    together = scaled.T @ counts - np.diag(scaled.sum(0))
    total = together.sum(1)
    chance = (np.outer(total, total) - np.diag(total)) / (total.sum() - 1)
    positions = {"nominal": different, "interval": different, "ordinal": np.cumsum(total) - total / 2}[level]
    if level == "nominal":
        apart = np.not_equal.outer(positions, positions)
    else:
        apart = np.subtract.outer(positions, positions) ** 2
    return float(1 - (together * apart).sum() / (chance * apart).sum())


def raw_agreement(values: Array) -> float:
    """Return the share of equal grades among all pairs of grades of one unit; NaN without a pair."""
    n_equal = 0
    n_pairs = 0
    for first, second in combinations(values, 2):
        n_equal += int((first == second).sum())
        n_pairs += int((~np.isnan(first + second)).sum())
    return n_equal / n_pairs if n_pairs else float("nan")


def _rows_of_lists(lists: Mapping[str, Any], systems: list[str], n_items: int) -> Iterator[GradeRow]:
    """Yield rows of grades, given by dimension and system as plain lists."""
    for name, by_system in lists.items():
        described = f"grades of {shorten(name)}"
        if not isinstance(by_system, Mapping) or set(by_system) != set(systems):
            names = ", ".join(map(repr, systems))
            raise InputError(f"Expected {described} for each system ({names}), got {shorten(by_system)}.")
        for system in systems:
            if not has_entries(by_system[system]) or not isinstance(by_system[system], Sized):
                raise InputError(
                    f"Expected {described} for {shorten(system)} as a list, one for each item, got "
                    f"{shorten(by_system[system])}."
                )
            if len(by_system[system]) != n_items:
                counted = f"{len(by_system[system])} {described} for {shorten(system)}"
                raise InputError(f"There are {counted}; expected {n_items}, one for each item.")
        for system in systems:
            for item, cell in enumerate(by_system[system]):
                yield GradeRow(name, "", system, item, cell)
