"""Atomic files, written to a temporary file and renamed; and what is checked of their names before scoring starts."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from tercet.errors import InputError, OptionError, shorten

from .lines import STDIN

_MOST_LINKS = 40
#: What leads to an open file of this process, where there is a /proc.
_PROC = "/proc/self/fd/{}"


@contextmanager
def write_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write bytes, which replace the old ones when all are written, and not before.

    They go to a file beside it, ``<name>.<letters>.tmp``, which is renamed at the end: whatever happens on the way,
    the old file stays as it was, and of two writers at once the last one's file is there. After an error, Ctrl-C too,
    the file beside is removed; on Linux it has no name until it is complete, so that a process that is killed leaves
    nothing either. A link stays, and the file that it names is written. The file keeps its permissions. What is no
    file, such as a pipe or ``/dev/stdout``, is written directly.
    """
    name = os.fspath(path)
    try:
        if is_plain(name):
            with _temporary_beside(name) as file:
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
            # The file is closed by its opener.
            text.detach()


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file that can be replaced, or none yet: not a pipe, a device or a terminal."""
    target, status = _target(os.fspath(path))
    return not _is_device(target) and (status is None or stat.S_ISREG(status.st_mode))


@contextmanager
def _temporary_beside(path: str) -> Iterator[BinaryIO]:
    """Open a file beside that of a path, and let it replace that one when it is written."""
    target, status = _target(path)
    if status is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f"{name[:40]}.{os.urandom(4).hex()}.tmp")
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
        # Where all went well, it was renamed.
        with suppress(FileNotFoundError):
            os.unlink(beside)


def _without_name(folder: str) -> int | None:
    """Open a file that is gone with its process unless it is given a name; None where that cannot be."""
    try:
        descriptor = os.open(folder or os.curdir, os.O_WRONLY | os.O_TMPFILE, 0o666)
    except (AttributeError, OSError):
        # Not Linux, or not this file system.
        return None
    if os.path.exists(_PROC.format(descriptor)):
        return descriptor
    os.close(descriptor)
    return None


def _give_name(opened: str, path: str, descriptor: int) -> None:
    # With src_dir_fd, which an absolute path does not need, the link of /proc is followed.
    try:
        os.link(opened, path, src_dir_fd=descriptor, follow_symlinks=True)
    except OSError:
        # Forbidden, as a container may.
        shutil.copyfile(opened, path)


def _target(path: str) -> tuple[str, os.stat_result | None]:
    """Return the path that links lead to, and what is there."""
    target = path
    for _ in range(_MOST_LINKS):
        if _is_device(target) or not os.path.islink(target):
            break
        target = os.path.join(os.path.dirname(target), os.readlink(target))
    try:
        return target, os.stat(target)
    except FileNotFoundError:
        return target, None


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


# Checks that fail before scoring starts, in the words of the command line.


def check_file(path: Path) -> None:
    """Raise an InputError for a file that could not be written."""
    if path == Path("-"):
        raise InputError("Give a file's name, not '-': without one, the output goes to the standard output.")
    if not is_plain(path):
        # A pipe or a device is written to as it is.
        fits = os.access(path, os.W_OK) and not path.is_dir()
    else:
        # A file is written beside where its path leads and then moved there: that folder must be writable.
        target, _ = _target(str(path))
        folder = Path(target).parent
        fits = folder.is_dir() and os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    if not fits:
        raise InputError(
            f"Cannot write the file {str(path)!r}: its folder does not exist, it is itself a folder, or it is "
            "not writable."
        )


def check_ending(option: str, path: Path, formats: Iterable[str], otherwise: str = "") -> None:
    """Raise an OptionError for a file whose extension is not among those of `formats`; "" stands for no extension."""
    endings = list(formats)
    if path.suffix.lower() not in endings:
        raise OptionError(
            f"{option} {shorten(str(path))}: the extension {shorten(path.suffix)} names no format: use one of "
            f"{' '.join(filter(None, endings))}{otherwise}."
        )


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[str]) -> None:
    """Raise an InputError for an output file that would overwrite an input or another output.

    `outputs` are keyed by their name in messages, such as ``--out``; an input ``-`` is the standard input. Pipes and
    other non-files may be given twice.
    """
    input_names = list(inputs)
    written: dict[str, Path] = {}
    for option, path in outputs.items():
        if path is None or not is_plain(path):
            continue
        for input_name in input_names:
            if _is_same_file(path, input_name):
                name = f"the input {input_name!r}"
                if input_name == STDIN:
                    name = "the standard input"
                raise InputError(f"{option} would overwrite {name}: give another file.")
        for other_option, other_path in written.items():
            if _is_same_file(path, str(other_path)):
                raise InputError(
                    f"{other_option} and {option} would be written to the same file, {str(path)!r}: give two."
                )
        written[option] = path


def _is_same_file(path: Path, name: str) -> bool:
    # A file may be missing, and the standard input may be no file.
    with suppress(OSError, ValueError):
        if name == STDIN:
            return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))
        return os.path.samestat(path.stat(), os.stat(name))
    # Of files that are not there yet, only the paths can be compared.
    return name != STDIN and os.path.realpath(path) == os.path.realpath(name)


def check_different(files: Sequence[str], references: Sequence[str] = (), *, role: str = "a system") -> None:
    """Raise an InputError for a file that is given twice, by any path or link, or also as references."""
    earlier: list[tuple[str, str, os.stat_result]] = []
    for number, path in enumerate([*files, *references]):
        try:
            status = os.stat(path)
        except OSError:
            # The standard input, or a missing file, which its reader reports.
            continue
        kind = role if number < len(files) else "references"
        for earlier_path, earlier_kind, earlier_status in earlier:
            if os.path.samestat(status, earlier_status):
                if (path, kind) == (earlier_path, earlier_kind):
                    as_references = " as references" if kind == "references" else ""
                    raise InputError(f"The file {path!r} is given twice{as_references}.")
                also = kind
                if kind == earlier_kind and kind != "references":
                    also = f"another {role.removeprefix('a ')}"
                raise InputError(
                    f"{earlier_path!r} is given as {earlier_kind}, and {path!r} as {also}: they are the same file."
                )
        earlier.append((path, kind, status))


def check_folder(path: Path) -> None:
    """Raise an InputError for a folder that cannot be made or written to."""
    existing = next(ancestor for ancestor in (path.absolute(), *path.absolute().parents) if ancestor.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(
            f"Cannot write files to the folder {str(path)!r}: {str(existing)!r} is not a writable folder."
        )
