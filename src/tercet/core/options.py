"""Options as declared data: a dataclass a metric, each field with its default, its check and its documentation."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, TypeVar

from tercet.errors import OptionError, TercetError, did_you_mean, level_of_caller, shorten, told

Check = Callable[[Any], Any]
OptionsT = TypeVar("OptionsT", bound="Options")


class _RefusedError(Exception):
    """Raised by a check with what would have been right; turned into an OptionError that names the option."""

    def __init__(self, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.hint = hint


@dataclass(frozen=True, slots=True)
class OnlyWith:
    """What an option needs to have an effect: in words, and as a test of all options.

    Attributes
    ----------
    words : str
        What stands behind "only with".
    test : callable
    refused : bool
        Whether it is an error to give the option without, or only worth a warning: for options of every metric, which
        a call may hand to several.
    """

    words: str
    test: Callable[[Any], bool]
    refused: bool = True


def option(
    default: Any, check: Check, doc: str = "", *, takes: str = "", local: bool = False,
    only_with: OnlyWith | None = None,
) -> Any:  # fmt: skip
    """Declare an option as a dataclass field: help, cards, tables and public types are made from this alone.

    Parameters
    ----------
    default : object
    check : callable
        What a given value has to pass; returns it as it is kept.
    doc : str
        Sentences on what it does, of which the first can stand alone. Choices that the check knows need not be named.
    takes : str
        The Python type of what may be given, where that is more than the field's own.
    local : bool
        An option of how a process works, such as a number of threads: the score is the same.
    only_with : OnlyWith, optional
        What else must be given for it to have an effect; the documentation says so in its last sentence.
    """
    doc = doc if only_with is None else f"{doc} Only with {only_with.words}."
    known = {"check": check, "doc": doc, "takes": takes, "local": local, "only_with": only_with}
    return field(default=default, metadata=known)


def refuse(expected: str, hint: str = "") -> Exception:
    """Return the exception by which a check says what it expected."""
    return _RefusedError(expected, hint)


@dataclass(frozen=True, slots=True)
class OneOf:
    """The check of a value that must be one of `choices` (or, on request, a callable)."""

    choices: tuple[Any, ...]
    callables: bool

    def __call__(self, value: Any) -> Any:
        """Return the value, or refuse it."""
        if self.callables and callable(value):
            return value
        if isinstance(value, str):
            value = str(value)  # numpy.str_ is one
        if any(value is choice or (type(value) is type(choice) and value == choice) for choice in self.choices):
            return value
        expected = "one of " + ", ".join(map(repr, self.choices)) + (" or a callable" if self.callables else "")
        known = [choice for choice in self.choices if isinstance(choice, str)]
        hint = did_you_mean(value, known)
        raise refuse(expected, hint if hint.startswith("Did") else "")  # all of them are named already


def one_of(*choices: Any, callables: bool = False) -> Check:
    """Check that the value is one of `choices` (or, on request, a callable)."""
    return OneOf(choices, callables)


def flag(value: Any) -> bool:
    """Check that the value is True or False."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise refuse("True or False")


@dataclass(frozen=True, slots=True)
class Integer:
    """The check of a whole number in [minimum, maximum] (or None, on request)."""

    minimum: int
    maximum: int | None
    none: bool

    def __call__(self, value: Any) -> Any:
        """Return the value as an int, or refuse it."""
        if self.none and value is None:
            return None
        if isinstance(value, Integral) and not isinstance(value, bool):
            number = int(value)
            if number > _LARGEST_INTEGER and self.maximum is None:
                raise refuse("a whole number below 2**63")
            if number >= self.minimum and (self.maximum is None or number <= self.maximum):
                return number
        raise refuse(f"a whole number {self.bounds}" + (" or None" if self.none else ""))

    @property
    def bounds(self) -> str:
        """The least and the greatest number, in words."""
        return f"of at least {self.minimum}" if self.maximum is None else f"from {self.minimum} to {self.maximum:,}"


def integer(minimum: int, maximum: int | None = None, none: bool = False) -> Check:
    """Check that the value is a whole number in [minimum, maximum] (or None, on request)."""
    return Integer(minimum, maximum, none)


