"""How runs are read from the names of outputs, and readings that compare seeds with seeds: found, and said."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.errors import OptionError, on_command_line, shorten
from tercet.names_as_shown import MOST_NAMED, joined

#: Between the parts of a name.
_SEPARATORS = "-_./: "

#: Words that number runs, and name no system.
_COUNTED = {
    *("attempt", "checkpoint", "ckpt", "epoch", "fold", "iter", "iteration", "rep", "repeat", "repetition"),
    *("replicate", "run", "sample", "seed", "step", "trial", "try"),
}

#: A part of a pattern that may match the number of a run: a class of characters, numbers, or a group of them.
_ATOM = re.compile(r"(?:\\[dw]|\[[^\]]*\]|(?<!\\)\.|\d+|\(\?:[^()]*\))(?:\{\d+(?:,\d*)?\}|[+*?])?")

#: Patterns of names with a number at the end.
_USUAL = (r"(.+)-(\d+)", r"(.+)_(\d+)", r"(.+)\.(\d+)", r"(.+)[-_./ ]seed[-_]?(\d+)", r"(.+?)(\d+)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a pattern says of outputs: the system and the run of each that it matches."""

    system_of: dict[str, str]
    run_of: dict[str, str]
    #: What stands before the run in its name, and after it.
    around: dict[str, tuple[str, str]]
    #: Whether the pattern has groups for the system.
    names_systems: bool

    @property
    def systems(self) -> dict[str, list[str]]:
        """The outputs of each system."""
        return _outputs_by_key(self.system_of)

    @property
    def by_run(self) -> dict[str, list[str]]:
        """The outputs of each run: those of one system, if runs and systems are mistaken for each other."""
        return _outputs_by_key(self.run_of)

    def in_words(self) -> str:
        """Return the systems and their runs."""
        systems = list(self.systems)
        runs = list(self.by_run)
        system_s = "system" if len(systems) == 1 else "systems"
        run_s = "run" if len(runs) == 1 else "runs"
        return f"the {system_s} {_in_quotes(systems)}, with the {run_s} {_in_quotes(runs)}"


def read(pattern: re.Pattern[str], outputs: Sequence[str]) -> tuple[Reading, dict[str, re.Match[str]]]:
    """Return what a pattern says of the outputs that it matches, and the matches."""
    matches = {}
    for output in outputs:
        match = pattern.fullmatch(output)
        if match is not None and match[pattern.groups] is not None:
            matches[output] = match
    # The last group of the pattern is the run.
    run_group = pattern.groups
    system_of = {}
    run_of = {}
    around = {}
    for output, match in matches.items():
        system_of[output] = _stem(match)
        run_of[output] = match[run_group]
        around[output] = (output[: match.start(run_group)], output[match.end(run_group) :])
    names_systems = any(parts_of(match) for match in matches.values())
    return Reading(system_of=system_of, run_of=run_of, around=around, names_systems=names_systems), matches


def parts_of(match: re.Match[str]) -> tuple[str, ...]:
    """Return the parts of a system's name: the groups before the run."""
    return tuple(filter(None, match.groups()[:-1]))


def _stem(match: re.Match[str]) -> str:
    """Return the name of a system from that of its output."""
    if parts := parts_of(match):
        return "-".join(parts)
    start, end = match.span(match.re.groups)
    head = match.string[:start].rstrip(_SEPARATORS)
    tail = match.string[end:]
    return head + tail if head else tail.lstrip(_SEPARATORS)


# Readings in which systems and runs are swapped.


def check_reading(pattern: str, reading: Reading) -> None:
    """Raise an OptionError where the runs look like systems, and the systems like the numbers of runs."""
    if not _is_swapped(reading) or reading.names_systems:
        return
    if not _are_numbers(reading) and not _ends_in_number(reading):
        return
    other = _other_pattern(pattern, reading)
    hint = "The last group must be around the number of the run."
    if other is not None:
        hint = f"Is {_setting(other)} meant? It reads {_reading_of(other, reading).in_words()}."
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
    reading, _ = read(pattern, outputs)
    return [*_of_pattern(pattern.pattern, reading), *_of_the_rest(pattern.pattern, reading, outputs)]


def runs_hint(outputs: Sequence[str]) -> str:
    """Return that outputs look like runs of systems, and the pattern that says so; "" where they do not."""
    for usual in _USUAL:
        reading, _ = read(re.compile(usual), outputs)
        if not _has_the_same_runs(reading):
            continue
        names = list(reading.system_of)
        return (
            f"{_in_quotes(names)} look like runs of {_in_quotes(list(reading.systems))}, such as seeds. If they are, "
            f"{_setting(usual)} compares the systems by the mean of their runs."
        )
    return ""


