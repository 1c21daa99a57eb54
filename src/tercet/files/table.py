"""A table read from a file: cells in named columns, and the line on which each row stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from tercet.errors import InputError, did_you_mean, shorten

from .numbers import PLAIN, Notation, Sign, notation_of_file, notations_of

if TYPE_CHECKING:
    from .columns.lacks import Lack

#: Columns that a file may have whose rows name their own: what a row lacks takes memory too, so a small file of
#: rows that share no column would otherwise become a table of the square of its rows.
MOST_COLUMNS = 500
MOST_CELLS = 20_000_000

#: How names of columns end that have versions, ids or dates, in which a point stands between two numbers.
_OF_VERSIONS = re.compile(r"(version|release|revision|build|(?<![a-z])ids?|(?<![a-z])date|(?<![a-z])datum)$")


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How a CSV is written."""

    separator: str
    #: What stands before decimals; "" where nobody knows.
    decimal: Sign
    #: Whether it begins with a byte order mark.
    has_mark: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of a file by column."""

    #: Of the file, for messages.
    name: str
    #: A text or None per row; in a file of JSON also any other value.
    columns: dict[str, list[Any]]
    #: The line, counted from 1, on which each row begins; in a file whose rows are not lines, its number.
    lines: list[int]
    #: What `lines` counts.
    unit: str = field(default="line", kw_only=True)
    #: How numbers are written, where no cell shows it.
    notation: Notation = field(default=PLAIN, kw_only=True)
    #: What the user says stands before decimals; "" where nothing is said.
    decimal: Sign = field(default="", kw_only=True)
    #: Of a CSV, how it is written.
    dialect: CsvDialect | None = field(default=None, kw_only=True)
    #: Of a data frame, the call that makes empty texts of the missing cells of a column ``{}``.
    filled_by: str = field(default="", kw_only=True)

    def of_file(self) -> dict[str, Any]:
        """Return what is known of the file beside its cells: a table of another kind that is made of this one has it.

        What stays of the same kind is made by :func:`dataclasses.replace`, which keeps all.
        """
        return {known.name: getattr(self, known.name) for known in fields(Table) if known.kw_only}

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column, or raise an InputError with the columns that there are."""
        if name not in self.columns:
            raise self.column_error(name)
        return self.columns[name]

    def column_error(self, name: str) -> InputError:
        """Return the error of a column that is not there: it has those that are."""
        return InputError(f"{self.name} has no column {shorten(name)}. {did_you_mean(name, self.columns)}")

    def notation_of(self, cells: Iterable[Any], meaning: str) -> Notation:
        """Return how the numbers of some cells are written: as the user says, these show, or all others do."""
        return next(self.notations_of([(meaning, list(cells))]))

    def notations_of(self, columns: Sequence[tuple[str, Sequence[Any]]]) -> Iterator[Notation]:
        """Yield how the numbers of each column are written, all of one score: what each is, and its cells."""
        return notations_of(
            columns,
            said=self.decimal,
            elsewhere=lambda: notation_of_file(self._measurements(), self.notation),
        )

    def _measurements(self) -> Iterator[list[Any]]:
        """Yield the columns but for those of versions and the like: 3.5 is no number there, but two."""
        for name, cells in self.columns.items():
            if not _OF_VERSIONS.search(name.casefold()):
                yield cells

    def location(self, row: int, column: str) -> str:
        """Return where a cell stands, for messages."""
        return self.location_on(self.lines[row], column)

    def location_on(self, line: int, column: str) -> str:
        """Return where a cell of a line stands, for messages."""
        return f"{self.name}, {self.unit} {line}, column {shorten(column)}"


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns by role."""

    source: str | None
    #: In the order of the file, as `systems` are; each row has the references of all of them.
    references: tuple[str, ...]
    systems: tuple[str, ...]
    #: By column that its name alone would make a system: what it holds instead.
    left_out: dict[str, Lack] = field(default_factory=dict, compare=False)
    #: By column, why it has its role, or none, in words.
    reasons: dict[str, str] = field(default_factory=dict, compare=False)
    #: Columns of texts that are as likely systems as references.
    doubtful: tuple[str, ...] = field(default=(), compare=False)
    #: Columns that are called as references, and are none beside others: systems share no words with them.
    unlike: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class TableWithRoles(Table):
    """A table whose format says which column is what."""

    roles: Roles = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Log(Table):
    """What one run of a harness wrote for one task, a row per sample: its format says which column is what."""

    harness: str
    task: str
    #: The model, where the file names it, or else the file's own name; "" where this says nothing, such as "results":
    #: the folder is the name then.
    run: str
    #: The columns that tell samples apart, and are the same in other runs.
    key: tuple[str, ...]
    roles: Roles
    #: Names of the scores that the harness computed.
    scores: tuple[str, ...] = ()
    #: Of those that are a number of each sample, the numbers by column of `roles.systems`; NaN where missing.
    numbers: Mapping[str, Mapping[str, list[float]]] = field(default_factory=dict)
    #: By score, whether its higher values are better, where the files say so.
    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    #: The keys of samples that were not answered, as of requests that failed; there is no row of them.
    failed: frozenset[tuple[str, ...]] = frozenset()
    #: By the keys of samples whose answers did not end as they should: what is wrong with each of a sample's answers,
    #: such as "cut off"; "" where nothing is.
    wrong_ends: Mapping[tuple[str, ...], Sequence[str]] = field(default_factory=dict)
    #: By column of `roles.systems`, how many samples have no answer there, and so no row.
    n_unanswered: Mapping[str, int] = field(default_factory=dict)
    #: How many samples have no row because some system did not answer them.
    n_left_out: int = 0
    #: Whether `roles.systems` have the names that the file gives to systems (`logs/system_columns.py`).
    names_systems: bool = False
    #: Whether the file says its task; where it does not, `task` is the name of the file, or a part of it.
    names_task: bool = True
    #: Why there are no texts that a model wrote; the cells of `roles.systems` are then empty.
    no_texts: str = ""
    #: What the user calls what is in its file or folder.
    called: str = ""


#: What units of translations are joined by.
SOURCE_TEXT = "source text"


@dataclass(frozen=True, slots=True)
class Memory(Table):
    """Texts that are joined by what they translate, by their time or by their id, with columns of these."""

    #: The column by which rows are joined with those of other files, such as the source language; "" where the file
    #: does not say.
    key_column: str = ""
    #: The column of what a bilingual file is about; columns of the same language are then proposals, not references.
    target_language: str = ""
    #: What the cells of `key_column` are, for messages.
    joined_by: str = SOURCE_TEXT
    #: Further cells of each row, such as its id or state, that label segments.
    labels: Mapping[str, list[Any]] = field(default_factory=dict)
    #: The languages in which a unit has two texts that no author tells apart, and the line of the first such unit.
    unattributed: Mapping[str, int] = field(default_factory=dict)

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column, or those that label its rows."""
        if name in self.labels:
            return self.labels[name]
        return Table.column(self, name)
