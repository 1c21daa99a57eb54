"""Matched tokens in colour, and what counted, as HTML that a browser shows without anything else.

Backgrounds are translucent, so that the text keeps the colour that the page gives it, on white or on black.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tercet.core.markup import clean

from .places import Count, Word

#: Backgrounds of the levels 0, 1, 2, 3, and 4 or more: told apart also by those who do not see red and green.
COLOURS = (
    "transparent",
    "rgba(86,180,233,.35)",
    "rgba(0,158,115,.45)",
    "rgba(230,159,0,.50)",
    "rgba(204,121,167,.55)",
)
_MOST_ROWS = 200


def legend(names: Sequence[str]) -> str:
    """Return the colours with their meaning; the first name is that of level 1."""
    chips = "".join(f"{_chip(name, level, '')} " for level, name in enumerate(names, 1))
    return f"<p><small>{chips}{_chip('no match', 0, '')}</small></p>"


def order_names(max_order: int) -> tuple[str, list[str]]:
    """Return the legend of the orders of n-grams, and their names; beyond the fourth they share a colour."""
    orders = [f"{order}-gram" for order in range(1, max_order + 1)]
    return legend(orders if max_order <= 4 else [*orders[:3], "4-gram or longer"]), orders


def reference_label(index: int, n_references: int) -> str:
    """Return what stands before a reference."""
    return "reference" if n_references == 1 else f"reference {index + 1}"


def words_html(label: str, words: Sequence[Word], hint: str) -> str:
    """Return a text with each token on the colour of its level; `hint` names the levels, such as ``"{}-gram"``."""
    chips = " ".join(
        _chip(word.text, word.level, hint.format(word.level) if word.level else "no match", word.written)
        for word in words
    )
    return f'<p dir="auto" style="overflow-wrap:anywhere"><b>{clean(label)}</b> {chips or "<i>no token</i>"}</p>'


def characters_html(label: str, characters: Sequence[Word], hint: str) -> str:
    """Return a text likewise whose tokens are characters: nothing stands between them, and like ones share a chip."""
    runs: list[tuple[int, str]] = []
    for level, run in groupby(characters, key=lambda word: word.level):
        runs.append((level, "".join(word.text for word in run)))
    chips = "".join(
        f'<span data-level="{level}" title="{clean(hint.format(level) if level else "no match")}" '
        f'style="background:{_colour(level)};white-space:pre-wrap">{clean(text)}</span>'
        for level, text in runs
    )
    return f'<p dir="auto" style="overflow-wrap:anywhere"><b>{clean(label)}</b> {chips or "<i>no character</i>"}</p>'


def table_html(caption: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table; numbers are right-aligned."""
    names = "".join(f"<th>{clean(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_MOST_ROWS])
    more = f"<p><small>and {len(rows) - _MOST_ROWS:,} more</small></p>" if len(rows) > _MOST_ROWS else ""
    return f"<table><caption>{clean(caption)}</caption><tr>{names}</tr>{body}</table>{more}"


def counts_html(summary: str, counts: Sequence[Count]) -> str:
    """Return a list, folded, of what was counted: what matches first, then by place."""
    ordered = sorted(counts, key=lambda count: -count.counted)
    rows = [(count.text, count.prediction, count.reference, count.counted) for count in ordered]
    table = table_html("", ("tokens", "in the prediction", "in a reference", "counted"), rows)
    return f"<details><summary>{clean(summary)}</summary>{table}</details>"


def page_html(title: str, parts: Sequence[str], signature: str) -> str:
    """Return the fragment around the parts."""
    return (
        '<div style="font-family:sans-serif;line-height:1.9;max-width:100%;overflow-x:auto">'
        f"<p><b>{clean(title)}</b></p>{''.join(parts)}"
        f'<p style="overflow-wrap:anywhere"><small>{clean(signature)}</small></p></div>'
    )


def _colour(level: int) -> str:
    return COLOURS[min(level, len(COLOURS) - 1)]


def _chip(text: str, level: int, hint: str, written: str | None = None) -> str:
    title = f' title="{clean(hint)}"' if hint else ""
    return (
        f'<span data-level="{level}"{title} style="background:{_colour(level)};border-radius:3px;padding:1px 3px">'
        f"{_shown(text, written)}</span>"
    )


def _shown(text: str, written: str | None) -> str:
    """Return a token, with what it was compared by above it where that is a stem or a lemma."""
    if written is None:
        return clean(text)
    return f'<ruby>{clean(written)}<rt style="font-size:70%">{clean(text)}</rt></ruby>'


def _cell(value: object) -> str:
    if isinstance(value, (int, float)):
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
        return f'<td style="text-align:right">{shown}</td>'
    return f"<td>{clean(str(value))}</td>"
