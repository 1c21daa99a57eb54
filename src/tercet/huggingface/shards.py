"""The files, next to evaluate's, in which processes hand over rows to the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tercet.errors import GatheringError, InputError
from tercet.metric.scorer import Scorer
from tercet.sums.rows import Rows, RowsFile, write_rows


@dataclass(slots=True)
class Shards:
    """The processes of a run, seen from one; their files are in evaluate's folder, named by ``experiment_id``."""

    folder: str
    experiment: str
    n_processes: int
    own: int
    _rows: Sequence[Rows] = field(default=(), init=False)
    _options: Mapping[str, str] = field(default_factory=dict, init=False)

    def clear(self) -> None:
        """Remove the files of this process; the first process removes all."""
        self._rows = ()
        for number in range(self.n_processes) if self.own == 0 else [self.own]:
            self._path(number).unlink(missing_ok=True)
            self._path(number, "counting").unlink(missing_ok=True)

    def announce(self) -> None:
        """Announce that this process has all its items, and is about to count them."""
        self._path(self.own, "counting").touch()

    def has_announced(self, number: int) -> bool:
        """Return whether another process has all its items."""
        return self._path(number, "counting").exists()

    def hand_over(self, rows: Sequence[Rows], options: Mapping[str, str]) -> None:
        """Hand over the rows of each system, with the options of this process."""
        if self.own > 0:
            write_rows(self._path(self.own), rows, options)
        else:
            self._rows, self._options = rows, options

    def is_waiting(self) -> bool:
        """Return whether the rows of this process have not been received yet."""
        return self.own > 0 and self._path(self.own).exists()

    def missing(self) -> list[int]:
        """Return the processes that have handed over nothing."""
        return [number for number in range(1, self.n_processes) if not self._path(number).exists()]

    def received(self, scorer: Scorer) -> list[list[Rows]]:
        """Return the rows of each process, in order.

        A GatheringError names a process that ended early, has other options, or whose file cannot be used.
        """
        found, own = [list(self._rows)], self._options
        for number in range(1, self.n_processes):
            file = self._read(number)
            for name in sorted({*file.options, *own}):
                if file.options.get(name) != own.get(name):
                    raise GatheringError(
                        f"{self.name(number)} was given {_given(name, file.options)}, process 0 {_given(name, own)}: "
                        "give all processes the same."
                    )
            try:
                found.append(file.rows(scorer))
            except InputError as error:
                raise GatheringError(
                    f"{self.name(number)} counts differently from process 0: {error}. Use the same version in all "
                    "processes."
                ) from error
        return found

    def name(self, number: int) -> str:
        """Return the name of a process in messages."""
        return f"process {number} of {self.n_processes}"

    def ended(self, number: int) -> GatheringError:
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
            raise self.ended(number) from None
        except InputError as error:
            raise GatheringError(
                f"The rows of {self.name(number)} cannot be used: {error} Let all processes add and compute again."
            ) from error


def _given(name: str, options: Mapping[str, str]) -> str:
    return f"{name}={options[name][:60]}" if name in options else f"no {name}"
