"""The options of ``tercet score`` and ``tercet compare``, as typer sees them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Format(str, Enum):
    """Forms of the result."""

    text = "text"
    json = "json"
    tsv = "tsv"
    markdown = "markdown"
    latex = "latex"
    html = "html"


class PairedTest(str, Enum):
    """Paired tests."""

    permutation = "permutation"
    bootstrap = "bootstrap"


class Engine(str, Enum):
    """What reads and counts the texts."""

    memory = "memory"
    ray = "ray"


class BadFile(str, Enum):
    """What is done with a file that cannot be read."""

    error = "error"
    skip = "skip"


class Interval(str, Enum):
    """Kinds of bootstrap intervals."""

    percentile = "percentile"
    BCa = "BCa"


_FILES = (
    "Tables with named columns (.tsv, .csv, .jsonl, .xlsx, .tmx; each is a test set), or text files with one segment "
    "per line (each is a system). Any of them may be gzipped (.gz)."
)
Files = Annotated[list[str], typer.Argument(help=_FILES, show_default=False)]
FilesOrParquet = Annotated[
    list[str],
    typer.Argument(help=f"{_FILES} With --engine ray also .parquet, folders and patterns.", show_default=False),
]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--references", "-r",
        help="File of references; repeatable. For systems in text files, a text file, one segment per line: an empty "
        "line is an empty reference, as in sacrebleu. (In a table, an empty cell means no reference.) For systems in "
        "TMX files, a TMX file: they are joined by source text.",
    ),
]  # fmt: skip
Source = Annotated[str | None, typer.Option(help="Text file of sources, when systems are text files.")]
Systems = Annotated[
    list[str] | None,
    typer.Option("--system", "-s", help="Column of a system; repeatable. Default: guessed from the column names."),
]
ReferenceColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--reference-column", help="Column of references; repeatable. Default: guessed from the column names."
    ),
]
SourceColumn = Annotated[str | None, typer.Option(help="Column of sources. Default: guessed from the column names.")]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", "-m",
        help="A metric with options, such as bleu_multi:smooth_method=exp; repeatable. Scores are in percent unless "
        "scale=1 is given. Default: bleu_multi.",
    ),
]  # fmt: skip
Level = Annotated[float, typer.Option(help="Confidence level of the bootstrap intervals.", min=0.01, max=0.9999)]
IntervalKind = Annotated[Interval, typer.Option(help="Type of bootstrap interval.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all resampling: the same seed gives the same numbers.")]
Form = Annotated[Format, typer.Option("--format", "-f", help="Output format.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Output file; default: standard output.")]
Segments = Annotated[
    Path | None,
    typer.Option(
        help="TSV file for the scores of every segment. Texts are written unchanged, even those that a spreadsheet "
        "would take for formulas: import the columns as text. With --engine ray: a folder for Parquet files."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress bar.")]
EngineName = Annotated[
    Engine,
    typer.Option(
        help="ray: all files, also of Parquet (.parquet), are parts of one test set of any size, which Ray's workers "
        "score: on this machine, or on the cluster in RAY_ADDRESS."
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        help="With --engine ray: the column of the items' ids, by which resamples draw them. Default: they are known "
        "by their texts."
    ),
]
OnBadFile = Annotated[
    BadFile,
    typer.Option(
        help="With --engine ray: stop at a file that cannot be read (error), or leave it out with a warning (skip)."
    ),
]
