"""Files of several candidates for each source, as samplers and decoders write them -> groups of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tercet.errors import InputError, shorten

from .jsonl import read_objects
from .lines import open_binary
from .lm_eval_log import is_samples
from .read import READERS, table_format
from .roles import role_of
from .table import Table

#: The beginning of a line of an n-best list, ``0 ||| text ||| scores ||| total``, as Moses, Marian and others write.
_RANKED = re.compile(r"\s*([0-9]{1,18}) \|\|\|(.*)")
#: Of the samples of lm-evaluation-harness: what the model wrote, before a filter took one of them.
_RESPONSES = "resps"


class Groups(NamedTuple):
    """Candidates by group, not yet checked, with their weights, and where each group stands, for messages."""

    texts: list[Any]
    weights: list[Any] | None
    names: list[str]
    fields: str = ""  # of a table, which columns they are, in words


def read_lists(path: str, column: str | None = None, weights: str | None = None) -> Groups | None:
    """Return the lists of texts in a column of a table, by default the only one; None where no column has any.

    A line's lists within a list are one group. Of the samples of lm-evaluation-harness, all responses are candidates.
    """
    format = table_format(path)
    with open_binary(path) as stream:
        if format == "jsonl":
            table = read_objects(stream, path)
        elif format in ("parquet", "arrow"):
            table = READERS[format](stream, path, numbers=weights)
        else:
            table = READERS[format](stream, path)
    rows = list(range(len(table.lines)))
    if is_samples(table):
        column = column or (_RESPONSES if _RESPONSES in table.columns else None)
        first: dict[str, int] = {}
        for row, document in enumerate(table.column("doc_id")):
            first.setdefault(str(document), row)  # on a line for each filter: the responses are the same
        rows = list(first.values())
    column = column or _column_of_lists(table)
    if column is None:
        return None
    cells = table.column(column)
    for row in rows:
        if not isinstance(cells[row], list):
            raise InputError(f"{table.place(row, column)}: expected a list of texts, got {shorten(cells[row])}.")
    names = [table.place(row, column) for row in rows]
    own = None if weights is None else table.column(weights)
    fields = f"{table.name}: candidates: {column!r}{'' if weights is None else f'; weights: {weights!r}'}."
    texts = [_flat(cells[row]) for row in rows]
    return Groups(texts, None if own is None else [own[row] for row in rows], names, fields)


def _column_of_lists(table: Table) -> str | None:
    """Return the only column of lists of texts that its name makes those of systems, or else of sources.

    Of a table without two columns of texts, lists of anything: their error says what is no text.
    """
    roles: dict[str, list[str]] = {}
    others, n_texts = [], 0
    for name, cells in table.columns.items():
        if any(isinstance(cell, list) and any(isinstance(text, str) for text in _flat(cell)) for cell in cells):
            roles.setdefault(role_of(name), []).append(name)
        elif role_of(name) == "system":
            others += [name] * all(isinstance(cell, list) for cell in cells)
            n_texts += all(isinstance(cell, str) for cell in cells)
    found = roles.get("system") or roles.get("source") or []  # "text", as servers of models call it, is a source
    if not found and n_texts < 2:
        found = others
    if len(found) > 1:
        raise InputError(
            f"{table.name}: the columns {', '.join(map(shorten, found))} hold lists of texts; expected "
            "one: choose it with --column."
        )
    return found[0] if found else None


def _flat(cell: list[Any]) -> list[Any]:
    """Return the entries of lists within a list, as the samples of several requests are written."""
    nested = cell and all(isinstance(each, list) for each in cell)
    return [text for each in cell for text in each] if nested else cell


def is_ranked(lines: Sequence[str]) -> bool:
    """Return whether a text file is an n-best list, by its first line."""
    return bool(lines) and _RANKED.match(lines[0]) is not None


def ranked_groups(files: Mapping[str, Sequence[str]]) -> Groups:
    """Return the texts of n-best lists by their numbers; those of several files together."""
    found: dict[int, list[str]] = {}
    for path, lines in files.items():
        for number, line in enumerate(lines, 1):
            match = _RANKED.match(line)
            if match is None:
                raise InputError(f"{path}, line {number}: expected 'number ||| text ||| ...', got {shorten(line)}.")
            found.setdefault(int(match[1]), []).append(match[2].partition("|||")[0].strip(" "))
    numbers = sorted(found)
    for before, number in pairwise(numbers):
        if number != before + 1:
            raise InputError(
                f"{', '.join(files)}: no line begins with {before + 1}, but some do with {before} and {number}; "
                "expected a candidate for each."
            )
    return Groups([found[number] for number in numbers], None, [f"{' '.join(files)}, list {n}" for n in numbers])


def successive_groups(path: str, lines: Sequence[str], size: int) -> Groups:
    """Return groups of so many successive lines."""
    if not lines or len(lines) % size:
        raise InputError(f"{path} has {len(lines):,} lines; expected {size} for each group, or a multiple of {size}.")
    starts = range(0, len(lines), size)
    return Groups(
        [lines[start : start + size] for start in starts], None, [f"{path}, line {start + 1}" for start in starts]
    )


def parallel_groups(files: Mapping[str, Sequence[str]]) -> Groups:
    """Return groups of the same line of each file."""
    counts = {path: len(lines) for path, lines in files.items()}
    first, wanted = next(iter(counts.items()))
    for path, found in counts.items():
        if found != wanted:
            raise InputError(
                f"{path!r} has {found:,} line{'s' * (found != 1)} and {first!r} has {wanted:,}; expected the same "
                "number: the same line of each file is a group."
            )
    names = [f"line {number} of {', '.join(files)}" for number in range(1, wanted + 1)]
    return Groups(list(map(list, zip(*files.values(), strict=True))), None, names)
