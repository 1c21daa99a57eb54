"""The files of one call: their paths, some with a name, as ``NAME=PATH``, and how they are read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.formats import table_format
from tercet.files.lines import STDIN
from tercet.files.read import Opening

if TYPE_CHECKING:
    from tercet.files.numbers import Sign


class InputFiles(NamedTuple):
    """The paths of what is read in one call, and how it is read."""

    #: Files of systems, or of all that there is, and folders.
    paths: list[str]
    #: Those of the paths that are folders of logs.
    folders: list[str]
    references: list[str]
    #: One at most.
    sources: list[str]
    #: What the user calls the systems of files, by path.
    called: Mapping[str, str] = MappingProxyType({})
    #: Files with scores of what is in a file or folder, by its path: what else is given with its name.
    scored_in: Mapping[str, Sequence[str]] = MappingProxyType({})
    #: What the user says of files before they are read.
    opening: Opening = Opening()
    #: What stands before decimals, where the user says so.
    decimal: Sign = ""

    @property
    def beside(self) -> list[str]:
        """The files that stand beside those of systems."""
        return [*self.references, *self.sources]


def check_no_scores_beside(files: InputFiles, what: str) -> None:
    """Raise an InputError for scores in files of their own, beside files that have none."""
    if not files.scored_in:
        return
    path, score_paths = next(iter(files.scored_in.items()))
    raise InputError(
        f"The name {shorten(files.called[path])} is given twice, to {path!r} and to {score_paths[0]!r}: scores in "
        f"files of their own are joined with tables and logs, not with {what}."
    )


class NamedFiles(NamedTuple):
    """Files, with the names that users give to them."""

    paths: list[str]
    #: The names of systems or runs, by path.
    called: dict[str, str]
    #: By path, further files with its name, which may have scores of it. They are not in `paths`.
    scored_in: dict[str, list[str]]

    def score_paths(self) -> list[str]:
        """Return all further files."""
        return list(chain.from_iterable(self.scored_in.values()))

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> NamedFiles:
        """Return files given as paths or as ``NAME=PATH``."""
        for text in texts:
            _warn_of_two_meanings(text)
        return cls._of_pairs(list(map(_NamedPath.parse, texts)))

    @classmethod
    def of_mapping(cls, files: Mapping[Any, Any]) -> NamedFiles:
        """Return files given by name: a path, or that of a run and those of its scores."""
        pairs = []
        for name, path_or_paths in files.items():
            if not isinstance(name, str) or not name.strip():
                raise InputError(
                    f"{argument('files')}: expected the name of a system as a text, got {shorten(name)}."
                )
            paths: Sequence[Any] = [path_or_paths]
            if isinstance(path_or_paths, list | tuple) and path_or_paths:
                paths = path_or_paths
            for path in paths:
                if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
                    raise InputError(
                        f"{argument('files')}: expected the path of a file or folder for {shorten(name)}, got "
                        f"{shorten(path)}."
                    )
                pairs.append(_NamedPath(os.fspath(path), name.strip()))
        return cls._of_pairs(pairs)

    @classmethod
    def _of_pairs(cls, pairs: Sequence[_NamedPath]) -> NamedFiles:
        """Return files by their paths and names; InputError for a name of two systems, or a file with two names."""
        files = cls([], {}, {})
        first_of: dict[str, str] = {}
        names: dict[str, str] = {}
        for path, name in pairs:
            if not name:
                files.paths.append(path)
                continue
            if path in names:
                both_names = f"with the names {shorten(names[path])} and {shorten(name)}"
                if name == names[path]:
                    both_names = f"both times with the name {shorten(name)}"
                raise InputError(f"The file {path!r} is given twice, {both_names}.")
            names[path] = name
            if name not in first_of:
                first_of[name] = path
                files.paths.append(path)
                files.called[path] = name
                continue
            first = first_of[name]
            if not table_format(path) or not (table_format(first) or os.path.isdir(first)):
                raise InputError(
                    f"The name {shorten(name)} is given twice, to {first!r} and to {path!r}; expected a name of its "
                    "own for each."
                )
            files.scored_in.setdefault(first, []).append(path)
        return files


def paths_of(texts: Sequence[str]) -> list[str]:
    """Return the paths of files, some of which may be given as ``NAME=PATH``."""
    return [_NamedPath.parse(text).path for text in texts]


def is_input(text: str) -> bool:
    """Return whether a text is the path of a file or folder that is there, or ``NAME=PATH`` of such a path."""
    _, _, path = text.partition("=")
    return _is_there(text) or _is_there(path)


class _NamedPath(NamedTuple):
    """A path, and the name that the user gives to what is there; "" without one."""

    path: str
    name: str

    @classmethod
    def parse(cls, text: str) -> _NamedPath:
        """Return what ``NAME=PATH``, or a path alone, says; a file whose own name has an equals sign is that file."""
        name, equals, path = text.partition("=")
        if not equals or os.path.exists(text):
            return cls(text, "")
        # Folders may be called as settings are: runs/lr=0.1/output.txt, which is not there.
        if not _is_there(path) and "/" in name.replace(os.sep, "/"):
            return cls(text, "")
        if not name.strip():
            raise InputError(f"{shorten(text)} has no name before the equals sign; expected NAME=PATH.")
        if not path:
            raise InputError(f"{shorten(text)} has no path behind the equals sign; expected NAME=PATH.")
        return cls(path, name.strip())


def _is_there(path: str) -> bool:
    try:
        return path == STDIN or os.path.exists(path)
    except ValueError:
        # A text with a NUL or half a character is no path.
        return False


def _warn_of_two_meanings(text: str) -> None:
    """Warn of a file that may also be another one with a name."""
    name, equals, path = text.partition("=")
    if equals and name.strip() and os.path.exists(text) and _is_there(path):
        with_name = f"{name.strip()}=./{path}"
        warn(
            f"{shorten(text)} is read as the file of this name, and not as the file {shorten(path)} with the name "
            f"{shorten(name.strip())}; to name that file, write {shorten(with_name)}."
        )
