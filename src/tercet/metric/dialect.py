"""How another package's evaluate module spells a metric: its arguments, its defaults, the keys of its result."""

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
    """A configuration of a suite's module, chosen by ``evaluate.load(module, configuration)``.

    Attributes
    ----------
    options : mapping
        Our options that it sets, where a call does not.
    arguments : mapping of str to str
        Its arguments that have another name here -> our options.
    without_effect : tuple of str
        Its arguments that have nothing to decide here: taken, and left alone.
    keys : mapping of str to str
        Its keys, in its order -> our keys, or attributes of our result. Empty: the keys are ours.
    left_out : tuple of str
        Beginnings of our keys that it does not have.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    without_effect: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def names(self, options: Iterable[str]) -> list[str]:
        """Return the arguments of a call that has these options of ours, in the words of the configuration."""
        words = {own: name for name, own in self.arguments.items()}
        return [*(words.get(name, name) for name in options), *self.without_effect]

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Let an OptionError from within name an option as the configuration does."""
        try:
            yield
        except OptionError as error:
            said = str(error)
            for name, own in self.arguments.items():
                said = re.sub(rf"(?<!\w){own}(?='|=)", name, said, count=1)  # the first: a value may read the same
            error.args = (said,)
            raise

    def to_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return our options for what a call gave; None stands for what the configuration sets."""
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
        """Return what the other module returns, a plain dict: its keys, then those that an option asked for."""
        entries = {key: result[own] if own in result else getattr(result, own) for key, own in self.keys.items()}
        names = {own: key for key, own in self.keys.items()}
        for key, value in result.items():
            if key in ("intervals", "segments"):
                entries[key] = {names.get(name, name): each for name, each in value.items()}
            elif key not in names and not key.startswith(self.left_out):
                entries[key] = value
        return entries
