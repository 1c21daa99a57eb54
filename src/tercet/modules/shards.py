"""What each process of a run hands over to the first, in files beside evaluate's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tercet.core.scorer import Scorer
from tercet.errors import GatheringError, InputError
from tercet.streams.part_file import HandedOver, read_parts, write_parts
from tercet.streams.parts import Part


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
    >>> from tercet.api import make_scorer
    >>> scorer = make_scorer("bleu_multi", {})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = (Shards(folder, "run", 2, number) for number in range(2))
    ...     second.hand_over([Part.of_texts(scorer.read(["a"], ["a"]))], {"max_order": "4"})
    ...     first.hand_over([Part.of_texts(scorer.read(["b"], ["b"]))], {"max_order": "2"})
    ...     first.received(scorer)
    Traceback (most recent call last):
    tercet.errors.GatheringError: process 1 of 2 was given max_order=4, process 0 max_order=2: give all the same.
    """

    folder: str
    experiment: str
    n_processes: int
    own: int
    _parts: Sequence[Part] = field(default=(), init=False)
    _options: Mapping[str, str] = field(default_factory=dict, init=False)

    def begin(self) -> None:
        """Remove what an earlier run left: to be called before the others can know of this process."""
        self.clear()

    def clear(self) -> None:
        """Remove what this process handed over; the first one removes what all did."""
        self._parts = ()
        for number in range(self.n_processes) if self.own == 0 else [self.own]:
            self._path(number).unlink(missing_ok=True)
            self._path(number, "counting").unlink(missing_ok=True)

    def announce(self) -> None:
        """Say that this process has all its items, and is about to count them."""
        self._path(self.own, "counting").touch()

    def has_announced(self, number: int) -> bool:
        """Return whether another process has all its items."""
        return self._path(number, "counting").exists()

    def hand_over(self, parts: Sequence[Part], options: Mapping[str, str]) -> None:
        """Hand over what this process counted, and say which options it was given."""
        if self.own > 0:
            write_parts(self._path(self.own), HandedOver.of(parts, options))
        else:
            self._parts, self._options = parts, options

    def is_waiting(self) -> bool:
        """Return whether what this process handed over has not been received yet."""
        return self.own > 0 and self._path(self.own).exists()

    def missing(self) -> list[int]:
        """Return the processes that have handed over nothing."""
        return [number for number in range(1, self.n_processes) if not self._path(number).exists()]

    def received(self, scorer: Scorer) -> list[list[Part]]:
        """Return what each process handed over, in their order.

        Raises
        ------
        GatheringError
            Names a process that ended early, was given other options, or whose file cannot be used.
        """
        found, own = [list(self._parts)], self._options
        for number in range(1, self.n_processes):
            handed = self._read(number)
            for name in sorted({*handed.options, *own}):
                if handed.options.get(name) != own.get(name):
                    raise GatheringError(
                        f"{self.name(number)} was given {_given(name, handed.options)}, process 0 "
                        f"{_given(name, own)}: give all the same."
                    )
            try:
                found.append(handed.parts(scorer))
            except InputError as error:
                raise GatheringError(
                    f"{self.name(number)} counts otherwise than process 0: {error}. Let all have the same version."
                ) from error
        return found

    def name(self, number: int) -> str:
        """Return what a process is called in messages."""
        return f"process {number} of {self.n_processes}"

    def ended(self, number: int) -> GatheringError:
        """Return the error for a process that ended before it handed its items over."""
        return GatheringError(
            f"{self.name(number)} ended before its compute: what it had added is lost. Let all processes add and "
            "compute again."
        )

    def _path(self, number: int, kind: str = "shard") -> Path:
        return Path(self.folder, f"{self.experiment}-{self.n_processes}-{number}.{kind}")

    def _read(self, number: int) -> HandedOver:
        try:
            return read_parts(self._path(number))
        except FileNotFoundError:
            raise self.ended(number) from None
        except InputError as error:
            raise GatheringError(
                f"What {self.name(number)} handed over cannot be used: {error} Let all processes add and compute "
                "again."
            ) from error


def _given(name: str, options: Mapping[str, str]) -> str:
    return f"{name}={options[name][:60]}" if name in options else f"no {name}"
