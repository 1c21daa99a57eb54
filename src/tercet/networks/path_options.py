"""Options that name a file or a network: a path, or a model in memory."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from tercet.option_checks import Check, refuse

from .in_memory import InMemory


def path(expected: str) -> Check:
    """Check that the value is a text that is not blank, a path, or None; `expected` says in words which."""

    def check(value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, (str, PathLike)):
            text = fspath(value)
            if isinstance(text, str) and text.strip():
                return text
        raise refuse(f"{expected}, or None")

    return check


def path_or_model(expected: str) -> Check:
    """Check that the value is a path, as :func:`path` does, or a network in memory or what holds one."""
    check_path = path(f"{expected}, a model in memory")

    def check(value: Any) -> Any:
        if value is None or isinstance(value, (str, PathLike)):
            return check_path(value)
        network = InMemory.of(value)
        if network is None:
            return check_path(value)
        return network

    return check
