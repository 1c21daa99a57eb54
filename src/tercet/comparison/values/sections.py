"""What a comparison says of a score beside its table: a part with a title, sentences and a table for every format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tercet.names_as_shown import Sentence, said
from tercet.table_formats import Table


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A part of what is said of a score, which terminals, pages, documents and JSON show in their own way.

    Attributes
    ----------
    key : str
        Under which the JSON has its value, such as ``power``.
    title : str
    sentences : list of Sentence
    table : Table or None
        Its cells are as people read them.
    value : Any
        What it says as plain Python.
    """

    key: str
    title: str
    sentences: list[Sentence]
    table: Table | None
    value: Any

    def lines(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return the sentences as texts; `plain` formats names of systems."""
        return [said(sentence, plain) for sentence in self.sentences]
