"""JSON Lines, an object per line -> a table."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from .cells import RaggedRows, Table
from .decoding import decode
from .errors import InputError, shorten


def read_jsonl(stream: BinaryIO, name: str) -> Table:
    r"""Read a table from a file with a JSON object on each line.

    A key that a line lacks, ``null`` and ``NaN`` (how pandas writes a missing text) are ``None``; of a key that is
    there twice, the last counts, as JSON readers agree. Lines of white space are passed over.

    Parameters
    ----------
    stream : binary file
    name : str
        Of the file, for messages.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        Names the line that is not a JSON object and why; a file without objects.

    Examples
    --------
    >>> import io
    >>> read_jsonl(io.BytesIO(b'{"mt": "a", "refs": ["b", "c"]}\n{"mt": "d"}\n'), "test.jsonl").columns
    {'mt': ['a', 'd'], 'refs': [['b', 'c'], None]}
    >>> read_jsonl(io.BytesIO(b'{"mt": "a"}\n{"mt": "b"\n'), "test.jsonl")
    Traceback (most recent call last):
    tercet.errors.InputError: test.jsonl, line 2: not JSON (Expecting ',' delimiter, column 11); expected an object.
    """
    rows = RaggedRows(name)
    for line, text in enumerate(decode(stream.read(), name).split("\n"), 1):
        if text and not text.isspace():
            rows.add(line, _object(text, f"{name}, line {line}"))
    return rows.table("a JSON object per line")


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_constant)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON ({error.msg}, column {error.colno}); expected an object.") from None
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place}: the lone surrogate {error.object[error.start]!r} is not a character; expected Unicode text."
        ) from None
    except RecursionError:
        raise InputError(f"{place}: lists or objects nested too deeply; expected an object of texts.") from None
    except ValueError as error:  # an integer with more digits than Python takes
        raise InputError(f"{place}: {error}; expected an object of texts.") from None
    if not isinstance(value, dict):
        raise InputError(f"{place}: found {shorten(value)}; expected an object, " + '{"column": "text"}.')
    return value


def _constant(name: str) -> float | None:
    return None if name == "NaN" else float(name)
