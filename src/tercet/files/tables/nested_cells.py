"""Cells of JSON that hold chats, answers, or objects of texts -> columns of texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import Any

from tercet.corpus.chats import is_chat, texts_of_chats
from tercet.errors import InputError, shorten
from tercet.files.columns.name_roles import role_of
from tercet.files.json_values import field_of
from tercet.files.table import MOST_COLUMNS, Table


def spread(table: Table) -> Table:
    """Return a table with texts instead of chats, and columns of texts instead of each column of objects."""
    columns_of_texts = {}
    for name, cells in table.columns.items():
        columns_of_texts[name] = _texts_of_answers(_without_chats(table, name, cells))
    with_texts = replace(table, columns=columns_of_texts)
    inner = _inner_names(with_texts)
    if not inner:
        return with_texts
    names: dict[tuple[str, str], str] = {}
    for outer, names_within in inner.items():
        for name in names_within:
            full_name = f"{outer}.{name}"
            names[outer, name] = full_name
            if role_of(name) == role_of(full_name):
                names[outer, name] = name
    counts = Counter([*names.values(), *(with_texts.columns.keys() - inner.keys())])
    columns: dict[str, list[Any]] = {}
    for outer, cells in with_texts.columns.items():
        spread_columns = {}
        if outer not in inner:
            spread_columns[outer] = cells
        for name in inner.get(outer, ()):
            full_name = f"{outer}.{name}"
            texts = _without_chats(with_texts, full_name, [field_of(cell, name) for cell in cells])
            if role_of(full_name) == "system":
                texts = [_alone(text) for text in texts]
            column = names[outer, name]
            if counts[column] > 1:
                column = full_name
            spread_columns[column] = texts
        for column in spread_columns.keys() & columns.keys():
            raise InputError(f"{table.name}: the column {shorten(column)} appears twice; expected distinct names.")
        columns |= spread_columns
    return replace(table, columns=columns)


def _without_chats(table: Table, column: str, cells: list[Any]) -> list[Any]:
    """Return the cells of a column that may hold systems, references or sources, with texts for chats."""
    if role_of(column) == "about" or not any(map(is_chat, cells)):
        return cells
    return texts_of_chats(cells, [table.location_on(line, column) for line in table.lines])


#: The keys of SQuAD's answers: their texts, and where in the passage each starts.
_OF_SQUAD = {"text", "answer_start"}


def _texts_of_answers(cells: list[Any]) -> list[Any]:
    """Return the cells of a column, with lists of texts for answers of SQuAD; None for an empty cell."""
    filled = [cell for cell in cells if cell is not None]
    if filled and all(isinstance(cell, dict) and cell.keys() == _OF_SQUAD for cell in filled):
        return [field_of(cell, "text") for cell in cells]
    if not all(isinstance(cell, list) for cell in filled):
        return cells
    answers = list(chain.from_iterable(filled))
    if not answers or not all(isinstance(answer, dict) and answer.keys() >= _OF_SQUAD for answer in answers):
        return cells
    # As SQuAD itself writes them: an object for each answer.
    texts: list[Any] = []
    for cell in cells:
        if cell is None:
            texts.append(None)
        else:
            texts.append([answer["text"] for answer in cell])
    return texts


def _inner_names(table: Table) -> dict[str, list[str]]:
    """Return the keys within each column of objects of texts, in the order in which they first occur."""
    inner = {}
    total = len(table.columns)
    for outer, cells in table.columns.items():
        lists = role_of(outer) in ("system", "reference")
        if not all(cell is None or _is_object_of_texts(cell, lists) for cell in cells):
            continue
        names: dict[str, None] = {}
        for line, cell in zip(table.lines, cells, strict=True):
            names |= dict.fromkeys(cell or ())
            if total + len(names) > MOST_COLUMNS:
                raise InputError(
                    f"{table.name}, line {line}: more than {MOST_COLUMNS} different columns, with those in "
                    f"{shorten(outer)}; expected rows that share their columns."
                )
        if names:
            inner[outer] = list(names)
            total += len(names)
    return inner


def _is_object_of_texts(cell: Any, lists: bool) -> bool:
    """Return whether a cell is an object of texts, with `lists` also of lists of texts and of chats."""
    if not isinstance(cell, dict):
        return False
    for text in cell.values():
        if text is None or isinstance(text, str):
            continue
        if not lists or not (_is_list_of_texts(text) or is_chat(text)):
            return False
    return True


def _alone(text: Any) -> Any:
    """Return the only text of a list; anything else as it is."""
    if isinstance(text, list) and len(text) == 1:
        return text[0]
    return text


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)
