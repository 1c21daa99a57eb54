"""A comparison in a notebook: the verdict, the scores with their intervals drawn, and where the report is."""

from __future__ import annotations

import math

from tercet.markup import clean, head_html, notes_html, sentences_html, short_names
from tercet.tables import decimals

from .overall import Overall
from .scores import AS_GOOD, BEST, Comparison, ScoreTable, SystemScore, against
from .verdicts import verdict_of

#: A line from the one end of an interval to the other, on which the score is a mark: in the colour of the text, as a
#: notebook may be dark. It needs no script, no style sheet, and no positions: JupyterLab takes these out of notebooks
#: that it does not trust.
_INTERVAL = (
    '<div style="min-width:9em;height:8px;margin-top:5px">'
    '<div style="margin-left:{low:.1f}%;width:{width:.1f}%;border-top:4px solid;opacity:.5"></div>'
    '<div style="margin-left:{value:.1f}%;margin-top:-6px;height:8px;border-left:2px solid"></div></div>'
)


def to_html(comparison: Comparison) -> str:
    """Return a fragment of HTML that needs no package: of more than two systems the best is first."""
    first, names = comparison.tables[0], short_names(list(comparison.test_set.systems))

    def short(name: str) -> str:
        return names.get(name, name)

    verdict = []
    # What holds over several test sets stands in their sections.
    if len(names) > 1 and not isinstance(comparison, Overall):
        verdict = verdict_of(comparison, names)
    head = head_html(["system", *comparison.marked_labels()])
    order = first.order if len(names) > 2 else range(len(names))
    rows = "".join(_row(comparison, names[first.rows[place].system], place) for place in order)
    level = f"In parentheses and drawn: {100 * comparison.confidence_level:g} % intervals. "
    if comparison.test is not None:
        level += "Below: the difference from the baseline, in brackets its interval. "
    notes = [*comparison.section_lines(short), f"{level}{comparison.legend(short, best=BEST)}"]
    notes += comparison.remarks(short)
    notes += list(dict.fromkeys(table.signature for table in comparison.tables))
    return (
        f'<div style="max-width:100%;overflow-x:auto">{sentences_html(verdict) if verdict else ""}'
        f"<table>{head}<tbody>{rows}</tbody></table>"
        "<p>The report, with every test and segment, is the page that <code>.to_html()</code> returns.</p>"
        f"{notes_html(notes)}</div>"
    )


def _row(comparison: Comparison, name: str, place: int) -> str:
    cells = "".join(
        f'<td style="text-align:right;padding-left:1.5em">{_score(row)}{_drawn(table, row)}{_difference(row)}</td>'
        for table in comparison.tables
        for row in (table.rows[place],)
    )
    is_baseline = comparison.tables[0].rows[place].difference is None and comparison.test is not None
    called = f"<bdi>{clean(name)}</bdi>{' (baseline)' if is_baseline else ''}"
    return f'<tr><th scope="row" style="text-align:left">{called}</th>{cells}</tr>'


def _score(row: SystemScore) -> str:
    mark = BEST if row.best else AS_GOOD if row.as_good else ""
    interval = f" ({row.interval})" if row.interval else ""
    return f"{decimals(row.value, row.digits)}{mark}{interval}"


def _difference(row: SystemScore) -> str:
    """Return the difference from the baseline with its interval, below the score; nothing where none is tested."""
    if row.adjusted_pvalue is None:
        return ""
    difference, p, _ = against(row)
    return f"<small>{f'{difference} {row.interval_of_difference}'.rstrip()}, p {p}</small>"


def _drawn(table: ScoreTable, row: SystemScore) -> str:
    """Return the interval on a scale that all systems share; nothing where one of its ends is no number."""
    ends = [end for each in table.rows for end in (each.low, each.value, each.high) if math.isfinite(end)]
    if not all(map(math.isfinite, (row.low, row.value, row.high))) or min(ends) == max(ends):
        return ""
    low, value, high = (100 * (end - min(ends)) / (max(ends) - min(ends)) for end in (row.low, row.value, row.high))
    return _INTERVAL.format(low=low, width=high - low, value=min(value, 98.5))
