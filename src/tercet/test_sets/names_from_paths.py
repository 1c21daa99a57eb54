"""Names of files -> names of systems and test sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tercet.errors import InputError, shorten
from tercet.files.formats import SEGLST, unpacked
from tercet.files.lines import STDIN


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
