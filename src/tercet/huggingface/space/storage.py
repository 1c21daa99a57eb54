"""What the page keeps of its visitors, files, results and memory: so much in all, and for some minutes."""

from __future__ import annotations

import atexit
import ctypes
import logging
import os
import shutil
import sys
import tempfile
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock, Thread
from typing import Any

from gradio.utils import get_upload_folder

from tercet.errors import InputError

from .limits import KEPT_SECONDS, MOST_BYTES

#: Seconds between two sweeps, for what is kept for `KEPT_SECONDS`.
SWEEP_SECONDS = 60
#: Most bytes of the visitors' files at a time. Results may take as much again: uploads do not keep them out.
_MOST_UPLOADED = 20 * MOST_BYTES
_MOST_FILES = 2 * _MOST_UPLOADED
#: Most bytes of results that wait to be fetched.
_MOST_UNREAD = 64 << 20
#: The least that a file takes on a disk.
_BLOCK = 4096
#: gradio deletes what it knows of at `KEPT_SECONDS`; what is still there later, it does not know.
_GRADIO_IS_DONE = KEPT_SECONDS + 2 * SWEEP_SECONDS

_LOG = logging.getLogger(__name__)

FULL = f"The page holds as many files as it can: try again in {KEPT_SECONDS // 60} minutes."


# Files


def use_own_folder() -> None:
    """Have gradio keep the visitors' files in a folder of this page, unless the environment names one."""
    if "GRADIO_TEMP_DIR" not in os.environ:
        folder = tempfile.mkdtemp(prefix="tercet-page-")
        os.environ["GRADIO_TEMP_DIR"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def files_size() -> int:
    """Return how many bytes the files of the visitors take."""
    size = 0
    for folder, _, names in os.walk(get_upload_folder()):
        for name in names:
            with suppress(FileNotFoundError):
                size += max(os.stat(os.path.join(folder, name)).st_size, _BLOCK)
    return size


def has_room_for_upload(size: int) -> bool:
    """Return whether files of so many bytes may be uploaded now."""
    return files_size() + size <= _MOST_UPLOADED


def write_download(name: str, text: str) -> str:
    """Write a file for a visitor to take away, and return its path, which nobody else can guess."""
    content = text.encode("utf-8")
    if files_size() + len(content) > _MOST_FILES:
        raise InputError(FULL)
    path = Path(get_upload_folder(), token_hex(32), name)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return str(path)


def _sweep_files() -> None:
    """Delete files that gradio has forgotten, such as those of uploads that were cut off, and empty folders."""
    oldest = time.time() - _GRADIO_IS_DONE
    root = get_upload_folder()
    for folder, _, names in os.walk(root, topdown=False):
        for name in names:
            path = os.path.join(folder, name)
            with suppress(FileNotFoundError):
                if os.stat(path).st_ctime < oldest:
                    os.unlink(path)
        if folder != root:
            # Raises an OSError where the folder has files, or one has just come into it.
            with suppress(OSError):
                if os.stat(folder).st_mtime < oldest:
                    os.rmdir(folder)


# Results


class Unread:
    """The results that wait in gradio's queue: those that nobody fetches are forgotten."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue
        self._sizes: OrderedDict[str, tuple[str, int]] = OrderedDict()  # by event, the oldest first
        self._finished: dict[str, tuple[frozenset[str], float]] = {}
        self._lock = Lock()

    def add(self, session: str, event: str, size: int) -> None:
        """Count a result of so many bytes; where all that wait are too many, the oldest are forgotten."""
        with self._lock:
            self._sizes[event] = session, size
            waiting = self._queue.pending_event_ids_session
            total = 0
            for counted_event, (its_session, its_size) in list(self._sizes.items()):
                if counted_event in waiting.get(its_session, ()):
                    total += its_size
                else:
                    # It was fetched.
                    del self._sizes[counted_event]
            while total > _MOST_UNREAD and len(self._sizes) > 1:
                oldest, _ = next(iter(self._sizes.values()))
                # All that waits for this session goes.
                self._forget(oldest)
                for counted_event, (its_session, its_size) in list(self._sizes.items()):
                    if its_session == oldest:
                        del self._sizes[counted_event]
                        total -= its_size

    def sweep(self) -> None:
        """Forget the sessions for which nothing has been computed, or fetched, for some minutes."""
        now = time.monotonic()
        waiting = self._queue.pending_event_ids_session
        running = self._queue.event_ids_to_events
        finished: dict[str, tuple[frozenset[str], float]] = {}
        for session in set(waiting) | set(self._queue.pending_messages_per_session):
            events = frozenset(waiting.get(session, ()))
            if any(event in running for event in events):
                continue
            seen, since = self._finished.get(session, (None, now))
            if seen != events:
                finished[session] = events, now
            elif now - since > KEPT_SECONDS:
                self._forget(session)
            else:
                finished[session] = events, since
        self._finished = finished

    def _forget(self, session: str) -> None:
        self._queue.pending_messages_per_session.pop(session, None)
        self._queue.pending_event_ids_session.pop(session, None)


def size_of(value: Any) -> int:
    """Return about how many bytes a result takes."""
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        size += sum(size_of(key) + size_of(content) for key, content in value.items())
    elif isinstance(value, (list, tuple)):
        size += sum(map(size_of, value))
    return size


# Memory

#: Options of glibc's `mallopt`, and what they are set to: a block of this size is given back when it is freed, and
#: threads share two arenas. Otherwise each keeps what the largest requests have taken.
_MMAP_THRESHOLD = -3
_LARGE_BLOCK = 256 << 10
_ARENA_MAX = -8
_ARENAS = 2


def give_memory_back_at_once() -> None:
    """Have the C library, where it is glibc, give memory back to the system when it is freed."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallopt"):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK)
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def _give_memory_back() -> None:
    """Give back what lies between blocks that are still in use."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


def keep_swept(unread: Unread) -> None:
    """Sweep for as long as the page is served."""

    def sweep_for_ever() -> None:
        while True:
            time.sleep(SWEEP_SECONDS)
            for sweep in (_sweep_files, unread.sweep, _give_memory_back):
                try:
                    sweep()
                except Exception:
                    # What could not be swept now is swept the next time.
                    _LOG.exception("the page could not be swept")

    Thread(target=sweep_for_ever, daemon=True, name="sweep").start()
