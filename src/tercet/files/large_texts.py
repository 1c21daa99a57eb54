"""A large text file, a text per line -> lines that are read when they are needed: memory does not grow with the file.

Such lines are those of :func:`tercet.files.lines.read_lines`, which reads what is odd in any way: a file of another
encoding, of another kind, or with carriage returns within its lines.
"""

from __future__ import annotations

import os
import weakref
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO, overload

from tercet.errors import InputError
from tercet.locks import Lock

from .encodings import decode
from .limits import LIMITS
from .lines import read_lines

#: Bytes that are read at a time. A file with a line of as many is read whole.
_CHUNK = 1 << 20
#: Lines from one known place to the next: so many are read to have one of them.
_STEP = 128
#: Lines that are read at a time where all of them are.
_TOGETHER = 64 * _STEP
#: Files of fewer lines are read whole: checks look at a part of more.
_FEWEST = 1 << 13


class FileLines(Sequence[str]):
    """The lines of a text file in UTF-8, without their ends, of which a few thousand are in memory at a time."""

    def __init__(self, path: str, file: BinaryIO, starts: Sequence[int], n_lines: int, *, has_returns: bool) -> None:
        self._path = path
        self._file = file
        #: Where every so many lines begin, and where the last of them ends.
        self._starts = starts
        self._n_lines = n_lines
        #: Whether lines end with a carriage return, too; none holds another one.
        self._has_returns = has_returns
        #: The lines that were read last, from one known place to the next, and the number of the first.
        self._step: tuple[int, list[str]] = (-1, [])
        # Two threads must not move to two places in the file.
        self._lock = Lock()
        weakref.finalize(self, file.close)

    def __len__(self) -> int:
        return self._n_lines

    @overload
    def __getitem__(self, lines: int) -> str: ...

    @overload
    def __getitem__(self, lines: slice) -> list[str]: ...

    def __getitem__(self, lines: int | slice) -> str | list[str]:
        """Return a line, or a list of several."""
        if isinstance(lines, slice):
            start, stop, step = lines.indices(self._n_lines)
            if step != 1:
                return [self[number] for number in range(start, stop, step)]
            return self._between(start, stop)
        if lines < 0:
            lines += self._n_lines
        if not 0 <= lines < self._n_lines:
            raise IndexError(lines)
        first, read = self._step
        if not first <= lines < first + len(read):
            first = lines - lines % _STEP
            read = self._between(first, min(first + _STEP, self._n_lines))
            self._step = (first, read)
        return read[lines - first]

    def __iter__(self) -> Iterator[str]:
        starts = range(0, self._n_lines, _TOGETHER)
        return chain.from_iterable(self._between(start, min(start + _TOGETHER, self._n_lines)) for start in starts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != self._n_lines:
            return False
        return all(line == other_line for line, other_line in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _between(self, start: int, stop: int) -> list[str]:
        """Return the lines from one number to another, which is not among them."""
        if start >= stop:
            return []
        first = start // _STEP
        # A division that is rounded up.
        last = -(-stop // _STEP)
        begin = self._starts[first]
        with self._lock:
            self._file.seek(begin)
            data = self._file.read(self._starts[last] - begin)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise self._change_error() from None
        if self._has_returns:
            text = text.replace("\r\n", "\n")
        lines = text.split("\n")
        # Nothing follows the last line end.
        if text.endswith("\n"):
            lines.pop()
        if len(lines) != min(last * _STEP, self._n_lines) - first * _STEP:
            raise self._change_error()
        return lines[start - first * _STEP : stop - first * _STEP]

    def _change_error(self) -> InputError:
        return InputError(f"{self._path!r} was changed while it was read.")


def large_lines(path: str) -> Sequence[str]:
    """Return the lines of a text file as :func:`read_lines` does, with its errors and warnings."""
    LIMITS.check(os.path.getsize(path), 0, path)
    try:
        file = open(path, "rb")  # noqa: SIM115  the lines close it
        lines = _lines(path, file)
    except OSError:
        # Why it cannot be read is said there.
        return read_lines(path, encoding="")
    if lines is None:
        file.close()
        return read_lines(path, encoding="")
    LIMITS.check(0, len(lines), path)
    return lines


def _lines(path: str, file: BinaryIO) -> FileLines | None:
    """Return the lines of a file; None where `read_lines` must look closer: it is odd, or small."""
    # Here, as commands that score nothing need no numpy.
    import numpy as np

    beginning = file.read(_CHUNK)
    if not _is_text(beginning, path):
        return None
    start = 0
    while beginning.startswith(BOM_UTF8, start):
        start += len(BOM_UTF8)
    starts = [start]
    n_lines = 0
    n_returns = 0
    n_ends_with_return = 0
    ends_line = True
    file.seek(start)
    for piece in _whole_lines(file):
        if b"\0" in piece or len(piece) > 2 * _CHUNK or not _is_utf8(piece):
            return None
        if b"\r" in piece:
            n_returns += piece.count(b"\r")
            n_ends_with_return += piece.count(b"\r\n")
        ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == ord("\n"))
        # A step begins behind the end of each line whose number, from 1, is a multiple of _STEP: the first one here.
        first_end = -(n_lines + 1) % _STEP
        starts += (ends[first_end::_STEP] + (start + 1)).tolist()
        n_lines += len(ends)
        start += len(piece)
        ends_line = piece.endswith(b"\n")
    if not ends_line:
        n_lines += 1
    returns_are_ends = n_returns == n_ends_with_return
    if not returns_are_ends or n_lines < _FEWEST:
        return None
    # The last step ends with the file: where it is full and its last line has an end, that place is there already.
    if n_lines % _STEP or not ends_line:
        starts.append(start)
    return FileLines(path, file, starts, n_lines, has_returns=n_returns > 0)


def _is_text(beginning: bytes, path: str) -> bool:
    """Return whether a file is a text with a segment per line, judging by its beginning."""
    if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    whole_lines = beginning
    if len(beginning) == _CHUNK:
        whole_lines = beginning[: beginning.rfind(b"\n") + 1]
        # Of texts in markup, so much is looked at.
        if len(whole_lines) < _CHUNK // 2:
            return False
    try:
        decode(whole_lines, path)
    except InputError:
        # What is wrong is said by who reads all of it.
        return False
    return True


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield what remains of a file in pieces of whole lines; the last line may have no end."""
    unfinished = b""
    while chunk := file.read(_CHUNK):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield unfinished + chunk[:end]
            unfinished = chunk[end:]
        else:
            unfinished += chunk
            if len(unfinished) > 2 * _CHUNK:
                break
    if unfinished:
        yield unfinished


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
