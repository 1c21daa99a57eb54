"""A comparison in a notebook: the verdict, the scores with their intervals drawn, and where the report is."""

from __future__ import annotations

import math

from tercet.comparison.result import Comparison
from tercet.comparison.runs.means import as_systems
from tercet.comparison.values.scores import BEST, ScoreTable, SystemScore, against_in_words
from tercet.comparison.verdicts.legends import rank_legend
from tercet.comparison.verdicts.verdicts import verdict_of
from tercet.comparison.wording.decimals import percent
from tercet.names_as_shown import clean, head_html, notes_html, sentences_html, short_names
from tercet.table_formats import decimals

#: A line from the one end of an interval to the other, on which the score is a mark: in the colour of the text, as a
#: notebook may be dark. It needs no script, no style sheet, and no positions: JupyterLab takes these out of notebooks
#: that it does not trust.
_INTERVAL = (
    '<div style="min-width:8em;height:8px;margin-top:5px">'
    '<div style="margin-left:{low:.1f}%;width:{width:.1f}%;border-top:4px solid;opacity:.5"></div>'
    '<div style="margin-left:{value:.1f}%;margin-top:-6px;height:8px;border-left:2px solid"></div></div>'
)
#: The style of a cell with a number.
_NUMBER = "text-align:right;white-space:nowrap;padding-left:1em"


def to_html(comparison: Comparison) -> str:
    """Return a fragment of HTML that needs no package: of more than two systems the best is first."""
    names = short_names(list(comparison.test_set.systems))

    def short(name: str) -> str:
        return names.get(name, name)

    verdict = verdict_of(comparison, names) if comparison.design.has_others else []
    # Where outputs are runs of systems, the table shows the systems.
    shown = as_systems(comparison) if comparison.joins_runs else comparison
    head = head_html(_heads(shown))
    first = shown.tables[0]
    rows = "".join(_row_html(shown, short(first.rows[index].system), index) for index in first.shown_order)
    level = ""
    if shown.has_intervals:
        level = f"In parentheses and drawn: {percent(comparison.confidence_level)} intervals"
        level += ". " if shown.test is None else "; in brackets: those of the difference from the baseline. "
    notes = [*comparison.section_lines(short), f"{level}{shown.legend(short, best=BEST)}"]
    if shown.has_ranks:
        notes.append(rank_legend(shown))
    notes += comparison.remarks(short)
    if comparison.test_set.fields:
        notes.append(comparison.test_set.fields)
    notes += [f"Warning: {warning}" for warning in comparison.warnings]
    notes += list(dict.fromkeys(table.signature for table in comparison.tables))
    verdict_html = sentences_html(verdict) if verdict else ""
    return (
        f'<div style="max-width:100%;overflow-x:auto">{verdict_html}'
        f"<table>{head}<tbody>{rows}</tbody></table>"
        "<p>The report, with every test and segment, is the page that <code>.to_html()</code> returns.</p>"
        f"{notes_html(notes)}</div>"
    )


def _heads(comparison: Comparison) -> list[str]:
    """Return the heads of the columns: of each score, and of what stands beside it."""
    heads = ["system"]
    for label in comparison.marked_labels():
        heads.append(label)
        if comparison.test is not None:
            heads += ["difference", comparison.p_label]
        if comparison.has_ranks:
            heads.append("rank")
    return heads


def _row_html(comparison: Comparison, name: str, index: int) -> str:
    texts = []
    for table in comparison.tables:
        row = table.rows[index]
        texts.append(f"{_score_html(row)}{_interval_html(table, row)}")
        if comparison.test is not None:
            difference, p, _ = against_in_words(row)
            texts += [_above(difference, row.interval_of_difference), clean(p)]
        if comparison.has_ranks:
            texts.append(row.places)
    cells = "".join(f'<td style="{_NUMBER}">{text}</td>' for text in texts)
    is_baseline = comparison.tables[0].rows[index].is_baseline and comparison.test is not None
    heading = f"<bdi>{clean(name)}</bdi>"
    if is_baseline:
        heading += " (baseline)"
    return f'<tr><th scope="row" style="text-align:left">{heading}</th>{cells}</tr>'


def _score_html(row: SystemScore) -> str:
    interval = f"({row.interval})" if row.interval else ""
    return _above(f"{decimals(row.value, row.digits)}{row.mark}", interval)


def _above(number: str, interval: str) -> str:
    """Return a number with its interval below it, so that tables of several scores are narrow."""
    return f"{number}<br><small>{interval}</small>" if interval else number


def _interval_html(table: ScoreTable, row: SystemScore) -> str:
    """Return the interval on a scale that all systems share; nothing where one of its ends is no number."""
    ends: list[float] = []
    for system in table.rows:
        ends += filter(math.isfinite, (system.low, system.value, system.high))
    if not all(map(math.isfinite, (row.low, row.value, row.high))) or min(ends) == max(ends):
        return ""
    low, value, high = (100 * (end - min(ends)) / (max(ends) - min(ends)) for end in (row.low, row.value, row.high))
    return _INTERVAL.format(low=low, width=high - low, value=min(value, 98.5))
