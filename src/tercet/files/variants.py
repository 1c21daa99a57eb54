"""Several texts of one language in the units of a translation memory -> a column for each of their authors."""

from __future__ import annotations

from collections.abc import Mapping

from .table import MOST_COLUMNS

Cells = list[str | None]


def by_author(language: str, texts: Mapping[str, Cells], authors: Mapping[str, Cells]) -> dict[str, Cells] | None:
    """Return the texts of a language in a column for each author, in the order in which the authors first occur."""
    spellings: dict[str, str] = {}
    found: dict[str, Cells] = {}
    rows = zip(*texts.values(), strict=True)
    named = zip(*(authors.get(column, [None] * len(cells)) for column, cells in texts.items()), strict=True)
    for number, (cells, writers) in enumerate(zip(rows, named, strict=True)):
        seen = set[str]()
        for cell, writer in zip(cells, writers, strict=True):
            if cell is None:
                continue
            key = (writer or "").casefold()
            if not key or key in seen or len(found) == MOST_COLUMNS:
                return None
            seen.add(key)
            column = found.setdefault(f"{language} {spellings.setdefault(key, str(writer))}", [])
            column += [None] * (number - len(column))
            column.append(cell)
    for column in found.values():
        column += [None] * (len(next(iter(texts.values()))) - len(column))
    return found
