"""The members of the ROUGE family as values: a name that says all, and what it counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tercet.errors import OptionError, did_you_mean, shorten

_FORM = re.compile(
    r"rouge(?:(?P<order>[1-9])|(?P<lcs>L|Lsum)|W(?P<weight>[0-9]{1,2}(?:\.[0-9]+)?)?|(?P<skip>SU|S)(?P<gap>[0-9]{1,6})?)"
)
_EXAMPLES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "rougeW", "rougeW1.5", "rougeS", "rougeS4", "rougeSU4")

#: What the script ROUGE-1.5.5 counts line by line.
BY_LINE = ("L", "Lsum", "W")
DEFAULT_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "rougeW", "rougeS4", "rougeSU4")


@dataclass(frozen=True, slots=True)
class RougeType:
    """One member of the family."""

    #: As given, and as in the result.
    name: str
    #: {"n", "L", "Lsum", "W", "S", "SU"}
    kind: str
    #: n-grams: their length.
    order: int = 0
    #: ROUGE-W: runs of k matches are worth k ** weight.
    weight: float = 1.2
    #: Skip-bigrams: the most tokens between the two; -1 for any number.
    gap: int = -1


def parse_types(names: Any) -> tuple[RougeType, ...]:
    """Return the types that names stand for."""
    if names is None:
        names = DEFAULT_TYPES
    try:
        listed = [names] if isinstance(names, str) else list(names)
    except TypeError:
        listed = []
    if not listed:
        raise OptionError(
            f"The 'rouge_types' option of rouge_nlws must be a list of at least one name, got {shorten(names)}."
        )
    known: dict[str, RougeType] = {}
    for name in listed:
        kind = _parse(name)
        if kind.name in known:
            raise OptionError(f"The 'rouge_types' option of rouge_nlws names {kind.name!r} twice.")
        known[kind.name] = kind
    return tuple(known.values())


def _parse(name: Any) -> RougeType:
    match = _FORM.fullmatch(name) if isinstance(name, str) else None
    weight = float(match["weight"] or 1.2) if match else 0.0
    if match is None or not 1 <= weight <= 5:
        raise OptionError(
            f"The 'rouge_types' option of rouge_nlws has no type {shorten(name)}. {did_you_mean(name, _EXAMPLES)} "
            "The forms are rouge1 to rouge9, rougeL, rougeLsum, rougeW[weight from 1 to 5], rougeS[gap] and "
            "rougeSU[gap]."
        )
    if match["order"]:
        return RougeType(name, "n", order=int(match["order"]))
    if match["lcs"]:
        return RougeType(name, match["lcs"])
    if match["skip"]:
        return RougeType(name, match["skip"], gap=int(match["gap"]) if match["gap"] else -1)
    return RougeType(name, "W", weight=weight)


def as_names(names: Any) -> tuple[str, ...]:
    """Return the names of types as an option keeps them; errors as :func:`parse_types`."""
    return tuple(each.name for each in parse_types(names))


def is_type(name: str) -> bool:
    """Return whether this is the name of a type."""
    return _FORM.fullmatch(name) is not None
