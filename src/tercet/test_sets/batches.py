"""Answers of batches, joined by the ids of requests with tables of references and of what was asked -> test sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tercet.errors import InputError, argument, shorten
from tercet.files.columns.roles import guess_roles
from tercet.files.formats import table_format
from tercet.files.join import join, warn_of_unmatched
from tercet.files.logs.openai_batches import ANSWER, ASKED, ID, IDS, Answers, Requests, rows_by_id
from tercet.files.logs.run_names import stem_of
from tercet.files.missing_option import LEAVE_OUT
from tercet.files.read import read_file
from tercet.files.table import Log, Roles, Table
from tercet.files.writing import check_different

from .input_files import InputFiles
from .named_columns import NamedColumns, no_references_error, references_beside
from .sets_of_logs import log_sets
from .test_set import TestSet


def batch_sets(first: Table, files: InputFiles, named: NamedColumns) -> list[TestSet]:
    """Return a test set for each task of batches, given the first of them, and tables that have their ids.

    Answers have the references, and all other columns, in the rows of their ids. The source is what was asked, if
    requests are given. Answers without a row are left out, and rows without an answer not scored, or scored as empty
    texts, or an error, as `named.missing` says; a warning counts them; to a gate they are missing, but for what was
    not asked, if requests are given.
    """
    first_path, *further = files.paths
    for path in [*files.paths, *files.beside]:
        if not table_format(path):
            raise InputError(
                f"{path!r} is a text file, whose lines have no ids, and {first_path!r} is a batch; expected a table "
                "with the ids of its requests, in a column custom_id or id."
            )
    check_different(files.paths, files.references, role="a batch")
    read = partial(read_file, opening=files.opening)
    batches = [first, *map(read, further)]
    answers = [table for table in batches if isinstance(table, Answers)]
    requests = [table for table in batches if isinstance(table, Requests)]
    for table in batches:
        if not isinstance(table, Answers | Requests):
            raise InputError(
                f"{table.name!r} is neither the output nor the input of a batch, and {first_path!r} is; give batches "
                f"alone, and their references as such ({argument('references')})."
            )
    if not answers:
        raise InputError(f"{first_path!r} is the input of a batch; expected its output, with the answers.")
    if named.need_references and not files.references:
        raise InputError(
            f"{answers[0].name} holds answers alone; expected references in a table with their custom_id or id "
            f"({argument('references')})."
        )
    named_answers = [replace(table, called=files.called.get(table.name, "")) for table in answers]
    logs = _with_references(
        named_answers,
        list(map(read, files.references)),
        [*requests, *map(read, files.sources)],
        named,
    )
    return log_sets(logs, replace(named, references=[], source=None))


def _with_references(
    batches: Sequence[Answers],
    references: Sequence[Table],
    requests: Sequence[Table],
    named: NamedColumns,
) -> list[Log]:
    """Return the answers with the references, and all other columns, in the rows of their ids."""
    row_of_ids = [rows_by_id(table) for table in references]
    for table in references:
        if isinstance(table, Requests):
            raise InputError(
                f"{table.name} is the input of a batch, not references: give it beside the output, or as the source "
                f"({argument('source')})."
            )
    named_columns = list(named.references)
    if named.source is not None:
        named_columns.append(named.source)
    tables = [*references, *requests]
    for name in named_columns:
        if not any(name in table.columns for table in tables):
            given: list[Table] = [*tables, *batches]
            raise given[0].column_error(name)
    questions = _questions(requests, named.source)
    completed = batches
    if named.missing != LEAVE_OUT and references:
        completed = [_complete(answers, row_of_ids[0], references[0].name, named.missing) for answers in batches]
    # Requests say what was asked; without them, references do.
    expected = set(questions) or set().union(*row_of_ids)
    all_answered: set[str] = set()
    logs: list[Log] = []
    for answers in completed:
        log = answers
        if references:
            log = replace(log, task=stem_of(references[0].name))
        for table, row_of in zip(references, row_of_ids, strict=True):
            log = _with_rows_of_ids(log, table, row_of, named)
        if requests:
            log = _with_questions(log, questions, requests[0].name)
        answered = {*answers.columns[ID], *(custom_id for (custom_id,) in answers.failed)}
        all_answered |= answered
        lacking_keys = {(custom_id,) for custom_id in expected - answered}
        logs.append(replace(log, failed=answers.failed | lacking_keys))
    names = " and ".join(answers.name for answers in completed)
    for table, row_of in zip(references, row_of_ids, strict=True):
        warn_of_unmatched(table.name, row_of, all_answered, names)
    return logs


def _questions(requests: Sequence[Table], source: str | None) -> dict[str, str | None]:
    """Return what was asked, by id; None where two batches asked differently."""
    questions: dict[str, str | None] = {}
    for table in requests:
        column = source or guess_roles(table).source or ASKED
        if isinstance(table, Requests):
            column = ASKED
        for custom_id, text in zip(rows_by_id(table), table.column(column), strict=True):
            if questions.setdefault(custom_id, text) != text:
                questions[custom_id] = None
    return questions


def _with_questions(log: Answers, questions_by_id: Mapping[str, str | None], name: str) -> Answers:
    """Return a log with what was asked as its sources; InputError for an answer to no request of the file `name`."""
    ids = log.columns[ID]
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
    ids = answers.columns[ID]
    joined = join(
        {answers.name: set(ids)},
        expected,
        f"ids of {references}",
        lambda custom_id: f"is {shorten(custom_id)}",
        missing,
    )
    lacking = joined.lacking.get(answers.name, [])
    columns = {ID: [*ids, *lacking], ANSWER: [*answers.columns[ANSWER], *[""] * len(lacking)]}
    lines = [*answers.lines, *[answers.lines[-1]] * len(lacking)]
    failed = answers.failed - {(custom_id,) for custom_id in lacking}
    return replace(answers, columns=columns, lines=lines, failed=failed)


def _with_rows_of_ids(log: Answers, table: Table, rows: Mapping[str, int], named: NamedColumns) -> Answers:
    """Return the answers whose ids have a row, with the columns of these rows."""
    roles = guess_roles(table)
    targets = _reference_columns(table, named, roles)
    ids = log.columns[ID]
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
    if named.source in table.columns:
        source_here = named.source
    if not source_column and source_here is not None and source_here not in targets:
        source_column = names[source_here]
    references = (*log.roles.references, *(names[name] for name in targets))
    joined_roles = replace(log.roles, references=references, source=source_column)
    return replace(log, columns=joined_columns, lines=[log.lines[row] for row in answer_rows], roles=joined_roles)


def _reference_columns(table: Table, named: NamedColumns, roles: Roles) -> list[str]:
    """Return the columns of references of a table; several tables may have those that are named."""
    ids = {name for name in table.columns if name.strip().lower() in IDS}
    others = [name for name in table.columns if name not in ids]
    references = references_beside(table, named, roles, ids)
    if references or named.references:
        return references
    # Answers that are all numbers are no texts, and the table has nothing else.
    if len(others) != 1:
        raise no_references_error(table)
    return others
