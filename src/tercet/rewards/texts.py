"""What trainers pass, strings or chat messages, as texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercet.corpus.containers import as_entry, as_list, kind_of
from tercet.errors import InputError, shorten
from tercet.files.content.chats import ASSISTANT, content_text

#: What a message of the assistant may have in the place of a text.
_INSTEAD = ("tool_calls", "function_call", "refusal", "reasoning_content", "reasoning")

References = list[str] | list[list[str]]


def completion_texts(completions: Any) -> list[str]:
    """Return the text of each completion: the string, or the last message of the assistant."""
    given = as_list(completions, "completions", "one completion per item", 1)
    if set(map(type, given)) <= {str}:
        return given
    return [_text(each, f"item {index} of completions", may_be_silent=True) for index, each in enumerate(given)]


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
        return [_text([entry], name)]
    listed = as_entry(entry, name)
    if listed is None or isinstance(listed, str):
        return [] if listed is None else [listed]
    if listed and isinstance(listed[0], Mapping):
        return [_text(listed, name)]
    return [_text(each, f"a reference of {name}") for each in listed]


def _text(value: Any, name: str, may_be_silent: bool = False) -> str:
    """Return a string, or the content of the last message of the assistant: "" of one that says why it has none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Iterable) or not all(isinstance(each, Mapping) and "role" in each for each in value):
        raise InputError(
            f"{name} must be a string or a list of messages with role and content, got {shorten(value)} "
            f"({kind_of(value)})."
        )
    said = [message for message in value if message["role"] == ASSISTANT]
    if not said:
        raise InputError(f"{name} must have a message of the assistant, got {shorten(value)}.")
    content = said[-1].get("content")
    text = content_text(content, name)
    if text is None and may_be_silent and (any(map(said[-1].get, _INSTEAD)) or _calls_tools(content)):
        return ""
    if text is None:
        raise InputError(f"the last message of the assistant in {name} must have a text, got {shorten(said[-1])}.")
    return text


def _calls_tools(content: Any) -> bool:
    """Return whether the content of a message is only parts that call tools, or no part at all."""
    return isinstance(content, list) and all(
        isinstance(part, Mapping) and part.get("type") in ("tool_use", "tool_call") for part in content
    )
