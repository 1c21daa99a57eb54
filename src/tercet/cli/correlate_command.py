"""``tercet correlate``: which metric agrees with human grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from tercet.correlation.settings import CorrelateSettings, Ties, Unit
from tercet.errors import OptionError, shorten
from tercet.files.writing import check_file, check_outputs
from tercet.names_as_shown import visible

from .input import files_of_metrics, read_metrics, report_on
from .metric_arguments import MetricCommand
from .options import (
    HOW_METRICS_ARE_WRITTEN,
    LEVEL,
    ColumnOptions,
    OptionGroup,
    metric_option,
    reading,
    scoring,
    setting,
    takes_groups,
    writing,
)
from .output_options import OutputOptions, ScoreFormat

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.correlation.result import Correlation


@dataclass(init=False, eq=False, repr=False)
class _GradedFile(OptionGroup):
    """The table of texts and grades, and what is taken from it."""

    file: str = typer.Argument(
        help="Table of texts and grades (.tsv, .csv, .jsonl, .json, .xlsx, .parquet, .arrow, also .gz): columns such "
        "as output, reference and grade; or systemA, systemB, reference, systemA.content.rater1; or item, system, "
        "text, reference, rater, dimension and value; or JSON Lines with human: {system: {dimension: value}}. Or a "
        "folder of mt-metrics-eval.",
        show_default=False,
    )
    grades: str | None = reading(
        None, metavar="FILE", help="Long table of grades with the columns item, system, rater, dimension and value."
    )
    scores: list[str] | None = reading(
        None,
        metavar="NAME",
        help="Scores of another metric, such as COMET, in the columns systemA.COMET or COMET_systemA, or a dimension "
        "that holds them; repeatable. Where lower is better: TER:better=lower.",
    )
    dimension: list[str] | None = reading(
        None,
        "--dimension",
        "-d",
        metavar="DIMENSION",
        help="Dimension of the grades; repeatable. Default: all. Where lower grades are better: MQM:better=lower.",
    )
    standardize: bool = setting(CorrelateSettings, "standardize", "--standardize", rich_help_panel="Input")


# Help lists the fields of the last base first.
@dataclass(init=False, eq=False, repr=False)
class GradeOptions(ColumnOptions, _GradedFile):
    """Texts and their grades."""

    lp: str | None = reading(
        None,
        "--lp",
        metavar="PAIR",
        help="Language pair of a folder of mt-metrics-eval, such as en-de. Default: the only one.",
    )


@dataclass(init=False, eq=False, repr=False)
class FigureOptions(OptionGroup):
    """Metrics, and their agreement with the grades."""

    metric: list[str] | None = metric_option(
        None,
        help="A metric, with options after a colon, as in bleu:tokenizer=zh; repeatable. Default: BLEU, chrF, "
        "ROUGE-L and TER where there are references, unless --scores is given.",
    )
    rank_by: str | None = scoring(
        None,
        metavar="FIGURE",
        help="Figure that ranks and tests the metrics, such as pooled.pearson, item.kendall_b or system.spa. "
        "Default: item.acc_eq of several systems, pooled.pearson of one.",
    )
    unit: Unit = setting(CorrelateSettings, "unit")
    n_resamples: int = setting(CorrelateSettings, "n_resamples")
    n_permutations: int = setting(CorrelateSettings, "n_permutations")
    confidence_level: float = LEVEL
    alpha: float = setting(CorrelateSettings, "alpha", metavar="X")
    ties: Ties = setting(CorrelateSettings, "ties")
    seed: int = setting(CorrelateSettings, "seed")


@dataclass(init=False, eq=False, repr=False)
class _MeanOutput(OutputOptions):
    """Output, and the mean of metrics that agrees best."""

    mean: Path | None = writing(
        None,
        metavar="FILE",
        help="Find the weighted mean of two or three metrics that agrees best with the first dimension, and write it "
        "to this file (.json), which -m of score and compare takes as a metric.",
    )
    mean_folds: Literal["items", "systems"] = writing(
        "items", help="What is held out to test the mean of --mean: items, or whole systems."
    )


app = typer.Typer(rich_markup_mode=None)


@app.command("correlate", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)
@takes_groups
def correlate_command(graded: GradeOptions, figures: FigureOptions, output: _MeanOutput) -> None:
    """Correlate metrics with human grades: which metric to trust, with intervals and tests."""
    from tercet.comparison.specs.metric_specs import for_tables, parse_column
    from tercet.correlation.correlate import correlate, names_asked, need_references
    from tercet.correlation.graded_tables import read_graded
    from tercet.correlation.tables import sheet_of

    from .output import write, write_book

    # None: several, of what the texts allow.
    metrics = None
    if figures.metric or graded.scores:
        metrics = [for_tables(metric) for metric in read_metrics(figures.metric or ())]
    form = _checked_format(graded, output, metrics or ())
    test_set, grades = read_graded(
        graded.file,
        grades=graded.grades,
        scores=[parse_column(name).name for name in graded.scores or ()],
        dimensions=names_asked(graded.dimension or ()),
        need_references=need_references(metrics),
        lp=graded.lp,
        **graded.of_columns,
    )
    # The other fields of FigureOptions are parameters of correlate by the same names.
    settings = {name: value for name, value in vars(figures).items() if name != "metric"}
    correlation = correlate(
        report_on(test_set),
        metrics,
        grades,
        scores=graded.scores or (),
        dimension=graded.dimension or (),
        standardize=graded.standardize,
        progress=output.progress,
        **settings,
    )
    text = ""
    if form != "xlsx":
        text = _in_format(correlation, form, output.out)
    if output.mean is not None:
        _write_mean(correlation, output.mean, figures.alpha, output)
    if form == "xlsx" and output.out is not None:
        write_book([sheet_of(correlation)], output.out)
    else:
        write(text, output.out, form, bom=output.bom, opens=output.open)


def _checked_format(graded: GradeOptions, output: _MeanOutput, metrics: Sequence[Metric]) -> ScoreFormat:
    """Return the format of the output; what cannot be made or written fails here, before any text is read."""
    from .output import check_bom, check_can_write, check_open, chosen_format

    form = chosen_format(output.format, output.out)
    check_can_write(form, output.out)
    check_bom(output.bom, form)
    check_open(output.open, form, output.out)
    _check_mean(output)
    inputs = [graded.file, *files_of_metrics(metrics)]
    if graded.grades:
        inputs.append(graded.grades)
    check_outputs({"--out": output.out, "--mean": output.mean}, inputs)
    return form


def _check_mean(output: _MeanOutput) -> None:
    """Refuse a mean without its file, and options of a mean that is not asked for."""
    if output.mean is None:
        if output.mean_folds != "items":
            raise OptionError("--mean-folds is an option of --mean: give --mean FILE too.")
        return
    if output.mean.suffix.lower() != ".json":
        raise OptionError(
            "--mean: the file's name must end in .json, by which -m recognizes a mean. "
            f"Got {shorten(str(output.mean))}."
        )
    check_file(output.mean)


def _write_mean(correlation: Correlation, path: Path, alpha: float, output: _MeanOutput) -> None:
    """Write the mean of metrics that agrees best, and say on standard error which it is."""
    from tercet.correlation.best_mean import best_mean
    from tercet.statistics.progress import bars_within, line_of

    with bars_within(output.progress), line_of(f"choosing the weights of {path}"):
        best = best_mean(correlation, unit=output.mean_folds)
    best.mean.save(path)
    for line in [*best.summary(alpha), path]:
        typer.echo(visible(line), err=True)


def _in_format(correlation: Correlation, format: ScoreFormat, out: Path | None) -> str:
    """Return a correlation as a text in any format but that of workbooks."""
    from tercet.correlation.tables import in_format, to_text

    from .output import command_line, has_colours, in_terminal

    if format == "html":
        # Imported here: no other format needs templates.
        from tercet.report.correlation import trust_html

        return trust_html(correlation, command=command_line())
    if format == "text":
        from rich.console import Console

        is_seen = in_terminal(out)
        width = 120
        if is_seen:
            width = Console().width
        return to_text(correlation, width=width, colour=has_colours(out), wraps=is_seen)
    return in_format(correlation, format)
