"""Which program wrote a log: of each list, the first that knows the table or the object as its own.

The name of a file says its format alone (`formats.py`), and many programs write JSON and tables. Each function knows
a log by columns or keys that its program always writes, and returns None for all others. Three need no place here:
an archive of inspect-ai is known by its name (.eval), its JSON by the key "eval", lighteval's details by the schema
of their Parquet file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tercet.files.table import Log, Table
from tercet.files.tables.nested_cells import spread

from . import (
    columns_and_data,
    comet,
    deepeval,
    lm_eval,
    mlflow,
    mt_bench,
    openai_batches,
    opencompass,
    promptfoo,
    promptfoo_tables,
    ragas,
)

#: Of a table in any format, by its columns.
IN_TABLES: tuple[Callable[[Table], Log | None], ...] = (
    # Ahead of all that have scores: its five columns, with a list as judge, are in no other table.
    mt_bench.log_in_table,
    # Columns of objects: prompt, provider, vars, response and namedScores.
    promptfoo.log_in_table,
    # Exported, it has verdicts in the cells ("[PASS]"), or a column Status behind each output.
    promptfoo_tables.log_in_table,
    # Beside its scores ("toxicity/v1/score") a column trace_id, or one that ends in "/justification".
    mlflow.log_in_table,
    # Last, as it has least of its own: user_input and response, or question, answer and contexts, beside numbers.
    ragas.log_in_table,
)
#: Of lines of JSON and data frames, whose cells may be objects.
IN_TABLES_OF_OBJECTS: tuple[Callable[[Table], Table | None], ...] = (
    # doc_id, target and filtered_resps.
    lm_eval.log_in_table,
    # custom_id, beside requests with a url, or responses with a body.
    openai_batches.batch,
    *IN_TABLES,
)
#: Of a file with one object of JSON, by its keys.
IN_OBJECTS: tuple[Callable[[Mapping[str, Any], str], Table | None], ...] = (
    # testCases or test_results, lists.
    deepeval.log_in_object,
    # Systems with segments of src, mt and COMET; or source, translations and statistical_results.
    comet.log_in_object,
    # results, a list of objects with a prompt: a table of others may be called so, too.
    promptfoo.log_in_object,
    # Keys that are numbers, of objects with a prediction: also a table of others, unless they have references.
    opencompass.log_in_object,
    # columns and data, lists: of MLflow, if it has its scores, else of W&B or pandas.
    columns_and_data.table_in_object,
)


def log_in_table(table: Table) -> Log | None:
    """Return the log that a table in any format is; None for other tables."""
    for log_of in IN_TABLES:
        log = log_of(table)
        if log is not None:
            return log
    return None


def log_or_table(table: Table) -> Table:
    """Return the log that a table of objects is, or the table, with texts instead of objects of them."""
    for log_of in IN_TABLES_OF_OBJECTS:
        log = log_of(table)
        if log is not None:
            return log
    return spread(table)


def table_in_object(content: Any, name: str) -> Table | None:
    """Return the results in the object of a file, or the table of W&B; None for others."""
    if not isinstance(content, dict):
        return None
    for table_of in IN_OBJECTS:
        table = table_of(content, name)
        if table is not None:
            return table
    return None
