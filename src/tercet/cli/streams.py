"""The standard streams of a command: if closed, broken or full, it ends with a short message or quietly."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_OF_A_STREAM = (errno.EPIPE, errno.EBADF, errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)
#: The code of a process that SIGPIPE (13) ended, as a shell says it: 1 is that of a threshold that was not reached.
_UNREAD = 128 + 13
_REPLACED = "tercet_replaced"
#: Replacements of table characters that an encoding lacks. Letters become escapes, so that names still differ.
_SIGNS = {"–": "-", "†": "+", "…": "...", "·": "."}


def _replacement_of(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of characters that a stream's encoding lacks, and where to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    replacement = ""
    for sign in signs:
        # The lines of tables.
        if "\u2500" <= sign <= "\u257f":
            replacement += "-"
        else:
            replacement += _SIGNS.get(sign, sign)
    return replacement.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(_REPLACED, _replacement_of)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Open streams that were closed (``>&-``), and flush at the end.

    A reader that stops early, such as ``head``, ends the command quietly, with code 141 as other tools, or with the
    command's code where this is not 0. An output that is full or closed raises an OSError that names the standard
    output.
    """
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        # A character that the encoding lacks must not end the command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_REPLACED)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        # So typer and rich end the command where nobody reads.
        if isinstance(end.__context__, BrokenPipeError):
            drop(sys.stdout)
            drop(sys.stderr)
            sys.exit(_UNREAD)
        raise
    except OSError as error:
        if error.filename is not None or error.errno not in _OF_A_STREAM:
            raise
        drop(sys.stdout)
        if error.errno == errno.EPIPE:
            sys.exit(getattr(error.__context__, "code", 0) or _UNREAD)
        raise OSError(error.errno, error.strerror, "the standard output") from None


def drop(stream: Any) -> None:
    """Drop what could not be written: Python would try to write it again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed() -> None:
    """Replace closed streams, so that no file of the command gets their descriptors."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    # Each call takes the lowest free descriptor: 0, 1 and 2 are those of the standard streams.
    while os.open(os.devnull, os.O_RDWR) < 3:
        pass
    # Opened the wrong way round, a stream cannot be read or written, as one that is closed.
    for name, flags, mode in (
        ("stdin", os.O_WRONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
