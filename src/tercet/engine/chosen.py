"""The engine in use: the compiled one, or where there is none the same functions in plain Python.

The variable TERCET_ENGINE chooses: `plain` takes plain Python; `required` makes a missing compiled engine an error.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

__all__ = ["engine"]

_SLOW = (
    "tercet runs without its compiled engine: scores are the same, but take 50 to 1000 times as long. Install a "
    "wheel for this Python, or a C compiler, and then: pip install --force-reinstall --no-deps --no-cache-dir tercet "
    "(in a checkout: .)"
)


def _warn() -> None:
    """Warn at the user's line."""
    frame = sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("tercet", "importlib"):
        frame = frame.f_back
    names, line = frame.f_globals, frame.f_lineno
    registry = names.setdefault("__warningregistry__", {})
    module = names.get("__name__", "")
    warnings.warn_explicit(_SLOW, RuntimeWarning, frame.f_code.co_filename, line, module, registry)


_ASKED = os.environ.get("TERCET_ENGINE", "")
if _ASKED not in ("", "plain", "required"):
    raise ValueError(f"TERCET_ENGINE must be 'plain' or 'required', got {_ASKED!r}.")
if TYPE_CHECKING or _ASKED == "plain":
    from . import plain as engine
else:
    try:
        from . import _engine as engine
    except ImportError:
        if _ASKED == "required":
            raise
        engine = None
    if engine is None:
        from . import plain as engine

        _warn()
