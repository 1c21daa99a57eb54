"""Rows of token ids -> the states of a network in batches of near lengths, and a flat store of embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import Ragged

from .subwords import Subwords


@dataclass(frozen=True, slots=True)
class Store:
    """Embeddings of texts, one after the other."""

    vectors: Any  # of length one each, on the device of the encoder
    offsets: NDArray[np.int64]  # text i has the rows offsets[i] to offsets[i + 1]


@dataclass(frozen=True, slots=True)
class Windows:
    """The input of the encoder: texts, or overlapping windows of those that are too long."""

    ids: Ragged  # a row per window
    # the tokens of the window whose embeddings are taken: from `first` up to, but not including, `last`
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    target: NDArray[np.int64]  # the row of the store where the first of them goes

    def some(self, chosen: NDArray[np.bool_]) -> Windows:
        """Return the windows that are marked."""
        if chosen.all():
            return self
        ids = self.ids.rows(np.flatnonzero(chosen))
        return Windows(ids, self.first[chosen], self.last[chosen], self.target[chosen])


def windows_of(rows: Ragged, limit: int | None, subwords: Subwords) -> Windows:
    """Return the input of an encoder: texts, or overlapping windows of those of more than `limit` tokens."""
    if limit is None or not (rows.lengths > limit).any():
        return whole_texts(rows)
    return overlapping_windows(rows, limit, subwords.head, subwords.tail)


def whole_texts(rows: Ragged) -> Windows:
    """Return one window per text, all of it; none for a text without tokens."""
    lengths = rows.lengths
    filled = lengths > 0
    first = np.zeros(int(filled.sum()), np.int64)
    offsets = np.append(rows.offsets[:-1][filled], rows.offsets[-1])
    return Windows(Ragged(rows.values, offsets), first, lengths[filled], offsets[:-1])


def overlapping_windows(rows: Ragged, limit: int, head: tuple[int, ...], tail: tuple[int, ...]) -> Windows:
    """Cut texts of more than `limit` tokens into windows that overlap by half.

    Every window has the special tokens around it. A token is taken from the window in which it stands farthest from
    an edge, so that it is embedded with a quarter of the window on either side at least (but at the ends of a text).
    Time: twice that of the tokens once.
    """
    inside = limit - len(head) - len(tail)
    step = max(inside // 2, 1)
    ids: list[NDArray[np.int32]] = []
    places: list[tuple[int, int, int]] = []
    for start, stop in zip(rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), strict=True):
        row = rows.values[start:stop]
        if len(row) <= limit:
            ids.append(row)
            places.append((0, len(row), start))
            continue
        content = row[len(head) : len(row) - len(tail)]
        begins = [*range(0, len(content) - inside, step), len(content) - inside]
        # between two windows the taking changes hands in the middle of what they share
        changes = [(begin + inside + after) // 2 for begin, after in pairwise(begins)]
        for number, begin in enumerate(begins):
            first = 0 if number == 0 else changes[number - 1] - begin + len(head)
            last = limit if number == len(begins) - 1 else changes[number] - begin + len(head)
            ids.append(np.concatenate([head, content[begin : begin + inside], tail]).astype(np.int32))
            places.append((first, last, start + begin + first))
    first, last, target = np.array(places, np.int64).reshape(-1, 3).T
    offsets = np.append(0, np.cumsum([len(row) for row in ids])).astype(np.int64)
    return Windows(Ragged(np.concatenate(ids) if ids else rows.values, offsets), first, last, target)


#: A batch: which windows it has, their states by layer, and which of their tokens are taken.
Batch = tuple[NDArray[np.int64], Any, NDArray[np.bool_]]


def fill(vectors: Any, windows: Windows, batches: Iterable[Batch]) -> None:
    """Write the normalised embeddings of windows into a store, batch by batch."""
    import torch

    for chosen, states, taken in batches:
        target = (windows.target[chosen] - windows.first[chosen])[:, None] + np.arange(taken.shape[1])[None, :]
        if taken.all():
            states, rows = states.flatten(1, 2), target.ravel()
        else:
            flat = torch.from_numpy(np.flatnonzero(taken)).to(vectors.device)
            states, rows = states.flatten(1, 2)[:, flat], target[taken]
        vectors[:, torch.from_numpy(rows).to(vectors.device)] = _normalised(states)


def states_of(
    windows: Windows,
    model: Any,
    device: Any,
    *,
    several: bool,
    padding_id: int,
    budget: int,
    one_length: bool = False,
    bar: Any = None,
) -> Iterator[Batch]:
    """Run windows through a model, batch by batch.

    Memory: the model's own for `budget` tokens. Windows are sorted by length; a batch of equal lengths has no mask.
    """
    import torch

    for chosen in batches_of(windows.ids, windows.ids.lengths, budget, one_length):
        lengths = windows.ids.lengths[chosen]
        width = int(lengths.max())
        within = np.arange(width)[None, :]
        present = within < lengths[:, None]
        source = np.where(present, windows.ids.offsets[chosen][:, None] + within, 0)
        ids = np.where(present, windows.ids.values[source], padding_id).astype(np.int64)
        taken = (within >= windows.first[chosen][:, None]) & (within < windows.last[chosen][:, None])
        mask = None
        if not present.all() or padding_id in ids:
            mask = torch.from_numpy(present.astype(np.int64)).to(device)
        yield chosen, states_of_ids(model, torch.from_numpy(ids).to(device), mask, several=several), taken
        if bar is not None:
            bar.update(len(chosen))


def states_of_ids(model: Any, ids: Any, mask: Any, *, several: bool) -> Any:
    """Return the states of a batch, shape (layers, b, width, dimensions), of all layers or of the last one.

    Zeros behind the states of a layer that is narrower than another, as those below a last projection: no cosine
    changes by them.
    """
    import torch

    output = model(ids, attention_mask=mask, output_hidden_states=several, return_dict=True)
    if not several:
        return output.last_hidden_state[None]
    widest = max(each.shape[-1] for each in output.hidden_states)
    return torch.stack(
        [
            each if each.shape[-1] == widest else torch.nn.functional.pad(each, (0, widest - each.shape[-1]))
            for each in output.hidden_states
        ]
    )


def _normalised(states: Any) -> Any:
    import torch

    states = states.float()
    return states / torch.linalg.vector_norm(states, dim=-1, keepdim=True)


def order_of(ids: Ragged) -> NDArray[np.int64]:
    """Return the order by length, the longest first, and by ids: batches do not depend on the order of the texts."""
    rows = [row.tobytes() for row in ids.pieces()]
    return np.array(sorted(range(len(rows)), key=lambda each: (-len(rows[each]), rows[each])), np.int64)


def batches_of(ids: Ragged, lengths: NDArray[np.int64], budget: int, one_length: bool) -> Iterator[NDArray[np.int64]]:
    """Yield the indices of windows of near lengths, the longest first, of at most `budget` tokens with padding."""
    order = order_of(ids)
    start = 0
    while start < len(order):
        longest = int(lengths[order[start]])
        size = max(1, budget // longest)
        if one_length:
            size = min(size, int((lengths[order[start:]] == longest).sum()))
        yield order[start : start + size]
        start += size
