"""Metrics as a command takes them: several after one ``-m``; what is said of those that are given otherwise."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import typer

from tercet.errors import OptionError, shorten
from tercet.names_as_shown import joined
from tercet.registry import CLASS_NAMES, METRICS, SHORT_NAMES, metric_class

from .help import Command

#: What click raises for a wrong command line: typer has a copy of click in some versions, and imports it in others.
_UsageError: Any = typer.BadParameter.__mro__[1]

_METRIC = ("-m", "--metric")

#: Names that other packages give to options of metrics, and tercet to options of its own commands.
_OPTIONS_OF_COMMANDS = ("metrics", "baseline")

#: How alike an unknown option and one of the command must be to be the same word, as --metrics and --metric.
_ALIKE_OPTION = 0.8
#: How alike a word and the name of a metric must be to be taken for the same, as chrff and chrf.
_ALIKE_METRIC = 0.75


class MetricCommand(Command):
    """A command with ``--metric``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; OptionError where an option belongs to a metric, or is the name of one."""
        arguments = args
        if not ctx.resilient_parsing:
            arguments = with_m_before_each_metric(f"tercet {self.name}", args)
        all_arguments = list(arguments)
        try:
            return super().parse_args(ctx, arguments)
        except _UsageError as error:
            # Of all errors of usage, only that of an unknown option has this attribute.
            if not hasattr(error, "possibilities"):
                raise
            unknown = str(getattr(error, "option_name", ""))
            known_options = [option for parameter in self.params for option in parameter.opts]
            # An option that is nearly one of the command is a typo, to which click has an answer.
            if get_close_matches(unknown, known_options, cutoff=_ALIKE_OPTION):
                raise
            # click takes arguments out of the list as it reads them: the last that it took has the unknown option.
            index = len(all_arguments) - len(arguments) - 1
            answer = _how_written(unknown, all_arguments, index)
            if not answer:
                raise
            raise OptionError(f"There is no option {unknown}. {answer}") from None


# Several metrics after one -m.


def with_m_before_each_metric(command: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-m`` before each metric that follows another; OptionError where it may be a file.

    >>> with_m_before_each_metric("tercet score", ["-m", "bleu", "chrf:word_order=2", "base.txt"])
    ['-m', 'bleu', '-m', 'chrf:word_order=2', 'base.txt']
    """
    separate: list[str] = []
    # Whether this argument is the value of an -m before it, and whether it stands behind a metric.
    needs_value = False
    follows_metric = False
    for index, argument in enumerate(arguments):
        if argument == "--":
            # All that follows are files.
            return [*separate, *arguments[index:]]
        if follows_metric and _is_metric(argument):
            if os.path.exists(argument):
                raise _metric_or_file(command, arguments, index)
            separate.append("-m")
        else:
            if follows_metric:
                _check_no_typo(argument)
                _check_no_option(argument, _value_within(separate[-1]) or separate[-1])
            follows_metric = needs_value or bool(_value_within(argument))
        needs_value = not needs_value and argument in _METRIC
        separate.append(argument)
    return separate


def _is_metric(argument: str) -> bool:
    """Return whether an argument is the name of a metric, perhaps with options."""
    name = _name_of(argument)
    return name in METRICS or name in SHORT_NAMES


def _check_no_typo(argument: str) -> None:
    """Raise an OptionError for what follows a metric and is no file, but nearly the name of another metric."""
    if argument.startswith("-") or os.path.exists(argument):
        return
    name = _name_of(argument)
    near = get_close_matches(name.lower(), [*SHORT_NAMES, *METRICS], n=1, cutoff=_ALIKE_METRIC)
    if near:
        raise OptionError(f"There is no file and no metric {shorten(name)}. Did you mean {shorten(near[0])}?")


def _check_no_option(argument: str, metric: str) -> None:
    """Raise an OptionError for what follows a metric and is no named file, but an option of it, as lowercase=true."""
    option, equals, value = argument.partition("=")
    if not equals or not _is_metric(metric) or os.path.exists(value) or os.path.exists(argument):
        return
    if option in metric_class(_name_of(metric)).all_options():
        raise OptionError(
            f"There is no file {shorten(value)}. Options of a metric follow its name and a colon: "
            f"-m {shlex.quote(_with_option(metric, argument))}"
        )


def _name_of(spec: str) -> str:
    """Return the name of a metric, without the options behind it."""
    return spec.partition(":")[0]


def _with_option(spec: str, assignment: str) -> str:
    """Return a metric with one more option, as it is written: behind a colon, or the options that are there."""
    separator = ":"
    if separator in spec:
        separator = ","
    return f"{spec}{separator}{assignment}"


def _value_within(argument: str) -> str:
    """Return the metric of an argument that is the option with its value, as ``-mbleu``; "" of any other."""
    if argument.startswith("--metric="):
        return argument.removeprefix("--metric=")
    if argument.startswith("-m"):
        return argument.removeprefix("-m")
    return ""


