"""Files for other programs: each system's texts with their references, and every score of every segment."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tercet.errors import InputError
from tercet.writing import write_text_file

from .compare import Comparison
from .test_sets import TestSet


def export_systems(test_set: TestSet, folder: Path) -> list[Path]:
    """Write ``<system>_<test set>.tsv`` for each system: source, candidate, and a column for each reference.

    White space within a text becomes a blank, so that each segment is a line. Signs that a file name cannot have
    become ``_``.

    Returns
    -------
    list of Path
        The files, in the order of the systems.

    Raises
    ------
    InputError
        When two systems would be written to one file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    most = max((len(texts) for texts in test_set.references), default=0)
    head = ["source", "candidate", "reference", *(f"reference{number}" for number in range(2, most + 1))]
    sources = test_set.source or [""] * len(test_set.references)
    paths: list[Path] = []
    for system, texts in test_set.systems.items():
        path = folder / f"{_file_name(system)}_{_file_name(test_set.name)}.tsv"
        if path in paths:
            raise InputError(f"Two systems would be written to {path.name}: {system!r} and another one.")
        rows = zip(sources, texts, test_set.references, strict=True)
        filled = ([source, text, *references, *[""] * (most - len(references))] for source, text, references in rows)
        write_tsv(path, [head, *filled])
        paths.append(path)
    return paths


def export_segments(comparisons: Sequence[Comparison], path: Path) -> None:
    """Write a line for each segment and system: test set, number from 1, system, each score, text, references."""
    names = list(dict.fromkeys(f"{table.metric} {table.name}" for each in comparisons for table in each.tables))
    lines: list[list[str]] = [["test_set", "segment", "system", *names, "candidate", "references"]]
    for comparison in comparisons:
        scores = {f"{table.metric} {table.name}": table.segments for table in comparison.tables}
        for number, references in enumerate(comparison.test_set.references):
            for system, texts in comparison.test_set.systems.items():
                values = [scores[name][system][number] for name in names]
                cells = ["" if value is None else repr(value) for value in values]
                where = [comparison.test_set.name, str(number + 1), system]
                lines.append([*where, *cells, texts[number], " | ".join(references)])
    write_tsv(path, lines)


def write_tsv(path: Path, rows: Iterable[Iterable[str]]) -> None:
    """Write rows of texts, a line each: white space within a cell becomes a blank."""
    with write_text_file(path) as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
