"""What a user sees of slow work: a line that says what is done, and below it a bar that counts it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

#: Seconds before a bar appears: shorter work would only flicker.
_DELAY = 0.5

#: "encoding:  12%|███       | 73/598 texts [00:34<03:05, 2.84 texts/s]"
_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}, {rate_noinv_fmt}]"
_LONGEST_LINE = 70

_shown: ContextVar[bool] = ContextVar("shown", default=False)

ChunkT = TypeVar("ChunkT", bound=Sized)


@contextmanager
def bars_within(visible: bool) -> Iterator[None]:
    """Show or hide bars and lines in the block."""
    before = _shown.set(visible)
    try:
        yield
    finally:
        _shown.reset(before)


@contextmanager
def line_of(text: str) -> Iterator[Callable[[str], None]]:
    """Show a line during work that cannot be counted, such as loading; yield a function that shows another text."""
    if not _shown.get():
        yield lambda text: None
        return
    from tqdm import tqdm

    with tqdm(bar_format="{desc}", desc=text[:_LONGEST_LINE], leave=False) as line:
        yield lambda text: line.set_description_str(text[:_LONGEST_LINE])


class Bar:
    """Counts work on a bar of tqdm, or on none, where bars are hidden."""

    def __init__(self, shown: Any = None) -> None:
        self._shown = shown

    def expect(self, n: int) -> None:
        """Make the bar longer where so many more than are done are too many for it."""
        if self._shown is not None:
            self._shown.total = max(self._shown.total or 0, self._shown.n + n)

    def update(self, n: int = 1) -> None:
        """Count so many as done, of work that is done again too."""
        self.expect(n)
        if self._shown is not None:
            self._shown.update(n)


HIDDEN_BAR = Bar()


@contextmanager
def bar_of(work: str, unit: str, total: int, *, delay: float = _DELAY) -> Iterator[Bar]:
    """Yield a bar to update, removed after the block."""
    if not _shown.get():
        yield HIDDEN_BAR
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=work, unit=f" {unit}", bar_format=_FORMAT, leave=False, delay=delay) as bar:
        yield Bar(bar)


def count_on_bar(chunks: Iterable[ChunkT], work: str, unit: str, total: int) -> Iterator[ChunkT]:
    """Yield chunks, and count what they hold on a bar: each when the next one is asked for."""
    with bar_of(work, unit, total) as bar:
        for chunk in chunks:
            yield chunk
            bar.update(len(chunk))
