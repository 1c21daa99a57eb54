"""Progress bars for slow work inside a step, such as a model's texts, below the bar of the steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: Seconds before a bar appears: shorter work would only flicker.
DELAY = 0.5

_shown: ContextVar[bool] = ContextVar("shown", default=False)


@contextmanager
def bars_within(shown: bool) -> Iterator[None]:
    """Show or hide the bars of slow work in the block."""
    before = _shown.set(shown)
    try:
        yield
    finally:
        _shown.reset(before)


@contextmanager
def bar_of(what: str, unit: str, total: int) -> Iterator[Any]:
    """Yield a bar to update, removed after the block; None if bars are hidden."""
    if not _shown.get():
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=what, unit=unit, leave=False, delay=DELAY) as bar:
        yield bar
