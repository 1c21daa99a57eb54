"""Slices of a test set, such as its domains: which segment is in which."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, OptionError, argument, did_you_mean, shorten
from tercet.option_checks import has_entries, plain_list
from tercet.test_sets.labels import LENGTH, NO_LABEL, column_and_pattern, slice_labels
from tercet.test_sets.length_buckets import buckets_of
from tercet.test_sets.test_set import TestSet

#: With more slices than these, the labels look like ids.
_MOST_SLICES = 50
#: The slices of a pattern without a group.
_MATCHES = "matches"
_NO_MATCH = "does not match"


@dataclass(frozen=True, slots=True)
class Slices:
    """A label for each segment: those with the same label are a slice.

    Attributes
    ----------
    by : str
        What the labels are, such as ``domain``.
    names : list of str
        The different labels, in the order of the test set.
    numbers : ndarray of int, shape (n,)
        The index of each segment's label in `names`.
    """

    by: str
    names: list[str]
    numbers: NDArray[np.int64]


def slices_of(test_set: TestSet, by: Any) -> list[Slices]:
    """Return the slices of a test set for each column, pattern or length that `by` names, or labels that it gives."""
    if by is None:
        return []
    if isinstance(by, Mapping):
        labels_of = {name: _labels_of(test_set, name, labels) for name, labels in by.items()}
        return [_slices(name, labels, list(dict.fromkeys(labels)), "") for name, labels in labels_of.items()]
    specs = list(by) if has_entries(by) and not isinstance(by, str) else [by]
    if not all(isinstance(spec, str) for spec in specs):
        raise OptionError(
            f"{argument('by')} takes the name of a column, {LENGTH!r}, 'COLUMN~REGEX', a list of them, or labels, as "
            f"{{'domain': labels}}. Got {shorten(by)}."
        )
    return [_slices_of_spec(test_set, spec) for spec in dict.fromkeys(specs)]


def _labels_of(test_set: TestSet, name: Any, labels: Any) -> list[str]:
    if not isinstance(name, str) or isinstance(labels, str | bytes | Mapping) or not has_entries(labels):
        raise InputError(
            f"{argument('by')}: expected labels by their name, as {{'domain': labels}}. Got {shorten(labels)} for "
            f"{shorten(name)}."
        )
    cells = plain_list(labels)
    if len(cells) != test_set.n_segments:
        raise InputError(
            f"{argument('by')}: {shorten(name)} must have a label for each segment, got {len(cells):,} labels for "
            f"{test_set.n_segments:,} segments."
        )
    return slice_labels(cells, lambda row: f"{argument('by')}: {shorten(name)}, label {row + 1:,}")


def _slices_of_spec(test_set: TestSet, spec: str) -> Slices:
    if spec == LENGTH:
        return _by_length(test_set)
    name, pattern = column_and_pattern(spec, test_set.slices)
    if name not in test_set.slices:
        hint = did_you_mean(name, [*test_set.slices, LENGTH])
        raise InputError(
            f"{test_set.name} has no column {shorten(name)} for {argument('by')}. {hint} A column of a file is read "
            f"by read_test_sets(..., by={shorten(name)}); other labels are given as {{{shorten(name)}: labels}}."
        )
    labels = test_set.slices[name]
    if pattern is None:
        by_part = f"; {shorten(f'{name}~REGEX')} slices by a part of the values"
        return _slices(name, labels, list(dict.fromkeys(labels)), by_part)
    has_group = bool(re.compile(pattern).groups)
    parts = []
    for label in labels:
        match = re.search(pattern, "" if label == NO_LABEL else label)
        if match is None:
            parts.append(_NO_MATCH)
        elif has_group:
            parts.append(match[1] or NO_LABEL)
        else:
            parts.append(_MATCHES)
    names_of_parts = list(dict.fromkeys(parts))
    if not has_group:
        names_of_parts = [name for name in (_MATCHES, _NO_MATCH) if name in names_of_parts]
    return _slices(spec, parts, names_of_parts, "; let the group of the pattern match less")


def _by_length(test_set: TestSet) -> Slices:
    buckets = None if test_set.no_texts else buckets_of(test_set, range(test_set.n_segments))
    if buckets is None:
        raise InputError(f"{test_set.name} has no references and no sources, whose length could be that of a slice.")
    names = [f"{label} {buckets.unit}" for label in buckets.labels]
    if len(buckets.lengths) < test_set.n_segments:
        # Of those without a reference, where others have one.
        names.append(NO_LABEL)
    numbers = np.full(test_set.n_segments, len(names) - 1, np.int64)
    for number, members in enumerate(buckets.members):
        numbers[members] = number
    return Slices(f"{LENGTH} of the {buckets.of}", names, numbers)


def _slices(by: str, labels: Sequence[str], names: list[str], advice: str) -> Slices:
    """Return the slices of labels; of too many, an InputError ends with the advice."""
    if len(names) > _MOST_SLICES:
        raise InputError(
            f"{shorten(by)} has {len(names):,} different values, such as {shorten(names[0])}: it looks like an id. "
            f"Expected at most {_MOST_SLICES} slices{advice}."
        )
    # Half of a UTF-16 pair cannot be written.
    by = by.encode("utf-8", "backslashreplace").decode()
    number_of = {name: number for number, name in enumerate(names)}
    return Slices(by, names, np.array([number_of[label] for label in labels], np.int64))


def slice_warnings(test_set: TestSet, slices: Sequence[Slices]) -> list[str]:
    """Return warnings of what slices nothing."""
    return [
        f"{test_set.name}: by {shorten(one.by)}, all segments are {shorten(one.names[0])}: the slice is the whole."
        for one in slices
        if len(one.names) == 1
    ]
