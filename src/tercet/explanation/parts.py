"""What an explanation consists of: written once, drawn on a page and in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from tercet.markup import clean

from .matches import Count, Word


class Share(float):
    """A number from 0 to 1, which is shown in percent where the scores are."""


class Factor(float):
    """A number that a score is multiplied by, which is no percentage where the scores are."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A name, and the numbers that belong to it."""

    name: str
    numbers: Mapping[str, float]
    called: str = ""  # what people call it, on a page; empty for the name

    def __str__(self) -> str:
        return self.text()

    def text(self, scale: float = 1, sign: str = "") -> str:
        """Return it on one line; shares are multiplied by `scale`, and a sign stands before factors."""
        numbers = ", ".join(
            f"{name} {sign * isinstance(value, Factor)}{number_text(value, scale)}".strip()
            for name, value in self.numbers.items()
        )
        return ": ".join(filter(None, [self.name, numbers]))

    def text_of_page(self, scale: float = 1) -> str:
        """Return what a page shows: the name that people give it, and factors as such."""
        return Heading(self.called or self.name, self.numbers).text(scale, "× ")

    def html(self, scale: float = 1) -> str:
        """Return a paragraph of HTML; shares are multiplied by `scale`."""
        return f"<p><b>{clean(self.text_of_page(scale))}</b></p>"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of text."""

    text: str

    def html(self, scale: float = 1) -> str:
        """Return a paragraph of HTML."""
        return f"<p>{clean(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Legend:
    """The meaning of the levels, from 1 on; `losses` are what takes from a score."""

    names: Sequence[str]
    losses: bool = False

    def html(self, scale: float = 1) -> str:
        """Return the colours as HTML."""
        return legend(self.names)


@dataclass(frozen=True, slots=True)
class Line:
    """A text in tokens, each with its level; `hint` names a level, such as ``"{}-gram"``."""

    label: str
    words: Sequence[Word]
    hint: str = ""
    spaced: bool = True  # else blanks are among the tokens
    losses: bool = False

    def html(self, scale: float = 1) -> str:
        """Return a paragraph of HTML."""
        if self.spaced:
            chips = " ".join(
                _level_chip(word.text, word.level, _meaning(self.hint, word.level), word.written)
                for word in self.words
            )
            return _line(self.label, chips or "<i>no token</i>")
        chips = ""
        # Neighbours of a level share a chip.
        for level, run in groupby(self.words, key=lambda word: word.level):
            style = f"background:{_colour(level)};white-space:pre-wrap"
            chips += chip("".join(word.text for word in run), style, _meaning(self.hint, level), level)
        return _line(self.label, chips or "<i>no character</i>")


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in rows; a page folds what is too long to be read first, and a terminal leaves it out."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    folded: bool = False

    def html(self, scale: float = 1) -> str:
        """Return a table of HTML; shares are multiplied by `scale`."""
        rows = self.rows
        if scale != 1:
            rows = [[_scaled(value, scale) for value in row] for row in rows]
        if self.folded:
            return folded(self.caption, table_html("", self.head, rows))
        return table_html(self.caption, self.head, rows)


def _scaled(value: object, scale: float) -> object:
    """Return a share as it is written, as `table_html` does not know the scale; else the value."""
    if isinstance(value, Share):
        return Cell(number_text(value, scale), "")
    return value


Part = Heading | Sentence | Legend | Line | Table


def number_text(value: object, scale: float = 1) -> str:
    """Return a number as it is shown; anything else as text."""
    if isinstance(value, Share):
        return decimal_text(scale * value, 4 if scale == 1 else 2)
    if isinstance(value, float):
        return decimal_text(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def decimal_text(value: float, digits: int = 4) -> str:
    """Return a number with so many decimals; what rounds to zero has no sign.

    >>> decimal_text(-1.7e-8), decimal_text(-0.25, 2)
    ('0.0000', '-0.25')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def orders_legend(max_order: int, characters: bool = False) -> Legend:
    """Return the legend of the orders of n-grams, of tokens or characters; beyond the fourth they share a colour."""
    if characters:
        names = [f"{order} characters" for order in range(1, max_order + 1)]
        names[:1] = ["1 character"]
        longest = "4 characters or more"
    else:
        names = order_names(max_order)
        longest = "4-gram or longer"
    if max_order > 4:
        names = [*names[:3], longest]
    return Legend(names)


def order_names(max_order: int) -> list[str]:
    """Return the names of the orders."""
    return [f"{order}-gram" for order in range(1, max_order + 1)]


def counted(summary: str, counts: Sequence[Count]) -> Table:
    """Return a folded list of what was counted: what matches first, else in the given order."""
    ordered = sorted(counts, key=lambda count: -count.counted)
    rows = [(count.text, count.prediction, count.reference, count.counted) for count in ordered]
    return Table(summary, ("tokens", "in the prediction", "in a reference", "counted"), rows, folded=True)


