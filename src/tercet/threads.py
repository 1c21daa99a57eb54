"""Work on several pieces at once, in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import TypeVar

_PieceT = TypeVar("_PieceT")
_MadeT = TypeVar("_MadeT")


def in_threads(
    work: Callable[[_PieceT], _MadeT], pieces: Sequence[_PieceT], n_threads: int | None
) -> Iterator[_MadeT]:
    """Yield what the work makes of each piece, in order; with one piece or thread, the caller's own does it.

    What the caller set for his own thread, such as NumPy's `errstate`, holds in others too.

    Examples
    --------
    >>> list(in_threads(str.upper, ["a", "b", "c"], 2))
    ['A', 'B', 'C']
    """
    if n_threads == 1 or len(pieces) == 1:
        yield from map(work, pieces)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(n_threads)
    try:
        tasks = deque(pool.submit(copy_context().run, work, piece) for piece in pieces)
        while tasks:
            yield tasks.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for what is left
