"""Weights of tokens: all equal, or from a mapping or a table of document frequencies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.subwords import Subwords
from tercet.errors import OptionError, shorten

_LARGEST = float(np.finfo(np.float32).max)  # of the precision in which weights are kept


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each subword id."""

    values: NDArray[np.float32]  # weight by id
    unseen: float  # weight of greater ids

    @property
    def digest(self) -> str:
        """Eight characters that stand for all of them."""
        total = sha256(repr(self.unseen).encode())
        total.update(self.values.astype("<f4").tobytes())
        return total.hexdigest()[:8]

    def of(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the weight of each id."""
        known = ids < len(self.values)
        weights: NDArray[np.float32] = np.where(known, self.values[np.where(known, ids, 0)], np.float32(self.unseen))
        return weights


def plain_weights(subwords: Subwords) -> Weights:
    """Return the weights without IDF: 1 for every token, 0 for CLS and SEP."""
    values = np.ones(subwords.vocabulary_size, np.float32)
    values[[each for each in subwords.zero_weight_ids if each < len(values)]] = 0
    return Weights(values, 1.0)


def mapped_weights(mapping: Mapping[Any, Any], subwords: Subwords, strict: bool = False) -> Weights:
    """Return the weights that a mapping names, by ids (int) or by tokens (str).

    Ids that it does not name get what a defaultdict or a Counter has for them, or else its greatest weight; CLS and
    SEP get 0.
    """
    kinds = {isinstance(key, str) for key in mapping}
    unseen = _default(mapping)
    if len(kinds) > 1 or (not mapping and unseen is None):
        raise OptionError(
            "The 'idf' mapping of bertscore_idf must have ids (int) or tokens (str) as keys, of one kind, and at "
            f"least one of them. Got {shorten(list(mapping))} instead."
        )
    vocabulary: dict[Any, int] = subwords.tokenizer.get_vocab() if kinds == {True} else {}
    size = subwords.vocabulary_size
    named: dict[int, float] = {}
    for key, value in mapping.items():
        number = vocabulary.get(key) if isinstance(key, str) else key
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < size:
            raise OptionError(
                f"The key {shorten(key)} of the 'idf' mapping is neither an id (below {size}) nor a token of this "
                "tokenizer."
            )
        named[int(number)] = _weight(shorten(key), value)
    if unseen is None:
        unseen = math.nan if strict else max(named.values())
    values = np.full(size, unseen, np.float32)
    if not strict:
        values[[each for each in subwords.zero_weight_ids if each < size]] = 0
    values[list(named)] = list(named.values())
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
