"""Texts with the contributions of their tokens to a score, as self-contained HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .words_html import ADDS, TAKES, Cell, chip, folded, page_html, shade, spaced_html, table_html


@dataclass(frozen=True, slots=True)
class Part:
    """A token, and what it adds to a score."""

    token: str  # as the tokenizer spells it, such as ##ing
    text: str  # the part of the text that it stands for; for a special token, its spelling
    span: tuple[int, int] | None  # where that part is in the text; None for special tokens
    special: bool  # added by the tokenizer, such as [CLS]
    contribution: float | None  # None where the score cannot be divided among the tokens


def contributions_html(title: str, legend: str, sides: Sequence[tuple[str, Sequence[Part]]], signature: str) -> str:
    """Return a fragment of HTML: each text in colour, and the table of its tokens."""
    texts = [_coloured(name, parts) for name, parts in sides]
    tables = [_table(name, parts) for name, parts in sides]
    return page_html(title, [*texts, folded("all tokens", "".join(tables))], signature, legend)


def _coloured(name: str, parts: Sequence[Part]) -> str:
    """Return a text, each token on the colour of what it adds; special ones are smaller."""
    greatest = _greatest(parts)
    chips = []
    for part in parts:
        faded = ";opacity:.85;font-size:.8em" if part.special else ""
        hint = part.token if part.contribution is None else f"{part.token} {part.contribution:+.4f}"
        chips.append((part.span, chip(part.text, _colour(part, greatest) + faded, hint)))
    return spaced_html(name, chips)


def _table(name: str, parts: Sequence[Part]) -> str:
    greatest = _greatest(parts)
    given = [part.contribution for part in parts if part.contribution is not None]
    if not given:
        return table_html(f"tokens of the {name}", ("token",), [(part.text,) for part in parts], most=len(parts))
    rows = [(part.text, Cell(f"{part.contribution or 0.0:+.4f}", _colour(part, greatest))) for part in parts]
    caption = f"tokens of the {name}: contributions sum to {sum(given):.4f}"
    return table_html(caption, ("token", "contribution"), rows, most=len(rows))


def _colour(part: Part, greatest: float) -> str:
    added = part.contribution or 0.0
    return shade(ADDS if added >= 0 else TAKES, abs(added) / greatest)


def _greatest(parts: Sequence[Part]) -> float:
    """Return what has the full colour: the greatest contribution, but no less than an even share of a score of 1."""
    return max([1 / max(len(parts), 1), *(abs(part.contribution or 0.0) for part in parts)])
