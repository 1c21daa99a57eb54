"""What an explanation consists of: written once, drawn on a page and in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tercet.markup import clean

from .html import Cell, characters_html, decimal_text, folded, legend, table_html, tokens_html
from .matches import Count, Word

#: What a token of a text that equals the other loses, at most: no colour shows it.
ROUNDING = 1e-6


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
            return tokens_html(self.label, self.words, self.hint)
        return characters_html(self.label, self.words, self.hint)


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


def reference_label(index: int, n_references: int) -> str:
    """Return what comes before a reference."""
    return "reference" if n_references == 1 else f"reference {index + 1}"


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
