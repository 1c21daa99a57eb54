"""Values of JSON that other programs wrote, of whose kind nobody is sure."""

from __future__ import annotations

import math
from typing import Any


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
