"""Texts as the engine reads them: Python strings as they are, or the bytes of an Arrow column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.engine.plain_text import TooMuchMemoryError

from .corpus import Corpus
from .intern import bytes_of
from .tokenizers import lowered_texts

#: The tokenizers that the engine applies itself, to the texts as they are given.
READINGS = ("rouge", "none", "13a", "13a-unstripped", "unicode", "char")


def of_texts(batch: Corpus, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the rows that a function of the engine makes of the texts of a batch, system by system.

    An InputError names the first text that cannot be encoded, a MemoryError the item that takes more than there is.
    """
    offsets = None if batch.one_each else batch.reference_offsets
    texts = bytes_of(batch.texts) if batch.strings is None else [*batch.strings[0], *batch.strings[1]]
    try:
        return function(texts, batch.n_segments, offsets, *arguments, batch.n_systems)
    except TooMuchMemoryError as error:
        raise MemoryError(f"item {batch.first_item + error.item} takes more memory than is available") from None
    except ValueError:
        _ = batch.texts  # its error names the item
        raise


def lowered(batch: Corpus) -> Corpus:
    """Return a batch of the same texts in lower case (:meth:`str.lower`)."""
    if batch.strings is None:
        return batch.with_texts(lowered_texts(batch.texts))
    return batch.with_strings(*([text.lower() for text in texts] for texts in batch.strings))
