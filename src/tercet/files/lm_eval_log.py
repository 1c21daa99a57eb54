"""The samples that lm-evaluation-harness logs (``--log_samples``) -> a table with a row per document."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tercet.errors import InputError, argument, level_of_caller, shorten

from .table import Log, RaggedRows, Roles, Table

_PROMPT, _TARGET, _RESPONSE = "arguments", "target", "filtered_resps"
#: Keys of each line, by which such a log is known; forks of the harness, such as lmms-eval, may leave out the rest.
_KEYS = {"doc_id", _TARGET, _RESPONSE}
_ASKED = "input"  # the prompt as lmms-eval writes it
#: A text as Python writes it; one that does not end goes on to the end, so that no other is tried from within it.
_LITERAL = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'?|"[^"\\]*(?:\\.[^"\\]*)*"?""", re.DOTALL)
#: Most characters of the messages of a target, which Python's own parser reads: it takes 200 times as many bytes.
_LONGEST_CHAT = 1 << 20


def is_samples(table: Table) -> bool:
    """Return whether the lines of a file of JSON objects are such samples."""
    return table.columns.keys() >= _KEYS


def samples_log(table: Table) -> Log:
    """Return the samples of a task by document; each filter of the harness has a column of predictions.

    The texts of ``doc`` are columns too (``doc.answer``), for those whose references are there.
    """
    of_filter = table.columns.get("filter", ["none"] * len(table.lines))
    several = len(set(of_filter)) > 1
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    has_requests = _PROMPT in table.columns
    for row, (line, filter) in enumerate(zip(table.lines, of_filter, strict=True)):
        sample = {name: cells[row] for name, cells in table.columns.items()}
        place, key, doc = f"{table.name}, line {line}", str(sample["doc_id"]), sample.get("doc")
        asked = _prompt(sample[_PROMPT], place) if has_requests else sample.get(_ASKED)
        own = {"doc_id": key, _PROMPT: asked, _TARGET: sample[_TARGET]}
        fields = doc.items() if isinstance(doc, dict) else ()
        own |= {f"doc.{name}": value for name, value in fields if _is_reference(value)}
        own = found.setdefault(key, (line, own))[1]
        column = f"{_RESPONSE} {filter}" if several else _RESPONSE
        if column in own:
            why = (
                "expected the samples of one run"
                if "filter" in table.columns
                else "the harness writes a line for each filter of the task, and old versions do not say which. "
                "Keep the lines of one filter, one for each doc_id; or log the samples again with a newer version, "
                f"and choose a filter: {argument('systems')}"
            )
            raise InputError(f"{place}: doc_id {key} occurs again in {column!r}; {why}.")
        own[column] = _response(sample[_RESPONSE], place)
    rows = RaggedRows(table.name)
    for line, own in found.values():
        rows.add(line, own)
    by_doc = rows.table("a sample per line")
    columns, systems = by_doc.columns, tuple(name for name in by_doc.columns if name.startswith(_RESPONSE))
    places = [by_doc.place_on(line, _TARGET) for line in by_doc.lines]
    columns[_TARGET] = _targets(columns[_TARGET], places)
    for column, odd, why in (
        *((name, ("[invalid]",), "its filter found nothing there") for name in systems),
        (_TARGET, ("None", "nan"), "the harness writes this for a missing target"),
    ):
        _warn_of(by_doc, column, odd, why)
    source = _PROMPT if all(isinstance(cell, str) for cell in columns[_PROMPT]) else None
    return Log(
        table.name, columns, by_doc.lines, harness="lm-evaluation-harness", task=_task(table.name), run="",
        key=("doc_id",), roles=Roles(source, (_TARGET,), systems), scores=_scores(table),
    )  # fmt: skip


def _scores(table: Table) -> tuple[str, ...]:
    """Return the names of the scores of the samples: those that the harness lists, or else all numbers."""
    listed = table.columns.get("metrics", [None])[0]
    if isinstance(listed, list):
        return tuple(map(str, listed))
    return tuple(
        name
        for name, cells in table.columns.items()
        if name != "doc_id" and all(isinstance(cell, int | float) for cell in cells)
    )


