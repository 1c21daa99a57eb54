"""Arrow files that say what they hold, in which format, and the checksum of it all."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from tercet.errors import InputError
from tercet.files.writing import write_file

_ABOUT, _CHECKSUM = b"tercet", b"sha256"


def write_checked(path: str | PathLike[str], table: Any, about: Mapping[str, Any]) -> None:
    """Write a table and what is said of it, in JSON; `about` names its format.

    Raises
    ------
    OSError
        For a file that cannot be written.
    """
    mark = secrets.token_hex(32).encode()  # stands where the checksum will, and nowhere else
    table = table.replace_schema_metadata({_ABOUT: json.dumps(about).encode(), _CHECKSUM: mark})
    with pa.BufferOutputStream() as sink:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        data = sink.getvalue().to_pybytes()
    with write_file(path) as file:
        file.write(data.replace(mark, _checksum(data, mark)))


def read_checked(path: str | PathLike[str], known: str, writer: str) -> tuple[dict[str, Any], Any]:
    """Return what is said of the table of a file, and the table.

    Parameters
    ----------
    path : str or path
    known : str
        The format that is read.
    writer : str
        What writes such files, for messages.

    Raises
    ------
    OSError
        For a file that cannot be read.
    InputError
        For one that is damaged, or is something else.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers.arrow")
    >>> write_checked(path, pa.table({"n": [1, 2]}), {"format": "numbers-1"})
    >>> about, table = read_checked(path, "numbers-1", "this example")
    >>> about, table["n"].to_pylist()
    ({'format': 'numbers-1'}, [1, 2])
    """
    name, data = Path(path).name, Path(path).read_bytes()
    damaged = InputError(f"{name} is damaged, or no file that {writer} wrote.")
    try:
        reader = pa.ipc.open_file(data)
        said = reader.schema.metadata or {}
    except (pa.ArrowException, OSError):
        raise damaged from None
    if _ABOUT not in said:
        raise InputError(f"{name} is an Arrow file, but not one that {writer} wrote.")
    try:
        about: dict[str, Any] = json.loads(said[_ABOUT])
        form = about["format"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise damaged from None
    if form != known:  # before the checksum, which another version may make in another way
        raise InputError(f"{name} has the format {str(form)[:60]}; this version of tercet reads {known}.")
    if said.get(_CHECKSUM) != _checksum(data, said.get(_CHECKSUM, b"")):
        raise InputError(f"{name} is damaged: its checksum is not that of what it holds.")
    try:  # a checksum can be made for anything
        table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError):
        raise damaged from None
    return about, table


def _checksum(data: bytes, own: bytes) -> bytes:
    """Return a digest of a file's bytes, without those of the digest itself."""
    return sha256(data.replace(own, b"") if own else data).hexdigest().encode()
