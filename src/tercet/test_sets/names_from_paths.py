"""Names of files -> names of systems and test sets."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.formats import SEGLST, table_format, unpacked
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
        return cls._of_pairs([_path_and_name(text) for text in texts])

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
                pairs.append((os.fspath(path), name.strip()))
        return cls._of_pairs(pairs)

    @classmethod
    def _of_pairs(cls, pairs: Sequence[tuple[str, str]]) -> NamedFiles:
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
    paths = []
    for text in texts:
        path, _ = _path_and_name(text)
        paths.append(path)
    return paths


def _path_and_name(text: str) -> tuple[str, str]:
    """Return the path and the name of ``NAME=PATH``; the name is "" of a path alone.

    A file whose own name has an equals sign is that file.
    """
    name, equals, path = text.partition("=")
    if not equals or os.path.exists(text):
        return text, ""
    # Folders may be called as settings are: runs/lr=0.1/output.txt, which is not there.
    if not _is_there(path) and "/" in name.replace(os.sep, "/"):
        return text, ""
    if not name.strip():
        raise InputError(f"{shorten(text)} has no name before the equals sign; expected NAME=PATH.")
    if not path:
        raise InputError(f"{shorten(text)} has no path behind the equals sign; expected NAME=PATH.")
    return path, name.strip()


def _is_there(path: str) -> bool:
    return path == STDIN or os.path.exists(path)


def _warn_of_two_meanings(text: str) -> None:
    """Warn of a file that may also be another one with a name."""
    name, equals, path = text.partition("=")
    if equals and name.strip() and os.path.exists(text) and _is_there(path):
        with_name = f"{name.strip()}=./{path}"
        warn(
            f"{shorten(text)} is read as the file of this name, and not as the file {shorten(path)} with the name "
            f"{shorten(name.strip())}; to name that file, write {shorten(with_name)}."
        )


def name_of(path: str) -> str:
    """Return the name of a file alone."""
    (name,) = names_of([path])
    return name


def names_of(paths: list[str], called: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return a name for each file: the one that it is given, or else one as short as possible while unique."""
    for path, times in Counter(paths).items():
        if times > 1:
            raise InputError(f"The file {path!r} is given twice.")
    # From the shortest name to the longest: each is for files whose shorter names are equal.
    namings: tuple[Callable[[str], str], ...] = (_without_ends, _with_folder, str)
    names = [called.get(path, "") for path in paths]
    unnamed = [index for index, path in enumerate(paths) if path not in called]
    for naming in namings:
        for index in unnamed:
            names[index] = naming(paths[index])
        counts = Counter(names)
        unnamed = [index for index in unnamed if counts[names[index]] > 1]
    if unnamed:
        raise InputError(
            f"The name {shorten(names[unnamed[0]])} is given to a file, and is that of another one, "
            f"{paths[unnamed[0]]!r}; name that too, as NAME=PATH, or choose another."
        )
    # Bytes that are not UTF-8 are shown as \xff: a table, JSON or a page could not be written with them.
    return [name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names]


def _with_folder(path: str) -> str:
    """Return the name of a file with that of its folder."""
    return f"{Path(path).absolute().parent.name}/{_without_ends(path)}"


def _without_ends(path: str) -> str:
    """Return the name of a file without its folder and extension."""
    if path == STDIN:
        return "stdin"
    name = Path(unpacked(path)).name
    if name.lower().endswith(SEGLST):
        return name[: -len(SEGLST)]
    stem, _, end = name.rpartition(".")
    # The end of "gpt-4.1" is no extension: those have letters only.
    if stem and end.isalpha():
        return stem
    return name
