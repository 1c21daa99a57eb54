"""The engine at hand: the compiled one, or where there is none the same functions in plain Python."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from . import plain

if TYPE_CHECKING:
    engine = plain
else:
    try:
        from . import _engine as engine
    except ImportError:
        engine = plain
        warnings.warn(
            "tercet runs without its compiled engine: scores are the same, and take 50 to 1000 times as long. "
            "Install a wheel for this Python, or a C compiler, and then: pip install --force-reinstall tercet",
            RuntimeWarning,
            stacklevel=2,
        )
