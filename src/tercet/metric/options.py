"""Options: declared once in the body of a class, whose instances are values with options that were checked."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tercet.checks import Check, RefusedError
from tercet.errors import OptionError, TercetError, did_you_mean, first_line, level_of_caller, shorten, with_constants

from .annotations import check_of, spelled

ValueT = TypeVar("ValueT", bound="Value")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """Return a decorator that does nothing: the true one is for type checkers."""
        return lambda decorated: decorated


@dataclass(frozen=True, slots=True)
class OnlyWith:
    """The condition for an option to have an effect: in words (after "only with"), and as a test of all options.

    Without it, the option is refused, or only warned of: options of a call may go to several metrics.
    """

    words: str
    test: Callable[[Any], bool]
    refused: bool = True


@dataclass(slots=True)
class Option:
    """A declared option: its documentation, its type as text, its check, and its default."""

    default: Any
    doc: str
    check: Check | None
    local: bool
    only_with: OnlyWith | None
    name: str = ""
    python_type: str = ""

    @property
    def checked(self) -> Check:
        """The check, which is known since the class was made."""
        assert self.check is not None
        return self.check


def option(
    *, default: Any, doc: str = "", check: Check | None = None, local: bool = False, only_with: OnlyWith | None = None
) -> Any:
    """Declare an option in the body of a :class:`Value`.

    Parameters
    ----------
    default : object
    doc : str
        Sentences on its effect; the first can stand alone. Choices need not be named.
    check : callable, optional
        For what the annotation does not say: ``bool`` and ``Literal[...]`` (also with ``None`` and ``Callable``) do.
    local : bool
        An option of how a process works, such as a batch size: the score is the same.
    only_with : OnlyWith, optional
        The condition for its effect; the documentation says so in its last sentence.
    """
    doc = doc if only_with is None else f"{doc} Only with {only_with.words}."
    return Option(default, doc, check, local, only_with)


@dataclass_transform(field_specifiers=(option,), kw_only_default=True, frozen_default=True)
class Value:
    """A value with options: equal if its options are, and `repr` can be evaluated.

    Only the options that are not the class's defaults are stored in an instance; the defaults are attributes of the
    class.
    """

    name: ClassVar[str]
    #: For each value of the option ``compat`` the defaults that it changes.
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    _declared: ClassVar[dict[str, Option]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # copies: classes may share a declaration, and annotate it differently
        own = {name: replace(value) for name, value in vars(cls).items() if isinstance(value, Option)}
        for name, each in own.items():
            each.name, each.python_type = name, spelled(cls.__annotations__[name], vars(sys.modules[cls.__module__]))
            each.check = each.check or check_of(each.python_type)
            setattr(cls, name, each.default)
        hidden = [name for name in cls._declared if name in vars(cls) and name not in own]
        if hidden:
            raise TypeError(f"{cls.__name__}.{hidden[0]} would hide an option: declare it with option(...).")
        cls._declared = {**own, **{name: each for name, each in cls._declared.items() if name not in own}}
        cls.__signature__ = _ClassSignature()  # type: ignore[attr-defined]

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            self._take(given)
            self.check()

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return the options by name: those of this class first, then those of its bases."""
        return cls._declared

    @classmethod
    def made(cls: type[ValueT], given: Mapping[str, Any], *, called: str = "", idle: bool = False) -> ValueT:
        """Return a value whose options are checked one by one, but not together."""
        value = cls.__new__(cls)
        value._take(given, called, idle)
        return value

    def _take(self, given: Mapping[str, Any], called: str = "", idle: bool = False) -> None:
        called = called or self.name
        checked = {}
        for name, value in given.items():
            declared = self._declared.get(name)
            if declared is None:
                raise OptionError(f"{called} has no option {shorten(name)}. {did_you_mean(name, self._declared)}")
            if value is not None or name != "tokenizer":
                try:
                    checked[name] = check_value(called, name, declared.checked, value)
                except OptionError as error:
                    raise OptionError(f"{error}{self._hint(name, value)}") from error.__cause__
        preset = self.presets.get(checked.get("compat") or "", {})
        chosen = {**preset, **checked}
        self.__dict__.update({name: each for name, each in chosen.items() if each != self._declared[name].default})
        for name, value in () if idle else checked.items():
            self._check_effect(called, self._declared[name], value, preset.get(name, self._declared[name].default))

    def _hint(self, name: str, value: Any) -> str:
        """Return a hint with the option of a longer name, as smooth_method for smooth, that takes a value."""
        for other, declared in self._declared.items():
            if other.startswith(f"{name}_"):
                with suppress(Exception):
                    declared.checked(value)
                    return f" Did you mean {other}={shorten(value)}?"
        return ""

    def _check_effect(self, called: str, declared: Option, value: Any, default: Any) -> None:
        """Refuse an option without effect, or warn of it; defaults are allowed."""
        needed = declared.only_with
        if needed is None or value == default or value == declared.default or needed.test(self):
            return
        message = (
            f"The {declared.name!r} option of {called} has an effect only with {needed.words}: "
            f"{declared.name}={shorten(value)} would do nothing here."
        )
        if needed.refused:
            raise OptionError(message)
        warnings.warn(message, UserWarning, stacklevel=level_of_caller())

    def check(self) -> None:
        """Raise an OptionError for options that exclude each other, and for packages that they lack."""

    @property
    def given(self) -> dict[str, Any]:
        """The options that differ from the defaults of the class and ``compat``."""
        preset = self.presets.get(getattr(self, "compat", None) or "", {})
        values = {name: getattr(self, name) for name in self._declared}
        usual = {name: preset.get(name, each.default) for name, each in self._declared.items()}
        return {name: value for name, value in values.items() if value != usual[name]}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={_named(each)}' for name, each in self.given.items())})"

    def __eq__(self, other: object) -> bool:
        return self.given == other.given if isinstance(other, Value) and type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), frozenset((name, _hashable(value)) for name, value in self.given.items())))

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{self!r} cannot be changed: make another one with {name}={shorten(value)}.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self!r} cannot be changed: it has no {name!r} to delete.")


class _ClassSignature:
    """The signature of a class, for `help` and notebooks, made on first access."""

    def __get__(self, value: object, cls: type[Value]) -> Signature:
        if value is not None:  # a value has the signature of its call
            raise AttributeError("__signature__")
        kind = Parameter.KEYWORD_ONLY
        options = cls.options().values()
        return Signature([Parameter(o.name, kind, default=o.default, annotation=o.python_type) for o in options])


def check_value(called: str, name: str, check: Check, value: Any) -> Any:
    """Return a normalized value, or raise the OptionError that names what was given and what was expected."""
    try:
        return check(value)
    except RefusedError as refused:
        expected = with_constants(refused.expected)
        message = f"The {name!r} option of {called} must be {expected}. Got {shorten(value)} instead."
        raise OptionError(f"{message} {refused.hint}".rstrip()) from None
    except TercetError:
        raise
    except Exception as error:  # of the value itself: as it is compared, read or written
        why = first_line(error)
        raise OptionError(f"The {name!r} option of {called} cannot be {shorten(value)}: {why}") from error


def check_values(called: str, given: Mapping[str, Any], checks: Mapping[str, Check]) -> dict[str, Any]:
    """Return the normalized arguments of a function; OptionError for the first that its check refuses."""
    return {name: check_value(called, name, checks[name], value) for name, value in given.items()}


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((name, _hashable(each)) for name, each in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _named(value: Any) -> str:
    """Return the source text of a value: a function by its name."""
    return getattr(value, "__qualname__", None) or repr(value)
