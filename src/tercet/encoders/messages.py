"""Warnings of texts that are longer than an encoder takes."""

from __future__ import annotations

import numpy as np

from tercet.corpus.corpus import Corpus
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, shorten


def cut_warning(cut: int, limit: int | None) -> str:
    """Return a warning of texts that were cut at `limit` tokens."""
    return (
        f"{cut} {'text was' if cut == 1 else 'texts were'} longer than {limit} tokens and truncated: "
        "long_text='window' scores such texts whole."
    )


def long_text_error(document: int, whole: Ragged, batch: Corpus, limit: int | None) -> InputError:
    """Return the error for a document, counted over predictions and then references, with too many tokens."""
    item, kind = document % max(1, batch.n_segments), "predictions"
    if document >= batch.n_items:
        item = int(np.searchsorted(batch.reference_offsets, document - batch.n_items, side="right")) - 1
        kind = "references"
    return InputError(
        f"item {batch.first_item + item} of {kind} has {whole.lengths[document]} tokens, more than the encoder's "
        f"limit of {limit}: {shorten(batch.texts[document].as_py())}. long_text='window' scores it whole, 'truncate' "
        "only its beginning."
    )
