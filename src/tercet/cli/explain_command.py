"""``tercet explain``: why a segment scores as it does, or why another package gives a different score."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import typer

from tercet.errors import InputError, OptionError, shorten
from tercet.files.writing import check_outputs
from tercet.registry import in_suite

from .completion import metrics_like
from .input import files_of_metrics, read_metrics, report_on
from .metric_arguments import MetricCommand
from .options import (
    HOW_METRICS_ARE_WRITTEN,
    Encoding,
    OptionGroup,
    ReferenceColumns,
    References,
    Sheet,
    SourceColumn,
    SystemColumn,
    Systems,
    takes_groups,
)
from .output_options import OPENS

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.test_sets.test_set import TestSet

#: How many segments are shown with --against, unless --items says it.
_N_GAPS = 5


@dataclass(init=False, eq=False, repr=False)
class _ExplainedTexts(OptionGroup):
    """What is explained: a metric's scores of files, or those of another package; and how the files are read."""

    arguments: list[str] = typer.Argument(
        metavar="[METRIC] FILES",
        help="A metric, as bleu or chrf, and files, as for tercet compare: tables with named columns, or text files. "
        "The metric is written as for --metric, and left out where that is given. Default: bleu.",
        show_default=False,
    )
    against: str | None = typer.Option(None, "--against", "-a", help="Package to explain")
    references: References = None
    source: str | None = typer.Option(None, metavar="FILE", help="Text file of sources, when systems are text files.")
    system: Systems = None
    reference_column: ReferenceColumns = None
    source_column: SourceColumn = None
    system_column: SystemColumn = None
    encoding: Encoding = None
    sheet: Sheet = None

    def inputs(self, files: Sequence[str]) -> list[str]:
        """Return all input files: those among the arguments, and those that options name."""
        from tercet.test_sets.input_files import paths_of

        inputs = [*paths_of(files), *(self.references or ())]
        if self.source:
            inputs.append(self.source)
        return inputs

    def test_sets(self, files: Sequence[str], metrics: Sequence[Metric]) -> list[TestSet]:
        """Read the files, and warn of problems in them."""
        from tercet.test_sets.read import read_test_sets

        test_sets = read_test_sets(
            files,
            references=self.references or (),
            source=self.source,
            systems=self.system or (),
            reference_columns=self.reference_column or (),
            source_column=self.source_column,
            system_column=self.system_column,
            need_references=any(metric.takes_references for metric in metrics),
            need_texts=True,
            encoding=self.encoding or "",
            sheet=self.sheet or "",
        )
        return [report_on(test_set) for test_set in test_sets]


@dataclass(init=False, eq=False, repr=False)
class _ExplainedScores(OptionGroup):
    """The metrics, and which part of their scores is explained."""

    metric: list[str] | None = typer.Option(
        None,
        "--metric",
        "-m",
        metavar="METRIC",
        autocompletion=metrics_like,
        help="One metric or several, with options: see below. Repeatable. With --against, the other package "
        "gets the options too, where it has them. Scores are in percent unless scale=1 is given.",
    )
    segment: int | None = typer.Option(
        None,
        min=1,
        metavar="N",
        help="Number of the segment that is explained; default: the one that tells the systems apart best; of one "
        "system, the one that scores worst.",
    )
    their_option: list[str] | None = typer.Option(
        None, metavar="NAME=VALUE", help="Option for the other package only, by tercet's name for it; repeatable."
    )
    items: int | None = typer.Option(
        None, min=0, help="With --against, how many segments to show, of those that differ most; default: 5."
    )

    def check(self, against: str | None) -> None:
        """Refuse options of a segment with --against, and those of --against without it."""
        if against is not None:
            if self.segment is not None:
                raise OptionError("--segment is an option without --against.")
            return
        if self.their_option is not None:
            raise OptionError("--their-option is an option with --against.")
        if self.items is not None:
            raise OptionError("--items is an option with --against.")


@dataclass(init=False, eq=False, repr=False)
class _ExplainOutput(OptionGroup):
    """Destination and format of the explanation."""

    format: Literal["text", "json", "html"] | None = typer.Option(
        None,
        "--format",
        "-f",
        help="Output format. Default: by the extension of --out (.html, .json or .txt), else text.",
    )
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="FILE", help="Output file; default: standard output."
    )
    open: bool = typer.Option(False, "--open", help=OPENS)


