"""A comparison as one HTML file that a browser shows without anything else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module

from tercet.comparison.scores import Comparison
from tercet.core.signature import __version__
from tercet.display.words_html import COLOURS
from tercet.errors import InputError, OptionError, to_install

from .rendering import render
from .svg import drawing
from .views import view


def to_html(
    comparisons: Sequence[Comparison],
    *,
    command: str | None = None,
    title: str = "Comparison of systems",
    version: str = __version__,
) -> str:
    """Return a report: one HTML page that loads nothing, and can be read without its one script, which filters.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One for each test set.
    command : str, optional
        What was written on the command line; without it the report shows the calls in Python.
    title : str
    version : str
        Of tercet, as the report names it.

    Returns
    -------
    str
        The same for the same comparisons, to the byte (and version of matplotlib).

    Raises
    ------
    InputError
        Without any comparison.
    OptionError
        Where jinja2 or matplotlib is not installed.

    Notes
    -----
    Time goes with systems times segments for words and for scores by length, and with the number of scores for the
    plots. The segments that appear are those whose scores differ most: the page grows with the scores, not with the
    test set.
    """
    if not comparisons:
        raise InputError("There is no comparison to report.")
    check_installed()
    with drawing():
        views = [view(comparison, f"t{number}") for number, comparison in enumerate(comparisons, 1)]
    return render(
        "page.html", script="filter.js", title=title, version=version, command=command, views=views, colours=COLOURS,
        json=json.dumps,
    )  # fmt: skip


def check_installed() -> None:
    """Say before long work that its report could not be made.

    Raises
    ------
    OptionError
        Where jinja2 or matplotlib is not installed.
    """
    for name in ("jinja2", "matplotlib"):
        try:
            import_module(name)
        except ImportError as error:
            raise OptionError(
                f"An HTML report needs {name}, which is not installed: {to_install('report')}"
            ) from error
