"""How the scores of several references of an item become one, where the engine does not choose the best itself.

For ``multi_ref="best"`` it does: `_best_of_each_type` of `engine/plain_rouge.py`, and `rouge.pxi`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np
from tercet.engine.ragged import first_greatest

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


def combine(scores: Array, starts: NDArray[np.int64], counts: NDArray[np.int64], rule: str) -> Array:
    """Make one triple of the triples of an item's references.

    ``best`` takes the reference with the greatest F, the first on ties. ``average`` is the mean of all.
    ``jackknife`` is the mean over every choice of all references but one of the best among them (Lin 2004): the
    best one in all choices but that without it, where it is the second best.
    """
    if rule == "average":
        return np.add.reduceat(scores, starts, axis=0) / counts[:, None]
    first = first_greatest(scores[:, 2], starts)
    best = scores[first]
    if rule == "best":
        return best
    f_of_others = scores[:, 2].copy()
    f_of_others[first] = -1.0  # below any F
    second = scores[first_greatest(f_of_others, starts)]
    mean = ((counts - 1)[:, None] * best + second) / counts[:, None]
    return np.where(counts[:, None] > 1, mean, best)
