"""Parquet, Arrow and Feather files -> a table; the details that lighteval saves in Parquet -> a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow.types import is_binary, is_dictionary, is_fixed_size_list, is_large_binary, is_map, is_struct

from tercet.corpus.arrow_columns import check_arrow, is_any_list, is_plain_text
from tercet.errors import InputError, first_line
from tercet.files.limits import LIMITS, Limits, read_whole
from tercet.files.logs.lighteval import FIELDS, PARTS, is_details
from tercet.files.logs.lighteval import log_in_table as log_in_details
from tercet.files.logs.recognition import log_in_table
from tercet.files.rows import check_distinct
from tercet.files.table import MOST_CELLS, MOST_COLUMNS, Table

from . import parquet_footer
from .nested_cells import spread
from .parquet_footer import Chunk

#: Rows that are read at a time.
_ROWS = 1 << 16
#: Bytes that a file of any size may unpack to: rows may share a document, or a prompt of many examples.
_UNPACKED = 512 << 20
#: Cells of bytes that say whether they are texts: images and sounds have zeros.
_FIRST = 20
#: Bytes that an entry without a text counts as.
_ENTRY = 8
#: What is counted, for messages.
_ROW_VALUES = "rows"
_LIST_VALUES = "values in lists"


def read_parquet(stream: BinaryIO, name: str, limits: Limits = LIMITS, numbers: str | None = None) -> Table:
    """Read a Parquet file; numbers, structures and lists of texts stay what they are.

    Other lists are left out, but for those of the column `numbers`.
    """
    data = read_whole(stream, name, limits, "a Parquet file")
    limits = limits.unpacking(len(data), _UNPACKED)
    try:
        file = open_parquet(pa.BufferReader(data))
        schema = file.schema_arrow
        details = is_details(schema)
        columns = list(PARTS)
        if not details:
            columns = _columns_to_read(schema, name, numbers)
        read_types = [schema.field(column).type for column in columns]
        # Of all columns, as the file itself says.
        unpacked = sum(file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups))
        chunks: list[Chunk] = []
        if unpacked > limits.n_bytes or any(map(pa.types.is_nested, read_types)):
            chunks = parquet_footer.chunks(data)
            unpacked = _size_of_columns(chunks, columns)
        if unpacked > limits.n_bytes and not details:
            # Bytes may be texts, but so many are images or sounds.
            columns = [column for column in columns if column == numbers or not _is_bytes(schema.field(column).type)]
            unpacked = _size_of_columns(chunks, columns)
        limits.check(unpacked, file.metadata.num_rows, name)
        fields = columns
        if details:
            fields = list(FIELDS)
        limits.check_values(file.metadata.num_rows, name, _ROW_VALUES)
        limits.check_values(_in_lists(chunks, fields), name, _LIST_VALUES)
        # A text of many rows is in the file once, and stays so until it is known how much all rows are.
        leaves = [file.schema.column(index) for index in range(len(file.schema))]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        file = open_parquet(pa.BufferReader(data), read_dictionary=texts)
        batches = file.iter_batches(_ROWS, columns=fields)
        table = _table_of_batches(batches, columns, name, limits)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damage_error(error, name, "a Parquet file") from None
    if details:
        return log_in_details(table)
    return log_in_table(table) or spread(table)


def read_ipc(stream: BinaryIO, name: str, limits: Limits = LIMITS, numbers: str | None = None) -> Table:
    """Read an Arrow file, or a stream as the package datasets saves it; else as :func:`read_parquet`."""
    data = read_whole(stream, name, limits, "an Arrow file")
    limits = limits.unpacking(len(data), _UNPACKED)
    try:
        if data.startswith(b"ARROW1"):
            file = pa.ipc.open_file(pa.BufferReader(data))
            batches: Iterable[Any] = map(file.get_batch, range(file.num_record_batches))
        else:
            file = pa.ipc.open_stream(pa.BufferReader(data))
            batches = file
        table = _table_of_batches(_pieces(batches), _columns_to_read(file.schema, name, numbers), name, limits)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damage_error(error, name, "an Arrow file") from None
    return log_in_table(table) or spread(table)


def _pieces(batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            yield batch.slice(start, _ROWS)


def arrow_table(table: Any, name: str) -> Table:
    """Return a table in memory, as it is: with the columns that are read of a file."""
    batches = table.to_batches(max_chunksize=_ROWS)
    # What is in memory already was not made to fill it: its cells alone are counted.
    limits = LIMITS._replace(packed=MOST_CELLS)
    return _table_of_batches(batches, _columns_to_read(table.schema, name, None), name, limits)


def _size_of_columns(chunks: Iterable[Chunk], columns: Iterable[str]) -> int:
    """Return how many bytes some columns unpack to, as the file itself says."""
    names = set(columns)
    return sum(chunk.size for chunk in chunks if chunk.path[:1] and chunk.path[0] in names)


def _in_lists(chunks: Iterable[Chunk], columns: Iterable[str]) -> int:
    """Return how many values the columns of a Parquet file have beyond one a row; a column may name its fields."""
    names = set(columns)
    n_values = 0
    for chunk in chunks:
        is_read = chunk.path[:1] and (chunk.path[0] in names or ".".join(chunk.path[:2]) in names)
        if is_read:
            n_values += max(chunk.n_values - chunk.n_rows, 0)
    return n_values


def _damage_error(error: Exception, name: str, kind: str) -> InputError:
    if isinstance(error, InputError):
        return error
    if isinstance(error, MemoryError):
        return InputError(f"{name} does not fit into this machine's memory: {first_line(error)}.")
    return InputError(f"{name} is not {kind}, or is damaged: {first_line(error)}")


def _columns_to_read(schema: Any, name: str, numbers: str | None) -> list[str]:
    """Return the names of the columns that are read."""
    if len(schema.names) > MOST_COLUMNS:
        raise InputError(f"{name}: more than {MOST_COLUMNS} columns; expected at most that.")
    check_distinct(schema.names, name)
    return [field.name for field in schema if field.name == numbers or _is_read(field.type)]


def _table_of_batches(batches: Iterable[Any], names: list[str], name: str, limits: Limits) -> Table:
    columns: dict[str, list[Any]] = {column: [] for column in names}
    n_bytes = 0
    n_rows = 0
    in_lists = _InLists(name, limits)
    for batch in batches:
        n_rows += batch.num_rows
        limits.check(0, n_rows, name)
        limits.check_values(n_rows, name, _ROW_VALUES)
        _check_cells(n_rows * len(names), name)
        check_arrow(batch, name)
        arrays = {}
        for column in list(columns):
            array = _bytes_as_texts(batch.column(column))
            if array is None:
                del columns[column]
                continue
            arrays[column] = array
            n_bytes += int(_sizes(array, in_lists).sum())
        limits.check(n_bytes, n_rows, name)
        for column, cells in columns.items():
            array = arrays[column]
            if is_dictionary(array.type):
                # pyarrow cannot decode a dictionary of views.
                if pa.types.is_string_view(array.type.value_type):
                    array = array.cast(pa.dictionary(array.type.index_type, pa.large_string()))
                array = array.dictionary_decode()
            # Only NaN, a missing number, does not equal itself.
            cells += (None if cell != cell else cell for cell in array.to_pylist())
    if not n_rows:
        raise InputError(f"{name} has no rows; expected a row per item.")
    return Table(name, columns, list(range(1, n_rows + 1)), unit="row")


def _bytes_as_texts(array: Any) -> Any:
    """Return an array of bytes as texts, as those of Parquet files without the annotation UTF8 are; None of images.

    Texts in another encoding than UTF-8 are empty bytes, so that the column is seen to have some.
    """
    if is_dictionary(array.type) and _is_bytes(array.type.value_type):
        texts = _bytes_as_texts(array.dictionary)
        if texts is None:
            return None
        if is_plain_text(texts.type):
            return pa.DictionaryArray.from_arrays(array.indices, texts)
    elif _is_bytes(array.type):
        with suppress(pa.ArrowInvalid):
            return array.cast(pa.large_string())
        if any(b"\0" in cell for cell in array[:_FIRST].to_pylist() if cell):
            return None
    else:
        return array
    return pa.array([b""] * len(array))


def _is_bytes(kind: Any) -> bool:
    return bool(is_binary(kind) or is_large_binary(kind) or pa.types.is_binary_view(kind))


def _check_cells(n_cells: int, name: str) -> None:
    if n_cells > MOST_CELLS:
        raise InputError(f"{name}: more than {MOST_CELLS:,} cells, which is the limit: split it.")


class _InLists:
    """Counts the values of lists, which may be one value many times."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.n_values = 0

    def add(self, n_values: int) -> None:
        self.n_values += n_values
        self.limits.check_values(self.n_values, self.name, _LIST_VALUES)


