"""Why columns have no texts, or others than their names suggest."""

from __future__ import annotations

from enum import Enum


class Lack(Enum):
    """Why a column is not what its name alone would make it: a verb, that of several columns, and what follows."""

    CODES = ("holds", "hold", "numbers, dates, ids or hashes")
    EMPTY = ("is", "are", "empty in every row")
    NO_TEXT = ("has", "have", "values that are not text")
    CONSTANT = ("has", "have", "the same text in every row")
    FEW_VALUES = ("has", "have", "few values of one word each")
    UNLIKE_REFERENCES = ("hardly shares", "hardly share", "a word with the references")
    UNLIKE_SYSTEMS = ("hardly shares", "hardly share", "a word with the systems")
    EARLIER = ("has", "have", "texts of an earlier state, as its name says")

    @property
    def in_words(self) -> str:
        """What is said of one column."""
        verb, _, what = self.value
        return f"{verb} {what}"

    @property
    def of_several(self) -> str:
        """What is said of several columns."""
        _, verb, what = self.value
        return f"{verb} {what}"
