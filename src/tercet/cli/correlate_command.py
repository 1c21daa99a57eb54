"""``tercet correlate``: which metric agrees with human grades."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tercet.comparison.checks import check_file, check_outputs
from tercet.display.visible import visible
from tercet.errors import OptionError, shorten

from .completion import metrics_like
from .score_options import INPUT, OUTPUT, SCORES, Form, Format, Quiet, Seed

if TYPE_CHECKING:
    from tercet.trust.result import Correlation


class Unit(str, Enum):
    """What resamples draw anew."""

    items = "items"
    systems = "systems"
    both = "both"


class Ties(str, Enum):
    """Which scores of a metric are ties."""

    scored = "scored"
    exact = "exact"


class Folds(str, Enum):
    """What folds hold."""

    items = "items"
    systems = "systems"


def correlate_command(
    file: Annotated[
        str,
        typer.Argument(
            help="Table of texts and grades (.tsv, .csv, .jsonl, .xlsx, also .gz): columns such as systemA, systemB, "
            "reference, systemA.content.rater1; or the columns item, system, text, reference, rater, dimension and "
            "value; or JSON Lines with human: {system: {dimension: value}}.",
            show_default=False,
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            rich_help_panel=SCORES,
            metavar="METRIC",
            help="A metric; options stand behind a colon, as in bleu:tokenizer=zh; repeatable. "
            "Default: bleu, unless --scores is given.",
            autocompletion=metrics_like,
        ),
    ] = None,
    grades: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=INPUT,
            metavar="FILE",
            help="Long table of grades with the columns item, system, rater, dimension and value.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=INPUT,
            metavar="DIMENSION",
            help="Dimension that holds scores of a metric made elsewhere, such as COMET; repeatable.",
        ),
    ] = None,
    dimension: Annotated[
        list[str] | None,
        typer.Option(
            "--dimension",
            "-d",
            rich_help_panel=INPUT,
            metavar="DIMENSION",
            help="Dimension of the grades; repeatable. Default: all.",
        ),
    ] = None,
    rank_by: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=SCORES,
            metavar="FIGURE",
            help="Figure that ranks and tests the metrics, such as pooled.pearson, item.kendall_b or system.spa. "
            "Default: item.acc_eq of several systems, pooled.pearson of one.",
        ),
    ] = None,
    unit: Annotated[
        Unit, typer.Option(rich_help_panel=SCORES, help="What the resamples of intervals draw anew.")
    ] = Unit.items,
    n_resamples: Annotated[
        int,
        typer.Option(rich_help_panel=SCORES, metavar="N", min=1, max=1_000_000, help="Resamples of the intervals."),
    ] = 1000,
    n_permutations: Annotated[
        int,
        typer.Option(rich_help_panel=SCORES, metavar="N", min=1, max=1_000_000, help="Permutations of the tests."),
    ] = 1000,
    confidence_level: Annotated[
        float, typer.Option(rich_help_panel=SCORES, metavar="X", min=0.01, max=0.9999, help="Confidence level.")
    ] = 0.95,
    alpha: Annotated[
        float,
        typer.Option(
            rich_help_panel=SCORES, metavar="X", help="Significance level of the clusters, above 0 and below 1."
        ),
    ] = 0.05,
    ties: Annotated[
        Ties,
        typer.Option(
            rich_help_panel=SCORES,
            help="Which scores of a metric are ties: equal to the last bit, or to 12 significant digits (exact).",
        ),
    ] = Ties.scored,
    standardize: Annotated[
        bool, typer.Option("--standardize", rich_help_panel=INPUT, help="Take the z-scores of each rater.")
    ] = False,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            "-s",
            rich_help_panel=INPUT,
            metavar="COLUMN",
            help="Column of a system; repeatable. Default: guessed.",
        ),
    ] = None,
    reference_column: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=INPUT, metavar="COLUMN", help="Column of references; repeatable. Default: guessed."
        ),
    ] = None,
    source_column: Annotated[
        str | None, typer.Option(rich_help_panel=INPUT, metavar="COLUMN", help="Column of sources. Default: guessed.")
    ] = None,
    mean: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=OUTPUT,
            metavar="FILE",
            help="Find the weighted mean of two or three metrics that agrees best with the first dimension, and "
            "write it to this file (.json), which -m of score and compare takes as a metric.",
        ),
    ] = None,
    mean_folds: Annotated[
        Folds,
        typer.Option(
            rich_help_panel=OUTPUT, help="What is held out to test the mean of --mean: items, or whole systems."
        ),
    ] = Folds.items,
    seed: Seed = 12345,
    format: Form = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", rich_help_panel=OUTPUT, metavar="FILE", help="Output file; default: standard output."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Correlate metrics with human grades: which metric to trust, with intervals and tests."""
    from tercet.comparison.metric_specs import parse_metric
    from tercet.comparison.remarks import warn_of
    from tercet.trust.best_mean import best_mean
    from tercet.trust.correlate import correlate
    from tercet.trust.reading import read_graded

    from .output import chosen_format, write

    specs = [parse_metric(each) for each in metric or ([] if scores else ["bleu_multi"])]
    for spec in specs:
        spec.scorer()  # refuses options before the files are read
    if not 0 < alpha < 1:
        raise OptionError(f"--alpha must be a number above 0 and below 1, such as 0.05. Got {alpha:g} instead.")
    form = chosen_format(format, out)
    if form is Format.html:
        from tercet.report.page import check_installed

        check_installed()
    if mean is not None and mean.suffix.lower() != ".json":
        raise OptionError(
            f"--mean: the file's name must end in .json, by which -m knows it for a mean. Got {shorten(str(mean))}."
        )
    if mean is None and mean_folds is not Folds.items:
        raise OptionError("--mean-folds is an option of --mean: give --mean FILE too.")
    for path in (out, mean):
        if path is not None:
            check_file(path)
    inputs = [file, *([] if grades is None else [grades]), *(spec.metric for spec in specs)]
    check_outputs({"--out": out, "--mean": mean}, inputs)
    test_set, known = read_graded(
        file, grades=grades, systems=system or (), reference_columns=reference_column or (),
        source_column=source_column,
    )  # fmt: skip
    warn_of(test_set)
    found = correlate(
        test_set, specs, known, scores=scores or (), dimension=dimension or (), rank_by=rank_by, unit=unit.value,
        n_resamples=n_resamples, n_permutations=n_permutations, confidence_level=confidence_level, alpha=alpha,
        ties=ties.value, standardize=standardize, seed=seed, progress=not quiet and sys.stderr.isatty(),
    )  # fmt: skip
    text = _rendered(found, form, out)
    if mean is not None:
        best = best_mean(found, unit=mean_folds.value)
        best.mean.save(mean)
        typer.echo("\n".join([*map(visible, best.summary(alpha)), visible(mean)]), err=True)
    write(text, out, form)


def _rendered(found: Correlation, format: Format, out: Path | None) -> str:
    if format is Format.html:
        from tercet.report.trust import trust_html  # templates and plots, which no other form needs

        return trust_html(found, command=shlex.join(["tercet", *sys.argv[1:]]))
    from tercet.trust.tables import to_csv, to_json, to_latex, to_markdown, to_text, to_tsv

    forms: dict[Format, Callable[[Correlation], str]] = {
        Format.json: to_json,
        Format.tsv: to_tsv,
        Format.csv: to_csv,
        Format.markdown: to_markdown,
        Format.latex: to_latex,
    }
    if format in forms:
        return forms[format](found)
    terminal = out is None and sys.stdout.isatty()
    return to_text(
        found, width=Console().width if terminal else 120, colour=terminal and "NO_COLOR" not in os.environ
    )