def _sizes(column: Any, in_lists: _InLists) -> NDArray[np.int64]:
    """Return how many bytes each value of an array takes once each has its own copy.

    In the array, values may share one: those of a dictionary, of runs, of views, and lists that overlap.
    """
    # Here, as it takes 40 ms.
    from pyarrow.compute import binary_length

    kind = column.type
    n_values = len(column)
    _check_cells(n_values, in_lists.name)
    sizes = np.full(n_values, _ENTRY)
    if is_dictionary(kind):
        entry_sizes = np.append(_sizes(column.dictionary, in_lists), 0)
        sizes += entry_sizes[column.indices.cast(pa.int64()).fill_null(len(entry_sizes) - 1).to_numpy()]
    elif pa.types.is_run_end_encoded(kind):
        ends = np.clip(column.run_ends.to_numpy() - column.offset, 0, n_values)
        sizes += np.repeat(_sizes(column.values, in_lists), np.diff(ends, prepend=0))
    elif is_struct(kind):
        for index in range(kind.num_fields):
            sizes += _sizes(column.field(index), in_lists)
    elif pa.types.is_string_view(kind):
        # The first of the four numbers of each view is its length.
        sizes += np.frombuffer(column.buffers()[1], np.int32)[::4][column.offset :][:n_values]
    elif is_plain_text(kind):
        sizes += binary_length(column).cast(pa.int64()).fill_null(0).to_numpy()
    elif is_fixed_size_list(kind):
        in_lists.add(n_values * kind.list_size)
        entries = column.values.slice(column.offset * kind.list_size, n_values * kind.list_size)
        sizes += _sizes(entries, in_lists).reshape(n_values, kind.list_size).sum(axis=1)
    elif is_any_list(kind) or pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        starts = column.offsets.to_numpy().astype(np.int64)
        if is_any_list(kind):
            stops = starts[1:]
            starts = starts[:-1]
        else:
            stops = starts + column.sizes.to_numpy()
        in_lists.add(int((stops - starts).sum()))
        start = starts.min()
        sums = np.append(0, np.cumsum(_sizes(column.values.slice(start, stops.max() - start), in_lists)))
        sizes += sums[stops - start] - sums[starts - start]
    return sizes


def _is_read(kind: Any) -> bool:
    """Return whether cells of a type become Python's, as chats do: not embeddings, lists of numbers."""
    if is_any_list(kind) and is_struct(kind.value_type):
        item = kind.value_type
        names_of_fields = {item.field(index).name for index in range(item.num_fields)}
        return {"role", "content"} <= names_of_fields
    if is_dictionary(kind) or is_any_list(kind):
        return is_plain_text(kind.value_type) or (is_dictionary(kind) and _is_bytes(kind.value_type))
    return not is_map(kind)


# Parquet files, opened in one way: pages that have a checksum are checked, and rows counted.


def open_parquet(source: Any, read_dictionary: Sequence[str] | None = None) -> Any:
    """Return a pyarrow.parquet.ParquetFile; ValueError if its row groups have not the rows of the file.

    No checksum covers the footer, in which a bit that turned can lose rows. (Its columns are not looked at: pyarrow
    ends the process where it does not understand one.)
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(source, read_dictionary=read_dictionary, page_checksum_verification=True)
    metadata = file.metadata
    n_rows = sum(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))
    if n_rows != metadata.num_rows:
        raise ValueError(f"Its row groups have {n_rows:,} rows, and the file {metadata.num_rows:,}: it is damaged.")
    return file
