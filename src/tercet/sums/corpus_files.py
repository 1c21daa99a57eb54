"""Files of a corpus -> the parts in which they are read: row groups of Parquet, or whole files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from typing import Any

import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq

from tercet.errors import InputError, first_line, shorten
from tercet.files.lines import open_binary
from tercet.files.read import READERS, SUFFIXES, table_format, unpacked
from tercet.files.roles import guess_roles
from tercet.files.table import Log, Roles, Table

from .text_columns import roles_of

_PARQUET = (".parquet", ".pq")
_ENDS = tuple(dict.fromkeys((*_PARQUET, *SUFFIXES)))
#: Rows of Parquet that are in memory at a time.
_ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class FilePart:
    """A row group of a Parquet file, or a whole file (None), with its position among all parts and in the file."""

    path: str
    group: int | None
    number: int
    first_row: int

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.path if self.group is None else f"{self.path}#{self.group}"


class BadFileError(InputError):
    """A file that cannot be read, or lacks a column."""


def list_files(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths, folders, patterns and addresses (``s3://...``) stand for, each once.

    Names in folders that begin with ``_`` or ``.`` (hidden or unfinished) are skipped, as by other readers.
    """
    paths = [given] if isinstance(given, (str, os.PathLike)) else given
    are_paths = isinstance(paths, Sequence) and all(isinstance(each, (str, os.PathLike)) for each in paths)
    if not are_paths or not paths:
        raise InputError(
            f"Expected paths of files or a ray.data.Dataset, got {shorten(given)}. (Tables in memory are for "
            "tercet.Stream and tercet.arrow_statistics.)"
        )
    found: list[str] = []
    for path in _matching([os.fspath(each) for each in paths]):
        if _is_folder(path):
            within = _files_within(path)
            if not within:
                raise InputError(f"The folder {path!r} has no file that ends with {' '.join(_ENDS)}.")
            found += within
        else:
            found.append(path)
    for path in found:
        if not _is_table(path):
            raise InputError(f"{path!r} is not a table, judging by its extension; expected {' '.join(_ENDS)}.")
    real = [path if "://" in path else os.path.realpath(path) for path in found]
    for index, path in enumerate(real):
        if path in real[:index]:
            raise InputError(f"The file {found[index]!r} is given twice.")
    return found


def list_parts(files: Sequence[str], whole: bool) -> list[FilePart]:
    """Return the parts of files; with `whole`, each file is one part."""
    parts: list[FilePart] = []
    for path in files:
        if whole or not _is_parquet(path):
            parts.append(FilePart(path, None, len(parts), 0))
            continue
        first_row = 0
        with _parquet(path) as file:
            for group in range(file.num_row_groups):
                parts.append(FilePart(path, group, len(parts), first_row))
                first_row += file.metadata.row_group(group).num_rows
    return parts


def roles_in(path: str) -> tuple[Roles, list[str]]:
    """Return the roles of a file's columns, and all their names."""
    if not _is_parquet(path):
        table = _table(path)
        return guess_roles(table), list(table.columns)
    with _parquet(path) as file:
        return roles_of(file.schema_arrow), list(file.schema_arrow.names)


def tables_of(part: FilePart, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of a part, some at a time, with these columns."""
    if not _is_parquet(part.path):
        table = _table(part.path)
        _check_columns(part.path, columns, list(table.columns))
        with _readable(part.path):
            yield pa.table({name: pa.array(table.columns[name]) for name in columns})
        return
    with _parquet(part.path) as file:
        _check_columns(part.path, columns, file.schema_arrow.names)
        groups = None if part.group is None else [part.group]
        with _readable(part.path):
            for batch in file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=list(columns)):
                yield pa.Table.from_batches([batch])


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    with _readable(path):
        system, place = place_of(path)
        source = system.open_input_file(place)
    with source:
        with _readable(path):
            file = pq.ParquetFile(source)
        yield file


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Name the file in any error of reading it."""
    try:
        yield
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        raise BadFileError(f"{path} cannot be read. {first_line(error)}") from None


def _table(path: str) -> Table:
    try:
        with open_binary(path) as stream:
            table = READERS[table_format(path)](stream, path)
    except InputError as error:
        raise BadFileError(str(error)) from None
    if isinstance(table, Log):
        raise BadFileError(f"{path} is a log of {table.harness}: the engine in memory reads it, and joins its runs.")
    return table


def _check_columns(path: str, columns: Sequence[str], known: Sequence[str]) -> None:
    lacking = [name for name in columns if name not in known]
    if lacking:
        raise BadFileError(f"{path} has no column {shorten(lacking[0])}. Its columns are {', '.join(known)}.")


def _is_table(path: str) -> bool:
    return unpacked(path).lower().endswith(_ENDS)


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(_PARQUET)


def _matching(paths: Sequence[str]) -> list[str]:
    """Return the paths; missing ones are expanded as patterns."""
    found: list[str] = []
    for path in paths:
        there = "://" in path or os.path.exists(path)
        matching = [path] if there else sorted(glob(path, recursive=True))
        if not matching:
            raise InputError(f"There is no file {path!r}.")
        found += matching
    return found


def _is_folder(path: str) -> bool:
    if "://" not in path:
        return os.path.isdir(path)
    with _readable(path):
        system, place = place_of(path)
        return bool(system.get_file_info(place).type == fs.FileType.Directory)


def _files_within(folder: str) -> list[str]:
    with _readable(folder):
        system, place = place_of(folder)
        infos = system.get_file_info(fs.FileSelector(place, recursive=True))
    before = folder.removesuffix(place) if "://" in folder else ""
    found = []
    for path in sorted(each.path for each in infos if each.is_file):
        names = path[len(place) :].strip("/").split("/")
        if not any(name.startswith(("_", ".")) for name in names) and _is_table(path):
            found.append(before + path)
    return found


def place_of(path: str) -> tuple[Any, str]:
    """Return the file system of a path or address, and the path there."""
    return fs.FileSystem.from_uri(path) if "://" in path else (fs.LocalFileSystem(), path)
