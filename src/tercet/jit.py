"""The one way in which a function of this package becomes machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def kernel(function: FunctionT) -> FunctionT:
    """Compile `function` with numba: cached on disk where a folder can be written, without the GIL, serial.

    Kernels take and return arrays only, so that each one can be held against a plain definition. They run in
    one thread; who wants more calls them on slices from a pool. (numba's own parallel loops abort the process
    when two threads enter them at once.)
    """
    settings = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **settings)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # neither the folder of the source nor the user's cache folder can be written
        return numba.njit(**settings)(function)  # type: ignore[no-any-return]
