"""Columns that are Arrow already (pyarrow, datasets, pandas, Polars) -> checked texts, without a Python string.

What is not text, or lacks a text where one must be, is left to the way of lists (`items.py`), which says what is
wrong with it. Nothing is read, cast or shown before Arrow has found it well-formed: all else may end the process.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.errors import InputError, first_line

from .corpus import Corpus, bytes_used

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTES = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}


def read_arrow(predictions: object, references: object) -> Corpus | None:
    """Return two columns that hold texts in Arrow's memory; None for all others. Errors are those of check_arrow."""
    texts = arrow_texts(predictions, "predictions")
    if texts is None:
        return None
    targets = arrow_texts(references, "references")
    if targets is None or len(texts) != len(targets) or is_any_list(texts.type):
        return None
    import pyarrow as pa

    string = pa.large_string()
    in_lists = is_any_list(targets.type)
    try:
        texts = texts.cast(string)
        targets = targets.cast(pa.large_list(string) if in_lists else string)
    except pa.ArrowException:
        return None
    flat = targets
    offsets = None
    if in_lists:
        flat = pa.chunked_array([chunk.flatten() for chunk in targets.chunks], string)
        offsets = _offsets(targets)
    if texts.null_count or flat.null_count:
        return None
    return Corpus(texts, flat, offsets)


def arrow_texts(column: Any, name: str) -> Any:
    """Return a column of texts, or of lists of them, as a ChunkedArray; None for all else.

    Nothing is copied where it is Arrow inside. Errors are those of :func:`check_arrow`.
    """
    array = _as_arrow(column)
    if array is None:
        return None
    check_arrow(array, name)
    stored = _of_dataset(column)
    if stored is not None and (stored is not column or stored.source.format["type"] is not None):
        # Its user sees something else than what is stored.
        return None
    kind = array.type
    if is_any_list(kind):
        kind = kind.value_type
    return array if is_plain_text(kind) else None


#: Texts of a chunk. In smaller ones, looking at each in Python takes longer than all of Arrow's check.
_MANY = 1 << 12


def check_arrow(column: Any, name: str) -> None:
    """Raise an InputError for an array or a table that is malformed, or has texts that are not UTF-8.

    Time: a few percent of that for scoring it.
    """
    import pyarrow as pa

    # ASCII is seen sooner than UTF-8, in chunks of many texts. What is malformed gets its error below.
    with suppress(pa.ArrowException):
        chunks = getattr(column, "chunks", [column])
        if len(column) > _MANY * len(chunks) and all(map(_is_ascii, chunks)):
            return
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        raise _encoding_error(column, name) or InputError(f"{name} cannot be read. {first_line(error)}") from None


def _is_ascii(column: Any) -> bool:
    """Return whether an array is texts of ASCII alone; one that is malformed raises the error of Arrow."""
    kind = _BYTES.get(str(getattr(column, "type", "")))
    if kind not in ("binary", "large_binary") or not len(column):
        return False
    bytes_of_column = column.view(kind)
    bytes_of_column.validate(full=True)
    data, _ = bytes_used(bytes_of_column.cast("large_binary"))
    return int(data.max(initial=0)) < 128


def _encoding_error(column: Any, name: str) -> InputError | None:
    """Return the error that names the first text whose bytes are not UTF-8; None where anything else is wrong."""
    import pyarrow as pa

    first = 0
    for chunk in getattr(column, "chunks", [column]):
        kind = _BYTES.get(str(getattr(chunk, "type", "")))
        if kind is None:
            return None
        bytes_of_chunk = chunk.view(kind)
        try:
            bytes_of_chunk.validate(full=True)
        except pa.ArrowException:
            return None
        for item, text in enumerate(bytes_of_chunk.to_pylist(), first):
            try:
                (text or b"").decode()
            except UnicodeDecodeError as decode_error:
                return InputError(f"item {item} of {name} is not valid UTF-8: {first_line(decode_error)}")
        first += len(chunk)
    return None


def _as_arrow(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return column
    if isinstance(column, pa.Array):
        return pa.chunked_array([column])
    try:
        stored = _of_dataset(column)
        if stored is not None:
            return stored.source.select_columns([stored.column_name]).with_format("arrow")[:].column(0)
        if hasattr(column, "__arrow_c_stream__") and str(getattr(column, "dtype", "")) != "object":
            # A stream of pandas loses the sizes by which a column is checked.
            stored_array = getattr(getattr(column, "array", None), "__arrow_array__", None)
            return pa.chunked_array(column) if stored_array is None else _as_arrow(stored_array())
    except Exception:
        # Whatever another package raises: the column is then read as a list, whose messages name the item.
        return None
    return None


def _of_dataset(column: Any) -> Any:
    """Return the column of a Dataset that it is, or is a field of; None for all else.

    Iterating over one takes microseconds an item.
    """
    datasets = sys.modules.get("datasets")
    # Older versions of datasets have lists instead of columns: nothing is an instance of ().
    kind = getattr(getattr(datasets, "arrow_dataset", None), "Column", ())
    while isinstance(column, kind):
        if isinstance(column.source, datasets.Dataset):  # type: ignore[union-attr]
            return column
        column = column.source
    return None


def is_plain_text(kind: Any) -> bool:
    """Return whether a type of Arrow is text."""
    from pyarrow.types import is_large_string, is_string, is_string_view

    return any(is_kind(kind) for is_kind in (is_string, is_large_string, is_string_view))


def is_any_list(kind: Any) -> bool:
    """Return whether a type of Arrow is lists."""
    from pyarrow.types import is_fixed_size_list, is_large_list, is_list

    return any(is_kind(kind) for is_kind in (is_list, is_large_list, is_fixed_size_list))


def _offsets(lists: Any) -> NDArray[np.int64]:
    """Return where the texts of each list begin, among those of all; None counts as an empty list."""
    # Here, as it takes 40 ms.
    import pyarrow.compute as pc

    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return np.append(0, np.cumsum(sizes))
