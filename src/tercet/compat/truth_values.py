"""Options that are true or false, as other packages take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tercet.errors import OptionError, shorten


def truth(caller: str, name: str, value: Any) -> bool:
    """Return whether an option is true: 0, 1 and None are taken too, as there, but no text and no list."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)) and value in (0, 1):
        return bool(value)
    raise OptionError(f"The {name!r} option of {caller} must be True or False. Got {shorten(value)} instead.")
