"""The output of the commands, in each format."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tercet.errors import OptionError, needs, shorten
from tercet.files.writing import check_ending, check_file, write_text_file
from tercet.names_as_shown import visible
from tercet.table_formats import BOM, Table, needs_workbooks, write_workbook

from .output_options import ResultsOutput, ScoreFormat, ScoreOutput

if TYPE_CHECKING:
    from tercet.comparison.overall import Overall
    from tercet.comparison.result import Comparison

    from .thresholds import Gate

#: Formats by file extension.
_FORMS: dict[str, ScoreFormat] = {
    ".html": "html", ".htm": "html", ".json": "json", ".tsv": "tsv", ".csv": "csv",
    ".md": "markdown", ".tex": "latex", ".xlsx": "xlsx", ".yaml": "hub", ".yml": "hub", ".txt": "text", "": "text",
}  # fmt: skip
#: The extensions of scores, and those of tables alone.
SCORE_FORMS = tuple(_FORMS)
_TABLE_FORMS = tuple(extension for extension, form in _FORMS.items() if form != "hub")

#: The endings of pages, by which a browser knows them.
_PAGES = (".html", ".htm")

#: The folder of a model on the Hub that has its results.
_HUB_FOLDER = ".eval_results"

#: Endings of files for segments, those of TSV last, and which of them have no byte order mark.
SEGMENT_FORMS = (".csv", ".jsonl", ".ndjson", ".xlsx", ".tsv", ".tab", ".txt", "")
_WITHOUT_BOM = (".jsonl", ".ndjson", ".xlsx")

#: The width of texts in files.
_WIDTH_OF_FILES = 120


def chosen_format(
    format: ScoreFormat | None, out: Path | None, extensions: Iterable[str] = _TABLE_FORMS
) -> ScoreFormat:
    """Return the given format, or that of the output file's extension, which must be one of those known."""
    if format is not None:
        return format
    if out is None:
        return "text"
    check_ending("--out", out, extensions, ", or choose with --format")
    return _FORMS[out.suffix.lower()]


def check_can_write(format: ScoreFormat, out: Path | None, *further_files: Path | None) -> None:
    """Fail before scoring starts if the result could not be made, or a file not be written."""
    if format == "html":
        needs("An HTML report", "report", "jinja2")
        if out is None and sys.stdout.isatty():
            raise OptionError(
                "--format html is for a browser, not for a terminal: give a file, as in --out report.html."
            )
    if format == "xlsx":
        needs_workbooks()
        if out is None:
            raise OptionError("--format xlsx needs a file: give one, as in --out scores.xlsx.")
    for path in (out, *further_files):
        if path is None:
            continue
        if path.parent.name == _HUB_FOLDER and format == "hub" and not path.parent.exists():
            # It is made with its first file, where there is the folder of a model.
            check_file(path.parent)
        else:
            check_file(path)


def check_bom(bom: bool, format: ScoreFormat, segments: Path | None = None) -> None:
    """Refuse a byte order mark where nothing is written that would have one."""
    out_has_mark = format in ("csv", "tsv")
    segments_have_mark = segments is not None and segments.suffix.lower() not in _WITHOUT_BOM
    if bom and not out_has_mark and not segments_have_mark:
        raise OptionError(
            "--bom is for CSV and TSV: give --format csv, or a file that ends in .csv or .tsv, as --out scores.csv."
        )


def check_open(opens: bool, format: ScoreFormat, out: Path | None) -> None:
    """Refuse to open what is no page in a file."""
    is_page_in_file = format == "html" and out is not None and out.suffix.lower() in _PAGES
    if not opens or is_page_in_file:
        return
    output = "the standard output"
    if out is not None:
        output = f"{shorten(str(out))}, whose format is {format}"
    raise OptionError(
        f"--open shows a page in the browser, which needs an HTML file: give one, as in --out report.html. "
        f"Got {output}."
    )


def open_page(out: Path) -> None:
    """Show a page in the browser, or say that there is none."""
    import webbrowser

    try:
        is_shown = webbrowser.open(out.resolve().as_uri())
    except webbrowser.Error:
        is_shown = False
    if not is_shown:
        typer.echo(f"note: no browser was found to show {visible(out)}.", err=True)


