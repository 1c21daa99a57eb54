"""What trainers pass, strings or chat messages, as texts."""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from tercet.corpus.chats import reply_text, reply_texts
from tercet.corpus.items import as_entry, as_list
from tercet.errors import InputError, OptionError, shorten

References = list[str] | list[list[str]]


def completion_texts(completions: Any) -> list[str]:
    """Return the text of each completion: the string, or the last message of the assistant."""
    items = as_list(completions, "completions", "one completion per item", 1)
    if set(map(type, items)) <= {str}:
        return items
    return [
        reply_text(completion, f"item {index} of completions", may_be_silent=True)
        for index, completion in enumerate(items)
    ]


def reference_texts(references: Any, n_items: int) -> References:
    """Return the references of `n_items`: a string each, or a list each, which is empty where there is none."""
    entries = as_list(references, "references", "one entry per item", 2)
    if len(entries) != n_items:
        raise InputError(f"There must be one entry of references per completion, got {len(entries)} for {n_items}.")
    if set(map(type, entries)) <= {str}:
        return entries
    return [_references(entry, f"item {index} of references") for index, entry in enumerate(entries)]


def _references(entry: Any, name: str) -> list[str]:
    references = as_entry(entry, name)
    if references is None:
        return []
    if isinstance(references, str):
        return [references]
    return [reply_text(reference, f"a reference of {name}") for reference in reply_texts(references, name)]


# Token ids as texts of one character each: the engine then counts ids, and nothing is decoded.

#: The character of id 0. From here on none is white space or a surrogate, and none has a lower case.
_FIRST = 0x20000
_LARGEST = 0x10FFFF - _FIRST
_MOST_KEPT = 1 << 16


class TokenStrings:
    """Makes texts of the ids of completions, and of the ids that a tokenizer gives references."""

    def __init__(self, tokenizer: Any) -> None:
        if not callable(tokenizer) or not hasattr(tokenizer, "all_special_ids"):
            raise OptionError(
                "token_ids must be a tokenizer of transformers, which encodes the references, got "
                f"{shorten(tokenizer)} ({type(tokenizer).__name__})."
            )
        self._tokenizer = tokenizer
        self._special = np.array(tokenizer.all_special_ids, np.uint32)
        self._kept: dict[str, str] = {}

    def of_rows(self, rows: Any) -> list[str]:
        """Return a text for each row of ids, without those of special tokens."""
        try:
            ids = np.frombuffer(array("I", chain.from_iterable(rows)), np.uint32)
            ends = list(accumulate(map(len, rows), initial=0))
        except (OverflowError, TypeError):
            raise _wrong(rows) from None
        if ids.max(initial=0) > _LARGEST:
            raise _wrong(rows)
        special = np.isin(ids, self._special)
        if special.any():
            ends = (np.array(ends) - np.append(0, np.cumsum(special))[ends]).tolist()
            ids = ids[~special]
        text = (ids + np.uint32(_FIRST)).astype("<u4").tobytes().decode("utf-32-le")
        return [text[start:stop] for start, stop in pairwise(ends)]

    def of_text(self, text: str) -> str:
        """Return the ids of a reference; each different one is encoded once."""
        string = self._kept.get(text)
        if string is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            (string,) = self.of_rows([self._tokenizer(text, add_special_tokens=False)["input_ids"]])
            self._kept[text] = string
        return string


def _wrong(rows: Any) -> InputError:
    """Return the error that names the first item which is not a list of ids."""
    expected = f"completion_ids must be a list of ids from 0 to {_LARGEST:,} for each completion, as TRL passes them"
    for index, row in enumerate(rows if isinstance(rows, (list, tuple)) else ()):
        try:
            is_wrong = any(not 0 <= token_id.__index__() <= _LARGEST for token_id in row)
        except (AttributeError, TypeError):
            is_wrong = True
        if is_wrong:
            return InputError(f"{expected}: item {index} is {shorten(row)}.")
    return InputError(f"{expected}, got {shorten(rows)}.")
