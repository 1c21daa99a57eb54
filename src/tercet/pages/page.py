"""A comparison as one self-contained HTML file."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercet.errors import InputError, needs
from tercet.metric.drawing.words_html import COLOURS
from tercet.signature import __version__

from .rendering import render
from .svg import drawing
from .views import view

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison


def to_html(
    comparisons: Sequence[Comparison],
    *,
    command: str | None = None,
    title: str | None = None,
    version: str = __version__,
    date: str | None = None,
) -> str:
    """Return a report: one HTML page that loads nothing; its one script lists the segments.

    The same comparisons give the same page of a day, to the byte (with the same matplotlib). `command` is the command
    line; without it the report shows the calls in Python. `date` is today's by default. The page holds all texts,
    compressed: a third of their size or less.
    """
    if not comparisons:
        raise InputError("There is no comparison to report.")
    needs("An HTML report", "report", "jinja2", "matplotlib")
    with drawing():
        views = [view(comparison, f"t{number}") for number, comparison in enumerate(comparisons, 1)]
    return render(
        "page.html", script="browse.js", title=_title(comparisons) if title is None else title, version=version,
        date=datetime.date.today().isoformat() if date is None else date, command=command, views=views,
        colours=COLOURS, json=json.dumps,
    )  # fmt: skip


def _title(comparisons: Sequence[Comparison]) -> str:
    systems = {name for each in comparisons for name in each.test_set.systems}
    counted = "Scores of a system" if len(systems) == 1 else "Scores of systems"
    if any(each.test is not None for each in comparisons):
        counted = "Comparison of systems"
    if len(comparisons) > 1:
        return f"{counted} on {len(comparisons)} test sets"
    name = comparisons[0].test_set.name
    return counted if name == "test set" else f"{counted} on {name}"  # so are texts called that have no file
