"""Longest common subsequences with weights for runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged


def weighted_lcs_hits(
    tokens: Ragged,
    lines: Ragged,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_types: int,
    left: Ragged | None = None,
) -> NDArray[np.float64]:
    """Return the weighted hits of the union of weighted LCS (Lin 2004, section 4; ROUGE-W of ROUGE-1.5.5).

    ``weights[k]`` is the worth of a run of k hits; as long as the longest line of a reference, and one more. Others
    are as for :func:`.lcs.union_lcs_hits`, as is what memory it takes.
    """
    left = tokens if left is None else left
    return engine.weighted_lcs_hits(
        tokens.values, tokens.offsets, lines.values, lines.offsets, texts, references, n_types, left.values,
        left.offsets, weights,
    )  # fmt: skip
