"""The footer of a Parquet file -> how many values its columns have, and how large they are, before any is read.

pyarrow knows these numbers too, but ends the process where it is asked for those of a footer that contradicts itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# Types of Thrift's compact protocol, in which a footer is written.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT, _UUID = range(1, 14)
_FIXED = {_BYTE: 1, _DOUBLE: 8, _UUID: 16}
_DEEPEST = 50

# Numbers of the fields, by parquet.thrift.
_ROW_GROUPS = 4
_CHUNKS = 1
_N_ROWS = 3
_COLUMN = 3
_PATH = 3
_N_VALUES = 5
_SIZE = 6


class Chunk(NamedTuple):
    """The values of a column, or of a field within it, in one group of rows."""

    #: The names of the column, and of what is within it.
    path: tuple[str, ...] = ()
    #: With an empty list, and a missing value, as one.
    n_values: int = 0
    #: In bytes, without the compression of pages.
    size: int = 0
    #: Of its group.
    n_rows: int = 0


def chunks(data: bytes | bytearray) -> list[Chunk]:
    """Return what is in a Parquet file; ValueError where its footer cannot be read."""
    length = int.from_bytes(data[-8:-4], "little")
    footer = _Footer(bytes(data[len(data) - 8 - length : len(data) - 8]))
    try:
        return list(footer.chunks())
    except IndexError:
        raise ValueError("Its footer ends too early: it is damaged.") from None


class _Footer:
    """Thrift's compact protocol, read from its beginning: what is not asked for is passed over."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def chunks(self) -> Iterator[Chunk]:
        for field, kind in self.fields():
            if field == _ROW_GROUPS:
                for _ in self.elements():
                    yield from self.row_group()
            else:
                self.skip(kind)

    def row_group(self) -> list[Chunk]:
        chunks = []
        n_rows = 0
        for field, kind in self.fields():
            if field == _CHUNKS:
                chunks = [self.chunk() for _ in self.elements()]
            elif field == _N_ROWS:
                n_rows = self.number()
            else:
                self.skip(kind)
        return [chunk._replace(n_rows=n_rows) for chunk in chunks]

    def chunk(self) -> Chunk:
        chunk = Chunk()
        for field, kind in self.fields():
            if field == _COLUMN:
                chunk = self.column()
            else:
                self.skip(kind)
        return chunk

    def column(self) -> Chunk:
        path: tuple[str, ...] = ()
        n_values = 0
        size = 0
        for field, kind in self.fields():
            if field == _PATH:
                path = tuple(self.text() for _ in self.elements())
            elif field == _N_VALUES:
                n_values = self.number()
            elif field == _SIZE:
                size = self.number()
            else:
                self.skip(kind)
        return Chunk(path, n_values, size)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and type of each field of a structure; its value is to be read before the next."""
        field = 0
        while head := self.byte():
            kind = head & 15
            # The number is given as its distance from the one before, where that is small.
            distance = head >> 4
            if distance:
                field += distance
            else:
                field = self.number()
            yield field, kind

    def elements(self) -> Iterator[int]:
        """Yield the type of each element of a list."""
        head = self.byte()
        n_elements = head >> 4
        if n_elements == 15:
            n_elements = self.unsigned_number()
        for _ in range(n_elements):
            yield head & 15

    def skip(self, kind: int, depth: int = 0, *, within: bool = False) -> None:
        """Pass over a value; of a truth value that is not `within` a list, its type is the value."""
        if depth > _DEEPEST:
            raise ValueError("Its footer is nested too deeply: it is damaged.")
        if kind in (_TRUE, _FALSE):
            self.position += within
        elif kind in (_I16, _I32, _I64):
            self.unsigned_number()
        elif kind in _FIXED:
            self.position += _FIXED[kind]
        elif kind == _BINARY:
            length = self.unsigned_number()
            self.position += length
        elif kind in (_LIST, _SET):
            for element in self.elements():
                self.skip(element, depth + 1, within=True)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind == _MAP:
            n_entries = self.unsigned_number()
            kinds = 0
            if n_entries:
                kinds = self.byte()
            for _ in range(n_entries):
                self.skip(kinds >> 4, depth + 1, within=True)
                self.skip(kinds & 15, depth + 1, within=True)
        else:
            raise ValueError(f"Its footer has a value of the unknown type {kind}: it is damaged.")
        if self.position > len(self.data):
            raise IndexError

    def byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def unsigned_number(self) -> int:
        number = 0
        shift = 0
        while (byte := self.byte()) > 127:
            number |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("Its footer has a number of too many digits: it is damaged.")
        return number | byte << shift

    def number(self) -> int:
        number = self.unsigned_number()
        return (number >> 1) ^ -(number & 1)

    def text(self) -> str:
        length = self.unsigned_number()
        start = self.position
        self.position += length
        return self.data[start : self.position].decode("utf-8", "replace")
