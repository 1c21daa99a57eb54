"""Readings of runs that may not be meant, such as those that compare seeds with seeds: found, and said."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tercet.errors import OptionError, on_command_line, shorten

from .numbered_names import is_letter, is_number, numbers_of, shape_of, without_number, words_of
from .patterns import (
    USUAL,
    Reading,
    in_quotes,
    other_pattern,
    outputs_by_key,
    read,
    reading_of,
    reads,
    same_with_systems,
)


def check_reading(pattern: str, reading: Reading) -> None:
    """Raise an OptionError where the runs look like systems, and the systems like the numbers of runs."""
    if not _is_swapped(reading) or reading.names_systems:
        return
    if not _are_numbers(reading) and not _ends_in_number(reading):
        return
    other = other_pattern(pattern, reading)
    hint = "The last group must be around the number of the run."
    if other is not None:
        hint = f"Is {_setting(other)} meant? It reads {reading_of(other, reading).in_words()}."
    raise OptionError(
        f"{_setting(pattern)} reads {reading.in_words()}: seeds would be compared with seeds. The last group is the "
        f"run, and here it holds what looks like the system. {hint} Where numbers do name the systems, a mapping in "
        "Python says so."
    )


def reading_warnings(outputs: Sequence[str], runs: Any, members_of: Mapping[str, Sequence[str]]) -> list[str]:
    """Return warnings of runs that may have been read otherwise than they are meant."""
    if isinstance(runs, Mapping):
        return list(_of_mapping({system: members_of[system] for system in runs if system in members_of}, outputs))
    pattern = re.compile(runs)
    reading = read(pattern, outputs)
    return [*_of_pattern(pattern.pattern, reading), *_of_the_rest(pattern.pattern, reading, outputs)]


def runs_hint(outputs: Sequence[str]) -> str:
    """Return that outputs look like runs of systems, and the pattern that says so; "" where they do not."""
    for usual in USUAL:
        reading = read(re.compile(usual), outputs)
        if not _has_the_same_runs(reading):
            continue
        names = list(reading.system_of)
        return (
            f"{in_quotes(names)} look like runs of {in_quotes(list(reading.systems))}, such as seeds. If they are, "
            f"{_setting(usual)} compares the systems by the mean of their runs."
        )
    return ""


def _has_the_same_runs(reading: Reading) -> bool:
    """Return whether there are two systems or more with names, each with the same two or more runs."""
    systems = reading.systems
    runs = reading.by_run
    if len(systems) < 2 or len(runs) < 2:
        return False
    if any(is_number(system) or not words_of(system) for system in systems):
        return False
    # Each number is once with each system.
    return all(len(outputs) == len(systems) for outputs in runs.values())


def _is_swapped(reading: Reading) -> bool:
    """Return whether the systems of a reading differ by a number alone, and its runs have letters."""
    systems = list(reading.systems)
    runs = list(reading.by_run)
    if any(is_number(run) or not words_of(run) for run in runs):
        return False
    if not _ends_in_number(reading) and all(is_letter(run) for run in runs):
        # 1-a and 1-b may well be runs a and b of system 1.
        return False
    if _are_numbers(reading):
        return True
    is_one_shape = len(systems) > 1 and len({shape_of(system) for system in systems}) == 1
    # Systems with runs of the same names: base-1 and base-2 beside tuned-1 and tuned-2.
    is_crossed = any(len(outputs) > 1 for outputs in reading.by_run.values())
    return is_one_shape and is_crossed


def _are_numbers(reading: Reading) -> bool:
    return all(is_number(system) for system in reading.systems)


def _ends_in_number(reading: Reading) -> bool:
    """Return whether what tells the systems apart is a number behind the run in the names, as in base-1."""
    heads, tails = zip(*reading.around.values(), strict=True)
    return len(set(heads)) == 1 and all(map(is_number, tails))


def _of_pattern(pattern: str, reading: Reading) -> Iterator[str]:
    """Yield that systems and runs may be swapped, where this may also be meant: both patterns are shown."""
    if not _is_swapped(reading) or (reading.names_systems and not _are_numbers(reading)):
        return
    other = other_pattern(pattern, reading)
    if other is None:
        return
    same = same_with_systems(pattern, reading)
    as_read = "" if same is None else f"; for {in_quotes(list(reading.systems))}: {_setting(same)}"
    yield (
        f"{_setting(pattern)} reads {reading.in_words()}. If these systems are seeds, seeds are compared with seeds. "
        f"For the systems {in_quotes(list(reading_of(other, reading).systems))}: {_setting(other)}{as_read}."
    )


def _of_the_rest(pattern: str, reading: Reading, outputs: Sequence[str]) -> Iterator[str]:
    """Yield that outputs which a pattern does not match are numbered as the runs are."""
    numbers = {numbers_of(run) for run in reading.run_of.values()}
    rest: dict[str, list[str]] = {}
    for output in outputs:
        if output not in reading.system_of and numbers_of(output) in numbers:
            rest.setdefault(shape_of(output), []).append(output)
    for alike in rest.values():
        if len(alike) < 2 or not all(numbers_of(output) for output in alike):
            continue
        wanted = [*reading.systems.values(), alike]
        other = next((usual for usual in USUAL if reads(usual, wanted)), None)
        how = "" if other is None else f" {_setting(other)} makes them runs of one."
        yield (
            f"{in_quotes(alike)} do not match {_setting(pattern)}, and are compared as {len(alike):,} systems with "
            f"one run each, though they are numbered as {in_quotes(list(reading.system_of))} are.{how}"
        )


def _of_mapping(members_of: Mapping[str, Sequence[str]], outputs: Sequence[str]) -> Iterator[str]:
    """Yield that the runs of each system have the same number, but other names: as base-1 and tuned-1."""
    several = {system: runs for system, runs in members_of.items() if len(runs) > 1}
    if not several or not all(map(_share_one_number, several.values())):
        return
    if not all(map(is_number, several)) and not _are_named_crosswise(several):
        return
    runs_of_all = [output for runs in several.values() for output in runs]
    if not _differ_in_words(runs_of_all):
        return
    shapes = set(map(shape_of, runs_of_all))
    alike = [output for output in outputs if shape_of(output) in shapes]
    systems = outputs_by_key({output: without_number(output) for output in alike})
    first, runs = next(iter(several.items()))
    meant = ", ".join(f"{system!r}: {names!r}" for system, names in systems.items())
    yield (
        f"{in_quotes(runs)} are the runs of {shorten(first)}, with the same number and other names. If it is the "
        f"number of a seed, seeds are compared with seeds. For the systems {in_quotes(list(systems))}: "
        f"runs={{{meant}}}."
    )


def _share_one_number(runs: Sequence[str]) -> bool:
    """Return whether the names of a system's runs have one and the same number, and all differ in what is around."""
    numbers = set(map(numbers_of, runs))
    shapes = set(map(shape_of, runs))
    return len(numbers) == 1 and numbers != {()} and len(shapes) == len(runs)


def _are_named_crosswise(members_of: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the runs of all systems have the same names but for numbers, none with its system's name."""
    for system, runs in members_of.items():
        if any(system in output for output in runs):
            return False
    shapes = [set(map(shape_of, runs)) for runs in members_of.values()]
    return len(shapes) > 1 and all(shapes_of_system == shapes[0] for shapes_of_system in shapes)


def _differ_in_words(names: Sequence[str]) -> bool:
    """Return whether names differ in more than numbers and single letters."""
    first, *others = [set(words_of(name)) for name in names]
    differing = first.union(*others) - first.intersection(*others)
    return not all(map(is_letter, differing))


def _setting(pattern: str) -> str:
    """Return the option with a pattern as the user would write it."""
    if on_command_line():
        return f"--runs {shlex.quote(pattern)}"
    return f"runs={pattern!r}" if "'" in pattern else f"runs=r'{pattern}'"
