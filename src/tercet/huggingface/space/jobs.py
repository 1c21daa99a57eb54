"""Worker processes, in which texts are scored: unlike threads, they can be killed.

Short texts have a process of their own, so that nobody waits for another's long ones. Of all else two requests run
at a time, one where a model is loaded. A request ends when its visitor leaves, and at a deadline: its process is
killed. The next request finds another that is ready, except where a model is loaded, and a new one starts
meanwhile. A process may take so much memory beyond what it needs to start; then its request is refused.

Each process imports this file: it does without gradio, which takes seconds.
"""

from __future__ import annotations

import json
import logging
import runpy
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future, TimeoutError, wait
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from multiprocessing import get_context
from pathlib import Path
from threading import Lock, Semaphore
from typing import Any

from pebble import ProcessExpired, ProcessPool

from tercet.errors import InputError

from .scoring import Demo

_LOG = logging.getLogger(__name__)

#: Whose request is being answered: gradio's names of the session and of the event.
VISIT: ContextVar[tuple[str, ...]] = ContextVar("VISIT", default=())

#: Seconds that a request may take, and the start of a process.
_SECONDS = 20
_SECONDS_WITH_MODEL = 300
_LONGEST_WARM_UP = 5
_LONGEST_START = 300
#: Bytes that a process may take, beyond those of its start.
_MEMORY = 1 << 30
_MEMORY_WITH_MODEL = 4 << 30
_RATHER = "Give fewer or shorter texts, or run the metric on your own machine."
#: Most characters of texts and options that are short, as JSON.
_SHORT = 4_000
#: Most requests with long texts, or a file, that wait: gradio has a thread for each, and keeps others for short ones.
_MOST_WAITING = 10
_MOST_SHORT = 20


