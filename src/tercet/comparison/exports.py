"""Files for other programs: each system's texts with their references, and every score of every segment."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tercet.errors import InputError, shorten
from tercet.files.writing import write_text_file
from tercet.metric.drawing.visible import one_cell

from .scores import Comparison
from .test_sets import TestSet

#: The longest name, in bytes, that every file system takes.
_LONGEST_NAME = 255

#: Characters that start a formula in a spreadsheet; an apostrophe before them makes the cell text.
_FORMULAS = ("=", "+", "-", "@")


def export_paths(test_sets: Iterable[TestSet], folder: Path) -> dict[Path, tuple[TestSet, str]]:
    """Return the files that :func:`export_systems` would write, each with its test set and system.

    InputError where two systems would be written to one file, or the name of a file would be too long.
    """
    paths: dict[Path, tuple[TestSet, str]] = {}
    for test_set in test_sets:
        for system in test_set.systems:
            path = folder / f"{_file_name(system)}_{_file_name(test_set.name)}.tsv"
            if path in paths:
                other = paths[path]
                raise InputError(
                    f"Two systems would be written to {path.name}: {shorten(other[1])} of {shorten(other[0].name)} "
                    f"and {shorten(system)} of {shorten(test_set.name)}. Rename one of them."
                )
            if len(os.fsencode(path.name)) > _LONGEST_NAME:
                raise InputError(
                    f"The name of the system {shorten(system)} of {shorten(test_set.name)} is too long for a file "
                    "name. Rename it."
                )
            paths[path] = (test_set, system)
    return paths


def export_systems(test_set: TestSet, folder: Path) -> list[Path]:
    """Write ``<system>_<test set>.tsv`` for each system: source, candidate, and a column for each reference.

    White space within a text becomes a space, so that each segment is one line. Characters that a file name cannot
    have become ``_``. Texts are otherwise unchanged, as other programs score them: even one that begins with ``=``,
    which a spreadsheet takes for a formula unless the columns are read as text. Returns the files.
    """
    paths = export_paths([test_set], folder)
    folder.mkdir(parents=True, exist_ok=True)
    most = max((len(texts) for texts in test_set.references), default=0)
    head = ["source", "candidate", "reference", *(f"reference{number}" for number in range(2, most + 1))]
    sources = test_set.source or [""] * len(test_set.references)
    for path, (_, system) in paths.items():
        texts = test_set.systems[system]
        rows = zip(sources, texts, test_set.references, strict=True)
        filled = ([source, text, *references, *[""] * (most - len(references))] for source, text, references in rows)
        write_tsv(path, [head, *filled])
    return list(paths)


def export_segments(comparisons: Sequence[Comparison], path: Path) -> None:
    """Write one row per segment and system: test set, number from 1, system, each score, text, references.

    Names are written with :func:`name_cell`, texts as they are.
    """
    names = list(dict.fromkeys(f"{table.metric} {table.name}" for each in comparisons for table in each.tables))
    shown = map(name_cell, names)
    lines: list[list[str]] = [["test_set", "segment", "system", *shown, "candidate", "references"]]
    for comparison in comparisons:
        scores = {f"{table.metric} {table.name}": table.segments for table in comparison.tables}
        for number, references in enumerate(comparison.test_set.references):
            for system, texts in comparison.test_set.systems.items():
                values = [scores[name][system][number] for name in names]
                cells = ["" if value is None else repr(value) for value in values]
                where = [name_cell(comparison.test_set.name), str(number + 1), name_cell(system)]
                lines.append([*where, *cells, texts[number], " | ".join(references)])
    write_tsv(path, lines)


def name_cell(name: str) -> str:
    """Return a name on one line, with an apostrophe if a spreadsheet would take it for a formula."""
    cell = one_cell(name)
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def write_tsv(path: Path, rows: Iterable[Iterable[str]]) -> None:
    """Write rows of texts, one per line: white space within a cell becomes a space."""
    with write_text_file(path) as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
