"""Options of a metric as controls of a page, from their own declarations.

A control knows what a visitor may give, and nothing else passes: no function, no path, no address, whatever reaches
the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tercet.base.configured import Call
from tercet.base.docs import option_doc
from tercet.base.options import Option
from tercet.corpus.normalizers import NORMALIZERS
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.option_checks import Integer, OneOf, flag
from tercet.registry import metric_class

#: Options of every metric that the page offers, and those that programs have besides. The page begins with percent,
#: as comparisons show scores; to programs the default is the metric's own.
COMMON: dict[str, dict[str, Any]] = {
    "normalize": {"several": list(NORMALIZERS)},
    "scale": {"choices": (1, 100), "value": 100},
}
FOR_PROGRAMS: dict[str, dict[str, Any]] = {
    "segments": {},
    "confidence_level": {},
    "n_resamples": {"most": 10_000},
    "seed": {},
}

#: Greatest number that an option takes here, where the metric sets no bound to it.
_MOST = 1_000_000_000
_NOTHING = "–"  # how a menu shows None

#: What a control holds whose option is one for a single text and another for a file, until a visitor chooses.
DEPENDS = object()


@dataclass(frozen=True, slots=True)
class Control:
    """An option that a visitor may choose."""

    name: str
    kind: str  # {"menu", "several", "flag", "whole", "number", "weights"}
    default: Any  # the metric's own: an option that has it need not be given
    value: Any  # what the page begins with
    choices: Mapping[str, Any] = field(default_factory=dict)  # the menu's labels with their values
    most: int | None = None  # the greatest integer allowed; None where the metric has a bound of its own
    info: str = ""  # what the option does, in a sentence
    #: The option whose choice decides what this control shows, until a visitor writes something else; "" for none.
    follows: str = ""
    following: Mapping[Any, Any] = field(default_factory=dict)  # what it then shows, by the value of that option

    @property
    def renamed(self) -> dict[str, str]:
        """The choices that programs call by another name than their value: the values by these names."""
        renamed = {}
        for label, choice in self.choices.items():
            name = _program_name(label, choice)
            if isinstance(choice, str) and name != choice:
                renamed[name] = choice
        return renamed

    def shown(self, value: Any) -> Any:
        """Return what the page's control shows for a value of the option."""
        if self.kind == "menu":
            return next(label for label, choice in self.choices.items() if choice == value)
        if self.kind == "several":
            return [] if value is None else [str(item) for item in value]
        if self.kind == "weights":
            return _weights_text(value)
        return "" if value is None else value

    def in_words(self, value: Any) -> str:
        """Return a value as an example says it."""
        content = self.shown(value)
        if isinstance(content, list):
            return ", ".join(content)
        return str(content)

    def read(self, content: Any) -> Any:
        """Return the value of the option for what the page's control holds."""
        if self.kind == "menu" and isinstance(content, str) and content in self.choices:
            return self.choices[content]
        if self.kind == "weights":
            return _read_weights(content)
        if self.kind in ("whole", "number") and isinstance(content, str):
            return self.checked(self._read_number(content.strip()))
        return self.checked(content)

    def checked(self, value: Any) -> Any:
        """Return a value that a program sent, if it is one that a visitor may give."""
        match self.kind:
            case "menu":
                return self._choice(value)
            case "several":
                return self._several(value)
            case "flag":
                return self._flag(value)
            case "weights":
                return self._weights(value)
            case _:
                return self._number(value)

    def _choice(self, value: Any) -> Any:
        names = []
        for label, choice in self.choices.items():
            name = _program_name(label, choice)
            if _is_same(value, choice) or _is_same(value, name):
                return choice
            names.append(repr(name))
        raise self._error(value, f"one of {', '.join(names)}")

    def _several(self, value: Any) -> list[str] | None:
        values = [value] if isinstance(value, str) else value
        takes_none = self.default is None
        if takes_none and (value is None or values == []):
            return None
        are_choices = isinstance(values, list) and all(type(item) is str and item in self.choices for item in values)
        if values and are_choices:
            has_repeated = len(set(values)) < len(values)
            if not (takes_none and has_repeated):
                return values
        expected = f"a list of some of {', '.join(map(repr, self.choices))}"
        if takes_none:
            expected += ", each once"
        raise self._error(value, expected)

    def _flag(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self._error(value, "True or False")
        return value

    def _weights(self, value: Any) -> Any:
        if value is None or isinstance(value, (list, dict)):
            return value
        return _read_weights(value)

    def _number(self, value: Any) -> int | float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._error(value, "a number")
        if self.most is not None and abs(value) > self.most:
            raise self._error(value, f"an integer up to {self.most:,}")
        if self.kind == "whole" and isinstance(value, float) and value.is_integer():
            return int(value)
        return value

    def _read_number(self, text: str) -> int | float | None:
        if not text:
            return None
        is_whole = self.kind == "whole"
        try:
            return int(text) if is_whole else float(text)
        except ValueError:
            expected = "an integer" if is_whole else "a number"
            raise self._error(text, expected) from None

    def _error(self, value: Any, expected: str) -> OptionError:
        return OptionError(f"The {self.name!r} option on this page must be {expected}. Got {shorten(value)} instead.")


def controls(
    metric: str, offered: Mapping[str, Mapping[str, Any]], text_options: Mapping[str, Any] | None = None
) -> list[Control]:
    """Return the controls of options that a metric's demo offers; `text_options` are others for a single text."""
    cls = metric_class(metric)
    declared = {**cls.options(), **Call.options()}
    controls_by_name: dict[str, Control] = {}
    for name, settings in offered.items():
        control = replace(_control(declared[name], settings), info=option_doc(declared[name]).first_sentence)
        if text_options is not None and name in text_options:
            # The menu begins with what depends on whether a text or a file is scored.
            choices = control.choices or {"True": True, "False": False}
            label = f"auto (text: {_label(text_options[name])}, file: {_label(control.default)})"
            control = replace(control, kind="menu", value=DEPENDS, choices={label: DEPENDS, **choices})
        # Menus stand before what follows them, so that the control of the leader is there.
        for leader, following in settings.get("follows", {}).items():
            first = following[controls_by_name[leader].value]
            control = replace(control, value=first, follows=leader, following=following)
        controls_by_name[name] = control
    return list(controls_by_name.values())


def _control(declared: Option, settings: Mapping[str, Any]) -> Control:
    name = declared.name
    check = declared.check
    default = declared.default
    choices = settings.get("choices")
    if "several" in settings:
        return Control(name, "several", default, value=default, choices=_named_as_they_are(settings["several"]))
    if isinstance(default, tuple):
        names = list(default)
        return Control(name, "several", names, value=names, choices=_named_as_they_are(choices or names))
    if choices is None and isinstance(check, OneOf):
        choices = check.choices
    if choices is not None:
        by_label = choices if isinstance(choices, Mapping) else {_label(choice): choice for choice in choices}
        values = list(by_label.values())
        first = default if default in values else values[0]
        return Control(name, "menu", default, value=settings.get("value", first), choices=by_label)
    value = settings.get("value", default)
    if check is flag or isinstance(default, bool):
        return Control(name, "flag", default, value)
    if isinstance(check, Integer):
        bound = _MOST if check.maximum is None else None
        return Control(name, "whole", default, value, most=settings.get("most", bound))
    if name == "weights":
        return Control(name, "weights", default, value)
    return Control(name, "number", default, value)


def _named_as_they_are(choices: Iterable[str]) -> dict[str, str]:
    return {name: name for name in choices}


def _is_same(value: Any, accepted: Any) -> bool:
    """Return whether a value is the accepted one, of the same type: 1 is not True."""
    return type(value) is type(accepted) and bool(value == accepted)


def _label(choice: Any) -> str:
    return _NOTHING if choice is None else str(choice)


def _program_name(label: str, choice: Any) -> Any:
    """Return what a program calls a choice: its value, or the first words of its label where the label has others."""
    if label == _label(choice):
        return choice
    return label.partition(" (")[0]


def given_options(offered: Sequence[Control], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return checked options from a program's; those at their default are left out.

    Where the metric has no default, what is not given is what the page begins with.
    """
    if not isinstance(values, Mapping):
        raise OptionError(f"The options must be names with values. Got {shorten(values)} instead.")
    by_name = {control.name: control for control in offered}
    for name in values:
        if name not in by_name:
            hint = did_you_mean(str(name)[:100], by_name)
            raise OptionError(f"The option {shorten(name)} cannot be chosen here. {hint}")
    checked = {name: by_name[name].checked(value) for name, value in values.items()}
    return without_defaults(offered, {**_begun(offered, checked), **checked})


def _begun(offered: Sequence[Control], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page begins with instead of defaults; nothing where another of its encoders is given."""
    initial_values = {}
    for control in offered:
        if control.value in (control.default, DEPENDS):
            continue
        if control.kind == "menu" and values.get(control.name, control.value) != control.value:
            return {}
        initial_values[control.name] = control.value
    return initial_values


def without_defaults(offered: Sequence[Control], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options whose value is not the metric's default, and that were chosen at all."""
    defaults = {control.name: control.default for control in offered}
    chosen = {}
    for name, value in values.items():
        if value is not DEPENDS and value != defaults[name]:
            chosen[name] = value
    return chosen


def _read_weights(text: Any) -> Any:
    """Read weights as a visitor writes them: ``0.5, 0.5``, or named ones, ``a = 1; b = 0.5, 0.5``."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return None
    try:
        if "=" not in text:
            return _numbers(text)
        weights = {}
        for part in text.split(";"):
            if not part.strip():
                continue
            name, numbers = part.split("=", 1)
            if name.strip() in weights:
                raise ValueError
            weights[name.strip()] = _numbers(numbers)
        return weights
    except (TypeError, ValueError):
        raise OptionError(
            "The 'weights' option is written as numbers, 0.25, 0.25, 0.25, 0.25, or as named ones, each once, "
            f"unigrams = 1; pairs = 0.5, 0.5. Got {shorten(text)} instead."
        ) from None


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _weights_text(weights: Any) -> str:
    if weights is None:
        return ""
    if isinstance(weights, Mapping):
        return "; ".join(f"{name} = {_weights_text(value)}" for name, value in weights.items())
    return ", ".join(f"{weight:g}" for weight in weights)
