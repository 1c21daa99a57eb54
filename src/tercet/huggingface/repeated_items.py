"""Items that processes repeat: the last batch of a distributed run is filled with the first items of the set."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Any

from .token_ids import IGNORED, IdRows


def n_before_repetition(labels: list[Any] | None, inputs: IdRows) -> int | None:
    """Return the number of items before the first ones are repeated, None where no repetition is certain.

    Labels that the set has twice prove nothing: one at least must be of these two items alone.
    """
    if labels is None or n_processes() == 1:
        return None
    n = len(labels)
    prompts = [b""] * n
    if len(inputs) == n:
        prompts = [row[row != IGNORED].tobytes() for row in inputs]
    items = list(zip(map(str, labels), prompts, strict=True))
    counts = Counter(items)
    last_index_of = {item: index for index, item in enumerate(items)}
    for index, item in enumerate(items[: n // 2]):
        n_items = last_index_of[item] - index
        if counts[item] == 2 and n_items > n // 2 and items[n_items:] == items[: n - n_items]:
            return n_items
    return None


def n_of_last_batch(n_gathered: int) -> int:
    """Return how many items of the last batch, that a process has gathered of all, are not repeated."""
    accelerate = sys.modules.get("accelerate.state")
    if accelerate is None or n_processes() == 1:
        return n_gathered
    state = accelerate.GradientState()
    loader = state.active_dataloader
    if loader is None or not state.end_of_dataloader or n_gathered != loader.total_batch_size:
        return n_gathered
    return state.remainder if state.remainder > 0 else n_gathered


def n_processes() -> int:
    """Return the number of processes of a distributed run, as torchrun and Accelerate tell it."""
    return int(os.environ.get("WORLD_SIZE", "1"))
