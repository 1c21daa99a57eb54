"""A comparison as one self-contained HTML file."""

from __future__ import annotations

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
    title: str = "Comparison of systems",
    version: str = __version__,
) -> str:
    """Return a report: one HTML page that loads nothing, and can be read without its one script, which filters.

    The same comparisons give the same page, to the byte (with the same matplotlib). `command` is the command line;
    without it the report shows the calls in Python. The page grows with systems and scores, not with the test set:
    it shows the segments whose scores differ most.
    """
    if not comparisons:
        raise InputError("There is no comparison to report.")
    needs("An HTML report", "report", "jinja2", "matplotlib")
    with drawing():
        views = [view(comparison, f"t{number}") for number, comparison in enumerate(comparisons, 1)]
    return render(
        "page.html", script="filter.js", title=title, version=version, command=command, views=views, colours=COLOURS,
        json=json.dumps,
    )  # fmt: skip
