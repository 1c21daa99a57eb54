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
        arguments = {option: argument for argument, option in self.arguments.items()}
        return [*(arguments.get(option, option) for option in options), *self.without_effect]

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Name options in an OptionError from within as the configuration does."""
        try:
            yield
        except OptionError as error:
            message = str(error)
            for argument, option in self.arguments.items():
                # only the first of each form: a value that the message quotes may read the same
                message = message.replace(f"'{option}'", f"'{argument}'", 1)
                message = re.sub(rf"(?<![\w'\"]){option}(?==)", argument, message, count=1)
            error.args = (message,)
            raise

    def to_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return our options for the arguments of a call; None stands for the configuration's default."""
        options: dict[str, Any] = {}
        for argument, value in given.items():
            option = self.arguments.get(argument, argument)
            if option in options:
                twice = [name for name in given if self.arguments.get(name, name) == option]
                raise OptionError(f"{' and '.join(map(repr, twice))} are the same option: give one of them.")
            if argument not in self.without_effect and not (value is None and option in self.options):
                options[option] = value
        return {**self.options, **options}

    def to_entries(self, result: Result) -> dict[str, Any]:
        """Return the other module's result, a plain dict: its keys, then requested ones."""
        entries = {}
        their_keys = {}
        for key, ours in self.keys.items():
            if ours in result:
                entries[key] = result[ours]
            else:
                entries[key] = getattr(result, ours)
            their_keys[ours] = key
        for key, value in result.items():
            # these have a value by score, under the keys of the scores
            if key in ("intervals", "segments"):
                entries[key] = {their_keys.get(name, name): of_score for name, of_score in value.items()}
            elif key not in their_keys and not key.startswith(self.left_out):
                entries[key] = value
        return entries
