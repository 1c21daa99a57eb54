"""Token ids as texts of one character each: the engine then counts ids, and nothing is decoded."""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from tercet.errors import InputError, OptionError, shorten

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
        found = self._kept.get(text)
        if found is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            (found,) = self.of_rows([self._tokenizer(text, add_special_tokens=False)["input_ids"]])
            self._kept[text] = found
        return found


def _wrong(rows: Any) -> InputError:
    """Return the error that names the first item which is not a list of ids."""
    expected = f"completion_ids must be a list of ids from 0 to {_LARGEST:,} for each completion, as TRL passes them"
    for index, row in enumerate(rows if isinstance(rows, (list, tuple)) else ()):
        try:
            wrong = any(not 0 <= each.__index__() <= _LARGEST for each in row)
        except (AttributeError, TypeError):
            wrong = True
        if wrong:
            return InputError(f"{expected}: item {index} is {shorten(row)}.")
    return InputError(f"{expected}, got {shorten(rows)}.")
