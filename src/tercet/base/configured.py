"""What every metric is: a value with options of its own, made and checked here, and with those of the call it is for.

What an option is: `options.py`. What a metric does with texts: `definition.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, Literal, TypeVar

from tercet.corpus.normalizers import DOC as DOC_OF_NORMALIZE
from tercet.corpus.normalizers import as_normalize
from tercet.errors import OptionError, did_you_mean, on_command_line, shorten
from tercet.option_checks import MOST_RESAMPLES, as_scale, integer, number

from .dialects import Dialect
from .options import OnlyWith, Value, check_value, option
from .unknown_names import no_option

ConfiguredT = TypeVar("ConfiguredT", bound="Configured")


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


class _AsInScorer:
    """What arguments of a call are that it leaves out: a default that is written out is told from it."""

    def __repr__(self) -> str:
        return "AS_IN_SCORER"


#: The default of the arguments of a call: as they were given to `tercet.scorer`, or else as in `Call`.
AS_IN_SCORER: Any = _AsInScorer()


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

    # How a metric is made.

    @classmethod
    def from_options(
        cls: type[ConfiguredT],
        options: Mapping[str, Any],
        *,
        called: str = "",
        may_be_idle: bool = False,
        written: Mapping[str, Any] | None = None,
    ) -> ConfiguredT:
        """Return the metric with these options of its own and of a call; without effect if they `may_be_idle`.

        Each is checked (`Value._take`, whose errors name what is `called` so, or else the metric), then all together
        (`check` of the metric). It keeps those that a user wrote, where they are given, as `written`.
        """
        own = {}
        of_call = {}
        for name, value in options.items():
            if name in Call.options() and name not in cls._declared:
                of_call[name] = value
            else:
                own[name] = value
        metric = cls.build(own, called=called, may_be_idle=may_be_idle)
        metric.check()
        if of_call:
            metric = metric._for_call(of_call, may_be_idle=may_be_idle)
        if written is not None:
            metric._written = written  # type: ignore[misc]  # of this metric, and not of its class
        return metric

    def with_options(self: ConfiguredT, options: Mapping[str, Any], *, may_be_idle: bool = False) -> ConfiguredT:
        """Return a metric with these options besides its own."""
        return type(self).from_options({**self.all_changed_options, **options}, may_be_idle=may_be_idle)

    def with_defaults(self: ConfiguredT, **defaults: Any) -> ConfiguredT:
        """Return the metric with these options where the user wrote none; `written` stays."""
        written = self.written
        not_written = {name: value for name, value in defaults.items() if name not in written}
        return type(self).from_options({**self.all_changed_options, **not_written}, written=written)

    def with_call_options(self: ConfiguredT, call: Mapping[str, Any]) -> ConfiguredT:
        """Return the metric for a call; options that are `AS_IN_SCORER` are those of the metric."""
        given = {name: value for name, value in call.items() if value is not AS_IN_SCORER}
        if not given:
            return self
        return self._for_call({**self.asked.changed_options, **given})

    def _for_call(self: ConfiguredT, options: Mapping[str, Any], *, may_be_idle: bool = False) -> ConfiguredT:
        """Return a copy of the metric for a call with these options; its own were checked when they were given."""
        call = Call.build(options, called=self.name, may_be_idle=may_be_idle)
        metric = type(self).__new__(type(self))
        metric.__dict__.update(self.__dict__, asked=call)
        metric.check_call(resampled=call.confidence_level is not None)
        return metric

    def __reduce__(self) -> tuple[Any, ...]:
        # By its options alone: what was computed from them (cached properties) stays behind. An option without effect
        # was warned of when the metric was made.
        return partial(type(self).from_options, may_be_idle=True), (self.all_changed_options,)

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

    # What its options are.

    @classmethod
    def all_options(cls) -> list[str]:
        """Return the names of the options that a call takes, those of every metric first."""
        return list({**Common.options(), **Call.options(), **cls.options()})

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

    def have_effect(self, names: Container[str]) -> bool:
        """Return whether each of these options has an effect with the others."""
        for options, value in ((self._declared, self), (Call.options(), self.asked)):
            for declared in options.values():
                if declared.name in names and declared.only_with is not None and not declared.only_with.test(value):
                    return False
        return True

    @classmethod
    def dialect(cls, configuration: str) -> Dialect:
        """Return the dialect of a configuration of the evaluate module: ``"default"``, or the name of a preset."""
        if configuration == "default":
            return Dialect()
        if not isinstance(configuration, str) or configuration not in cls.presets:
            hint = did_you_mean(str(configuration), ["default", *cls.presets])
            raise OptionError(f"{cls.name} has no configuration {configuration!r}. {hint}")
        return cls.dialects.get(configuration, Dialect(options={"compat": configuration}))

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


def refuse_all_but_n_jobs(options: Iterable[str], function: str) -> None:
    """Raise an OptionError for what changes a `Result` only, in a function that returns none."""
    for name in options:
        if name in Call.options() and name != "n_jobs":
            raise OptionError(
                f"{name!r} is an option of tercet.score: {function} takes n_jobs and the metric's options."
            )
