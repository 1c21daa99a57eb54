"""Options: what one is, how a class declares it in its body, and how it is checked when a value of the class is made.

Those of every metric and of a call, and how a metric is made with them: `configured.py`. Those that several metrics
declare in the same words: `shared_options.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from tercet.errors import OptionError, TercetError, did_you_mean, first_line, shorten, warn, with_constants
from tercet.option_checks import Check, RefusedError

from .annotations import check_of, spell_out

ValueT = TypeVar("ValueT", bound="Value")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """Return a decorator that does nothing: the true one is for type checkers."""
        return lambda decorated: decorated


class OnlyWith(NamedTuple):
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
    none_is_default: bool = False
    name: str = ""
    python_type: str = ""

    @property
    def checked(self) -> Check:
        """The check, which is known since the class was made."""
        assert self.check is not None
        return self.check


def option(
    *,
    default: Any,
    doc: str = "",
    check: Check | None = None,
    local: bool = False,
    only_with: OnlyWith | None = None,
    none_is_default: bool = False,
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
    none_is_default : bool
        None is as if the option were not given, as in a package that calls its own default so.
    """
    if only_with is not None:
        doc = f"{doc} Only with {only_with.words}."
    return Option(default, doc, check, local, only_with, none_is_default)


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
        declared = {name: replace(value) for name, value in vars(cls).items() if isinstance(value, Option)}
        namespace = vars(sys.modules[cls.__module__])
        for name, declaration in declared.items():
            declaration.name = name
            declaration.python_type = spell_out(cls.__annotations__[name], namespace)
            declaration.check = declaration.check or check_of(declaration.python_type)
            setattr(cls, name, declaration.default)
        inherited = {}
        for name, declaration in cls._declared.items():
            if name in declared:
                continue
            if name in vars(cls):
                raise TypeError(f"{cls.__name__}.{name} would hide an option: declare it with option(...).")
            inherited[name] = declaration
        cls._declared = {**declared, **inherited}
        cls.__signature__ = _ClassSignature()  # type: ignore[attr-defined]

    # type checkers know the options of each class by dataclass_transform
    if not TYPE_CHECKING:

        def __init__(self, **options: Any) -> None:
            self._take(options)
            self.check()

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return the options by name: those of this class first, then those of its bases."""
        return cls._declared

    @classmethod
    def checks(cls) -> dict[str, Check]:
        """Return the check of each option by its name."""
        return {name: option.checked for name, option in cls._declared.items()}

    @classmethod
    def build(
        cls: type[ValueT], options: Mapping[str, Any], *, called: str = "", may_be_idle: bool = False
    ) -> ValueT:
        """Return a value whose options are checked one by one, but not together.

        Errors name `called`, or else the class's name; options may be without effect where they `may_be_idle`.
        """
        value = cls.__new__(cls)
        value._take(options, called, may_be_idle)
        return value

    def _take(self, options: Mapping[str, Any], called: str = "", may_be_idle: bool = False) -> None:
        """Check these options one by one, and store what is no default of the class; ``compat`` brings others."""
        called = called or self.name
        values = {}
        for name, value in options.items():
            if name not in self._declared:
                raise OptionError(f"{called} has no option {shorten(name)}. {did_you_mean(name, self._declared)}")
            if value is None and self._declared[name].none_is_default:
                continue
            try:
                values[name] = check_value(called, name, self._declared[name].checked, value)
            except OptionError as error:
                raise OptionError(f"{error}{self._hint(name, value)}") from error.__cause__
        preset = self.presets.get(values.get("compat") or "", {})
        for name, value in {**preset, **values}.items():
            if value != self._declared[name].default:
                # not by setattr, which refuses: a value cannot be changed
                self.__dict__[name] = value
        if may_be_idle:
            return
        for name, value in values.items():
            declared = self._declared[name]
            self._check_effect(called, declared, value, preset.get(name, declared.default))

    def _hint(self, name: str, value: Any) -> str:
        """Return a hint with the option of a longer name, as smooth_method for smooth, that takes a value."""
        for longer_name, declared in self._declared.items():
            if longer_name.startswith(f"{name}_"):
                with suppress(Exception):
                    declared.checked(value)
                    return f" Did you mean {longer_name}={shorten(value)}?"
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
        warn(message)

    def check(self) -> None:
        """Raise an OptionError for options that exclude each other, and for packages that they lack."""

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that differ from the defaults of the class and ``compat``."""
        preset = self.presets.get(getattr(self, "compat", None) or "", {})
        values = {name: getattr(self, name) for name in self._declared}
        usual = {name: preset.get(name, declared.default) for name, declared in self._declared.items()}
        return {name: value for name, value in values.items() if value != usual[name]}

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={_source_text(value)}" for name, value in self.changed_options.items())
        return f"{type(self).__name__}({options})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(other) is not type(self):
            return NotImplemented
        return self.changed_options == other.changed_options

    def __hash__(self) -> int:
        return hash((type(self), frozenset((name, _hashable(value)) for name, value in self.changed_options.items())))

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
        parameters = []
        for name, declared in cls.options().items():
            parameters.append(
                Parameter(name, Parameter.KEYWORD_ONLY, default=declared.default, annotation=declared.python_type)
            )
        return Signature(parameters)


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


def check_values(called: str, arguments: Mapping[str, Any], checks: Mapping[str, Check]) -> dict[str, Any]:
    """Return the normalized arguments of a function that have a check; OptionError for the first that is refused."""
    values = {}
    for name, value in arguments.items():
        if name in checks:
            values[name] = check_value(called, name, checks[name], value)
    return values


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(entry)) for key, entry in value.items())
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return value


def _source_text(value: Any) -> str:
    """Return the source text of a value: a function by its name."""
    return getattr(value, "__qualname__", None) or repr(value)
