"""Files of texts, a text per line, packed or not, or from the standard input -> lines."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from tercet.errors import InputError, warn

from .encodings import STANDARD_INPUT, check_line_ends, decode
from .limits import LIMITS, read_bytes
from .other_formats import check_beginning

#: The name that stands for the standard input.
STDIN = "-"


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open a file to read its bytes, unpacked where its name ends in .gz; ``-`` is the standard input."""
    try:
        if path == STDIN:
            yield sys.stdin.buffer
        elif path.lower().endswith(".gz"):
            with gzip.open(path, "rb") as packed:
                yield cast(BinaryIO, packed)
        else:
            with open(path, "rb") as file:
                yield file
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def stream_lines(path: str) -> Iterator[str]:
    """Yield the lines of a text file in UTF-8, without their ends; what is in memory does not grow with the file.

    A file may be of any size, a line as long as :class:`Limits` says.
    """
    with open_binary(path) as stream:
        check_beginning(stream, path)
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        number = 0
        n_within = 0
        first_within = 0
        try:
            while line := text.readline(LIMITS.line + 1):
                number += 1
                LIMITS.check_line(len(line), f"{path}, line {number}")
                if number == 1:
                    line = line.lstrip("\ufeff")
                    if not line.endswith("\n"):
                        check_line_ends(line, path)
                if "\0" in line:
                    raise InputError(f"{path}, line {number}: found a NUL character; expected text saved as UTF-8.")
                line = line.removesuffix("\n").removesuffix("\r")
                if "\r" in line:
                    n_within += 1
                    first_within = first_within or number
                yield line
            if n_within:
                _warn_of_carriage_returns(path, n_within, first_within)
        except UnicodeDecodeError as error:
            raise InputError(f"{path!r} is not a text file in UTF-8: {error}.") from error
        finally:
            # What is open is closed by its opener, and the standard input not at all.
            text.detach()


def read_lines(path: str, *, encoding: str | None = None) -> list[str]:
    r"""Return the lines of a text file, blank ones too: a line is a segment, and its number counts.

    Lines end with ``\n`` or ``\r\n``, the last one with or without; other characters that some programs take for
    line ends (form feeds, U+2028) are part of the text. So is a ``\r`` elsewhere; a warning counts the lines.
    """
    name = STANDARD_INPUT if path == STDIN else path
    with open_binary(path) as stream:
        text = decode(read_bytes(stream, name), name, encoding=encoding)
    lines = text.split("\n")
    # Nothing follows the last line end.
    if not text or text.endswith("\n"):
        lines.pop()
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
        within = [number for number, line in enumerate(lines, 1) if "\r" in line]
        if within:
            _warn_of_carriage_returns(name, len(within), within[0])
    return lines


def _warn_of_carriage_returns(name: str, n_lines: int, first: int) -> None:
    hold = "1 line holds" if n_lines == 1 else f"{n_lines:,} lines hold"
    warn(
        f"{name}: {hold} a carriage return (CR) that ends no line, the first on line {first}: read as part of the "
        "text, as sacrebleu does."
    )
