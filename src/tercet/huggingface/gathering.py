"""The items that a module keeps until it computes: in memory, or in files shared by several processes."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.base.metric import Metric
from tercet.corpus.corpus import Corpus
from tercet.errors import GatheringError, InputError, OptionError, TercetError, did_you_mean, first_line, shorten
from tercet.locks import Lock
from tercet.streaming.rows import KeptRows
from tercet.streaming.rows_file import RowsFile, write_rows


@dataclass(frozen=True, slots=True)
class Job:
    """How items are scored: those of a process -> a batch of each system; the rows of each system -> the result."""

    metric: Metric
    batches: Callable[[list[Corpus]], list[Corpus]]
    result: Callable[[list[list[KeptRows]]], Any]


_OTHER_FOLDER = "Choose another folder by cache_dir=..., or by HF_HOME in the environment."
#: Of two simultaneous threads only one may become the owner of a module. Here, as a module may be pickled.
_choosing_owner = Lock()


class Gathering:
    """Mixin for a module of evaluate, before its class: keeps checked texts in memory until `compute` takes them.

    Each of several processes counts its own items and hands over their rows in a file; the first joins them.
    They synchronize by the locks of evaluate's files, which show who is missing or ended early. A
    module belongs to the first thread that adds to it until that thread has computed.
    """

    if TYPE_CHECKING:  # attributes of evaluate's class

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # evaluate would silently ignore arguments that it does not know.
        accepted = signature(super().__init__).parameters
        known = [name for name in accepted if name not in ("hash", "kwargs")]
        for name in kwargs:
            if name not in accepted:
                hint = did_you_mean(name, known)
                raise OptionError(f"evaluate modules cannot be loaded with {shorten(name)}. {hint}")
        try:
            super().__init__(*args, **kwargs)
        except OSError as error:
            raise GatheringError(f"evaluate cannot make its folder. {first_line(error)}. {_OTHER_FOLDER}") from error
        self._processes = _Processes(self.data_dir, self.experiment_id, self.num_process, self.process_id)
        self._added: list[Corpus] = []
        self._owner: int | None = None
        self._job: Job | None = None
        self._received: list[list[KeptRows]] = []
        self._failure: BaseException | None = None

    def __len__(self) -> int:
        """Return the number of items added so far in this process."""
        return sum(batch.n_segments for batch in self._added)

    def _keep(self, items: Corpus) -> None:
        """Add items."""
        self._check_thread()
        if self.num_process > 1 and items.n_segments:
            with self._explain_errors():
                self._join()
        self._added.append(items)  # all or nothing, even at Ctrl-C

    def _gather(self, items: Corpus, options: Mapping[str, str], job: Job) -> Any:
        """Return the result of all items, including those given here; None except in the first process.

        A GatheringError names a process that is missing, ended early, or has other options.
        """
        self._check_thread()
        if self.num_process == 1:
            batches = job.batches([*self._added, items])
            result = job.result([[KeptRows.uncounted(batch)] for batch in batches])
            self._forget_items()
            return result
        self._keep(items)
        with self._explain_errors():
            # Even without items: the others wait for this process.
            self._join()
            self._processes.announce()
            rows = self._count_rows(job)
            # Process 0 locks its file until all have handed over.
            if self.process_id > 0 and self._is_free(0, timeout=0):
                raise GatheringError(
                    f"{self._processes.name(0)} ended before it received the other processes' items."
                )
            self._processes.hand_over(rows, options)
            if self.process_id == 0:
                self._wait_for_others()
            self._job = job
            self._failure = None
            super().compute()  # type: ignore[misc]
        self._forget_items()
        if self.process_id > 0:
            return None
        # Not before evaluate's locks are free: a process that sees this may start again.
        self._processes.clear()
        received = self._received
        self._received = []
        if self._failure is not None:
            raise self._failure
        return job.result([list(rows) for rows in zip(*received, strict=True)])

    def _forget_items(self) -> None:
        """Begin anew: the items are scored or lost."""
        self._added = []
        self._owner = None
        self._job = None

    def _count_rows(self, job: Job) -> list[KeptRows]:
        """Return the counted rows of this process, by system.

        Items that cannot be counted are handed over as texts: the first process then raises the error of a single
        process, with the number of the item in the whole corpus.
        """
        batches = job.batches(self._added)
        self._added = []  # not both in memory
        try:
            return [KeptRows.counted(job.metric, batch) for batch in batches]
        except Exception:
            return [KeptRows.uncounted(batch) for batch in batches]

    def _compute(self, **columns: list[Any]) -> dict[str, Any]:
        """Receive the rows of all processes; an error waits until the base class has closed its files."""
        try:
            assert self._job is not None
            self._received = self._processes.received(self._job.metric)
        except BaseException as error:  # also Ctrl-C
            self._failure = error
        return {}

    def _join(self) -> None:
        """Join the other processes, once in a run: open the file of this one, as evaluate does for first items."""
        if self.writer is not None:
            return
        self._wait_until_received()
        # Leftovers of an earlier run, before the others see this process.
        self._processes.clear()
        self.selected_feature_format = self.features[0] if isinstance(self.features, list) else self.features
        self._init_writer()

    def _is_free(self, number: int, *, timeout: float) -> bool:
        """Return whether a process unlocked its file in time: it is locked from its first items on."""
        from evaluate.module import FileLock

        path = os.path.join(self.data_dir, f"{self.experiment_id}-{self.num_process}-{number}.arrow.lock")
        lock = FileLock(path)
        try:
            lock.acquire(timeout=timeout, poll_interval=0.01)
        except TimeoutError:
            return False
        lock.release()
        return True

    def _wait_until_received(self) -> None:
        """Wait for process 0 to receive this process's last rows, unless it has ended."""
        limit = time.monotonic() + self.timeout
        while self._processes.is_waiting() and not self._is_free(0, timeout=0):
            if time.monotonic() > limit and not self._processes.has_announced(0):
                raise self._late_error(0)
            time.sleep(0.02)

    def _wait_for_others(self) -> None:
        """Wait for the others, however long they count; the timeout limits only the time before."""
        for number in range(1, self.num_process):
            while not self._is_free(number, timeout=self.timeout):
                if not self._processes.has_announced(number):
                    raise self._late_error(number)

    def _late_error(self, number: int) -> GatheringError:
        return GatheringError(
            f"{self._processes.name(number)} did not compute within {self.timeout:g} seconds ('timeout'): it is "
            "still adding, or hangs."
        )

    def _check_thread(self) -> None:
        thread_id = threading.get_ident()
        with _choosing_owner:
            is_of_another = self._owner not in (None, thread_id)
            # A thread that has ended owns nothing.
            if is_of_another and any(thread.ident == self._owner for thread in threading.enumerate()):
                raise InputError(
                    "Another thread has added items to this module and has not computed yet: a module takes the "
                    "items of one thread at a time. Give each thread its own module, or let one thread add the items "
                    "of all."
                )
            self._owner = thread_id

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Name the process or file in an error of evaluate's gathering, and close its files."""
        try:
            yield
        except BaseException as error:
            self._close_files()
            if isinstance(error, TercetError) or not isinstance(error, Exception):
                raise
            raise self._explained_error(error) from error

    def _explained_error(self, error: Exception) -> GatheringError:
        processes = self._processes
        message = str(error)
        if isinstance(error, OSError) and error.errno is not None:
            return GatheringError(
                f"{processes.name(self.process_id)} cannot use evaluate's files. {first_line(error)}. {_OTHER_FOLDER}"
            )
        number = None
        process = "another process"
        file_of_process = re.search(rf"-{self.num_process}-(\d+)\.arrow", message)
        if file_of_process is not None:
            number = int(file_of_process[1])
            process = processes.name(number)
        if number is not None and "already using" in message:
            return GatheringError(
                f"Another module uses the files of {process} in {self.data_dir}: give each run its own experiment_id."
            )
        if number is not None and "Cannot acquire lock" in message:
            return self._late_error(number)
        if "Expected to find" in message or "acquire lock" in message:
            return GatheringError(
                f"{process} did not join within {self.timeout:g} seconds ('timeout'): all processes must add or "
                "compute, with the same experiment_id and cache_dir."
            )
        missing = processes.missing()
        if self.process_id == 0 and missing:
            return processes.ended_error(missing[0])
        return GatheringError(f"The items of the processes cannot be joined. {first_line(error)}.")

    def _close_files(self) -> None:
        """Close evaluate's open files after an error, so that the module can be reused."""
        for name in ("filelock", "rendez_vous_lock"):
            lock = getattr(self, name, None)
            if lock is not None:
                lock.release()
        self.writer = None
        self.filelock = None
        self.cache_file_name = None
        self._forget_items()


