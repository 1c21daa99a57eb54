"""What parts of a corpus come to, as a table that travels between workers, and how such tables become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.core.exact import DIGITS, ExactSums
from tercet.errors import MergeError
from tercet.streams.totals import Totals

_SCHEMA = pa.schema([
    ("first", pa.bool_()), ("job", pa.int32()), ("signature", pa.string()), ("columns", pa.list_(pa.string())),
    ("digits", pa.binary()), ("origins", pa.list_(pa.string())), ("bad", pa.list_(pa.string())),
])  # fmt: skip
_OF_FILES = -1


@dataclass(slots=True)
class Partials:
    """Sums of parts, by what was counted.

    A part that comes twice, as where a worker was thought dead, counts once.

    Attributes
    ----------
    totals : dict of int to Totals
        By the number of the job: a metric and a system.
    origins : set of str
        Which parts they are of.
    bad : list of str
        Why files were left out.
    """

    totals: dict[int, Totals] = field(default_factory=dict)
    origins: set[str] = field(default_factory=set)
    bad: list[str] = field(default_factory=list)

    def add(self, other: Partials) -> None:
        """Add other parts.

        Raises
        ------
        MergeError
            Where some of them came before, and others not: their sums cannot be told apart.
        """
        if other.origins and other.origins <= self.origins:
            return
        twice = sorted(other.origins & self.origins)
        if twice:
            raise MergeError(f"Ray counted the part {twice[0]} twice, once with others. Please try again.")
        for job, totals in other.totals.items():
            self.totals[job] = self.totals[job] + totals if job in self.totals else totals
        self.origins |= other.origins
        self.bad += other.bad

    def to_table(self) -> Any:
        """Return a pyarrow.Table, with a row for each job; of several below each other, the first rows are marked."""
        rows = [
            (job, totals.signature, list(totals.columns), totals.sums.digits.astype("<i8").tobytes())
            for job, totals in sorted(self.totals.items())
        ]
        rows = rows or [(_OF_FILES, "", [], b"")]
        others = len(rows) - 1
        columns = [
            [True, *[False] * others],
            *([row[column] for row in rows] for column in range(4)),
            [sorted(self.origins), *[[]] * others],
            [self.bad, *[[]] * others],
        ]
        arrays = [pa.array(each, kind.type) for each, kind in zip(columns, _SCHEMA, strict=True)]
        return pa.table(arrays, schema=_SCHEMA)

    @classmethod
    def of_table(cls, table: Any) -> Partials:
        """Return what a table holds that :meth:`to_table` gave, or several one below the other."""
        found = cls()
        part = cls()
        for row in table.to_pylist():
            if row["first"]:
                found.add(part)
                part = cls(origins=set(row["origins"]), bad=row["bad"])
            if row["job"] != _OF_FILES:
                columns = tuple(row["columns"])
                digits = np.frombuffer(row["digits"], "<i8").reshape(-1, len(columns), DIGITS).astype(np.int64)
                part.totals[row["job"]] = Totals(row["signature"], columns, ExactSums(digits))
        found.add(part)
        return found

    def to_bytes(self) -> bytes:
        """Return the table as bytes."""
        return _to_bytes(self.to_table())

    @classmethod
    def of_bytes(cls, written: bytes) -> Partials:
        """Return what :meth:`to_bytes` wrote; nothing for no bytes."""
        return cls.of_table(_of_bytes(written)) if written else cls()

    @classmethod
    def joined(cls, several: Iterable[Partials]) -> Partials:
        """Return all together."""
        found = cls()
        for each in several:
            found.add(each)
        return found


def _to_bytes(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _of_bytes(written: bytes) -> Any:
    return pa.ipc.open_stream(written).read_all()
