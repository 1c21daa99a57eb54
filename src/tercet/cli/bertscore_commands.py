"""``tercet idf fit`` and ``tercet bertscore-baseline``: files for BERTScore, made of a corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer

from tercet.errors import InputError, needs
from tercet.files.limits import LIMITS
from tercet.files.lines import stream_lines
from tercet.files.writing import check_ending, check_file, check_outputs
from tercet.names_as_shown import visible

from .help import CommandGroup
from .output_options import Quiet

app = typer.Typer(rich_markup_mode=None)
idf = typer.Typer(
    cls=CommandGroup,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Make files of document frequencies for bertscore_idf.",
)
app.add_typer(idf, name="idf")


Corpus = Annotated[
    list[str],
    typer.Argument(help="Text files in UTF-8, one text per line, optionally gzipped (.gz); - is standard input."),
]
Model = Annotated[str, typer.Option("--model", "-m", help="Encoder: a folder, or its name on the Hub.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
MaxLength = Annotated[
    int | None, typer.Option(help="Most tokens of a text that are used; default: the encoder's limit.")
]


@idf.command("fit")
def fit_idf(
    corpus: Corpus,
    model: Model,
    output: Output,
    max_length: MaxLength = None,
    compat: Annotated[
        Literal["bert_score"] | None,
        typer.Option(
            help="Count documents as this package does, for bertscore_idf with the same compat; blank lines then "
            "count as texts."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Count how many texts of a corpus contain each token; pass the file as idf= in Python."""
    from tqdm import tqdm

    from tercet.metrics.bertscore.idf_table import IdfTable

    # A missing package is reported before the bar is drawn.
    needs("An IDF table", "bertscore", "transformers")
    check_ending("--output", output, (".idf", ".arrow", ""))
    check_file(output)
    check_outputs({"--output": output}, corpus)
    lines = _lines_of_files(corpus)
    if compat is not None:
        # With blank lines, as that package counts them.
        lines = chain.from_iterable(map(stream_lines, corpus))
    is_hidden = quiet or not sys.stderr.isatty()
    # The bar is removed before the message of an error is printed.
    with tqdm(lines, unit=" texts", disable=is_hidden, leave=False) as texts:
        table = IdfTable.fit(texts, model, max_length=max_length, compat=compat)
    if not table.n_documents:
        raise InputError("The corpus is empty: it has no line with text.")
    table.save(output)
    n_seen = int((table.counts > 0).sum())
    typer.echo(
        f"{visible(output)}: {table.n_documents} texts, {n_seen} of {len(table.counts)} tokens, digest {table.digest}"
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
        str | None,
        typer.Option(
            help="Device of the encoder: cpu, cuda, mps ..., gpu or 0 for the first GPU; default: the best available."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make a file of baselines, the scores of unrelated texts; pass it as baseline_path= in Python."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from tercet.metrics.bertscore.baselines import write_baseline
    from tercet.metrics.bertscore.making_baselines import make_baseline

    check_ending("--output", output, (".tsv", ".txt", ""))
    check_file(output)
    check_outputs({"--output": output}, corpus)
    baseline = make_baseline(
        _all_lines(corpus),
        model,
        n_pairs=pairs,
        seed=seed,
        max_length=max_length,
        batch_size=batch_size,
        device=device,
        verbose=not quiet and sys.stderr.isatty(),
    )
    write_baseline(output, baseline.means)
    table = Table(title=f"{escape(visible(output))}: means of {baseline.n_pairs} pairs, with standard errors")
    for name in ("layer", "precision", "recall", "F"):
        table.add_column(name, justify="right")
    for layer, (means, errors) in enumerate(zip(baseline.means.tolist(), baseline.errors.tolist(), strict=True)):
        cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(means, errors, strict=True)]
        table.add_row(str(layer), *cells)
    Console().print(table)


def _all_lines(paths: Iterable[str]) -> list[str]:
    """Return the lines of text files whose total size is within the limit of one file."""
    lines = []
    n_bytes = 0
    for line in _lines_of_files(paths):
        lines.append(line)
        n_bytes += len(line.encode())
        LIMITS.check(n_bytes, len(lines), "The corpus")
    return lines


def _lines_of_files(paths: Iterable[str]) -> Iterator[str]:
    """Yield the lines of text files, without their ends; blank ones are left out."""
    for path in paths:
        yield from filter(str.strip, stream_lines(path))
