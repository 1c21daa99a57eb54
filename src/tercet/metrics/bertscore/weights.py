"""The weight of each subword id, and weights from a mapping."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.errors import OptionError, shorten
from tercet.networks.subwords import Subwords

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = (2 - 2**-23) * 2.0**127  # of float32, in which weights are kept


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each subword id."""

    values: NDArray[np.float32]  # weight by id
    unseen: float  # weight of greater ids

    @property
    def digest(self) -> str:
        """Eight characters that stand for all of them."""
        checksum = sha256(repr(self.unseen).encode())
        checksum.update(self.values.astype("<f4").tobytes())
        return checksum.hexdigest()[:8]

    def of(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the weight of each id."""
        is_seen = ids < len(self.values)
        weights: NDArray[np.float32] = np.where(
            is_seen, self.values[np.where(is_seen, ids, 0)], np.float32(self.unseen)
        )
        return weights


def mapped_weights(mapping: Mapping[Any, Any], subwords: Subwords, strict: bool = False) -> Weights:
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
