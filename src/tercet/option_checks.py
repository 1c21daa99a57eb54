"""Checks of options: each takes a user's value, and returns it normalized or says what it expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib.util import find_spec
from inspect import signature
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from .errors import OptionError, did_you_mean, near_hint, shorten

Check = Callable[[Any], Any]
P = ParamSpec("P")
T = TypeVar("T")

#: Integers without a limit of their own must fit in 64 bits.
_LARGEST_INTEGER = (1 << 63) - 1

#: The most resamples: all their sums are in memory at once.
MOST_RESAMPLES = 1_000_000


class RefusedError(Exception):
    """Raised by a check with what it expected; turned into an OptionError that names the option."""

    def __init__(self, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.hint = hint


def refuse(expected: str, hint: str = "") -> Exception:
    """Return the exception by which a check says what it expected."""
    return RefusedError(expected, hint)


def known_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function refuse a keyword that it does not know by an OptionError that suggests the nearest."""
    parameters = list(signature(function).parameters)
    called = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> T:
        for name in keywords:
            if name not in parameters:
                raise OptionError(f"{called} has no option {shorten(name)}. {did_you_mean(name, parameters)}")
        return function(*args, **keywords)

    return checked


@contextmanager
def spelled(function: str, options: Iterable[str], arguments: Iterable[str]) -> Iterator[None]:
    """Suggest an argument of a function where its metric has no such option, and the spelling is near."""
    try:
        yield
    except OptionError as error:
        for name in options:
            hint = near_hint(name, arguments)
            if hint and f"has no option {shorten(name)}" in str(error):
                raise OptionError(f"{function} has no option {shorten(name)}. {hint}") from None
        raise


@dataclass(frozen=True)
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
        # of the same type, as 1 == True, and what == gives for an array has no truth value
        if any(value is choice or (type(value) is type(choice) and value == choice) for choice in self.choices):
            return value
        expected = f"one of {', '.join(map(repr, self.choices))}"
        if self.callables:
            expected += " or a callable"
        texts = [choice for choice in self.choices if isinstance(choice, str)]
        raise refuse(expected, near_hint(value, texts))


def one_of(*choices: Any, callables: bool = False) -> Check:
    """Check that the value is one of `choices` (or, on request, a callable)."""
    return OneOf(choices, callables)


def flag(value: Any) -> bool:
    """Check that the value is True or False."""
    # NumPy's, too, known by name: this file needs no import of numpy
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise refuse("True or False")


@dataclass(frozen=True)
class Integer:
    """The check of an integer in [minimum, maximum] (or None, on request)."""

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
                raise refuse("an integer below 2**63")
            if number >= self.minimum and (self.maximum is None or number <= self.maximum):
                return number
        or_none = " or None" if self.none else ""
        raise refuse(f"an integer {self.bounds}{or_none}")

    @property
    def bounds(self) -> str:
        """The least and the greatest number, in words."""
        if self.maximum is None:
            return f"of at least {self.minimum}"
        return f"from {self.minimum} to {self.maximum:,}"


def integer(minimum: int, maximum: int | None = None, none: bool = False) -> Check:
    """Check that the value is an integer in [minimum, maximum] (or None, on request)."""
    return Integer(minimum, maximum, none)


def plain_list(values: Any) -> list[Any]:
    """Return the entries of a list, an array, a column of a frame or the like as plain Python."""
    # Arrow has to_pylist, NumPy and pandas have tolist.
    to_list = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    entries: list[Any] = list(values) if to_list is None else to_list()
    return entries


def has_entries(value: Any) -> bool:
    """Return whether a value can be iterated; an array without dimensions cannot, though it has ``__iter__``."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def read_once(value: Any) -> Any:
    """Return what can be read again: of an iterator its entries as a list, which leaves it empty."""
    return list(value) if isinstance(value, Iterator) else value


def finite(value: Any) -> float | None:
    """Return a real number as a float, and None for anything else, infinities and NaN."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        real = float(value)
    except OverflowError:  # an integer beyond the floats
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
        or_none = ", or None" if none else ""
        raise refuse(f"{expected}{or_none}")

    return check


def text_or_callable(expected: str) -> Check:
    """Check that the value is a string, a callable or None; `expected` says what the string stands for."""

    def check(value: Any) -> Any:
        if value is None or isinstance(value, str) or callable(value):
            return value
        raise refuse(f"{expected}, a callable or None")

    return check


def as_scale(value: Any) -> int:
    """Check that the value is 1 (scores from 0 to 1) or 100 (percent)."""
    real = finite(value)
    if real in (1.0, 100.0):
        return int(real)
    raise refuse("1 (scores from 0 to 1) or 100 (percent)")


#: Precisions of a network; the last is that of its files.
_DTYPES = ("float32", "bfloat16", "float16", "auto")
#: What trainers call them.
_SHORT_DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


def as_dtype(value: Any) -> str | None:
    """Check that the value is the name of a precision, a dtype of PyTorch, or None."""
    if value is None:
        return None
    short_name = str(value).removeprefix("torch.")
    name = _SHORT_DTYPES.get(short_name, short_name)
    if name in _DTYPES:
        return name
    raise refuse("one of 'float32', 'bfloat16', 'float16', 'auto' or None")


_A_DEVICE = "the name of a device, such as 'cpu', 'cuda:0' or 'gpu', the number of a GPU, or None"


def as_device(value: Any) -> str | None:
    """Check that the value is a device: a name, a device of PyTorch, a GPU's number, or None, also called auto.

    The first GPU of CUDA is ``gpu`` to evaluate, and 0 to pipelines of transformers.
    """
    if value is None or (isinstance(value, str) and value == "auto"):
        return None
    is_number = isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 1000
    if not isinstance(value, str) and type(value).__name__ != "device" and not is_number:
        raise refuse(_A_DEVICE)
    name = str(value)
    if name == "gpu":
        name = "cuda"
    elif re.fullmatch("[0-9]{1,3}", name):  # on the command line a number is a text
        name = f"cuda:{int(name)}"
    if not name:
        raise refuse(_A_DEVICE)
    if find_spec("torch") is None:
        return name  # the metric itself then says what is missing
    import torch

    try:
        torch.device(name)
    except RuntimeError:
        raise refuse(_A_DEVICE) from None
    return name


def as_revision(value: Any) -> str | None:
    """Check that the value names a version on the Hub, or is None."""
    if value is None:
        return None
    if isinstance(value, str) and re.fullmatch(r"[\w./+-]{1,250}", value):
        return str(value)
    raise refuse("a branch, tag or commit of the Hub, such as 'main', or None")


def as_tokenizer(value: Any) -> Any:
    """Check that the value is a tokenizer of transformers, or None."""
    if value is None or (callable(value) and hasattr(value, "convert_ids_to_tokens")):
        return value
    raise refuse("a tokenizer of transformers, or None")