class Jobs:
    """The worker processes of a page."""

    def __init__(self, metric: str, cases: Path, address: str, loads_model: bool) -> None:
        if loads_model:
            at_a_time = 1
            spare = 0
            self._seconds = _SECONDS_WITH_MODEL
        else:
            at_a_time = 2
            # As many are ready as may reach the deadline at once.
            spare = 2
            self._seconds = _SECONDS
        most_long = at_a_time + _MOST_WAITING
        most = most_long + _MOST_SHORT
        #: How gradio queues what runs here.
        self.queue = {"concurrency_id": "score", "concurrency_limit": most}
        begin = (metric, str(cases), address)
        self._short = _Lane(begin, at_a_time=1, spare=0, max_entries=most)
        self._long = _Lane(begin, at_a_time=at_a_time, spare=spare, max_entries=most_long)
        self._running: dict[str, set[Future[Any]]] = {}
        self._lock = Lock()
        self._ready = self._short.warm_up()
        # The long lane starts after the short one, for which the first visitors wait.
        self._ready.add_done_callback(lambda _: self._long.warm_up())

    def warm_up(self) -> None:
        """Wait until a process has scored the first example, or for some seconds."""
        wait([self._ready], _LONGEST_WARM_UP)

    def stop(self) -> None:
        """End all processes."""
        self._short.stop()
        self._long.stop()

    def run(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a method of the page's demo returns."""
        lane = self._long
        if method in (Demo.compute, Demo.score_text):
            size = len(json.dumps(arguments, ensure_ascii=False, default=str))
            if size <= _SHORT:
                lane = self._short
        if not lane.entries.acquire(blocking=False):
            raise InputError(
                f"{_MOST_WAITING} requests with long texts or files are waiting already. Give shorter texts, or try "
                "again in a minute."
            )
        try:
            return self._run(lane, method, arguments)
        except BrokenProcessPool:
            # An idle process was killed, as where memory is short: pebble's pool ends with it.
            return self._run(lane, method, arguments)
        finally:
            lane.entries.release()

    def _run(self, lane: _Lane, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        names = set(VISIT.get())
        waiting: Future[Any] = Future()  # stands for the job until it begins
        jobs = {waiting}
        with self._lock:
            for name in names:
                self._running.setdefault(name, set()).add(waiting)
        try:
            with lane.running:
                with self._lock:
                    if waiting.cancelled():
                        raise CancelledError
                    job = lane.schedule([method, *arguments], self._seconds)
                    jobs.add(job)
                    for name in names:
                        self._running[name].add(job)
                try:
                    return job.result(self._seconds + _LONGEST_START)
                except TimeoutError:
                    job.cancel()
                    raise InputError(
                        f"This took longer than the page's limit of {self._seconds} seconds. {_RATHER}"
                    ) from None
                except MemoryError:
                    raise InputError(f"This took more memory than the page's limit. {_RATHER}") from None
                except ProcessExpired as error:
                    # Libraries that do not know what to do without memory end their process.
                    _LOG.warning("a process has ended: %s", error)
                    raise InputError(f"The process that computed this has ended unexpectedly. {_RATHER}") from None
        except CancelledError:
            raise InputError("Cancelled: the visitor has left.") from None
        finally:
            with self._lock:
                for name in names:
                    self._running[name] -= jobs
                    if not self._running[name]:
                        del self._running[name]

    def leave(self, names: Iterable[str]) -> None:
        """End what is being computed for a visitor who has left."""
        with self._lock:
            for name in names:
                for job in self._running.get(name, ()):
                    job.cancel()


class _Lane:
    """Worker processes, of which some run at a time."""

    def __init__(self, begin: tuple[str, str, str], *, at_a_time: int, spare: int, max_entries: int) -> None:
        self._begin = begin
        self._n_workers = at_a_time + spare
        self.running = Semaphore(at_a_time)
        self.entries = Semaphore(max_entries)
        self._pool = self._new_pool()

    def _new_pool(self) -> Any:
        # Not forked: this process has threads, and a child would wait for their locks.
        spawn = get_context("spawn")
        return ProcessPool(self._n_workers, initializer=_begin, initargs=self._begin, context=spawn)

    def warm_up(self) -> Future[Any]:
        """Start the processes; one is ready when the job that this returns has ended."""
        ready: Future[Any] = self._pool.schedule(_nothing)
        return ready

    def schedule(self, call: Sequence[Any], seconds: int) -> Future[Any]:
        """Begin a job in a process that is ready."""
        if not self._pool.active:
            self._pool.stop()
            self._pool = self._new_pool()
        job: Future[Any] = self._pool.schedule(_call, call, timeout=seconds)
        return job

    def stop(self) -> None:
        """End its processes."""
        self._pool.stop()
        self._pool.join()


# In a worker process

_demo: Demo


def _begin(metric: str, cases: str, address: str) -> None:
    """Make the demo of a new process, and load its model."""
    global _demo
    _demo = Demo(metric, runpy.run_path(cases), address)
    first = _demo.examples[0]
    try:
        options, _ = _demo.text_options(first.contents)
        _demo.score_text(first.prediction, first.references, options)
    except Exception as error:
        # Whatever it is, a visitor who asks for the same is shown it.
        _LOG.warning("the first example cannot be scored: %s", error)
    most = _MEMORY_WITH_MODEL if _demo.loads_model else _MEMORY
    _limit_memory(most)


def _limit_memory(most: int) -> None:
    """Have this process take at most so many bytes more: beyond them, Python raises a MemoryError."""
    if sys.platform == "linux":
        import resource

        _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                _, kilobytes, _ = line.split()
                limit = most + (int(kilobytes) << 10)
                resource.setrlimit(resource.RLIMIT_DATA, (limit, hard_limit))
                return


# Functions of the module: what is sent to a process is named by its module.
def _call(method: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return method(_demo, *arguments)
    except MemoryError:
        # A new one: the traceback of the other holds what has filled the memory.
        raise MemoryError from None


def _nothing() -> None:
    pass
