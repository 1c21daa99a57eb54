"""Human grades of the outputs of systems, by several raters in several dimensions; scores of metrics beside them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from tercet.comparison.metric_specs import MetricSpec
from tercet.errors import InputError, OptionError, argument, did_you_mean, shorten

from .sample import Array

#: Spellings of a missing grade.
_MISSING = frozenset({"", "-", "na", "n/a", "nan", "none", "null"})

#: Dimension, rater, system, number of the item from 0, and value.
Row = tuple[str, str, str, int, Any]


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """Scores of one metric."""

    #: The metric, with its options if it occurs twice, and the score if it has several.
    label: str
    #: Empty for external scores.
    signature: str
    #: Of each system and item; higher is better: those of other metrics are negated. (ndarray, shape (n, m))
    scores: Array = field(repr=False)
    negated: bool = False
    #: The metric as given; None for external scores.
    spec: MetricSpec | None = None
    #: The name of the score.
    score: str = ""
    #: What people call the score.
    title: str = ""
    #: 1, or 100 for percent: as in the original package, unless the options set another.
    scale: int = 1


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

    @classmethod
    def of_rows(cls, rows: Iterable[Row], systems: Iterable[str], n_items: int) -> Grades:
        """Gather grades from rows of dimension, rater, system, number of the item from 0, and value."""
        places = {system: place for place, system in enumerate(systems)}
        found: dict[str, dict[tuple[str, int, int], float]] = {}
        raters: dict[str, int] = {}
        for dimension, rater, system, item, value in rows:
            number = read_number(value, f"the grade of {shorten(system)} on item {item + 1}, {shorten(dimension)}")
            own = found.setdefault(dimension, {})
            key = (rater, places[system], item)
            raters.setdefault(rater, len(raters))
            known = own.get(key, math.nan)
            if known != number and not math.isnan(known + number):
                of = f" of {shorten(rater)}" if rater else ""
                raise InputError(
                    f"There are two grades{of} for {shorten(system)} on item {item + 1} in {shorten(dimension)}: "
                    f"{known:g} and {number:g}. Expected one; name the raters if there are several."
                )
            own[key] = number if math.isnan(known) else known
        values = {}
        for dimension, own in found.items():
            table = np.full((len(raters), len(places), n_items), np.nan)
            for (rater, system_place, item), number in own.items():
                table[raters[rater], system_place, item] = number
            values[dimension] = table
        return cls(tuple(places), n_items, tuple(raters), values)

    @classmethod
    def of_lists(cls, given: Grades | Mapping[str, Any] | None, systems: list[str], n_items: int) -> Grades:
        """Return the grades of a test set, which may be given as plain lists."""
        if isinstance(given, Grades):
            if given.systems != tuple(systems) or given.n_items != n_items:
                raise InputError(
                    f"The grades are of {len(given.systems)} systems and {given.n_items} items, the texts of "
                    f"{len(systems)} and {n_items}."
                )
            return given
        if not isinstance(given, Mapping) or not given:
            raise InputError(
                f"Grades are missing: give a table with grades, or {argument('grades')}a mapping of systems to lists."
            )
        by_dimension = given if all(isinstance(each, Mapping) for each in given.values()) else {"grade": given}
        return cls.of_rows(_rows("grades", by_dimension, systems, n_items), systems, n_items)

    @property
    def dimensions(self) -> list[str]:
        """The names of the dimensions."""
        return list(self.values)

    def check(self, dimension: str) -> None:
        """Raise an OptionError for an unknown dimension."""
        if dimension not in self.values:
            raise OptionError(f"There is no dimension {shorten(dimension)}. {did_you_mean(dimension, self.values)}")

    def mean(self, dimension: str, standardize: bool = False) -> Array:
        """Return the mean of the raters' grades, or of their z-scores, shape (n, m); NaN where there is no grade."""
        values = self.values[dimension]
        if standardize:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # of a rater without a grade
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

    def with_scores(self, scores: Mapping[str, Any] | Iterable[str]) -> Grades:
        """Return grades with external scores: lists of them, or names of dimensions."""
        names, made, kept = names_of_grades(scores, "scores"), self, self.values
        if isinstance(scores, Mapping):
            systems = list(self.systems)
            made = Grades.of_rows(_rows("scores", scores, systems, self.n_items), systems, self.n_items)
        else:
            kept = {name: values for name, values in kept.items() if name not in names}
        for name in names:
            made.check(name)
        added = {name: made.mean(name) for name in names}
        return Grades(self.systems, self.n_items, self.raters, kept, {**self.scores, **added})


