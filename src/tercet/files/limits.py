"""Limits of file sizes: untrusted files must fit into memory."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, TypeAlias

from tercet.errors import InputError

Text: TypeAlias = str | bytes | bytearray

_CHUNK = 1 << 20
#: A packed file may hold so many times its bytes, and so many in any case: texts shrink to a tenth, rarely to a
#: fiftieth, while a file made to fill memory shrinks to a thousandth, or in Parquet to a millionth.
_TIMES, _UNPACKED = 200, 256 << 20
#: Lists and objects of a JSON file that are read in any case, and the bytes of the limit for each one more: an empty
#: one, two bytes in the file, takes 64 in memory, and one with an entry 240.
_CONTAINERS, _BYTES_EACH = 1_000_000, 256


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes of files that are read; larger ones are archives made to fill memory, or files of another kind."""

    n_bytes: int = 2 << 30  # of the whole file, unpacked: 2 GiB, some five million segments with a reference
    n_lines: int = 20_000_000  # of the whole file
    line: int = 64 << 20  # of a line, in bytes, or of a quoted cell: 64 MiB, a hundred long novels
    packed: int = 0  # bytes of the file where it is packed, which bounds what it may hold

    def unpacking(self, packed: int, in_any_case: int = _UNPACKED) -> Limits:
        """Return the limits of what is in a packed file of so many bytes."""
        return replace(self, n_bytes=min(self.n_bytes, max(in_any_case, _TIMES * packed)), packed=packed)

    def of(self, stream: BinaryIO) -> Limits:
        """Return the limits of what is read from a stream, which may be that of a gzipped file."""
        return self.unpacking(os.fstat(stream.fileno()).st_size) if isinstance(stream, gzip.GzipFile) else self

    def check(self, n_bytes: int, n_lines: int, name: str) -> None:
        """Raise an InputError for a file of more bytes or lines."""
        if n_bytes > self.n_bytes or n_lines > self.n_lines:
            held = size(self.n_bytes) if n_bytes > self.n_bytes else f"{self.n_lines:,} lines"
            packed = f" for a packed file of {size(self.packed)}" if self.packed else ""
            raise InputError(
                f"{name} holds more than {held}, unpacked, which is the limit{packed}: split it into several files."
            )

    def check_json(self, texts: Sequence[Text], name: str, free: int = 0) -> None:
        """Raise an InputError for JSON with more lists and objects, before it is parsed; some of a text are free."""
        most = max(_CONTAINERS, self.n_bytes // _BYTES_EACH)
        for count in (_count_brackets, _count_containers):  # the second takes longer
            if sum(max(count(text) - free, 0) for text in texts) <= most:
                return
        raise InputError(f"{name} holds more than {most:,} lists and objects, which is the limit for its size.")

    def check_line(self, n_bytes: int, place: str, what: str = "line") -> None:
        """Raise an InputError for a line, or what else is given, of more bytes."""
        if n_bytes > self.line:
            raise InputError(
                f"{place}: a {what} of more than {size(self.line)}; expected a segment per line, or per cell."
            )


#: Limits of a file that a user names.
LIMITS = Limits()


def read_whole(stream: BinaryIO, name: str, limits: Limits) -> bytearray:
    """Return all of a file that has no lines, or raise an InputError as soon as it is beyond the limits."""
    limits = limits.of(stream)
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        limits.check(len(data), 0, name)
    return data


def read_bytes(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> bytearray:
    """Return all of a file, or raise an InputError as soon as it is, or has a line, beyond the limits."""
    limits = limits.of(stream)
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


def _count_brackets(text: Text) -> int:
    """Return how many lists and objects JSON has at most: code and formulas within its texts have brackets, too."""
    return text.count("{") + text.count("[") if isinstance(text, str) else text.count(b"{") + text.count(b"[")


def _count_containers(text: Text) -> int:
    """Return how many lists and objects JSON has."""
    import numpy as np  # here, as commands that score nothing need none

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    number, inside = 0, np.uint8(0)
    for start in range(0, len(data), _CHUNK):
        part = np.frombuffer(data, np.uint8, min(_CHUNK, len(data) - start), start)
        within = np.bitwise_xor.accumulate((part == ord('"')).view(np.uint8)) ^ inside
        inside = within[-1]
        number += int((((part == ord("{")) | (part == ord("["))) & (within == 0)).sum())
    return number


def size(n_bytes: int) -> str:
    """Return a number of bytes in words."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n_bytes >= 1 << power:
            return f"{n_bytes / (1 << power):.3g} {unit}"
    return f"{n_bytes} bytes"
