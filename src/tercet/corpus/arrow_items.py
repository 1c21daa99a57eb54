"""Columns that are Arrow already (pyarrow, datasets, pandas, Polars) -> checked texts, without a Python string.

What is not text, or lacks a text where one must be, is left to the way of lists, which says what is wrong with it.
Nothing is read, cast or shown before Arrow has found it well-formed: anything else may end the process.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.errors import InputError, first_line

from .corpus import Corpus

_TEXT, _LISTS = pa.large_string(), pa.large_list(pa.large_string())
_BYTES = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}


def read_arrow(predictions: object, references: object) -> Corpus | None:
    """Return two columns that hold texts in Arrow's memory; None for all others. Errors are those of check_arrow."""
    own = arrow_texts(predictions, "predictions")
    targets = arrow_texts(references, "references") if own is not None else None
    if own is None or targets is None or len(own) != len(targets) or is_any_list(own.type):
        return None
    in_lists = is_any_list(targets.type)
    try:
        own, targets = own.cast(_TEXT), targets.cast(_LISTS if in_lists else _TEXT)
    except pa.ArrowException:
        return None
    flat = pa.chunked_array([chunk.flatten() for chunk in targets.chunks], _TEXT) if in_lists else targets
    return None if own.null_count or flat.null_count else Corpus(own, flat, _offsets(targets) if in_lists else None)


def arrow_texts(column: Any, name: str) -> Any:
    """Return a column of texts, or of lists of them, as a ChunkedArray; None for all else.

    Nothing is copied where it is Arrow inside. Errors are those of :func:`check_arrow`.
    """
    found = _as_arrow(column)
    if found is None:
        return None
    check_arrow(found, name)
    stored = _of_dataset(column)
    if stored is not None and (stored is not column or stored.source.format["type"] is not None):
        return None  # its user sees something else than what is stored
    return found if is_plain_text(found.type.value_type if is_any_list(found.type) else found.type) else None


def check_arrow(column: Any, name: str) -> None:
    """Raise an InputError for an array or a table that is malformed, or has texts that are not UTF-8.

    Time: a few percent of that for scoring it.
    """
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        raise _encoding_error(column, name) or InputError(f"{name} cannot be read. {first_line(error)}") from None


def _encoding_error(column: Any, name: str) -> InputError | None:
    """Return the error that names the first text whose bytes are not UTF-8; None where anything else is wrong."""
    first = 0
    for chunk in getattr(column, "chunks", [column]):
        kind = _BYTES.get(str(getattr(chunk, "type", "")))
        if kind is None:
            return None
        own = chunk.view(kind)
        try:
            own.validate(full=True)
        except pa.ArrowException:
            return None
        for item, text in enumerate(own.to_pylist(), first):
            try:
                (text or b"").decode()
            except UnicodeDecodeError as wrong:
                return InputError(f"item {item} of {name} is not valid UTF-8: {first_line(wrong)}")
        first += len(chunk)
    return None


def _as_arrow(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        return column
    if isinstance(column, pa.Array):
        return pa.chunked_array([column])
    try:
        stored = _of_dataset(column)
        if stored is not None:
            return stored.source.select_columns([stored.column_name]).with_format("arrow")[:].column(0)
        if hasattr(column, "__arrow_c_stream__") and str(getattr(column, "dtype", "")) != "object":
            held = getattr(getattr(column, "array", None), "__arrow_array__", None)  # of pandas: a stream loses the
            return pa.chunked_array(column) if held is None else _as_arrow(held())  # sizes by which it is checked
    except Exception:  # whatever another package raises: it is then read as a list, whose messages name the item
        return None
    return None


def _of_dataset(column: Any) -> Any:
    """Return the column of a Dataset that it is, or is a field of; None for all else.

    Iterating over one takes microseconds an item.
    """
    datasets = sys.modules.get("datasets")
    kind = getattr(getattr(datasets, "arrow_dataset", None), "Column", ())  # older versions have lists instead
    while isinstance(column, kind):
        if isinstance(column.source, datasets.Dataset):  # type: ignore[union-attr]
            return column
        column = column.source
    return None


def is_plain_text(kind: Any) -> bool:
    """Return whether a type of Arrow is text."""
    return any(is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def is_any_list(kind: Any) -> bool:
    """Return whether a type of Arrow is lists."""
    return any(is_kind(kind) for is_kind in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def _offsets(lists: Any) -> NDArray[np.int64]:
    """Return where the texts of each list begin, among those of all; None counts as an empty list."""
    import pyarrow.compute as pc  # here, as it takes 40 ms

    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return np.append(0, np.cumsum(sizes))
