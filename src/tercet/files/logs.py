"""Logs of lm-evaluation-harness, lighteval and inspect-ai -> tables with a row per sample; chats -> texts."""

# The samples that lm-evaluation-harness logs (``--log_samples``) -> a table with a row per document.

from __future__ import annotations

import ast
import io
import json
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import Any, BinaryIO

from tercet.corpus.items import kind_of
from tercet.errors import InputError, argument, first_line, level_of_caller, shorten

from .table import Log, RaggedRows, Roles, Table
from .text import LIMITS, Limits, read_whole

_PROMPT, _TARGET, _RESPONSE = "arguments", "target", "filtered_resps"
#: Keys of each line, by which such a log is known; forks of the harness, such as lmms-eval, may leave out the rest.
_KEYS = {"doc_id", _TARGET, _RESPONSE}
#: The prompt as lmms-eval writes it.
_ASKED = "input"
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
    # Old versions of the harness do not name the filter.
    filters = table.columns.get("filter", ["none"] * len(table.lines))
    has_filters = len(set(filters)) > 1
    rows_by_doc: dict[str, tuple[int, dict[str, Any]]] = {}
    has_requests = _PROMPT in table.columns
    for row, (line, filter_name) in enumerate(zip(table.lines, filters, strict=True)):
        sample = {name: cells[row] for name, cells in table.columns.items()}
        place, key, doc = f"{table.name}, line {line}", str(sample["doc_id"]), sample.get("doc")
        prompt = _prompt(sample[_PROMPT], place) if has_requests else sample.get(_ASKED)
        entry = {"doc_id": key, _PROMPT: prompt, _TARGET: sample[_TARGET]}
        fields = doc.items() if isinstance(doc, dict) else ()
        entry |= {f"doc.{name}": value for name, value in fields if _is_reference(value)}
        entry = rows_by_doc.setdefault(key, (line, entry))[1]
        column = f"{_RESPONSE} {filter_name}" if has_filters else _RESPONSE
        if column in entry:
            reason = (
                "expected the samples of one run"
                if "filter" in table.columns
                else "the harness writes a line for each filter of the task, and old versions do not say which. "
                "Keep the lines of one filter, one for each doc_id; or log the samples again with a newer version, "
                f"and choose a filter: {argument('systems')}"
            )
            raise InputError(f"{place}: doc_id {key} occurs again in {column!r}; {reason}.")
        entry[column] = _response(sample[_RESPONSE], place)
    rows = RaggedRows(table.name)
    for line, entry in rows_by_doc.values():
        rows.add(line, entry)
    by_doc = rows.table("a sample per line")
    columns, systems = by_doc.columns, tuple(name for name in by_doc.columns if name.startswith(_RESPONSE))
    places = [by_doc.place_on(line, _TARGET) for line in by_doc.lines]
    columns[_TARGET] = _targets(columns[_TARGET], places)
    for system in systems:
        _warn_of(by_doc, system, ("[invalid]",), "its filter found nothing there")
    _warn_of(by_doc, _TARGET, ("None", "nan"), "the harness writes this for a missing target")
    source = _PROMPT if all(isinstance(cell, str) for cell in columns[_PROMPT]) else None
    file_name = Path(table.name).name  # samples_<task>_<date>.jsonl
    task = re.match(r"(?:samples_)?(.+?)(?:_\d{4}-\d\d-\d\dT[^/]*)?\.(jsonl|ndjson)(\.gz)?$", file_name, re.I)
    return Log(
        table.name,
        columns,
        by_doc.lines,
        harness="lm-evaluation-harness",
        task=task[1] if task else file_name,
        run="",
        key=("doc_id",),
        roles=Roles(source, (_TARGET,), systems),
        scores=_scores(table),
    )


def _scores(table: Table) -> tuple[str, ...]:
    """Return the names of the scores of the samples: those that the harness lists, or else all numbers."""
    metrics = table.columns.get("metrics", [None])[0]
    if isinstance(metrics, list):
        return tuple(map(str, metrics))
    return tuple(
        name
        for name, cells in table.columns.items()
        if name != "doc_id" and all(isinstance(cell, int | float) for cell in cells)
    )


