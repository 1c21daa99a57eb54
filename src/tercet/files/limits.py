"""Limits of what is read: files from anyone must fit into memory, also those that were made not to."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple, TypeAlias

from tercet.errors import InputError

Text: TypeAlias = str | bytes | bytearray

_CHUNK = 1 << 20
#: A packed file may hold so many times its bytes, and so many in any case: texts shrink to a tenth, rarely to a
#: fiftieth, while a file made to fill memory shrinks to a thousandth, or in Parquet to a millionth.
_TIMES = 200
_UNPACKED = 256 << 20
#: Lists and objects of a JSON file that are read in any case, and the bytes of the limit for each one more: an empty
#: one, two bytes in the file, takes 64 in memory, and one with an entry 240.
_CONTAINERS = 1_000_000
_BYTES_EACH = 256
#: Rows, and values of lists, that a packed file may have in any case: beyond, a text takes a byte of it at least.
_VALUES = 1_000_000


class Limits(NamedTuple):
    """Sizes of files that are read; larger ones are archives made to fill memory, or files of another kind."""

    #: Of the whole file, unpacked: 2 GiB, some five million segments with a reference.
    n_bytes: int = 2 << 30
    n_lines: int = 20_000_000
    #: Bytes of a line or a quoted cell: 64 MiB, a hundred long novels.
    line: int = 64 << 20
    #: Bytes of the file where it is packed, which bounds what it may hold.
    packed: int = 0

    def unpacking(self, packed: int, in_any_case: int = _UNPACKED) -> Limits:
        """Return the limits of what is in a packed file of so many bytes."""
        return self._replace(n_bytes=min(self.n_bytes, max(in_any_case, _TIMES * packed)), packed=packed)

    def of(self, stream: BinaryIO) -> Limits:
        """Return the limits of what is read from a stream, which may be that of a gzipped file."""
        if not isinstance(stream, gzip.GzipFile):
            return self
        return self.unpacking(os.fstat(stream.fileno()).st_size)

    def check(self, n_bytes: int, n_lines: int, name: str) -> None:
        """Raise an InputError for a file of more bytes or lines."""
        if n_bytes <= self.n_bytes and n_lines <= self.n_lines:
            return
        bound = f"{self.n_lines:,} lines"
        if n_bytes > self.n_bytes:
            bound = size(self.n_bytes)
        packed = ""
        if self.packed:
            packed = f" for a packed file of {size(self.packed)}"
        raise InputError(
            f"{name} holds more than {bound}, unpacked, which is the limit{packed}: split it into several files."
        )

    def check_values(self, n_values: int, name: str, values: str) -> None:
        """Raise an InputError for more rows, or values of lists, than a packed file that is not made to have them."""
        most = max(_VALUES, self.packed)
        if n_values > most:
            raise InputError(
                f"{name} holds {n_values:,} {values}; expected at most {most:,}, which is the limit for a packed "
                f"file of {size(self.packed)}."
            )

    def check_json(self, texts: Sequence[Text], name: str, free: int = 0) -> None:
        """Raise an InputError for JSON with more lists and objects, before it is parsed; some of a text are free."""
        most = max(_CONTAINERS, self.n_bytes // _BYTES_EACH)
        # The second takes longer, and is needed only where the first counts too many.
        for count in (_count_brackets, _count_containers):
            if sum(max(count(text) - free, 0) for text in texts) <= most:
                return
        raise InputError(f"{name} holds more than {most:,} lists and objects, which is the limit for its size.")

    def check_line(self, n_bytes: int, location: str, unit: str = "line") -> None:
        """Raise an InputError for a line, or what else is given, of more bytes."""
        if n_bytes > self.line:
            raise InputError(
                f"{location}: a {unit} of more than {size(self.line)}; expected a segment per line, or per cell."
            )


#: Limits of a file that a user names.
LIMITS = Limits()


def read_whole(stream: BinaryIO, name: str, limits: Limits, expected: str) -> bytearray:
    """Return all of a file that has no lines, or raise an InputError as soon as it is beyond the limits, or empty."""
    bounds = limits.of(stream)
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        bounds.check(len(data), 0, name)
    if not data or data.isspace():
        raise InputError(f"{name} is empty; expected {expected}.")
    return data


def read_bytes(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> bytearray:
    """Return all of a file, or raise an InputError as soon as it is, or has a line, beyond the limits."""
    bounds = limits.of(stream)
    data = bytearray()
    # The start of the line whose end has not been read, and the number of lines before it.
    start = 0
    n_lines = 0
    while chunk := stream.read(min(_CHUNK, bounds.line)):
        first = chunk.find(b"\n")
        last = chunk.rfind(b"\n")
        end = len(data) + len(chunk)
        if first >= 0:
            end = len(data) + first
        bounds.check_line(end - start, f"{name}, line {n_lines + 1}")
        if last >= 0:
            start = len(data) + last + 1
            n_lines += chunk.count(b"\n")
        data += chunk
        bounds.check(len(data), n_lines, name)
    return data


def _count_brackets(text: Text) -> int:
    """Return how many lists and objects JSON has at most: code and formulas within its texts have brackets, too."""
    if isinstance(text, str):
        return text.count("{") + text.count("[")
    return text.count(b"{") + text.count(b"[")


def _count_containers(text: Text) -> int:
    """Return how many lists and objects JSON has."""
    # Here, as commands that score nothing need no numpy.
    import numpy as np

    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    # Without escaped quotes, every quote opens or closes a text; a bracket within a text is no list.
    data = encoded.replace(b"\\\\", b"").replace(b'\\"', b"")
    number = 0
    inside = np.uint8(0)
    for start in range(0, len(data), _CHUNK):
        piece = np.frombuffer(data, np.uint8, min(_CHUNK, len(data) - start), start)
        within = np.bitwise_xor.accumulate((piece == ord('"')).view(np.uint8)) ^ inside
        inside = within[-1]
        number += int((((piece == ord("{")) | (piece == ord("["))) & (within == 0)).sum())
    return number


def size(n_bytes: int) -> str:
    """Return a number of bytes in words."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n_bytes >= 1 << power:
            number = n_bytes / (1 << power)
            if number < 100:
                return f"{number:.3g} {unit}"
            # Three digits as well, and of 1000 to 1023 all four.
            return f"{number:.0f} {unit}"
    return f"{n_bytes} bytes"
