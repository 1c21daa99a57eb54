"""Names of files -> names of systems and test sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tercet.errors import InputError
from tercet.files.read import unpacked
from tercet.files.text import STDIN


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each file, as short as possible while unique."""
    # From the shortest name to the longest: each is for files whose shorter names are equal.
    namings: tuple[Callable[[str], str], ...] = (
        _without_ends,
        lambda path: f"{Path(path).absolute().parent.name}/{_without_ends(path)}",
        str,
    )
    names = [""] * len(paths)
    unnamed = list(range(len(paths)))
    for naming in namings:
        for index in unnamed:
            names[index] = naming(paths[index])
        counts = Counter(names)
        unnamed = [index for index in unnamed if counts[names[index]] > 1]
    if unnamed:
        raise InputError(f"The file {paths[unnamed[0]]!r} is given twice.")
    # Bytes that are not UTF-8 are shown as \xff: a table, JSON or a page could not be written with them.
    return [name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names]


def _without_ends(path: str) -> str:
    """Return the name of a file without its folder and extension."""
    if path == STDIN:
        return "stdin"
    name = Path(unpacked(path)).name
    stem, _, end = name.rpartition(".")
    # The end of "gpt-4.1" is no extension: those have letters only.
    return stem if stem and end.isalpha() else name
