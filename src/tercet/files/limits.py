"""Limits of file sizes: untrusted files must fit into memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from tercet.errors import InputError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes of files that are read; larger ones are archives made to fill memory, or files of another kind."""

    n_bytes: int = 2 << 30  # of the whole file, unpacked: 2 GiB, some five million segments with a reference
    n_lines: int = 20_000_000  # of the whole file
    line: int = 64 << 20  # of a line, in bytes, or of a quoted cell: 64 MiB, a hundred long novels

    def check(self, n_bytes: int, n_lines: int, name: str) -> None:
        """Raise an InputError for a file of more bytes or lines."""
        if n_bytes > self.n_bytes or n_lines > self.n_lines:
            held = size(self.n_bytes) if n_bytes > self.n_bytes else f"{self.n_lines:,} lines"
            raise InputError(
                f"{name} holds more than {held}, unpacked, which is the limit: split it into several files."
            )

    def check_line(self, n_bytes: int, place: str, what: str = "line") -> None:
        """Raise an InputError for a line, or what else is given, of more bytes."""
        if n_bytes > self.line:
            raise InputError(
                f"{place}: a {what} of more than {size(self.line)}; expected a segment per line, or per cell."
            )


#: Limits of a file that a user names.
LIMITS = Limits()


def read_bytes(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> bytearray:
    """Return all of a file, or raise an InputError as soon as it is, or has a line, beyond the limits."""
    data = bytearray()
    start = n_lines = 0  # of the line that is not yet at its end, and before it
    while chunk := stream.read(min(_CHUNK, limits.line)):
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        end = len(data) + (first if first >= 0 else len(chunk))
        limits.check_line(end - start, f"{name}, line {n_lines + 1}")
        if last >= 0:
            start = len(data) + last + 1
            n_lines += chunk.count(b"\n")
        data += chunk
        limits.check(len(data), n_lines, name)
    return data


def size(n_bytes: int) -> str:
    """Return a number of bytes in words."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n_bytes >= 1 << power:
            return f"{n_bytes / (1 << power):.3g} {unit}"
    return f"{n_bytes} bytes"
