"""Warnings of texts that are longer than an encoder takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, shorten


def cut_warning(cut: int, limit: int | None) -> str:
    """Return a warning of texts that were cut at `limit` tokens."""
    return (
        f"{cut} {'text was' if cut == 1 else 'texts were'} longer than {limit} tokens and truncated: "
        "long_text='window' scores such texts whole."
    )


def cut_texts(whole: Ragged, batch: Corpus | Crossing, limit: int | None, long_text: str) -> NDArray[np.bool_]:
    """Return which documents of a batch are cut at `limit` tokens; InputError for one that is too long."""
    long = whole.lengths > limit if limit is not None else np.zeros(len(whole.lengths), bool)
    if long_text == "error" and long.any():
        raise _long_text_error(int(np.flatnonzero(long)[0]), whole, batch, limit)
    return long if long_text == "truncate" else np.zeros_like(long)


def _long_text_error(document: int, whole: Ragged, batch: Corpus | Crossing, limit: int | None) -> InputError:
    return InputError(
        f"{batch.name_of(document)} has {whole.lengths[document]} tokens, more than the encoder's "
        f"limit of {limit}: {shorten(batch.texts[document].as_py())}. long_text='window' scores it whole, 'truncate' "
        "only its beginning."
    )
