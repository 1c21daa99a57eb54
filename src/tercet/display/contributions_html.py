"""Texts whose tokens each add to a score or take away from it, as HTML that a browser shows without anything else.

Backgrounds are translucent, so that the text keeps the colour that the page gives it, on white or on black.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tercet.core.markup import clean

#: Colours of what adds and of what takes away; colour-blind readers can tell them apart too.
_ADDS, _TAKES = "86,140,233", "220,50,47"
_BAR = 120  # pixels of the longest bar of a text


@dataclass(frozen=True, slots=True)
class Part:
    """A token, and what it adds to a score.

    Attributes
    ----------
    token : str
        As the tokenizer spells it, such as ``##ing``.
    text : str
        The part of the text that it stands for; for a special token, its spelling.
    span : (int, int) or None
        Where that part is in the text; None for special tokens.
    special : bool
        Whether the tokenizer added it, such as ``[CLS]``.
    contribution : float or None
        None where the score cannot be divided among the tokens.
    """

    token: str
    text: str
    span: tuple[int, int] | None
    special: bool
    contribution: float | None


def contributions_html(title: str, legend: str, sides: Sequence[tuple[str, Sequence[Part]]], signature: str) -> str:
    """Return a fragment of HTML: each text in colour, and the table of its tokens."""
    texts = "".join(
        f'<p dir="auto" style="overflow-wrap:anywhere"><b>{clean(name)}</b> {_coloured(parts)}</p>'
        for name, parts in sides
    )
    tables = "".join(_table(name, parts) for name, parts in sides)
    return (
        '<div style="font-family:sans-serif;line-height:1.9;max-width:100%;overflow-x:auto">'
        f"<p><b>{clean(title)}</b><br><small>{clean(legend)}</small></p>{texts}"
        f"<details><summary>all tokens</summary>{tables}</details>"
        f'<p style="overflow-wrap:anywhere"><small>{clean(signature)}</small></p></div>'
    )


def _coloured(parts: Sequence[Part]) -> str:
    """Return the tokens with the spaces of their text, each on the colour of what it adds; special ones are grey."""
    greatest = _greatest(parts)
    shown, end = [], 0
    for part in parts:
        if part.span is not None:
            shown.append(" " if part.span[0] > end else "")
            end = max(end, part.span[1])
        elif part.special:
            shown.append(" ")
        colour, share = _share(part, greatest)
        faded = "opacity:.85;font-size:.8em;" if part.special else ""
        hint = part.token if part.contribution is None else f"{part.token} {part.contribution:+.4f}"
        shown.append(
            f'<span title="{clean(hint)}" style="{faded}background:rgba({colour},{0.7 * share:.2f});'
            f'border-radius:3px">{clean(part.text)}</span>'
        )
        if part.special and part.span is None:
            shown.append(" ")
    return "".join(shown)


def _table(name: str, parts: Sequence[Part]) -> str:
    greatest = _greatest(parts)
    rows = "".join(f"<tr><td>{clean(part.text)}</td>{_cells(part, greatest)}</tr>" for part in parts)
    given = [part.contribution for part in parts if part.contribution is not None]
    total = f": contributions sum to {sum(given):.4f}" if given else ""
    head = "<th>token</th>" + ("<th>contribution</th><th></th>" if given else "")
    return f"<table><caption>tokens of the {clean(name)}{total}</caption><tr>{head}</tr>{rows}</table>"


def _cells(part: Part, greatest: float) -> str:
    if part.contribution is None:
        return ""
    colour, share = _share(part, greatest)
    bar = f'<div style="width:{_BAR * share:.0f}px;height:.8em;background:rgba({colour},.7)"></div>'
    return f'<td style="text-align:right">{part.contribution:+.4f}</td><td>{bar}</td>'


def _share(part: Part, greatest: float) -> tuple[str, float]:
    """Return the colour of a token, and its contribution over what has the full colour."""
    added = part.contribution or 0.0
    return (_ADDS if added >= 0 else _TAKES), abs(added) / greatest


def _greatest(parts: Sequence[Part]) -> float:
    """Return what has the full colour: the greatest contribution, but no less than an even share of a score of 1."""
    return max([1 / max(len(parts), 1), *(abs(part.contribution or 0.0) for part in parts)])
