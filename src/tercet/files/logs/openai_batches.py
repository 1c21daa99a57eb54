"""Batches of OpenAI's API: answers in JSON Lines, joined by custom_id with their requests and with references."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tercet.corpus.chats import content_text
from tercet.errors import InputError, argument, shorten, warn
from tercet.files.columns.roles import guess_roles
from tercet.files.formats import unpacked
from tercet.files.join import LEAVE_OUT, join, warn_of_unmatched
from tercet.files.json_values import field_of
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Roles, Table

from .endings import wrong_end, wrong_end_of_any

_ID = "custom_id"
_ANSWER = "response"
_BODY = "body"
#: The column of what was asked.
ASKED = "request"
#: Columns with the ids of requests, in other tables too, in the order in which they are looked for.
_IDS = (_ID, "id")
#: Names of files that say nothing of a run: it is called as its model then.
_ANY_BATCH = re.compile(r"batch_[0-9a-f]+(_output)?|(batch[_-]?)?(outputs?|results?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answers(Log):
    """The answers of a batch, which have no references of their own."""


@dataclass(frozen=True, slots=True)
class Requests(Table):
    """The requests of a batch: their ids, and what each asked last."""


def batch(table: Table) -> Answers | Requests | None:
    """Return the answers or the requests of a batch, judging by the objects of a file; None for others."""
    columns = table.columns
    if _ID not in columns:
        return None
    if "url" in columns and any(isinstance(body, dict) for body in columns.get(_BODY, ())):
        return _requests(table)
    responses = columns.get(_ANSWER, ())
    if any(isinstance(response, dict) and _BODY in response for response in responses):
        return _answers_of_batch(table)
    # Where all requests failed, the file may have errors alone.
    if not any(responses) and any(isinstance(error, dict) for error in columns.get("error", ())):
        return _answers_of_batch(table)
    return None


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
    return Requests(table.name, {_ID: list(_rows_by_id(table)), ASKED: questions}, table.lines)


def _answers_of_batch(table: Table) -> Answers:
    """Return the answers; a warning counts the requests that failed, which are left out."""
    rows = RaggedRows(table.name)
    failures: dict[str, str] = {}
    models = []
    wrong_ends: dict[tuple[str, ...], str] = {}
    responses = table.columns.get(_ANSWER) or [None] * len(table.lines)
    errors = table.columns.get("error") or [None] * len(table.lines)
    for custom_id, line, response, error in zip(_rows_by_id(table), table.lines, responses, errors, strict=True):
        reason = _failure(response, error)
        if reason:
            failures[custom_id] = f"on line {line:,}, {shorten(custom_id)}: {reason}"
            continue
        location = f"{table.name}, line {line}, {_ID} {shorten(custom_id)}"
        body = field_of(response, _BODY)
        if not isinstance(body, dict):
            raise InputError(f"{location}: expected an object with a body in {_ANSWER!r}, got {shorten(response)}.")
        rows.add(line, {_ID: custom_id, _ANSWER: _answer_texts(body, location)})
        models.append(body.get("model"))
        problem = _wrong_end(body)
        if problem:
            wrong_ends[custom_id,] = problem
    if failures:
        first = next(iter(failures.values()))
        summary = f"{len(failures):,} of {len(table.lines):,} requests failed, the first {first}"
        if not models:
            raise InputError(f"{table.name}: {summary}; expected answers.")
        warn(f"{table.name}: {summary}: left out.")
    answers = rows.table("an answer per line")
    run = Path(unpacked(table.name)).stem
    if _ANY_BATCH.fullmatch(run):
        run = ""
        model = models[0]
        is_of_all = models.count(model) == len(models)
        if is_of_all and isinstance(model, str):
            run = model
    return Answers(
        table.name,
        answers.columns,
        answers.lines,
        harness="OpenAI batches",
        task="batch",
        run=run,
        key=(_ID,),
        roles=Roles(None, (), (_ANSWER,)),
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


def _wrong_end(body: Mapping[str, Any]) -> str:
    """Return what is wrong with the end of an answer, such as that it became too long; "" where nothing is."""
    details = body.get("incomplete_details")
    if isinstance(details, dict):
        return wrong_end(details.get("reason"))
    return wrong_end_of_any(body.get("choices"), "finish_reason")


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


def _rows_by_id(table: Table) -> dict[str, int]:
    """Return the row of each id, a text or a number; InputError for one that is there twice."""
    names = {name.strip().lower(): name for name in table.columns}
    columns_of_ids = [names[name] for name in _IDS if name in names]
    if not columns_of_ids:
        raise InputError(
            f"{table.name} has no column {' or '.join(map(repr, _IDS))} with the ids of answers of a batch; there "
            f"are {', '.join(map(shorten, table.columns))}."
        )
    column = columns_of_ids[0]
    rows: dict[str, int] = {}
    for row, cell in enumerate(table.columns[column]):
        if isinstance(cell, bool) or not isinstance(cell, str | int) or cell == "":
            raise InputError(f"{table.location(row, column)}: expected the id of a request, got {shorten(cell)}.")
        first_row = rows.setdefault(str(cell), row)
        if first_row != row:
            raise InputError(
                f"{table.location(row, column)}: {shorten(cell)} occurs on line {table.lines[first_row]:,} too; "
                "expected each id once."
            )
    return rows


# Answers, and tables with the ids of their requests -> logs with references and sources.


def with_references(
    batches: Sequence[Answers],
    references: Sequence[Table],
    requests: Sequence[Table],
    *,
    columns: Sequence[str] = (),
    source: str | None = None,
    missing: str = LEAVE_OUT,
) -> list[Log]:
    """Return the answers with the references, and all other columns, in the rows of their ids.

    `columns` and `source` name columns of the tables, where their names do not say which they are. The source is what
    was asked, if requests are given. Answers without a row are left out, and rows without an answer not scored, or
    scored as empty texts, or an error, as `missing` says; a warning counts them; to a gate they are missing, but for
    what was not asked, if requests are given.
    """
    rows_by_id = [_rows_by_id(table) for table in references]
    for table in references:
        if isinstance(table, Requests):
            raise InputError(
                f"{table.name} is the input of a batch, not references: give it beside the output, or as the source "
                f"({argument('source')})."
            )
    named = list(columns)
    if source is not None:
        named.append(source)
    tables = [*references, *requests]
    for name in named:
        if not any(name in table.columns for table in tables):
            given: list[Table] = [*tables, *batches]
            raise given[0].column_error(name)
    questions = _questions(requests, source)
    completed = batches
    if missing != LEAVE_OUT and references:
        completed = [_complete(answers, rows_by_id[0], references[0].name, missing) for answers in batches]
    # Requests say what was asked; without them, references do.
    expected = set(questions) or set().union(*rows_by_id)
    all_answered: set[str] = set()
    logs: list[Log] = []
    for answers in completed:
        log = answers
        if references:
            log = replace(log, task=Path(unpacked(references[0].name)).stem)
        for table, row_of in zip(references, rows_by_id, strict=True):
            log = _with_rows_of_ids(log, table, row_of, columns, source)
        if requests:
            log = _with_questions(log, questions, requests[0].name)
        answered = {*answers.columns[_ID], *(custom_id for (custom_id,) in answers.failed)}
        all_answered |= answered
        lacking_keys = {(custom_id,) for custom_id in expected - answered}
        logs.append(replace(log, failed=answers.failed | lacking_keys))
    names = " and ".join(answers.name for answers in completed)
    for table, row_of in zip(references, rows_by_id, strict=True):
        warn_of_unmatched(table.name, row_of, all_answered, names)
    return logs


def _questions(requests: Sequence[Table], source: str | None) -> dict[str, str | None]:
    """Return what was asked, by id; None where two batches asked differently."""
    questions: dict[str, str | None] = {}
    for table in requests:
        column = source or guess_roles(table).source or ASKED
        if isinstance(table, Requests):
            column = ASKED
        for custom_id, text in zip(_rows_by_id(table), table.column(column), strict=True):
            if questions.setdefault(custom_id, text) != text:
                questions[custom_id] = None
    return questions


def _with_questions(log: Answers, questions_by_id: Mapping[str, str | None], name: str) -> Answers:
    """Return a log with what was asked as its sources; InputError for an answer to no request of the file `name`."""
    ids = log.columns[_ID]
    for custom_id in ids:
        if custom_id not in questions_by_id:
            raise InputError(
                f"{name} has no request {shorten(custom_id)}, which {log.name} answers; expected the input of this "
                "batch."
            )
    questions = {ASKED: [questions_by_id[custom_id] for custom_id in ids]}
    return replace(log, columns=log.columns | questions, roles=replace(log.roles, source=ASKED))


def _complete(answers: Answers, expected: Collection[str], references: str, missing: str) -> Answers:
    """Return the answers with an empty one for each id that references expect and that has none."""
    ids = answers.columns[_ID]
    joined = join(
        {answers.name: set(ids)},
        expected,
        f"ids of {references}",
        lambda custom_id: f"is {shorten(custom_id)}",
        missing,
    )
    lacking = joined.lacking.get(answers.name, [])
    columns = {_ID: [*ids, *lacking], _ANSWER: [*answers.columns[_ANSWER], *[""] * len(lacking)]}
    lines = [*answers.lines, *[answers.lines[-1]] * len(lacking)]
    failed = answers.failed - {(custom_id,) for custom_id in lacking}
    return replace(answers, columns=columns, lines=lines, failed=failed)


def _with_rows_of_ids(
    log: Answers, table: Table, rows: Mapping[str, int], columns: Sequence[str], source: str | None
) -> Answers:
    """Return the answers whose ids have a row, with the columns of these rows."""
    roles = guess_roles(table)
    targets = _reference_columns(table, columns, roles)
    ids = log.columns[_ID]
    answer_rows = [row for row, custom_id in enumerate(ids) if custom_id in rows]
    if not answer_rows:
        raise InputError(
            f"{table.name} has none of the ids of {log.name}, such as {shorten(ids[0])}, but such as "
            f"{shorten(next(iter(rows)))}; expected a row for each answer."
        )
    # In the order of the first references, as answers come when they are ready.
    if not log.roles.references:
        answer_rows.sort(key=lambda row: rows[ids[row]])
    warn_of_unmatched(log.name, ids, rows, table.name)
    table_rows = [rows[ids[row]] for row in answer_rows]
    joined_columns = {name: [cells[row] for row in answer_rows] for name, cells in log.columns.items()}
    names = {}
    for name, cells in table.columns.items():
        names[name] = name
        if name in log.columns:
            names[name] = f"{name} of {table.name}"
        joined_columns[names[name]] = [cells[row] for row in table_rows]
    source_column = log.roles.source
    source_here = roles.source
    if source in table.columns:
        source_here = source
    if not source_column and source_here is not None and source_here not in targets:
        source_column = names[source_here]
    references = (*log.roles.references, *(names[name] for name in targets))
    joined_roles = replace(log.roles, references=references, source=source_column)
    return replace(log, columns=joined_columns, lines=[log.lines[row] for row in answer_rows], roles=joined_roles)


def _reference_columns(table: Table, columns: Sequence[str], roles: Roles) -> Sequence[str]:
    """Return the columns of references of a table: those that are named, or else those whose names suggest it."""
    if columns:
        return [name for name in columns if name in table.columns] or roles.references
    if roles.references:
        return roles.references
    # A table of ids and texts has no other texts to choose from.
    texts = [name for name in table.columns if name.strip().lower() not in _IDS]
    if len(texts) != 1:
        raise InputError(
            f"{table.name}: no column was recognized as references (choose with {argument('reference_columns')}); "
            f"there are {', '.join(map(shorten, table.columns))}."
        )
    return texts
