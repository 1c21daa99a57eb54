"""What a module keeps until it computes: in memory, or in files where several processes meet."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any, Protocol

from tercet.errors import GatheringError, InputError, OptionError, TercetError, did_you_mean, shorten, told

from .shards import Shards


class Part(Protocol):
    """Items that were checked and encoded."""

    @property
    def n_items(self) -> int:
        """How many they are."""
        ...

    def table(self) -> Any:
        """Return them as an Arrow table of the columns that evaluate writes into its files."""
        ...


_ANOTHER = "Another folder is named by cache_dir=..., or by HF_HOME in the environment."


class Gathering:
    """Mixin for a module of evaluate, before its class: keeps checked texts until a function takes them.

    One process keeps them in memory, where no lock, full disk or interruption can lose them, and lets them go when a
    result is there: they are not read or encoded again. Several processes write them into evaluate's files, as it
    does; each also says what it hands over, so that the first can tell who is missing, who ended early and who was
    given other options.

    A module belongs to the first thread that adds to it until that thread has computed: two would mix their items.
    """

    num_process: int
    process_id: int
    timeout: float
    data_dir: str
    experiment_id: str
    features: Any
    selected_feature_format: Any
    writer: Any
    filelock: Any
    cache_file_name: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        known = signature(super().__init__).parameters  # the others it would take, and do nothing with
        for name in kwargs.keys() - known.keys():
            hint = did_you_mean(name, [each for each in known if each not in ("hash", "kwargs")])
            raise OptionError(f"A module has no setting {shorten(name)} to be loaded with. {hint}")
        try:
            super().__init__(*args, **kwargs)
        except OSError as error:
            raise GatheringError(f"evaluate cannot make its folder. {told(error)}. {_ANOTHER}") from error
        self._shards = Shards(self.data_dir, self.experiment_id, self.num_process, self.process_id)
        self._parts: list[Part] = []
        self._owner: dict[str, int] = {}
        self._work: Callable[[list[Any]], Any] = list
        self._found: Any = None
        self._failure: BaseException | None = None

    def __len__(self) -> int:
        """Return how many items were added so far, to this process."""
        if self.num_process == 1:
            return sum(part.n_items for part in self._parts)
        return super().__len__()  # type: ignore[misc, no-any-return]

    def _read(self, **columns: Any) -> Part:
        """Return texts as a user gives them, or as they come from evaluate's files, checked and encoded."""
        raise NotImplementedError

    def _keep(self, part: Part) -> None:
        """Add items."""
        self._check_thread()
        if self.num_process == 1:
            self._parts.append(part)  # all of it or nothing, also at Ctrl-C
        elif part.n_items:
            with self._explained():
                if not len(self):
                    self._shards.begin()
                    self._open()
                self.writer.write_table(part.table().select(self._feature_names()))  # type: ignore[attr-defined]

    def _gather(self, part: Part, options: Mapping[str, str], work: Callable[[list[Any]], Any]) -> Any:
        """Return what `work` makes of all parts, this one included; None in all processes but the first.

        Parameters
        ----------
        part : Part
        options : mapping of str to str
            What must be the same in all processes.
        work : callable

        Raises
        ------
        GatheringError
            Where a process did not come, ended early, or was given other options.
        """
        self._check_thread()
        if self.num_process == 1:
            found = work([*self._parts, part])
            self._parts, self._owner = [], {}
            return found
        self._keep(part)
        self._work, self._failure = work, None
        with self._explained():
            if not len(self):  # nothing to hand over, but the others wait for this process
                self._shards.begin()
                self._open()
            if self.process_id > 0:
                self._check_first()
            self._shards.hand_over(len(self), options)
            super().compute()  # type: ignore[misc]
        self._owner = {}
        if self._failure is not None:
            raise self._failure
        return self._found if self.process_id == 0 else None

    def _compute(self, **columns: list[Any]) -> dict[str, Any]:
        """Work on what the base class read; an error waits until it has closed its files."""
        try:
            whole = self._read(**columns)
            self._shards.check(whole.n_items)
            self._shards.clear()  # while the others wait for the locks of their files
            self._found = self._work([whole])
        except BaseException as error:  # also of a user's tokenizer, also Ctrl-C
            self._failure = error
        return {}

    def _open(self) -> None:
        """Open the file of this process, as evaluate does when the first items come."""
        self.selected_feature_format = self.features[0] if isinstance(self.features, list) else self.features
        self._init_writer()  # type: ignore[attr-defined]

    def _check_first(self) -> None:
        """Raise a GatheringError where process 0 has ended: it locks its file until all have handed over."""
        path = f"{self.experiment_id}-{self.num_process}-0.arrow.lock"
        lock = type(self.filelock)(os.path.join(self.data_dir, path))
        try:
            lock.acquire(timeout=0)
        except TimeoutError:
            return
        lock.release()
        raise GatheringError(f"{self._shards.name(0)} ended before it received the other processes' items.")

    def _check_thread(self) -> None:
        own = threading.get_ident()
        owner = self._owner.setdefault("thread", own)  # of two at once one is the first
        if owner == own:
            return
        if any(thread.ident == owner for thread in threading.enumerate()):
            raise InputError(
                "Another thread has added to this module, and not computed yet: a module takes the items of one "
                "thread at a time. Give each thread a module of its own, or let one thread add what the others make."
            )
        self._owner = {"thread": own}  # that one has ended

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say which process or file an error of evaluate's gathering is about, and let its files go."""
        try:
            yield
        except TercetError:
            raise
        except Exception as error:
            raise self._explanation(error) from error

    def _explanation(self, error: Exception) -> GatheringError:
        shards, waited = self._shards, f"within {self.timeout:g} seconds ('timeout')"
        named = re.search(rf"-{self.num_process}-(\d+)\.arrow", str(error))
        self._let_go()
        if isinstance(error, OSError) and error.errno is not None:
            return GatheringError(
                f"{shards.name(self.process_id)} cannot write or read evaluate's files. {told(error)}. {_ANOTHER}"
            )
        if named is not None and "already using" in str(error):
            return GatheringError(
                f"Another module uses the files of {shards.name(int(named[1]))} in {self.data_dir}: give each run an "
                "experiment_id of its own."
            )
        if named is not None and "Cannot acquire lock" in str(error):
            return GatheringError(
                f"{shards.name(int(named[1]))} did not compute {waited}: it is still adding, or hangs."
            )
        if "Expected to find" in str(error) or "acquire lock" in str(error):
            who = shards.name(int(named[1])) if named is not None else "another process"
            return GatheringError(
                f"{who} did not join {waited}: all processes must add or compute, with the same experiment_id and "
                "cache_dir."
            )
        missing = shards.missing() if self.process_id == 0 else []
        if missing:
            return shards.ended(missing[0])
        return GatheringError(f"What the processes added cannot be put together. {told(error)}.")

    def _let_go(self) -> None:
        """Close what evaluate has open after an error: the module can be used anew."""
        for name in ("filelock", "rendez_vous_lock"):
            lock = getattr(self, name, None)
            if lock is not None:
                lock.release()
        self.writer = self.filelock = self.cache_file_name = None
        self._owner = {}