class ExplainCommand(MetricCommand):
    """The command; its help lists the packages of each metric, so only it imports them."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        from tercet.comparison.packages.peer_packages import packages_in_words

        against: Any = next(parameter for parameter in self.params if parameter.name == "against")
        against.help = f"Explain the scores of a package instead of a segment: {packages_in_words()}."
        super().format_help(ctx, formatter)


app = typer.Typer(rich_markup_mode=None)


@app.command("explain", cls=ExplainCommand, epilog=HOW_METRICS_ARE_WRITTEN)
@takes_groups
def explain_command(texts: _ExplainedTexts, scores: _ExplainedScores, output: _ExplainOutput) -> None:
    """Show why a segment scores as it does: its matches, and the numbers behind the score.

    With --against, show why another package gives a different score: ours, theirs, and the effect of each rule.
    """
    from .output import check_can_write, check_open, chosen_format, has_colours, width_of, write

    against = texts.against
    out = output.out
    scores.check(against)
    form = chosen_format(output.format, out, (".html", ".htm", ".json", ".txt", ""))
    if against is not None and form == "html":
        raise OptionError("--against gives text or JSON, not HTML.")
    metric_texts, files = _metrics_and_files(scores.metric, texts.arguments)
    if against is not None:
        _check_peers(metric_texts, against)
    metrics = read_metrics(metric_texts)
    their_options = _read_options(scores.their_option or ())
    if not files:
        raise InputError(f"No file was given, only the metric {shorten(texts.arguments[0])}; expected METRIC FILES.")
    check_can_write(form, out)
    check_open(output.open, form, out)
    check_outputs({"--out": out}, [*texts.inputs(files), *files_of_metrics(metrics)])
    test_sets = texts.test_sets(files, metrics)
    view = _View(form, width_of(out), has_colours(out))
    if against is None:
        text = _explained_segments(test_sets, metrics, scores.segment, view)
    else:
        n_gaps = _N_GAPS
        if scores.items is not None:
            n_gaps = scores.items
        text = _explained_package(test_sets, metrics, _Package(against, their_options, n_gaps), view)
    write(text, out, form, opens=output.open)


class _View(NamedTuple):
    """How explanations are shown."""

    form: str
    width: int
    colour: bool


class _Package(NamedTuple):
    """The other package, whose scores are explained."""

    name: str
    #: For it alone.
    options: Mapping[str, Any]
    #: How many segments are shown, of those that differ most.
    n_gaps: int


def _metrics_and_files(metric: Sequence[str] | None, arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the texts of the metrics: of --metric, the first argument, or BLEU; and the files."""
    if metric:
        return metric, arguments
    if _is_file(arguments[0]):
        return ["bleu"], arguments
    return arguments[:1], arguments[1:]


def _check_peers(metric_texts: Sequence[str], against: str) -> None:
    """Refuse metrics that this package does not have, before a metric requires its options."""
    from tercet.comparison.packages.peer_packages import checked_peers
    from tercet.specs import split_metric

    for text in metric_texts:
        metric_type, _ = split_metric(text, imports=True)
        if not in_suite(metric_type):
            raise OptionError(f"--against explains metrics of the suite, and {shorten(text)} is not one of them.")
        checked_peers(metric_type.name, against)


def _is_file(argument: str) -> bool:
    """Return whether an argument is a file, perhaps with a name, and not a metric, perhaps with options."""
    name, _, path = argument.partition("=")
    return os.path.exists(argument) or (":" not in name and os.path.exists(path))


def _explained_segments(
    test_sets: Sequence[TestSet], metrics: Sequence[Metric], segment: int | None, view: _View
) -> str:
    """Return why a segment of each test set has its scores."""
    from tercet.comparison.one_segment.explained_segment import explain_segment
    from tercet.comparison.one_segment.terminal import to_text
    from tercet.statistics.progress import bars_within
    from tercet.table_formats import json_text

    with bars_within(sys.stderr.isatty()):
        explanations = [
            explain_segment(test_set, metric, segment) for test_set, metric in product(test_sets, metrics)
        ]
    if view.form == "json":
        rows: list[dict[str, Any]] = []
        for explanation in explanations:
            rows += explanation.to_dict()
        return json_text(rows)
    if view.form == "html":
        from tercet.report.explained import to_html

        return to_html(explanations)
    return to_text(explanations, width=view.width, colour=view.colour)


def _explained_package(
    test_sets: Sequence[TestSet], metrics: Sequence[Metric], package: _Package, view: _View
) -> str:
    """Return why another package gives other scores."""
    from tercet.comparison.packages.package_differences import explain_difference
    from tercet.statistics.progress import bars_within, line_of
    from tercet.test_sets.checks import check_references

    from .explained_package import SystemDifference, to_json, to_text

    differences = []
    for test_set, metric in product(test_sets, metrics):
        check_references(test_set, metric, metric.name)
        settings: dict[str, Any] = {
            "against": package.name,
            "their_options": package.options,
            "n_gaps": package.n_gaps,
            "scale": 100,
            **metric.written,
        }
        for system, texts in test_set.systems.items():
            with bars_within(sys.stderr.isatty()), line_of(f"{system}: {metric.name} and {package.name}"):
                difference = explain_difference(metric.name, texts, test_set.references, **settings)
            differences.append(SystemDifference(test_set.name, system, difference))
    if view.form == "json":
        return to_json(differences)
    return to_text(differences, view.width, colour=view.colour)


def _read_options(option_texts: Sequence[str]) -> dict[str, Any]:
    """Return the options given as ``name=value``, with values parsed as those of a metric."""
    from tercet.specs import parse_value

    options: dict[str, Any] = {}
    for text in option_texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or name.strip() in options:
            raise OptionError(f"Options are written name=value, each once. Got {shorten(text)}.")
        options[name.strip()] = parse_value(value.strip())
    return options