def _prompt(arguments: Any, place: str) -> str | None:
    """Return the prompt of the only request, None for a chat; requests of likelihoods are refused."""
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    request = requests[0] if isinstance(requests, list) and requests else None
    request = list(request.values()) if isinstance(request, dict) else request
    if not isinstance(request, list) or not request:
        raise InputError(f"{place}: expected the requests of a sample in 'arguments', got {shorten(arguments)}.")
    if not isinstance(request[1] if len(request) > 1 else None, dict):
        content = f"{len(requests)} choices" if len(requests) > 1 else "a text"
        raise InputError(
            f"{place}: this log holds log-likelihoods of {content}, not texts that a model wrote; expected the "
            "samples of a task with output_type: generate_until."
        )
    return request[0] if isinstance(request[0], str) else None


def _response(cell: Any, place: str) -> str | list[str]:
    """Return the response to a document, or those to all repeats of its request."""
    text = cell
    while isinstance(text, list) and len(text) == 1:
        text = text[0]
    if isinstance(text, str) or (isinstance(text, list) and text and all(isinstance(item, str) for item in text)):
        return text
    description = "no response" if text == [] else shorten(text)
    raise InputError(
        f"{place}: found {description} in {_RESPONSE!r}; expected a text, or a list of texts of the repeats."
    )


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
    # Written otherwise, it is a text that only looks like a list.
    return items if str(items) == cell and all(isinstance(item, str | dict) for item in items) else None


def _texts_of(cell: str) -> list[str]:
    """Return the texts that Python writes within a text, some at a time: a syntax tree takes 200 times its bytes."""
    texts: list[str] = []
    literals = (match[0] for match in _LITERAL.finditer(cell))
    while batch := list(islice(literals, 1000)):
        texts += ast.literal_eval(f"[{','.join(batch)}]")
    return texts


def _is_reference(value: Any) -> bool:
    return all(isinstance(text, str) for text in (value if isinstance(value, list) else [value]))


def _warn_of(table: Table, column: str, markers: Sequence[str], reason: str) -> None:
    rows = [row for row, cell in enumerate(table.columns[column]) if cell in markers]
    if rows:
        cell, first_id = table.columns[column][rows[0]], table.columns["doc_id"][rows[0]]
        warnings.warn(
            f"{table.name}, {column!r}: {cell!r} in {len(rows):,} of {len(table.lines):,} samples, the first with "
            f"doc_id {first_id}: {reason}. It is read as a text.",
            stacklevel=level_of_caller(),
        )


# The details that lighteval saves (``details_<task>_<date>.parquet``) -> a table with a row per sample.

#: Columns that are read, and what is read of them; the rest are tokens, their scores and options.
PARTS = ("doc", "model_response")
FIELDS = (
    "doc.id",
    "doc.task_name",
    "doc.query",
    "doc.choices",
    "doc.gold_index",
    "model_response.text",
    "model_response.text_post_processed",
)


def is_details(schema: Any) -> bool:
    """Return whether a file's columns are those of such details."""
    return {*PARTS, "metric"} <= set(schema.names)


def details_log(table: Table, scores: tuple[str, ...] = ()) -> Log:
    """Return the samples of a task: the text that its metrics took, and the choices that are right as references."""
    docs, responses = (table.column(name) for name in PARTS)
    texts, golds, final = [], [], "model_response.text"
    for row, (doc, response) in enumerate(zip(docs, responses, strict=True)):
        place = f"{table.name}, row {row + 1}"
        processed = response.get("text_post_processed")
        # Where a text was processed, its metrics took that.
        final = final if processed is None else "model_response.text_post_processed"
        texts.append(_text(response.get("text") if processed is None else processed, place))
        choices, gold = doc.get("choices") or [], doc.get("gold_index")
        positions = gold if isinstance(gold, list) else [gold]
        if not all(isinstance(position, int) and -len(choices) <= position < len(choices) for position in positions):
            raise InputError(
                f"{place}: gold_index is {shorten(gold)}, of {len(choices)} choices; expected places of right ones."
            )
        golds.append([choices[position] for position in positions])
    columns = {
        "id": [str(doc.get("id")) for doc in docs],
        "doc.query": [doc.get("query") for doc in docs],
        "doc.choices": golds,
        final: texts,
    }
    roles = Roles("doc.query", ("doc.choices",), (final,))
    return Log(
        table.name,
        columns,
        table.lines,
        harness="lighteval",
        task=str(docs[0].get("task_name")),
        run="",
        key=("id",),
        roles=roles,
        scores=scores,
    )


