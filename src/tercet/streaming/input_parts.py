"""Files of a corpus -> the parts in which they are read, row groups of Parquet or whole files, and tasks of parts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import glob
from hashlib import sha256
from itertools import compress
from typing import Any

import pyarrow as pa
import pyarrow.fs as fs

from tercet.errors import InputError, first_line, shorten
from tercet.files.columns.roles import guess_roles
from tercet.files.formats import SUFFIXES, unpacked
from tercet.files.read import read_file
from tercet.files.table import Log, Roles, Table
from tercet.files.tables.arrow import open_parquet

from .columns import roles_of

_PARQUET = (".parquet", ".pq")
_ENDS = tuple(dict.fromkeys((*_PARQUET, *SUFFIXES)))
#: Rows of Parquet that are in memory at a time.
_ROWS = 1 << 16
#: Threads that ask for footers, and for the sizes of files at an address.
_THREADS = 16
#: What opening a file costs, as bytes that could be read and scored in that time.
_OPENING = 1 << 14
#: The most rows, where a footer tells them, and bytes of a task, however few workers there are: little work is
#: lost with a worker.
_MOST_ROWS = 1 << 20
_MOST_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class FilePart:
    """A whole file, or row groups of a Parquet file that follow each other, as they were when they were listed."""

    path: str
    number: int  # among all parts
    file_bytes: int | None  # None: the file could not be found
    changed: int | None  # when, in nanoseconds
    first_group: int = 0
    n_groups: int | None = None  # None: the whole file
    first_row: int = 0
    n_rows: int = 0  # of row groups
    n_bytes: int = 0
    footer: str = ""  # a digest; "" for a whole file

    @property
    def name(self) -> str:
        """What tells it from other parts."""
        return self.path if self.n_groups is None else f"{self.path}#{self.first_group}+{self.n_groups}"


class BadFileError(InputError):
    """A file that cannot be read, or lacks a column."""


def list_files(data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths, folders, patterns and addresses (``s3://...``) stand for, each once.

    Names in folders that begin with ``_`` or ``.`` (hidden or unfinished) are skipped, as by other readers.
    """
    paths = [data] if isinstance(data, (str, os.PathLike)) else data
    are_paths = isinstance(paths, Sequence) and all(isinstance(path, (str, os.PathLike)) for path in paths)
    if not are_paths or not paths:
        raise InputError(
            f"Expected paths of files or a ray.data.Dataset, got {shorten(data)}. (Tables in memory are for "
            "tercet.Stream and tercet.arrow_statistics.)"
        )
    files: list[str] = []
    for path in _matching([os.fspath(path) for path in paths]):
        if not _is_folder(path):
            files.append(path)
            continue
        files_within = _files_within(path)
        if not files_within:
            raise InputError(f"The folder {path!r} has no file that ends with {' '.join(_ENDS)}.")
        files += files_within
    for path in files:
        if not _is_table(path):
            raise InputError(f"{path!r} is not a table, judging by its extension; expected {' '.join(_ENDS)}.")
    real_paths: set[str] = set()
    for path in files:
        real = path if "://" in path else os.path.realpath(path)
        if real in real_paths:
            raise InputError(f"The file {path!r} is given twice.")
        real_paths.add(real)
    return files


def list_parts(files: Sequence[str], n_tasks: int) -> list[FilePart]:
    """Return the parts of files for about so many tasks: whole files, and the row groups of those too large for one.

    Only of the latter are footers read here, some at a time; the others are read by those who score the rows.
    """
    has_addresses = any("://" in path for path in files)
    with ThreadPoolExecutor(_THREADS) as pool:
        # Only an address is slow to answer.
        wholes = list(pool.map(_whole, files)) if has_addresses else [_whole(path) for path in files]
        n_bytes = sum(whole.n_bytes for whole in wholes)
        are_large = [_is_parquet(whole.path) and whole.n_bytes * n_tasks > n_bytes for whole in wholes]
        groups_of_large = pool.map(_groups, compress(wholes, are_large))
        parts: list[FilePart] = []
        for whole, is_large in zip(wholes, are_large, strict=True):
            if is_large:
                parts += next(groups_of_large)
            else:
                parts.append(whole)
    return [replace(part, number=number) for number, part in enumerate(parts)]


def tasks_of(parts: Sequence[FilePart], n_tasks: int) -> list[list[FilePart]]:
    """Return parts, in their order, as about so many tasks of equal work; more, where tasks would become too large.

    Row groups of a task that follow each other are one part, for which the file is opened once.
    """
    share = sum(part.n_bytes + _OPENING for part in parts) / max(1, n_tasks)
    tasks: list[list[FilePart]] = []
    # Before this part: the work of all tasks, and the work and rows of the last one.
    total_work = 0
    work = 0
    rows = 0
    for part in parts:
        part_work = part.n_bytes + _OPENING
        is_full = work + part_work > _MOST_BYTES or rows + part.n_rows > _MOST_ROWS
        # A task begins once those before it have their share of the work.
        if not tasks or is_full or total_work >= share * len(tasks):
            tasks.append([])
            work = 0
            rows = 0
        total_work += part_work
        work += part_work
        rows += part.n_rows
        task = tasks[-1]
        if task and part.n_groups is not None and task[-1].path == part.path:
            task[-1] = _join_groups(task[-1], part)
        else:
            task.append(part)
    return tasks


def _join_groups(groups: FilePart, later: FilePart) -> FilePart:
    """Return row groups and those of the same file that follow them as one part."""
    assert groups.n_groups is not None
    assert later.n_groups is not None
    return replace(
        groups,
        n_groups=groups.n_groups + later.n_groups,
        n_rows=groups.n_rows + later.n_rows,
        n_bytes=groups.n_bytes + later.n_bytes,
    )


