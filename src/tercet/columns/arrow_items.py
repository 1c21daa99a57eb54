"""Columns that are Arrow already (pyarrow, datasets, pandas, Polars) -> checked texts, without a Python string.

What is not text, or lacks a text where one must be, is left to the way of lists, which says what is wrong with it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tercet.errors import InputError, told

from .batch import Batch

_TEXT, _LISTS = pa.large_string(), pa.large_list(pa.large_string())


@dataclass(frozen=True, slots=True)
class ArrowItems:
    """Checked texts in Arrow's memory, not copied before they are asked for.

    Attributes
    ----------
    predictions : pyarrow.ChunkedArray of large_string, length n
    references : pyarrow.ChunkedArray of large_string, or of lists of it, length n
        An empty list, or none, is an item without reference.
    """

    predictions: Any
    references: Any

    @property
    def n_items(self) -> int:
        """Number of predictions."""
        return len(self.predictions)

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        return np.flatnonzero(_sizes(self.references) == 0).tolist()

    def part(self, start: int, stop: int) -> Batch:
        """Return the items `start` to `stop`, or to the last one; their bytes are copied.

        Raises
        ------
        InputError
            Names the first item with bytes that are not UTF-8: they are looked at here, where threads share the work.
        """
        own = self.predictions.slice(start, stop - start)
        targets = self.references.slice(start, stop - start)
        for name, column in (("predictions", own), ("references", targets)):
            if not _is_list(column.type):  # lists were looked at as they were read
                _check_bytes(column, name, start)
        offsets = np.append(0, np.cumsum(_sizes(targets)))
        flat = [_flat(chunk) for chunk in targets.chunks]
        texts = [*own.chunks, *flat]
        return Batch(pa.concat_arrays(texts) if texts else pa.array([], _TEXT), offsets, start)


def read_arrow(predictions: object, references: object) -> ArrowItems | None:
    """Return the items of two columns that hold texts in Arrow's memory; None for all others.

    Examples
    --------
    >>> items = read_arrow(pa.array(["a", "b"]), pa.array([["c", "d"], []]))
    >>> items.missing, items.part(0, 1).texts.to_pylist()
    ([1], ['a', 'c', 'd'])
    >>> read_arrow(pa.array(["a", None]), pa.array(["b", "c"])) is None
    True
    """
    own = arrow_texts(predictions)
    targets = arrow_texts(references) if own is not None else None
    if own is None or targets is None or len(own) != len(targets) or _is_list(own.type):
        return None
    in_lists = _is_list(targets.type)
    try:
        own, targets = own.cast(_TEXT), targets.cast(_LISTS if in_lists else _TEXT)
        for column in (own, targets):
            column.validate(full=_is_list(column.type))  # of texts, bytes that are not UTF-8 are told by their part
    except pa.ArrowException:
        return None
    lacking = own.null_count + (0 if in_lists else targets.null_count)
    lacking += sum(_flat(chunk).null_count for chunk in targets.chunks)
    return None if lacking else ArrowItems(own, targets)


def arrow_texts(column: Any) -> Any:
    """Return a column of texts, or of lists of them, as a ChunkedArray; None for all else.

    Nothing is copied where it is Arrow inside.

    Examples
    --------
    >>> arrow_texts(pa.array(["a"])).type, arrow_texts(pa.array([1])), arrow_texts(["a"])
    (DataType(string), None, None)
    """
    found = _as_arrow(column)
    if found is None:
        return None
    return found if _is_text(found.type.value_type if _is_list(found.type) else found.type) else None


def _check_bytes(column: Any, name: str, first: int) -> None:
    """Raise an InputError for the first text whose bytes are not UTF-8, or that lies outside of its buffer."""
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        for index in range(len(column)):
            try:
                column[index].as_py()
            except UnicodeDecodeError as wrong:
                raise InputError(f"item {first + index} of {name} is not valid UTF-8: {told(wrong)}") from None
        raise InputError(f"{name} cannot be read. {told(error)}") from None


def _as_arrow(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        return column
    if isinstance(column, pa.Array):
        return pa.chunked_array([column])
    try:
        if _is_column_of_datasets(column):
            return column.source.select_columns([column.column_name]).with_format("arrow")[:].column(0)
        if hasattr(column, "__arrow_c_stream__") and str(getattr(column, "dtype", "")) != "object":
            return pa.chunked_array(column)
    except Exception:  # whatever another package raises: it is then read as a list, whose messages name the item
        return None
    return None


def _is_column_of_datasets(column: Any) -> bool:
    """Return whether it is a column of a Dataset as it is stored; iterating over one takes microseconds an item."""
    datasets = sys.modules.get("datasets")
    if datasets is None or not isinstance(column, datasets.arrow_dataset.Column):
        return False
    source = column.source
    return isinstance(source, datasets.Dataset) and source.format["type"] is None


def _is_text(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _is_list(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def _flat(references: Any) -> Any:
    """Return the texts of an array of texts, or of lists of them."""
    return references.flatten() if _is_list(references.type) else references


def _sizes(references: Any) -> NDArray[np.int64]:
    """Return the number of references of each item."""
    if not _is_list(references.type):
        return np.ones(len(references), np.int64)
    sizes: NDArray[np.int64] = pc.fill_null(pc.list_value_length(references), 0).to_numpy().astype(np.int64)
    return sizes