def _metric_or_file(command: str, arguments: Sequence[str], index: int) -> OptionError:
    """Return the error for an argument that is a metric and a file."""
    word = arguments[index]
    before = arguments[:index]
    after = arguments[index + 1 :]
    as_metric = shlex.join([*before, "-m", word, *after])
    as_file = shlex.join([*before, os.path.join(os.curdir, word), *after])
    return OptionError(
        f"{word} is a metric, and a file here. For the metric: {command} {as_metric}. For the file: "
        f"{command} {as_file}"
    )


# An option or the name of a metric, given as an option of the command.


def _how_written(unknown: str, arguments: Sequence[str], index: int) -> str:
    """Return how the option or the name of a metric is written that a user gave as an option of the command.

    Empty where it is neither. The argument with this index has it, alone or in a cluster of short options.

    >>> _how_written("--smooth_method", ["a.tsv", "--smooth_method", "exp"], 1)
    'It is an option of bleu and diversity: write it behind the metric and a colon, as in -m bleu:smooth_method=exp'
    >>> _how_written("--chrf", ["a.tsv", "--chrf"], 1)
    'A metric is given with -m: -m chrf'
    """
    from tercet.base.unknown_names import what_is
    from tercet.registry import known_as

    word = unknown.lstrip("-").replace("-", "_")
    names = {name.lower(): name for name in (*METRICS, *SHORT_NAMES)}
    names |= {name.lower(): short for name, short in zip(CLASS_NAMES, SHORT_NAMES, strict=True)}
    if word.lower() in names:
        return f"A metric is given with -m: -m {names[word.lower()]}"
    # The metrics that were asked for, as the user wrote them: with the options that they have.
    spec_of: dict[str, str] = {}
    for spec in _metrics_given(arguments):
        spec_of.setdefault(_name_of(spec), spec)
    # Of these, or else of any.
    option_of_metric = _options_called(word, list(spec_of)) or _options_called(word, list(SHORT_NAMES))
    if not option_of_metric:
        return what_is(word) or known_as(word) or ""
    metric, option = next(iter(option_of_metric.items()))
    value = _as_value_of(metric, option, _value_given(unknown, arguments, index))
    example = _with_option(spec_of.get(metric, metric), f"{option}={value}")
    return (
        f"It is an option of {joined(list(option_of_metric))}: write it behind the metric and a colon, as in "
        f"-m {shlex.quote(example)}"
    )


def _metrics_given(arguments: Sequence[str]) -> list[str]:
    """Return the values of ``--metric``, as they were written."""
    specs = [after for before, after in pairwise(arguments) if before in _METRIC]
    return specs + list(filter(None, map(_value_within, arguments)))


def _options_called(word: str, metrics: Sequence[str]) -> dict[str, str]:
    """Return the metrics with an option of this name, or of this name in another package, and how it is called."""
    from tercet.base.unknown_names import OTHER_NAMES

    option_of_metric: dict[str, str] = {}
    for metric in metrics:
        if metric not in METRICS and metric not in SHORT_NAMES:
            continue
        metric_type = metric_class(metric)
        options = metric_type.options()
        names = [word]
        if word not in _OPTIONS_OF_COMMANDS:
            names += [dialect.arguments.get(word, "") for dialect in metric_type.dialects.values()]
            names += OTHER_NAMES.get(word, ())
        known_names = [name for name in names if name in options]
        if known_names:
            option_of_metric[metric] = known_names[0]
    exact = {metric: option for metric, option in option_of_metric.items() if option == word}
    return exact or option_of_metric


def _value_given(unknown: str, arguments: Sequence[str], index: int) -> str:
    """Return the value that followed an unknown option; "" without one."""
    if unknown.startswith("--"):
        _, equals, value = arguments[index].partition("=")
        if equals:
            return value
    else:
        # In a cluster, as -qn or -n4: letters are further short options.
        _, _, value = arguments[index].partition(unknown[1:])
        value = value.removeprefix("=")
        if value.isalpha():
            value = ""
    following = arguments[index + 1 : index + 2]
    if not value and following and not following[0].startswith("-"):
        return following[0]
    return value


def _as_value_of(metric: str, option: str, value: str) -> str:
    """Return a value as a metric takes it: "true" for a flag, "..." without one."""
    from tercet.option_checks import flag

    if metric_class(metric).options()[option].check is flag:
        is_written = value.lower() in ("true", "false", "yes", "no", "on", "off", "1", "0")
        if is_written:
            return value.lower()
        return "true"
    if not value:
        return "..."
    if value[0] in "[{":
        return value
    # The words of a list are joined by +, as a comma separates options.
    return value.replace(",", "+")
