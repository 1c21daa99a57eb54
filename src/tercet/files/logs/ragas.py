"""ragas: <any>.csv, or its results as a table in any other format, a row per sample.

    user_input,retrieved_contexts,response,reference,faithfulness
    Q: ...,['a'],18,18,0.75

Known by: user_input and response, or question, answer and contexts before its version 0.2, beside numbers, and no
texts of other systems. Scores: all columns of numbers that count no rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tercet.files.columns.name_roles import role_of
from tercet.files.columns.scores import BETWEEN_GRADES, begun_by
from tercet.files.table import Log, Roles, Table

from .log_format import LogFormat
from .results_without_ids import results_log, score_in_cell
from .scores import is_number


class _Texts(NamedTuple):
    """What ragas calls the columns of texts."""

    source: str
    output: str
    reference: str


#: In ragas 0.4, and in its versions before 0.2.
_OF_RAGAS = (_Texts("user_input", "response", "reference"), _Texts("question", "answer", "ground_truth"))
#: Its other columns: fields of SingleTurnSample and MultiTurnSample, what its test sets have, and those before 0.2.
_FIELDS_OF_RAGAS = frozenset({
    "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids", "multi_responses",
    "rubrics", "rubric", "reference_tool_calls", "persona_name", "query_style", "query_length", "synthesizer_name",
    "contexts", "ground_truths",
})  # fmt: skip
#: Cells that are neither scores nor texts of a system: labels, by a letter or an answer.
_NO_TEXTS = frozenset({"", "C", "P", "I", "N", "yes", "no", "Yes", "No"})
#: Columns that count rows, also as pandas and tercet call those without a name.
_INDEX = re.compile(r"column \d+|unnamed: \d+|__index_level_0__|index|row|(.+[_ ])?ids?", re.IGNORECASE)


def log_in_table(table: Table) -> Log | None:
    """Return a table of ragas with scores; None for one without, and for one with texts of other systems."""
    for texts in _OF_RAGAS:
        log = _log_of_columns(table, *texts)
        if log is not None:
            return log
    return None


FORMAT = LogFormat("ragas", in_table=log_in_table)


def _log_of_columns(table: Table, source: str, output: str, reference: str) -> Log | None:
    if not {source, output} <= table.columns.keys():
        return None
    # Many tables of others have a "question" and an "answer".
    if source == "question" and "contexts" not in table.columns:
        return None
    values = {}
    fields = {source, output, reference} | _FIELDS_OF_RAGAS
    for column, cells in table.columns.items():
        role = role_of(column)
        if column in fields or role == "source":
            continue
        numbers = [score_in_cell(cell) for cell in cells]
        if _are_numbers(numbers):
            # "response.fluency" are grades, of which a table is read otherwise.
            if begun_by(column, [output], BETWEEN_GRADES):
                return None
            if not _INDEX.fullmatch(column):
                values[column] = numbers
        elif _is_of_others(cells, role):
            return None
    if not values:
        return None
    references = tuple(column for column in (reference, f"{reference}s") if column in table.columns)
    return results_log(FORMAT.harness, table, Roles(source, references, (output,)), values)


def _is_of_others(cells: Sequence[Any], role: str) -> bool:
    """Return whether a column has objects, or texts of a system, which results of ragas have in no further column."""
    if any(isinstance(cell, dict) for cell in cells):
        return True
    return role == "system" and any(isinstance(cell, str) and cell not in _NO_TEXTS for cell in cells)


def _are_numbers(values: Sequence[Any]) -> bool:
    """Return whether some values are there, and all of these are numbers."""
    present = [value for value in values if value is not None]
    return bool(present) and all(map(is_number, present))
