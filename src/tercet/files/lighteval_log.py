"""The details that lighteval saves (``details_<task>_<date>.parquet``) -> a table with a row per sample."""

from __future__ import annotations

from typing import Any

from tercet.errors import InputError, shorten

from .table import Log, Roles, Table

#: Columns that are read, and what is read of them; the rest are tokens, their scores and options.
PARTS = ("doc", "model_response")
FIELDS = (
    "doc.id", "doc.task_name", "doc.query", "doc.choices", "doc.gold_index", "model_response.text",
    "model_response.text_post_processed",
)  # fmt: skip


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
        final = final if processed is None else "model_response.text_post_processed"
        texts.append(_text(response.get("text") if processed is None else processed, place))
        golds.append(_gold(doc.get("choices") or [], doc.get("gold_index"), place))
    columns = {
        "id": [str(doc.get("id")) for doc in docs],
        "doc.query": [doc.get("query") for doc in docs],
        "doc.choices": golds,
        final: texts,
    }
    roles = Roles("doc.query", ("doc.choices",), (final,))
    return Log(
        table.name, columns, table.lines, harness="lighteval", task=str(docs[0].get("task_name")), run="",
        key=("id",), roles=roles, scores=scores,
    )  # fmt: skip


def _text(found: Any, place: str) -> Any:
    """Return the model's answer, or its answers where it was asked several times."""
    if not found:
        raise InputError(
            f"{place}: the model's answer has no text, as log-likelihoods of choices have none; expected the details "
            "of a generative task."
        )
    return found[0] if len(found) == 1 else list(found)


def _gold(choices: list[Any], index: Any, place: str) -> list[Any]:
    places = index if isinstance(index, list) else [index]
    if not all(isinstance(each, int) and -len(choices) <= each < len(choices) for each in places):
        raise InputError(
            f"{place}: gold_index is {shorten(index)}, of {len(choices)} choices; expected places of right ones."
        )
    return [choices[each] for each in places]