# The files, next to evaluate's, in which processes hand over rows to the first.


@dataclass(slots=True)
class _Processes:
    """The processes of a run, seen from one; their files are in evaluate's folder, named by ``experiment_id``."""

    folder: str
    experiment: str
    n_processes: int
    number_here: int
    _rows: Sequence[KeptRows] = field(default=(), init=False)
    _options: Mapping[str, str] = field(default_factory=dict, init=False)

    def clear(self) -> None:
        """Remove the files of this process; the first process removes all."""
        self._rows = ()
        numbers: Iterable[int] = [self.number_here]
        if self.number_here == 0:
            numbers = range(self.n_processes)
        for number in numbers:
            self._path(number).unlink(missing_ok=True)
            self._path(number, "counting").unlink(missing_ok=True)

    def announce(self) -> None:
        """Announce that this process has all its items, and is about to count them."""
        self._path(self.number_here, "counting").touch()

    def has_announced(self, number: int) -> bool:
        """Return whether another process has all its items."""
        return self._path(number, "counting").exists()

    def hand_over(self, rows: Sequence[KeptRows], options: Mapping[str, str]) -> None:
        """Hand over the rows of each system, with the options of this process."""
        if self.number_here > 0:
            write_rows(self._path(self.number_here), rows, options)
        else:
            self._rows = rows
            self._options = options

    def is_waiting(self) -> bool:
        """Return whether the rows of this process have not been received yet."""
        return self.number_here > 0 and self._path(self.number_here).exists()

    def missing(self) -> list[int]:
        """Return the processes that have handed over nothing."""
        return [number for number in range(1, self.n_processes) if not self._path(number).exists()]

    def received(self, metric: Metric) -> list[list[KeptRows]]:
        """Return the rows of each process, in order.

        A GatheringError names a process that ended early, has other options, or whose file cannot be used.
        """
        rows_by_process = [list(self._rows)]
        for number in range(1, self.n_processes):
            file = self._read(number)
            for name in sorted({*file.options, *self._options}):
                if file.options.get(name) != self._options.get(name):
                    raise GatheringError(
                        f"{self.name(number)} was given {_with_value(name, file.options)}, "
                        f"process 0 {_with_value(name, self._options)}: give all processes the same."
                    )
            try:
                rows_by_process.append(file.rows(metric))
            except InputError as error:
                raise GatheringError(
                    f"{self.name(number)} counts differently from process 0: {error}. Use the same version in all "
                    "processes."
                ) from error
        return rows_by_process

    def name(self, number: int) -> str:
        """Return the name of a process in messages."""
        return f"process {number} of {self.n_processes}"

    def ended_error(self, number: int) -> GatheringError:
        """Return the error for a process that ended before it handed its items over."""
        return GatheringError(
            f"{self.name(number)} ended before its compute: its items are lost. Let all processes add and "
            "compute again."
        )

    def _path(self, number: int, kind: str = "shard") -> Path:
        return Path(self.folder, f"{self.experiment}-{self.n_processes}-{number}.{kind}")

    def _read(self, number: int) -> RowsFile:
        try:
            return RowsFile(self._path(number))
        except FileNotFoundError:
            raise self.ended_error(number) from None
        except InputError as error:
            raise GatheringError(
                f"The rows of {self.name(number)} cannot be used: {error} Let all processes add and compute again."
            ) from error


def _with_value(name: str, options: Mapping[str, str]) -> str:
    if name not in options:
        return f"no {name}"
    return f"{name}={options[name][:60]}"
