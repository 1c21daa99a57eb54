"""Shell completion of ``--metric``: names of metrics, their options, and values of these."""

from __future__ import annotations

from tercet.errors import OptionError
from tercet.metric.options import Option
from tercet.registry import METRICS, SHORT_NAMES, metric_class


def metrics_like(incomplete: str) -> list[str]:
    """Return the completions of a text: a metric, ``metric:option=``, or ``metric:option=value``."""
    metric, colon, rest = incomplete.partition(":")
    if not colon:
        names = dict.fromkeys([*SHORT_NAMES, *METRICS])
        return [name for name in names if name.startswith(incomplete)]
    before, comma, last = rest.rpartition(",")
    try:
        options = metric_class(metric).options().values()
    except OptionError:  # no metric of this name
        return []
    name, equals, _ = last.partition("=")
    found = [f"{each.name}={value}" for each in options if each.name == name for value in _values(each)]
    found = found if equals else [f"{each.name}=" for each in options]
    return [f"{metric}:{before}{comma}{each}" for each in found if each.startswith(last)]


def _values(option: Option) -> list[str]:
    """Return the possible values of an option as written, if they are known."""
    from tercet.checks import OneOf, flag

    check = option.check
    if check is flag:
        return ["true", "false"]
    return [each for each in check.choices if isinstance(each, str)] if isinstance(check, OneOf) else []
