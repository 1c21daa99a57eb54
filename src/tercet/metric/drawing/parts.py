"""What an explanation consists of: written once, drawn on a page and in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tercet.markup import clean

from .places import Count, Word
from .words_html import Cell, characters_html, folded, legend, table_html, words_html


class Share(float):
    """A number from 0 to 1, which is shown in percent where the scores are."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A name, and the numbers that belong to it."""

    name: str
    numbers: Mapping[str, float]

    def __str__(self) -> str:
        return self.text()

    def text(self, scale: float = 1) -> str:
        """Return it on one line; shares are multiplied by `scale`."""
        numbers = ", ".join(f"{name} {number_text(value, scale)}".strip() for name, value in self.numbers.items())
        return ": ".join(filter(None, [self.name, numbers]))

    def html(self, scale: float = 1) -> str:
        """Return a paragraph of HTML; shares are multiplied by `scale`."""
        return f"<p><b>{clean(self.text(scale))}</b></p>"


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
        draw = words_html if self.spaced else characters_html
        return draw(self.label, self.words, self.hint)


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in rows; a page folds what is too long to be read first, and a terminal leaves it out."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    folded: bool = False

    def html(self, scale: float = 1) -> str:
        """Return a table of HTML; shares are multiplied by `scale`."""
        rows = self.rows if scale == 1 else [[_scaled_cell(value, scale) for value in row] for row in self.rows]
        if self.folded:
            return folded(self.caption, table_html("", self.head, rows))
        return table_html(self.caption, self.head, rows)


def _scaled_cell(value: object, scale: float) -> object:
    return Cell(number_text(value, scale), "") if isinstance(value, Share) else value


Part = Heading | Sentence | Legend | Line | Table


def number_text(value: object, scale: float = 1) -> str:
    """Return a number as it is shown; anything else as text."""
    if isinstance(value, Share):
        return f"{scale * value:.{4 if scale == 1 else 2}f}"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def orders_legend(max_order: int) -> Legend:
    """Return the legend of the orders of n-grams; beyond the fourth they share a colour."""
    orders = order_names(max_order)
    return Legend(orders if max_order <= 4 else [*orders[:3], "4-gram or longer"])


def order_names(max_order: int) -> list[str]:
    """Return the names of the orders."""
    return [f"{order}-gram" for order in range(1, max_order + 1)]


def counted(summary: str, counts: Sequence[Count]) -> Table:
    """Return a folded list of what was counted: what matches first, then by place."""
    ordered = sorted(counts, key=lambda count: -count.counted)
    rows = [(count.text, count.prediction, count.reference, count.counted) for count in ordered]
    return Table(summary, ("tokens", "in the prediction", "in a reference", "counted"), rows, folded=True)


def graded(values: Sequence[float]) -> list[int]:
    """Return levels from 0 to 4: quarters of the greatest value, the nearest."""
    greatest = max(values, default=0.0)
    return [round(4 * max(value, 0.0) / greatest) if greatest > 1e-6 else 0 for value in values]


def quarters(what: str) -> list[str]:
    """Return the meaning of the levels of `graded`."""
    return [f"1/4 of the greatest {what}", "1/2", "3/4", "the greatest"]


def spaced_words(pieces: Sequence[tuple[tuple[int, int] | None, Word]]) -> list[Word]:
    """Return words with blanks between them where the text has white space between their spans; others apart."""
    words, end = list[Word](), 0
    for span, word in pieces:
        if words and (span is None or span[0] > end):
            words.append(Word(" ", 0))
        words.append(word)
        end = end if span is None else max(end, span[1])
    return words
