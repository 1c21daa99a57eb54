"""A stream as a file: an Arrow table of its sums, with what made them, a version and a checksum."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.errors import InputError, MergeError, OptionError, shorten

from .checked_file import read_checked, write_checked
from .totals import Totals

_FORMAT = "tercet-stream-2"
_LARGEST = 10**20  # no sum is larger


@dataclass(frozen=True, slots=True)
class SavedStream:
    """What a file holds.

    Attributes
    ----------
    metric : str
    options : mapping
        As they were given.
    totals : Totals or None
        None for a stream without items.
    merged : frozenset of (int, int)
        Which items were merged into it.
    origins : frozenset of str
        The stream's own mark, and those of the streams that were merged into it.
    """

    metric: str
    options: Mapping[str, Any]
    totals: Totals | None
    merged: frozenset[tuple[int, int]]
    origins: frozenset[str]


def write_stream(path: str | PathLike[str], stream: SavedStream) -> None:
    """Write a stream; options that no file can hold are named in it, to be given again."""
    plain = {name: plain_value(value) for name, value in stream.options.items()}
    kept = {name: value for name, value in plain.items() if value is not NotImplemented}
    about = {
        "format": _FORMAT,
        "metric": stream.metric,
        "options": kept,
        "given again": sorted(plain.keys() - kept.keys()),
        "merged": sorted(stream.merged),
        "origins": sorted(stream.origins),
    }
    table = pa.table({}) if stream.totals is None else stream.totals.to_table()
    _check_path(path)
    try:
        write_checked(path, table, about)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None


def read_stream(path: str | PathLike[str], again: Mapping[str, Any]) -> SavedStream:
    """Return the stream of a file; `again` are the options that the file could not hold.

    Raises
    ------
    InputError
        For a file that cannot be read, is damaged, or is something else.
    OptionError
        Where other options are given than those that the file lacks.
    """
    _check_path(path)
    name = Path(path).name
    try:
        about, table = read_checked(path, _FORMAT, "Stream.save")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
    for field, (is_right, expected) in _FIELDS.items():
        if not is_right(about.get(field)):
            raise InputError(f"{name} is damaged: its {field!r} is {shorten(about.get(field))}; expected {expected}.")
    if {*again} != {*about["given again"]}:
        lacking, known = sorted({*about["given again"]} - {*again}), ", ".join(sorted(again))
        what = f"give {', '.join(lacking)} again, as no file can hold them" if lacking else f"got also {known}"
        raise OptionError(f"{name} holds the options that it was made with: {what}.")
    try:
        totals = Totals.of_table(table) if table.num_rows else None
    except MergeError as error:
        raise InputError(f"{name}: {shorten(str(error), 300)}") from None
    merged = frozenset((one, other) for one, other in about["merged"])
    return SavedStream(about["metric"], {**about["options"], **again}, totals, merged, frozenset(about["origins"]))


def _check_path(path: object) -> None:
    """Raise an InputError for what no file can be called."""
    if not isinstance(path, (str, PathLike)) or "\0" in str(path):
        raise InputError(f"Expected the path of a file, got {shorten(path)}.")


def _is_names(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(each, str) for each in given)


def _is_options(given: Any) -> bool:
    return isinstance(given, dict) and not {"self", "metric"} & given.keys()


def _is_pairs(given: Any) -> bool:
    return isinstance(given, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(each) is int and 0 <= each < _LARGEST for each in pair)
        for pair in given
    )


#: What a file says of its sums: how each field is checked, and what is expected. Files come from strangers too.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "metric": (lambda given: isinstance(given, str), "the name of a metric"),
    "options": (_is_options, "options by their names"),
    "given again": (_is_names, "a list of names"),
    "merged": (_is_pairs, "a list of pairs of whole numbers"),
    "origins": (_is_names, "a list of texts"),
}


def plain_value(value: Any) -> Any:
    """Return the value of an option as JSON can hold it; NotImplemented for what it cannot.

    Examples
    --------
    >>> plain_value({"orders": (1, 2)}), plain_value(len)
    ({'orders': [1, 2]}, NotImplemented)
    """
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
