"""What trainers pass, strings or chat messages, as texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercet.corpus.containers import as_entry, as_list, kind_of
from tercet.errors import InputError, shorten
from tercet.files.content.chats import ASSISTANT, content_text, last_content

References = list[str] | list[list[str]]


def completion_texts(completions: Any) -> list[str]:
    """Return the text of each completion: the string, or the last message of the assistant."""
    given = as_list(completions, "completions", "one completion per item", 1)
    if set(map(type, given)) <= {str}:
        return given
    return [_text(each, f"item {index} of completions") for index, each in enumerate(given)]


def reference_texts(references: Any, n: int) -> References:
    """Return the references of `n` items: a string each, or a list each, which is empty where there is none."""
    given = as_list(references, "references", "one entry per item", 2)
    if len(given) != n:
        raise InputError(f"There must be one entry of references per completion, got {len(given)} for {n}.")
    if set(map(type, given)) <= {str}:
        return given
    return [_references(each, f"item {index} of references") for index, each in enumerate(given)]


def _references(entry: Any, name: str) -> list[str]:
    if isinstance(entry, Mapping):
        return [_answer([entry], name)]
    listed = as_entry(entry, name)
    if listed is None or isinstance(listed, str):
        return [] if listed is None else [listed]
    if listed and isinstance(listed[0], Mapping):
        return [_answer(listed, name)]
    return [_answer(each, f"a reference of {name}") for each in listed]


def _answer(value: Any, name: str) -> str:
    """Return the text of a reference, in which chat messages must have one of the assistant."""
    text = _text(value, name)
    if not isinstance(value, str) and all(each["role"] != ASSISTANT for each in value):
        raise InputError(f"{name} must have a message of the assistant, got {shorten(value)}.")
    return text


def _text(value: Any, name: str) -> str:
    """Return a string, or the content of the last message of the assistant, "" where it said nothing."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Iterable) or not all(isinstance(each, Mapping) and "role" in each for each in value):
        raise InputError(
            f"{name} must be a string or a list of messages with role and content, got {shorten(value)} "
            f"({kind_of(value)})."
        )
    return content_text(last_content(value), name) or ""
