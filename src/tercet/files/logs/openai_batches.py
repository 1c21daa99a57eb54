"""Batches of OpenAI's API: batch_<id>_output.jsonl, a line per answer, in any order.

    {"custom_id": "q-1", "response": {"body": {"model": "gpt-4o", "choices":
     [{"message": {"role": "assistant", "content": "18"}, "finish_reason": "stop"}]}}, "error": null}

Known by: custom_id, beside a response with a body, or errors alone; requests, by a url and a body. A row per
custom_id. The references are in other files: `test_sets/batches.py` joins them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.corpus.chats import content_text
from tercet.errors import InputError, shorten, warn
from tercet.files.join import rows_of_ids
from tercet.files.json_values import field_of
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Roles, Table

from .endings import wrong_end, wrong_ends_of_choices
from .log_format import LogFormat
from .run_names import run_of

#: The column of the ids of requests.
ID = "custom_id"
#: The column of answers.
ANSWER = "response"
_BODY = "body"
#: The column of what was asked.
ASKED = "request"
#: Columns with the ids of requests, in other tables too, in the order in which they are looked for.
IDS = (ID, "id")
#: Names of files that say nothing of a run: it is called as its model then.
_ANY_BATCH = re.compile(r"batch_[0-9a-f]+(_output)?|(batch[_-]?)?(outputs?|results?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answers(Log):
    """The answers of a batch, which have no references of their own."""


@dataclass(frozen=True, slots=True)
class Requests(Table):
    """The requests of a batch: their ids, and what each asked last."""


def log_in_table(table: Table) -> Answers | Requests | None:
    """Return the answers or the requests of a batch, judging by the objects of a file; None for others."""
    columns = table.columns
    if ID not in columns:
        return None
    if "url" in columns and any(isinstance(body, dict) for body in columns.get(_BODY, ())):
        return _requests(table)
    responses = columns.get(ANSWER, ())
    if any(isinstance(response, dict) and _BODY in response for response in responses):
        return _answers_of_batch(table)
    # Where all requests failed, the file may have errors alone.
    if not any(responses) and any(isinstance(error, dict) for error in columns.get("error", ())):
        return _answers_of_batch(table)
    return None


FORMAT = LogFormat("OpenAI batches", in_table=log_in_table, of_objects=True)


def _requests(table: Table) -> Requests:
    questions = []
    for row, body in enumerate(table.columns[_BODY]):
        location = table.location(row, _BODY)
        if not isinstance(body, dict):
            raise InputError(f"{location}: expected the object of a request, got {shorten(body)}.")
        question = next((body[part] for part in ("messages", "input", "prompt") if part in body), None)
        if isinstance(question, list) and question and isinstance(question[-1], dict):
            question = content_text(question[-1].get("content"), f"the last message ({location})")
        if not isinstance(question, str):
            question = None
        questions.append(question)
    return Requests(table.name, {ID: list(rows_by_id(table)), ASKED: questions}, table.lines)


def _answers_of_batch(table: Table) -> Answers:
    """Return the answers; a warning counts the requests that failed, which are left out."""
    rows = RaggedRows(table.name)
    failures: dict[str, str] = {}
    models = []
    wrong_ends: dict[tuple[str, ...], list[str]] = {}
    responses = table.columns.get(ANSWER) or [None] * len(table.lines)
    errors = table.columns.get("error") or [None] * len(table.lines)
    for custom_id, line, response, error in zip(rows_by_id(table), table.lines, responses, errors, strict=True):
        reason = _failure(response, error)
        if reason:
            failures[custom_id] = f"on line {line:,}, {shorten(custom_id)}: {reason}"
            continue
        location = f"{table.name}, line {line}, {ID} {shorten(custom_id)}"
        body = field_of(response, _BODY)
        if not isinstance(body, dict):
            raise InputError(f"{location}: expected an object with a body in {ANSWER!r}, got {shorten(response)}.")
        rows.add(line, {ID: custom_id, ANSWER: _answer_texts(body, location)})
        models.append(body.get("model"))
        endings = _wrong_ends(body)
        if any(endings):
            wrong_ends[custom_id,] = endings
    if failures:
        first = next(iter(failures.values()))
        summary = f"{len(failures):,} of {len(table.lines):,} requests failed, the first {first}"
        if not models:
            raise InputError(f"{table.name}: {summary}; expected answers.")
        warn(f"{table.name}: {summary}: left out.")
    answers = rows.table("an answer per line")
    run = run_of(table.name, _ANY_BATCH)
    model = models[0]
    if not run and isinstance(model, str) and models.count(model) == len(models):
        run = model
    return Answers(
        table.name,
        answers.columns,
        answers.lines,
        harness=FORMAT.harness,
        task="batch",
        run=run,
        key=(ID,),
        roles=Roles(None, (), (ANSWER,)),
        failed=frozenset((custom_id,) for custom_id in failures),
        wrong_ends=wrong_ends,
    )


def _failure(response: Any, error: Any) -> str:
    """Return why a request has no answer; "" where it has one."""
    problem = error
    if not error and isinstance(response, dict):
        problem = field_of(response.get(_BODY), "error") or _wrong_status(response.get("status_code"))
    if isinstance(problem, dict) and problem:
        return shorten(problem.get("message") or problem.get("code") or problem)
    if problem:
        return shorten(problem)
    if response is None:
        return "no response"
    return ""


def _wrong_status(status: Any) -> str:
    if isinstance(status, int) and not 200 <= status < 300:
        return f"status {status}"
    return ""


def _wrong_ends(body: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the end of each answer, such as that it became too long; "" where nothing is."""
    details = body.get("incomplete_details")
    if isinstance(details, dict):
        return [wrong_end(details.get("reason"))]
    return wrong_ends_of_choices(body.get("choices"), "finish_reason")


def _answer_texts(body: Mapping[str, Any], location: str) -> str | list[str]:
    """Return the text of an answer, or those of several choices; one of tool calls or a refusal has an empty one."""
    if isinstance(body.get("output"), list):
        return _answer_text(list(_text_parts(body["output"])), location)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        raise InputError(
            f"{location}: expected choices (of chat completions) or output (of responses) in response.body; there "
            f"are {', '.join(map(shorten, body)) or 'no keys'}."
        )
    texts = []
    for choice in choices:
        message = choice.get("message")
        if not message:
            # Completions of a prompt have a text.
            message = {"content": choice.get("text")}
        content = message
        if isinstance(message, dict):
            content = message.get("content")
        texts.append(_answer_text(content, location))
    if len(texts) == 1:
        return texts[0]
    return texts


def _text_parts(output: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of all messages that are texts, no refusals."""
    for item in output:
        content = field_of(item, "content")
        if field_of(item, "type") != "message" or not isinstance(content, list):
            continue
        for part in content:
            if field_of(part, "type") == "output_text":
                yield part


def _answer_text(content: Any, location: str) -> str:
    return content_text(content, f"the answer ({location})") or ""


def rows_by_id(table: Table) -> dict[str, int]:
    """Return the row of each id, a text or a number; InputError for one that is there twice."""
    names = {name.strip().lower(): name for name in table.columns}
    columns_of_ids = [names[name] for name in IDS if name in names]
    if not columns_of_ids:
        raise InputError(
            f"{table.name} has no column {' or '.join(map(repr, IDS))} with the ids of answers of a batch; there "
            f"are {', '.join(map(shorten, table.columns))}."
        )
    return rows_of_ids(table, columns_of_ids[0], "a request")
