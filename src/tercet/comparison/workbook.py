"""Comparisons as an Excel workbook: scores, all pairs of systems, every segment, and notes."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from tercet.errors import InputError, level_of_caller, needs
from tercet.explanation.places import one_cell
from tercet.files.writing import write_file
from tercet.signature import __version__

from .scores import COLUMNS, Comparison, ScoreTable
from .test_sets import TestSet

_PVALUE = "p adjusted for all pairs (Holm's method)"
_PAIRS = (
    "test_set",
    "metric",
    "score",
    "better",
    "system",
    "other",
    "difference",
    _PVALUE,
    "system is significantly",
)
_WIDTHS = {
    **dict.fromkeys(("test_set", "system", "other", "metric", "score"), 22),
    **dict.fromkeys(("source", "prediction", "reference", "signature", "note"), 60),
    "system is significantly": 24,
}


def sheets_of(comparisons: Sequence[Comparison]) -> list[Sheet]:
    """Return the sheets Scores, Pairs (of several systems), Segments (of texts in memory) and Notes."""
    sheets = [_scores(comparisons), _pairs(comparisons), segments_of(comparisons), _notes(comparisons)]
    return [sheet for sheet in sheets if sheet.n_rows]


def check_segments_fit(test_sets: Iterable[TestSet]) -> None:
    """Raise an InputError for more segments of all systems than a sheet has rows."""
    check_fits("Segments", sum(test_set.n_segments * len(test_set.systems) for test_set in test_sets))


def _scores(comparisons: Sequence[Comparison]) -> Sheet:
    rows = [
        [Bold(value) if record["best"] and name in ("system", "value") else value for name, value in record.items()]
        for comparison in comparisons
        for record in comparison.records()
    ]
    formats = dict.fromkeys(("value", "low", "high", "difference"), "0.00")
    formats |= dict.fromkeys(("pvalue", "adjusted_pvalue"), "0.0000")
    return Sheet("Scores", COLUMNS, len(rows), rows, widths=_WIDTHS, number_formats=formats)


def _pairs(comparisons: Sequence[Comparison]) -> Sheet:
    rows = [row for comparison in comparisons for table in comparison.tables for row in _pairs_of(comparison, table)]
    formats = {"difference": "+0.00;-0.00;0.00", _PVALUE: "0.0000"}
    return Sheet("Pairs", _PAIRS, len(rows), rows, widths=_WIDTHS, number_formats=formats)


def _pairs_of(comparison: Comparison, table: ScoreTable) -> Iterator[list[Any]]:
    position = [comparison.test_set.name, table.metric, table.name, table.better]
    for (first_index, first), (second_index, second) in combinations(enumerate(table.rows), 2):
        difference, p = first.value - second.value, float(table.pvalues[first_index, second_index])
        wins = (difference > 0) == table.higher_is_better
        verdict = ""
        if difference and p < comparison.alpha:
            verdict = "▲ better" if wins else "▼ worse"
        yield [*position, first.system, second.system, difference, p, verdict]


def segments_of(comparisons: Sequence[Comparison]) -> Sheet:
    """Return a row for each segment and system: its scores and texts."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    score_names = list(dict.fromkeys((table.metric, table.name) for table in tables))
    titles = [f"{metric} {name}" for metric, name in score_names]
    most_references = max(
        (len(texts) for comparison in comparisons for texts in comparison.test_set.references), default=0
    )
    labels = ["reference", *(f"reference {number}" for number in range(2, most_references + 1))][:most_references]
    has_sources = any(comparison.test_set.source is not None for comparison in comparisons)
    head = ["test_set", "segment", "system", *titles, *(["source"] if has_sources else []), "prediction", *labels]

    def rows() -> Iterator[list[Any]]:
        for comparison in comparisons:
            test_set = comparison.test_set
            scores = {(table.metric, table.name): table.segments for table in comparison.tables}
            for number, references in enumerate(test_set.references):
                source = ["" if test_set.source is None else test_set.source[number]] if has_sources else []
                for system, texts in test_set.systems.items():
                    values = [scores[name][system][number] if name in scores else None for name in score_names]
                    reference_cells = [*references, *[None] * (most_references - len(references))]
                    yield [test_set.name, number + 1, system, *values, *source, texts[number], *reference_cells]

    n_rows = sum(len(comparison.test_set.references) * len(comparison.test_set.systems) for comparison in comparisons)
    widths = _WIDTHS | dict.fromkeys(labels, 60)
    return Sheet("Segments", head, n_rows, rows(), widths=widths, number_formats=dict.fromkeys(titles, "0.00"))


