"""Texts -> one vector each: the encoder run once for every different text, and vectors kept; their cosines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from tercet import numpy_later as np
from tercet.engine.ragged import Ragged
from tercet.locks import Lock
from tercet.networks.encoder import Encoder, not_finite_error
from tercet.networks.long_texts import Windows, windows_of
from tercet.networks.torch_settings import own_settings
from tercet.statistics.progress import bar_of

from .pooling import Pooling, texts_of_windows, token_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"

#: Bytes of vectors that are kept for later calls, for each encoder.
KEPT_BYTES = 1 << 28

#: Pairs of vectors that are multiplied at a time: 100 MB at most.
_PAIRS_AT_A_TIME = 4096


@dataclass(slots=True)
class _VectorCache:
    """Vectors of texts by pooling and ids; the least recently used ones are dropped first."""

    vectors: dict[tuple[str, bytes], Vectors] = field(default_factory=dict)
    n_bytes: int = 0
    lock: Lock = field(default_factory=Lock)

    def find(self, keys: list[tuple[str, bytes]]) -> dict[int, Vectors]:
        """Return those that are kept, by their index among the keys."""
        # Taken out and put in again, which moves them to the end: `add` drops from the beginning.
        with self.lock:
            vectors = {index: self.vectors.pop(key) for index, key in enumerate(keys) if key in self.vectors}
            self.vectors.update((keys[index], vector) for index, vector in vectors.items())
        return vectors

    def add(self, keys: list[tuple[str, bytes]], vectors: Vectors) -> None:
        with self.lock:
            for key, vector in zip(keys, vectors, strict=True):
                if key not in self.vectors:
                    self.n_bytes += vector.nbytes
                self.vectors[key] = vector.copy()
            while self.n_bytes > KEPT_BYTES:
                self.n_bytes -= self.vectors.pop(next(iter(self.vectors))).nbytes


_caches: WeakKeyDictionary[Encoder, _VectorCache] = WeakKeyDictionary()
#: Threads that begin with the same encoder get the same cache.
_caches_lock = Lock()


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
    text = texts_of_windows(windows, rows)
    with _caches_lock:
        cache = _caches.setdefault(encoder, _VectorCache())
    # Vectors of texts in several windows depend on the length of these.
    in_windows = limit if len(windows.ids.values) > len(rows.values) else None
    name = f"{pooling.name},{pooling.digest},{pooling.dimensions},{in_windows}"
    keys = [(name, row.tobytes()) for row in rows.pieces()]
    kept_vectors = cache.find(keys)
    is_new = np.ones(len(keys), bool)
    is_new[list(kept_vectors)] = False
    pooled = np.zeros((len(keys), encoder.dimensions), np.float32)
    parts = [is_new]
    if rows.lengths[is_new].sum() > encoder.budget(batch_size):
        parts = [is_new & of_references, is_new & ~of_references]
    for part in parts:
        if part.any():
            pooled[part] = _pooled(encoder, pooling.name, windows.some(part[text]), rows, batch_size)[part]
    vectors = pooling.finish(pooled)
    broken = np.flatnonzero(~np.isfinite(vectors).all(1))
    if len(broken):
        text = encoder.subwords.tokenizer.decode(rows.pieces()[int(broken[0])], skip_special_tokens=True)
        raise not_finite_error(f"dense layer after the encoder {encoder.label}", "float32", text)
    for index, vector in kept_vectors.items():
        vectors[index] = vector
    new_indices = np.flatnonzero(is_new)
    cache.add([keys[index] for index in new_indices.tolist()], vectors[new_indices])
    return vectors


def _pooled(encoder: Encoder, name: str, windows: Windows, rows: Ragged, batch_size: int) -> Vectors:
    """Return the pooled vectors from some windows, shape (n, d); 0 for texts without a window."""
    import torch

    text = texts_of_windows(windows, rows)
    is_max = name == "max"
    with own_settings(), torch.inference_mode(), bar_of("encoding", "texts", len(windows.first), delay=0) as bar:
        nothing = -torch.inf if is_max else 0.0
        sums = torch.full((len(rows.lengths), encoder.dimensions), nothing, device=encoder.device)
        for chosen, states, is_taken in encoder.states(windows, batch_size):
            text_of_window = torch.from_numpy(text[chosen]).to(encoder.device)
            if is_max:
                absent = torch.from_numpy(~is_taken).to(encoder.device)[:, :, None]
                greatest = states.masked_fill(absent, -torch.inf).amax(1)
                sums.scatter_reduce_(0, text_of_window[:, None].expand_as(greatest), greatest, "amax")
            else:
                weights = torch.from_numpy(token_weights(name, windows, chosen, is_taken, rows)).to(encoder.device)
                sums.index_add_(0, text_of_window, torch.bmm(weights[:, None], states)[:, 0])
            bar.update(len(chosen))
        pooled: Vectors = sums.cpu().numpy()
    has_window = np.zeros(len(pooled), bool)
    has_window[text] = True
    pooled[~has_window] = 0.0
    broken = np.flatnonzero(~np.isfinite(pooled).all(1))
    if len(broken):
        raise encoder.not_finite(rows.pieces()[int(broken[0])])
    return pooled


def cosines_of_pairs(vectors: Vectors, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cosine of each pair of vectors, 1 to the bit for a vector and itself; 0 with a vector of zeros."""
    similarities = np.zeros(len(left))
    for start in range(0, len(left), _PAIRS_AT_A_TIME):
        part = slice(start, start + _PAIRS_AT_A_TIME)
        left_vectors = vectors[left[part]].astype(np.float64)
        right_vectors = vectors[right[part]].astype(np.float64)
        dots = np.einsum("ij,ij->i", left_vectors, right_vectors)
        squares = np.ones(len(left_vectors))
        # One root of the product of both squares: it is the square itself, to the bit, for a vector and itself.
        for side_vectors in (left_vectors, right_vectors):
            squares = squares * np.einsum("ij,ij->i", side_vectors, side_vectors)
        similarities[part] = dots / np.where(squares > 0, np.sqrt(squares), 1.0)
    return np.clip(similarities, -1.0, 1.0)


def crossed_cosines(left: Vectors, right: Vectors) -> NDArray[np.float64]:
    """Return the cosine of each vector with each other, shape (h, r); 0 with a vector of zeros."""
    left_vectors = left.astype(np.float64)
    right_vectors = right.astype(np.float64)
    left_squares = np.einsum("ij,ij->i", left_vectors, left_vectors)
    right_squares = np.einsum("ij,ij->i", right_vectors, right_vectors)
    squares = np.multiply.outer(left_squares, right_squares)
    return np.clip(left_vectors @ right_vectors.T / np.where(squares > 0, np.sqrt(squares), 1.0), -1.0, 1.0)
