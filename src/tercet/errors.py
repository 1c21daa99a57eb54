"""Errors that tercet raises on purpose; each names the item or option, what was given and what was expected."""

from __future__ import annotations

import math
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from itertools import islice
from typing import Any

_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    dict: ("{", "}"),
}
#: In bits: longer integers are described by their number of digits.
_LARGEST_INTEGER = 1000
#: Letters of a name that are compared with the known ones.
_LONGEST_NAME = 200
#: Packages whose lines a warning does not point at; evaluate runs its copies of modules as `evaluate_modules`.
_OWN_PACKAGES = {"tercet", "evaluate", "evaluate_modules"}

#: Options of the command that are not called as the arguments in Python are.
_ON_COMMAND_LINE = {
    "systems": "--system",
    "reference_columns": "--reference-column",
    "metrics": "--metric",
}
#: Constants of Python as they are written on the command line.
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_CONSTANT = re.compile(r"\b(?:True|False|None)\b")
#: An option with its values: tokenizer='zh', 'ja' or 'char', and segments=True.
_SETTING = re.compile(
    r"\b(?P<name>[a-z][a-z0-9_]*=)(?:(?P<texts>'[^'\s]+'(?:(?:,| or) '[^'\s]+')*)|(?P<constant>True|False|None)\b)"
)
_command_line: ContextVar[bool] = ContextVar("command_line", default=False)


@contextmanager
def for_command_line() -> Iterator[None]:
    """Write messages in the block for a user of the command: what Python calls ``systems=`` is ``--system``."""
    before = _command_line.set(True)
    try:
        yield
    finally:
        _command_line.reset(before)


def on_command_line() -> bool:
    """Return whether messages are for a user of the command."""
    return _command_line.get()


def argument(name: str) -> str:
    """Return an argument as the user would write it, in Python or on the command line."""
    if on_command_line():
        return _ON_COMMAND_LINE.get(name, f"--{name.replace('_', '-')}")
    return f"{name}="


def argument_set(name: str, value: str | int) -> str:
    """Return an argument with a text or number as its value as the user would write it."""
    # Signs that a shell would take as its own.
    quoted = f"'{value}'" if any(sign in str(value) for sign in " ()") else value
    return f"{argument(name)} {quoted}" if on_command_line() else f"{name}={value!r}"


def arguments_set(name: str, values: Sequence[str]) -> str:
    """Return an argument with several texts as its value as the user would write it; "" where there are none."""
    if not values:
        return ""
    if on_command_line():
        return " ".join(argument_set(name, value) for value in values)
    return f"{name}={values[0]!r}" if len(values) == 1 else f"{name}={list(values)!r}"


def setting(metric: str, name: str, value: str) -> str:
    """Return an option with a value as the user would write it, in Python or on the command line."""
    return f"-m {metric}:{name}={value}" if on_command_line() else f"{name}={value!r}"


def as_settings(text: str) -> str:
    """Return a text in which settings, such as tokenizer='zh', are written as the user would write them."""
    if not on_command_line():
        return text
    return _SETTING.sub(_as_setting, text)


def _as_setting(match: re.Match[str]) -> str:
    if match["constant"]:
        return match["name"] + _CONSTANTS[match["constant"]]
    return match["name"] + match["texts"].replace("'", "")


def with_constants(text: str) -> str:
    """Return what an option must be, in words, with the constants that the user would write."""
    return _CONSTANT.sub(lambda match: _CONSTANTS[match[0]], text) if on_command_line() else text


class TercetError(ValueError):
    """Base of every error that tercet raises on purpose."""


class InputError(TercetError):
    """A text, a list of references or a corpus that cannot be scored."""


class OptionError(TercetError):
    """An option that the metric does not have, or a value that it does not take."""


class MergeError(TercetError):
    """Statistics that were made with different options and cannot be merged."""


class GatheringError(TercetError):
    """Added items that could not be stored, or not be merged with those of other processes."""


def needs(user: str, extra: str, *modules: str, package: str = "") -> None:
    """Raise an OptionError where a module is missing, whose package an extra of tercet brings, or ("") the user."""
    for module in modules:
        if not _is_installed(module):
            brings = f'"tercet[{extra}]"' if extra else package or module
            raise OptionError(
                f"{user} needs the package {package or module!r}, which is not installed: pip install {brings}"
            )


def _is_installed(module: str) -> bool:
    """Return whether a module is there; a mere folder of its name, which Python could import, has no origin."""
    if sys.modules.get(module):
        return True
    spec = find_spec(module)
    return spec is not None and spec.origin is not None


def did_you_mean(name: object, known: Iterable[str], also_called: Mapping[str, Iterable[str]] | None = None) -> str:
    """Return a hint with the nearest known spelling, as :func:`near_hint`, or all of them when none is near."""
    names = list(known)
    return near_hint(name, names, also_called) or (
        f"Known: {', '.join(shorten(candidate)[1:-1] for candidate in names)}."
    )


