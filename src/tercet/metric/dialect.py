"""The interface of another package's evaluate module: its arguments, defaults and result keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tercet.errors import OptionError
from tercet.result import Result


@dataclass(frozen=True, slots=True)
class Dialect:
    """A configuration of a suite's module, chosen by ``evaluate.load(module, configuration)``."""

    #: Our options that it sets by default.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Its arguments with another name -> our options.
    arguments: Mapping[str, str] = field(default_factory=dict)
    #: Its arguments that are accepted and ignored.
    without_effect: tuple[str, ...] = ()
    #: Its keys, in order -> our keys, or attributes of our result. Empty: the keys are ours.
    keys: Mapping[str, str] = field(default_factory=dict)
    #: Prefixes of our keys that it lacks.
    left_out: tuple[str, ...] = ()

    def names(self, options: Iterable[str]) -> list[str]:
        """Return the arguments of the configuration for these options of ours."""
        words = {own: name for name, own in self.arguments.items()}
        return [*(words.get(name, name) for name in options), *self.without_effect]

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Name options in an OptionError from within as the configuration does."""
        try:
            yield
        except OptionError as error:
            said = str(error)
            for name, own in self.arguments.items():
                said = re.sub(rf"(?<!\w){own}(?='|=)", name, said, count=1)  # the first: a value may read the same
            error.args = (said,)
            raise

    def to_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return our options for the arguments of a call; None stands for the configuration's default."""
        options: dict[str, Any] = {}
        for name, value in given.items():
            own = self.arguments.get(name, name)
            if own in options:
                twice = [each for each in given if self.arguments.get(each, each) == own]
                raise OptionError(f"{' and '.join(map(repr, twice))} are the same option: give one of them.")
            if name not in self.without_effect and not (value is None and own in self.options):
                options[own] = value
        return {**self.options, **options}

    def to_entries(self, result: Result) -> dict[str, Any]:
        """Return the other module's result, a plain dict: its keys, then requested ones."""
        entries = {key: result[own] if own in result else getattr(result, own) for key, own in self.keys.items()}
        names = {own: key for key, own in self.keys.items()}
        for key, value in result.items():
            if key in ("intervals", "segments"):
                entries[key] = {names.get(name, name): each for name, each in value.items()}
            elif key not in names and not key.startswith(self.left_out):
                entries[key] = value
        return entries
