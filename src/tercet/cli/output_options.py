"""The options of the output: its format and file, what stands in it, and when it ends with code 1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from tercet.errors import OptionError

from .options import OptionGroup, gating, writing

Format = Literal["text", "json", "tsv", "csv", "markdown", "latex", "html", "xlsx"]
#: With those in which a model publishes its scores.
ScoreFormat = Literal[Format, "hub", "eee"]

Out = Annotated[Path | None, writing("--out", "-o", metavar="FILE", help="Output file; default: standard output.")]
OPENS = "Show the page that --out writes (.html) in the browser."
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress bar.")]


@dataclass(init=False, eq=False, repr=False)
class Progress(OptionGroup):
    """The progress of a command."""

    quiet: Quiet = False

    @property
    def progress(self) -> bool:
        """Whether a bar is shown."""
        return not self.quiet and sys.stderr.isatty()


def format_option(formats: Any, extensions: str = "", meaning: str = "") -> Any:
    """Return the option ``--format``; `extensions` are further ones, and `meaning` says what some formats are."""
    return writing(
        None,
        "--format",
        "-f",
        metavar="FORMAT",
        help=f"Format of the output: {', '.join(get_args(formats))}. Default: by the extension of --out (.html, "
        f".json, .tsv, .csv, .md, .tex, .xlsx{extensions} or .txt), else text.{meaning}",
    )


@dataclass(init=False, eq=False, repr=False)
class OutputOptions(Progress):
    """Destination and format of the results."""

    format: Format | None = format_option(Format)
    out: Out = None
    bom: bool = writing(
        False,
        "--bom",
        help="Begin CSV and TSV output with a byte order mark, by which Excel reads it as UTF-8.",
    )
    open: bool = writing(False, "--open", help=OPENS)


def segments_option(further: str = "") -> Any:
    """Return the option ``--segments``; `further` says what else a command writes there."""
    return writing(
        None,
        metavar="FILE",
        help="File for the scores of every segment: .csv, .jsonl, .xlsx or TSV (.tsv, .txt) by its extension. A "
        "table's own columns that are neither texts nor scores, such as ids, come back in it. Texts are "
        "written unchanged, even those that a spreadsheet would take for formulas: take .xlsx, or import the columns "
        f"as text.{further}",
    )


@dataclass(init=False, eq=False, repr=False)
class ScoreOutput(OutputOptions):
    """Output of scores."""

    segments: Path | None = segments_option()
    worst_first: bool = writing(
        False,
        "--worst-first",
        help="Sort the rows of --segments, and of the sheet Segments of --out results.xlsx, by the first score, the "
        "worst of each test set first.",
    )
    fail_under: list[str] | None = gating(
        None,
        metavar="METRIC=VALUE",
        help="End with code 1 if a system scores less: bleu=30, rougeL=45; for lower-is-better metrics (ter=60), if "
        "it scores more. The name of a metric stands for its main score, as rouge for rouge1. Repeatable. All output "
        "is written first.",
    )
    max_missing: str = gating(
        "1%",
        metavar="PERCENT",
        help="With --fail-under or --fail-if-worse, also end with code 1 if a system lacks more of the segments: it "
        "has no answer or number there, an empty one, an error's message, or one that was cut off.",
    )
    verbose: bool = writing(
        False,
        "--verbose",
        "-v",
        help="Also show what metrics report beside scores. In text output: precisions, brevity penalty and lengths "
        "of BLEU as sacrebleu prints them, edits of TER. JSON output always includes it.",
    )
    plain: bool = writing(
        False,
        "--plain",
        help="Text for logs: no colours, no lines, whole names. All columns, whatever the width of the terminal.",
    )

    @property
    def margins(self) -> Sequence[str]:
        """What ``--fail-if-worse`` takes, which is an option of comparisons."""
        return ()


@dataclass(init=False, eq=False, repr=False)
class ResultsOutput(ScoreOutput):
    """Output of scores, also as a model publishes them."""

    segments: Path | None = segments_option(" With --engine ray: a folder for Parquet files.")
    format: ScoreFormat | None = format_option(  # type: ignore[assignment]
        ScoreFormat,
        ", .yaml",
        " hub: evaluation results of a model on the Hub, in its folder .eval_results; eee: a record of Every Eval "
        "Ever.",
    )
    dataset: str | None = writing(
        None,
        metavar="ID",
        help="With .yaml output, or --format eee: the dataset on the Hub that the texts are from, such as "
        "openai/gsm8k.",
    )
    task: str | None = writing(
        None,
        metavar="ID",
        help="With .yaml output, or --format eee: the task, as the dataset's eval.yaml has it. Default: the name of "
        "the test set.",
    )

    def check_results(self, form: ScoreFormat) -> None:
        """Refuse the dataset and task of other forms, and forms without the dataset that they need."""
        if form not in ("hub", "eee"):
            names = [f"--{name}" for name in ("dataset", "task") if getattr(self, name) is not None]
            if names:
                verb = "is"
                if len(names) > 1:
                    verb = "are"
                raise OptionError(
                    f"{' and '.join(names)} {verb} for evaluation results: give a file "
                    "that ends in .yaml, as --out .eval_results/gsm8k.yaml, or --format eee."
                )
        elif form == "hub" and self.dataset is None:
            raise OptionError("Evaluation results name their dataset on the Hub: give it, as --dataset openai/gsm8k.")
        elif self.dataset is not None:
            from tercet.comparison.shown.published_results import check_dataset

            check_dataset(self.dataset, like="--dataset")


@dataclass(init=False, eq=False, repr=False)
class CompareOutput(ScoreOutput):
    """Output of comparisons."""

    fail_if_worse: list[str] | None = gating(
        None,
        "--fail-if-worse",
        metavar="METRIC[=MARGIN]",
        help="End with code 1 if a system is significantly worse than the baseline: chrf. With a margin, if its loss "
        "may be greater, by an interval with level 1 - 2 alpha: chrf=0.3. Repeatable. All output is written first.",
    )
    segment: int | None = writing(
        None,
        min=1,
        metavar="N",
        help="Show the segment with this number, all systems side by side, instead of the tables.",
    )
    card: Path | None = writing(
        None,
        metavar="FILE",
        help="Picture to share: the verdict, and a bar for each system by the first metric. A .png of 1200 x 630 "
        "pixels.",
    )
    export: Path | None = writing(
        None,
        metavar="FOLDER",
        help="Folder for one TSV file per system, with the columns source, candidate (the system's texts) and "
        "reference; texts as in --segments.",
    )

    @property
    def margins(self) -> Sequence[str]:
        """What ``--fail-if-worse`` takes."""
        return self.fail_if_worse or ()

    def check_segment_alone(self, form: ScoreFormat) -> None:
        """Refuse options of tables beside --segment."""
        named_by = "--format"
        if self.format is None:
            # The format is that of the file's extension.
            named_by = f"--out {self.out}"
        excluded_options = {
            named_by: form != "text",
            "--plain": self.plain,
            "--segments": self.segments,
            "--worst-first": self.worst_first,
            "--card": self.card,
            "--export": self.export,
            "--fail-under": self.fail_under,
            "--fail-if-worse": self.fail_if_worse,
        }
        option_names = [name for name, value in excluded_options.items() if value]
        if option_names:
            raise OptionError(
                f"--segment shows one segment as text and excludes {', '.join(option_names)}: give only one of them."
            )
