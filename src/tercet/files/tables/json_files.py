"""JSON Lines, and JSON in one piece -> a table, or the log of a harness."""

from __future__ import annotations

import io
import json
import re
from typing import BinaryIO

from tercet.errors import InputError, first_line, shorten
from tercet.files.damage import DAMAGED
from tercet.files.encodings import decode, drop_marks
from tercet.files.formats import unpacked
from tercet.files.limits import LIMITS, Limits, read_bytes, read_whole
from tercet.files.logs.inspect_ai import object_in_archive
from tercet.files.logs.recognition import log_in_object, log_or_table
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Table
from tercet.names_as_shown import joined

from .json_tables import check_characters, distinct_value, object_in, table_in

#: Keys of an object that a message names.
_MOST_KEYS = 5
#: In messages, what a file of JSON may be.
_EXPECTED = "a table, a log of inspect-ai or results of a harness"
#: The beginning of an array of objects.
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)*\s*\[\s*\{")
#: What only segments of SegLST have together.
_OF_SEGLST = ("session_id", "speaker", "words")
#: More than one line, of an object each.
_JSON_LINES = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")


def read_jsonl(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a table from a file with a JSON object on each line.

    A key that a line lacks, ``null`` and ``NaN`` (how pandas writes a missing text) are ``None``. Lines of
    white space are passed over.

    A key whose values are objects of texts, ``"hyps": {"system A": "text"}``, is read as a column for each of their
    keys. It is called ``system A``, and ``hyps.system A`` where another column has that name, or where only the
    whole name has the role: ``refs.A`` is a reference, ``A`` would be a system. The values of systems may also be
    lists with one text.

    Chats, lists of messages with role and content, are read as what the assistant said last; answers of SQuAD,
    objects of texts and of where each starts, as lists of texts.

    What a harness wrote is a :class:`Log`, here and in other tables (`logs/recognition.py`). An array of objects is
    read under this name too: lm-evaluation-harness wrote its samples so until its version 0.4.2.
    """
    data = read_bytes(stream, name, limits)
    if _ARRAY.match(data):
        return _json_in(data, name, limits)
    return log_or_table(_objects_in(data, name, limits))


def read_json(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a log or results in an object or archive; or a table, in any of the forms of pandas, datasets and W&B.

    These are JSON Lines, which datasets writes whatever the file is called, an object of columns and rows (of W&B),
    and what :func:`~tercet.files.tables.json_tables.table_in` reads.
    """
    return _json_in(read_whole(stream, name, limits, _EXPECTED), name, limits)


def _json_in(data: bytearray, name: str, limits: Limits) -> Table:
    drop_marks(data)
    if _JSON_LINES.match(data):
        return read_jsonl(io.BytesIO(data), name, limits)
    table = _read_value(data, name, limits)
    if all(key in table.columns for key in _OF_SEGLST):
        raise InputError(
            f"{name} has segments of transcripts (SegLST), by its {joined(list(map(repr, _OF_SEGLST)))}. To have it "
            "read as such, let its name end in .seglst.json."
        )
    if isinstance(table, Log):
        return table
    return log_or_table(table)


def read_objects(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Return a table of the objects as they are, a column for each of their keys."""
    return _objects_in(read_bytes(stream, name, limits), name, limits)


def _read_value(data: bytearray, name: str, limits: Limits) -> Table:
    """Read a log of inspect-ai, an archive of JSON (.eval) or an object (.json), or results, or a table in JSON."""
    is_archive = data.startswith(b"PK")
    has_escapes = False
    try:
        if is_archive:
            content = object_in_archive(data, name, limits.unpacking(len(data)))
        else:
            limits.check_json([data], name)
            text = data.decode(json.detect_encoding(data))
            content = distinct_value(text, name)
            has_escapes = "\\u" in text
    except InputError:
        raise
    except json.JSONDecodeError as error:
        # Behind an object may be more: lines of JSON.
        if error.msg == "Extra data" or _is_called_archive(name):
            raise _unreadable(name, first_line(error)) from None
        problem = f"not JSON ({error.msg}, column {error.colno})"
        raise InputError(f"{name}, line {error.lineno}: {problem}; expected {_EXPECTED}.") from None
    except DAMAGED as error:
        raise _unreadable(name, first_line(error)) from None
    reason = "expected an object with 'eval' and 'samples'"
    try:
        table = log_in_object(content, name)
        if table is None and not is_archive and not (isinstance(content, dict) and "eval" in content):
            # Only an escape can stand for half a character. In a log, one may be where nothing is read.
            if has_escapes:
                check_characters(content, name)
            table = table_in(content, name)
        if table is not None:
            return table
    except InputError:
        raise
    except DAMAGED as error:
        reason = first_line(error)
    if not isinstance(content, dict):
        reason = f"found {shorten(content)}"
    elif content and "eval" not in content:
        reason = f"found an object of {joined(list(map(shorten, content)), _MOST_KEYS)}"
    raise _unreadable(name, reason)


def _unreadable(name: str, reason: str) -> InputError:
    """Return what is said of a file that is neither a log nor a table."""
    nor = ""
    # An archive is no table.
    if not _is_called_archive(name):
        nor = ', nor a table, such as an array of objects [{"prediction": "text", "reference": "text"}]'
    return InputError(f"{name} is not a log of inspect-ai with samples{nor}: {reason}.")


def _is_called_archive(name: str) -> bool:
    return unpacked(name).lower().endswith(".eval")


def _objects_in(data: bytearray, name: str, limits: Limits) -> Table:
    rows = RaggedRows(name)
    lines = decode(data, name).split("\n")
    limits.check_json(lines, name, free=1)
    for line, text in enumerate(lines, 1):
        if text and not text.isspace():
            rows.add(line, object_in(text, f"{name}, line {line}"))
    return rows.table("a JSON object per line")
