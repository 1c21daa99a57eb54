"""Batches of OpenAI's API: answers in JSON Lines, joined by custom_id with their requests and with references."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tercet.corpus.messages import content_text
from tercet.errors import InputError, argument, shorten, warn

from .endings import wrong_end, wrong_end_of_any
from .join import LEAVE_OUT, join, warn_of_unmatched
from .read import unpacked
from .roles import guess_roles
from .table import Log, RaggedRows, Roles, Table

_ID, _ANSWER, _BODY = "custom_id", "response", "body"
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
    responses, errors = columns.get(_ANSWER, ()), columns.get("error", ())
    are_responses = any(isinstance(response, dict) and _BODY in response for response in responses)
    # Where all requests failed, the file may have errors alone.
    if are_responses or (any(isinstance(error, dict) for error in errors) and not any(responses)):
        return _answers(table)
    return None


def _requests(table: Table) -> Requests:
    questions = []
    for row, body in enumerate(table.columns[_BODY]):
        if not isinstance(body, dict):
            raise InputError(f"{table.place(row, _BODY)}: expected the object of a request, got {shorten(body)}.")
        asked = next((body[part] for part in ("messages", "input", "prompt") if part in body), None)
        if isinstance(asked, list) and asked and isinstance(asked[-1], dict):
            asked = content_text(asked[-1].get("content"), f"the last message ({table.place(row, _BODY)})")
        questions.append(asked if isinstance(asked, str) else None)
    return Requests(table.name, {_ID: [*_rows(table)], ASKED: questions}, table.lines)


def _answers(table: Table) -> Answers:
    """Return the answers; a warning counts the requests that failed, which are left out."""
    rows = RaggedRows(table.name)
    failures: dict[str, str] = {}
    models = []
    wrong_ends: dict[tuple[str, ...], str] = {}
    responses = table.columns.get(_ANSWER) or [None] * len(table.lines)
    errors = table.columns.get("error") or [None] * len(table.lines)
    for custom_id, line, response, error in zip(_rows(table), table.lines, responses, errors, strict=True):
        reason = _failure(response, error)
        if reason:
            failures[custom_id] = f"on line {line:,}, {shorten(custom_id)}: {reason}"
            continue
        place = f"{table.name}, line {line}, {_ID} {shorten(custom_id)}"
        body = response.get(_BODY) if isinstance(response, dict) else None
        if not isinstance(body, dict):
            raise InputError(f"{place}: expected an object with a body in {_ANSWER!r}, got {shorten(response)}.")
        rows.add(line, {_ID: custom_id, _ANSWER: _texts(body, place)})
        models.append(body.get("model"))
        found = _wrong_end(body)
        if found:
            wrong_ends[custom_id,] = found
    if failures:
        summary = (
            f"{len(failures):,} of {len(table.lines):,} requests failed, the first {next(iter(failures.values()))}"
        )
        if not models:
            raise InputError(f"{table.name}: {summary}; expected answers.")
        warn(f"{table.name}: {summary}: left out.")
    answers = rows.table("an answer per line")
    stem = Path(unpacked(table.name)).stem
    run = stem if not _ANY_BATCH.fullmatch(stem) else models[0] if models.count(models[0]) == len(models) else ""
    return Answers(
        table.name,
        answers.columns,
        answers.lines,
        harness="OpenAI batches",
        task="batch",
        run=run if isinstance(run, str) else "",
        key=(_ID,),
        roles=Roles(None, (), (_ANSWER,)),
        failed=frozenset((custom_id,) for custom_id in failures),
        wrong_ends=wrong_ends,
    )


def _failure(response: Any, error: Any) -> str:
    """Return why a request has no answer; "" where it has one."""
    if isinstance(response, dict):
        body, status = response.get(_BODY), response.get("status_code")
        error = error or (body.get("error") if isinstance(body, dict) else None)
        if not error and isinstance(status, int) and not 200 <= status < 300:
            error = f"status {status}"
    if isinstance(error, dict):
        error = error.get("message") or error.get("code") or error
    if error:
        return shorten(error)
    return "no response" if response is None else ""


def _wrong_end(body: Mapping[str, Any]) -> str:
    """Return what is wrong with the end of an answer, such as that it became too long; "" where nothing is."""
    details = body.get("incomplete_details")
    if isinstance(details, dict):
        return wrong_end(details.get("reason"))
    return wrong_end_of_any(body.get("choices"), "finish_reason")


def _texts(body: Mapping[str, Any], place: str) -> str | list[str]:
    """Return the text of an answer, or those of several choices; one of tool calls or a refusal has an empty one."""
    if isinstance(body.get("output"), list):
        return _text([part for part in _parts(body["output"]) if part.get("type") == "output_text"], place)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        raise InputError(
            f"{place}: expected choices (of chat completions) or output (of responses) in response.body; there are "
            f"{', '.join(map(shorten, body)) or 'no keys'}."
        )
    messages = [choice.get("message") or {"content": choice.get("text")} for choice in choices]
    contents = [message.get("content") if isinstance(message, dict) else message for message in messages]
    texts = [_text(content, place) for content in contents]
    return texts[0] if len(texts) == 1 else texts


def _parts(output: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of all messages."""
    for item in output:
        if isinstance(item, dict) and item.get("type") == "message":
            content = item.get("content")
            yield from (part for part in (content if isinstance(content, list) else []) if isinstance(part, dict))


def _text(content: Any, place: str) -> str:
    return content_text(content, f"the answer ({place})") or ""


