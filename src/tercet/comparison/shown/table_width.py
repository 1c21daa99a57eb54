"""Tables of a terminal: what has no room is left out by whole columns, and said; no number or name is cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from tercet.errors import on_command_line
from tercet.table_formats import to_terminal

#: The width down to which a column of names folds, and the longest word that it does not break while others leave.
_NAME_WIDTH, _WORD_WIDTH = 12, 20

#: Where a name that is too long for its column goes on in the next line.
_JOINTS = re.compile(r"(?<=[-._/ ])")


class TerminalColumn(NamedTuple):
    """A column of a table in a terminal: its title and cells, names as they are, all others in rich's markup.

    A table that is too wide takes its steps one by one, until it fits: at each, some columns get shorter or are left
    out. A column without a step stays.
    """

    title: str
    cells: Sequence[str]
    is_name: bool = False
    #: The step at which it is left out.
    leaves: int = 0
    #: Its cells without their intervals, and with another title, and the step at which it has them.
    shorter: TerminalColumn | None = None
    shortens: int = 0
    #: What a reader is told that was left out; by default the title.
    said: str = ""


class Fitted(NamedTuple):
    """A table that has been drawn, its width, and what was left out of it."""

    grid: Grid
    width: int
    left_out: Sequence[str]


def fitted(grid: Grid, columns: Sequence[TerminalColumn], width: int, lines: Sequence[int] = ()) -> Fitted:
    """Draw columns into an empty table of a width; a line is drawn after each row whose number is in `lines`."""
    kept, left_out = _that_fit(columns, width)
    widths = _widths(kept, width)
    for column, column_width in zip(kept, widths, strict=True):
        if column.is_name:
            grid.add_column(escape(column.title), overflow="fold", max_width=column_width)
        else:
            grid.add_column(escape(column.title), justify="right", no_wrap=True)
    cells_of_columns = []
    for column, column_width in zip(kept, widths, strict=True):
        cells = column.cells
        if column.is_name:
            cells = [escape(folded(cell, column_width)) for cell in cells]
        cells_of_columns.append(cells)
    for number, cells in enumerate(zip(*cells_of_columns, strict=True), 1):
        grid.add_row(*cells, end_section=number in lines)
    return Fitted(grid, _room(widths), left_out)


def in_parts(first: TerminalColumn, columns: Sequence[TerminalColumn], width: int) -> Iterator[list[TerminalColumn]]:
    """Yield the columns of further tables of a width, each with the first column and at least one more."""
    part = [first]
    for column in columns:
        if len(part) > 1 and _room(_least_widths([*part, column])) > width:
            yield part
            part = [first]
        part.append(column)
    yield part


def folded(name: str, width: int | None) -> str:
    """Return a name in lines of a width, broken at its joints; a word that is too long is left to the table."""
    lines = [""]
    for part in _JOINTS.split(name):
        if width is None or not lines[-1] or cell_len(f"{lines[-1]}{part}".rstrip()) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(lines)


def printed(parts: Iterable[str | Fitted], width: int, colour: bool, *, wraps: bool = False) -> str:
    """Return lines and tables as a terminal shows them; a table that is still too wide is drawn whole."""
    texts = []
    for part in parts:
        if isinstance(part, Fitted):
            texts.append(to_terminal([part.grid], max(width, part.width), colour))
        else:
            texts.append(to_terminal([part], width, colour, wraps=wraps))
    return "".join(texts)


def left_out_in_words(tables: Iterable[Fitted], instead: str) -> list[str]:
    """Return a line that says what tables left out, and what shows it; none if all of them are whole.

    `instead` is what the command takes to show it.
    """
    names = list(dict.fromkeys(name for table in tables for name in table.left_out))
    if not names:
        return []
    wider = f"A wider window or {instead} shows them." if on_command_line() else "A wider window shows them."
    return [f"Left out, as there was no room: {', '.join(names)}. {wider}"]


def _that_fit(columns: Sequence[TerminalColumn], width: int) -> tuple[list[TerminalColumn], list[str]]:
    """Return the columns for which there is room, and what of them was left out."""
    kept = list(columns)
    left_out: list[str] = []
    steps = {column.leaves for column in columns} | {column.shortens for column in columns}
    for step in sorted(steps - {0}):
        if _room(_least_widths(kept)) <= width:
            break
        still_kept = []
        for column in kept:
            if column.shorter is not None and column.shortens == step:
                # The shorter one may leave at a later step.
                still_kept.append(column.shorter._replace(leaves=column.leaves))
                left_out.append(column.said or column.title)
            elif column.leaves == step:
                left_out.append(column.said or column.title)
            else:
                still_kept.append(column)
        kept = still_kept
    if _room(_least_widths(kept)) > width:
        kept = [column._replace(title=_narrow_title(column.title)) for column in kept]
    return kept, left_out


def _narrow_title(title: str) -> str:
    """Return a title, as that of a column of a system's scores, in narrower lines."""
    return "\n".join(folded(line, _NAME_WIDTH) for line in title.split("\n"))


def _widths(columns: Sequence[TerminalColumn], width: int) -> list[int]:
    """Return the width of each column; what room is left goes to the names, the first ones first."""
    widths = _least_widths(columns)
    if _room(widths) > width:
        widths = _least_widths(columns, _NAME_WIDTH)
    free = max(0, width - _room(widths))
    for index, column in enumerate(columns):
        if column.is_name:
            widening = min(free, _longest(column) - widths[index])
            widths[index] += widening
            free -= widening
    return widths


def _least_widths(columns: Sequence[TerminalColumn], longest_word: int = _WORD_WIDTH) -> list[int]:
    """Return the width of each column where names fold, between words unless one is longer than `longest_word`."""
    widths = []
    for column in columns:
        longest = _longest(column)
        if column.is_name:
            words = [word.rstrip() for name in column.cells for word in _JOINTS.split(name)]
            word = min(longest_word, max(map(cell_len, words), default=0))
            longest = min(longest, max(_NAME_WIDTH, word))
        widths.append(longest)
    return widths


def _longest(column: TerminalColumn) -> int:
    """Return the width of a column's longest line."""
    lengths = [cell_len(line) for line in column.title.split("\n")]
    for cell in column.cells:
        lengths.append(cell_len(cell) if column.is_name else Text.from_markup(cell, emoji=False).cell_len)
    return max(lengths)


def _room(widths: Sequence[int]) -> int:
    """Return the width of a table: each column has blanks beside it, and the table too."""
    return sum(widths) + 3 * len(widths) + 1
