"""Computes in worker processes, which can be killed (threads cannot).

Two requests run at a time, so that a long one holds up nobody; one where a model is loaded. A request ends when its
visitor leaves, and at a deadline: its process is killed, and a new one takes its place.
"""

from __future__ import annotations

import logging
import runpy
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, TimeoutError, wait
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from typing import Any

from pebble import ProcessPool

from tercet.errors import InputError

from .scoring import Demo

#: Whose request is being answered: gradio's names of the session and of the event.
VISIT: ContextVar[tuple[str, ...]] = ContextVar("VISIT", default=())

_SECONDS, _SECONDS_WITH_MODEL = 20, 300
_LONGEST_WARM_UP, _LONGEST_START = 5, 300  # seconds
_LOG = logging.getLogger(__name__)

_demo: Demo


class Jobs:
    """The worker processes of a page."""

    def __init__(self, metric: str, cases: Path, address: str, loads_model: bool) -> None:
        self._at_a_time = 1 if loads_model else 2
        #: How gradio queues what runs here.
        self.queue = {"concurrency_id": "score", "concurrency_limit": self._at_a_time}
        self._seconds = _SECONDS_WITH_MODEL if loads_model else _SECONDS
        self._begin = (metric, str(cases), address)
        self._pool = self._new_pool()
        self._running: dict[str, set[Future[Any]]] = {}
        self._lock = Lock()
        self._ready = self._pool.schedule(_nothing)

    def _new_pool(self) -> Any:
        # Not forked: this process has threads, and a child would wait for their locks.
        spawn = get_context("spawn")
        return ProcessPool(self._at_a_time, initializer=_begin, initargs=self._begin, context=spawn)

    def warm_up(self) -> None:
        """Wait until a process has scored the first example, or for some seconds."""
        wait([self._ready], _LONGEST_WARM_UP)

    def run(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a method of the page's demo returns."""
        try:
            return self._run(method, arguments)
        except BrokenProcessPool:  # an idle process was killed, as where memory is short: pebble's pool ends with it
            return self._run(method, arguments)

    def _run(self, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        names = set(VISIT.get())
        with self._lock:
            if not self._pool.active:
                self._pool.stop()
                self._pool = self._new_pool()
            job = self._pool.schedule(_call, [method, *arguments], timeout=self._seconds)
            for name in names:
                self._running.setdefault(name, set()).add(job)
        try:
            return job.result(self._seconds + _LONGEST_START)
        except TimeoutError:
            job.cancel()
            raise InputError(
                f"This took longer than the page's limit of {self._seconds} seconds. Give fewer or shorter texts, or "
                "run the metric on your own machine."
            ) from None
        except CancelledError:
            raise InputError("Cancelled: the visitor has left.") from None
        finally:
            with self._lock:
                for name in names:
                    self._running[name].discard(job)
                    if not self._running[name]:
                        del self._running[name]

    def leave(self, names: Iterable[str]) -> None:
        """End what is being computed for a visitor who has left."""
        with self._lock:
            jobs = set().union(*(self._running.get(name, ()) for name in names))
        for job in jobs:
            job.cancel()


def _begin(metric: str, cases: str, address: str) -> None:
    """Make the demo of a new process, and load its model."""
    global _demo
    _demo = Demo(metric, runpy.run_path(cases), address)
    first = _demo.examples[0]
    try:
        _demo.score_text(first.prediction, first.references, _demo.text_options(first.shown)[0])
    except Exception as error:  # whatever it is, a visitor who asks for the same is shown it
        _LOG.warning("the first example cannot be scored: %s", error)


def _call(method: Callable[..., Any], *arguments: Any) -> Any:
    return method(_demo, *arguments)


def _nothing() -> None:
    pass
