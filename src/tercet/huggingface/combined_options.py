"""The options that `evaluate.combine` sends to all modules: each takes its own, and leaves the others' to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.api import make_scorer
from tercet.base.configured import Call
from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.unknown_names import no_option
from tercet.errors import OptionError, warn
from tercet.registry import METRICS, metric_class


def own_options(
    cls: type[Metric],
    options: Mapping[str, Any],
    dialect: Dialect = Dialect(),  # noqa: B008  nothing changes it
) -> dict[str, Any]:
    """Return the options of a call, without those that only siblings take: ``evaluate.combine`` sends all to all.

    Raises
    ------
    OptionError
        On a name that no metric of the suite knows, with the nearest known one.
    """
    accepted_names = {*cls.options(), *Call.options(), *dialect.arguments, *dialect.without_effect}
    foreign = [name for name in options if name not in accepted_names]
    if foreign:
        _leave_to_siblings(cls, foreign, options, dialect)
    return dialect.to_options({name: value for name, value in options.items() if name in accepted_names})


def _leave_to_siblings(
    cls: type[Metric], foreign: Sequence[str], options: Mapping[str, Any], dialect: Dialect
) -> None:
    """Check the options that other metrics of the call take; OptionError for the rest."""
    names_here = dialect.names(cls.all_options())
    shared = [name for name in options if name in names_here and name != "compat"]
    not_taken = list(foreign)
    for sibling in METRICS:
        if sibling == cls.name:
            continue
        names = _known_arguments(sibling)
        taken = [name for name in not_taken if name in names]
        not_taken = [name for name in not_taken if name not in names]
        if taken:
            sibling_options = {}
            for name in [*shared, *taken]:
                if names.get(name):
                    sibling_options[names[name]] = options[name]
            # A wrong value is refused before this metric consumes the added items.
            _check_in_any_configuration(sibling, sibling_options)
        for name in taken:
            if names[name] != name and names[name] in cls.all_options():
                message = (
                    f"{cls.name}: {name!r} is an argument of {sibling} and goes to that metric only; use "
                    f"{names[name]!r} here."
                )
                warn(message)
    if not_taken:
        raise no_option(cls.name, not_taken[0], names_here, cls.dialects)


def _check_in_any_configuration(metric: str, options: Mapping[str, Any]) -> None:
    """Raise an OptionError for options that a metric takes in none of its configurations."""
    refused: list[OptionError] = []
    for compat in (None, *metric_class(metric).presets):
        try:
            make_scorer(metric, {"compat": compat, **options})
        except OptionError as error:
            refused.append(error)
        else:
            return
    raise refused[0]


def _known_arguments(metric: str) -> dict[str, str]:
    """Return the arguments that a metric takes in any configuration, and the option each sets ("" for none)."""
    cls = metric_class(metric)
    arguments = {name: name for name in cls.all_options()}
    for dialect in cls.dialects.values():
        arguments |= {**dialect.arguments, **dict.fromkeys(dialect.without_effect, "")}
    return arguments
