"""Scores that came with the texts, or alone: which columns are compared, and their numbers by system."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.checks import has_entries
from tercet.comparison.specs.metric_specs import metric_of, parse_column
from tercet.comparison.values.sections import Section
from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, shorten, warn
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, joined
from tercet.registry import SHORT_NAMES
from tercet.statistics.intervals import ConfidenceInterval
from tercet.statistics.stats import SegmentStats
from tercet.statistics.tango import tango
from tercet.statistics.wilson import wilson
from tercet.test_sets.score_warnings import gated_oddities
from tercet.test_sets.test_set import TestSet, without_texts

if TYPE_CHECKING:
    from tercet.comparison.values.scores import ScoreTable

#: How numbers are given.
_SCORES = "scores={'COMET': {'base': [0.7, 0.8], 'tuned': [0.9, 0.8]}}"

#: Words of which the names of scores consist, with those of metrics, and numbers.
_WORDS_OF_SCORES = frozenset(
    {*SHORT_NAMES, "bleurt", "comet", "comet22", "kiwi", "xcomet", "metricx", "bertscore", "accuracy", "acc", "f1"}
    | {"em", "exact", "match", "score", "cer", "rouge1", "rouge2", "rougel", "sacrebleu", "loss"}
)

#: What lm-evaluation-harness calls the score of a task that it does not score.
_PLACEHOLDERS = ("bypass",)

#: Numbers of segments by system, as a user gives them.
_BySystem = Mapping[str, Any]


def default_metrics(test_set: TestSet) -> list[Metric]:
    """Return what is compared where no metric is named: the scores that came with the texts, or else BLEU.

    Scores that are placeholders are none; texts beside them are compared by chrF.
    """
    if not test_set.scores:
        return [metric_of("bleu_multi")]
    columns = [name for name in test_set.scores if placeholder_of(test_set, name) is None]
    if columns or test_set.no_texts:
        return [Column(name) for name in columns or test_set.scores]
    return [metric_of("chrf")]


def placeholder_of(test_set: TestSet, name: str) -> float | None:
    """Return the number that a column has in every segment of every system; None where numbers differ.

    Answers that are all right or all wrong, 1 or 0, are no placeholders, but for scores that a harness calls so.
    """
    numbers = np.concatenate(list(test_set.scores[name].values()))
    numbers = numbers[~np.isnan(numbers)]
    if len(numbers) < 2 or (numbers != numbers[0]).any():
        return None
    may_be_answers = numbers[0] in (0, 1) and name not in _PLACEHOLDERS
    return None if may_be_answers else float(numbers[0])


def placeholders_left_out(test_set: TestSet) -> list[str]:
    """Return a message for each column that is not compared by default, as it tells nothing apart."""
    messages = []
    for name in test_set.scores:
        number = placeholder_of(test_set, name)
        if number is not None and not test_set.no_texts:
            messages.append(
                f"{test_set.name}: {name} is {number:g} in every segment of every system: a placeholder, which is "
                "left out."
            )
    return messages


def in_percent(metric: Metric, test_set: TestSet) -> Metric:
    """Return the metric in percent, unless the user set a scale; columns only of 0 and 1, and as lower is better."""
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
            columns[column] = {system: _read_once(numbers) for system, numbers in by_system.items()}
    return columns


def _read_once(numbers: Any) -> Any:
    """Return numbers that can be read again: an iterator's as a list."""
    return list(numbers) if isinstance(numbers, Iterator) else numbers


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


def share_interval(metric: Metric, stats: SegmentStats, level: float) -> ConfidenceInterval:
    """Return Wilson's interval of the mean of numbers that are 0 or 1."""
    low, high = wilson(float(stats.column("value").sum()), len(stats), level)
    return ConfidenceInterval(metric.scale * low, metric.scale * high)


