"""A stream as a file: its sums, and the metric and options that they were made with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tercet.errors import InputError, MergeError, OptionError, shorten

from .arrow_file import read_arrow_file, write_arrow_file
from .origins import ItemsMark, Origins
from .sums import Sums


class SavedStream(NamedTuple):
    """What a file keeps of a stream: `origins` tells what the sums are of."""

    metric: str
    options: dict[str, Any]
    sums: Sums | None
    origins: Origins


def write_stream(path: str | PathLike[str], stream: SavedStream) -> None:
    """Write a stream; options that cannot be saved are listed by name, to be given again."""
    saved_options = {}
    given_again = []
    for name, value in stream.options.items():
        try:
            saved_options[name] = plain_value(value)
        except _NotPlainError:
            given_again.append(name)
    header = {
        "metric": stream.metric,
        "options": saved_options,
        "given again": sorted(given_again),
        "streams": sorted(stream.origins.streams),
        "items": sorted(stream.origins.items),
    }
    _check_path(path)
    try:
        table = pa.table({}) if stream.sums is None else stream.sums.to_table()
        write_arrow_file(path, "stream", header, table)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None


def read_stream(path: str | PathLike[str], repeated_options: Mapping[str, Any]) -> SavedStream:
    """Return the stream in a file, with `repeated_options`, those that the file cannot hold: OptionError for others.

    InputError for a file that cannot be read, is damaged, or is something else.
    """
    _check_path(path)
    name = Path(path).name
    try:
        header, table = read_arrow_file(path, "stream")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
    _check_header(name, header)
    _check_repeated(name, repeated_options, set(header["given again"]))
    try:
        sums = Sums.from_table(table) if table.num_rows else None
    except MergeError as error:
        raise InputError(f"{name}: {shorten(str(error), 300)}") from None
    options = {**header["options"], **repeated_options}
    marks = {ItemsMark(n_items, keys) for n_items, keys in header["items"]}
    return SavedStream(header["metric"], options, sums, Origins(set(header["streams"]), marks))


def _check_path(path: object) -> None:
    """Raise an InputError for an invalid path."""
    if not isinstance(path, (str, PathLike)) or "\0" in str(path):
        raise InputError(f"Expected the path of a file, got {shorten(path)}.")


def _check_header(name: str, header: Mapping[str, Any]) -> None:
    """Raise an InputError for a field that is missing or of another type: files are untrusted input."""
    for field, (is_right, expected) in _FIELDS.items():
        if not is_right(header.get(field)):
            value = shorten(header.get(field))
            raise InputError(f"{name} is damaged: its {field!r} is {value}; expected {expected}.")


def _check_repeated(name: str, repeated_options: Mapping[str, Any], given_again: set[str]) -> None:
    """Raise an OptionError unless the options that no file can hold are given again, and no others."""
    if set(repeated_options) == given_again:
        return
    problem = f"got also {', '.join(sorted(repeated_options))}"
    missing = sorted(given_again - set(repeated_options))
    if missing:
        problem = f"give {', '.join(missing)} again, as no file can hold them"
    raise OptionError(f"{name} holds the options that it was made with: {problem}.")


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_pairs_of_integers(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair) for pair in value
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_options(value: Any) -> bool:
    return isinstance(value, dict) and "self" not in value and "metric" not in value


#: Fields of a header: the check and description of each.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "metric": (_is_text, "the name of a metric"),
    "options": (_is_options, "options by their names"),
    "given again": (_is_names, "a list of names"),
    "streams": (_is_names, "a list of names"),
    "items": (_is_pairs_of_integers, "a list of pairs of integers"),
}


class _NotPlainError(Exception):
    """JSON cannot hold a value."""


def plain_value(value: Any) -> Any:
    """Return the value of an option for JSON; a _NotPlainError if there is none."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, (np.bool_, np.integer)):
        return value.item()
    if isinstance(value, (set, frozenset)):
        return [plain_value(entry) for entry in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        return [plain_value(entry) for entry in value]
    if isinstance(value, Mapping) and _is_names(list(value)):
        return {name: plain_value(entry) for name, entry in value.items()}
    raise _NotPlainError
