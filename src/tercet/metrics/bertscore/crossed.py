"""Many texts against many references: each text is embedded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.crossing import Places
from tercet.encoders.encoder import Encoder

from .matching import match_crossed
from .pairs import STORE_BYTES, Texts, embedded

if TYPE_CHECKING:
    pass


def score_crossed(
    texts: Texts, encoder: Encoder, predictions: Places, references: Places, *options: Any
) -> NDArray[np.float64]:
    """Return precision and recall of each prediction with each reference, shape (2, layers, h, r).

    The encoder keeps all embeddings for the next block. The options are those of `embedded`, and so is the memory:
    `STORE_BYTES` at most, as for `score_pairs`.
    """
    chosen, place = np.unique(np.concatenate([predictions, references]), return_inverse=True)
    if len(chosen) > 2 and texts.rows.lengths[chosen].sum() * encoder.token_bytes > STORE_BYTES:
        if len(predictions) >= len(references):
            pairs, axis = [(half, references) for half in np.array_split(predictions, 2)], 2
        else:
            pairs, axis = [(predictions, half) for half in np.array_split(references, 2)], 3
        return np.concatenate([score_crossed(texts, encoder, *each, *options) for each in pairs], axis=axis)
    store, shares = embedded(texts, encoder, chosen, np.ones(len(chosen), bool), *options)
    return match_crossed(store, shares, *np.split(place, [len(predictions)]))
