"""What a pattern says of the names of outputs, their systems and runs; patterns that read them in another way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tercet.errors import shorten
from tercet.names_as_shown import MOST_NAMED, joined

from .numbered_names import SEPARATORS, is_number

#: A part of a pattern that may match the number of a run: a class of characters, numbers, or a group of them.
_ATOM = re.compile(r"(?:\\[dw]|\[[^\]]*\]|(?<!\\)\.|\d+|\(\?:[^()]*\))(?:\{\d+(?:,\d*)?\}|[+*?])?")

#: Patterns of names with a number at the end.
USUAL = (r"(.+)-(\d+)", r"(.+)_(\d+)", r"(.+)\.(\d+)", r"(.+)[-_./ ]seed[-_]?(\d+)", r"(.+?)(\d+)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a pattern says of outputs: the system and the run of each that it matches."""

    system_of: dict[str, str]
    run_of: dict[str, str]
    #: What stands before the run in its name, and after it.
    around: dict[str, tuple[str, str]]
    #: What the groups for the system found: the parts of its name.
    parts_of: dict[str, tuple[str, ...]]

    @property
    def names_systems(self) -> bool:
        """Whether the pattern has groups for the system."""
        return any(self.parts_of.values())

    @property
    def systems(self) -> dict[str, list[str]]:
        """The outputs of each system."""
        return outputs_by_key(self.system_of)

    @property
    def by_run(self) -> dict[str, list[str]]:
        """The outputs of each run: those of one system, if runs and systems are mistaken for each other."""
        return outputs_by_key(self.run_of)

    def in_words(self) -> str:
        """Return the systems and their runs."""
        systems = list(self.systems)
        runs = list(self.by_run)
        system_s = "system" if len(systems) == 1 else "systems"
        run_s = "run" if len(runs) == 1 else "runs"
        return f"the {system_s} {in_quotes(systems)}, with the {run_s} {in_quotes(runs)}"


def read(pattern: re.Pattern[str], outputs: Sequence[str]) -> Reading:
    """Return what a pattern says of the outputs that it matches."""
    system_of = {}
    run_of = {}
    around = {}
    parts_of = {}
    # The last group of the pattern is the run.
    run_group = pattern.groups
    for output in outputs:
        match = pattern.fullmatch(output)
        if match is None or match[run_group] is None:
            continue
        parts = tuple(filter(None, match.groups()[:-1]))
        before = output[: match.start(run_group)]
        after = output[match.end(run_group) :]
        system_of[output] = "-".join(parts) if parts else _without_run(before, after)
        run_of[output] = match[run_group]
        around[output] = (before, after)
        parts_of[output] = parts
    return Reading(system_of=system_of, run_of=run_of, around=around, parts_of=parts_of)


def _without_run(before: str, after: str) -> str:
    """Return the name of a system from what stands around the run in that of its output."""
    head = before.rstrip(SEPARATORS)
    return head + after if head else after.lstrip(SEPARATORS)


def other_pattern(pattern: str, reading: Reading) -> str | None:
    """Return a pattern by which the runs of a reading are the systems; None if none is found.

    It is the same pattern with a group around the number, or else a usual one.
    """
    system_of = {}
    for output, run in reading.run_of.items():
        _, tail = reading.around[output]
        # A greedy group takes the first digits of a number: base1 of base12.
        is_cut = run[-1:].isdigit() and tail[:1].isdigit()
        system_of[output] = run.rstrip("0123456789") if is_cut else run
    wanted = list(outputs_by_key(system_of).values())
    found = [candidate for candidate in [*_with_group_of_number(pattern), *USUAL] if reads(candidate, wanted)]
    # Names such as "base-" are not what anybody wants.
    clean = []
    for candidate in found:
        systems = reading_of(candidate, reading).systems
        if all(system == system.strip(SEPARATORS) for system in systems):
            clean.append(candidate)
    return next(iter([*clean, *found]), None)


def _with_group_of_number(pattern: str) -> Iterator[str]:
    """Yield a pattern with another last group; whether it is a pattern at all is not known yet."""
    openings = [match.start() for match in re.finditer(r"\((?!\?)", pattern)]
    # The groups may stay where the number is behind them; else the last is to be none.
    starts = [pattern]
    for opening in reversed(openings):
        starts.append(f"{pattern[:opening]}(?:{pattern[opening + 1 :]}")
    for start in starts:
        # A group of one class of characters needs no parentheses.
        start = re.sub(r"\(\?:(\\w\+|\.\+|\.\*)\)", r"\1", start)
        yield start
        for atom in _ATOM.finditer(start):
            inside = atom[0]
            if inside.startswith("(?:") and inside.endswith(")"):
                inside = inside.removeprefix("(?:").removesuffix(")")
            yield f"{start[: atom.start()]}({inside}){start[atom.end() :]}"


def same_with_systems(pattern: str, reading: Reading) -> str | None:
    """Return a pattern of the same reading that has a group for the system, which says that it is meant."""
    head, _, tail = pattern.rpartition("(")
    stem = head.rstrip(SEPARATORS)
    if reading.names_systems or not stem:
        return None
    candidate = f"({stem}){head[len(stem) :]}({tail}"
    return candidate if reads(candidate, list(reading.systems.values()), numbered=False) else None


def reads(candidate: str, wanted: Sequence[Sequence[str]], *, numbered: bool = True) -> bool:
    """Return whether a pattern reads such systems of outputs, and a number as each run."""
    try:
        pattern = re.compile(candidate)
    except re.error:
        return False
    if not pattern.groups:
        return False
    outputs = [output for outputs_of_system in wanted for output in outputs_of_system]
    reading = read(pattern, outputs)
    if numbered and not all(map(is_number, reading.run_of.values())):
        return False
    systems = reading.systems
    return all(systems) and sorted(map(sorted, systems.values())) == sorted(map(sorted, wanted))


def reading_of(pattern: str, reading: Reading) -> Reading:
    """Return what another pattern says of the same outputs."""
    return read(re.compile(pattern), list(reading.system_of))


def outputs_by_key(key_of: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the outputs that have each key, in their order."""
    groups: dict[str, list[str]] = {}
    for output, key in key_of.items():
        groups.setdefault(key, []).append(output)
    return groups


def in_quotes(names: Sequence[str]) -> str:
    """Return names in quotes, of many the first."""
    return joined(list(map(shorten, names)), MOST_NAMED)
