"""Texts -> one vector each: the encoder run once for every different text, and the references' vectors kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tercet.core.ragged import Ragged
from tercet.encoders.embeddings import Windows, windows_of
from tercet.encoders.encoder import Encoder

from .pooling import Pooling, owners, token_weights

Vectors = NDArray[np.float32]

#: Bytes of the references' vectors that are kept for later calls, for each encoder.
KEPT_BYTES = 1 << 28

#: Pairs whose vectors are multiplied at a time: 100 MB at most.
_PAIRS = 4096


@dataclass(slots=True)
class _Kept:
    """Vectors of references by pooling and ids; those that were added first go first."""

    vectors: dict[tuple[str, bytes], Vectors] = field(default_factory=dict)
    n_bytes: int = 0
    lock: Any = field(default_factory=Lock)

    def add(self, new: dict[tuple[str, bytes], Vectors]) -> None:
        with self.lock:
            new = {key: vector for key, vector in new.items() if key not in self.vectors}
            self.vectors.update(new)
            self.n_bytes += sum(vector.nbytes for vector in new.values())
            while self.n_bytes > KEPT_BYTES:
                for key in list(islice(self.vectors, 1 + len(self.vectors) // 8)):
                    self.n_bytes -= self.vectors.pop(key).nbytes


_kept: WeakKeyDictionary[Encoder, _Kept] = WeakKeyDictionary()
_new = Lock()


def embed(
    encoder: Encoder,
    pooling: Pooling,
    rows: Ragged,
    keep: NDArray[np.bool_],
    *,
    limit: int | None,
    batch_size: int,
) -> Vectors:
    """Return the vectors of different texts, shape (n, d).

    Parameters
    ----------
    encoder : Encoder
    pooling : Pooling
    rows : Ragged of int32
        Ids of each text.
    keep : ndarray of bool, shape (n,)
        Which texts are references, worth keeping for other calls.
    limit : int or None
        Texts of more tokens go through the encoder in overlapping windows.
    batch_size : int

    Notes
    -----
    Memory: the vectors, `KEPT_BYTES` for those that are kept, and what the encoder itself needs for a batch.
    """
    encoder.check_ids(rows)
    windows = windows_of(rows, limit, encoder.subwords)
    text = owners(windows, rows)
    in_one = np.bincount(text, minlength=len(keep)) == 1  # other windows, other embeddings
    name = f"{pooling.name},{pooling.digest}"
    keys = [(name, row.tobytes()) for row in np.split(rows.values, rows.offsets[1:-1])]
    with _new:
        kept = _kept.setdefault(encoder, _Kept())
    with kept.lock:
        known = [kept.vectors.get(key) if one else None for key, one in zip(keys, in_one.tolist(), strict=True)]
    found = np.array([vector is not None for vector in known], bool)
    pooled = np.zeros((len(keep), encoder.dimensions), np.float32)
    for part in (keep & ~found, ~keep & ~found):
        # apart, so that predictions meet the same neighbours, to the bit, when references are recalled
        if part.any():
            pooled[part] = _pooled(encoder, pooling.name, windows, part[text], rows, batch_size)[part]
    vectors = pooling.finish(pooled)
    for index in np.flatnonzero(found).tolist():
        vectors[index] = known[index]
    new = np.flatnonzero(keep & in_one & ~found).tolist()
    kept.add({keys[index]: vectors[index].copy() for index in new})
    return vectors


def _pooled(
    encoder: Encoder, name: str, windows: Windows, todo: NDArray[np.bool_], rows: Ragged, batch_size: int
) -> Vectors:
    """Return what is pooled of the windows that are marked, shape (n, d); 0 for other texts."""
    import torch

    some = windows.some(todo)
    text = owners(some, rows)
    greatest = name == "max"
    with torch.inference_mode():
        sums = torch.full(
            (len(rows.lengths), encoder.dimensions), -torch.inf if greatest else 0.0, device=encoder.device
        )
        for chosen, states, taken in encoder.states(some, batch_size):
            place = torch.from_numpy(text[chosen]).to(encoder.device)
            if greatest:
                absent = torch.from_numpy(~taken).to(encoder.device)[:, :, None]
                most = states.masked_fill(absent, -torch.inf).amax(1)
                sums.scatter_reduce_(0, place[:, None].expand_as(most), most, "amax")
            else:
                weights = torch.from_numpy(token_weights(name, some, chosen, taken, rows)).to(encoder.device)
                sums.index_add_(0, place, torch.bmm(weights[:, None], states)[:, 0])
        pooled: Vectors = sums.cpu().numpy()
    return np.where(np.isneginf(pooled), np.float32(0), pooled) if greatest else pooled


def cosines(vectors: Vectors, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cosine of each pair of vectors, 1 to the bit for a vector and itself; 0 beside a vector of zeros.

    Examples
    --------
    >>> vectors = np.array([[3, 4], [0, 0], [4, -3], [-6, -8]], np.float32)
    >>> cosines(vectors, np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3])).tolist()
    [1.0, 0.0, 0.0, -1.0]
    """
    found = np.zeros(len(left))
    for start in range(0, len(left), _PAIRS):
        part = slice(start, start + _PAIRS)
        one, other = (vectors[side[part]].astype(np.float64) for side in (left, right))
        dots, squares = np.einsum("ij,ij->i", one, other), np.ones(len(one))
        for each in (one, other):
            squares = squares * np.einsum("ij,ij->i", each, each)
        found[part] = dots / np.where(squares > 0, np.sqrt(squares), 1.0)
    return np.clip(found, -1.0, 1.0)
