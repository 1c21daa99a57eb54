"""The command ``tercet``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from tqdm import tqdm

from tercet.bertscore.baselines import write_baseline
from tercet.bertscore.idf_table import IdfTable
from tercet.bertscore.unrelated import make_baseline
from tercet.comparison.checks import check_file, check_outputs
from tercet.core.signature import __version__
from tercet.display.visible import visible
from tercet.errors import InputError, TercetError
from tercet.files.limits import LIMITS
from tercet.files.lines import stream_lines
from tercet.registry import METRICS

from .correlate_command import correlate_command
from .explain_command import explain
from .metrics_command import metrics
from .score_commands import compare_command, score_command
from .score_options import Quiet
from .streams import standard_streams

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
idf = typer.Typer(no_args_is_help=True, help="Make files of document frequencies for bertscore_idf.")
app.add_typer(idf, name="idf")


class Compat(str, Enum):
    """Packages whose way of counting documents can be had."""

    bert_score = "bert_score"


Corpus = Annotated[
    list[str],
    typer.Argument(help="Text files in UTF-8, one text per line, optionally gzipped (.gz); - is standard input."),
]
Model = Annotated[str, typer.Option("--model", "-m", help="Encoder: a folder, or its name on the Hub.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
MaxLength = Annotated[int | None, typer.Option(help="Tokens to use of each text; default: the encoder's limit.")]


_LONGEST_MESSAGE = 5_000

app.command("score")(score_command)
app.command("compare")(compare_command)
app.command("correlate")(correlate_command)
app.command("explain")(explain)
app.command("metrics")(metrics)


def main() -> None:
    """Run the command; a mistake in what was given ends with its message and exit code 2."""
    warnings.showwarning = _show_warning
    try:
        with standard_streams():
            app()
    except (TercetError, OSError, MemoryError, Warning) as error:  # warnings are raised under -W error
        with suppress(OSError):  # of a standard error that takes nothing
            console = Console(stderr=True, soft_wrap=True)
            console.print(f"[bold red]error:[/] {escape(visible(_cut(_message(error))))}", highlight=False)
        sys.exit(2)


def _cut(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…"


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        more = f": {error}" if str(error) else ""
        return f"This machine does not have enough memory{more}. Give fewer texts at a time."
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "The folder in which the command was started no longer exists."
    if isinstance(error, OSError) and error.strerror:
        return f"{f'{error.filename}: ' if error.filename else ''}{error.strerror}."
    return str(error)


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
) -> None:
    typer.echo(f"warning: {visible(_cut(str(message)))}", err=True)


@app.callback(
    invoke_without_command=True,
    help=f"Score generated texts by {', '.join(METRICS)}: the same numbers as the reference implementations.",
)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Print the version, where it is asked for."""
    if show:
        typer.echo(f"tercet {__version__}")
        raise typer.Exit


@idf.command("fit")
def fit_idf(
    corpus: Corpus,
    model: Model,
    output: Output,
    max_length: MaxLength = None,
    compat: Annotated[
        Compat | None,
        typer.Option(
            help="Count documents as this package does, for bertscore_idf with the same compat; blank lines then "
            "count as texts."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Count how many texts of a corpus contain each token; pass the file as idf= in Python."""
    check_file(output)
    check_outputs({"--output": output}, corpus)
    lines = _lines(corpus) if compat is None else chain.from_iterable(map(stream_lines, corpus))
    with tqdm(lines, unit="text", disable=quiet) as texts:  # which ends its line before an error's
        table = IdfTable.fit(texts, model, max_length=max_length, compat=None if compat is None else compat.value)
    if not table.n_documents:
        raise InputError("The corpus is empty: it has no line with text.")
    table.save(output)
    seen = int((table.counts > 0).sum())
    typer.echo(
        f"{visible(output)}: {table.n_documents} texts, {seen} of {len(table.counts)} tokens, digest {table.digest}"
    )


@app.command("bertscore-baseline")
def bertscore_baseline(
    corpus: Corpus,
    model: Model,
    output: Output,
    pairs: Annotated[int, typer.Option(min=1, help="Number of random pairs of texts to score.")] = 10_000,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the random pairs: the same seed gives the same pairs.")
    ] = 12345,
    max_length: MaxLength = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Size of the encoder's batches.")] = 64,
    device: Annotated[
        str | None, typer.Option(help="Device of the encoder: cpu, cuda, mps ...; default: the best available.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make a file of baselines, the scores of unrelated texts; pass it as baseline_path= in Python."""
    check_file(output)
    check_outputs({"--output": output}, corpus)
    found = make_baseline(
        _all_lines(corpus), model, n_pairs=pairs, seed=seed, max_length=max_length, batch_size=batch_size,
        device=device, verbose=not quiet,
    )  # fmt: skip
    write_baseline(output, found.means)
    table = Table(title=f"{escape(visible(output))}: means of {found.n_pairs} pairs, with standard errors")
    for name in ("layer", "precision", "recall", "F"):
        table.add_column(name, justify="right")
    for layer, (means, errors) in enumerate(zip(found.means.tolist(), found.errors.tolist(), strict=True)):
        cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(means, errors, strict=True)]
        table.add_row(str(layer), *cells)
    Console().print(table)


def _all_lines(paths: Iterable[str]) -> list[str]:
    """Return the lines of text files that are together as large as one file may be."""
    lines, length = [], 0
    for line in _lines(paths):
        lines.append(line)
        length += len(line)
        LIMITS.check(length, len(lines), "The corpus")
    return lines


def _lines(paths: Iterable[str]) -> Iterator[str]:
    """Yield the lines of text files, without their ends; blank ones are left out."""
    for path in paths:
        yield from filter(str.strip, stream_lines(path))