def _has_the_same_runs(reading: Reading) -> bool:
    """Return whether there are two systems or more with names, each with the same two or more runs."""
    systems = reading.systems
    runs = reading.by_run
    if len(systems) < 2 or len(runs) < 2:
        return False
    if any(_is_number(system) or not _words_of(system) for system in systems):
        return False
    # Each number is once with each system.
    return all(len(outputs) == len(systems) for outputs in runs.values())


def _is_swapped(reading: Reading) -> bool:
    """Return whether the systems of a reading differ by a number alone, and its runs have letters."""
    systems = list(reading.systems)
    runs = list(reading.by_run)
    if any(_is_number(run) or not _words_of(run) for run in runs):
        return False
    if not _ends_in_number(reading) and all(_is_letter(run) for run in runs):
        # 1-a and 1-b may well be runs a and b of system 1.
        return False
    if _are_numbers(reading):
        return True
    is_one_shape = len(systems) > 1 and len({_shape(system) for system in systems}) == 1
    # Systems with runs of the same names: base-1 and base-2 beside tuned-1 and tuned-2.
    is_crossed = any(len(of_run) > 1 for of_run in reading.by_run.values())
    return is_one_shape and is_crossed


def _are_numbers(reading: Reading) -> bool:
    return all(_is_number(system) for system in reading.systems)


def _ends_in_number(reading: Reading) -> bool:
    """Return whether what tells the systems apart is a number behind the run in the names, as in base-1."""
    heads, tails = zip(*reading.around.values(), strict=True)
    return len(set(heads)) == 1 and all(map(_is_number, tails))


def _of_pattern(pattern: str, reading: Reading) -> Iterator[str]:
    """Yield that systems and runs may be swapped, where this may also be meant: both patterns are shown."""
    if not _is_swapped(reading) or (reading.names_systems and not _are_numbers(reading)):
        return
    other = _other_pattern(pattern, reading)
    if other is None:
        return
    same = _same_with_systems(pattern, reading)
    as_read = "" if same is None else f"; for {_in_quotes(list(reading.systems))}: {_setting(same)}"
    yield (
        f"{_setting(pattern)} reads {reading.in_words()}. If these systems are seeds, seeds are compared with seeds. "
        f"For the systems {_in_quotes(list(_reading_of(other, reading).systems))}: {_setting(other)}{as_read}."
    )


def _of_the_rest(pattern: str, reading: Reading, outputs: Sequence[str]) -> Iterator[str]:
    """Yield that outputs which a pattern does not match are numbered as the runs are."""
    numbers = {_numbers_of(run) for run in reading.run_of.values()}
    rest: dict[str, list[str]] = {}
    for output in outputs:
        if output not in reading.system_of and _numbers_of(output) in numbers:
            rest.setdefault(_shape(output), []).append(output)
    for alike in rest.values():
        if len(alike) < 2 or not all(_numbers_of(output) for output in alike):
            continue
        wanted = [*reading.systems.values(), alike]
        other = next((usual for usual in _USUAL if _reads(usual, wanted)), None)
        how = "" if other is None else f" {_setting(other)} makes them runs of one."
        yield (
            f"{_in_quotes(alike)} do not match {_setting(pattern)}, and are compared as {len(alike):,} systems with "
            f"one run each, though they are numbered as {_in_quotes(list(reading.system_of))} are.{how}"
        )


def _of_mapping(members_of: Mapping[str, Sequence[str]], outputs: Sequence[str]) -> Iterator[str]:
    """Yield that the runs of each system have the same number, but other names: as base-1 and tuned-1."""
    several = {system: runs for system, runs in members_of.items() if len(runs) > 1}
    if not several or not all(map(_share_one_number, several.values())):
        return
    if not all(map(_is_number, several)) and not _are_named_crosswise(several):
        return
    runs_of_all = [output for runs in several.values() for output in runs]
    if not _differ_in_words(runs_of_all):
        return
    shapes = set(map(_shape, runs_of_all))
    alike = [output for output in outputs if _shape(output) in shapes]
    systems = _outputs_by_key({output: _without_number(output) for output in alike})
    first, runs = next(iter(several.items()))
    meant = ", ".join(f"{system!r}: {names!r}" for system, names in systems.items())
    yield (
        f"{_in_quotes(runs)} are the runs of {shorten(first)}, with the same number and other names. If it is the "
        f"number of a seed, seeds are compared with seeds. For the systems {_in_quotes(list(systems))}: "
        f"runs={{{meant}}}."
    )


