"""The one way in which a function of this package becomes machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with numba: cached on disk where a folder can be written, without the GIL, serial.

    Kernels take and return arrays only, so that each one can be held against a plain definition. They run in
    one thread; who wants more calls them on slices from a pool. (numba's own parallel loops abort the process
    when two threads enter them at once.)
    """
    settings: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, **settings)(function)
    except RuntimeError:  # neither the folder of the source nor the user's cache folder can be written
        compiled = numba.njit(**settings)(function)
    return compiled
