"""A part of a corpus as a file, of a stream or of rows: an Arrow table, a header in JSON, and a digest of both."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from tercet.errors import InputError
from tercet.files.writing import write_file
from tercet.signature import __version__

FORMAT = 4
#: What writes each kind of file, for messages.
_WRITERS = {"stream": "Stream.save", "rows": "a module that gathers items"}
_HEADER = b"tercet"
_DIGEST = b"sha256"


def pack(kind: str, header: Mapping[str, Any], table: Any) -> bytes:
    """Return the bytes of a file; equal tables and headers give equal bytes."""
    full_header = {"format": FORMAT, "kind": kind, "tercet": __version__, **header}
    # Stands where the digest will be, which is as long: random, so that nothing else in the file is like it.
    mark = secrets.token_hex(32).encode()
    marked_table = table.replace_schema_metadata({_HEADER: json.dumps(full_header).encode(), _DIGEST: mark})
    with pa.BufferOutputStream() as sink:
        with pa.ipc.new_file(sink, marked_table.schema) as writer:
            writer.write_table(marked_table)
        data: bytes = sink.getvalue().to_pybytes()
    return data.replace(mark, _digest(data, mark))


def unpack(data: bytes, kind: str, name: str) -> tuple[dict[str, Any], Any]:
    """Return the header and the table of a file of a kind; InputError if it is damaged or of another kind."""
    damaged = InputError(f"{name} is damaged, or was not written by {_WRITERS[kind]}.")
    try:
        reader = pa.ipc.open_file(data)
        metadata = reader.schema.metadata or {}
    except (pa.ArrowException, OSError):
        raise damaged from None
    if _HEADER not in metadata:
        raise InputError(f"{name} is an Arrow file, but was not written by {_WRITERS[kind]}.")
    try:
        header: dict[str, Any] = json.loads(metadata[_HEADER])
        format = header["format"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise damaged from None
    # Before the digest, which differs between versions.
    if format != FORMAT:
        error = _error_of_another_format(name, kind, header, data)
        raise damaged if error is None else error
    if metadata.get(_DIGEST) != _digest(data, metadata.get(_DIGEST, b"")):
        raise InputError(f"{name} is damaged: its checksum does not match.")
    if header.get("kind") != kind:
        writer = _WRITERS.get(str(header.get("kind")), "something else")
        raise InputError(f"{name} was written by {writer}, and not by {_WRITERS[kind]}.")
    # A valid digest does not make a file trustworthy.
    try:
        table = reader.read_all()
        table.validate(full=True)
        table.column_names  # noqa: B018  decodes them
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise damaged from None
    return header, table


def write_arrow_file(path: str | PathLike[str], kind: str, header: Mapping[str, Any], table: Any) -> None:
    """Write a file; OSError if that fails."""
    data = pack(kind, header, table)
    with write_file(path) as file:
        file.write(data)


def read_arrow_file(path: str | PathLike[str], kind: str) -> tuple[dict[str, Any], Any]:
    """Return the header and the table of a file; OSError if it cannot be read, otherwise as :func:`unpack`."""
    return unpack(Path(path).read_bytes(), kind, Path(path).name)


def _digest(data: bytes, digest: bytes) -> bytes:
    """Return a digest of a file's bytes, without those of the digest itself."""
    without_digest = data.replace(digest, b"") if digest else data
    return sha256(without_digest).hexdigest().encode()


def _error_of_another_format(name: str, kind: str, header: Mapping[str, Any], data: bytes) -> InputError | None:
    """Return the error for a file of an older or newer tercet, which says who wrote it; None for anything else.

    Formats 1 and 2 are the text ``tercet-<kind>-<format>``; their version is in the signature of their rows.
    """
    number = header["format"]
    written_kind = header.get("kind")
    older = re.fullmatch(r"tercet-([a-z]{1,20})-(\d{1,9})", str(number))
    if older is not None:
        written_kind, number = older.groups()
    elif type(number) is not int:
        return None
    version = header.get("tercet", "")
    version_in_rows = re.search(rb"version:tercet-(\d{1,9}(?:\.\d{1,9}){0,3})", data)
    if version_in_rows is not None:
        version = version_in_rows[1].decode()
    writer = f"tercet {str(version)[:40]}" if version else "tercet"
    return InputError(
        f"{name} was written by {writer} as {str(written_kind)[:20]} file format {str(number)[:20]}; "
        f"this version of tercet reads {kind} file format {FORMAT}."
    )
