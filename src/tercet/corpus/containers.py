"""Containers of texts, of any package, as lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.errors import InputError, TercetError, first_line, shorten

from .arrow_items import arrow_texts


def as_list(column: Any, name: str, expected: str, dimensions: int) -> list[Any]:
    """Return a user's container as a new list: another thread may change the original."""
    if type(column) is list:
        return column.copy()
    with readable(name):
        column = _only_column(column, name)
        texts = arrow_texts(column, name)
        if texts is None and isinstance(column, (pa.Array, pa.ChunkedArray)):
            texts = column
        if texts is not None:
            return texts.to_pylist()  # type: ignore[no-any-return]
        no_list = isinstance(column, (str, bytes, Mapping, Set)) or not isinstance(column, Iterable)
        if not no_list and 1 <= getattr(column, "ndim", 1) <= dimensions:
            return list(column.to_list() if hasattr(column, "to_list") else column)
    raise InputError(f"{name} must be a list with {expected}, got {shorten(column)} ({kind_of(column)}).")


def as_entry(entry: Any, name: str) -> str | list[Any] | None:
    """Return a user's references of an item: a text, a list, or None."""
    if entry is None or isinstance(entry, str):
        return entry
    with readable(name):
        if isinstance(entry, (list, tuple)):
            return list(entry)
        if (isinstance(entry, float) and entry != entry) or type(entry).__name__ == "NAType":  # how pandas says None
            return None
        arrow_texts(entry, name)  # refuses what is malformed, before it is read or shown
        if getattr(entry, "ndim", 1) == 1:
            if hasattr(entry, "to_list"):  # a Series of pandas or Polars
                return list(entry.to_list())
            if isinstance(entry, (np.ndarray, pa.Array)):
                return list(entry.tolist())
    raise InputError(f"{name} must be a string or a list of strings, got {shorten(entry)} ({kind_of(entry)}).")


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn any error raised by a user's object into an InputError that names it."""
    try:
        yield
    except TercetError:
        raise
    except Exception as error:
        raise InputError(f"{name} cannot be read. {first_line(error)}") from error


def kind_of(value: object) -> str:
    """Return the name of the type of a value."""
    return type(value).__name__


def _only_column(column: Any, name: str) -> Any:
    """Return the column of a data frame, and anything else unchanged."""
    if isinstance(column, Iterable) and hasattr(column, "columns"):
        frame: Any = column
        names = list(frame.columns)
        if len(names) != 1:
            raise InputError(
                f"{name} must be one column, got a {kind_of(frame)} of {len(names)}: {shorten(names)}. Give one of "
                "them."
            )
        return frame[names[0]]
    return column
