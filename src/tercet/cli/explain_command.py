"""``tercet explain``: why a segment scores as it does, or why another package gives a different score."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tercet.errors import InputError, OptionError, shorten
from tercet.files.writing import check_outputs
from tercet.names_as_shown import one_cell, visible
from tercet.registry import in_suite, metric_class

from .metric_arguments import MetricCommand
from .options import (
    HOW_METRICS_ARE_WRITTEN,
    OPENS,
    Encoding,
    ReferenceColumns,
    References,
    Sheet,
    SourceColumn,
    SystemColumn,
    Systems,
    metrics_like,
    read_metrics,
    reported,
)

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.packages.package_differences import Difference, Rule
    from tercet.test_sets.test_set import TestSet

#: Characters that the words of a table and a column of scores need: how many scores stand side by side.
_WORDS_WIDTH = 44
_SCORE_WIDTH = 17

#: Scores of two packages nearer than this are equal, as those of sums in another order.
_SAME = 1e-6


Arguments = Annotated[
    list[str],
    typer.Argument(
        metavar="[METRIC] FILES",
        help="A metric, as bleu or chrf, and files, as for tercet compare: tables with named columns, or text files. "
        "The metric is written as for --metric, and left out where that is given. Default: bleu.",
        show_default=False,
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="METRIC",
        autocompletion=metrics_like,
        help="One metric or several, with options: see below. Repeatable. With --against, the other package "
        "gets the options too, where it has them. Scores are in percent unless scale=1 is given.",
    ),
]
_TheirOptions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="Option for the other package only, by tercet's name for it; repeatable."
    ),
]
Source = Annotated[
    str | None, typer.Option(metavar="FILE", help="Text file of sources, when systems are text files.")
]
Segment = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Number of the segment that is explained; default: the one that tells the systems apart best; of one "
        "system, the one that scores worst.",
    ),
]
_Form = Annotated[
    Literal["text", "json", "html"] | None,
    typer.Option(
        "--format", "-f", help="Output format. Default: by the extension of --out (.html, .json or .txt), else text."
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Output file; default: standard output.")
]


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
def explain(
    arguments: Arguments,
    against: Annotated[str | None, typer.Option("--against", "-a", help="Package to explain")] = None,
    references: References = None,
    source: Source = None,
    system: Systems = None,
    reference_column: ReferenceColumns = None,
    source_column: SourceColumn = None,
    system_column: SystemColumn = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    metric: Metrics = None,
    segment: Segment = None,
    their_option: _TheirOptions = None,
    items: Annotated[
        int | None,
        typer.Option(min=0, help="With --against, how many segments to show, of those that differ most; default: 5."),
    ] = None,
    format: _Form = None,
    out: Out = None,
    opens: Annotated[bool, typer.Option("--open", help=OPENS)] = False,
) -> None:
    """Show why a segment scores as it does: its matches, and the numbers behind the score.

    With --against, show why another package gives a different score: ours, theirs, and the effect of each rule.
    """
    from tercet.test_sets.names import paths_of
    from tercet.test_sets.read import read_test_sets

    from .output import check_before, check_open, chosen_format, coloured, write

    _check_options(against, segment=segment, their_option=their_option, items=items)
    form = chosen_format(format, out, (".html", ".htm", ".json", ".txt", ""))
    if against is not None and form == "html":
        raise OptionError("--against gives text or JSON, not HTML.")
    metric_texts, files = _metrics_and_files(metric, arguments)
    if against is not None:
        _check_peers(metric_texts, against)
    metrics = read_metrics(metric_texts)
    their_options = _read_options(their_option or ())
    if not files:
        raise InputError(f"No file was given, only the metric {shorten(arguments[0])}; expected METRIC FILES.")
    check_before(form, out)
    check_open(opens, form, out)
    check_outputs({"--out": out}, [*paths_of(files), *(references or ()), *filter(None, [source])])
    test_sets = read_test_sets(
        files,
        references=references or (),
        source=source,
        systems=system or (),
        reference_columns=reference_column or (),
        source_column=source_column,
        system_column=system_column,
        need_references=any(each.takes_references for each in metrics),
        need_texts=True,
        encoding=encoding or "",
        sheet=sheet or "",
    )
    test_sets = [reported(test_set) for test_set in test_sets]
    width = 120
    if out is None:
        width = Console().width
    view = _View(form, width, coloured(out))
    if against is None:
        text = _of_segments(test_sets, metrics, segment, view)
    else:
        package = _Package(against, their_options)
        if items is not None:
            package = package._replace(n_gaps=items)
        text = _of_package(test_sets, metrics, package, view)
    write(text, out, form, opens=opens)


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
    n_gaps: int = 5


def _check_options(
    against: str | None, *, segment: int | None, their_option: Sequence[str] | None, items: int | None
) -> None:
    """Refuse options of a segment with --against, and those of --against without it."""
    if against is not None:
        if segment is not None:
            raise OptionError("--segment is an option without --against.")
        return
    if their_option is not None:
        raise OptionError("--their-option is an option with --against.")
    if items is not None:
        raise OptionError("--items is an option with --against.")


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


def _of_segments(test_sets: Sequence[TestSet], metrics: Sequence[Metric], segment: int | None, view: _View) -> str:
    """Return why a segment of each test set has its scores."""
    from tercet.comparison.one_segment.explained_segment import explain_segment, to_text
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


class _SystemDifference(NamedTuple):
    """Why the other package gives a system another score."""

    test_set: str
    system: str
    difference: Difference


def _of_package(test_sets: Sequence[TestSet], metrics: Sequence[Metric], package: _Package, view: _View) -> str:
    """Return why another package gives other scores."""
    from tercet.comparison.packages.package_differences import explain_difference
    from tercet.statistics.progress import bars_within, line_of
    from tercet.table_formats import to_terminal
    from tercet.test_sets.checks import check_references

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
            differences.append(_SystemDifference(test_set.name, system, difference))
    if view.form == "json":
        return to_json(differences)
    parts: list[Any] = []
    for name, system, difference in differences:
        parts += shown(difference, f"{name}: {system}", view.width)
    return to_terminal(parts, view.width, view.colour)


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


def to_json(differences: Sequence[_SystemDifference]) -> str:
    """Return explanations as a JSON list, an object for each system of each test set."""
    from tercet.table_formats import finite_or_none

    rows = []
    for test_set, system, difference in differences:
        row: dict[str, Any] = {"test_set": test_set, "system": system, **asdict(difference), "same": difference.same}
        for rule_fields, rule in zip(row["rules"], difference.rules, strict=True):
            rule_fields |= {"change": rule.change, "has_effect": rule.has_effect}
        rows.append(row)
    return json.dumps(finite_or_none(rows), ensure_ascii=False, indent=2, default=str, allow_nan=False)


def shown(difference: Difference, title: str, width: int) -> Iterator[Any]:
    """Yield an explanation: both numbers, the rules between them, and the segments that differ most."""
    lower = " (lower is better)"
    if metric_class(difference.metric).higher_is_better:
        lower = ""
    heading = one_cell(f"{title}: {difference.metric} against {difference.against}{lower}")
    # As many scores beside each other as the terminal has room for.
    at_once = max(1, (width - _WORDS_WIDTH) // _SCORE_WIDTH)
    for start in range(0, len(difference.names), at_once):
        yield _chain_table(difference, difference.names[start : start + at_once], heading)
    yield from map(visible, _findings(difference))
    if difference.largest_gaps:
        yield _gaps_table(difference)


def _chain_table(difference: Difference, names: Sequence[str], heading: str) -> Table:
    """Return the chain from ours to theirs, one row per rule."""
    table = Table(title=escape(heading), box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("rule", overflow="fold")
    table.add_column("ours → theirs", overflow="fold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("ours", "", *_score_cells(difference.ours, names), style="bold")
    for rule in difference.rules:
        values = escape(visible(f"{rule.from_value} → {rule.to_value}"))
        rule_in_words = f"{escape(rule.name)}\n[dim]{escape(rule.description)}[/]"
        changes = ["no effect here"]
        if rule.has_effect:
            changes = [_signed(rule, name) for name in names]
        table.add_row(rule_in_words, values, *changes)
    table.add_row(f"compat={difference.against}", "", *_score_cells(difference.equal_to, names), style="bold")
    if difference.theirs is not None:
        table.add_row(f"{difference.against} itself", "", *_score_cells(difference.theirs, names), style="bold")
    return table


def _findings(difference: Difference) -> list[str]:
    """Return sentences on the scores of both, in the order in which they are read."""
    lines = []
    if difference.same:
        ours = "score of the corpus equals that"
        if len(difference.names) > 1:
            ours = "scores of the corpus equal those"
        equal_to = f"compat={difference.against}"
        if _equals_package(difference):
            equal_to = difference.against
        lines.append(f"Our {ours} of {equal_to}.")
    else:
        for name in difference.names:
            rule = difference.decisive(name)
            if rule is not None:
                lines.append(f"{name} changes most with {rule.name}: {rule.description}.")
    if difference.unavailable:
        missing = "Not all of it"
        if difference.theirs is None:
            missing = "Not called"
        lines.append(f"{missing}: {difference.unavailable}.")
    lines += [f"Note: {note.rstrip('.')}." for note in difference.notes]
    lines.append(f"{difference.n_segments_differ} of {difference.n_segments} segments differ.")
    return lines


def _equals_package(difference: Difference) -> bool:
    """Return whether the other package was called, and gave our scores."""
    theirs = difference.theirs
    if theirs is None:
        return False
    return all(abs(difference.ours[name] - theirs.get(name, math.inf)) <= _SAME for name in difference.names)


def _gaps_table(difference: Difference) -> Table:
    """Return a table of the items that differ most, each with its most different score."""
    table = Table(title="Segments that differ most", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("segment", justify="right")
    table.add_column("score")
    table.add_column("ours", justify="right")
    table.add_column("theirs", justify="right")
    for gap in difference.largest_gaps:
        name = max(gap.ours, key=lambda name: abs(gap.ours[name] - gap.theirs[name]))
        table.add_row(str(gap.index + 1), name, f"{gap.ours[name]:.4f}", f"{gap.theirs[name]:.4f}")
    return table


def _score_cells(scores: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [f"{scores[name]:.4f}" if name in scores else "–" for name in names]


def _signed(rule: Rule, name: str) -> str:
    change = rule.change[name]
    # Smaller changes would be 0 with four decimals.
    if abs(change) >= 5e-5:
        return f"{change:+.4f}"
    return "0" if abs(change) < 1e-9 else f"{change:+.0e}"
