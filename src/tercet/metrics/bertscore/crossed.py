"""Many texts against many references: each text is embedded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.crossing import Crossing, Places
from tercet.encoders.encoder import Encoder
from tercet.encoders.messages import cut_texts
from tercet.metric.rows import PairRows, base_of_pairs
from tercet.metric.scoring import warn

from .matching import match_crossed
from .messages import texts_warning
from .pairs import STORE_BYTES, Texts, embedded

if TYPE_CHECKING:
    from .idf_table import IdfTable
    from .metric import BertScore


def pair_rows(metric: BertScore, crossing: Crossing, context: IdfTable | None) -> PairRows:
    """Return what makes rows of pairs; texts are embedded once, as long as the encoder can keep all of them."""
    encoder = metric.encoder()
    limit = encoder.subwords.length_limit(metric.max_length)
    whole, documents, texts = metric.prepare(crossing.strings, context)
    cut = cut_texts(whole, crossing, limit, metric.long_text)
    unweighted = int(texts.unweighted[texts.text].sum()) if metric.zero_weight == "uniform" else 0
    warn(metric, texts_warning(int(cut.sum()), unweighted, limit))
    n_base = len(metric.base_columns)

    def rows(predictions: Places, references: Places) -> NDArray[np.float64]:
        pairs = texts.text[predictions], texts.text[references]
        both = score_crossed(texts, encoder, *pairs, limit, metric.batch_size)
        lengths = (documents.lengths[predictions][:, None], documents.lengths[references])
        own, others = (each.ravel() for each in np.broadcast_arrays(*lengths))
        precision, recall = both.reshape(*both.shape[:2], len(own))
        measures = metric.measures(precision, recall, own, others)
        found = np.zeros((len(own), len(metric.columns)))
        found[:, :n_base] = base_of_pairs(own - encoder.subwords.n_special)
        found[:, n_base + len(metric.extra_columns) :] = metric.item_columns(measures, np.arange(len(own)))
        return found

    return rows


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
