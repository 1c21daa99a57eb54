"""What an explanation consists of: written once, drawn on a page and in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from tercet.names_as_shown import clean

from .html import Cell, characters_html, decimal_text, folded_html, legend, table_html, tokens_html
from .matches import Count, Word

#: What a token of a text that equals the other loses, at most: no colour shows it.
ROUNDING = 1e-6


class Share(float):
    """A number from 0 to 1, which is shown in percent where the scores are."""

    def __deepcopy__(self, memo: object) -> float:
        """Return a plain number: `to_dict` of an explanation is made of copies."""
        return float(self)


class Factor(float):
    """A number that a score is multiplied by, which is no percentage where the scores are."""


def score_on_scale(score: float, scale: float) -> float:
    """Return a score as an explanation keeps it: on the scale of the options, and in percent no share any more."""
    return Share(score) if scale == 1 else score


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
        numbers = []
        for name, value in self.numbers.items():
            number = number_text(value, scale)
            if isinstance(value, Factor):
                number = f"{sign}{number}"
            numbers.append(f"{name} {number}".strip())
        return ": ".join(filter(None, [self.name, ", ".join(numbers)]))

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
            return folded_html(self.caption, table_html("", self.head, rows))
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
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


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
    if n_references == 1:
        return "reference"
    return f"reference {index + 1}"


def counts_table(summary: str, counts: Sequence[Count]) -> Table:
    """Return a folded list of what was counted: what matches first, else in the given order."""
    ordered = sorted(counts, key=attrgetter("counted"), reverse=True)
    rows = [(count.text, count.prediction, count.reference, count.counted) for count in ordered]
    return Table(summary, ("tokens", "in the prediction", "in a reference", "counted"), rows, folded=True)


def graded_line(
    label: str, tokens: Sequence[tuple[tuple[int, int] | None, str, float]], *, losses: bool = False
) -> Line:
    """Return a text of spans, tokens and values: the colours are quarters of the greatest value, the nearest.

    Blanks stand where the text has white space between the spans; what has no span stands apart.
    """
    greatest = max([value for _, _, value in tokens], default=0.0)
    words = list[Word]()
    end = 0
    for span, text, value in tokens:
        stands_apart = True
        if span is not None:
            start, stop = span
            stands_apart = start > end
            end = max(end, stop)
        if words and stands_apart:
            words.append(Word(" ", 0))
        level = 0
        # Values that are all rounding errors get no level.
        if greatest > ROUNDING:
            level = round(4 * max(value, 0.0) / greatest)
        words.append(Word(text, level))
    return Line(label, words, spaced=False, losses=losses)


def quarters(quantity: str) -> list[str]:
    """Return the meaning of the levels of `graded_line`."""
    return [f"1/4 of the greatest {quantity}", "1/2", "3/4", "the greatest"]
