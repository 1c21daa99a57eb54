"""Options: declared once in the body of a class, whose instances are values with options that were checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from tercet.checks import (
    MOST_RESAMPLES,
    Check,
    RefusedError,
    as_device,
    as_dtype,
    as_revision,
    as_scale,
    as_tokenizer,
    integer,
    number,
    text_or_callable,
)
from tercet.corpus.normalizers import DOC as DOC_OF_NORMALIZE
from tercet.corpus.normalizers import as_normalize, label_of_normalizers
from tercet.errors import (
    OptionError,
    TercetError,
    did_you_mean,
    first_line,
    on_command_line,
    shorten,
    warn,
    with_constants,
)

from .annotations import check_of, spell_out
from .dialects import Dialect, no_option

ValueT = TypeVar("ValueT", bound="Value")
ConfiguredT = TypeVar("ConfiguredT", bound="Configured")

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
    if only_with is not None:
        doc = f"{doc} Only with {only_with.words}."
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
        declared = {name: replace(value) for name, value in vars(cls).items() if isinstance(value, Option)}
        namespace = vars(sys.modules[cls.__module__])
        for name, option in declared.items():
            option.name = name
            option.python_type = spell_out(cls.__annotations__[name], namespace)
            option.check = option.check or check_of(option.python_type)
            setattr(cls, name, option.default)
        hidden = [name for name in cls._declared if name in vars(cls) and name not in declared]
        if hidden:
            raise TypeError(f"{cls.__name__}.{hidden[0]} would hide an option: declare it with option(...).")
        inherited = {name: option for name, option in cls._declared.items() if name not in declared}
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
        """Take these options, and the defaults of ``compat``."""
        called = called or self.name
        values = {}
        for name, value in options.items():
            if name not in self._declared:
                raise OptionError(f"{called} has no option {shorten(name)}. {did_you_mean(name, self._declared)}")
            # tokenizer=None is the default of rouge_score and of evaluate's rouge: it stands for ours
            if name == "tokenizer" and value is None:
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
        usual = {name: preset.get(name, option.default) for name, option in self._declared.items()}
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
        for name, option in cls.options().items():
            parameters.append(
                Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.python_type)
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


# The options that every metric has, and those of a call.


class Common(Value):
    """The options that every metric has."""

    missing_references: Literal["error", "skip", "zero"] = option(
        default="error",
        doc='What to do with an item that has no reference. Refuse the corpus ("error"), leave the item out '
        '("skip"), or score it 0 ("zero"); the result counts such items.',
    )
    scale: Literal[1, 100] = option(default=1, doc="Scores from 0 to 1, or in percent.", check=as_scale)
    normalize: str | Callable[[str], str] | list[Any] | None = option(
        default=None, doc=DOC_OF_NORMALIZE, check=as_normalize
    )


_OF_INTERVALS = OnlyWith("confidence_level", lambda call: call.confidence_level is not None, refused=False)


class Call(Value):
    """The options that every call takes."""

    name = "tercet.score"

    segments: bool = option(default=False, doc="Add the scores of every item to the result.")
    confidence_level: float | None = option(
        default=None,
        check=number("a number above 0 and below 1, such as 0.95", lambda level: 0 < level < 1, none=True),
        doc="Add bootstrap intervals of this level, such as 0.95, to the result. They are expanded percentiles "
        "(Hesterberg 2015).",
    )
    signature: bool = option(
        default=False, doc="Also include the signature as a key of the result. It is an attribute of every `Result`."
    )
    n_resamples: int = option(
        default=1000, check=integer(1, MOST_RESAMPLES), doc="Number of bootstrap resamples.", only_with=_OF_INTERVALS
    )
    seed: int = option(
        default=12345,
        check=integer(0),
        doc="Seed of the resamples: the same seed gives the same interval.",
        only_with=_OF_INTERVALS,
    )
    n_jobs: int = option(
        default=1,
        check=integer(1, 256),
        doc="Threads that work on pieces of the corpus; the result is the same.",
        local=True,
    )


class Configured(Common):
    """A value with the options of a metric, and those of the call that it is for."""

    #: For values of ``compat``: the interface of that package's evaluate module.
    dialects: ClassVar[Mapping[str, Dialect]] = {}
    #: The options of the call.
    asked: ClassVar[Call] = Call()
    #: The options as a user wrote them; None where nobody kept them.
    _written: ClassVar[Mapping[str, Any] | None] = None

    def check_call(self, *, resampled: bool = False, summed: bool = False) -> None:
        """Raise an OptionError for what the metric does not support: some calls, resamples, or sums without rows."""
        if summed and self.asked.segments:
            raise OptionError(
                f"{self.name}: segments=True needs the scores of every item, but only sums are kept here; "
                "tercet.score gives them."
            )

    @classmethod
    def all_options(cls) -> list[str]:
        """Return the names of the options that a call takes, those of every metric first."""
        return list({**Common.options(), **Call.options(), **cls.options()})

    @classmethod
    def from_options(cls: type[ConfiguredT], options: Mapping[str, Any], *, may_be_idle: bool = False) -> ConfiguredT:
        """Return the metric with these options of its own and of a call; without effect if they `may_be_idle`."""
        own = {}
        of_call = {}
        for name, value in options.items():
            if name in Call.options() and name not in cls._declared:
                of_call[name] = value
            else:
                own[name] = value
        metric = cls.build(own, may_be_idle=may_be_idle)
        metric.check()
        if not of_call:
            return metric
        return metric.with_call(Call.build(of_call, called=cls.name, may_be_idle=may_be_idle))

    def have_effect(self, names: Container[str]) -> bool:
        """Return whether each of these options has an effect with the others."""
        for options, value in ((self._declared, self), (Call.options(), self.asked)):
            for option in options.values():
                if option.name in names and option.only_with is not None and not option.only_with.test(value):
                    return False
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # by its options alone: what was computed from them (cached properties) stays behind
        return _restored, (type(self), self.changed_options, self.asked.changed_options)

    def __repr__(self) -> str:
        metric = super().__repr__()
        call = "".join(f", {name}={value!r}" for name, value in self.asked.changed_options.items())
        if not call:
            return metric
        return f"scorer({metric}{call})"

    def __eq__(self, other: object) -> bool:
        has_same_options = super().__eq__(other)
        if not isinstance(other, Configured):
            return has_same_options
        return has_same_options and self.asked == other.asked

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.asked))

    def with_call(self: ConfiguredT, call: Call) -> ConfiguredT:
        """Return a copy of the metric with these options of a call."""
        # Its own options were checked when they were given.
        metric = type(self).__new__(type(self))
        metric.__dict__.update(self.__dict__, asked=call)
        metric.check_call(resampled=call.confidence_level is not None)
        return metric

    def _take(self, options: Mapping[str, Any], called: str = "", may_be_idle: bool = False) -> None:
        for name, value in options.items():
            if name in self._declared:
                continue
            if name not in Call.options():
                names = self.all_options()
                if on_command_line():
                    # There, options are typed for one metric; the others are options of the command.
                    names = list(self._declared)
                raise no_option(called or self.name, name, names, self.dialects)
            # a wrong value is the nearer mistake, and is said first
            check_value(called or self.name, name, Call.options()[name].checked, value)
            raise OptionError(
                f"{name!r} belongs to a call, not to the metric: give it to tercet.score, or to the call of the "
                f"metric, as in {type(self).__name__}()(predictions, references, {name}={shorten(value)})."
            )
        super()._take(options, called, may_be_idle)

    @classmethod
    def dialect(cls, configuration: str) -> Dialect:
        """Return the dialect of a configuration of the evaluate module: ``"default"``, or the name of a preset."""
        if configuration == "default":
            return Dialect()
        if not isinstance(configuration, str) or configuration not in cls.presets:
            hint = did_you_mean(str(configuration), ["default", *cls.presets])
            raise OptionError(f"{cls.name} has no configuration {configuration!r}. {hint}")
        return cls.dialects.get(configuration, Dialect(options={"compat": configuration}))

    def with_options(self: ConfiguredT, options: Mapping[str, Any], *, may_be_idle: bool = False) -> ConfiguredT:
        """Return a metric with these options besides its own."""
        return type(self).from_options({**self.all_changed_options, **options}, may_be_idle=may_be_idle)

    def with_defaults(self: ConfiguredT, **defaults: Any) -> ConfiguredT:
        """Return the metric with these options where the user wrote none; `written` stays."""
        written = self.written
        not_written = {name: value for name, value in defaults.items() if name not in written}
        return self.with_options(not_written).with_written(written)

    @property
    def all_changed_options(self) -> dict[str, Any]:
        """The options that differ from the defaults, those of the call too."""
        return {**self.changed_options, **self.asked.changed_options}

    @property
    def written(self) -> dict[str, Any]:
        """The options as a user wrote them, those that equal a default too; of a value, `all_changed_options`."""
        if self._written is None:
            return self.all_changed_options
        return dict(self._written)

    def with_written(self: ConfiguredT, options: Mapping[str, Any]) -> ConfiguredT:
        """Return the metric with these options as `written`."""
        metric = self.with_call(self.asked)
        metric.__dict__.update(_written=options)
        return metric

    def with_call_options(self: ConfiguredT, call: dict[str, Any]) -> ConfiguredT:
        """Return the metric for a call; options that the call leaves at the default are those of the metric."""
        # a default that is written out cannot be told from one that is not
        changed = {name: value for name, value in call.items() if value != Call.options()[name].default}
        return self.with_call(Call.build({**self.asked.changed_options, **changed}, called=self.name))


def _restored(cls: type[ConfiguredT], options: Mapping[str, Any], call: Mapping[str, Any]) -> ConfiguredT:
    # An option without effect was warned of when the metric was made.
    return cls.from_options({**options, **call}, may_be_idle=True)


def refuse_all_but_n_jobs(options: Iterable[str], function: str) -> None:
    """Raise an OptionError for what changes a `Result` only, in a function that returns none."""
    for name in options:
        if name in Call.options() and name != "n_jobs":
            raise OptionError(
                f"{name!r} is an option of tercet.score: {function} takes n_jobs and the metric's options."
            )


# Options that several metrics have, in the same words.

#: How texts become words, where the score is not that of a package with rules of its own.
TOKENIZER = option(
    default="unicode",
    doc='How texts are split into tokens. "unicode": words of letters, marks and digits of any script; '
    'Chinese, Japanese, Thai, Lao, Khmer and Burmese by character. "char": characters, without white '
    'space. "13a", "intl", "zh", "ja", "jieba", "none": as in bleu_multi. "rouge": as in rouge_nlws. A '
    "callable gets a text and returns its tokens; in the signature it appears only by name.",
)


#: Of metrics that count edits: without reference each word is one.
MISSING_REFERENCES = option(
    default="error",
    doc='What to do with an item that has no reference. Refuse the corpus ("error"), leave the item out ("skip"), or '
    'compare it with an empty text ("zero"), so that each of its words is an edit; the result counts such items.',
)


def shared_labels(metric: Any) -> dict[str, str | None]:
    """Return what a signature says of options that every metric has: nothing where they are the defaults."""
    missing = None if metric.missing_references == "error" else str(metric.missing_references)
    return {"missing": missing, "normalize": label_of_normalizers(metric.normalize)}


def stemmer_option(effect: str = "Stem") -> Any:
    """Declare the option of a stemmer; `effect` says what it does to the words."""
    doc = f'{effect} the words. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a function.'
    return option(default=None, doc=doc, check=text_or_callable("a language"))


def lemmatizer_option(effect: str = "Lemmatize") -> Any:
    """Declare the option of a lemmatizer; `effect` says what it does to the words."""
    doc = (
        f"{effect} the words. A language code of simplemma (for Russian, pymorphy3 is used where it is installed; "
        "the signature names the package), or a function."
    )
    return option(default=None, doc=doc, check=text_or_callable("a language code"))


DEVICE = option(
    default=None,
    doc="Where the encoder runs, such as cpu, cuda:1 or mps; gpu and 0 are the first GPU. By default the best device "
    "available.",
    check=as_device,
    local=True,
)
USE_SAFETENSORS = option(
    default=True,
    doc="Take weights from safetensors files only. Other formats can run code when loaded: use False only for "
    "sources that you trust.",
)
PROCESSING_CLASS = option(
    default=None,
    doc="The tokenizer of a model in memory. By default that of the Trainer, pipeline or SentenceTransformer that "
    "holds the model, or of the folder or name that it was loaded from.",
    check=as_tokenizer,
)
REVISION = option(
    default=None,
    doc="The version of a model that is given by its name on the Hub. A branch, a tag or a commit; by default main.",
    check=as_revision,
)
ATTN_IMPLEMENTATION = option(
    default=None,
    doc="How attention is computed. In the words of transformers, which chooses by default; scores differ in the "
    'sixth digit. "flash_attention_2" needs the package flash-attn, a GPU, and half precision.',
    local=True,
)


def dtype_option(network: str) -> Any:
    """Declare the option of a network's precision."""
    doc = (
        f'Precision of the {network}, float32 by default. "auto": that of its files, or of a model in memory. Half '
        "precision is faster on accelerators and on processors that have instructions for it, elsewhere several "
        "times slower (then there is a warning); scores differ in the third digit."
    )
    return option(default=None, doc=doc, check=as_dtype)
