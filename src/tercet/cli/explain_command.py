"""``tercet explain``: why a segment scores as it does, or why another package gives a different score."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tercet.errors import InputError, OptionError, shorten
from tercet.files.writing import check_outputs
from tercet.names_and_sentences import one_cell, visible
from tercet.registry import in_suite, metric_class

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
from .score_command import MetricCommand

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.package_differences import Difference, Rule
    from tercet.test_sets.test_set import TestSet

#: Characters that the words of a table and a column of scores need: how many scores stand side by side.
_WORDS_WIDTH, _SCORE_WIDTH = 44, 17

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
        from tercet.comparison.package_differences import packages_in_words

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
        need_references=any(metric.takes_references for metric in metrics),
        need_texts=True,
        encoding=encoding or "",
        sheet=sheet or "",
    )
    test_sets = [reported(test_set) for test_set in test_sets]
    width = 120
    if out is None:
        width = Console().width
    colour = coloured(out)
    if against is None:
        text = _of_segments(test_sets, metrics, segment, form=form, width=width, colour=colour)
    else:
        text = _of_package(
            test_sets,
            metrics,
            against,
            their_options=their_options,
            n_gaps=5 if items is None else items,
            form=form,
            width=width,
            colour=colour,
        )
    write(text, out, form, opens=opens)


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
    from tercet.comparison.package_differences import checked_peers
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


def _of_segments(
    test_sets: Sequence[TestSet],
    metrics: Sequence[Metric],
    segment: int | None,
    *,
    form: str,
    width: int,
    colour: bool,
) -> str:
    """Return why a segment of each test set has its scores."""
    from tercet.comparison.segment import explain_segment, to_text
    from tercet.statistics.progress import bars_within
    from tercet.tables import json_text

    with bars_within(sys.stderr.isatty()):
        explanations = [explain_segment(test_set, metric, segment) for test_set in test_sets for metric in metrics]
    if form == "json":
        return json_text([row for explanation in explanations for row in explanation.to_dict()])
    if form == "html":
        from tercet.report.explained import to_html

        return to_html(explanations)
    return to_text(explanations, width=width, colour=colour)


def _of_package(
    test_sets: Sequence[TestSet],
    metrics: Sequence[Metric],
    against: str,
    *,
    their_options: Mapping[str, Any],
    n_gaps: int,
    form: str,
    width: int,
    colour: bool,
) -> str:
    """Return why another package gives other scores."""
    from tercet.comparison.package_differences import explain_difference
    from tercet.statistics.progress import bars_within, line_of
    from tercet.tables import to_terminal
    from tercet.test_sets.checks import check_references

    differences: list[tuple[str, str, Difference]] = []
    for test_set in test_sets:
        for metric in metrics:
            check_references(test_set, metric, metric.name)
            for system, texts in test_set.systems.items():
                settings: dict[str, Any] = {
                    "against": against,
                    "their_options": their_options,
                    "n_gaps": n_gaps,
                    "scale": 100,
                }
                settings |= metric.written
                with bars_within(sys.stderr.isatty()), line_of(f"{system}: {metric.name} and {against}"):
                    difference = explain_difference(metric.name, texts, test_set.references, **settings)
                    differences.append((test_set.name, system, difference))
    if form == "json":
        return to_json(differences)
    parts = [
        part for name, system, difference in differences for part in shown(difference, f"{name}: {system}", width)
    ]
    return to_terminal(parts, width, colour)


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


def to_json(differences: Sequence[tuple[str, str, Difference]]) -> str:
    """Return explanations as a JSON list, an object for each system of each test set."""
    from tercet.tables import finite_or_none

    rows = []
    for test_set, system, difference in differences:
        row: dict[str, Any] = {"test_set": test_set, "system": system, **asdict(difference), "same": difference.same}
        for rule_fields, rule in zip(row["rules"], difference.rules, strict=True):
            rule_fields |= {"change": rule.change, "has_effect": rule.has_effect}
        rows.append(row)
    return json.dumps(finite_or_none(rows), ensure_ascii=False, indent=2, default=str, allow_nan=False)


def shown(difference: Difference, title: str, width: int) -> Iterator[Any]:
    """Yield an explanation: both numbers, the rules between them, and the segments that differ most."""
    lower = "" if metric_class(difference.metric).higher_is_better else " (lower is better)"
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
        changes = [_signed(rule, name) for name in names] if rule.has_effect else ["no effect here"]
        table.add_row(rule_in_words, values, *changes)
    table.add_row(f"compat={difference.against}", "", *_score_cells(difference.equal_to, names), style="bold")
    if difference.theirs is not None:
        table.add_row(f"{difference.against} itself", "", *_score_cells(difference.theirs, names), style="bold")
    return table


def _findings(difference: Difference) -> list[str]:
    lines = []
    if difference.same:
        ours = "scores of the corpus equal those" if len(difference.names) > 1 else "score of the corpus equals that"
        equal_to = f"compat={difference.against}"
        if difference.theirs is not None and all(
            abs(difference.ours[name] - difference.theirs.get(name, math.inf)) <= _SAME for name in difference.names
        ):
            equal_to = difference.against
        lines.append(f"Our {ours} of {equal_to}.")
    for name in difference.names:
        if not difference.same and (rule := difference.decisive(name)) is not None:
            lines.append(f"{name} changes most with {rule.name}: {rule.description}.")
    if difference.unavailable:
        missing = "Not called" if difference.theirs is None else "Not all of it"
        lines.append(f"{missing}: {difference.unavailable}.")
    lines += [f"Note: {note.rstrip('.')}." for note in difference.notes]
    lines.append(f"{difference.n_segments_differ} of {difference.n_segments} segments differ.")
    return lines


def _gaps_table(difference: Difference) -> Table:
    """Return a table of the items that differ most, each with its most different score."""
    table = Table(title="Segments that differ most", box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("segment", "score", "ours", "theirs"):
        table.add_column(name, justify="left" if name == "score" else "right")
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
