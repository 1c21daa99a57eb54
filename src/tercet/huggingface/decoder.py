"""Rows of ids -> texts, by a tokenizer or by a user's function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.items import readable
from tercet.errors import InputError, OptionError, shorten, word_after

from .token_ids import IGNORED, IdRows, without_padding

Decode = Callable[[list[list[int]]], Sequence[str]]


class Decoder:
    """From ids to texts by a tokenizer, or by a function.

    `vocabulary_size` is None if the tokenizer does not say; `pad` the id of padding.
    """

    def __init__(self, tokenizer: Any, decode: Decode | None) -> None:
        # A processor of transformers holds its tokenizer.
        text_tokenizer = tokenizer
        if not hasattr(tokenizer, "pad_token_id"):
            text_tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        if decode is None and not hasattr(tokenizer, "batch_decode"):
            raise OptionError(
                f"The tokenizer must be one of transformers, with batch_decode, got {shorten(tokenizer)} "
                f"({type(tokenizer).__name__}). Or give decode, a function from lists of ids to texts."
            )
        if decode is not None and not callable(decode):
            raise OptionError(f"decode must be a function from lists of ids to texts, got {shorten(decode)}.")
        if decode is not None:
            self._decode = decode
        else:
            self._decode = partial(tokenizer.batch_decode, skip_special_tokens=True)
        self.pad: int | None = getattr(text_tokenizer, "pad_token_id", None)
        self._end: int | None = getattr(text_tokenizer, "eos_token_id", None)
        self.vocabulary_size: int | None = None
        if hasattr(text_tokenizer, "__len__"):
            self.vocabulary_size = len(text_tokenizer)
            # Ids may have gaps: the greatest can be more than their number.
            if hasattr(text_tokenizer, "get_vocab"):
                greatest = max(text_tokenizer.get_vocab().values(), default=-1)
                self.vocabulary_size = max(self.vocabulary_size, greatest + 1)

    def predictions(self, rows: IdRows) -> list[str]:
        """Return texts, without -100 and ids beyond the vocabulary, which models have rows for.

        Any other negative id is an InputError.
        """
        for index, row in enumerate(rows):
            negative_ids = row[(row < 0) & (row != IGNORED)]
            if len(negative_ids):
                raise InputError(
                    f"item {index} of the predictions has the id {negative_ids[0]}, but ids are 0 or more (and "
                    "-100 for no token)."
                )
        return self._texts([row[(row >= 0) & (row < self._first_unknown_id)] for row in rows])

    @property
    def _first_unknown_id(self) -> float:
        """The first id beyond the vocabulary; infinite where its size is not known."""
        if self.vocabulary_size is None:
            return math.inf
        return self.vocabulary_size

    def labels(self, rows: IdRows) -> list[str]:
        """Return texts, without -100; any other id outside the vocabulary is an InputError."""
        for index, row in enumerate(rows):
            unknown_ids = row[((row < 0) & (row != IGNORED)) | (row >= self._first_unknown_id)]
            if len(unknown_ids):
                known_ids = "0 or more" if self.vocabulary_size is None else f"0 to {self.vocabulary_size - 1}"
                raise InputError(
                    f"item {index} of the labels has the id {unknown_ids[0]}, but the tokenizer's ids are "
                    f"{known_ids} (and -100 for no token). "
                    "Is this the tokenizer that produced them?"
                )
        return self._texts([row[row != IGNORED] for row in rows])

    def lengths(self, rows: IdRows) -> list[int]:
        """Return the number of ids of each row without padding."""
        if self.pad is None:
            # Where a tokenizer has no padding, generation fills rows with the end of a text.
            return [_n_to_end(without_padding(row), self._end) for row in rows]
        return [int(((row != IGNORED) & (row != self.pad)).sum()) for row in rows]

    def _texts(self, rows: IdRows) -> list[str]:
        if not rows:
            return []
        decoded = self._decode([row.tolist() for row in rows])
        if isinstance(decoded, (str, bytes, Mapping)) or not isinstance(decoded, Iterable):
            raise InputError(
                f"decode must return a list of texts, got {shorten(decoded)} ({type(decoded).__name__})."
            )
        with readable("The result of decode"):
            texts = list(decoded)
        if len(texts) != len(rows):
            lists = word_after(len(rows), "list", "lists")
            n_texts = word_after(len(texts), "1 text", f"{len(texts)} texts")
            raise InputError(f"decode was given {len(rows)} {lists} of ids and returned {n_texts}.")
        return texts


def _n_to_end(row: NDArray[np.int64], end: int | None) -> int:
    """Return the number of ids up to the first of those ends that nothing else follows."""
    tokens = np.flatnonzero(row != end)
    n_before_end = int(tokens[-1]) + 1 if len(tokens) else 0
    return min(n_before_end + 1, len(row))
