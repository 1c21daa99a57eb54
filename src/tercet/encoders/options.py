"""Common options of metrics that load a network."""

from __future__ import annotations

from importlib.util import find_spec
from os import PathLike, fspath
from typing import Any

from tercet.checks import Check, refuse

#: Precisions of a network.
DTYPES = ("float32", "bfloat16", "float16")


def path(expected: str) -> Check:
    """Check that the value is a text that is not blank, a path, or None; `expected` says so in words."""

    def check(value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, (str, PathLike)):
            text = fspath(value)
            if isinstance(text, str) and text.strip():
                return text
        raise refuse(expected)

    return check


def as_dtype(value: Any) -> str | None:
    """Check that the value is the name of a precision, a dtype of PyTorch, or None."""
    name = str(value).removeprefix("torch.")
    if value is None or name in DTYPES:
        return None if value is None else name
    raise refuse("one of 'float32', 'bfloat16', 'float16' or None")


def as_device(value: Any) -> str | None:
    """Check that the value is the name of a device, a device of PyTorch, or None."""
    if value is None:
        return None
    name = str(value)
    if isinstance(value, bool) or (not isinstance(value, str) and type(value).__name__ != "device") or not name:
        raise refuse("the name of a device, such as 'cpu' or 'cuda:0', or None")
    if find_spec("torch") is None:
        return name  # the metric itself then says what is missing
    import torch

    try:
        torch.device(name)
    except RuntimeError:
        raise refuse("the name of a device, such as 'cpu' or 'cuda:0', or None") from None
    return name