def graded(label: str, tokens: Sequence[tuple[tuple[int, int] | None, str, float]], *, losses: bool = False) -> Line:
    """Return a text of spans, tokens and values: the colours are quarters of the greatest value, the nearest.

    Blanks stand where the text has white space between the spans; what has no span stands apart.
    """
    greatest = max([value for _, _, value in tokens], default=0.0)
    words, end = list[Word](), 0
    for span, text, value in tokens:
        if words and (span is None or span[0] > end):
            words.append(Word(" ", 0))
        # Values that are all rounding errors get no level.
        words.append(Word(text, round(4 * max(value, 0.0) / greatest) if greatest > ROUNDING else 0))
        end = end if span is None else max(end, span[1])
    return Line(label, words, spaced=False, losses=losses)


def quarters(quantity: str) -> list[str]:
    """Return the meaning of the levels of `graded`."""
    return [f"1/4 of the greatest {quantity}", "1/2", "3/4", "the greatest"]


# Texts with their tokens in colour, and tables of them, as self-contained HTML.
#
# Backgrounds are translucent, so that the text keeps the colour that the page gives it, on white or on black.

#: Backgrounds of the levels 0, 1, 2, 3, and 4 or more: also for those who do not see red and green.
COLOURS = (
    "transparent",
    "rgba(86,180,233,.35)",
    "rgba(0,158,115,.45)",
    "rgba(230,159,0,.50)",
    "rgba(204,121,167,.55)",
)
#: Colours of what adds to a score and of what takes from it; colour-blind readers can distinguish them too.
ADDS, TAKES = "86,140,233", "220,50,47"
_MOST_ROWS = 200
#: What a token of a text that equals the other loses, at most: no colour shows it.
ROUNDING = 1e-6


class Cell(NamedTuple):
    """A number as it is written in a table, on a colour."""

    text: str
    style: str


def chip(text: str, style: str, hint: str = "", level: int | None = None, written: str | None = None) -> str:
    """Return a token on a colour, with a hint for a pointer; a stem that is compared is above the written word."""
    data = "" if level is None else f' data-level="{level}"'
    title = f' title="{clean(hint)}"' if hint else ""
    token_html = (
        clean(text)
        if written is None
        else f'<ruby>{clean(written)}<rt style="font-size:70%">{clean(text)}</rt></ruby>'
    )
    return f'<span{data}{title} style="{style}">{token_html}</span>'


def shade(colour: str, share: float) -> str:
    """Return the style of a background; a share of 1 is the strongest."""
    return f"background:rgba({colour},{0.7 * share:.2f});border-radius:3px"


def legend(names: Sequence[str]) -> str:
    """Return the colours with their meaning; the first name is that of level 1."""
    chips = " ".join(_level_chip(name, level) for level, name in [*enumerate(names, 1), (0, "no match")])
    return f"<p><small>{chips}</small></p>"


def reference_label(index: int, n_references: int) -> str:
    """Return what comes before a reference."""
    return "reference" if n_references == 1 else f"reference {index + 1}"


def spaced_html(label: str, chips: Sequence[tuple[tuple[int, int] | None, str]]) -> str:
    """Return a text of chips, with blanks where the text has white space between their spans; others stand apart."""
    chips_html = ""
    end = 0
    for span, chip_html in chips:
        if span is None:
            chips_html += f" {chip_html} "
        else:
            if span[0] > end:
                chips_html += " "
            chips_html += chip_html
            end = max(end, span[1])
    return _line(label, chips_html)


def table_html(caption: str, head: Sequence[str], rows: Sequence[Sequence[object]], most: int = _MOST_ROWS) -> str:
    """Return a table; numbers are right-aligned."""
    names = "".join(f"<th>{clean(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:most])
    omitted_note = f"<p><small>and {len(rows) - most:,} more</small></p>" if len(rows) > most else ""
    return f"<table><caption>{clean(caption)}</caption><tr>{names}</tr>{body}</table>{omitted_note}"


def folded(summary: str, inner: str) -> str:
    """Return what a click on its summary shows."""
    return f"<details><summary>{clean(summary)}</summary>{inner}</details>"


def scrolled(inner: str, label: str) -> str:
    """Return a box that scrolls by itself, also by keys: what would be too small if scaled to a narrow page."""
    reached = f'tabindex="0" role="group" aria-label="{clean(label)}"'
    return f'<div class="scroll" {reached} style="overflow-x:auto;max-width:100%">{inner}</div>'


def page_html(title: str, parts: Sequence[str], signature: str, legend: str = "") -> str:
    """Return the fragment around the parts."""
    legend_html = f"<br><small>{clean(legend)}</small>" if legend else ""
    head = f"<p><b>{clean(title)}</b>{legend_html}</p>" if title else ""
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
    return chip(text, f"background:{_colour(level)};border-radius:3px;padding:1px 3px", hint, level, written)


def _meaning(hint: str, level: int) -> str:
    return hint.format(level) if level else "no match"


def _cell(value: object) -> str:
    if isinstance(value, Cell):
        return f'<td style="text-align:right;{value.style}">{clean(value.text)}</td>'
    if isinstance(value, (int, float)):
        number = f"{value:,}" if isinstance(value, int) else decimal_text(value)
        return f'<td style="text-align:right">{number}</td>'
    return f"<td>{clean(str(value))}</td>"
