"""Systems as warnings speak of them: each alone, or many together."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.errors import shorten
from tercet.names_as_shown import joined

#: So many systems are each warned of what they have alike, and more of them together (chosen).
_APART = 3
#: Names of systems in a warning (chosen).
_NAMED = 8


def system_groups(systems: list[str]) -> list[list[str]]:
    """Return the systems of each warning, of those that have something alike."""
    if len(systems) > _APART:
        return [systems]
    return [[system] for system in systems]


def systems_in_words(systems: Sequence[str]) -> str:
    """Return what warnings call systems."""
    if len(systems) == 1:
        return f"the system {shorten(systems[0])}"
    return f"the systems {joined(list(map(shorten, systems)), _NAMED)}"


def systems_have(systems: Sequence[str]) -> str:
    """Return systems as a subject, with its verb."""
    verb = "has" if len(systems) == 1 else "have"
    return f"{systems_in_words(systems)} {verb}"