def _rows(table: Table) -> dict[str, int]:
    """Return the row of each id, a text or a number; InputError for one that is there twice."""
    names = {name.strip().lower(): name for name in table.columns}
    column = next((names[name] for name in _IDS if name in names), None)
    if column is None:
        raise InputError(
            f"{table.name} has no column {' or '.join(map(repr, _IDS))} with the ids of answers of a batch; there "
            f"are {', '.join(map(shorten, table.columns))}."
        )
    rows: dict[str, int] = {}
    for row, cell in enumerate(table.columns[column]):
        if isinstance(cell, bool) or not isinstance(cell, str | int) or cell == "":
            raise InputError(f"{table.place(row, column)}: expected the id of a request, got {shorten(cell)}.")
        if (first := rows.setdefault(str(cell), row)) != row:
            raise InputError(
                f"{table.place(row, column)}: {shorten(cell)} occurs on line {table.lines[first]:,} too; expected "
                "each id once."
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
    rows = [_rows(table) for table in references]
    for table in references:
        if isinstance(table, Requests):
            raise InputError(
                f"{table.name} is the input of a batch, not references: give it beside the output, or as the source "
                f"({argument('source')})."
            )
    for column in [*columns, *([] if source is None else [source])]:
        if not any(column in table.columns for table in [*references, *requests]):
            [*references, *requests, *batches][0].column(column)
    asked: dict[str, str | None] = {}
    for table in requests:
        column = ASKED if isinstance(table, Requests) else source or guess_roles(table).source or ASKED
        for custom_id, text in zip(_rows(table), table.column(column), strict=True):
            # Two batches may have asked differently.
            asked[custom_id] = text if asked.get(custom_id, text) == text else None
    if missing != LEAVE_OUT and references:
        batches = [_completed(answers, rows[0], references[0].name, missing) for answers in batches]
    logs: list[Log] = []
    for answers in batches:
        log = replace(answers, task=Path(unpacked(references[0].name)).stem) if references else answers
        for table, row_of in zip(references, rows, strict=True):
            log = _beside(log, table, row_of, columns, source)
        if requests:
            ids = log.columns[_ID]
            lacking = next((custom_id for custom_id in ids if custom_id not in asked), None)
            if lacking is not None:
                raise InputError(
                    f"{requests[0].name} has no request {shorten(lacking)}, which {log.name} answers; expected the "
                    "input of this batch."
                )
            questions = {ASKED: [asked[custom_id] for custom_id in ids]}
            log = replace(log, columns=log.columns | questions, roles=replace(log.roles, source=ASKED))
        logs.append(log)
    known: set[str] = set()
    # Requests say what was asked; without them, references do.
    expected = set(asked) or set().union(*rows)
    for place, answers in enumerate(batches):
        answered = {*answers.columns[_ID], *(custom_id for (custom_id,) in answers.failed)}
        known |= answered
        lacking_keys = {(custom_id,) for custom_id in expected - answered}
        logs[place] = replace(logs[place], failed=answers.failed | lacking_keys)
    for table, row_of in zip(references, rows, strict=True):
        warn_of_unmatched(table.name, row_of, known, " and ".join(answers.name for answers in batches))
    return logs


def _completed(answers: Answers, expected: Collection[str], references: str, missing: str) -> Answers:
    """Return the answers with an empty one for each id that references expect and that has none."""
    given = answers.columns[_ID]
    joined = join({answers.name: {*given}}, expected, f"ids of {references}", _first_id, missing)
    lacking = joined.lacking.get(answers.name, [])
    columns = {_ID: [*given, *lacking], _ANSWER: [*answers.columns[_ANSWER], *[""] * len(lacking)]}
    lines = [*answers.lines, *[answers.lines[-1]] * len(lacking)]
    failed = answers.failed - {(custom_id,) for custom_id in lacking}
    return replace(answers, columns=columns, lines=lines, failed=failed)


def _first_id(custom_id: str) -> str:
    return f"is {shorten(custom_id)}"


def _beside(
    log: Answers, table: Table, rows: Mapping[str, int], columns: Sequence[str], source: str | None
) -> Answers:
    """Return the answers whose ids have a row, with the columns of these rows."""
    roles = guess_roles(table)
    text_columns = [name for name in table.columns if name.strip().lower() not in _IDS]
    targets = [name for name in columns if name in table.columns] or roles.references
    # A table of ids and texts has no other texts to choose from.
    targets = targets or (text_columns if len(text_columns) == 1 and not columns else ())
    if not targets and not columns:
        raise InputError(
            f"{table.name}: no column was recognized as references (choose with {argument('reference_columns')}); "
            f"there are {', '.join(map(shorten, table.columns))}."
        )
    ids = log.columns[_ID]
    kept = [row for row, custom_id in enumerate(ids) if custom_id in rows]
    if not kept:
        raise InputError(
            f"{table.name} has none of the ids of {log.name}, such as {shorten(ids[0])}, but such as "
            f"{shorten(next(iter(rows)))}; expected a row for each answer."
        )
    # In the order of the first references, as answers come when they are ready.
    if not log.roles.references:
        kept.sort(key=lambda row: rows[ids[row]])
    warn_of_unmatched(log.name, ids, rows, table.name)
    names = {name: f"{name} of {table.name}" if name in log.columns else name for name in table.columns}
    joined_columns = {name: [cells[row] for row in kept] for name, cells in log.columns.items()}
    joined_columns |= {names[name]: [cells[rows[ids[row]]] for row in kept] for name, cells in table.columns.items()}
    asked = source if source in table.columns else roles.source
    joined_roles = replace(
        log.roles,
        references=(*log.roles.references, *(names[name] for name in targets)),
        source=log.roles.source or (None if asked is None or asked in targets else names[asked]),
    )
    return replace(log, columns=joined_columns, lines=[log.lines[row] for row in kept], roles=joined_roles)