def _text(answer: Any, place: str) -> Any:
    """Return the model's answer, or its answers where it was asked several times."""
    if not answer:
        raise InputError(
            f"{place}: the model's answer has no text, as log-likelihoods of choices have none; expected the details "
            "of a generative task."
        )
    return answer[0] if len(answer) == 1 else list(answer)


# A log of inspect-ai (.eval, .json) -> a table with a row per sample and epoch.

# The compression that the package writes, which zipfile reads since Python 3.14.
_ZSTD = 93
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(/sample)?\.json")
# Only the second is there where the run has not ended.
_HEADERS = ("header.json", "_journal/start.json")

#: What damaged archives, compressed bytes and JSON raise; of RuntimeErrors, nesting too deep is one.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)

#: What a log says of its run, and its samples.
Parts = tuple[dict[str, Any], list[dict[str, Any]]]


def read_inspect(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Log:
    """Read a log, which is an archive of JSON (.eval) or one object (.json)."""
    data = read_whole(stream, name, limits)
    try:
        if data.startswith(b"PK"):
            spec, samples = _archived(data, name, limits.unpacking(len(data)))
        else:
            limits.check_json([data], name)
            spec, samples = _parts(json.loads(data))
    except InputError:
        raise
    except _DAMAGED as error:
        raise InputError(
            f"{name} is not a log of inspect-ai with samples (.eval, .json), nor JSON Lines, an object per line "
            f"(.jsonl): {first_line(error)}."
        ) from None
    return _log(spec, samples, name)


def _archived(data: bytearray, name: str, limits: Limits) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        # Of a sample that was run again, the last entry remains.
        entries = {entry.filename: entry for entry in archive.infolist()}
        header = next((entries[path] for path in _HEADERS if path in entries), None)
        samples = [entry for path, entry in entries.items() if _SAMPLE.fullmatch(path)]
        if header is None:
            raise ValueError(f"it has no {_HEADERS[0]}")
        limits.check(sum(entry.file_size for entry in (header, *samples)), 0, name)
        parts = [_bytes(archive, data, entry) for entry in (header, *samples)]
        limits.check_json(parts, name)
        run, *sample_objects = map(json.loads, parts)
        return _parts({**run, "samples": sample_objects})


def _parts(log: Any) -> Parts:
    """Return what the log says of the run, and its samples."""
    spec, samples = (log.get(key) for key in ("eval", "samples")) if isinstance(log, dict) else (None, None)
    if not isinstance(spec, dict) or not isinstance(samples, list) or not all(map(_is_sample, samples)):
        raise ValueError("expected an object with 'eval' and 'samples'")
    return spec, samples


def _is_sample(sample: Any) -> bool:
    return isinstance(sample, dict) and all(
        isinstance(sample.get(part) or {}, dict) for part in ("output", "metadata")
    )


def _bytes(archive: zipfile.ZipFile, data: bytearray, entry: zipfile.ZipInfo) -> Any:
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    # The header before an entry's bytes has 30 of its own, and then a name and an extra field of these lengths.
    start = entry.header_offset + 30 + sum(struct.unpack_from("<HH", data, entry.header_offset + 26))
    packed = data[start : start + entry.compress_size]
    import pyarrow as pa

    try:
        return pa.decompress(packed, entry.file_size, codec="zstd", asbytes=True)
    except pa.ArrowException as error:
        raise zipfile.BadZipFile(str(error)) from None


def _log(spec: dict[str, Any], samples: list[dict[str, Any]], name: str) -> Log:
    """Return the samples in the order in which the package has them; those that ended with an error are left out."""
    failed = [sample for sample in samples if sample.get("error")]
    if failed:
        warnings.warn(
            f"{name}: {len(failed):,} of {len(samples):,} samples ended with an error, the first has the id "
            f"{shorten(failed[0].get('id'))}: left out.",
            stacklevel=level_of_caller(),
        )
    finished = sorted((sample for sample in samples if not sample.get("error")), key=_order)
    rows = RaggedRows(name)
    for number, sample in enumerate(finished, 1):
        output, metadata = sample.get("output") or {}, sample.get("metadata") or {}
        rows.add(
            number,
            {
                **{part: str(sample.get(part)) for part in ("id", "epoch")},
                "input": _asked(sample.get("input")),
                "target": sample.get("target"),
                "output.completion": output.get("completion"),
                **{f"metadata.{key}": value for key, value in metadata.items()},
            },
        )
    table = rows.table("samples without an error")
    return Log(
        name,
        table.columns,
        table.lines,
        harness="inspect-ai",
        task=str(spec.get("task")),
        run=str(spec.get("model") or ""),
        key=("id", "epoch"),
        roles=Roles("input", ("target",), ("output.completion",)),
        scores=tuple(dict.fromkeys(name for sample in finished for name in sample.get("scores") or ())),
    )


def _order(sample: dict[str, Any]) -> tuple[str, str]:
    epoch, sample_id = str(sample.get("epoch")), str(sample.get("id"))
    # Zeros before a number, so that 10 comes after 9; ids may also be names.
    return epoch.zfill(20), sample_id.zfill(20) if isinstance(sample.get("id"), int) else sample_id


def _asked(content: Any) -> str | None:
    """Return the input, or the text of the last message of a chat."""
    while isinstance(content, list) and content and isinstance(content[-1], dict):
        # A message has its text in "content", and a part of one in "text".
        last = content[-1]
        content = last.get("content", last.get("text"))
    return content if isinstance(content, str) else None


# Chats, lists of messages with role and content, as trainers and files have them -> texts.

ASSISTANT = "assistant"


def is_chat(value: Any) -> bool:
    """Return whether a cell is a list of messages, or one message."""
    messages = [value] if isinstance(value, Mapping) else value
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in messages)
        and any("content" in message for message in messages)
    )


