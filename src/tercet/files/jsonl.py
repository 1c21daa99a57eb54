"""JSON Lines, an object per line -> a table."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, BinaryIO

from tercet.errors import InputError, shorten

from .content.chats import is_chat, texts_of_chats
from .decoding import decode
from .limits import LIMITS, Limits, read_bytes
from .lm_eval_log import is_samples, samples_log
from .roles import role_of
from .table import MOST_COLUMNS, RaggedRows, Table


def read_jsonl(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a table from a file with a JSON object on each line.

    A key that a line lacks, ``null`` and ``NaN`` (how pandas writes a missing text) are ``None``. Lines of
    white space are passed over.

    A key whose values are objects of texts, ``"hyps": {"system A": "text"}``, gives a column for each of their keys
    in its place. It is called ``system A``, and ``hyps.system A`` where another column has that name, or where only
    the whole name has the role: ``refs.A`` is a reference, ``A`` would be a system. The values of systems may also be
    lists with one text.

    Chats, lists of messages with role and content, are read as what the assistant said last.

    The samples that lm-evaluation-harness logs are a :class:`Log`, with a row per document.
    """
    table = read_objects(stream, name, limits)
    return samples_log(table) if is_samples(table) else spread(table)


def read_objects(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Return a table of the objects as they are, a column for each of their keys."""
    rows = RaggedRows(name)
    lines = decode(read_bytes(stream, name, limits), name).split("\n")
    limits.check_json(lines, name, free=1)
    for line, text in enumerate(lines, 1):
        if text and not text.isspace():
            rows.add(line, _object(text, f"{name}, line {line}"))
    return rows.table("a JSON object per line")


def spread(table: Table) -> Table:
    """Return a table with texts in the place of chats, and columns of texts in that of each column of objects."""
    outer_columns = {name: _without_chats(table, name, cells) for name, cells in table.columns.items()}
    table = Table(table.name, outer_columns, table.lines)
    inner = _inner_names(table)
    if not inner:
        return table
    names = {
        (outer, name): name if role_of(name) == role_of(f"{outer}.{name}") else f"{outer}.{name}"
        for outer, found in inner.items()
        for name in found
    }
    times = Counter([*names.values(), *(table.columns.keys() - inner.keys())])
    columns: dict[str, list[Any]] = {}
    for outer, cells in table.columns.items():
        spread = {outer: cells}
        if outer in inner:
            spread = {}
            for name in inner[outer]:
                whole, texts = f"{outer}.{name}", [cell.get(name) if cell else None for cell in cells]
                texts = _without_chats(table, whole, texts)
                if role_of(whole) == "system":
                    texts = [text[0] if isinstance(text, list) and len(text) == 1 else text for text in texts]
                spread[names[outer, name] if times[names[outer, name]] == 1 else whole] = texts
        for column in spread.keys() & columns.keys():
            raise InputError(f"{table.name}: the column {shorten(column)} appears twice; expected distinct names.")
        columns |= spread
    return Table(table.name, columns, table.lines)


def _without_chats(table: Table, column: str, cells: list[Any]) -> list[Any]:
    """Return the cells of a column that may hold systems, references or sources, with texts for chats."""
    if role_of(column) == "about" or not any(map(is_chat, cells)):
        return cells
    return texts_of_chats(cells, [table.place_on(line, column) for line in table.lines])


def _inner_names(table: Table) -> dict[str, list[str]]:
    """Return the keys within each column of objects of texts, in the order in which they first occur."""
    inner = {}
    total = len(table.columns)
    for outer, cells in table.columns.items():
        lists = role_of(outer) in ("system", "reference")
        if not all(cell is None or _is_object_of_texts(cell, lists) for cell in cells):
            continue
        names: dict[str, None] = {}
        for line, cell in zip(table.lines, cells, strict=True):
            names |= dict.fromkeys(cell or ())
            if total + len(names) > MOST_COLUMNS:
                raise InputError(
                    f"{table.name}, line {line}: more than {MOST_COLUMNS} different columns, with those in "
                    f"{shorten(outer)}; expected rows that share their columns."
                )
        if names:
            inner[outer] = list(names)
            total += len(names)
    return inner


def _is_object_of_texts(cell: Any, lists: bool) -> bool:
    """Return whether a cell is an object of texts, with `lists` also of lists of texts and of chats."""
    return isinstance(cell, dict) and all(
        text is None or isinstance(text, str) or (lists and (_is_list_of_texts(text) or is_chat(text)))
        for text in cell.values()
    )


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


class _KeyTwiceError(Exception):
    """An object has a key twice: only one of its values would be read."""


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        value = _DECODER.decode(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except _KeyTwiceError as error:
        wrong = f"the key {shorten(error.args[0])} appears twice; expected distinct keys."
    except json.JSONDecodeError as error:
        what = "Unexpected byte order mark" if text.startswith("\ufeff") else error.msg
        wrong = f"not JSON ({what}, column {error.colno}); expected an object."
    except UnicodeEncodeError as error:
        wrong = f"the lone surrogate {error.object[error.start]!r} is not a character; expected Unicode text."
    except RecursionError:
        wrong = "lists or objects nested too deeply; expected an object of texts."
    except ValueError as error:  # an integer with more digits than Python takes
        wrong = f"{error}; expected an object of texts."
    else:
        if isinstance(value, dict):
            return value
        wrong = f"found {shorten(value)}; expected an object, " + '{"column": "text"}.'
    raise InputError(f"{place}: {wrong}")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _KeyTwiceError(next(key for key in found if times[key] > 1))
    return found


# one for all lines: json.loads would make one for each
_DECODER = json.JSONDecoder(
    parse_constant=lambda name: None if name == "NaN" else float(name), object_pairs_hook=_distinct
)
