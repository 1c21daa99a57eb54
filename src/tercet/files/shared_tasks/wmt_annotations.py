"""Tables of annotations as WMT publishes them -> long tables of texts and grades, or of grades alone.

They are errors of MQM, scores of error span annotation (ESA), and segment scores of direct assessment (DA). Exports
of Appraise, which number their items in ways that only their campaigns know, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, shorten
from tercet.files.lines import open_binary
from tercet.files.numbers import is_written_number
from tercet.files.table import Table

# Tables as WMT publishes them, which are known by having all of these columns: one name for each role.

# A row for each error that a rater of MQM marked (wmt-mqm-human-evaluation).
MQM_ERRORS = {
    "item": ("seg_id", "globalSegId"),
    "system": ("system",),
    "text": ("target",),
    "source": ("source",),
    "document": ("doc",),
    "rater": ("rater",),
    "severity": ("severity",),
    "category": ("category",),
}
# A row for each score of error span annotation (WMT24).
ESA_SCORES = {
    "item": ("line_id",),
    "system": ("system",),
    "text": ("tgt",),
    "source": ("src",),
    "document": ("doc_id",),
    "rater": ("annotator",),
    "value": ("esa_score",),
    "times": ("times",),
    "pair": ("langs",),
}
# Segment scores of direct assessment (WMT to 2021), whose columns are divided by blanks.
DA_SCORES = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")
# The document that is none: a line that tells copies of a test set.
CANARY = "canary"
# Weights of MQM: of a category, of a severity and a category, or else of the severity alone.
MQM_WEIGHTS = {
    "non-translation!": 25.0,
    "source issue": 0.0,
    "reinterpretation": 0.0,
    "minor/fluency/punctuation": 0.1,
    "critical": 5.0,
    "major": 5.0,
    "minor": 1.0,
    "neutral": 0.0,
    "no-error": 0.0,
}
# What rows of Appraise's exports are: an output to grade, or one that checks the annotator.
APPRAISE_KINDS = ("TGT", "BAD", "REF", "CHK")

#: What stands around an error in a text of MQM.
_MARKS = re.compile("</?v>")
#: The column of the documents in the tables that are made here.
DOCUMENT = "document"
#: The columns of a row that is made here, and what it is of.
_COLUMNS = ("item", "system", "rater", "text", "source", DOCUMENT, "dimension", "value")
#: Where the kind of a row and its score stand in exports of Appraise, counted from 0.
_KIND_OF_APPRAISE = 3
_SCORE_OF_APPRAISE = 6
#: How much of a file is looked at.
_BYTES_OF_APPRAISE = 10_000
_LINES_OF_APPRAISE = 3


@dataclass(frozen=True, slots=True)
class Annotations:
    """A table of texts and grades that was made of annotations."""

    table: Table
    #: How the annotations were read, in words.
    note: str


def read_annotations(table: Table, pair: str | None = None, references: Sequence[str] = ()) -> Annotations | None:
    """Return texts and grades in a long table: a row for each item, system and rater; None for other tables.

    `pair` is a language pair, where the table has several. `references` are systems whose texts are references.
    """
    roles = _roles(table, MQM_ERRORS)
    if roles is not None:
        if pair is not None:
            raise OptionError(f"{argument('lp')}: {table.name} has no column of language pairs.")
        graded = _graded_by_errors(table, roles)
        note = (
            "a row is an error of MQM, between <v> and </v> in 'target'. The grade is minus the sum of a rater's "
            "weights: 5 for major, 1 for minor, 0.1 for minor punctuation, 25 for non-translation, 0 for neutral"
        )
    else:
        roles = _roles(table, ESA_SCORES)
        if roles is None:
            return None
        graded, of_pair = _graded_by_scores(table, roles, pair)
        note = f"{of_pair}; a row is a score of ESA; of several that a rater gave an output, the last counts"
    written = list(dict.fromkeys(graded.columns["system"]))
    reference_systems = [name for name in references if name in written]
    if reference_systems:
        note += f". References: the texts of {', '.join(map(repr, reference_systems))}"
    else:
        note += f". If a system's texts are references, name it: {argument('reference_columns')}"
    return Annotations(_with_references(graded, reference_systems), f"{table.name}: {note}. Documents are clusters.")


def read_grades_alone(table: Table) -> Table:
    """Return a table of grades without texts; of segment scores of DA, with the columns that others have."""
    annotations = read_annotations(table)
    if annotations is not None:
        return annotations.table
    name = next(iter(table.columns), "")
    if len(table.columns) != 1 or tuple(name.split()) != DA_SCORES:
        return table
    columns: dict[str, list[Any]] = {"system": [], "item": [], "raw": [], "z": []}
    for row, cell in enumerate(table.columns[name]):
        cells = str(cell or "").split()
        if len(cells) != len(DA_SCORES):
            raise InputError(f"{table.location(row, name)}: expected {' '.join(DA_SCORES)}, got {shorten(cell)}.")
        for column, value in zip(columns.values(), cells, strict=False):
            column.append(value)
    return replace(table, columns=columns)


def check_no_appraise(path: str) -> None:
    """Raise an InputError for an export of Appraise, which has no names of columns."""
    with open_binary(path) as stream:
        # What is looked at is ASCII, however the file is encoded.
        beginning = stream.read(_BYTES_OF_APPRAISE).decode("latin-1")
    lines = beginning.split("\n")[:_LINES_OF_APPRAISE]
    if not all(map(_is_of_appraise, filter(None, lines))) or not lines[0]:
        return
    raise InputError(
        f"{path} is an export of Appraise. It has no texts, and numbers its items by the line of the test set, "
        "within a document or within a batch: which of these, it does not say. Give a folder of mt-metrics-eval with "
        f"scores of segments; or a table of texts, and {argument('grades')} with the columns item, system, rater and "
        "value."
    )


def _is_of_appraise(line: str) -> bool:
    """Return whether a line begins: annotator, system, item, kind, source and target language, score."""
    cells = line.split(",")
    return (
        len(cells) > _SCORE_OF_APPRAISE
        and cells[_KIND_OF_APPRAISE] in APPRAISE_KINDS
        and is_written_number(cells[_SCORE_OF_APPRAISE])
    )


def _roles(table: Table, names: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
    """Return the column of each role; None unless the table has all of them."""
    roles = {}
    for role, columns in names.items():
        present = [column for column in columns if column in table.columns]
        if not present:
            return None
        roles[role] = present[0]
    return roles


class _GradedRows:
    """Rows of a table that is made of another: one for each item, system and rater."""

    def __init__(self, table: Table, roles: Mapping[str, str], dimension: str) -> None:
        self.dimension = dimension
        self.cells = {role: table.columns[column] for role, column in roles.items()}
        self.numbers: dict[tuple[str, ...], int] = {}
        self.columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        #: The row of the other table that each was made of.
        self.first: list[int] = []

    def text(self, role: str, row: int) -> str:
        """Return a cell as text."""
        cell = self.cells[role][row]
        if cell is None:
            return ""
        return str(cell)

    def number(self, row: int) -> int:
        """Return the number of the row here to which a row of the other table belongs, which may be new."""
        key = tuple(self.text(role, row) for role in ("item", "system", "rater"))
        number = self.numbers.setdefault(key, len(self.numbers))
        if number == len(self.first):
            self.first.append(row)
            texts = [_MARKS.sub("", self.text(role, row)) for role in ("text", "source")]
            cells = [*key, *texts, self.text("document", row), self.dimension, 0.0]
            for name, cell in zip(_COLUMNS, cells, strict=True):
                self.columns[name].append(cell)
        return number

    def table(self, other: Table) -> Table:
        """Return the rows as a table, whose lines are those of the other."""
        return replace(other, columns=self.columns, lines=[other.lines[row] for row in self.first])


def _graded_by_errors(table: Table, roles: Mapping[str, str]) -> Table:
    rows = _GradedRows(table, roles, "MQM")
    for row in range(len(table.lines)):
        if rows.text("document", row) != CANARY:
            rows.columns["value"][rows.number(row)] -= _weight(table, roles, row)
    return rows.table(table)


def _weight(table: Table, roles: Mapping[str, str], row: int) -> float:
    severity = str(table.columns[roles["severity"]][row] or "no-error").casefold()
    category = str(table.columns[roles["category"]][row] or "").casefold()
    for name in (category.split("/")[0], f"{severity}/{category}", severity):
        if name in MQM_WEIGHTS:
            return MQM_WEIGHTS[name]
    raise InputError(
        f"{table.location(row, roles['severity'])}: expected critical, major, minor, neutral or no-error, got "
        f"{shorten(severity)}."
    )


def chosen_pair(name: str, pairs: Sequence[str], asked: str | None) -> str:
    """Return the language pair that is asked for, or the only one of a file or folder."""
    if asked is None and len(pairs) > 1:
        raise OptionError(
            f"{name} has {len(pairs)} language pairs: {', '.join(pairs)}. Choose one: {argument_set('lp', pairs[0])}."
        )
    if asked is None:
        return pairs[0]
    if asked not in pairs:
        raise OptionError(f"{name} has no language pair {shorten(asked)}. {did_you_mean(asked, pairs)}")
    return asked


def _graded_by_scores(table: Table, roles: Mapping[str, str], pair: str | None) -> tuple[Table, str]:
    """Return a row for each score of a language pair, and what is said of the pair."""
    rows = _GradedRows(table, roles, "ESA")
    pairs = sorted({rows.text("pair", row) for row in range(len(table.lines))})
    chosen = chosen_pair(table.name, pairs, pair)
    ends: dict[int, float] = {}
    for row in range(len(table.lines)):
        if rows.text("pair", row) != chosen:
            continue
        end = _end(table, roles["times"], row)
        number = rows.number(row)
        if end >= ends.get(number, end):
            ends[number] = end
            rows.columns["value"][number] = table.columns[roles["value"]][row]
    of_pair = f"language pair: {chosen}"
    if pair is None:
        of_pair += " (the only one)"
    return rows.table(table), of_pair


def _end(table: Table, column: str, row: int) -> float:
    """Return when an annotation ended, in seconds."""
    times = table.columns[column][row]
    if isinstance(times, list) and len(times) == 2 and is_written_number(str(times[1])):
        return float(times[1])
    raise InputError(f"{table.location(row, column)}: expected two numbers, start and end, got {shorten(times)}.")


def _with_references(table: Table, references: Sequence[str]) -> Table:
    """Return the table without the rows of some systems, whose texts become columns that are called as they are."""
    texts: dict[tuple[str, str], str] = {}
    rows = []
    for row, system in enumerate(table.columns["system"]):
        if system in references:
            texts[system, table.columns["item"][row]] = table.columns["text"][row]
        else:
            rows.append(row)
    columns = {name: [cells[row] for row in rows] for name, cells in table.columns.items()}
    for system in references:
        columns[system] = [texts.get((system, item)) for item in columns["item"]]
    return replace(table, columns=columns, lines=[table.lines[row] for row in rows])