def names_of_grades(given: Any, option: str) -> list[str]:
    """Return the names of grades that an option gives, one or several."""
    if isinstance(given, str):
        return [given]
    names: list[Any] = list(given) if isinstance(given, Iterable) else [None]
    if all(isinstance(name, str) for name in names):
        return names
    raise InputError(f"{argument(option)} is a name or a list of names, got {shorten(given)}.")


def read_number(value: Any, what: str) -> float:
    """Return a grade as a number, also from text such as ``"4,5"``; NaN if it is missing."""
    text = value.strip() if isinstance(value, str) else ""
    if value is None or (isinstance(value, str) and text.casefold() in _MISSING):
        return math.nan
    found = None
    if text:
        with suppress(ValueError):
            found = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    elif isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        found = float(value)
    if found is None:
        raise InputError(f"Expected a number as {what}, got {shorten(value)}.")
    if math.isinf(found):
        raise InputError(f"Expected a finite number as {what}, got {shorten(value)}.")
    return found


def krippendorff_alpha(values: Array, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha of grades (raters, units): 1 - observed / expected disagreement.

    Two grades are apart by being different ("nominal"), by the grades between them ("ordinal"), or by their squared
    difference ("interval"). NaN where no unit has two grades, or all are the same. Source: Krippendorff 2011.
    """
    units = values[:, (~np.isnan(values)).sum(0) > 1]
    different = np.unique(units[~np.isnan(units)])
    if len(different) < 2:
        return float("nan")
    counts = np.stack([(units == each).sum(0) for each in different], axis=1).astype(np.float64)  # (units, grades)
    sizes = counts.sum(1)
    scaled = counts / (sizes - 1)[:, None]
    together = scaled.T @ counts - np.diag(scaled.sum(0))  # pairs of grades of one unit
    total = together.sum(1)
    chance = (np.outer(total, total) - np.diag(total)) / (total.sum() - 1)
    places = {"nominal": different, "interval": different, "ordinal": np.cumsum(total) - total / 2}[level]
    apart = np.subtract.outer(places, places) ** 2 if level != "nominal" else np.not_equal.outer(places, places)
    return float(1 - (together * apart).sum() / (chance * apart).sum())


def raw_agreement(values: Array) -> float:
    """Return the share of equal grades among all pairs of grades of one unit; NaN without a pair."""
    equal, pairs = 0, 0
    for one, other in combinations(values, 2):
        equal += int((one == other).sum())
        pairs += int((~np.isnan(one + other)).sum())
    return equal / pairs if pairs else float("nan")


def _rows(kind: str, given: Mapping[str, Any], systems: list[str], n_items: int) -> Iterator[Row]:
    """Yield rows of grades, or scores, given by name and system as plain lists."""
    for name, own in given.items():
        what = f"{kind} of {shorten(name)}"
        if not isinstance(own, Mapping) or set(own) != set(systems):
            known = ", ".join(map(repr, systems))
            raise InputError(f"Expected {what} for each system ({known}), got {shorten(own)}.")
        for system in systems:
            if len(own[system]) != n_items:
                given_here = f"{len(own[system])} {what} for {shorten(system)}"
                raise InputError(f"There are {given_here}; expected {n_items}, one for each item.")
        yield from ((name, "", system, item, cell) for system in systems for item, cell in enumerate(own[system]))