def finite(value: Any) -> float | None:
    """Return a real number as a float, and None for anything else, infinities and NaN."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        real = float(value)
    except OverflowError:
        return None
    return real + 0.0 if math.isfinite(real) else None  # -0.0 is 0.0


def number(expected: str, test: Callable[[float], bool], none: bool = False) -> Check:
    """Check that the value is a finite number that passes `test`; `expected` says so in words."""

    def check(value: Any) -> Any:
        if none and value is None:
            return None
        real = finite(value)
        if real is not None and test(real):
            return real
        raise refuse(expected + (", or None" if none else ""))

    return check


def text_or_callable(expected: str) -> Check:
    """Check that the value is a string, a callable or None; `expected` says what the string stands for."""

    def check(value: Any) -> Any:
        if value is None or isinstance(value, str) or callable(value):
            return value
        raise refuse(f"{expected}, a callable or None")

    return check


_LARGEST_INTEGER = (1 << 63) - 1

#: The most resamples: their sums are in memory together.
MOST_RESAMPLES = 1_000_000

MISSING_POLICIES = ("error", "skip", "zero")


def as_scale(value: Any) -> int:
    """Check that the value is 1 (scores from 0 to 1) or 100 (percent)."""
    real = finite(value)
    if real in (1.0, 100.0):
        return int(real)
    raise refuse("1 (scores from 0 to 1) or 100 (percent)")


_OF_INTERVALS = OnlyWith("confidence_level", lambda o: o.confidence_level is not None, refused=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options that every metric of the suite takes."""

    missing_references: str = option(
        "error",
        one_of(*MISSING_POLICIES),
        'What to do with an item that has no reference. Refuse the corpus ("error"), leave the item out ("skip"), or '
        'score it 0 ("zero"); the result counts such items.',
    )
    scale: int = option(1, as_scale, "Scores from 0 to 1, or in percent.", takes="Literal[1, 100]")
    segments: bool = option(False, flag, "Add the scores of every item to the result.")
    confidence_level: float | None = option(
        None,
        number("a number above 0 and below 1, such as 0.95", lambda level: 0 < level < 1, none=True),
        "Add percentile bootstrap intervals of this level, such as 0.95, to the result.",
    )
    signature: bool = option(
        False, flag, "Also include the signature as a key of the result. It is an attribute of every `Result`."
    )
    n_resamples: int = option(
        1000, integer(1, MOST_RESAMPLES), "Number of bootstrap resamples.", only_with=_OF_INTERVALS
    )
    seed: int = option(
        12345, integer(0), "Seed of the resamples: the same seed gives the same interval.", only_with=_OF_INTERVALS
    )
    n_jobs: int = option(
        1, integer(1, 256), "Threads that work on pieces of the corpus; the result is the same.", local=True
    )


def option_names(kind: type[Options]) -> list[str]:
    """Return the names of the options that a dataclass of options declares."""
    return [declared.name for declared in fields(kind)]


def build_options(
    kind: type[OptionsT], given: Mapping[str, Any], metric: str, presets: Mapping[str, Mapping[str, Any]], *,
    idle: bool = False,
) -> OptionsT:  # fmt: skip
    """Check the options that a user gave and return them with the defaults filled in.

    Parameters
    ----------
    kind : type
        The metric's dataclass of options.
    given : mapping
        What the user wrote; only what was written, so that a preset yields to it. ``tokenizer=None`` stands for
        the default, as in evaluate's modules.
    metric : str
        Name of the metric, for messages.
    presets : mapping of str to mapping
        For each value of ``compat`` the defaults that it changes.
    idle : bool
        Whether to accept options that have no effect with the others, without a word.

    Raises
    ------
    OptionError
        On an unknown name (with the nearest one), a value that its check refuses, and a value other than the default
        that has no effect.
    """
    declared = {each.name: each for each in fields(kind)}
    given = {name: value for name, value in given.items() if value is not None or name != "tokenizer"}
    for name in given:
        if name not in declared:
            raise OptionError(f"{metric} has no option {shorten(name)}. {did_you_mean(name, declared)}")
    checked = {name: _checked(metric, name, declared[name], value) for name, value in given.items()}
    preset = presets.get(checked.get("compat") or "", {})
    options = kind(**{**preset, **checked})
    for name, value in () if idle else checked.items():
        default = preset.get(name, declared[name].default)
        _check_effect(metric, options, declared[name], value, default)
    return options


def all_have_effect(options: Options, names: Container[str]) -> bool:
    """Return whether each of these options does something with the others."""
    needs = (each.metadata["only_with"] for each in fields(type(options)) if each.name in names)
    return all(needed is None or needed.test(options) for needed in needs)


def _check_effect(metric: str, options: Options, declared: dataclasses.Field[Any], value: Any, default: Any) -> None:
    """Refuse an option that does nothing with the others, or warn of it; a default is no mistake."""
    needed: OnlyWith | None = declared.metadata["only_with"]
    if needed is None or value == default or value == declared.default or needed.test(options):
        return
    message = (
        f"The {declared.name!r} option of {metric} has an effect only with {needed.words}: "
        f"{declared.name}={shorten(value)} would do nothing here."
    )
    if needed.refused:
        raise OptionError(message)
    warnings.warn(message, UserWarning, stacklevel=level_of_caller())


def _checked(metric: str, name: str, declared: dataclasses.Field[Any], value: Any) -> Any:
    try:
        return declared.metadata["check"](value)
    except _RefusedError as refused:
        message = f"The {name!r} option of {metric} must be {refused.expected}. Got {shorten(value)} instead."
        raise OptionError(f"{message} {refused.hint}".rstrip()) from None
    except TercetError:
        raise
    except Exception as error:  # of the value itself: as it is compared, read or written
        raise OptionError(f"The {name!r} option of {metric} cannot be {shorten(value)}: {told(error)}") from error
