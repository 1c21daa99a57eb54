"""What files are called: names of systems and test sets, and the format by the end of a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tercet.errors import InputError
from tercet.files.lines import STDIN
from tercet.files.read import SUFFIXES


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each file, as short as keeps them different."""
    ways: tuple[Callable[[str], str], ...] = (
        without_ends,
        lambda path: f"{Path(path).absolute().parent.name}/{without_ends(path)}",
        str,
    )
    names = [""] * len(paths)
    unnamed = list(range(len(paths)))
    for way in ways:
        for index in unnamed:
            names[index] = way(paths[index])
        times = Counter(names)
        unnamed = [index for index in unnamed if times[names[index]] > 1]
    if unnamed:
        raise InputError(f"The file {paths[unnamed[0]]!r} is given twice.")
    return names


def without_ends(path: str) -> str:
    """Return the name of a file without its folder and its last end."""
    if path == STDIN:
        return "stdin"
    name = Path(_unpacked(path)).name
    stem, _, end = name.rpartition(".")
    return stem if stem and end.isalpha() else name


def table_format(path: str) -> str:
    """Return the format of a table by the end of its file's name, or "" for a text file."""
    return SUFFIXES.get(Path(_unpacked(path)).suffix.lower(), "")


def _unpacked(path: str) -> str:
    return path[:-3] if path.lower().endswith(".gz") else path