def _task(path: str) -> str:
    """Return the task that the name of a file, ``samples_<task>_<date>.jsonl``, says."""
    found = re.match(r"(?:samples_)?(.+?)(?:_\d{4}-\d\d-\d\dT[^/]*)?\.(jsonl|ndjson)(\.gz)?$", Path(path).name, re.I)
    return found[1] if found else Path(path).name


def _prompt(arguments: Any, place: str) -> str | None:
    """Return the prompt of the only request, None for a chat; requests of likelihoods are refused."""
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    request = requests[0] if isinstance(requests, list) and requests else None
    request = list(request.values()) if isinstance(request, dict) else request
    if not isinstance(request, list) or not request:
        raise InputError(f"{place}: expected the requests of a sample in 'arguments', got {shorten(arguments)}.")
    if not isinstance(request[1] if len(request) > 1 else None, dict):
        what = f"{len(requests)} choices" if len(requests) > 1 else "a text"
        raise InputError(
            f"{place}: this log holds log-likelihoods of {what}, not texts that a model wrote; expected the samples "
            "of a task with output_type: generate_until."
        )
    return request[0] if isinstance(request[0], str) else None


def _response(cell: Any, place: str) -> str | list[str]:
    """Return the response to a document, or those to all repeats of its request."""
    text = cell
    while isinstance(text, list) and len(text) == 1:
        text = text[0]
    if isinstance(text, str) or (isinstance(text, list) and text and all(isinstance(each, str) for each in text)):
        return text
    found = "no response" if text == [] else shorten(text)
    raise InputError(f"{place}: found {found} in {_RESPONSE!r}; expected a text, or a list of texts of the repeats.")


def _targets(cells: list[Any], places: Sequence[str]) -> list[Any]:
    """Return targets as they were before the harness wrote each as ``str`` does, where all were lists."""
    lists = [_listed(cell, place) for cell, place in zip(cells, places, strict=True)]
    if any(lists) and None not in lists:
        return lists
    return [str(cell) if isinstance(cell, int | float) else cell for cell in cells]


def _listed(cell: Any, place: str) -> list[Any] | None:
    """Return the list of texts, or of a chat's messages, that a text writes exactly as Python does."""
    if not isinstance(cell, str) or not cell.startswith(("['", '["', "[{", "[]")):
        return cell if isinstance(cell, list) else None
    if cell.startswith("[{") and len(cell) > _LONGEST_CHAT:
        raise InputError(
            f"{place}: found messages of {len(cell):,} characters; expected at most {_LONGEST_CHAT:,}, which is the "
            "limit."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            items = ast.literal_eval(cell) if cell.startswith("[{") else _texts_of(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return items if str(items) == cell and all(isinstance(item, str | dict) for item in items) else None


def _texts_of(cell: str) -> list[str]:
    """Return the texts that Python writes within a text, some at a time: a syntax tree takes 200 times its bytes."""
    texts: list[str] = []
    literals = (match[0] for match in _LITERAL.finditer(cell))
    while some := list(islice(literals, 1000)):
        texts += ast.literal_eval(f"[{','.join(some)}]")
    return texts


def _is_reference(value: Any) -> bool:
    return all(isinstance(each, str) for each in (value if isinstance(value, list) else [value]))


def _warn_of(table: Table, column: str, odd: Sequence[str], why: str) -> None:
    rows = [row for row, cell in enumerate(table.columns[column]) if cell in odd]
    if rows:
        cell, first = table.columns[column][rows[0]], table.columns["doc_id"][rows[0]]
        warnings.warn(
            f"{table.name}, {column!r}: {cell!r} in {len(rows):,} of {len(table.lines):,} samples, the first with "
            f"doc_id {first}: {why}. It is read as a text.",
            stacklevel=level_of_caller(),
        )
