"""The engine at hand: the compiled one, or where there is none the same functions in plain Python.

The variable TERCET_ENGINE can ask for one: `plain`; or `required`, for an error where there is no compiled one.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

__all__ = ["engine"]

_SLOW = (
    "tercet runs without its compiled engine: scores are the same, and take 50 to 1000 times as long. "
    "Install a wheel for this Python, or a C compiler, and then: "
    "pip install --force-reinstall --no-deps --no-cache-dir tercet"
)


def _warn() -> None:
    """Warn at the line outside of this package that leads to here, so that users see theirs."""
    frame = sys._getframe()
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in ("tercet", "importlib"):
        frame = frame.f_back
    names, line = frame.f_globals, frame.f_lineno
    registry = names.setdefault("__warningregistry__", {})
    warnings.warn_explicit(_SLOW, RuntimeWarning, frame.f_code.co_filename, line, names["__name__"], registry)


if TYPE_CHECKING or os.environ.get("TERCET_ENGINE") == "plain":
    from . import plain as engine
else:
    try:
        from . import _engine as engine
    except ImportError:
        if os.environ.get("TERCET_ENGINE") == "required":
            raise
        engine = None
    if engine is None:
        from . import plain as engine

        _warn()
