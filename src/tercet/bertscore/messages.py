"""What a user of bertscore_idf is told of texts."""

from __future__ import annotations

import numpy as np

from tercet.core.batch import Batch
from tercet.core.ragged import Ragged
from tercet.encoders.subwords import Subwords
from tercet.errors import InputError, shorten


def remark_on_texts(cut: int, unweighted: int, limit: int | None) -> str | None:
    """Return a warning of texts that were cut at `limit` tokens, or whose weights sum to 0; None without any."""
    remarks = []
    if cut:
        remarks.append(
            f"{cut} {'text was' if cut == 1 else 'texts were'} longer than {limit} tokens and truncated: "
            "long_text='window' scores such texts whole."
        )
    if unweighted:
        texts = "text" if unweighted == 1 else "texts"
        remarks.append(
            f"all tokens of {unweighted} {texts} have weight 0 (with idf=True: they occur in every reference), so "
            "they get equal weights. Give idf=False, or an IdfTable of a corpus."
        )
    return " ".join(remarks) or None


def long_text_error(document: int, whole: Ragged, batch: Batch, limit: int | None) -> InputError:
    """Return the error for a document, counted over predictions and then references, with too many tokens."""
    item, kind = document, "predictions"
    if document >= batch.n_items:
        item = int(np.searchsorted(batch.reference_offsets, document - batch.n_items, side="right")) - 1
        kind = "references"
    return InputError(
        f"item {batch.first_item + item} of {kind} has {whole.lengths[document]} tokens, the encoder takes {limit}: "
        f"{shorten(batch.texts[document].as_py())}. long_text='window' scores it whole, 'truncate' its beginning."
    )


def unnamed_token_error(number: int, subwords: Subwords) -> InputError:
    """Return the error for a token that a mapping, used as bert-score does, has no weight for."""
    return InputError(
        f"The 'idf' mapping has no weight for the token {subwords.tokens([number])[0]!r} (id {number}). bert-score "
        "raises KeyError here; without compat='bert_score' such tokens get the greatest weight."
    )