def content_text(content: Any, name: str) -> str | None:
    """Return the text of a message's content, a string or a list of parts; None where it has none."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, Iterable) or not all(
        isinstance(part, Mapping) and isinstance(part.get("text"), (str, NoneType)) for part in content
    ):
        raise InputError(
            f"the content of {name} must be a string or a list of parts with type and text, got {shorten(content)} "
            f"({kind_of(content)})."
        )
    texts = [part["text"] for part in content if part.get("text") is not None]
    return "".join(texts) if texts else None


def texts_of_chats(cells: Sequence[Any], places: Sequence[str]) -> list[Any]:
    """Return the cells of a column of chats as texts: what the assistant said last.

    Where no chat of the column has a message of the assistant, they are prompts, and their text is that of the last
    message. Other cells stay what they are.
    """
    chats = {row: [cell] if isinstance(cell, Mapping) else cell for row, cell in enumerate(cells) if is_chat(cell)}
    role = ASSISTANT if any(message["role"] == ASSISTANT for chat in chats.values() for message in chat) else None
    texts = list(cells)
    for row, chat in chats.items():
        contents = [message.get("content") for message in chat if role is None or message["role"] == role]
        text = content_text(contents[-1] if contents else None, places[row])
        if text is None:
            raise InputError(
                f"{places[row]}: expected a chat in which the {ASSISTANT} says a text last, got "
                f"{shorten(cells[row])}."
            )
        texts[row] = text
    return texts
