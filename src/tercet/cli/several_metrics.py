"""Several metrics after one ``-m``, as sacrebleu takes them: ``-m bleu chrf``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from difflib import get_close_matches

from tercet.errors import OptionError, shorten
from tercet.registry import METRICS, SHORT_NAMES

_OPTIONS = ("-m", "--metric")

#: How alike a word and the name of a metric must be to be taken for the same, as chrff and chrf.
_ALIKE = 0.75


def with_options_of_their_own(command: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-m`` before each metric that follows another; OptionError where it may be a file.

    >>> with_options_of_their_own("tercet score", ["-m", "bleu", "chrf:word_order=2", "base.txt"])
    ['-m', 'bleu', '-m', 'chrf:word_order=2', 'base.txt']
    """
    separate: list[str] = []
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
            follows_metric = needs_value or _holds_metric(argument)
        needs_value = not needs_value and argument in _OPTIONS
        separate.append(argument)
    return separate


def _is_metric(argument: str) -> bool:
    """Return whether an argument is the name of a metric, perhaps with options."""
    name = argument.partition(":")[0]
    return name in METRICS or name in SHORT_NAMES


def _check_no_typo(argument: str) -> None:
    """Raise an OptionError for what follows a metric and is no file, but nearly the name of another metric."""
    name = argument.partition(":")[0]
    if argument.startswith("-") or os.path.exists(argument):
        return
    near = get_close_matches(name.lower(), [*SHORT_NAMES, *METRICS], n=1, cutoff=_ALIKE)
    if near:
        raise OptionError(f"There is no file and no metric {shorten(name)}. Did you mean {shorten(near[0])}?")


def _holds_metric(argument: str) -> bool:
    """Return whether an argument is the option with its value, as ``-mbleu`` and ``--metric=bleu``."""
    is_short = argument.startswith("-m") and argument != "-m"
    return is_short or argument.startswith("--metric=")


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
