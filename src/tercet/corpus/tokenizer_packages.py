"""Packages that only some tokenizers need, imported by the first call of one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tercet.errors import needs


def optional_package(module: str, tokenizer: str, package: str = "") -> Any:
    """Return a module that a tokenizer needs."""
    needs(f"The tokenizer {tokenizer!r}", "languages", module, package=package)
    return import_module(module)
