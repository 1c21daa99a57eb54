"""Which rows of a table are of one item: by the columns that tell items apart, and by the system of each row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any

from tercet.errors import shorten
from tercet.files.columns.vocabulary import ITEM
from tercet.files.table import Table

from .named_columns import columns_called


def keys_of(table: Table, source: str | None, references: list[str]) -> list[list[str]]:
    """Return the columns that may tell items apart, the most likely first."""
    ids = list(columns_called(table, ITEM))
    keys = [[name] for name in ids]
    if len(ids) > 1:
        keys.append(ids)
    # A source may have several references, and a reference several sources.
    if source in table.columns:
        keys.append([source])
    elif references:
        keys.append(references)
    return keys


def item_of_each_row(table: Table, key: list[str]) -> list[Hashable]:
    """Return the item of each row, as these columns tell them apart."""
    return list(zip(*(map(hashable, table.columns[name]) for name in key), strict=True))


def rows_of_items(table: Table, key: list[str], column: str) -> dict[Hashable, dict[str, int]] | None:
    """Return by item the row of each system; None where a system has several."""
    rows: dict[Hashable, dict[str, int]] = defaultdict(dict)
    systems = map(str, table.columns[column])
    for row, (item, system) in enumerate(zip(item_of_each_row(table, key), systems, strict=True)):
        by_system = rows[item]
        if system in by_system:
            return None
        by_system[system] = row
    return rows


def has_one_value(cells: list[Any], rows: dict[str, int]) -> bool:
    """Return whether the rows of an item have equal cells."""
    return len({hashable(cells[row]) for row in rows.values()}) == 1


def item_in_words(table: Table, key: list[str], row: int) -> str:
    """Return what a message calls the item of a row."""
    return " and ".join(f"{shorten(table.columns[name][row])} ({name})" for name in key)


def hashable(cell: Any) -> Hashable:
    """Return a cell as what can be compared and looked up: a list as its text."""
    return cell if isinstance(cell, str | int | None) else repr(cell)
