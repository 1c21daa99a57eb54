"""What keeps a test set from being scored: errors, in the words of users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tercet.base.metric import Metric
from tercet.errors import InputError, OptionError, did_you_mean, on_command_line, shorten, warn
from tercet.names_as_shown import counted, joined
from tercet.statistics.stats import SegmentStats

from .named_columns import MOST_LISTED
from .test_set import TestSet


def check_has_texts(test_set: TestSet, reader: str) -> None:
    """Raise an InputError for a test set without the texts that are read; warn where they say little of its task."""
    if test_set.no_texts:
        raise InputError(f"{test_set.name} has no texts for {reader}: {test_set.no_texts}.")
    if test_set.exact_task:
        warn(test_set.exact_task)


def check_baseline(baseline: str | None, systems: Iterable[str]) -> None:
    """Raise an OptionError for a baseline that is not a system."""
    names = list(systems)
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise OptionError(f"There is no system {shorten(baseline)} to use as the baseline. {hint}")


def check_segment(test_set: TestSet, segment: int) -> None:
    """Raise an InputError for the number of a segment, from 1, that a test set does not have."""
    n_segments = test_set.n_segments
    if not 1 <= segment <= n_segments:
        raise InputError(
            f"{test_set.name} has no segment {segment:,}: its segments are numbered 1 to {n_segments:,}."
        )


def check_references(test_set: TestSet, metric: Metric, metric_name: str) -> None:
    """Raise an InputError for the first segment without a reference, unless the options allow it.

    The metric has the name by which a user gives it.
    """
    if metric.missing_references != "error":
        return
    segments = test_set.missing
    if segments:
        problem = f"segment {segments[0] + 1:,} has no reference"
        if segments[0] in test_set.without_reference:
            problem += f" ({test_set.without_reference[segments[0]]})"
        n_others = len(segments) - 1
        if n_others == 1:
            problem += " (nor does 1 other)"
        elif n_others:
            problem += f" (nor do {n_others:,} others)"
        with_option = f"{metric_name}:missing_references=skip"
        how = f"-m {with_option}" if on_command_line() else repr(with_option)
        raise InputError(f"{test_set.name}, {problem}; {how} leaves such segments out.")


def check_gaps(test_set: TestSet, metric: Metric, stats: Sequence[SegmentStats]) -> None:
    """Warn of segments that were scored for some systems only: a comparison leaves them out for all.

    Where no segment is left, an InputError says how many each system has.
    """
    is_scored = np.array([system_stats.column("items") > 0 for system_stats in stats])
    for_all = is_scored.all(axis=0)
    if not for_all.any():
        numbers = []
        for system, n_scored in zip(test_set.systems, is_scored.sum(axis=1), strict=True):
            numbers.append(f"{shorten(system)} has {n_scored:,}")
        raise InputError(
            f"{test_set.name}: {metric.name}: no segment was scored for every system: of {is_scored.shape[1]:,} "
            f"segments, {joined(numbers, MOST_LISTED)}."
        )
    n_gaps = int((is_scored.any(axis=0) & ~for_all).sum())
    if n_gaps:
        one = "segment is not scored for every system, and is"
        many = "segments are not scored for every system, and are"
        warn(f"{test_set.name}: {metric.name}: {counted(n_gaps, one, many)} left out for all of them.")