def in_terminal(out: Path | None) -> bool:
    """Return whether the output is shown in a terminal."""
    return out is None and sys.stdout.isatty()


def width_of(out: Path | None) -> int:
    """Return how wide a text is that folds: in a file as wide on every machine, else as the terminal, or COLUMNS."""
    if out is not None:
        return _WIDTH_OF_FILES
    # Here, as most formats need no rich.
    from rich.console import Console

    return Console().width


def has_colours(out: Path | None) -> bool:
    """Return whether the output is a terminal with colours."""
    return in_terminal(out) and "NO_COLOR" not in os.environ


def command_line() -> str:
    """Return the command line, for a report to show."""
    return shlex.join(["tercet", *sys.argv[1:]])


def write(
    text: str, out: Path | None, format: ScoreFormat = "text", *, bom: bool = False, opens: bool = False
) -> None:
    """Write a text to a file or the standard output: formats for programs in UTF-8, whatever the locale.

    With `bom`, CSV and TSV begin with a byte order mark. With `opens`, a page is shown in the browser.
    """
    if bom and format in ("csv", "tsv"):
        text = f"{BOM}{text}"
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            encoding = "utf-8"
            if format == "text":
                encoding = sys.stdout.encoding
            # No line end is translated: CSV has its own.
            sys.stdout.reconfigure(newline="", encoding=encoding, errors=sys.stdout.errors)
        sys.stdout.write(text)
        if not text.endswith("\n"):
            sys.stdout.write("\n")
    else:
        with write_text_file(out) as file:
            file.write(text)
        typer.echo(visible(out), err=True)
        if opens:
            open_page(out)


def write_book(sheets: Sequence[Table], out: Path) -> None:
    """Write a workbook."""
    write_workbook(out, sheets)
    typer.echo(visible(out), err=True)


def finish(
    comparisons: Sequence[Comparison],
    format: ScoreFormat,
    output: ScoreOutput,
    gate: Gate,
    segments: Path | None = None,
    *,
    over_all: Overall | None = None,
) -> None:
    """Write scores, and those of segments; then exit with code 1 if a system is worse than a threshold."""
    if len(comparisons) > 1:
        typer.echo(
            "warning: scores of different test sets or languages cannot be compared with each other.",
            err=True,
        )
    if segments is not None:
        from tercet.comparison.shown.exported_texts import export_segments

        export_segments(comparisons, segments, bom=output.bom, worst_first=output.worst_first)
    results: list[Comparison | Overall] = list(comparisons)
    if over_all is not None:
        results.append(over_all)
    if format == "xlsx" and output.out is not None:
        from tercet.comparison.shown.tables import sheets_of

        write_book(sheets_of(results, worst_first=output.worst_first), output.out)
    else:
        text = _in_format(results, format, output)
        if format == "hub" and output.out is not None:
            output.out.parent.mkdir(exist_ok=True)
        write(text, output.out, format, bom=output.bom, opens=output.open)
    if gate.is_set:
        # Here, as most commands have no gate.
        from .gate_findings import decide

        decide(gate, comparisons, results)


def _in_format(comparisons: Sequence[Comparison], format: ScoreFormat, output: ScoreOutput) -> str:
    """Return comparisons as a text in any format but that of workbooks."""
    if isinstance(output, ResultsOutput) and format in ("hub", "eee"):
        from tercet.comparison.shown.published_results import to_record, to_yaml

        if format == "hub":
            return to_yaml(comparisons, output.dataset, output.task)
        return to_record(comparisons, output.dataset, output.task)
    if format == "html":
        # Imported here: no other format needs templates.
        from tercet.report.comparison import to_html

        return to_html(comparisons, command=command_line())
    if format == "text":
        # Here, as no other format needs rich.
        from rich.console import Console

        from tercet.comparison.shown.terminal import to_text

        wraps = in_terminal(output.out) and not output.plain
        width = 200
        if wraps:
            width = Console().width
        return to_text(
            comparisons,
            width=width,
            colour=has_colours(output.out) and not output.plain,
            verbose=output.verbose,
            plain=output.plain,
            wraps=wraps,
            with_warnings=output.out is not None,
        )
    from tercet.comparison.shown.tables import in_format

    return in_format(comparisons, format)