def _notes(comparisons: Sequence[Comparison]) -> Sheet:
    """Return what the numbers are, and what the metrics warned of."""
    rows = [
        [comparison.test_set.name, line]
        for comparison in comparisons
        for line in [
            comparison.legend(one_cell),
            *comparison.remarks(one_cell),
            *comparison.warnings,
            f"tercet {__version__}",
        ]
    ]
    return Sheet("Notes", ("test_set", "note"), len(rows), rows, widths={**_WIDTHS, "note": 120})


# Tables -> an Excel workbook: numbers as numbers, and every text as a text.

#: The most rows of a sheet and characters (of UTF-16) of a cell in the format.
MOST_ROWS, MOST_CHARACTERS = 1_048_576, 32_767
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Bold(NamedTuple):
    """A cell that stands out."""

    value: Any


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its rows are made as they are written. Columns without a width are for numbers."""

    title: str
    head: Sequence[str]
    n_rows: int
    rows: Iterable[Sequence[Any]]
    widths: dict[str, int] = field(default_factory=dict)
    number_formats: dict[str, str] = field(default_factory=dict)


def check_fits(title: str, n_rows: int) -> None:
    """Raise an InputError for more rows, besides the header, than a sheet has."""
    if n_rows >= MOST_ROWS:
        raise InputError(
            f"The sheet {title!r} would have {n_rows + 1:,} rows, more than the {MOST_ROWS:,} that a workbook holds. "
            "Choose another format, such as tsv."
        )


def needs_workbooks() -> None:
    """Raise an OptionError where workbooks cannot be written."""
    needs("A workbook (.xlsx)", "xlsx", "openpyxl")


def write_workbook(path: str | os.PathLike[str], sheets: Sequence[Sheet]) -> None:
    r"""Write sheets, each with a header that stays in view.

    A text is never a formula. Characters that the format does not allow become escapes such as ``\x07``; a text that
    is longer than a cell may be is cut, and a warning counts such texts. InputError for more rows than a sheet has.
    """
    needs_workbooks()
    from openpyxl import Workbook

    for sheet in sheets:
        check_fits(sheet.title, sheet.n_rows)
    book, n_cut = Workbook(write_only=True), 0
    for sheet in sheets:
        n_cut += _add(book, sheet)
    with write_file(path) as file:
        book.save(file)
    if n_cut:
        texts = "text is" if n_cut == 1 else "texts are"
        warnings.warn(
            f"{n_cut:,} {texts} cut to the {MOST_CHARACTERS:,} characters that a cell of a workbook holds.",
            stacklevel=level_of_caller(),
        )


def _add(book: Any, sheet: Sheet) -> int:
    """Add a sheet, and return how many of its texts were cut."""
    from openpyxl.utils import get_column_letter

    worksheet = book.create_sheet(sheet.title)
    # The header stays in view: all above and left of this cell is frozen.
    worksheet.freeze_panes = "A2"
    for number, name in enumerate(sheet.head, 1):
        worksheet.column_dimensions[get_column_letter(number)].width = sheet.widths.get(name, max(10, len(name) + 2))
    cell = _cells(worksheet)
    worksheet.append([cell(Bold(name), None) for name in sheet.head])
    formats = [sheet.number_formats.get(name) for name in sheet.head]
    n_cut = 0
    for row in sheet.rows:
        cells = [cell(value, number_format) for value, number_format in zip(row, formats, strict=True)]
        n_cut += sum(isinstance(value, str) and _is_long(value) for value in row)
        worksheet.append(cells)
    return n_cut


def _cells(sheet: Any) -> Callable[[Any, str | None], Any]:
    """Return what makes a cell of a value, with a format if it is a number."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    bold = Font(bold=True)

    def cell(value: Any, number_format: str | None) -> Any:
        content = value.value if isinstance(value, Bold) else value
        if isinstance(content, float) and not math.isfinite(content):
            # The format has no NaN and no infinity.
            content = None
        written_cell = WriteOnlyCell(sheet, _text(content) if isinstance(content, str) else content)
        if isinstance(content, str):
            # A text is no formula, whatever it begins with.
            written_cell.data_type = "s"
        elif number_format and isinstance(content, float):
            written_cell.number_format = number_format
        if isinstance(value, Bold):
            written_cell.font = bold
        return written_cell

    return cell


def _is_long(text: str) -> bool:
    # A character has at most two units of UTF-16: most texts are short enough without being encoded.
    return 2 * len(text) > MOST_CHARACTERS and len(text.encode("utf-16-le", "surrogatepass")) > 2 * MOST_CHARACTERS


def _text(text: str) -> str:
    text = _NOT_ALLOWED.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    if _is_long(text):
        # The ellipsis takes the place of one character; half a surrogate pair before it is dropped.
        text = text.encode("utf-16-le")[: 2 * MOST_CHARACTERS - 2].decode("utf-16-le", "ignore") + "…"
    return text
