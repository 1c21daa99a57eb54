"""What each process of a run says of the items that it hands over, in a file beside evaluate's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tercet.errors import GatheringError


@dataclass(slots=True)
class Shards:
    """The processes of a run, as one of them sees them.

    Attributes
    ----------
    folder : str
        Where evaluate has its files.
    experiment : str
        The ``experiment_id`` of the run.
    n_processes, own : int
        How many processes there are, and the number of this one.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = (Shards(folder, "run", 2, number) for number in range(2))
    ...     second.hand_over(3, {"max_order": "4"})
    ...     first.hand_over(2, {"max_order": "2"})
    ...     first.check(5)
    Traceback (most recent call last):
    tercet.errors.GatheringError: process 1 of 2 was given max_order=4, process 0 max_order=2: give all the same.
    """

    folder: str
    experiment: str
    n_processes: int
    own: int
    _items: int = field(default=0, init=False)
    _options: Mapping[str, str] = field(default_factory=dict, init=False)

    def begin(self) -> None:
        """Remove what an earlier run left: to be called before the others can know of this process."""
        self._path(self.own).unlink(missing_ok=True)

    def hand_over(self, n_items: int, options: Mapping[str, str]) -> None:
        """Say how many items this process hands over, and the options that it was given."""
        self._items, self._options = n_items, options
        if self.own > 0:
            said = json.dumps({"items": n_items, "options": dict(options)})
            self._path(self.own).write_text(said, encoding="utf-8")

    def missing(self) -> list[int]:
        """Return the processes that have handed over nothing."""
        return [number for number in range(1, self.n_processes) if self._said(number) is None]

    def check(self, n_items: int) -> None:
        """Raise a GatheringError unless the items that came are those of all, for the same options."""
        total = self._items
        for number in range(1, self.n_processes):
            said = self._said(number)
            if said is None:
                raise self.ended(number)
            theirs = said["options"]
            for name in sorted({*theirs, *self._options}):
                if theirs.get(name) != self._options.get(name):
                    raise GatheringError(
                        f"{self.name(number)} was given {_given(name, theirs)}, process 0 "
                        f"{_given(name, self._options)}: give all the same."
                    )
            total += said["items"]
        if total != n_items:
            raise GatheringError(
                f"The {self.n_processes} processes handed over {total} items, but {n_items} came: one of them ended "
                "while it wrote. Let all of them add and compute again."
            )

    def clear(self) -> None:
        """Remove what all have said."""
        for number in range(self.n_processes):
            self._path(number).unlink(missing_ok=True)

    def name(self, number: int) -> str:
        """Return what a process is called in messages."""
        return f"process {number} of {self.n_processes}"

    def ended(self, number: int) -> GatheringError:
        """Return the error for a process that ended before it handed its items over."""
        return GatheringError(
            f"{self.name(number)} ended before its compute: what it had added is lost. Let all processes add and "
            "compute again."
        )

    def _path(self, number: int) -> Path:
        return Path(self.folder, f"{self.experiment}-{self.n_processes}-{number}.shard")

    def _said(self, number: int) -> dict[str, Any] | None:
        try:
            said: dict[str, Any] = json.loads(self._path(number).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # no file, or one that was cut short
            return None
        return said


def _given(name: str, options: Mapping[str, str]) -> str:
    return f"{name}={options[name][:60]}" if name in options else f"no {name}"
