"""Commands that take metrics: they say how an option or the name of a metric is written."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand

from tercet.errors import OptionError
from tercet.registry import CLASS_NAMES, METRICS, SHORT_NAMES

#: What click raises for a wrong command line: typer has a copy of click in some versions, and imports it in others.
_UsageError: Any = typer.BadParameter.__mro__[1]

#: Names that other packages give to options of metrics, and tercet to options of its own commands.
_OPTIONS_OF_COMMANDS = ("metrics", "baseline")

#: How alike an unknown option and one of the command must be to be the same word, as --metrics and --metric.
_ALIKE = 0.8


class MetricCommand(TyperCommand):
    """A command with ``--metric``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; OptionError where an option belongs to a metric, or is the name of one."""
        written = list(args)
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            if not hasattr(error, "possibilities"):  # of all errors of usage, only an unknown option's has it
                raise
            unknown = str(getattr(error, "option_name", ""))
            own = [option for parameter in self.params for option in parameter.opts]
            answer = "" if get_close_matches(unknown, own, cutoff=_ALIKE) else how_written(unknown, written)
            if not answer:
                raise
            raise OptionError(f"There is no option {unknown}. {answer}") from None


def how_written(unknown: str, arguments: Sequence[str]) -> str:
    """Return how the option or the name of a metric is written that a user gave as an option of the command.

    Empty where it is neither.

    >>> how_written("--smooth_method", ["a.tsv", "--smooth_method", "exp"])
    'It is an option of bleu and diversity: write it behind the metric and a colon, as in -m bleu:smooth_method=exp'
    >>> how_written("--chrf", ["a.tsv", "--chrf"])
    'A metric is given with -m: -m chrf'
    """
    from tercet.metric.elsewhere import what_is
    from tercet.registry import metric_class

    word = unknown.lstrip("-").replace("-", "_")
    names = {name.lower(): name for name in (*METRICS, *SHORT_NAMES)}
    names |= {name.lower(): short for name, short in zip(CLASS_NAMES, SHORT_NAMES, strict=True)}
    if word.lower() in names:
        return f"A metric is given with -m: -m {names[word.lower()]}"
    specs = _specs(arguments)
    options = _options_called(word, [spec.partition(":")[0] for spec in specs] or list(SHORT_NAMES))
    options = options or _options_called(word, list(SHORT_NAMES))
    if options:
        metric, option = next(iter(options.items()))
        spec = next((spec for spec in specs if spec.partition(":")[0] == metric), metric)
        setting = f"{option}={_value_of(unknown, arguments, metric, option)}"
        example = shlex.quote(f"{spec}{',' if ':' in spec else ':'}{setting}")
        *first, last = options
        named = f"{', '.join(first)} and {last}" if first else last
        return f"It is an option of {named}: write it behind the metric and a colon, as in -m {example}"
    return what_is(word) or next(filter(None, (metric_class(metric).known_as(word) for metric in METRICS)), "")


def _specs(arguments: Sequence[str]) -> list[str]:
    """Return the metrics of a command line, as they are written."""
    following = [after for before, after in pairwise(arguments) if before in ("-m", "--metric")]
    return [*following, *(each.partition("=")[2] for each in arguments if each.startswith("--metric="))]


def _options_called(word: str, metrics: Sequence[str]) -> dict[str, str]:
    """Return the metrics with an option of this name, or of this name in another package, and how it is called."""
    from tercet.metric.known_names import OTHER_NAMES
    from tercet.registry import metric_class

    meant: dict[str, str] = {}
    for metric in metrics:
        if metric not in METRICS and metric not in SHORT_NAMES:
            continue
        declared = metric_class(metric)
        options, names = declared.options(), [word]
        if word not in _OPTIONS_OF_COMMANDS:
            names += [dialect.arguments.get(word, "") for dialect in declared.dialects.values()]
            names += OTHER_NAMES.get(word, ())
        if name := next((name for name in names if name in options), ""):
            meant[metric] = name
    exact = {metric: option for metric, option in meant.items() if option == word}
    return exact or meant


def _value_of(unknown: str, arguments: Sequence[str], metric: str, option: str) -> str:
    """Return the value that followed an option, as a metric takes it; "true" for a flag, "..." without one."""
    from tercet.checks import flag
    from tercet.registry import metric_class

    place = next(index for index, each in enumerate(arguments) if each.partition("=")[0] == unknown)
    _, equals, value = arguments[place].partition("=")
    following = arguments[place + 1 : place + 2]
    if not equals and following and not following[0].startswith("-"):
        value = following[0]
    if metric_class(metric).options()[option].check is flag:
        return value.lower() if value.lower() in ("true", "false", "yes", "no", "on", "off", "1", "0") else "true"
    # The words of a list are joined by +, as a comma separates options.
    return value.replace(",", "+") if value and value[0] not in "[{" else value or "..."
