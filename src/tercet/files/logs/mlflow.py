"""MLflow: eval_results_table.json, an object of columns and data; or a table in any format, of its newer evaluation.

    {"columns": ["inputs", "outputs", "ground_truth", "exact/v1/score"],
     "data": [["Q: ...", "18", "18", 1.0]]}

Known by: columns that end in /score or /value; a table, if it has trace_id or a column that ends in /justification
as well. A row per sample; scores: by the names of such columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from tercet.files.columns.name_roles import clear_role, role_of
from tercet.files.columns.roles import guess_roles
from tercet.files.table import Log, Roles, Table

from .log_format import LogFormat
from .results_without_ids import results_log, score_in_cell
from .wandb_tables import table_by_rows

#: A column of scores in MLflow's tables, of its first and its newer evaluation, in front of which is the metric.
_OF_MLFLOW = re.compile(r"(.+?)(/v\d+)?/(?:score|value)")
#: What only tables of MLflow have beside those.
_JUSTIFICATION = "/justification"
_TRACE = "trace_id"
#: What its judges say.
_ANSWERS = {"yes": 1, "no": 0}
#: Columns that MLflow gives a name, in the order in which they are looked for.
_OUTPUTS = ("response", "outputs", "output", "predictions", "prediction")
#: In its newer tables, expectations have columns as scores do.
_EXPECTATIONS = ("expected_", "guidelines")


def log_in_table(table: Table) -> Log | None:
    """Return the results in a table that has what only those of MLflow have; None for others."""
    if _TRACE in table.columns or any(column.endswith(_JUSTIFICATION) for column in table.columns):
        return _log_of_scores(table)
    return None


def log_in_object(content: Mapping[str, Any], name: str) -> Log | None:
    """Return the results in an object of columns and data, by its columns; None for others."""
    columns = content.get("columns")
    if not isinstance(columns, list) or not any(_OF_MLFLOW.fullmatch(str(column)) for column in columns):
        return None
    table = table_by_rows(content, name)
    if table is None:
        return None
    return _log_of_scores(table)


FORMAT = LogFormat(
    "MLflow",
    in_table=log_in_table,
    in_object=log_in_object,
    file_names=r"eval_results_table\.json",
    in_words="eval_results_table.json of MLflow",
)


def _log_of_scores(table: Table) -> Log | None:
    """Return the scores of an evaluation by MLflow, and the texts beside them; None where there are no scores."""
    expectations = []
    metrics: dict[str, _Metric] = {}
    for column in table.columns:
        match = _OF_MLFLOW.fullmatch(column)
        if match and column.startswith(_EXPECTATIONS):
            expectations.append(column)
        elif match:
            metrics[column] = _Metric(match[1], match[2] or "")
    if not metrics:
        return None
    values = {}
    for column, name in _names_of_scores(metrics).items():
        values[name] = [score_in_cell(cell, _ANSWERS) for cell in table.columns[column]]
    if _TRACE in table.columns:
        references = tuple(column for column in expectations if column.startswith("expected_response"))
        roles = Roles("request", references, ("response",))
    else:
        roles = _guessed_roles(table)
    return results_log(FORMAT.harness, table, roles, values)


class _Metric(NamedTuple):
    """The metric that the name of a column of scores says; its version is "" where there is none."""

    name: str
    version: str


def _names_of_scores(metrics: Mapping[str, _Metric]) -> dict[str, str]:
    """Return by column what its score is called: as its metric, and more where several columns are of this metric."""
    times = Counter(metric.name for metric in metrics.values())
    times_of_versions = Counter(metrics.values())
    names = {}
    for column, metric in metrics.items():
        if times_of_versions[metric] > 1:
            # A score and a value of one metric keep their columns' names.
            names[column] = column
        elif times[metric.name] > 1:
            # Of two versions of a metric, each keeps its version.
            names[column] = metric.name + metric.version
        else:
            names[column] = metric.name
    return names


def _guessed_roles(table: Table) -> Roles:
    """Return the roles of the columns of texts, to which users of the first evaluation give any names."""
    texts = {column: cells for column, cells in table.columns.items() if "/" not in column}
    guess = guess_roles(Table(table.name, texts, table.lines))
    systems = [column for column in _OUTPUTS if column in texts]
    systems += [column for column in guess.systems if clear_role(column) == "system"]
    systems += [*guess.systems, "outputs"]
    references = tuple(column for column in texts if role_of(column) == "reference")
    source = guess.source
    if "inputs" in texts:
        source = "inputs"
    return Roles(source, references, (systems[0],))
