"""Short names of systems in a report: without shared parts, and cut to fit."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_JOINTS = "._-/ "
_SHORT = 18  # columns


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without the beginning and the end that all of them share, cut at joints.

    Short names stay unchanged.
    """
    if len(names) < 2 or max(map(_columns, names)) <= _SHORT:
        return {name: name for name in names}
    head = _common(names)
    start = 1 + max(head.rfind(joint) for joint in _JOINTS)
    tail = _common([name[start:][::-1] for name in names])[::-1]
    places = [tail.find(joint) for joint in _JOINTS if joint in tail]
    stop = len(tail) - min(places) if places else 0
    cut = {name: name[start : len(name) - stop] for name in names}
    return cut if all(cut.values()) else {name: name for name in names}


def fitted(name: str, columns: int) -> str:
    """Return a name cut in the middle to so many columns: wide characters take two."""
    if _columns(name) <= columns:
        return name
    room, head, tail = columns - 1, "", ""
    while True:
        for letter in (name[len(head)], name[-1 - len(tail)]):
            room -= _width(letter)
            if room < 0:
                return f"{head}…{tail}"
            if len(head) <= len(tail):
                head += letter
            else:
                tail = letter + tail


def _common(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    first, last = min(names), max(names)
    number = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:number]


def _columns(text: str) -> int:
    return sum(map(_width, text))


def _width(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
