"""Chats, lists of messages as programs for chat models have them -> the texts in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from tercet.errors import InputError, shorten
from tercet.option_checks import has_entries

ASSISTANT = "assistant"

#: What a message of the assistant may have instead of a text.
_INSTEAD = ("tool_calls", "function_call", "refusal", "reasoning_content", "reasoning")


def is_chat(value: Any) -> bool:
    """Return whether a cell is a list of messages, or one message."""
    messages = [value] if isinstance(value, Mapping) else value
    if not isinstance(messages, list):
        return False
    for message in messages:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            return False
    return any(key in message for message in messages for key in ("content", *_INSTEAD))


def content_text(content: Any, name: str) -> str | None:
    """Return the text of a message's content, a string or a list of parts; None where it has none."""
    if content is None or isinstance(content, str):
        return content
    if not has_entries(content) or not all(
        isinstance(part, Mapping) and isinstance(part.get("text"), (str, NoneType)) for part in content
    ):
        raise InputError(
            f"the content of {name} must be a string or a list of parts with type and text, got {shorten(content)} "
            f"({type(content).__name__})."
        )
    texts = [part["text"] for part in content if part.get("text") is not None]
    return "".join(texts) if texts else None


def texts_of_chats(cells: Sequence[Any], cell_names: Sequence[str]) -> list[Any]:
    """Return the cells of a column of chats as texts: what the assistant said last.

    Where no chat of the column has a message of the assistant, they are prompts, and their text is that of the last
    message. Other cells stay what they are.
    """
    chats: dict[int, Sequence[Mapping[str, Any]]] = {}
    for row, cell in enumerate(cells):
        if is_chat(cell):
            chats[row] = [cell] if isinstance(cell, Mapping) else cell
    assistant_speaks = any(message["role"] == ASSISTANT for chat in chats.values() for message in chat)
    texts = list(cells)
    for row, chat in chats.items():
        content = None
        for message in chat:
            if message["role"] == ASSISTANT or not assistant_speaks:
                content = message.get("content")
        text = content_text(content, cell_names[row])
        if text is None:
            raise InputError(
                f"{cell_names[row]}: expected a chat in which the {ASSISTANT} says a text last, got "
                f"{shorten(cells[row])}."
            )
        texts[row] = text
    return texts


def reply_text(value: Any, name: str, may_be_silent: bool = False) -> str:
    """Return a string, or what the assistant says last in a list of messages.

    A call of a tool or a refusal is "", where the assistant `may_be_silent`.
    """
    if isinstance(value, str):
        return value
    if not has_entries(value) or not all(isinstance(message, Mapping) and "role" in message for message in value):
        raise InputError(
            f"{name} must be a string or a list of messages with role and content, got {shorten(value)} "
            f"({type(value).__name__})."
        )
    replies = [message for message in value if message["role"] == ASSISTANT]
    if not replies:
        raise InputError(f"{name} must have a message of the assistant, got {shorten(value)}.")
    content = replies[-1].get("content")
    text = content_text(content, name)
    if text is None and may_be_silent and (any(map(replies[-1].get, _INSTEAD)) or _calls_tools(content)):
        return ""
    if text is None:
        raise InputError(f"the last message of the assistant in {name} must have a text, got {shorten(replies[-1])}.")
    return text


def _calls_tools(content: Any) -> bool:
    """Return whether the content of a message is only parts that call tools, or no part at all."""
    return isinstance(content, list) and all(
        isinstance(part, Mapping) and part.get("type") in ("tool_use", "tool_call") for part in content
    )


def reply_texts(references: list[Any], name: str) -> list[Any]:
    """Return the references of an item with texts for chats: the list is one, or holds some. Others stay."""
    if any(isinstance(reference, Mapping) for reference in references):
        return [reply_text(references, name)]
    texts = []
    for reference in references:
        text = reference
        if _is_list_of_messages(reference):
            text = reply_text(reference, f"a reference of {name}")
        texts.append(text)
    return texts


def _is_list_of_messages(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], Mapping)
