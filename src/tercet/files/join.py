"""One join for all that has keys: which keys count for every system, and what each side lacks of them.

A side is a file, a run, or a system of a table; a key is an id, a sample, an item or a source text. What did not
match is said here, and what becomes of it is what a user chose as `missing`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from tercet.errors import InputError, shorten, warn
from tercet.names_as_shown import MOST_NAMED

from .missing_option import EMPTY, ERROR, LEAVE_OUT, expected_all

if TYPE_CHECKING:
    from .table import Table

Key = TypeVar("Key", bound=Hashable)

#: What files lost that a segment is counted under which a system lacks.
LACKING = "missing"


class Lost(NamedTuple):
    """What systems lack of the segments that were expected, and is left out for all."""

    #: By system, how many segments, by what is wrong, in words.
    by_system: Mapping[str, Mapping[str, int]]
    #: How many were expected.
    n_all: int


NOTHING_LOST: Final = Lost({}, 0)


@dataclass(frozen=True, slots=True)
class Join(Generic[Key]):
    """What sides have in common, and what each of them lacks."""

    #: Those that are scored, in the order of the keys that were expected.
    keys: list[Key]
    #: By side, what it lacks of the keys that were expected; only sides that lack some.
    lacking: dict[str, list[Key]]
    n_expected: int

    def lost(self, systems: Mapping[str, str]) -> Lost:
        """Return how many segments each system lacks that are left out for all, given the side of each."""
        by_system: dict[str, dict[str, int]] = {}
        if len(self.keys) < self.n_expected:
            for system, side in systems.items():
                if side in self.lacking:
                    by_system[system] = {LACKING: len(self.lacking[side])}
        return Lost(by_system, self.n_expected)


def join(
    sides: Mapping[str, Collection[Key]],
    expected: Collection[Key],
    what: str,
    described: Callable[[Key], str],
    missing: str = LEAVE_OUT,
    why: Callable[[str, Sequence[Key]], str] | None = None,
) -> Join[Key]:
    """Return which of the keys that were expected are scored; a warning says what each side lacks.

    Parameters
    ----------
    sides : mapping of str to collection
        The keys of each side, by what messages call it.
    expected : collection
        Those of the references, or of all sides together.
    what : str
        What messages call the keys, such as ``ids of refs.jsonl``.
    described : callable
        Returns what messages say of the first key that is lacking, such as ``is 'q7'``.
    missing : {"leave-out", "empty", "error"}
        Keys that a side lacks are left out for all, or kept: who joins gives the side an empty text.
    why : callable, optional
        Returns what is known of the keys that a side lacks, in brackets.
    """
    lacking: dict[str, list[Key]] = {}
    left_out: set[Key] = set()
    for side, keys in sides.items():
        of_side = [key for key in expected if key not in keys]
        if of_side:
            lacking[side] = of_side
            left_out.update(of_side)
    messages = _messages(lacking, len(left_out), len(expected), what, described, why)
    if messages and missing == ERROR:
        raise InputError(f"{messages[0]}. {expected_all()}")
    treatment = "left out for every system" if missing == LEAVE_OUT else "scored as empty texts"
    for message in messages:
        warn(f"{message}: {treatment}.")
    kept = [key for key in expected if missing == EMPTY or key not in left_out]
    return Join(kept, lacking, len(expected))


def join_rows(
    table: Table, rows_of: Mapping[str, Collection[int]], expected: Collection[int], what: str, missing: str
) -> tuple[list[int], Lost]:
    """Return the rows of a table that are scored, given those of each of its systems, and what the systems lack."""
    side_of = sides_in_table(table.name, rows_of)
    rows_by_side = {side: rows_of[system] for system, side in side_of.items()}
    joined = join(rows_by_side, expected, what, lambda row: f"on line {table.lines[row]:,}", missing)
    return joined.keys, joined.lost(side_of)


def sides_in_table(table_name: str, systems: Iterable[str]) -> dict[str, str]:
    """Return by system what messages call its side of a join, where all systems stand in one table."""
    side_of = {system: f"{table_name}: {shorten(system)}" for system in systems}
    if len(set(side_of.values())) < len(side_of):
        # Long names may be alike where they are cut.
        side_of = {system: f"{table_name}: {system!r}" for system in side_of}
    return side_of


def is_id(cell: Any) -> bool:
    """Return whether a cell may be an id: a whole number, or a text that is not empty."""
    return isinstance(cell, str | int) and not isinstance(cell, bool) and cell != ""


def rows_of_ids(table: Table, column: str, what: str) -> dict[str, int]:
    """Return the row of each id in a column; InputError for a cell that is none of `what`, and for one twice."""
    rows: dict[str, int] = {}
    for row, cell in enumerate(table.columns[column]):
        if not is_id(cell):
            raise InputError(f"{table.location(row, column)}: expected the id of {what}, got {shorten(cell)}.")
        first_row = rows.setdefault(str(cell), row)
        if first_row != row:
            raise InputError(
                f"{table.location(row, column)}: {shorten(cell)} occurs on {table.unit} {table.lines[first_row]:,} "
                "too; expected each id once."
            )
    return rows


def lacks_in_words(
    side: str, keys: Sequence[Key], n_expected: int, what: str, described: Callable[[Key], str], why: str = ""
) -> str:
    """Return what a side lacks, without what becomes of it."""
    return f"{side} lacks {len(keys):,} of the {n_expected:,} {what}, the first {described(keys[0])}{why}"


def _messages(
    lacking: Mapping[str, Sequence[Key]],
    n_left_out: int,
    n_expected: int,
    what: str,
    described: Callable[[Key], str],
    why: Callable[[str, Sequence[Key]], str] | None,
) -> list[str]:
    """Return what each side lacks, or of many sides how many of them lack some."""
    messages = []
    for side, keys in lacking.items():
        reason = ""
        if why is not None:
            reason = why(side, keys)
        messages.append(lacks_in_words(side, keys, n_expected, what, described, reason))
    if len(messages) <= MOST_NAMED:
        return messages
    lack = f"{len(messages):,} systems lack some of the {n_expected:,} {what}, together {n_left_out:,}"
    return [f"{lack}; {messages[0]}"]


def warn_of_unmatched(side: str, keys: Collection[Key], expected: Collection[Key], row_in: str) -> None:
    """Warn of keys of a side that nothing was expected of: `row_in` is where they have no row."""
    further = [key for key in keys if key not in expected]
    if further:
        warn(
            f"{side}: {len(further):,} of {len(keys):,} ids have no row in {row_in}, the first is "
            f"{shorten(further[0])}: not scored."
        )
