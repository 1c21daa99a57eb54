"""Chats, lists of messages with role and content, as trainers and files have them -> texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any

from tercet.corpus.containers import kind_of
from tercet.errors import InputError, shorten

ASSISTANT = "assistant"


def is_chat(value: Any) -> bool:
    """Return whether a cell is a list of messages, or one message."""
    messages = [value] if isinstance(value, Mapping) else value
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(isinstance(each, Mapping) and isinstance(each.get("role"), str) for each in messages)
        and any("content" in each for each in messages)
    )


def last_content(messages: Iterable[Mapping[str, Any]], role: str | None = ASSISTANT) -> Any:
    """Return the content of the last message of a role, or of any; None without one."""
    contents = [each.get("content") for each in messages if role is None or each["role"] == role]
    return contents[-1] if contents else None


def content_text(content: Any, name: str) -> str | None:
    """Return the text of a message's content, a string or a list of parts; None where it has none."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, Iterable) or not all(
        isinstance(part, Mapping) and isinstance(part.get("text"), (str, NoneType)) for part in content
    ):
        raise InputError(
            f"the content of {name} must be a string or a list of parts with type and text, got {shorten(content)} "
            f"({kind_of(content)})."
        )
    texts = [part["text"] for part in content if part.get("text") is not None]
    return "".join(texts) if texts else None


def texts_of_chats(cells: Sequence[Any], places: Sequence[str]) -> list[Any]:
    """Return the cells of a column of chats as texts: what the assistant said last.

    Where no chat of the column has a message of the assistant, they are prompts, and their text is that of the last
    message. Other cells stay what they are.
    """
    chats = {row: [cell] if isinstance(cell, Mapping) else cell for row, cell in enumerate(cells) if is_chat(cell)}
    role = ASSISTANT if any(each["role"] == ASSISTANT for chat in chats.values() for each in chat) else None
    texts = list(cells)
    for row, chat in chats.items():
        text = content_text(last_content(chat, role), places[row])
        if text is None:
            raise InputError(
                f"{places[row]}: expected a chat in which the {ASSISTANT} says a text last, got "
                f"{shorten(cells[row])}."
            )
        texts[row] = text
    return texts
