"""Parquet, Arrow and Feather files -> a table; the details that lighteval saves in Parquet -> a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow.types import is_binary, is_dictionary, is_large_binary, is_map, is_struct

from tercet.corpus.arrow_items import check_arrow, is_any_list, is_plain_text
from tercet.errors import InputError, first_line, shorten

from .jsonl import spread
from .lighteval_log import FIELDS, PARTS, details_log, is_details
from .limits import LIMITS, Limits
from .parquet import open_parquet
from .table import MOST_CELLS, MOST_COLUMNS, Table

#: Rows that are unpacked before their size is known.
_ROWS = 1024


def read_parquet(stream: BinaryIO, name: str, limits: Limits = LIMITS, numbers: str | None = None) -> Table:
    """Read a Parquet file; numbers, structures and lists of texts stay what they are.

    Other lists are left out, but for those of the column `numbers`.
    """
    data = _bytes(stream, name, limits)
    try:
        file = open_parquet(pa.BufferReader(data))
        schema = file.schema_arrow
        details = is_details(schema)
        columns = list(PARTS) if details else _names(schema, name, numbers)
        batches = file.iter_batches(_ROWS, columns=list(FIELDS) if details else columns)
        table = _table(batches, columns, name, limits)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(error, name, "a Parquet file") from None
    return details_log(table, _fields_of(schema.field("metric").type)) if details else spread(table)


def read_ipc(stream: BinaryIO, name: str, limits: Limits = LIMITS, numbers: str | None = None) -> Table:
    """Read an Arrow file, or a stream as the package datasets saves it; else as :func:`read_parquet`."""
    data = _bytes(stream, name, limits)
    try:
        if data.startswith(b"ARROW1"):
            file = pa.ipc.open_file(pa.BufferReader(data))
            batches: Iterable[Any] = map(file.get_batch, range(file.num_record_batches))
        else:
            batches = file = pa.ipc.open_stream(pa.BufferReader(data))
        return spread(_table(batches, _names(file.schema, name, numbers), name, limits))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(error, name, "an Arrow file") from None


def _bytes(stream: BinaryIO, name: str, limits: Limits) -> bytes:
    data = stream.read(limits.n_bytes + 1)
    limits.check(len(data), 0, name)
    return data


def _damaged(error: Exception, name: str, what: str) -> InputError:
    if isinstance(error, InputError):
        return error
    return InputError(f"{name} is not {what}, or is damaged: {first_line(error)}")


def _names(schema: Any, name: str, numbers: str | None) -> list[str]:
    """Return the names of the columns that are read."""
    if len(schema.names) > MOST_COLUMNS:
        raise InputError(f"{name}: more than {MOST_COLUMNS} columns; expected at most that.")
    twice = [column for column, times in Counter(schema.names).items() if times > 1]
    if twice:
        raise InputError(f"{name}: the column {shorten(twice[0])} appears twice; expected distinct names.")
    return [field.name for field in schema if field.name == numbers or _is_read(field.type)]


def _table(batches: Iterable[Any], names: list[str], name: str, limits: Limits) -> Table:
    columns: dict[str, list[Any]] = {each: [] for each in names}
    n_bytes = n_rows = 0
    for batch in batches:
        check_arrow(batch, name)
        n_bytes, n_rows = n_bytes + batch.nbytes, n_rows + batch.num_rows
        limits.check(n_bytes, n_rows, name)
        if n_rows * len(names) > MOST_CELLS:
            raise InputError(f"{name}: more than {MOST_CELLS:,} cells, which is the limit: split it.")
        for each, cells in columns.items():
            # NaN, which no cell equals, is a missing number
            cells += (None if cell != cell else cell for cell in batch.column(each).to_pylist())
    if not n_rows:
        raise InputError(f"{name} has no rows; expected a row per item.")
    return Table(name, columns, list(range(1, n_rows + 1)))


def _fields_of(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields of a structure; of other types, none."""
    return tuple(kind.field(index).name for index in range(kind.num_fields)) if is_struct(kind) else ()


def _is_read(kind: Any) -> bool:
    """Return whether cells of a type become Python's, as chats do: not bytes, nor embeddings, lists of numbers."""
    if is_any_list(kind) and is_struct(kind.value_type):
        return {"role", "content"} <= {*_fields_of(kind.value_type)}
    if is_dictionary(kind) or is_any_list(kind):
        return is_plain_text(kind.value_type)
    return not (is_map(kind) or is_binary(kind) or is_large_binary(kind))
