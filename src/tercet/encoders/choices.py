"""Checks of options that all metrics with a network have: its name or folder, its device, its precision."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from tercet.core.options import Check, refuse

DTYPES = ("float32", "bfloat16", "float16")


def path(expected: str) -> Check:
    """Check that the value is the path or name of something, or None; `expected` says what."""

    def check(value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, (str, PathLike)):
            path = fspath(value)
            if isinstance(path, str) and path.strip():
                return path
        raise refuse(expected)

    return check


def as_dtype(value: Any) -> str | None:
    """Check that the value names a precision, or is None."""
    name = str(value).removeprefix("torch.")
    if value is None or name in DTYPES:
        return None if value is None else name
    raise refuse("one of 'float32', 'bfloat16', 'float16' or None")


def as_device(value: Any) -> str | None:
    """Check that the value names a device, or is None."""
    if value is None:
        return None
    name = str(value)
    if isinstance(value, bool) or (not isinstance(value, str) and type(value).__name__ != "device") or not name:
        raise refuse("the name of a device, such as 'cpu' or 'cuda:0', or None")
    import torch

    try:
        torch.device(name)
    except RuntimeError:
        raise refuse("the name of a device, such as 'cpu' or 'cuda:0', or None") from None
    return name
