"""Explained segments in a terminal: source, then for each system the texts, their matches and the numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from tercet.explanation.terminal import drawn, grid
from tercet.names_as_shown import one_cell, visible

from .explained_segment import ExplainedSegment


def to_text(segments: Sequence[ExplainedSegment], *, width: int, colour: bool) -> str:
    """Return explanations for a terminal: source, then for each system the texts, their matches and the numbers."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    for segment in segments:
        console.print(Text(_heading(segment), style="bold"), soft_wrap=True)
        if segment.test_set.source is not None:
            table = grid()
            table.add_row("source", Text(visible(segment.test_set.source[segment.segment - 1])))
            console.print(table)
        for system in segment.order:
            explanation = segment.explanations[system]
            console.print()
            console.print(Text(segment.label(system), style="bold"))
            for part in drawn(explanation, segment.scores[system].values(), scale=segment.scale, colour=colour):
                console.print(part)
            console.print(Text(visible(getattr(explanation, "signature", ""))), soft_wrap=True)
        console.print()
    lines = "\n".join(map(str.rstrip, buffer.getvalue().splitlines())).rstrip()
    return re.sub("\n{3,}", "\n\n", lines) + "\n"


def _heading(segment: ExplainedSegment) -> str:
    """Return the names of the test set and the segment, with the option that chooses another."""
    name = f"{one_cell(segment.test_set.name)}, {segment.segment_in_words}"
    return f"{name}; choose another with --segment" if segment.chosen else name
