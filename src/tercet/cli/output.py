"""What the commands print and write: comparisons in the form that is wanted."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import typer
from rich.console import Console

from tercet.comparison.checks import check_file
from tercet.comparison.exports import export_segments
from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.scores import Comparison
from tercet.comparison.side_by_side import side_by_side
from tercet.comparison.tables import to_csv, to_json, to_latex, to_markdown, to_tsv
from tercet.comparison.test_sets import TestSet
from tercet.comparison.text_tables import to_text
from tercet.display.visible import visible
from tercet.errors import OptionError, shorten
from tercet.files.writing import write_text_file

from .score_options import Format
from .thresholds import Threshold, failures


def coloured(out: Path | None) -> bool:
    """Return whether the output is a terminal that takes colours."""
    return out is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def segment_text(
    sets: Sequence[TestSet], specs: Sequence[MetricSpec], segment: int, baseline: str | None, colour: bool
) -> str:
    """Return one segment of each test set, all systems side by side."""
    width = Console().width
    return "\n".join(
        side_by_side(each, segment, specs, baseline=baseline, width=width, colour=colour) for each in sets
    )


def finish(
    found: Sequence[Comparison],
    format: Format,
    out: Path | None,
    segments: Path | None,
    verbose: bool,
    thresholds: Sequence[Threshold],
) -> None:
    """Write the scores, and those of the segments where a file is given for them.

    Raises
    ------
    typer.Exit
        With code 1, when all is written, where a system is worse than a threshold.
    """
    if len(found) > 1:
        typer.echo(
            "warning: scores of different test sets or languages cannot be compared with each other: a BLEU of 30 "
            "may be good in one and poor in another.",
            err=True,
        )
    if segments is not None:
        export_segments(found, segments)
    write(rendered(found, format, out, verbose), out, format)
    worse = failures(thresholds, found)
    for line in worse:
        typer.echo(f"failed: {visible(line)}", err=True)
    if worse:
        raise typer.Exit(1)


#: Forms by the end of a file's name.
_FORMS = {
    ".html": Format.html,
    ".htm": Format.html,
    ".json": Format.json,
    ".tsv": Format.tsv,
    ".csv": Format.csv,
    ".md": Format.markdown,
    ".tex": Format.latex,
    ".txt": Format.text,
    "": Format.text,
}


def chosen_format(format: Format | None, out: Path | None) -> Format:
    """Return the form that is wanted: as given, else as the name of the output file says.

    Raises
    ------
    OptionError
        Where the name ends as that of a file of another kind: text in a workbook would not open.
    """
    if format is not None:
        return format
    if out is None:
        return Format.text
    if out.suffix.lower() not in _FORMS:
        raise OptionError(
            f"--out {shorten(str(out))}: the extension {shorten(out.suffix)} names no format: use one of "
            f"{' '.join(filter(None, _FORMS))}, or choose with --format."
        )
    return _FORMS[out.suffix.lower()]


def rendered(found: Sequence[Comparison], format: Format, out: Path | None, verbose: bool) -> str:
    """Return comparisons in the form that is wanted."""
    forms: dict[Format, Callable[[Sequence[Comparison]], str]] = {
        Format.json: to_json,
        Format.tsv: to_tsv,
        Format.csv: to_csv,
        Format.markdown: to_markdown,
        Format.latex: to_latex,
    }
    if format in forms:
        return forms[format](found)
    if format is Format.html:
        from tercet.report.page import to_html  # templates and plots, which no other form needs

        return to_html(found, command=shlex.join(["tercet", *sys.argv[1:]]))
    terminal = out is None and sys.stdout.isatty()
    return to_text(found, width=Console().width if terminal else 200, colour=coloured(out), verbose=verbose)


def write(text: str, out: Path | None, format: Format = Format.text) -> None:
    """Write a text to a file, or to the standard output: what is read by programs in UTF-8, whatever the locale."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            encoding = sys.stdout.encoding if format is Format.text else "utf-8"
            # lines of CSV have their own ends
            sys.stdout.reconfigure(newline="", encoding=encoding, errors=sys.stdout.errors)
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    else:
        with write_text_file(out) as file:
            file.write(text)
        typer.echo(visible(out), err=True)


def check_before(format: Format, *paths: Path | None) -> None:
    """Say before long work that its result could not be made or written."""
    if format is Format.html:
        from tercet.report.page import check_installed

        check_installed()
        if paths[0] is None and sys.stdout.isatty():
            raise OptionError(
                "--format html is for a browser, not for a terminal: give a file, as in --out report.html."
            )
    for path in paths:
        if path is not None:
            check_file(path)
