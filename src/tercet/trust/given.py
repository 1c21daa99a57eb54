"""Grades and scores that were given as plain lists -> grades as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercet.errors import InputError, shorten

from .grades import Grades


def grades_of(given: Grades | Mapping[str, Any] | None, systems: list[str], n_items: int) -> Grades:
    """Return the grades of a test set, of plain lists too."""
    if isinstance(given, Grades):
        if given.systems != tuple(systems) or given.n_items != n_items:
            raise InputError(
                f"The grades are of {len(given.systems)} systems and {given.n_items} items, the texts of "
                f"{len(systems)} and {n_items}."
            )
        return given
    if not isinstance(given, Mapping) or not given:
        raise InputError("Grades are missing: give a table with grades, or grades={system: [grade, ...]}.")
    by_dimension = given if all(isinstance(each, Mapping) for each in given.values()) else {"grade": given}
    rows: list[tuple[str, str, str, int, Any]] = []
    for dimension, own in by_dimension.items():
        values = _by_system(own, systems, n_items, f"grades of {shorten(dimension)}")
        rows += [
            (dimension, "", system, item, cell) for system in systems for item, cell in enumerate(values[system])
        ]
    return Grades.of_rows(rows, systems, n_items)


def with_scores(grades: Grades, scores: Mapping[str, Any] | Iterable[str]) -> Grades:
    """Return grades with scores of metrics that were made elsewhere: lists of them, or names of dimensions."""
    if not isinstance(scores, Mapping):
        return grades.with_scores([scores] if isinstance(scores, str) else scores)
    systems, n_items = list(grades.systems), grades.n_items
    rows = [
        (name, "", system, item, cell)
        for name, own in scores.items()
        for system, cells in _by_system(own, systems, n_items, f"scores of {shorten(name)}").items()
        for item, cell in enumerate(cells)
    ]
    made = Grades.of_rows(rows, systems, n_items)
    return Grades(
        grades.systems, n_items, grades.raters, grades.values,
        {**grades.scores, **{name: made.mean(name) for name in made.dimensions}},
    )  # fmt: skip


def _by_system(given: Any, systems: list[str], n_items: int, what: str) -> dict[str, list[Any]]:
    if not isinstance(given, Mapping) or set(given) != set(systems):
        raise InputError(f"Expected {what} for each system ({', '.join(map(repr, systems))}), got {shorten(given)}.")
    for system in systems:
        if len(given[system]) != n_items:
            raise InputError(
                f"There are {len(given[system])} {what} for {shorten(system)}; expected {n_items}, one for each item."
            )
    return {system: list(given[system]) for system in systems}
