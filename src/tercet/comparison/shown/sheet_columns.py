"""Columns of sheets: how wide they are, and how their numbers are written."""

from __future__ import annotations

from collections.abc import Iterable

from tercet.table_formats import Column

#: The title of the column of p between two systems.
PVALUE = "p adjusted for all pairs"

#: In a workbook, the widths of columns.
WIDTHS = {
    **dict.fromkeys(("test_set", "system", "other", "metric", "score"), 22),
    **dict.fromkeys(("source", "prediction", "reference", "signature"), 60),
    "system is significantly": 24,
    "note": 120,
}

#: How numbers are written there, by the title of their column.
_NUMBERS = {
    **dict.fromkeys(("value", "low", "high", "difference", "difference_low", "difference_high"), "0.00"),
    **dict.fromkeys(("pvalue", "adjusted_pvalue", PVALUE), "0.0000"),
}


def sheet_columns(titles: Iterable[str]) -> list[Column]:
    """Return columns with these titles."""
    return [Column(title, width=WIDTHS.get(title), number_format=_NUMBERS.get(title)) for title in titles]
