"""A stream as a file: its sums, and the metric and options that they were made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.errors import InputError, MergeError, OptionError, shorten

from .file import read_packed, write_packed
from .sums import Sums


def write_stream(
    path: str | PathLike[str], metric: str, options: Mapping[str, Any], sums: Sums | None, origins: Iterable[str]
) -> None:
    """Write a stream; options that cannot be saved are listed by name, to be given again."""
    plain = {name: plain_value(value) for name, value in options.items()}
    kept = {name: value for name, value in plain.items() if value is not NotImplemented}
    header = {
        "metric": metric,
        "options": kept,
        "given again": sorted(plain.keys() - kept.keys()),
        "origins": sorted(origins),
    }
    _check_path(path)
    try:
        write_packed(path, "stream", header, pa.table({}) if sums is None else sums.to_table())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None


def read_stream(
    path: str | PathLike[str], again: Mapping[str, Any]
) -> tuple[str, dict[str, Any], Sums | None, set[str]]:
    """Return the metric, the options and the sums of a file, if it has any, and the marks of what they are of.

    `again` are the options that the file cannot hold: OptionError for others. InputError for a file that cannot be
    read, is damaged, or is something else.
    """
    _check_path(path)
    name = Path(path).name
    try:
        header, table = read_packed(path, "stream")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
    for field, (is_right, expected) in _FIELDS.items():
        if not is_right(header.get(field)):
            found = shorten(header.get(field))
            raise InputError(f"{name} is damaged: its {field!r} is {found}; expected {expected}.")
    if {*again} != {*header["given again"]}:
        lacking, known = sorted({*header["given again"]} - {*again}), ", ".join(sorted(again))
        what = f"give {', '.join(lacking)} again, as no file can hold them" if lacking else f"got also {known}"
        raise OptionError(f"{name} holds the options that it was made with: {what}.")
    try:
        sums = Sums.of_table(table) if table.num_rows else None
    except MergeError as error:
        raise InputError(f"{name}: {shorten(str(error), 300)}") from None
    return header["metric"], {**header["options"], **again}, sums, {*header["origins"]}


def _check_path(path: object) -> None:
    """Raise an InputError for an invalid path."""
    if not isinstance(path, (str, PathLike)) or "\0" in str(path):
        raise InputError(f"Expected the path of a file, got {shorten(path)}.")


def _is_names(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(each, str) for each in given)


#: Fields of a header: the check and description of each. Files are untrusted input.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "metric": (lambda given: isinstance(given, str), "the name of a metric"),
    "options": (
        lambda given: isinstance(given, dict) and not {"self", "metric"} & given.keys(),
        "options by their names",
    ),
    "given again": (_is_names, "a list of names"),
    "origins": (_is_names, "a list of texts"),
}


def plain_value(value: Any) -> Any:
    """Return the value of an option for JSON; NotImplemented if there is none."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    entries: list[Any] | None = None
    if isinstance(value, (list, tuple)):
        entries = [plain_value(each) for each in value]
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        entries = [plain_value(each) for each in value.values()]
    if entries is None or any(each is NotImplemented for each in entries):
        return NotImplemented
    return dict(zip(value, entries, strict=True)) if isinstance(value, Mapping) else entries
