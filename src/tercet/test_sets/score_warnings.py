"""What is odd in scores that came with the texts: two scales, numbers for missing ones, columns made of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from tercet.errors import shorten
from tercet.names_as_shown import counted

from .systems_in_words import systems_in_words
from .test_set import TestSet

#: Below 0, where the others are not: numbers that stand for a missing one.
_NEGATIVE_MARKS = (-9, -99, -999, -9999)
#: By mark, the greatest of the other numbers.
_POSITIVE_MARKS = {99: 1, 999: 100, 9999: 100}
#: Fewer numbers beside a mark show nothing.
_LEAST_UNMARKED = 3
#: -1 is a mark beside positive numbers alone, and where it repeats: it may be a score itself, as of a correlation.
#: So it is none where a system has no other number.
_LEAST_ONES = 2
#: So many times the mean of another system's numbers, which go from 0 to 1, seems to be of another scale (chosen:
#: percent are 100 times as much, and systems differ by less than this).
_OTHER_SCALE = 10
#: Fewer numbers may be the mean or difference of others by chance, and so may whole numbers, however many.
_LEAST_NUMBERS = 5
#: Of more systems, no differences are looked for: there are as many as systems to the power of three.
_MOST_SYSTEMS = 9
#: How far rounded numbers are from those that they were made of: a half of the third decimal, and a little.
_ROUNDED = 6e-4


def odd_scores(test_set: TestSet, names: Iterable[str]) -> list[str]:
    """Return warnings of scores on two scales, with numbers for missing ones, or made of those of other systems."""
    messages = []
    for name in names:
        columns = test_set.scores.get(name, {})
        present = {system: column[~np.isnan(column)] for system, column in columns.items()}
        unmarked = {}
        marked = []
        for system, numbers in present.items():
            marks = _marks(numbers)
            unmarked[system] = numbers[~np.isin(numbers, marks)]
            for mark in marks:
                marked.append(_mark_in_words(system, mark, numbers, unmarked[system]))
        with_numbers = {system: columns[system] for system, numbers in present.items() if len(numbers)}
        for message in [*_odd_scales(unmarked), *marked, *_made_of_others(with_numbers)]:
            messages.append(f"{test_set.name}: {name}: {message}")
    return messages


def gated_oddities(test_set: TestSet, name: str) -> Iterator[str]:
    """Yield what a gate by a score must not pass over: two scales, or one system with nothing but a mark."""
    columns = test_set.scores.get(name, {})
    present = {system: column[~np.isnan(column)] for system, column in columns.items()}
    unmarked = {}
    for system, numbers in present.items():
        unmarked[system] = numbers[~np.isin(numbers, _marks(numbers))]
        values = set(numbers.tolist())
        if len(present) < 2 or len(values) != 1:
            continue
        (value,) = values
        if value in _NEGATIVE_MARKS or value in _POSITIVE_MARKS:
            in_words = systems_in_words([system])
            yield f"all numbers of {in_words} are {value:g}, which mostly stands for a missing one."
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
        numbers_of_larger = present[larger[0]]
        yield (
            f"the numbers of {systems_in_words(shares)} are from 0 to 1, those of {systems_in_words(larger[:1])} "
            f"from {numbers_of_larger.min():g} to {numbers_of_larger.max():g}: are they of one scale? They are "
            "compared as given."
        )


def _marks(numbers: NDArray[np.float64]) -> list[float]:
    """Return the numbers that seem to say that there is none: alone beyond all others."""
    marks: list[float] = []
    possible_marks = {-1, *_NEGATIVE_MARKS, *_POSITIVE_MARKS}
    for mark in sorted(possible_marks.intersection(numbers.tolist())):
        others = numbers[numbers != mark]
        if len(others) < _LEAST_UNMARKED:
            continue
        if mark == -1:
            is_mark = others.min() > 0 and len(numbers) - len(others) >= _LEAST_ONES
        elif mark < 0:
            is_mark = others.min() >= 0
        else:
            is_mark = others.max() <= _POSITIVE_MARKS[mark]
        if is_mark:
            marks.append(mark)
    return marks


def _mark_in_words(system: str, mark: float, numbers: NDArray[np.float64], unmarked: NDArray[np.float64]) -> str:
    """Return the warning of a number that seems to say that there is none."""
    times = int((numbers == mark).sum())
    in_words = systems_in_words([system])
    subject = counted(times, f"number of {in_words} is", f"numbers of {in_words} are")
    return (
        f"{subject} {mark:g}, the others are from {unmarked.min():g} to {unmarked.max():g}: if that stands for a "
        "missing score, leave it empty."
    )


def _made_of_others(columns: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """Yield warnings of systems whose numbers are the mean of all others', or the difference of two."""
    fractions = {system: column for system, column in columns.items() if _are_fractions(column)}
    if len(fractions) < 3:
        return
    others_of = {}
    for system in fractions:
        others_of[system] = [column for name, column in fractions.items() if name != system]
    made_of: dict[str, str] = {}
    for system, others in others_of.items():
        if _are_equal(fractions[system], np.mean(others, axis=0)):
            made_of[system] = "the means of the others'"
    differences: dict[str, str] = {}
    if len(fractions) <= _MOST_SYSTEMS:
        for system, first, second in permutations(fractions, 3):
            if _are_equal(fractions[system], fractions[first] - fractions[second]):
                differences[system] = f"those of {shorten(first)} less those of {shorten(second)}"
    if differences:
        # Each of two systems is the other less their difference, whose numbers are the smallest.
        smallest = min(differences, key=lambda system: float(np.nanmean(np.abs(fractions[system]))))
        made_of[smallest] = differences[smallest]
    for system, origin in made_of.items():
        if not any(_are_equal(fractions[system], other) for other in others_of[system]):
            in_words = systems_in_words([system])
            yield f"the numbers of {in_words} are {origin}: leave the column out if it is no system."


def _are_fractions(column: NDArray[np.float64]) -> bool:
    """Return whether numbers are enough to be compared with others, and not all whole."""
    return len(column) >= _LEAST_NUMBERS and not np.array_equal(column, np.round(column), equal_nan=True)


def _are_equal(column: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Return whether numbers are equal but for rounding; the first tells most of them apart."""
    if abs(column[0] - other[0]) > _ROUNDED:
        return False
    return bool(np.allclose(column, other, rtol=0, atol=_ROUNDED, equal_nan=True) and np.nanstd(column) > _ROUNDED)
