"""Shell completion of ``--metric``: names of metrics, their options, and values of these."""

from __future__ import annotations

from tercet.base.options import Option
from tercet.errors import OptionError
from tercet.option_checks import OneOf, flag
from tercet.registry import METRICS, SHORT_NAMES, metric_class


def metrics_like(incomplete: str) -> list[str]:
    """Return the completions of a text: a metric, ``metric:option=``, or ``metric:option=value``."""
    metric, colon, assignments = incomplete.partition(":")
    if not colon:
        names = dict.fromkeys([*SHORT_NAMES, *METRICS])
        return [name for name in names if name.startswith(incomplete)]
    earlier, comma, assignment = assignments.rpartition(",")
    try:
        options = metric_class(metric).options().values()
    except OptionError:
        # There is no metric of this name.
        return []
    name, equals, _ = assignment.partition("=")
    if equals:
        completions = [
            f"{name}={value}" for option in options if option.name == name for value in _possible_values(option)
        ]
    else:
        completions = [f"{option.name}=" for option in options]
    return [f"{metric}:{earlier}{comma}{text}" for text in completions if text.startswith(assignment)]


def _possible_values(option: Option) -> list[str]:
    """Return the possible values of an option as written, if they are known."""
    check = option.check
    if check is flag:
        return ["true", "false"]
    if isinstance(check, OneOf):
        return [choice for choice in check.choices if isinstance(choice, str)]
    return []
