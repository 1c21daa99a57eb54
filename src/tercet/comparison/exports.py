"""Files for other programs: each system's texts with their references, and every score of every segment."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.writing import write_text_file
from tercet.metric.drawing.visible import one_cell

from .scores import Comparison
from .test_sets import TestSet

#: The longest name, in bytes, that every file system takes.
_LONGEST_NAME = 255

#: The byte order mark, by which Excel reads a text file as UTF-8.
BOM = "\ufeff"

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


def export_segments(comparisons: Sequence[Comparison], path: Path, *, bom: bool = False) -> None:
    """Write one row per segment and system: test set, number from 1, system, each score, text, references.

    The ending of the path chooses the format: .csv, .jsonl, .xlsx (the sheet of segments of
    :func:`~.workbook.sheets_of`), else TSV. In TSV and CSV names are written with :func:`name_cell`, and references
    are joined by " | "; JSON Lines have a list of them, and null for a score that is none. Texts are written as they
    are, but for white space in TSV. `bom` begins TSV and CSV with a byte order mark.
    """
    ending = path.suffix.lower()
    if ending == ".xlsx":
        from .workbook import segments_of
        from .workbook_file import write_workbook

        write_workbook(path, [segments_of(comparisons)])
    elif ending in (".jsonl", ".ndjson"):
        rows = _segment_rows(comparisons)
        head = next(rows)
        with write_text_file(path) as file:
            for row in rows:
                file.write(json_line(dict(zip(head, row, strict=True))))
    else:
        cells = ([_segment_cell(value) for value in row] for row in _segment_rows(comparisons, name_cell))
        (write_csv if ending == ".csv" else write_tsv)(path, cells, bom=bom)


def _segment_rows(comparisons: Sequence[Comparison], name: Callable[[str], str] = str) -> Iterator[list[Any]]:
    """Yield the head, then the row of each segment and system; `name` writes names."""
    titles = list(dict.fromkeys(f"{table.metric} {table.name}" for each in comparisons for table in each.tables))
    yield ["test_set", "segment", "system", *map(name, titles), "candidate", "references"]
    for comparison in comparisons:
        test_set = comparison.test_set
        scores = {f"{table.metric} {table.name}": table.segments for table in comparison.tables}
        for number, references in enumerate(test_set.references):
            for system, texts in test_set.systems.items():
                values = [scores[title][system][number] for title in titles]
                where = [name(test_set.name), number + 1, name(system)]
                yield [*where, *values, texts[number], list(references)]


def _segment_cell(value: Any) -> str:
    if isinstance(value, list):
        return " | ".join(value)
    if value is None:
        return ""
    return value if isinstance(value, str) else "NaN" if value != value else repr(value)


def json_line(value: Any) -> str:
    """Return a value as a line of strict JSON: null for NaN and infinities."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False) + "\n"


def finite(value: Any) -> Any:
    """Return a value with None in place of NaN and infinities, which strict JSON does not have."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def name_cell(name: str) -> str:
    """Return a name on one line, with an apostrophe if a spreadsheet would take it for a formula."""
    cell = one_cell(name)
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def write_tsv(path: Path, rows: Iterable[Iterable[str]], *, bom: bool = False) -> None:
    """Write rows of texts, one per line: white space within a cell becomes a space."""
    with write_text_file(path) as file:
        file.write(BOM if bom else "")
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)


def write_csv(path: Path, rows: Iterable[Iterable[str]], *, bom: bool = False) -> None:
    """Write rows of texts as CSV of RFC 4180."""
    with write_text_file(path) as file:
        file.write(BOM if bom else "")
        csv.writer(file).writerows(rows)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
