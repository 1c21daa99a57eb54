"""Atomic files: written to a temporary file, then renamed."""

from __future__ import annotations

import errno
import io
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO

_MOST_LINKS = 40
#: What leads to an open file of this process, where there is a /proc.
_PROC = "/proc/self/fd/{}"


@contextmanager
def write_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write bytes, which take the place of the old ones when all are written, and not before.

    They go to a file beside it, ``<name>.<letters>.tmp``, which is renamed at the end: whatever happens on the way,
    the old file stays as it was, and of two writers at once the last one's file is there. After an error, Ctrl-C too,
    the file beside is removed; on Linux it has no name until it is complete, so that a process that is killed leaves
    nothing either. A link stays, and the file that it names is written. The file keeps its permissions. What is no
    file, such as a pipe or ``/dev/stdout``, is written directly.
    """
    name = os.fspath(path)
    try:
        if is_plain(name):
            with _beside(name) as file:
                yield file
        else:
            with open(name, "wb") as file:
                yield file
    except OSError as error:
        if error.errno is None or not str(error.filename or ".tmp").endswith(".tmp"):
            raise
        raise OSError(error.errno, error.strerror, name) from error


@contextmanager
def write_text_file(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    r"""Open a file to write text in UTF-8, with line ends as they are given; else as :func:`write_file`.

    Half a character, as the name of a file may hold, is written as an escape such as ``\udc80``.
    """
    with write_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        try:
            yield text
            text.flush()
        finally:
            text.detach()  # the file is closed by its opener


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file that can be replaced, or none yet: not a pipe, a device or a terminal."""
    target, status = _target(os.fspath(path))
    return not _is_device(target) and (status is None or stat.S_ISREG(status.st_mode))


@contextmanager
def _beside(path: str) -> Iterator[BinaryIO]:
    """Open a file beside that of a path, and let it take its place when it is written."""
    target, status = _target(path)
    if status is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f"{name[:40]}.{secrets.token_hex(4)}.tmp")
    descriptor = _without_name(folder)
    unnamed = descriptor is not None
    if descriptor is None:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            if unnamed:
                _give_name(_PROC.format(descriptor), beside, descriptor)
        if status is None:
            os.replace(beside, target)
            return
        _keep_permissions(beside, status)
        try:
            os.replace(beside, target)
        except OSError:
            # The file is a mount of its own, as containers have them.
            shutil.copyfile(beside, target)
    finally:
        with suppress(FileNotFoundError):  # renamed
            os.unlink(beside)


def _without_name(folder: str) -> int | None:
    """Open a file that is gone with its process unless it is given a name; None where that cannot be."""
    try:
        descriptor = os.open(folder or os.curdir, os.O_WRONLY | os.O_TMPFILE, 0o666)
    except (AttributeError, OSError):  # not Linux, or not this file system
        return None
    if os.path.exists(_PROC.format(descriptor)):
        return descriptor
    os.close(descriptor)
    return None


def _give_name(opened: str, path: str, descriptor: int) -> None:
    # With src_dir_fd, which an absolute path does not need, the link of /proc is followed.
    try:
        os.link(opened, path, src_dir_fd=descriptor, follow_symlinks=True)
    except OSError:  # forbidden, as a container may
        shutil.copyfile(opened, path)


def _target(path: str) -> tuple[str, os.stat_result | None]:
    """Return the path that links lead to, and what is there."""
    for _ in range(_MOST_LINKS):
        if _is_device(path) or not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    try:
        return path, os.stat(path)
    except FileNotFoundError:
        return path, None


def _is_device(path: str) -> bool:
    """Return whether a path is an entry of the system, such as /dev/stdout, even where that leads to a file."""
    folder = os.path.realpath(os.path.dirname(path) or os.curdir)
    return folder == "/dev" or folder.startswith("/proc/")


def _keep_permissions(path: str, status: os.stat_result) -> None:
    if hasattr(os, "chown"):
        # Only an administrator can give a file away.
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode) & 0o777)
