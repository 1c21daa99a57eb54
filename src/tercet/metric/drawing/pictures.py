"""Figures of matplotlib that a notebook shows even without pyplot."""

from __future__ import annotations

import io
from functools import partial
from typing import Any


def for_notebooks(figure: Any) -> Any:
    """Return a figure with the method that a notebook asks for a picture: pyplot would add it at its import."""
    figure._repr_png_ = partial(_png, figure)
    return figure


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return buffer.getvalue()
