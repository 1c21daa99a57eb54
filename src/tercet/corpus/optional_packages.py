"""Packages that only some tokenizers need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tercet.errors import OptionError, to_install


def optional_package(module: str, tokenizer: str, package: str | None = None) -> Any:
    """Return a module that a tokenizer needs."""
    try:
        return import_module(module)
    except ImportError:
        raise OptionError(
            f"The tokenizer {tokenizer!r} needs the package {package or module!r}, which is not installed: "
            f"{to_install('languages')}"
        ) from None
