"""Labels of segments in the columns of files, by which slices go."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tercet.errors import InputError, OptionError, argument, shorten

if TYPE_CHECKING:
    from tercet.files.table import Table

#: The slices that go by no column, but by the length of texts.
LENGTH = "length"
#: The label of a cell without one.
NO_LABEL = "(none)"


def slices_of_columns(table: Table, by: Sequence[str], order: Sequence[int] | None = None) -> dict[str, list[str]]:
    """Return the labels of the rows in the columns that slices go by; `order` has the row of each segment."""
    slices = {}
    for name in slice_columns(by, table.columns):
        cells = table.column(name)
        rows = order
        if rows is None:
            rows = range(len(cells))
        slices[name] = slice_labels([cells[row] for row in rows], partial(_location_of, table, name, rows))
    return slices


def _location_of(table: Table, column: str, rows: Sequence[int], segment: int) -> str:
    return table.location(rows[segment], column)


def slice_columns(by: Sequence[str], columns: Collection[str]) -> list[str]:
    """Return the columns that slices go by, without regular expressions."""
    names = []
    for spec in by:
        name, _ = column_and_pattern(spec, columns)
        names.append(name)
    return names


def column_and_pattern(spec: str, columns: Collection[str]) -> tuple[str, str | None]:
    """Return the column that slices go by, and the regular expression behind it, as ``id~^([a-z]+)`` has one."""
    if spec in columns or "~" not in spec:
        return spec, None
    name = _column_before_pattern(spec, columns)
    pattern = spec[len(name) + 1 :]
    try:
        re.compile(pattern)
    except re.error as error:
        raise OptionError(f"{shorten(pattern)} of {argument('by')} is no regular expression: {error}.") from None
    return name, pattern


def _column_before_pattern(spec: str, columns: Collection[str]) -> str:
    """Return the longest name of a column that "~" follows; where there is none, what stands before the first "~"."""
    # Names of columns may have "~", and patterns too.
    named = [name for name in columns if spec.startswith(f"{name}~")]
    if not named:
        return spec.partition("~")[0]
    return max(named, key=len)


def slice_labels(cells: Sequence[Any], location: Callable[[int], str]) -> list[str]:
    """Return the cells of a column as labels of segments; InputError says where one stands that is no label."""
    labels = []
    for row, cell in enumerate(cells):
        # 2**512 is far above any label, and far below what Python refuses to write.
        is_huge = isinstance(cell, int) and abs(cell) >= 1 << 512
        is_empty = cell is None or (isinstance(cell, float) and math.isnan(cell))
        if is_huge or not (is_empty or isinstance(cell, str | int | float)):
            raise InputError(
                f"{location(row)}: expected a text or a number, the name of a slice, got {shorten(cell)}."
            )
        label = ""
        if not is_empty:
            label = str(cell).strip().encode("utf-8", "backslashreplace").decode()
        labels.append(label or NO_LABEL)
    return labels
