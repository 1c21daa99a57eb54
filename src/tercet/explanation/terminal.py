"""Explanations in a terminal: texts with their matches in colour, or in brackets, and the numbers behind a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from tercet.names_as_shown import one_cell, visible

from .explanation import Explanation
from .matches import Word
from .parts import Factor, Heading, Legend, Line, Sentence, Share, Table, number_text

#: Styles of the levels 0, 1, 2, 3, and 4 or more: of what matches, and of what takes from a score.
_MATCHES = ("", "cyan", "green", "yellow", "bold magenta")
_LOSSES = ("", "cyan", "yellow", "magenta", "bold red")
#: The width of labels.
_LABEL = 11
#: The rows of a table that are shown.
_MOST_ROWS = 12


def drawn(explanation: Any, scores: Iterable[float], *, scale: float, colour: bool) -> Iterator[RenderableType]:
    """Yield an explanation part by part: legends below the texts that they are of, and no folded tables.

    `scores` were printed above it, and are not repeated.
    """
    if not isinstance(explanation, Explanation):
        # A user's own metric may explain itself by anything.
        yield Text(visible(explanation))
        return
    title = explanation.title
    # The heading of the system has just named the scores: only further numbers follow.
    printed = {f"{score:.4f}" for score in scores}
    numbers = {}
    for name, value in title.numbers.items():
        number = scale * value if isinstance(value, Share) else value
        # A factor, such as a brevity penalty of 1, may be equal to a score and is none.
        if isinstance(value, Factor) or f"{number:.4f}" not in printed:
            numbers[name] = value
    if not title.numbers:
        yield Text(Heading(title.name, {}).text(scale))
    elif numbers:
        yield Text(Heading("", numbers).text(scale))
    legend = Legend([])
    lines: list[Line] = []
    for part in explanation.parts():
        if isinstance(part, Line):
            lines.append(part)
            continue
        if lines:
            yield _grid_of_lines(lines, legend, colour)
            lines = []
        if isinstance(part, Legend):
            legend = part
        elif isinstance(part, Heading):
            yield Text(f"\n{part.text(scale)}", style="bold")
        elif isinstance(part, Sentence):
            yield Text(visible(part.text))
        elif not part.folded:
            yield Text(f"\n{part.caption}")
            yield _grid_of_table(part, scale)
    if lines:
        yield _grid_of_lines(lines, legend, colour)
    yield Text("")


def coloured(
    words: Sequence[Word], *, colour: bool = True, spaced: bool = True, losses: bool = False, numbered: bool = True
) -> Text:
    """Return tokens in the colours of their levels; else in brackets, with the level behind if `numbered`."""
    styles = _LOSSES if losses else _MATCHES
    text = Text()
    for level, tokens in _runs(words, " " if spaced else ""):
        if colour or level == 0:
            text.append(tokens, style=styles[level])
        elif numbered:
            text.append(f"[{tokens}]{level}")
        else:
            text.append(f"[{tokens}]")
    return text


def _runs(words: Sequence[Word], separator: str) -> list[tuple[int, str]]:
    """Return the tokens joined as long as they are of one level, with the blanks between."""
    runs: list[tuple[int, str]] = []
    blanks = ""
    for word in words:
        text = visible(word.text)
        if word.written is not None:
            text = visible(f"{word.written} ({word.text})")
        level = min(word.level, len(_MATCHES) - 1)
        if level == 0 and not text.strip():
            blanks += text
        elif runs and runs[-1][0] == level:
            runs[-1] = level, f"{runs[-1][1]}{blanks}{text}"
            blanks = separator
        else:
            # Blanks between two levels are a run of their own, without a colour.
            runs += [(0, blanks), (level, text)]
            blanks = separator
    return [(level, text) for level, text in runs if text]


def _grid_of_lines(lines: Sequence[Line], legend: Legend, colour: bool) -> Grid:
    """Return texts below each other, with the legend below them."""
    style = {"colour": colour, "numbered": len(legend.names) > 1}
    table = grid()
    for line in lines:
        text = Text("no token", style="italic")
        if line.words:
            text = coloured(line.words, spaced=line.spaced, losses=line.losses, **style)
        table.add_row(line.label, text)
    if legend.names:
        names = [Word(name, level) for level, name in enumerate(legend.names, 1)]
        chips = [coloured([name], losses=legend.losses, **style) for name in names]
        table.add_row("", Text("  ").join(chips))
    return table


def grid() -> Grid:
    """Return a table without lines: labels, and the texts that they are of."""
    table = Grid.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True, min_width=_LABEL)
    table.add_column(overflow="fold")
    return table


def _grid_of_table(table: Table, scale: float) -> Grid:
    shown_table = Grid(box=box.SIMPLE_HEAD)
    rows = [[Text(one_cell(number_text(value, scale))) for value in row] for row in table.rows[:_MOST_ROWS]]
    for column, name in enumerate(table.head):
        if table.rows and isinstance(table.rows[0][column], int | float):
            shown_table.add_column(name, justify="right")
        else:
            shown_table.add_column(name, overflow="fold")
    for row in rows:
        shown_table.add_row(*row)
    if len(table.rows) > _MOST_ROWS:
        shown_table.add_row(f"and {len(table.rows) - _MOST_ROWS:,} more")
    return shown_table