def roles_in(path: str) -> tuple[Roles, list[str]]:
    """Return the roles of a file's columns, and all their names."""
    if not _is_parquet(path):
        table = _read_table(path)
        return guess_roles(table), list(table.columns)
    with _parquet(path) as file:
        return roles_of(file.schema_arrow), list(file.schema_arrow.names)


def tables_of(part: FilePart, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of a part, some at a time, with these columns; a BadFileError if the file has changed."""
    _check_state(part)
    if not _is_parquet(part.path):
        table = _read_table(part.path)
        _check_columns(part.path, columns, list(table.columns))
        with _readable(part.path):
            yield pa.table({name: pa.array(table.columns[name]) for name in columns})
    else:
        with _parquet(part.path) as file:
            groups = None
            if part.n_groups is not None:
                if _digest(file.metadata) != part.footer:
                    raise _change_error(part.path)
                groups = list(range(part.first_group, part.first_group + part.n_groups))
            _check_columns(part.path, columns, file.schema_arrow.names)
            n_rows = 0
            with _readable(part.path):
                for batch in file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=list(columns)):
                    n_rows += batch.num_rows
                    yield pa.Table.from_batches([batch])
            expected = file.metadata.num_rows if groups is None else part.n_rows
            if n_rows != expected:
                raise BadFileError(
                    f"{part.path} is damaged: it has {n_rows:,} rows where its footer says {expected:,}."
                )
    # The file may have been written to while it was read.
    _check_state(part)


def _whole(path: str) -> FilePart:
    n_bytes, changed = _state(path)
    return FilePart(path, 0, n_bytes, changed, n_bytes=n_bytes or 0)


def _groups(file: FilePart) -> list[FilePart]:
    """Return the row groups of a Parquet file."""
    parts: list[FilePart] = []
    first_row = 0
    with _parquet(file.path) as parquet:
        footer = _digest(parquet.metadata)
        for number in range(parquet.num_row_groups):
            group = parquet.metadata.row_group(number)
            parts.append(
                replace(
                    file,
                    first_group=number,
                    n_groups=1,
                    first_row=first_row,
                    n_rows=group.num_rows,
                    n_bytes=group.total_byte_size,
                    footer=footer,
                )
            )
            first_row += group.num_rows
    return parts


def _state(path: str) -> tuple[int | None, int | None]:
    """Return the size of a file and when it was changed, each None for what is missing."""
    with _readable(path):
        filesystem, path_there = file_system_of(path)
        info = filesystem.get_file_info(path_there)
    return info.size, info.mtime_ns


def _check_state(part: FilePart) -> None:
    if _state(part.path) != (part.file_bytes, part.changed):
        raise _change_error(part.path)


def _change_error(path: str) -> BadFileError:
    return BadFileError(
        f"{path} has changed since it was listed: its rows would be of two files. Score it again once nothing writes "
        "to it."
    )


def _digest(metadata: Any) -> str:
    """Return a digest of a footer."""
    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    return sha256(sink.getvalue()).hexdigest()


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    with _readable(path):
        filesystem, path_there = file_system_of(path)
        source = filesystem.open_input_file(path_there)
    with source:
        with _readable(path):
            file = open_parquet(source)
        yield file


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Name the file in any error of reading it."""
    try:
        yield
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        raise BadFileError(f"{path} cannot be read. {first_line(error)}") from None


def _read_table(path: str) -> Table:
    try:
        table = read_file(path)
    except InputError as error:
        raise BadFileError(str(error)) from None
    if isinstance(table, Log):
        raise BadFileError(f"{path} is a log of {table.harness}: the engine in memory reads it, and joins its runs.")
    return table


def _check_columns(path: str, columns: Sequence[str], names: Sequence[str]) -> None:
    missing = [name for name in columns if name not in names]
    if missing:
        raise BadFileError(f"{path} has no column {shorten(missing[0])}. Its columns are {', '.join(names)}.")


def _is_table(path: str) -> bool:
    return unpacked(path).lower().endswith(_ENDS)


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(_PARQUET)


def _matching(paths: Sequence[str]) -> list[str]:
    """Return the paths; missing ones are expanded as patterns."""
    files: list[str] = []
    for path in paths:
        if "://" in path or os.path.exists(path):
            files.append(path)
            continue
        matching = sorted(glob(path, recursive=True))
        if not matching:
            raise InputError(f"There is no file {path!r}.")
        files += matching
    return files


def _is_folder(path: str) -> bool:
    if "://" not in path:
        return os.path.isdir(path)
    with _readable(path):
        filesystem, path_there = file_system_of(path)
        return bool(filesystem.get_file_info(path_there).type == fs.FileType.Directory)


def _files_within(folder: str) -> list[str]:
    with _readable(folder):
        filesystem, path_there = file_system_of(folder)
        infos = filesystem.get_file_info(fs.FileSelector(path_there, recursive=True))
    # What stands before the path in an address, such as "s3://".
    prefix = folder.removesuffix(path_there) if "://" in folder else ""
    files = []
    for path in sorted(info.path for info in infos if info.is_file):
        names = path[len(path_there) :].strip("/").split("/")
        is_hidden = any(name.startswith(("_", ".")) for name in names)
        if _is_table(path) and not is_hidden:
            files.append(prefix + path)
    return files


def file_system_of(path: str) -> tuple[Any, str]:
    """Return the file system of a path or address, and the path there."""
    if "://" in path:
        filesystem, path_there = fs.FileSystem.from_uri(path)
        return filesystem, path_there
    return fs.LocalFileSystem(), path