def near_hint(name: object, known: Iterable[str], also_called: Mapping[str, Iterable[str]] | None = None) -> str:
    """Return a hint with the nearest known spelling, or "" when none is near: for messages that list them all.

    `also_called` has other names for some, in lower case: the first that is known is meant.
    """
    # Here, as most processes make no such error.
    import difflib

    folded = {candidate.lower(): candidate for candidate in known}
    lowered = name[:_LONGEST_NAME].lower() if isinstance(name, str) else ""
    near = [candidate for candidate in (also_called or {}).get(lowered, ()) if candidate in folded]
    near = near or difflib.get_close_matches(lowered, folded, n=1, cutoff=0.6)
    # the beginning of a long name has little in common with all of it
    if not near and len(lowered) > 2:
        near = [candidate for candidate in folded if candidate.startswith(lowered)]
    if not near:
        return ""
    return f"Did you mean {shorten(folded[near[0]])}?"


def word_after(number: int, of_one: str, of_several: str) -> str:
    """Return the words that follow a number: "item is" after 1, "items are" after all others."""
    return of_one if number == 1 else of_several


def shorten(value: object, limit: int = 60) -> str:
    """Return ``repr(value)`` on one line and cut to `limit` characters, for messages about any value.

    It never fails, and reads no more of a text or container than it shows. Integers of hundreds of digits are
    described, as Python does not write the longest of them; so are values whose ``repr`` raises.
    """
    text = ""
    for piece in _pieces(value, limit):
        text += piece
        if len(text) > limit:
            return text[: limit - 1] + "…"
    return text


def _pieces(value: object, limit: int) -> Iterator[str]:
    """Yield ``repr(value)`` piece by piece: the caller stops when it has enough."""
    if isinstance(value, str):
        # not value[:limit], which a subclass may define otherwise
        yield repr(str.__getitem__(value, slice(limit)))
    elif isinstance(value, (bytes, bytearray)):
        yield repr(value[:limit])
    elif isinstance(value, (list, tuple)) or type(value) in (set, frozenset, dict):
        yield from _pieces_within(value, limit)
    elif type(value) is int and value.bit_length() > _LARGEST_INTEGER:
        yield f"<int of about {int(value.bit_length() * math.log10(2)) + 1:,} digits>"
    else:
        try:
            if type(value).__module__.startswith("pyarrow") and hasattr(value, "validate"):
                # printing a malformed array may crash the process
                value.validate(full=True)
            yield " ".join(line.strip() for line in repr(value).splitlines())
        except Exception as error:
            yield f"<{type(value).__name__} whose repr raises {type(error).__name__}>"


def _pieces_within(value: Any, limit: int) -> Iterator[str]:
    kind = next(container for container in (list, tuple, set, frozenset, dict) if isinstance(value, container))
    # by the methods of the type itself, as for texts
    all_entries = dict.items(value) if kind is dict else kind.__iter__(value)
    entries = list(islice(all_entries, limit))
    if not entries:
        yield repr(kind())
        return
    opening, closing = _BRACKETS[kind]
    yield opening
    for number, entry in enumerate(entries):
        if number:
            yield ", "
        if kind is dict:
            key, content = entry
            yield from _pieces(key, limit)
            yield ": "
            yield from _pieces(content, limit)
        else:
            yield from _pieces(entry, limit)
    if kind is tuple and len(entries) == 1:
        yield ","
    yield closing


def level_of_caller() -> int:
    """Return the stacklevel by which a warning points at the first line outside tercet and evaluate."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OWN_PACKAGES:
        level += 1
        frame = frame.f_back
    return level


def warn(message: str) -> None:
    """Warn at the first line outside tercet and evaluate."""
    warnings.warn(message, UserWarning, stacklevel=level_of_caller())


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Record the warnings of a block, each once, and raise them after it."""
    sentences: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield sentences
    finally:
        sentences += dict.fromkeys(
            str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)
        )
        # Of warnings with the same message, only the last is raised.
        for warning in {str(warning.message): warning for warning in caught}.values():
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, source=warning.source
            )


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message; in Python, after its type."""
    try:
        message = str(error).strip().partition("\n")[0]
    except Exception:
        message = ""
    if message and on_command_line():
        return message[:300]
    return f"{type(error).__name__}: {message[:300]}" if message else type(error).__name__


def check_working_directory(package: str) -> None:
    """Raise an InputError if the working directory, which the package needs for its import, is gone."""
    try:
        os.getcwd()
    except OSError as error:
        # a package that is imported already needs it no more
        if package not in sys.modules:
            raise InputError(
                f"The working directory no longer exists, and {package} cannot be imported without one: change to "
                "another."
            ) from error
