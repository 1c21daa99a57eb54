"""Texts -> one vector each: the encoder run once for every different text, and vectors kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.embeddings import Windows, windows_of
from tercet.encoders.encoder import Encoder
from tercet.engine.ragged import Ragged
from tercet.statistics.progress import bar_of

from .pooling import Pooling, owners, token_weights

Vectors = NDArray[np.float32]

#: Bytes of vectors that are kept for later calls, for each encoder.
KEPT_BYTES = 1 << 28

#: Pairs multiplied at a time: 100 MB at most.
_PAIRS = 4096


@dataclass(slots=True)
class _Kept:
    """Vectors of texts by pooling and ids; the least recently used ones are dropped first."""

    vectors: dict[tuple[str, bytes], Vectors] = field(default_factory=dict)
    n_bytes: int = 0
    lock: Any = field(default_factory=Lock)

    def find(self, keys: list[tuple[str, bytes]]) -> dict[int, Vectors]:
        """Return those that are kept, by their places among the keys."""
        with self.lock:
            found = {place: self.vectors.pop(key) for place, key in enumerate(keys) if key in self.vectors}
            self.vectors.update((keys[place], vector) for place, vector in found.items())
        return found

    def add(self, keys: list[tuple[str, bytes]], vectors: Vectors) -> None:
        with self.lock:
            for key, vector in zip(keys, vectors, strict=True):
                self.n_bytes += 0 if key in self.vectors else vector.nbytes
                self.vectors[key] = vector.copy()
            while self.n_bytes > KEPT_BYTES:
                self.n_bytes -= self.vectors.pop(next(iter(self.vectors))).nbytes


_kept: WeakKeyDictionary[Encoder, _Kept] = WeakKeyDictionary()
_new = Lock()


def embed(
    encoder: Encoder,
    pooling: Pooling,
    rows: Ragged,
    of_references: NDArray[np.bool_],
    *,
    limit: int | None,
    batch_size: int,
) -> Vectors:
    """Return the vectors of distinct texts, shape (n, d).

    Vectors are kept for later calls. So references are embedded once for several systems, and the same call gives the
    same bits. References are embedded before predictions: then predictions are batched in the same way whether or not
    the references were kept. Texts that fit in one batch go together, because two batches would take twice the time.

    Memory: the vectors, `KEPT_BYTES` for those that are kept, and what the encoder itself needs for a batch.
    """
    encoder.check_ids(rows)
    windows = windows_of(rows, limit, encoder.subwords)
    text = owners(windows, rows)
    with _new:
        kept = _kept.setdefault(encoder, _Kept())
    in_windows = limit if len(windows.ids.values) > len(rows.values) else None
    name = f"{pooling.name},{pooling.digest},{pooling.dimensions},{in_windows}"
    keys = [(name, row.tobytes()) for row in rows.pieces()]
    found = kept.find(keys)
    todo = np.ones(len(keys), bool)
    todo[list(found)] = False
    pooled = np.zeros((len(keys), encoder.dimensions), np.float32)
    parts = [todo]
    if rows.lengths[todo].sum() > encoder.budget(batch_size):
        parts = [todo & of_references, todo & ~of_references]
    for part in parts:
        if part.any():
            pooled[part] = _pooled(encoder, pooling.name, windows.some(part[text]), rows, batch_size)[part]
    vectors = pooling.finish(pooled)
    for place, vector in found.items():
        vectors[place] = vector
    new = np.flatnonzero(todo)
    kept.add([keys[place] for place in new.tolist()], vectors[new])
    return vectors


def _pooled(encoder: Encoder, name: str, windows: Windows, rows: Ragged, batch_size: int) -> Vectors:
    """Return the pooled vectors from some windows, shape (n, d); 0 for texts without a window."""
    import torch

    text = owners(windows, rows)
    greatest = name == "max"
    with torch.inference_mode(), bar_of("encoding", "texts", len(windows.first), delay=0) as bar:
        sums = torch.full(
            (len(rows.lengths), encoder.dimensions), -torch.inf if greatest else 0.0, device=encoder.device
        )
        for chosen, states, taken in encoder.states(windows, batch_size):
            place = torch.from_numpy(text[chosen]).to(encoder.device)
            if greatest:
                absent = torch.from_numpy(~taken).to(encoder.device)[:, :, None]
                most = states.masked_fill(absent, -torch.inf).amax(1)
                sums.scatter_reduce_(0, place[:, None].expand_as(most), most, "amax")
            else:
                weights = torch.from_numpy(token_weights(name, windows, chosen, taken, rows)).to(encoder.device)
                sums.index_add_(0, place, torch.bmm(weights[:, None], states)[:, 0])
            if bar is not None:
                bar.update(len(chosen))
        pooled: Vectors = sums.cpu().numpy()
    return np.where(np.isneginf(pooled), np.float32(0), pooled) if greatest else pooled


def cosines(vectors: Vectors, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cosine of each pair of vectors, 1 to the bit for a vector and itself; 0 with a vector of zeros."""
    found = np.zeros(len(left))
    for start in range(0, len(left), _PAIRS):
        part = slice(start, start + _PAIRS)
        one, other = (vectors[side[part]].astype(np.float64) for side in (left, right))
        dots, squares = np.einsum("ij,ij->i", one, other), np.ones(len(one))
        for each in (one, other):
            squares = squares * np.einsum("ij,ij->i", each, each)
        found[part] = dots / np.where(squares > 0, np.sqrt(squares), 1.0)
    return np.clip(found, -1.0, 1.0)


def crossed_cosines(left: Vectors, right: Vectors) -> NDArray[np.float64]:
    """Return the cosine of each vector with each other, shape (h, r); 0 with a vector of zeros."""
    one, other = left.astype(np.float64), right.astype(np.float64)
    squares = np.multiply.outer(*(np.einsum("ij,ij->i", each, each) for each in (one, other)))
    return np.clip(one @ other.T / np.where(squares > 0, np.sqrt(squares), 1.0), -1.0, 1.0)
