"""Files for other programs: each system's texts with their references, and every score of every segment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tercet.comparison.result import Comparison
from tercet.errors import InputError, shorten
from tercet.table_formats import Column, Table, write_lines, write_workbook
from tercet.test_sets.test_set import TestSet

from .segment_rows import columns_before_texts, segment_rows, segments_sheet

#: The longest name, in bytes, that every file system takes.
_LONGEST_FILE_NAME = 255


def export_paths(test_sets: Iterable[TestSet], folder: Path) -> dict[Path, tuple[TestSet, str]]:
    """Return the files that :func:`export_systems` would write, each with its test set and system.

    InputError where two systems would be written to one file, or the name of a file would be too long.
    """
    paths: dict[Path, tuple[TestSet, str]] = {}
    # Some file systems take A.tsv and a.tsv for one file.
    path_of: dict[str, Path] = {}
    for test_set in test_sets:
        for system in test_set.systems:
            path = folder / f"{_file_name(system)}_{_file_name(test_set.name)}.tsv"
            earlier_path = path_of.setdefault(path.name.casefold(), path)
            if earlier_path in paths:
                earlier_set, earlier_system = paths[earlier_path]
                raise InputError(
                    f"Two systems would be written to {path.name}: {shorten(earlier_system)} of "
                    f"{shorten(earlier_set.name)} and {shorten(system)} of {shorten(test_set.name)}. Rename one of "
                    "them."
                )
            if len(os.fsencode(path.name)) > _LONGEST_FILE_NAME:
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
    most_references = max((len(texts) for texts in test_set.references), default=0)
    labels = ["reference", *(f"reference{number}" for number in range(2, most_references + 1))][:most_references]
    head = ["source", "candidate", *labels]
    sources = test_set.source or [""] * len(test_set.references)
    for path, (_, system) in paths.items():
        texts = test_set.systems[system]
        rows = zip(sources, texts, test_set.references, strict=True)
        filled_rows = []
        for source, text, references in rows:
            no_references = [""] * (most_references - len(references))
            filled_rows.append([source, text, *references, *no_references])
        write_lines(path, Table("", [Column(name, "text") for name in head], filled_rows), "tsv")
    return list(paths)


def export_segments(
    comparisons: Sequence[Comparison], path: Path, *, bom: bool = False, worst_first: bool = False
) -> None:
    """Write one row per segment and system: test set, number from 1, system, each score, text, references.

    Before the system stand the file's own columns that hold neither texts nor scores, such as ids and comments.

    The ending of the path chooses the format: .csv, .jsonl, .xlsx (the sheet of segments of :func:`sheets_of`), else
    TSV. In TSV and CSV names are escaped, and references are joined by " | "; JSON Lines have a list of them, and
    null for a score that is none. Texts are written as they are, but for white space in TSV. `bom` begins TSV and CSV
    with a byte order mark. A CSV is written as that of the texts was: its separator, decimals and mark. With
    `worst_first`, the rows of each test set go by its first score.
    """
    ending = path.suffix.lower()
    if ending == ".xlsx":
        write_workbook(path, [segments_sheet(comparisons, worst_first=worst_first)])
        return
    columns = [*columns_before_texts(comparisons), Column("candidate", "text"), Column("references", "text")]
    rows = (
        [*row.cells, row.text, list(row.references)] for row in segment_rows(comparisons, worst_first=worst_first)
    )
    form = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(ending, "tsv")
    dialects = {comparison.test_set.dialect for comparison in comparisons}
    # Of files in several, none is more right than what programs expect.
    dialect = dialects.pop() if len(dialects) == 1 else None
    write_lines(path, Table("Segments", columns, rows), form, bom=bom, dialect=dialect)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
