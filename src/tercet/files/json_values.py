"""Values of JSON that other programs wrote, of whose kind nobody is sure, and what damaged JSON raises."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from typing import Any

#: What damaged archives, compressed bytes and JSON raise; of RuntimeErrors, nesting too deep is one.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, TypeError, ValueError,
)  # fmt: skip


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as the only one of a list."""
    if isinstance(value, list):
        return value
    return [value]


def field_of(value: Any, key: str) -> Any:
    """Return what an object has under a key; None where it has nothing, and for what is no object."""
    if isinstance(value, dict):
        return value.get(key)
    return None


def without_nan(value: Any) -> Any:
    """Return a value; None for NaN."""
    if isinstance(value, float) and math.isnan(value):
        return None
    return value
