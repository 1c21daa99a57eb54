"""The options of ``tercet score`` and ``tercet compare``, as typer sees them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .completion import metrics_like


class Format(str, Enum):
    """Forms of the result."""

    text = "text"
    json = "json"
    tsv = "tsv"
    csv = "csv"
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


#: Parts of the help.
INPUT, SCORES, OUTPUT = "What is read", "Metrics and tests", "Output"
#: Its end: how metrics are written.
HOW_METRICS_ARE_WRITTEN = "\b\n" + "\n".join((
    "How a metric is written:",
    "  -m bleu -m chrf                         by name; several",
    "  -m bleu:lowercase=true,tokenizer=zh     with options",
    "  -m rouge:rouge_types=rouge1+rougeL      a list of words or numbers",
    "  -m 'bleu:weights=[0.5,0.5]'             another list: JSON, in quotes",
    "'tercet metrics' lists the metrics, 'tercet metrics bleu' the options of BLEU.",
))  # fmt: skip

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
        "--references", "-r", metavar="FILE", rich_help_panel=INPUT,
        help="File of references; repeatable. For systems in text files, a text file, one segment per line: an empty "
        "line is an empty reference, as in sacrebleu. (In a table, an empty cell means no reference.) For systems in "
        "TMX files, a TMX file: they are joined by source text.",
    ),
]  # fmt: skip
Source = Annotated[
    str | None,
    typer.Option(metavar="FILE", rich_help_panel=INPUT, help="Text file of sources, when systems are text files."),
]
Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--system", "-s", metavar="COLUMN", rich_help_panel=INPUT,
        help="Column of a system; repeatable. Default: guessed from the column names.",
    ),
]  # fmt: skip
ReferenceColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--reference-column", metavar="COLUMN", rich_help_panel=INPUT,
        help="Column of references; repeatable. Default: guessed from the column names.",
    ),
]  # fmt: skip
SourceColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=INPUT, help="Column of sources. Default: guessed from the column names."
    ),
]
EngineName = Annotated[
    Engine,
    typer.Option(
        metavar="ENGINE", rich_help_panel=INPUT,
        help="memory, or ray: all files, also of Parquet (.parquet), are parts of one test set of any size, which "
        "Ray's workers score: on this machine, or on the cluster in RAY_ADDRESS.",
    ),
]  # fmt: skip
IdColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=INPUT,
        help="With --engine ray: the column of the items' ids, by which resamples draw them. Default: they are known "
        "by their texts.",
    ),
]  # fmt: skip
OnBadFile = Annotated[
    BadFile,
    typer.Option(
        metavar="HOW", rich_help_panel=INPUT,
        help="With --engine ray: stop at a file that cannot be read (error), or leave it out with a warning (skip).",
    ),
]  # fmt: skip
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", "-m", metavar="METRIC", rich_help_panel=SCORES, autocompletion=metrics_like, show_default=False,
        help="A metric, with options behind a colon if need be (see below); repeatable. Scores are in percent unless "
        "scale=1 is given. Default: bleu.",
    ),
]  # fmt: skip
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline", "-b", metavar="SYSTEM", rich_help_panel=SCORES,
        help="System that the others are tested against; default: the first.",
    ),
]  # fmt: skip
TestName = Annotated[
    PairedTest,
    typer.Option(
        "--test", metavar="TEST", rich_help_panel=SCORES,
        help="Paired test of the differences: permutation or bootstrap.",
    ),
]  # fmt: skip
Resamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples", min=1, max=1_000_000, metavar="N", rich_help_panel=SCORES,
        help="Resamples of the test; default: 10,000 permutations or 1,000 bootstrap samples.",
    ),
]  # fmt: skip
Alpha = Annotated[
    float,
    typer.Option(
        metavar="X", rich_help_panel=SCORES,
        help="Significance level, above 0 and below 1: differences with a smaller p are significant.",
    ),
]  # fmt: skip
Level = Annotated[
    float,
    typer.Option(
        min=0.01, max=0.9999, metavar="X", rich_help_panel=SCORES,
        help="Confidence level of the bootstrap intervals.",
    ),
]  # fmt: skip
IntervalKind = Annotated[
    Interval,
    typer.Option(metavar="KIND", rich_help_panel=SCORES, help="Kind of the bootstrap intervals: percentile or BCa."),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", rich_help_panel=SCORES,
        help="Seed of all resampling: the same seed gives the same numbers.",
    ),
]  # fmt: skip
Form = Annotated[
    Format | None,
    typer.Option(
        "--format", "-f", metavar="FORMAT", rich_help_panel=OUTPUT,
        help=f"Form of the output: {', '.join(Format)}. Default: by the name of --out (.html, .json, .tsv, .csv, "
        ".md, .tex or .txt), else text.",
    ),
]  # fmt: skip
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", rich_help_panel=OUTPUT, help="Output file; default: standard output."
    ),
]
Segments = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", rich_help_panel=OUTPUT,
        help="TSV file for the scores of every segment. Texts are written unchanged, even those that a spreadsheet "
        "would take for formulas: import the columns as text.",
    ),
]  # fmt: skip
SegmentsOrParquet = Annotated[
    Path | None,
    typer.Option(
        "--segments", metavar="FILE", rich_help_panel=OUTPUT,
        help="TSV file for the scores of every segment, texts unchanged. With --engine ray: a folder for Parquet "
        "files.",
    ),
]  # fmt: skip
Segment = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", rich_help_panel=OUTPUT,
        help="Show the segment with this number, all systems side by side, instead of the tables.",
    ),
]  # fmt: skip
Export = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", rich_help_panel=OUTPUT,
        help="Folder for one TSV file per system, with the columns source, candidate (the system's texts) and "
        "reference; texts as in --segments.",
    ),
]  # fmt: skip
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC=VALUE", rich_help_panel=OUTPUT,
        help="End with code 1 if a system scores less: bleu=30, rougeL=45. Where lower is better, as of ter=60, if "
        "it scores more. The name of a metric stands for its main score, as rouge for rouge1. Repeatable. All output "
        "is written first.",
    ),
]  # fmt: skip
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", rich_help_panel=OUTPUT,
        help="Show in text what metrics report beside scores: precisions, brevity penalty and lengths of BLEU as "
        "sacrebleu prints them, edits of TER. JSON always has it.",
    ),
]  # fmt: skip
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress bar.")]
