"""What the option ``idf`` asks for: weights that are all equal, or from a mapping or a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet import numpy_later as np
from tercet.errors import InputError, OptionError
from tercet.networks.subwords import Subwords

from .idf_table import IdfTable
from .weights import Weights, mapped_weights


def given_table(idf: Any) -> IdfTable | None:
    """Return the table that the option ``idf`` is, or the path of; None for others."""
    if isinstance(idf, str):
        try:
            return IdfTable.load(idf)
        except InputError as error:
            raise OptionError(f"The 'idf' option of bertscore_idf is not an IDF table: {error}") from error
    return idf if isinstance(idf, IdfTable) else None


def weights_of(idf: Any, table: IdfTable | None, subwords: Subwords, *, strict: bool) -> Weights:
    """Return the weights that the option ``idf`` asks for; a table must be of the encoder's tokens."""
    if idf is False:
        # 1 for every token, 0 for CLS and SEP
        values = np.ones(subwords.vocabulary_size, np.float32)
        values[[token_id for token_id in subwords.zero_weight_ids if token_id < len(values)]] = 0
        return Weights(values, 1.0)
    if isinstance(idf, Mapping):
        return mapped_weights(idf, subwords, strict=strict)
    assert table is not None
    if idf is not True:
        table.check(subwords)
    return table.weights()
