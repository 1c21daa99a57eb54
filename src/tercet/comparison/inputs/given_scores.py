"""Scores that came with the texts, or alone: which columns are compared, and their numbers by system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.comparison.specs.metric_specs import parse_column
from tercet.errors import InputError, OptionError, argument, did_you_mean, shorten, warn
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, counted, joined
from tercet.option_checks import has_entries, plain_list, read_once
from tercet.registry import SHORT_NAMES
from tercet.statistics.stats import SegmentStats
from tercet.test_sets.test_set import TestSet, without_texts

#: How numbers are given.
_SCORES = "scores={'COMET': {'base': [0.7, 0.8], 'tuned': [0.9, 0.8]}}"

#: Words of which the names of scores consist, with those of metrics, and numbers.
_WORDS_OF_SCORES = frozenset(
    {*SHORT_NAMES, "bleurt", "comet", "comet22", "kiwi", "xcomet", "metricx", "bertscore", "accuracy", "acc", "f1"}
    | {"em", "exact", "match", "score", "cer", "rouge1", "rouge2", "rougel", "sacrebleu", "loss"}
)


#: Numbers of segments by system, as a user gives them.
_BySystem = Mapping[str, Any]


def as_compared(metric: Metric, test_set: TestSet) -> Metric:
    """Return a metric with a comparison's defaults, where the user says nothing: percent, and which way is better.

    Of columns, only those of 0 and 1 are in percent; a log, or its name, may say that lower numbers are better.
    """
    if not isinstance(metric, Column):
        return metric.with_defaults(scale=100)
    column = metric
    if column.name in test_set.lower_is_better:
        column = column.with_defaults(better="lower")
    return column.of_shares(numbers_of(column, test_set).values())


def read_columns(scores: Any) -> dict[Column, _BySystem | None]:
    """Return the columns that `scores` names, each with the numbers of systems if it is a mapping to them."""
    if scores is None:
        return {}
    is_list = has_entries(scores) and not isinstance(scores, str)
    names = list(scores) if is_list else [scores]
    if not all(isinstance(name, str | Column) for name in names):
        raise OptionError(
            f"{argument('scores')} takes numbers by the name of a column and the system, such as "
            f"{{'COMET': {{'base': [0.7, 0.8], 'tuned': [0.9, 0.8]}}}}, or names of columns. Got {shorten(scores)}."
        )
    columns: dict[Column, _BySystem | None] = {}
    for name in names:
        by_system = scores[name] if isinstance(scores, Mapping) else None
        column = parse_column(name) if isinstance(name, str) else name
        if isinstance(scores, Mapping) and not (isinstance(by_system, Mapping) and by_system):
            raise InputError(
                f"The column {shorten(column.name)}: expected the numbers of each system, such as "
                f"{{'base': [0.7, 0.8], 'tuned': [0.9, 0.8]}}. Got {shorten(by_system)}."
            )
        if any(column.name == earlier.name for earlier in columns):
            raise OptionError(f"The column {shorten(column.name)} is given twice.")
        columns[column] = by_system
        if by_system is not None:
            columns[column] = {system: read_once(numbers) for system, numbers in by_system.items()}
    return columns


def scores_alone(columns: Mapping[Column, _BySystem | None]) -> TestSet:
    """Return a test set of numbers without texts."""
    by_system = next((numbers for numbers in columns.values() if numbers), None)
    if by_system is None:
        raise InputError(f"There is nothing to compare: give the texts of each system, or numbers, as {_SCORES}.")
    for system in by_system:
        if not isinstance(system, str):
            raise InputError(f"The names of systems must be strings, got {shorten(system)}.")
    names = [column.name for column in columns]
    test_set = without_texts(
        "test set", list(by_system), len(_numbers_of_system(names[0], *next(iter(by_system.items()))))
    )
    if any(map(_is_score, names)) or not all(map(_is_score, by_system)):
        return test_set
    systems = joined(list(map(shorten, by_system)), MOST_NAMED)
    scores = joined(list(map(shorten, names)), MOST_NAMED)
    message = (
        f"Systems are {systems} here, and scores {scores}: numbers are given by the score, and then by the system, "
        f"as {_SCORES}."
    )
    warn(message)
    return replace(test_set, warnings=(message,))


def _is_score(name: str) -> bool:
    """Return whether a name is one of a score, such as BLEURT-20."""
    words = re.findall(r"[a-z]+\d*", name.casefold())
    return bool(words) and set(words) <= _WORDS_OF_SCORES


def with_scores(test_set: TestSet, columns: Mapping[Column, _BySystem | None]) -> TestSet:
    """Return the test set with the numbers of columns; InputError where a system, or a number of it, is missing."""
    scores = {
        column.name: _of_systems(test_set, column.name, by_system)
        for column, by_system in columns.items()
        if by_system
    }
    if not scores:
        return test_set
    # Here, as most comparisons are of texts alone.
    from tercet.files.columns.scores import directions_of

    directions = directions_of(scores)
    return replace(
        test_set,
        scores={**test_set.scores, **scores},
        lower_is_better=(*test_set.lower_is_better, *directions.lower),
        higher_is_better=(*test_set.higher_is_better, *directions.higher),
    )


def numbers_of(column: Column, test_set: TestSet) -> dict[str, NDArray[np.float64]]:
    """Return the numbers of each system in a column; InputError where the test set has no such column."""
    scores = test_set.scores
    if column.name not in scores:
        hint = did_you_mean(column.name, scores) if scores else f"Give them, as {_SCORES}."
        raise InputError(f"{test_set.name} has no scores {shorten(column.name)}. {hint}")
    return {system: scores[column.name][system] for system in test_set.systems}


def column_stats(column: Column, test_set: TestSet) -> list[SegmentStats]:
    """Return the rows of each system from the numbers of a column."""
    try:
        return column.stats_of(numbers_of(column, test_set))
    except InputError as error:
        raise InputError(f"{test_set.name}: {error}") from None


def _of_systems(test_set: TestSet, name: str, by_system: _BySystem) -> dict[str, NDArray[np.float64]]:
    for system in by_system:
        if system not in test_set.systems:
            hint = did_you_mean(system, test_set.systems)
            raise InputError(
                f"The column {shorten(name)} has numbers of {shorten(system)}, which is no system. {hint}"
            )
    numbers = {}
    for system in test_set.systems:
        if system not in by_system:
            raise InputError(f"The column {shorten(name)} has no numbers of the system {shorten(system)}.")
        numbers[system] = _numbers_of_system(name, system, by_system[system])
        if len(numbers[system]) != test_set.n_segments:
            raise InputError(
                f"The column {shorten(name)} of the system {shorten(system)} must have "
                f"{counted(test_set.n_segments, 'number')}, one for each segment, got {len(numbers[system]):,}."
            )
    return numbers


def _numbers_of_system(name: str, system: str, values: Any) -> NDArray[np.float64]:
    if isinstance(values, str | bytes | Mapping) or not has_entries(values):
        raise InputError(
            f"The column {shorten(name)} of the system {shorten(system)}: expected a number for each segment, got "
            f"{shorten(values)}."
        )
    from tercet.files.numbers import read_numbers

    return read_numbers(plain_list(values), f"{shorten(name)} of {shorten(system)}")