def share_difference_interval(
    metric: Metric, baseline: SegmentStats, stats: SegmentStats, level: float
) -> ConfidenceInterval:
    """Return Tango's interval of a mean of numbers that are 0 or 1, less that of the baseline."""
    right = stats.column("value")
    right_of_baseline = baseline.column("value")
    only_here = int((right > right_of_baseline).sum())
    only_baseline = int((right < right_of_baseline).sum())
    low, high = tango(only_here, only_baseline, len(right), level)
    return ConfidenceInterval(metric.scale * low, metric.scale * high)


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
                f"The column {shorten(name)} of the system {shorten(system)} must have {test_set.n_segments:,} "
                f"number{'s' * (test_set.n_segments != 1)}, one for each segment, got {len(numbers[system]):,}."
            )
    return numbers


def _numbers_of_system(name: str, system: str, values: Any) -> NDArray[np.float64]:
    if isinstance(values, str | bytes | Mapping) or not has_entries(values):
        raise InputError(
            f"The column {shorten(name)} of the system {shorten(system)}: expected a number for each segment, got "
            f"{shorten(values)}."
        )
    # Arrow has to_pylist, NumPy and pandas have tolist: both give plain Python.
    to_list = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    cells = list(values) if to_list is None else to_list()
    from tercet.files.numbers import read_numbers

    return read_numbers(cells, f"{shorten(name)} of {shorten(system)}")


def check_gated(table: ScoreTable, test_set: TestSet, how: str) -> None:
    """Raise an OptionError where nobody says which numbers of a column are better, or where all are the same."""
    column = table.scorer
    name = table.name
    number = placeholder_of(test_set, name) if isinstance(column, Column) and name in test_set.scores else None
    if number is not None:
        raise OptionError(
            f"{how}: {shorten(name)} is {number:g} in every segment of every system: a placeholder, by which nothing "
            "passes or fails."
        )
    odd = list(gated_oddities(test_set, name)) if isinstance(column, Column) else []
    if odd:
        raise OptionError(f"{how}: {test_set.name}: {name}: {odd[0]} A gate does not take such numbers.")
    if knows_direction(test_set, column, name):
        return
    raise OptionError(
        f"{how}: its name does not say whether higher or lower numbers of {shorten(name)} are better. A comparison "
        f"takes higher ones; a gate is told: {argument_set('scores', f'{name}:better=lower')}, or better=higher."
    )


def knows_direction(test_set: TestSet, metric: Metric, name: str) -> bool:
    """Return whether somebody, or the score's name, says which of its values are better."""
    is_said = name in test_set.lower_is_better or name in test_set.higher_is_better
    return is_said or not isinstance(metric, Column) or "better" in metric.written


def direction_section(test_set: TestSet, table: ScoreTable) -> Section | None:
    """Return that higher numbers of a score are taken as better, where nobody says it; None where it is known."""
    name = table.name
    if len(table.rows) < 2 or knows_direction(test_set, table.scorer, name):
        return None
    sentence = (
        f"Whether higher or lower numbers of {shorten(name)} are better is not known: higher ones are taken as "
        f"better ({argument_set('scores', f'{name}:better=lower')} takes lower ones)."
    )
    return Section("direction", f"Direction of {table.title}", [(sentence,)], None, {"assumed": "higher"})


def is_share(table: ScoreTable) -> bool:
    """Return whether a score goes from 0 to its scale."""
    return table.scorer.unit == "share" and all(row.value <= table.scorer.scale for row in table.rows)


def check_below_scale(table: ScoreTable, difference: float, how: str) -> None:
    """Raise an OptionError for a difference that no two values of a share have; `how` stands before it."""
    scale = table.scorer.scale
    if is_share(table) and table.higher_is_better and difference >= scale:
        raise OptionError(
            f"{how}{difference:g}: expected less than {scale:g}, as {table.title} goes from 0 to {scale:g}."
        )


def check_within(table: ScoreTable, difference: float, name: str) -> None:
    """Raise an OptionError for a difference that is larger than any of a column's numbers."""
    numbers = [value for values in table.segments.values() for value in values if value is not None]
    if isinstance(table.scorer, Column) and numbers and difference >= max(numbers) - min(numbers) > 0:
        raise OptionError(
            f"{name} {difference:g} is more than any that {table.name} can show, whose numbers go from "
            f"{min(numbers):g} to {max(numbers):g}."
        )
