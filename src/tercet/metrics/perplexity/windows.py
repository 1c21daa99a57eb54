"""Ids of texts -> windows that fit the model, in which every token is a target (is scored) once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import Ragged


@dataclass(frozen=True, slots=True)
class Windows:
    """The input of a model: texts, or overlapping windows of those that are too long."""

    ids: Ragged  # a row per window, of at least two ids
    # where its first target is in the window, from 1: the tokens before it were scored in an earlier window
    first: NDArray[np.int64]
    target: NDArray[np.int64]  # the number of that target among those of all texts
    offsets: NDArray[np.int64]  # text i has the targets offsets[i] to offsets[i + 1]

    @property
    def n_targets(self) -> int:
        """Number of tokens that are scored."""
        return int(self.offsets[-1])


def windows_of(rows: Sequence[Sequence[int]], size: int | None, stride: int) -> Windows:
    """Cut rows of ids into windows of up to `size` ids, each `stride` ids after the one before it.

    Every id of a row but its first is a target once, in the first window that holds it. So the targets of later
    windows have at least ``size - stride`` ids before them.
    """
    ids: list[NDArray[np.int32]] = []
    places: list[tuple[int, int]] = []
    sizes = np.array([max(len(row) - 1, 0) for row in rows], np.int64)
    offsets = np.append(0, np.cumsum(sizes))
    for row, before in zip(rows, offsets.tolist(), strict=False):
        whole = np.array(row, np.int32)
        for begin, end, scored in _bounds(len(row), len(row) if size is None else size, stride):
            ids.append(whole[begin:end])
            places.append((scored - begin, before + scored - 1))
    first, target = np.array(places, np.int64).reshape(-1, 2).T
    of_windows = np.append(0, np.cumsum([len(each) for each in ids])).astype(np.int64)
    return Windows(Ragged(np.concatenate([*ids, np.zeros(0, np.int32)]), of_windows), first, target, offsets)


def _bounds(length: int, size: int, stride: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin and end of each window of a row, and the place of the first id that it scores."""
    if length < 2:
        return
    scored = 1
    for begin in range(0, length, stride):
        end = min(begin + size, length)
        yield begin, end, scored
        if end == length:
            return
        scored = end
