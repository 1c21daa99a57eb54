"""Data frames of pandas and Polars, datasets, and tables of Arrow -> a table, as if it were of a file."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.corpus.items import readable
from tercet.errors import InputError, shorten

if TYPE_CHECKING:
    from tercet.files.table import Table


#: What a frame is called in messages: by the package and class.
_KINDS = {
    ("pandas", "DataFrame"): "data frame",
    ("polars", "DataFrame"): "data frame",
    ("datasets", "Dataset"): "dataset",
    ("pyarrow", "Table"): "Arrow table",
}
#: What rows are called that are counted from 0, as all of these packages do.
_UNIT = "item"


#: What makes empty texts of the missing cells of a column, by the package whose frame it is.
_FILLED_BY = {
    "pandas": "frame.fillna({{{}: ''}})",
    "polars": "frame.with_columns(polars.col({}).fill_null(''))",
}


def frame_kind(value: Any) -> str:
    """Return what a table in memory is called, such as "data frame"; "" of what is none."""
    for (package, name), kind in _KINDS.items():
        if _is_of(value, package, name):
            return kind
    return ""


def is_dataset_of_splits(value: Any) -> bool:
    """Return whether a value is a DatasetDict: a mapping, but of splits and not of systems."""
    return _is_of(value, "datasets", "DatasetDict")


def _is_of(value: Any, package: str, name: str) -> bool:
    """Return whether a value is of a class of a package: one that is not imported has made no value."""
    cls = getattr(sys.modules.get(package), name, None)
    # A module of the user's own may be called so, too.
    return isinstance(cls, type) and isinstance(value, cls)


def read_frame(frame: Any) -> Table:
    """Return the table that a frame is, or the log of a harness, as of a file with the same columns.

    A named index of pandas is a column; any other index is left out. Cells that are missing, NaN or NA, are None.
    """
    # Here, as whether a value is a frame is asked of all that is compared.
    from tercet.files.logs.recognition import log_or_table
    from tercet.files.table import Table

    kind = frame_kind(frame)
    columns_of = _columns_of_arrow
    if hasattr(frame, "iloc"):
        columns_of = _columns_of_pandas
    with readable(f"the {kind}"):
        columns = columns_of(frame, kind)
    if not columns:
        raise InputError(f"{kind}: it has no column; expected one for each system, and one with references.")
    n_rows = len(next(iter(columns.values())))
    if not n_rows:
        raise InputError(f"{kind}: it has no rows; expected a row per item.")
    filled_by = _FILLED_BY.get(type(frame).__module__.partition(".")[0], "")
    return log_or_table(Table(kind, columns, list(range(n_rows)), unit=_UNIT, filled_by=filled_by))


def _columns_of_pandas(frame: Any, kind: str) -> dict[str, list[Any]]:
    """Return the cells of a data frame of pandas."""
    named_levels = [name for name in frame.index.names if name is not None]
    with_index = frame
    if named_levels:
        with_index = frame.reset_index(level=named_levels)
    names = list(with_index.columns)
    _check_names(names, kind)
    _check_size(len(names), len(with_index), kind)
    return {name: list(map(_plain_cell, with_index[name].to_list())) for name in names}


def _columns_of_arrow(frame: Any, kind: str) -> dict[str, list[Any]]:
    """Return the cells of a frame that gives a table of Arrow."""
    # Scores of texts and of text files need no pyarrow.
    import pyarrow as pa

    from .arrow import arrow_table

    if kind == "dataset":
        # Rows as they were selected or shuffled; pictures and sounds are not decoded.
        stored = frame.with_format("arrow")[:]
    elif isinstance(frame, pa.Table):
        stored = frame
    else:
        stored = frame.to_arrow()
    _check_size(stored.num_columns, stored.num_rows, kind)
    if not stored.num_rows:
        return {name: [] for name in stored.column_names}
    return arrow_table(stored, kind).columns


def _check_names(names: Iterable[Hashable], kind: str) -> None:
    """Raise an InputError for columns that have no names, or one name together."""
    known: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{kind}: the name of a column must be a text, got {shorten(name)}.")
        if name in known:
            raise InputError(f"{kind}: the column {shorten(name)} appears twice; expected distinct names.")
        known.add(name)


def _check_size(n_columns: int, n_rows: int, kind: str) -> None:
    """Raise an InputError for more columns or cells than a table of a file may have."""
    from tercet.files.table import MOST_CELLS, MOST_COLUMNS

    if n_columns > MOST_COLUMNS:
        raise InputError(f"{kind}: more than {MOST_COLUMNS} columns; expected at most that.")
    if n_columns * n_rows > MOST_CELLS:
        raise InputError(f"{kind}: more than {MOST_CELLS:,} cells, which is the limit: leave out what is no text.")


def _plain_cell(cell: Any) -> Any:
    """Return a cell as plain Python, as files of JSON have it; None for NaN and NA."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, np.ndarray):
        return [_plain_cell(entry) for entry in cell.tolist()]
    if isinstance(cell, list | tuple):
        return [_plain_cell(entry) for entry in cell]
    if isinstance(cell, Mapping):
        return {name: _plain_cell(entry) for name, entry in cell.items()}
    value = cell
    if isinstance(cell, np.generic):
        value = cell.item()
    # NaN does not equal itself; NA has no truth value.
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    return value
