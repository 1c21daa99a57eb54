"""Which program wrote a log: of the formats of all harnesses, the first that knows a table or an object as its own.

The name of a file says its format alone (`formats.py`), and many programs write JSON and tables. Each is known by
columns or keys that it always writes: the head of its module shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.files.table import Table
from tercet.files.tables.nested_cells import spread

from . import (
    comet,
    deepeval,
    inspect_ai,
    lighteval,
    lm_eval,
    mlflow,
    mt_bench,
    openai_batches,
    opencompass,
    promptfoo,
    promptfoo_tables,
    ragas,
    wandb_tables,
)
from .log_format import LogFormat

#: In the order in which they are asked, and in which messages name them.
FORMATS: tuple[LogFormat, ...] = (
    # Their keys and columns are nobody else's.
    lm_eval.FORMAT,
    lighteval.FORMAT,
    inspect_ai.FORMAT,
    deepeval.FORMAT,
    openai_batches.FORMAT,
    comet.FORMAT,
    # Ahead of all that have scores: its five columns, with a list as judge, are in no other table.
    mt_bench.FORMAT,
    # Ahead of tables of W&B, which are objects of columns and data, too.
    mlflow.FORMAT,
    # Keys that are numbers, and a list of results, are also in files of others: these two look into them.
    opencompass.FORMAT,
    promptfoo.FORMAT,
    promptfoo_tables.FORMAT,
    # Last of those in tables, as it has least of its own: a question and an answer, beside numbers.
    ragas.FORMAT,
    # Last of those in objects: any with lists of columns and of rows is a table.
    wandb_tables.FORMAT,
)


def log_in_table(table: Table) -> Table | None:
    """Return the log that a table in any format is; None for other tables."""
    return _first_log(table, [format for format in FORMATS if not format.of_objects])


def log_or_table(table: Table) -> Table:
    """Return the log that a table of objects is, or the table, with texts instead of objects of them."""
    return _first_log(table, FORMATS) or spread(table)


def log_in_object(content: Any, name: str) -> Table | None:
    """Return the log in the object of a file, or the table of W&B; None for others."""
    if not isinstance(content, dict):
        return None
    for format in FORMATS:
        if format.in_object is not None:
            log = format.in_object(content, name)
            if log is not None:
                return log
    return None


def _first_log(table: Table, formats: Sequence[LogFormat]) -> Table | None:
    for format in formats:
        if format.in_table is not None:
            log = format.in_table(table)
            if log is not None:
                return log
    return None
