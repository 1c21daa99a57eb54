"""Files of several candidates for each source, as samplers and decoders write them -> groups of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import InputError, argument, shorten, warn

from .columns.name_roles import role_of
from .formats import READERS, table_format
from .lines import open_binary
from .read import Opening, read_file

if TYPE_CHECKING:
    from .table import Table

#: The beginning of a line of an n-best list, ``0 ||| text ||| scores ||| total``, as Moses, Marian and others write.
_RANKED = re.compile(r"\s*([0-9]{1,18}) \|\|\|(.*)")
#: Of the samples of lm-evaluation-harness: what the model wrote, before a filter took one of them.
_RESPONSES = "resps"


class CandidateGroups(NamedTuple):
    """Candidates by group, not yet checked, with their weights, and where each group stands, for messages."""

    texts: list[Any]
    weights: list[Any] | None
    names: list[str]
    #: Of a table, which columns they are, in words.
    fields: str = ""


def read_lists(
    path: str, column: str | None = None, weights: str | None = None, opening: Opening | None = None
) -> CandidateGroups | None:
    """Return the lists of texts in a column of a table, by default the only one; None where no column has any.

    A line's lists within a list are one group. Of the samples of lm-evaluation-harness, all responses are candidates.
    """
    # Here, as text files need no reader of tables.
    from .logs.lm_eval import is_samples

    table = _table_with_lists(path, weights, opening)
    rows: Sequence[int] = range(len(table.lines))
    chosen = column
    if is_samples(table):
        rows = _first_rows_of_documents(table)
        if not chosen and _RESPONSES in table.columns:
            chosen = _RESPONSES
    if not chosen:
        chosen = _column_of_lists(table)
    if not chosen:
        return None
    cells = table.column(chosen)
    for row in rows:
        if not isinstance(cells[row], list):
            raise InputError(f"{table.location(row, chosen)}: expected a list of texts, got {shorten(cells[row])}.")
    texts = [_flat(cells[row]) for row in rows]
    names = [table.location(row, chosen) for row in rows]
    fields = f"{table.name}: candidates: {chosen!r}"
    if weights is None:
        return CandidateGroups(texts, None, names, f"{fields}.")
    weight_cells = table.column(weights)
    weights_of_rows = [weight_cells[row] for row in rows]
    return CandidateGroups(texts, weights_of_rows, names, f"{fields}; weights: {weights!r}.")


def _table_with_lists(path: str, weights: str | None, opening: Opening | None) -> Table:
    """Read a table whose cells may be lists: JSON as it is written, Parquet and Arrow with the lists of weights."""
    # Here, as text files need no reader of tables.
    from .tables.json_files import read_objects

    format = table_format(path)
    if format not in ("jsonl", "parquet", "arrow"):
        return read_file(path, opening)
    with open_binary(path) as stream:
        if format == "jsonl":
            return read_objects(stream, path)
        return READERS[format](stream, path, numbers=weights)


def _first_rows_of_documents(table: Table) -> list[int]:
    """Return the first row of each document: the harness has a line for each filter, with the same responses."""
    first_rows: dict[str, int] = {}
    for row, document in enumerate(table.column("doc_id")):
        first_rows.setdefault(str(document), row)
    return list(first_rows.values())


def _column_of_lists(table: Table) -> str:
    """Return the only column of lists of texts that its name makes those of systems, or else of sources; "" if none.

    Of a table without two columns of texts, lists of anything: their error says what is no text.
    """
    roles: dict[str, list[str]] = {}
    list_columns = []
    n_texts = 0
    for name, cells in table.columns.items():
        role = role_of(name)
        lists = [cell for cell in cells if isinstance(cell, list)]
        entries = chain.from_iterable(map(_flat, lists))
        if any(isinstance(entry, str) for entry in entries):
            roles.setdefault(role, []).append(name)
        elif role == "system":
            if len(lists) == len(cells):
                list_columns.append(name)
            n_texts += all(isinstance(cell, str) for cell in cells)
    # "text", as servers of models call it, is a source.
    columns = roles.get("system") or roles.get("source") or []
    if not columns and n_texts < 2:
        columns = list_columns
    if len(columns) > 1:
        raise InputError(
            f"{table.name}: the columns {', '.join(map(shorten, columns))} hold lists of texts; expected "
            f"one: choose it with {argument('column')}."
        )
    if not columns:
        return ""
    return columns[0]


def _flat(cell: list[Any]) -> list[Any]:
    """Return the entries of lists within a list, as the samples of several requests are written."""
    if not all(isinstance(entry, list) for entry in cell):
        return cell
    return list(chain.from_iterable(cell))


def is_ranked(lines: Sequence[str]) -> bool:
    """Return whether a text file is an n-best list, by its first line."""
    return bool(lines) and _RANKED.match(lines[0]) is not None


def ranked_groups(files: Mapping[str, Sequence[str]]) -> CandidateGroups:
    """Return the texts of n-best lists by their numbers; those of several files together."""
    texts_by_number: dict[int, list[str]] = {}
    for path, lines in files.items():
        for number, line in enumerate(lines, 1):
            match = _RANKED.match(line)
            if match is None:
                raise InputError(f"{path}, line {number}: expected 'number ||| text ||| ...', got {shorten(line)}.")
            texts_by_number.setdefault(int(match[1]), []).append(match[2].partition("|||")[0].strip(" "))
    numbers = sorted(texts_by_number)
    # The first may be any, as in a part that Moses decodes with -start-translation-id; a gap is a lost item.
    for previous, number in pairwise(numbers):
        if number != previous + 1:
            raise InputError(
                f"{', '.join(files)}: no line begins with {previous + 1}, but some do with {previous} and {number}; "
                "expected a candidate for each."
            )
    texts = [texts_by_number[number] for number in numbers]
    names = [f"{' '.join(files)}, list {number}" for number in numbers]
    return CandidateGroups(texts, None, names)


def first_candidates(path: str, lines: Sequence[str]) -> Sequence[str]:
    """Return the first candidate of each number where a text file is an n-best list, with a warning; else its lines.

    Decoders write the candidates of a number in the order of their scores, the best first.
    """
    if not lines or not all(map(_RANKED.match, lines)):
        return lines
    candidates = ranked_groups({path: lines}).texts
    warn(
        f"{path} is an n-best list, {shorten(lines[0])}: of each number the first candidate is scored, "
        f"{len(candidates):,} of {len(lines):,} lines, without its number and scores. tercet mbr chooses among all "
        "candidates."
    )
    return [texts[0] for texts in candidates]


def successive_groups(path: str, lines: Sequence[str], size: int) -> CandidateGroups:
    """Return groups of so many successive lines."""
    if not lines or len(lines) % size:
        raise InputError(f"{path} has {len(lines):,} lines; expected {size} for each group, or a multiple of {size}.")
    starts = range(0, len(lines), size)
    texts = [lines[start : start + size] for start in starts]
    names = [f"{path}, line {start + 1}" for start in starts]
    return CandidateGroups(texts, None, names)


def parallel_groups(files: Mapping[str, Sequence[str]]) -> CandidateGroups:
    """Return groups of the same line of each file."""
    counts = {path: len(lines) for path, lines in files.items()}
    first_path, n_expected = next(iter(counts.items()))
    for path, n_lines in counts.items():
        if n_lines != n_expected:
            count = "1 line" if n_lines == 1 else f"{n_lines:,} lines"
            raise InputError(
                f"{path!r} has {count} and {first_path!r} has {n_expected:,}; expected the same number: the same "
                "line of each file is a group."
            )
    names = [f"line {number} of {', '.join(files)}" for number in range(1, n_expected + 1)]
    return CandidateGroups(list(map(list, zip(*files.values(), strict=True))), None, names)
