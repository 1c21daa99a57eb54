"""Locks that a forked child finds open."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import RLock
from weakref import WeakSet


class Lock:
    """A lock for ``with`` that is open in a child of a fork, whichever thread of the parent holds it.

    A child has only the thread that forked, so what another thread held would never be released there. The thread
    that holds the lock may enter it again.

    Examples
    --------
    >>> lock = Lock()
    >>> with lock, lock:
    ...     print("one thread at a time")
    one thread at a time
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = RLock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        # A child that was forked within the block leaves it with a new lock, which nobody holds.
        with suppress(RuntimeError):
            self._lock.release()


_locks: WeakSet[Lock] = WeakSet()


def _open_all() -> None:
    for lock in list(_locks):
        lock._lock = RLock()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_open_all)
