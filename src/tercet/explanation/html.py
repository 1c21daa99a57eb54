"""How the parts of an explanation are drawn in HTML: tokens in colour, tables of them, all self-contained.

Backgrounds are translucent, so that the text keeps the colour that the page gives it, on white or on black.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from tercet.names_as_shown import clean

from .matches import Word

#: Backgrounds of the levels 0, 1, 2, 3, and 4 or more: also for those who do not see red and green.
COLOURS = (
    "transparent",
    "rgba(86,180,233,.35)",
    "rgba(0,158,115,.45)",
    "rgba(230,159,0,.50)",
    "rgba(204,121,167,.55)",
)
#: Colours of what adds to a score and of what takes from it; colour-blind readers can distinguish them too.
ADDS = "86,140,233"
TAKES = "220,50,47"
_MOST_ROWS = 200


class Cell(NamedTuple):
    """A number as it is written in a table, on a colour."""

    text: str
    style: str


def chip(text: str, style: str, hint: str = "", *, level: int | None = None, written: str | None = None) -> str:
    """Return a token on a colour, with a hint for a pointer; a stem that is compared is above the written word."""
    attributes = ""
    if level is not None:
        attributes += f' data-level="{level}"'
    if hint:
        attributes += f' title="{clean(hint)}"'
    token_html = clean(text)
    if written is not None:
        token_html = f'<ruby>{clean(written)}<rt style="font-size:70%">{token_html}</rt></ruby>'
    return f'<span{attributes} style="{style}">{token_html}</span>'


def shade(colour: str, share: float) -> str:
    """Return the style of a background; a share of 1 is the strongest."""
    return f"background:rgba({colour},{0.7 * share:.2f});border-radius:3px"


def legend(names: Sequence[str]) -> str:
    """Return the colours with their meaning; the first name is that of level 1."""
    chips = [_level_chip(name, level) for level, name in enumerate(names, 1)]
    chips.append(_level_chip("no match", 0))
    return f"<p><small>{' '.join(chips)}</small></p>"


def tokens_html(label: str, words: Sequence[Word], hint: str) -> str:
    """Return a text of tokens with blanks between them, each on the colour of its level, which `hint` names."""
    chips = [_level_chip(word.text, word.level, _meaning(hint, word.level), word.written) for word in words]
    return _line(label, " ".join(chips) or "<i>no token</i>")


def characters_html(label: str, words: Sequence[Word], hint: str) -> str:
    """Return a text whose blanks are among its tokens; neighbours of a level share a chip."""
    chips = ""
    for level, run in groupby(words, key=lambda word: word.level):
        style = f"background:{_colour(level)};white-space:pre-wrap"
        chips += chip("".join(word.text for word in run), style, _meaning(hint, level), level=level)
    return _line(label, chips or "<i>no character</i>")


def spaced_html(label: str, chips: Sequence[tuple[tuple[int, int] | None, str]]) -> str:
    """Return a text of chips, with blanks where the text has white space between their spans; others stand apart."""
    chips_html = ""
    end = 0
    for span, chip_html in chips:
        if span is None:
            chips_html += f" {chip_html} "
            continue
        start, stop = span
        if start > end:
            chips_html += " "
        chips_html += chip_html
        end = max(end, stop)
    return _line(label, chips_html)


def table_html(caption: str, head: Sequence[str], rows: Sequence[Sequence[object]], most: int = _MOST_ROWS) -> str:
    """Return a table; numbers are right-aligned."""
    names = "".join(f"<th>{clean(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:most])
    table = f"<table><caption>{clean(caption)}</caption><tr>{names}</tr>{body}</table>"
    if len(rows) > most:
        table += f"<p><small>and {len(rows) - most:,} more</small></p>"
    return table


def folded_html(summary: str, inner: str) -> str:
    """Return what a click on its summary shows."""
    return f"<details><summary>{clean(summary)}</summary>{inner}</details>"


def scrolling_html(inner: str, label: str) -> str:
    """Return a box that scrolls by itself, also by keys: what would be too small if scaled to a narrow page."""
    reached = f'tabindex="0" role="group" aria-label="{clean(label)}"'
    return f'<div class="scroll" {reached} style="overflow-x:auto;max-width:100%">{inner}</div>'


def page_html(title: str, parts: Sequence[str], signature: str, legend: str = "") -> str:
    """Return the fragment around the parts."""
    head = ""
    if title:
        legend_html = f"<br><small>{clean(legend)}</small>" if legend else ""
        head = f"<p><b>{clean(title)}</b>{legend_html}</p>"
    return (
        '<div style="font-family:sans-serif;line-height:1.9;max-width:100%;overflow-x:auto">'
        f"{head}{''.join(parts)}"
        f'<p style="overflow-wrap:anywhere"><small>{clean(signature)}</small></p></div>'
    )


def _line(label: str, inner: str) -> str:
    return f'<p dir="auto" style="overflow-wrap:anywhere"><b>{clean(label)}</b> {inner}</p>'


def _colour(level: int) -> str:
    return COLOURS[min(level, len(COLOURS) - 1)]


def _level_chip(text: str, level: int, hint: str = "", written: str | None = None) -> str:
    return chip(
        text, f"background:{_colour(level)};border-radius:3px;padding:1px 3px", hint, level=level, written=written
    )


def _meaning(hint: str, level: int) -> str:
    if level == 0:
        return "no match"
    return hint.format(level)


def decimal_text(value: float, digits: int = 4) -> str:
    """Return a number with so many decimals; what rounds to zero has no sign.

    >>> decimal_text(-1.7e-8), decimal_text(-0.25, 2)
    ('0.0000', '-0.25')
    """
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return text


def _cell(value: object) -> str:
    if isinstance(value, Cell):
        return f'<td style="text-align:right;{value.style}">{clean(value.text)}</td>'
    if isinstance(value, int):
        return f'<td style="text-align:right">{value:,}</td>'
    if isinstance(value, float):
        return f'<td style="text-align:right">{decimal_text(value)}</td>'
    return f"<td>{clean(str(value))}</td>"
