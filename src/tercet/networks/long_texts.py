"""Texts that are longer than an encoder takes: which are cut, and warnings of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InputError, shorten

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tercet.corpus.corpus import Corpus
    from tercet.corpus.reading import Crossing
    from tercet.engine.ragged import Ragged


def cut_warning(cut: int, limit: int | None) -> str:
    """Return a warning of texts that were cut at `limit` tokens."""
    texts_were = "text was" if cut == 1 else "texts were"
    return f"{cut} {texts_were} longer than {limit} tokens and truncated: long_text='window' scores such texts whole."


def cut_texts(whole: Ragged, batch: Corpus | Crossing, limit: int | None, long_text: str) -> NDArray[np.bool_]:
    """Return which documents of a batch are cut at `limit` tokens; InputError for one that is too long."""
    # Commands import this file for their help, which needs no numpy.
    import numpy as np

    is_too_long = np.zeros(len(whole.lengths), bool)
    if limit is not None:
        is_too_long = whole.lengths > limit
    if long_text == "error" and is_too_long.any():
        document = int(np.flatnonzero(is_too_long)[0])
        text = document % len(batch.texts)  # of a crossing whose texts have a document on each side
        raise InputError(
            f"{batch.name_of(text)} has {whole.lengths[document]} tokens, more than the encoder's "
            f"limit of {limit}: {shorten(batch.texts[text].as_py())}. long_text='window' scores it whole, "
            "'truncate' only its beginning."
        )
    if long_text == "truncate":
        return is_too_long
    return np.zeros_like(is_too_long)