def _share_one_number(runs: Sequence[str]) -> bool:
    """Return whether the names of a system's runs have one and the same number, and all differ in what is around."""
    numbers = set(map(_numbers_of, runs))
    shapes = set(map(_shape, runs))
    return len(numbers) == 1 and numbers != {()} and len(shapes) == len(runs)


def _are_named_crosswise(members_of: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the runs of all systems have the same names but for numbers, none with its system's name."""
    for system, runs in members_of.items():
        if any(system in output for output in runs):
            return False
    shapes = [set(map(_shape, runs)) for runs in members_of.values()]
    return len(shapes) > 1 and all(of_system == shapes[0] for of_system in shapes)


def _differ_in_words(names: Sequence[str]) -> bool:
    """Return whether names differ in more than numbers and single letters."""
    words = [set(_words_of(name)) for name in names]
    differing = words[0].union(*words) - words[0].intersection(*words)
    return not all(map(_is_letter, differing))


# Patterns that read the same outputs in another way.


def _other_pattern(pattern: str, reading: Reading) -> str | None:
    """Return a pattern by which the runs of a reading are the systems; None if none is found.

    It is the same pattern with a group around the number, or else a usual one.
    """
    system_of = {}
    for output, run in reading.run_of.items():
        _, tail = reading.around[output]
        # A greedy group takes the first digits of a number: base1 of base12.
        is_cut = run[-1:].isdigit() and tail[:1].isdigit()
        system_of[output] = run.rstrip("0123456789") if is_cut else run
    wanted = list(_outputs_by_key(system_of).values())
    found = [candidate for candidate in [*_with_group_of_number(pattern), *_USUAL] if _reads(candidate, wanted)]
    # Names such as "base-" are not what anybody wants.
    clean = []
    for candidate in found:
        systems = _reading_of(candidate, reading).systems
        if all(system == system.strip(_SEPARATORS) for system in systems):
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


def _same_with_systems(pattern: str, reading: Reading) -> str | None:
    """Return a pattern of the same reading that has a group for the system, which says that it is meant."""
    head, _, tail = pattern.rpartition("(")
    stem = head.rstrip(_SEPARATORS)
    if reading.names_systems or not stem:
        return None
    candidate = f"({stem}){head[len(stem) :]}({tail}"
    return candidate if _reads(candidate, list(reading.systems.values()), numbered=False) else None


def _reads(candidate: str, wanted: Sequence[Sequence[str]], *, numbered: bool = True) -> bool:
    """Return whether a pattern reads such systems of outputs, and a number as each run."""
    try:
        pattern = re.compile(candidate)
    except re.error:
        return False
    if not pattern.groups:
        return False
    outputs = [output for of_system in wanted for output in of_system]
    reading, _ = read(pattern, outputs)
    if numbered and not all(map(_is_number, reading.run_of.values())):
        return False
    systems = reading.systems
    return all(systems) and sorted(map(sorted, systems.values())) == sorted(map(sorted, wanted))


def _reading_of(pattern: str, reading: Reading) -> Reading:
    return read(re.compile(pattern), list(reading.system_of))[0]


def _setting(pattern: str) -> str:
    """Return the option with a pattern as the user would write it."""
    if on_command_line():
        return f"--runs {shlex.quote(pattern)}"
    return f"runs={pattern!r}" if "'" in pattern else f"runs=r'{pattern}'"


# Names: their words and numbers, in any script.


def _words_of(name: str) -> list[str]:
    words: list[str] = re.findall(r"[^\W\d_]+", name)
    return words


def _numbers_of(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+", name))


def _shape(name: str) -> str:
    """Return a name with a sign for each number."""
    return re.sub(r"\d+", "#", name)


def _is_number(name: str) -> bool:
    """Return whether a name is a number, also that of a seed or a step."""
    return bool(_numbers_of(name)) and _COUNTED.issuperset(word.casefold() for word in _words_of(name))


def _is_letter(name: str) -> bool:
    """Return whether a name is a single letter, such as a or B; one of Chinese is a word."""
    return len(name) == 1 and name.lower() != name.upper()


def _without_number(name: str) -> str:
    """Return the name of a system from that of a numbered output."""
    words = [word for word in re.split(r"\d+|[-_./: ]+", name) if word]
    return "-".join(word for word in words if word.casefold() not in _COUNTED) or name


def _outputs_by_key(key_of: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for output, key in key_of.items():
        groups.setdefault(key, []).append(output)
    return groups


def _in_quotes(names: Sequence[str]) -> str:
    return joined(list(map(shorten, names)), MOST_NAMED)
