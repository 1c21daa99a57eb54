"""Texts as the engine reads them: Python strings as they are, or the bytes of an Arrow column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.columns.batch import Batch

from .tokenizers import bytes_of
from .tokenizers import lowered as lowered_texts

#: The tokenizers whose rules the engine has, as its functions from texts to rows take them.
READINGS = {"rouge": 0, "none": 2, "13a": 3, "unicode": 5}


def of_texts(batch: Batch, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of the engine makes of the texts of a batch.

    Raises
    ------
    InputError
        Names the first text that cannot be encoded (a lone surrogate).
    """
    offsets = None if batch.one_each else batch.reference_offsets
    first, second = batch.strings or bytes_of(batch.texts)
    try:
        return function(first, second, batch.n_items, offsets, *arguments)
    except ValueError:
        _ = batch.texts  # its error names the item
        raise


def lowered(batch: Batch) -> Batch:
    """Return a batch of the same texts in lower case (:meth:`str.lower`)."""
    if batch.strings is None:
        return batch.with_texts(lowered_texts(batch.texts))
    predictions, references = ([text.lower() for text in texts] for texts in batch.strings)
    return Batch(batch.encoder, batch.reference_offsets, batch.first_item, (predictions, references))
