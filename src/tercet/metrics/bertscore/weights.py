"""The weights of subword ids that the option ``idf`` asks for: all equal, or from a mapping or a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tercet import numpy_later as np
from tercet.errors import InputError, OptionError, shorten
from tercet.networks.subwords import Subwords

from .idf_table import IdfTable, Weights

_LARGEST = (2 - 2**-23) * 2.0**127  # of float32, in which weights are kept


def weights_of(idf: Any, table: IdfTable | None, subwords: Subwords, *, strict: bool) -> Weights:
    """Return the weights that the option ``idf`` asks for; a table must be of the encoder's tokens."""
    if idf is False:
        # 1 for every token, 0 for CLS and SEP
        values = np.ones(subwords.vocabulary_size, np.float32)
        values[[token_id for token_id in subwords.zero_weight_ids if token_id < len(values)]] = 0
        return Weights(values, 1.0)
    if isinstance(idf, Mapping):
        return _mapped_weights(idf, subwords, strict=strict)
    assert table is not None
    if idf is not True:
        table.check(subwords)
    return table.weights()


def given_table(idf: Any) -> IdfTable | None:
    """Return the table that the option ``idf`` is, or the path of; None for others."""
    if isinstance(idf, str):
        try:
            return IdfTable.load(idf)
        except InputError as error:
            raise OptionError(f"The 'idf' option of bertscore_idf is not an IDF table: {error}") from error
    return idf if isinstance(idf, IdfTable) else None


def _mapped_weights(mapping: Mapping[Any, Any], subwords: Subwords, strict: bool = False) -> Weights:
    """Return the weights that a mapping names, by ids (int) or by tokens (str).

    Ids that it does not name get what a defaultdict or a Counter has for them, or else its greatest weight; CLS and
    SEP get 0.
    """
    are_tokens = {isinstance(key, str) for key in mapping}
    unseen = _default(mapping)
    if len(are_tokens) > 1 or (not mapping and unseen is None):
        raise OptionError(
            "The 'idf' mapping of bertscore_idf must have ids (int) or tokens (str) as keys, of one kind, and at "
            f"least one of them. Got {shorten(list(mapping))} instead."
        )
    vocabulary: dict[Any, int] = subwords.tokenizer.get_vocab() if are_tokens == {True} else {}
    size = subwords.vocabulary_size
    named_weights: dict[int, float] = {}
    for key, value in mapping.items():
        token_id = vocabulary.get(key) if isinstance(key, str) else key
        # bool, too, is an int for Python.
        if isinstance(token_id, bool) or not isinstance(token_id, (int, np.integer)) or not 0 <= token_id < size:
            raise OptionError(
                f"The key {shorten(key)} of the 'idf' mapping is neither an id (below {size}) nor a token of this "
                "tokenizer."
            )
        named_weights[int(token_id)] = _weight(shorten(key), value)
    if unseen is None:
        unseen = math.nan if strict else max(named_weights.values())
    values = np.full(size, unseen, np.float32)
    if not strict:
        values[[token_id for token_id in subwords.zero_weight_ids if token_id < size]] = 0
    values[list(named_weights)] = list(named_weights.values())
    return Weights(values, unseen)


def _default(mapping: Mapping[Any, Any]) -> float | None:
    """Return a mapping's own value for missing keys; None if that is an error."""
    if isinstance(mapping, Counter):
        return 0.0
    factory = getattr(mapping, "default_factory", None)
    return None if factory is None else _weight("missing tokens", factory())


def _weight(name: str, value: Any) -> float:
    try:
        weight = float(value)
    except Exception:  # any error of a value that is not a number
        weight = math.nan
    if not 0 <= weight <= _LARGEST:
        raise OptionError(
            f"The weight of {name} in the 'idf' mapping must be a number of at least 0, got {shorten(value)}."
        )
    return weight
