"""lighteval: details_<task>_<date>.parquet, a row per sample.

    {"doc": {"id": "0", "task_name": "sums|0", "query": "Q: ...", "choices": ["17", "18"], "gold_index": [1]},
     "model_response": {"text": ["18"], "text_post_processed": null}, "metric": {"em": 1.0}}

Known by: the schema of the file: doc and model_response are structures, beside metric (`tables/arrow.py` asks, as
columns are read by it). A row per sample, with the choices that are right as references; scores: those in `metric`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.json_values import as_list, field_of
from tercet.files.table import Log, Roles, Table

from .log_format import LogFormat
from .scores import numbers_of_scores

#: Columns that are read, and what is read of them; the rest are tokens, their scores and options.
_OBJECTS = ("doc", "model_response")
_METRIC = "metric"
PARTS = (*_OBJECTS, _METRIC)
FIELDS = (
    "doc.id", "doc.task_name", "doc.query", "doc.choices", "doc.gold_index", "model_response.text",
    "model_response.text_post_processed", _METRIC,
)  # fmt: skip


def is_details(schema: Any) -> bool:
    """Return whether a file's columns are those of such details: other tables may have columns called so."""
    # Here, as what is no Parquet file needs no pyarrow.
    from pyarrow.types import is_struct

    if not set(PARTS) <= set(schema.names):
        return False
    return all(is_struct(field.type) for field in schema if field.name in _OBJECTS)


def log_in_table(table: Table) -> Log:
    """Return the samples of a task: the text that its metrics took, and the choices that are right as references."""
    for name in _OBJECTS:
        for row, cell in enumerate(table.column(name)):
            if cell is None:
                raise InputError(f"{table.location(row, name)}: expected an object, got nothing.")
    docs, responses, metrics = (table.column(name) for name in PARTS)
    no_texts = ""
    if not any(map(_answers_in_response, responses)):
        no_texts = f"{table.name}: the model's answers have no texts, as log-likelihoods of choices have none"
    final = "model_response.text"
    # Where a text was processed, its metrics took that.
    if any(response.get("text_post_processed") is not None for response in responses):
        final = "model_response.text_post_processed"
    texts = []
    golds = []
    for number, (doc, response) in enumerate(zip(docs, responses, strict=True), 1):
        location = f"{table.name}, row {number}"
        answer = ""
        if not no_texts:
            answer = _model_answer(_answers_in_response(response), location)
        texts.append(answer)
        golds.append(_right_choices(doc, location))
    columns = {
        "id": [str(doc.get("id")) for doc in docs],
        "doc.query": [doc.get("query") for doc in docs],
        "doc.choices": golds,
        final: texts,
    }
    roles = Roles("doc.query", ("doc.choices",), (final,))
    # Parquet has the scores of all samples in each.
    scores_of_samples = [cell for cell in metrics if isinstance(cell, dict)]
    scores = tuple(dict.fromkeys(chain.from_iterable(scores_of_samples)))
    values = {}
    for name in scores:
        values[name] = {final: [field_of(cell, name) for cell in metrics]}
    return Log(
        table.name,
        columns,
        table.lines,
        harness=FORMAT.harness,
        task=str(docs[0].get("task_name")),
        run="",
        key=("id",),
        roles=roles,
        scores=scores,
        numbers=numbers_of_scores(values, table.name),
        no_texts=no_texts,
    )


FORMAT = LogFormat("lighteval", file_names=r"details_.+\.parquet", in_words="details_*.parquet of lighteval")


def _answers_in_response(response: dict[str, Any]) -> Any:
    processed = response.get("text_post_processed")
    if processed is None:
        return response.get("text")
    return processed


def _right_choices(doc: Mapping[str, Any], location: str) -> list[Any]:
    """Return the choices that ``gold_index``, an index or a list of them, says are right."""
    choices = doc.get("choices") or []
    gold = doc.get("gold_index")
    right = []
    for index in as_list(gold):
        if not isinstance(index, int) or not -len(choices) <= index < len(choices):
            raise InputError(
                f"{location}: gold_index is {shorten(gold)}, of {len(choices)} choices; expected places of right "
                "ones."
            )
        right.append(choices[index])
    return right


def _model_answer(answer: Any, location: str) -> Any:
    """Return the model's answer, or its answers where it was asked several times."""
    if not answer:
        raise InputError(
            f"{location}: the model's answer has no text, as log-likelihoods of choices have none; expected the "
            "details of a generative task."
        )
    if len(answer) == 1:
        return answer[0]
    return list(answer)
