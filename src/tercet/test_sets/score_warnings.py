"""What is odd in scores that came with the texts: two scales, numbers for missing ones, columns made of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from tercet.errors import shorten

from .test_set import TestSet
from .text_warnings import named

#: Below 0, and above the others: numbers that stand for a missing one.
_NEGATIVE_MARKS = (-9, -99, -999, -9999)
#: By mark, the greatest of the other numbers.
_POSITIVE_MARKS = {99: 1, 999: 100, 9999: 100}
#: Fewer numbers beside a mark show nothing; -1 may be a score itself, unless it repeats.
_LEAST_UNMARKED, _LEAST_ONES = 3, 2
#: So many times the mean of another system's numbers, which go from 0 to 1, seems to be of another scale.
_OTHER_SCALE = 10
#: Fewer numbers may be the mean or difference of others by chance, and so may whole numbers, however many.
_LEAST_NUMBERS = 5
#: Of more systems, no differences are looked for.
_MOST_SYSTEMS = 9
#: How far rounded numbers are from those that they were made of.
_ROUNDED = 6e-4


def odd_scores(test_set: TestSet, names: Iterable[str]) -> list[str]:
    """Return warnings of scores on two scales, with numbers for missing ones, or made of those of other systems."""
    messages = []
    for name in names:
        columns = test_set.scores.get(name, {})
        present = {system: column[~np.isnan(column)] for system, column in columns.items()}
        marks = {system: _marks(numbers) for system, numbers in present.items()}
        unmarked = {system: numbers[~np.isin(numbers, marks[system])] for system, numbers in present.items()}
        odd = [
            *_odd_scales(unmarked),
            *(
                _missing(system, mark, present[system], unmarked[system])
                for system, marks_of_system in marks.items()
                for mark in marks_of_system
            ),
            *_made_of_others({system: columns[system] for system, numbers in present.items() if len(numbers)}),
        ]
        messages += [f"{test_set.name}: {name}: {message}" for message in odd]
    return messages


def gated_oddities(test_set: TestSet, name: str) -> Iterator[str]:
    """Yield what a gate by a score must not pass over: two scales, or one system with nothing but a mark."""
    columns = test_set.scores.get(name, {})
    present = {system: column[~np.isnan(column)] for system, column in columns.items()}
    unmarked = {}
    for system, numbers in present.items():
        unmarked[system] = numbers[~np.isin(numbers, _marks(numbers))]
        values = {*numbers.tolist()}
        marks = values & {*_NEGATIVE_MARKS, *_POSITIVE_MARKS}
        if len(present) > 1 and len(values) == 1 and marks:
            yield f"all numbers of {named([system])} are {marks.pop():g}, which mostly stands for a missing one."
    yield from _odd_scales(unmarked)


def n_marked(numbers: NDArray[np.float64]) -> int:
    """Return how many numbers seem to stand for a missing one: -1, 999 or the like, alone beyond all others."""
    present = numbers[~np.isnan(numbers)]
    return int(np.isin(present, _marks(present)).sum())


def _odd_scales(numbers: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """Yield a warning where one system seems to have shares of 1, and another percent."""
    present = {system: column for system, column in numbers.items() if len(column) and column.min() >= 0}
    shares = [system for system, column in present.items() if 0 < column.max() <= 1]
    if not shares:
        return
    least = max(_OTHER_SCALE * float(present[system].mean()) for system in shares)
    larger = [system for system, column in present.items() if column.max() > 2 and column.mean() >= least]
    if larger:
        low, high = present[larger[0]].min(), present[larger[0]].max()
        yield (
            f"the numbers of {named(shares)} are from 0 to 1, those of {named(larger[:1])} from {low:g} to {high:g}: "
            "are they of one scale? They are compared as given."
        )


def _marks(numbers: NDArray[np.float64]) -> list[float]:
    """Return the numbers that seem to say that there is none: alone beyond all others."""
    marks = []
    for mark in sorted({*numbers.tolist()} & {-1, *_NEGATIVE_MARKS, *_POSITIVE_MARKS}):
        others = numbers[numbers != mark]
        if len(others) < _LEAST_UNMARKED:
            continue
        if mark == -1:
            is_mark = others.min() > 0 and len(numbers) - len(others) >= _LEAST_ONES
        else:
            is_mark = others.min() >= 0 if mark < 0 else others.max() <= _POSITIVE_MARKS[int(mark)]
        if is_mark:
            marks.append(mark)
    return marks


def _missing(system: str, mark: float, numbers: NDArray[np.float64], unmarked: NDArray[np.float64]) -> str:
    """Return the warning of a number that seems to say that there is none."""
    times = int((numbers == mark).sum())
    subject = f"{times:,} numbers of {named([system])} are" if times > 1 else f"1 number of {named([system])} is"
    return (
        f"{subject} {mark:g}, the others are from {unmarked.min():g} to {unmarked.max():g}: if that stands for a "
        "missing score, leave it empty."
    )


def _made_of_others(columns: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """Yield warnings of systems whose numbers are the mean of all others', or the difference of two."""
    columns = {
        system: column
        for system, column in columns.items()
        if len(column) >= _LEAST_NUMBERS and not np.array_equal(column, np.round(column), equal_nan=True)
    }
    if len(columns) < 3:
        return
    made_of = {
        system: "the means of the others'"
        for system, column in columns.items()
        if _are_equal(column, np.mean([other for name, other in columns.items() if name != system], axis=0))
    }
    differences = {
        system: f"those of {shorten(name)} less those of {shorten(other)}"
        for system, name, other in permutations(columns if len(columns) <= _MOST_SYSTEMS else (), 3)
        if _are_equal(columns[system], columns[name] - columns[other])
    }
    if differences:
        # Each of two systems is the other less their difference, whose numbers are the smallest.
        smallest = min(differences, key=lambda system: float(np.nanmean(np.abs(columns[system]))))
        made_of[smallest] = differences[smallest]
    for system, origin in made_of.items():
        if not any(_are_equal(columns[system], other) for name, other in columns.items() if name != system):
            yield f"the numbers of {named([system])} are {origin}: leave the column out if it is no system."


def _are_equal(column: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Return whether numbers are the same but for rounding; the first tells most of them apart."""
    if abs(column[0] - other[0]) > _ROUNDED:
        return False
    return bool(np.allclose(column, other, rtol=0, atol=_ROUNDED, equal_nan=True) and np.nanstd(column) > _ROUNDED)
