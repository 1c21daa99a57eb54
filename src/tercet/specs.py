"""A metric with its options in one text, as ``bleu_multi:smooth_method=exp,lowercase=true``."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tercet.base.configured import Call
from tercet.base.metric import Metric
from tercet.base.options import Option, check_value
from tercet.option_checks import flag

from .errors import OptionError, on_command_line, shorten
from .registry import METRICS, SHORT_NAMES, canonical, metric_class, no_metric

_NUMBER = re.compile(r"(0|[1-9][0-9]{0,99})(\.[0-9]{1,99})?")
# Not "none", which is a tokenizer and a smoothing method: None is written null.
_WORDS = {"true": True, "false": False}
_FLAGS = {**_WORDS, "yes": True, "no": False, "on": True, "off": False, "1": True, "0": False}


def split_metric(text: str, *, imports: bool = False) -> tuple[type[Metric], dict[str, Any]]:
    """Read ``metric`` or ``metric:option=value,option=value``: a class, and options that are not checked yet.

    Values are numbers, true (yes, on), false (no, off), words, or JSON: ``rouge_types=["rouge1","rougeL"]``; a list
    of words also with ``+`` between: ``rouge_types=rouge1+rougeL``. With `imports` also a metric of the user's own,
    ``module:Class`` or ``module:Class:option=value``: this runs the code of the module. OptionError for an unknown
    metric, and another form.
    """
    names, _, option_text = text.partition(":")
    if "," in names:
        raise OptionError(f"{shorten(text)} names several metrics: give each by itself ({_one_by_one(names)}).")
    class_name, _, options_of_own = option_text.partition(":")
    if imports and class_name.isidentifier() and names not in METRICS and names not in SHORT_NAMES:
        cls = own_class(names, class_name)
        return cls, _read_options(options_of_own, cls, f"{names}:{class_name}", text)
    metric = canonical(names)
    cls = metric_class(metric)
    return cls, _read_options(option_text, cls, metric, text)


def _read_options(option_text: str, cls: type[Metric], metric: str, text: str) -> dict[str, Any]:
    """Return the options of a metric, whose name and whole text are for messages."""
    options: dict[str, Any] = {}
    for assignment in split_options(option_text):
        name, equals, value = assignment.partition("=")
        name = name.strip()
        if not equals or not name or name in options:
            raise OptionError(
                f"In {shorten(text)}, {shorten(assignment)} is not option=value, or is given twice: write "
                f"{metric}:option=value,option=value. The words of a list are joined by +."
            )
        options[name] = parse_value(value.strip(), _declared(cls, name))
    return options


def _one_by_one(names: str) -> str:
    """Return the names between commas as several metrics are given, in Python or on the command line."""
    separate = [name.strip() for name in names.split(",") if name.strip()]
    if on_command_line():
        return shorten(" ".join(f"-m {name}" for name in separate))[1:-1]
    return shorten(separate)


def _declared(cls: type[Metric], name: str) -> Option | None:
    """Return an option of a metric, or else of its call; None for an unknown name."""
    return cls.options().get(name) or Call.options().get(name)


def take_options(metric: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the name of a metric and all its options, those that the text has, as in ``bleu:max_order=2``, too.

    A name alone and anything else are returned as they are. OptionError for an option that has two values.
    """
    if not isinstance(metric, str) or ":" not in metric:
        return metric, dict(options)
    cls, options_in_text = split_metric(metric)
    for name, value in options_in_text.items():
        if name in options and not _is_same(cls, name, value, options[name]):
            raise OptionError(
                f"The option {name!r} of {cls.name} is given twice: as {shorten(value)} in {shorten(metric)}, and as "
                f"{shorten(options[name])}. Give it once."
            )
    return cls.name, {**options_in_text, **options}


def _is_same(cls: type[Metric], name: str, value: Any, other_value: Any) -> bool:
    """Return whether two values of an option are equal once they are checked."""
    declared = _declared(cls, name)
    # The metric itself refuses a name that it does not know.
    if declared is None:
        return True
    checked = check_value(cls.name, name, declared.checked, value)
    return bool(checked == check_value(cls.name, name, declared.checked, other_value))


def own_class(module: str, name: str) -> type[Metric]:
    """Return a user's own metric from a module, which is imported: installed, or in the working directory."""
    # Last, so that no file of this folder hides an installed package.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    absent = f"{no_metric(module, [*METRICS, *SHORT_NAMES])} There is no module of this name either."
    if not all(part.isidentifier() for part in module.split(".")):
        raise OptionError(absent)
    try:
        imported = import_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise OptionError(absent) from None
        raise OptionError(f"The module {module} cannot be imported: {type(error).__name__}: {error}") from error
    cls = getattr(imported, name, None)
    if cls is None:
        where = getattr(imported, "__file__", None) or "built in"
        raise OptionError(f"The module {module} ({where}) has no class {name}.")
    if not (isinstance(cls, type) and issubclass(cls, Metric)):
        raise OptionError(f"{module}:{name} is not a metric: expected a subclass of tercet.Metric.")
    missing = sorted(cls.__abstractmethods__)
    missing += [member for member in ("name", "primary") if not hasattr(cls, member)]
    if missing:
        raise OptionError(f"{module}:{name} is not a whole metric: its class lacks {', '.join(missing)}.")
    return cls


def parse_value(text: str, option: Option | None = None) -> Any:
    """Return the value of an option in a text; OptionError for JSON that Python cannot read.

    An option that is true or false is also given as yes, no, on, off, 1 and 0.
    """
    if option is not None and option.check is flag and text.lower() in _FLAGS:
        return _FLAGS[text.lower()]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        if "+" not in text.strip("+"):
            return text
        entries = text.split("+")
        if all(_NUMBER.fullmatch(entry) for entry in entries):
            return [json.loads(entry) for entry in entries]
        return entries
    except (RecursionError, ValueError) as error:
        # Brackets that are nested thousands of times, or an integer of thousands of digits.
        why = "has too many digits"
        if isinstance(error, RecursionError):
            why = "is nested too deeply"
        raise OptionError(f"The value {shorten(text)} {why}.") from None


def split_options(text: str) -> list[str]:
    """Split at the commas that are not within brackets or quotes."""
    parts = [""]
    depth = 0
    is_quoted = False
    for letter in text:
        if letter == '"':
            is_quoted = not is_quoted
        elif letter in "[{" and not is_quoted:
            depth += 1
        elif letter in "]}" and not is_quoted:
            depth -= 1
        if letter == "," and depth == 0 and not is_quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]
