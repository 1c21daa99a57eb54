"""A comparison as one self-contained HTML file."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.comparison.overall import Overall, sets_and_overall
from tercet.comparison.values.sections import Section
from tercet.comparison.verdicts.verdicts import verdict_of
from tercet.errors import InputError, needs
from tercet.explanation.html import COLOURS
from tercet.names_as_shown import Sentence, short_names
from tercet.signature import __version__

from .metric_views import named_sections
from .rendering import Packed, render
from .score_tables import TableView, table_of_systems
from .set_view import TestSetView, set_view
from .table_data import copies, table_data

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison

#: The scripts that list the segments, and unpack them first.
BROWSING = ("unpack.js", "browse.js")
#: The script that copies and changes the tables of a report.
_TABLES = "tables.js"
#: The script that sorts and searches them, which a page with many systems needs before that one.
_ORDER = "order.js"


def to_html(
    comparisons: Sequence[Comparison],
    *,
    command: str | None = None,
    title: str | None = None,
    version: str = __version__,
    date: str | None = None,
) -> str:
    """Return a report: one HTML page that loads nothing; its one script lists the segments and changes the tables.

    The same comparisons give the same page of a day, to the byte. `command` is the command line; without it the
    report shows the calls in Python. `date` is today's by default. The page holds all texts, compressed: a third of
    their size or less.
    """
    sets, over_all = sets_and_overall(comparisons)
    if not sets:
        raise InputError("There is no comparison to report.")
    needs("An HTML report", "report", "jinja2")
    views = [set_view(comparison, f"t{number}") for number, comparison in enumerate(sets, 1)]
    overall_views = [_overall_view(comparison) for comparison in over_all]
    if title is None:
        title = _title(sets)
    if date is None:
        date = datetime.date.today().isoformat()
    return render(
        "page.html",
        scripts=_scripts(views, overall_views),
        title=title,
        version=version,
        date=date,
        command=command,
        views=views,
        over_all=overall_views,
        tables=Packed.of(_data(views, overall_views)),
        colours=COLOURS,
        json=json.dumps,
    )


def _scripts(views: Sequence[TestSetView], over_all: Sequence[OverallView]) -> list[str]:
    """Return the scripts of a page: those that it uses."""
    columns = [column for view in over_all for column in view.table.columns]
    for view in views:
        for metric in view.metrics:
            columns += [score.column for score in metric.scores]
    if any(column.is_many for column in columns):
        return [*BROWSING, _ORDER, _TABLES]
    return [*BROWSING, _TABLES]


def _data(views: Sequence[TestSetView], over_all: Sequence[OverallView]) -> dict[str, Any]:
    """Return what the script needs of the tables, by their keys."""
    to_copy = {}
    tables = {}
    for view in views:
        to_copy[view.prefix] = copies(view.comparison)
        tables[view.prefix] = table_data(view.comparison, view.names)
        if view.tables.of_systems is not None:
            of_systems = view.tables.of_systems
            tables[of_systems.key] = table_data(of_systems.comparison, of_systems.names)
    for overall in over_all:
        to_copy[overall.table.key] = copies(overall.comparison)
        tables[overall.table.key] = table_data(overall.table.comparison, overall.table.names)
    return {"copies": to_copy, "tables": tables}


@dataclass(frozen=True, slots=True, eq=False)
class OverallView:
    """What a report shows over all test sets."""

    comparison: Overall
    verdict: list[Sentence]
    opening: list[Sentence]  # by score, which systems the test tells apart
    table: TableView
    sections: list[Section]  # of each score; their titles name it
    notes: list[str]


def _overall_view(comparison: Overall) -> OverallView:
    names = short_names(list(comparison.test_set.systems))
    opening: list[Sentence] = []
    sections = []
    for title, table in zip(comparison.titles(), comparison.tables, strict=True):
        for section in named_sections(table, names):
            if section.key == "groups":
                opening += [(f"{title}: ", *sentence) for sentence in section.sentences]
            else:
                sections.append(section)
    verdict: list[Sentence] = []
    if len(names) > 1:
        verdict = verdict_of(comparison, names)
    return OverallView(
        comparison=comparison,
        verdict=verdict,
        opening=opening,
        table=table_of_systems(comparison, names, "overall"),
        sections=sections,
        notes=comparison.remarks(),
    )


def _title(comparisons: Sequence[Comparison]) -> str:
    systems: set[str] = set()
    is_compared = False
    for comparison in comparisons:
        systems.update(comparison.test_set.systems)
        if comparison.test is not None or comparison.joins_runs:
            is_compared = True
    start = "Scores of systems"
    if is_compared:
        start = "Comparison of systems"
    elif len(systems) == 1:
        start = "Scores of a system"
    if len(comparisons) > 1:
        return f"{start} on {len(comparisons)} test sets"
    name = comparisons[0].test_set.name
    # "test set" is the name of texts that come from no file
    if name == "test set":
        return start
    return f"{start} on {name}"
