"""Which outputs are runs of a system, such as its seeds: as a mapping says, or a pattern of their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.errors import OptionError, argument, did_you_mean, shorten
from tercet.names_as_shown import MOST_NAMED, joined
from tercet.option_checks import has_entries

from .patterns import read
from .run_warnings import check_reading


def members(systems: Sequence[str], runs: Any) -> dict[str, list[str]]:
    """Return the outputs that are runs of each system, by its name, in the order of the outputs.

    `runs` is a mapping of them, or a regular expression for the whole name of an output. Its last group is the run,
    the groups before it are the system's name, and without these, what remains of the output's name. An output that
    does not match, or that the mapping does not name, is a system with one run.
    """
    if isinstance(runs, Mapping):
        system_of = _systems_of_mapping(systems, runs)
    else:
        system_of = _systems_of_pattern(systems, runs)
    members_of: dict[str, list[str]] = {}
    for output in systems:
        system = system_of.get(output, output)
        if output in system_of and system in systems and system_of.get(system) != system:
            raise _error(f"{shorten(system)} is the name of a system and of an output: rename one.")
        members_of.setdefault(system, []).append(output)
    return members_of


def _systems_of_mapping(systems: Sequence[str], runs: Mapping[str, Any]) -> dict[str, str]:
    system_of: dict[str, str] = {}
    for system, outputs in runs.items():
        if not isinstance(system, str) or isinstance(outputs, str) or not has_entries(outputs):
            raise OptionError(
                f"{argument('runs')} must name the outputs of each system, as {{'tuned': ['tuned-1', 'tuned-2']}}. "
                f"Got {shorten(outputs)} for {shorten(system)}."
            )
        if not len(outputs):
            raise _error(f"{shorten(system)} has no outputs. Name them, or leave it out.")
        for output in outputs:
            if output not in systems:
                raise _error(f"there is no system {shorten(output)}. {did_you_mean(output, systems)}")
            if output in system_of:
                raise _error(f"{shorten(output)} is named twice.")
            system_of[output] = system
    return system_of


def _systems_of_pattern(systems: Sequence[str], runs: Any) -> dict[str, str]:
    try:
        pattern = re.compile(runs)
        # One of bytes cannot be used on names, which are texts.
        pattern.fullmatch("")
    except (TypeError, re.error) as error:
        raise OptionError(
            f"{argument('runs')} must be a regular expression such as 'tuned-(\\d+)'. Got {shorten(runs)}: {error}."
        ) from None
    if not pattern.groups:
        raise _error(f"{shorten(runs)} has no group that is the run, as in 'tuned-(\\d+)'.")
    reading = read(pattern, systems)
    system_of = reading.system_of
    if not system_of:
        names = joined(list(map(shorten, systems)), MOST_NAMED)
        raise _error(f"{shorten(runs)} matches no system: {names}.")
    nameless = next((output for output, system in system_of.items() if not system), None)
    if nameless is not None:
        raise _error(f"without its run, {shorten(nameless)} has no name: rename it, or give a mapping in Python.")
    first_of: dict[str, str] = {}
    for output, system in system_of.items():
        first = first_of.setdefault(system, output)
        if reading.parts_of[first] != reading.parts_of[output]:
            differing = f"{reading.parts_of[first]} and {reading.parts_of[output]}"
            raise _error(
                f"{shorten(first)} and {shorten(output)} would both be runs of {shorten(system)}, but their "
                f"groups differ: {differing}. Rename one, or give a mapping in Python."
            )
    check_reading(pattern.pattern, reading)
    return system_of


def _error(problem: str) -> OptionError:
    return OptionError(f"{argument('runs')}: {problem}")


def first_output(baseline: str | None, members_of: Mapping[str, Sequence[str]]) -> str | None:
    """Return the output that stands for a baseline, which may be called by the name of a system."""
    return members_of[baseline][0] if isinstance(baseline, str) and baseline in members_of else baseline
