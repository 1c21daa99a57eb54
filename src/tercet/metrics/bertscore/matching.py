"""Greedy matching (Zhang et al. 2020, section 3): every token with the most similar one of the other text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.embeddings import Store

# Floats of a batch's gathered embeddings, on an accelerator and on a CPU (whose caches it fits), and of its
# similarities: 32 MB of each at most.
_GATHERED = 1 << 23
_GATHERED_ON_CPU = 1 << 19
_SIMILARITIES = 1 << 23
# Tokens of a side of a product of matrices: its similarities are 16 MB.
_CROSSED = 1 << 11
_BELOW_ANY_COSINE = -2.0


def match(
    store: Store,
    weights: NDArray[np.float32],
    predictions: NDArray[np.int64],
    references: NDArray[np.int64],
    floors: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision and recall of pairs of texts, in every layer.

    Memory: 100 MB besides the store, whatever the number of pairs. Time: the product of the lengths times dimensions.
    """
    import torch

    device, n_layers = store.vectors.device, len(store.vectors)
    lengths = np.diff(store.offsets)
    sizes = lengths[predictions], lengths[references]
    with torch.inference_mode():
        shares = torch.from_numpy(weights).to(device)
        both = torch.zeros((2, n_layers, len(predictions)), dtype=torch.float32, device=device)
        gathered = _GATHERED_ON_CPU if device.type == "cpu" else _GATHERED
        for chosen in _buckets(predictions, references, lengths, gathered // store.vectors.shape[-1]):
            where = torch.from_numpy(chosen).to(device)
            sides, full = [], True
            for texts, size in zip((predictions[chosen], references[chosen]), sizes, strict=True):
                within = np.arange(int(size[chosen].max()))[None, :]
                present = within < size[chosen][:, None]
                full = full and bool(present.all())
                rows = np.where(present, store.offsets[texts][:, None] + within, 0)
                sides.append((torch.from_numpy(rows).to(device), torch.from_numpy(present).to(device)))
            (left, left_present), (right, right_present) = sides
            share = [shares[rows].masked_fill_(~present, 0) for rows, present in sides]
            absent = None if full else ~(left_present[:, :, None] & right_present[:, None, :])
            for layer in range(n_layers):
                vectors = store.vectors[layer]
                best = _best_matches(vectors[left], vectors[right], absent)
                for side in (0, 1):
                    found = best[side]
                    if floors is not None:
                        floor = torch.from_numpy(floors[side][chosen]).to(device)[:, None]
                        found = torch.where(floor, found.clamp(min=0), found)
                    both[side, layer, where] = (found * share[side]).sum(1)
    precision, recall = both.double().cpu().numpy()
    return precision, recall


def match_crossed(
    store: Store, weights: NDArray[np.float32], texts: NDArray[np.int64], references: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return precision and recall of each text with each reference, in every layer, shape (2, layers, h, r).

    A product of matrices for some texts and some references at a time, of near lengths: memory is 100 MB besides the
    store, as for :func:`match`, which has the pairs of longer texts.
    """
    import torch

    lengths, n_layers, device = np.diff(store.offsets), len(store.vectors), store.vectors.device
    if max(lengths[texts].max(initial=0), lengths[references].max(initial=0)) > _CROSSED:
        pairs = np.repeat(texts, len(references)), np.tile(references, len(texts))
        return np.stack(match(store, weights, *pairs)).reshape(2, n_layers, len(texts), len(references))
    both = torch.zeros((2, n_layers, len(texts), len(references)), device=device)
    with torch.inference_mode():
        shares = torch.from_numpy(weights).to(device)
        sides = [
            [_padded(store, shares, side, chosen) for chosen in _near(lengths[side])] for side in (texts, references)
        ]
        for (where, left, left_share), (there, right, right_share) in product(*sides):
            for layer, vectors in enumerate(store.vectors):
                one, other = vectors[left].flatten(0, 1), vectors[right].flatten(0, 1)
                similarity = (one @ other.T).view(*left.shape, *right.shape)
                both[0, layer, where[:, None], there] = (similarity.amax(3) * left_share[:, :, None]).sum(1)
                both[1, layer, where[:, None], there] = (similarity.amax(1) * right_share).sum(2)
    found: NDArray[np.float64] = both.double().cpu().numpy()
    return found


def _near(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the places of texts of near lengths, of at most `_CROSSED` tokens with padding; none of empty ones."""
    order = np.argsort(-lengths, kind="stable")[: int((lengths > 0).sum())]
    while len(order):
        size = max(1, _CROSSED // int(lengths[order[0]]))
        yield order[:size]
        order = order[size:]


def _padded(store: Store, shares: Any, texts: NDArray[np.int64], chosen: NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Return places of texts, their tokens in the store, and the shares of these.

    Behind a text stands its first token with a share of 0: a token that is there twice changes no maximum.
    """
    import torch

    starts, stops = store.offsets[texts[chosen], None], store.offsets[texts[chosen] + 1, None]
    rows = starts + np.arange(int((stops - starts).max()))
    present = rows < stops
    places, own, counted = (
        torch.from_numpy(each).to(shares.device) for each in (chosen, np.where(present, rows, starts), present)
    )
    return places, own, shares[own].masked_fill_(~counted, 0)


def _best_matches(left: Any, right: Any, absent: Any) -> tuple[Any, Any]:
    """Return the greatest cosine of each token of each text: (m, a, d), (m, b, d) -> (m, a), (m, b)."""
    import torch

    if len(left) > 1 or left.shape[1] * right.shape[1] <= _SIMILARITIES:
        similarity = torch.bmm(left, right.transpose(1, 2))
        if absent is not None:
            similarity.masked_fill_(absent, _BELOW_ANY_COSINE)
        return similarity.amax(2), similarity.amax(1)
    rows = max(1, _SIMILARITIES // right.shape[1])  # one pair of long texts: never the whole table at once
    of_left, of_right = [], torch.full_like(right[:, :, 0], _BELOW_ANY_COSINE)
    for part in left.split(rows, dim=1):
        similarity = torch.bmm(part, right.transpose(1, 2))
        of_left.append(similarity.amax(2))
        of_right = torch.maximum(of_right, similarity.amax(1))
    return torch.cat(of_left, 1), of_right


def _buckets(
    predictions: NDArray[np.int64], references: NDArray[np.int64], of_texts: NDArray[np.int64], most: int
) -> Iterator[NDArray[np.int64]]:
    """Yield indices of pairs of near lengths, of at most so many tokens with padding (but one pair at least)."""
    left, right = of_texts[predictions], of_texts[references]
    order = np.lexsort((references, predictions, right, left))
    order = order[(left[order] > 0) & (right[order] > 0)]
    lengths = list(zip(left[order].tolist(), right[order].tolist(), strict=True))
    start = 0
    while start < len(order):
        a, b = lengths[start]
        stop = start + 1
        while stop < len(order):
            wide, high = max(a, lengths[stop][0]), max(b, lengths[stop][1])
            size = stop + 1 - start
            if size * (wide + high) > most or size * wide * high > _SIMILARITIES:
                break
            a, b, stop = wide, high, stop + 1
        yield order[start:stop]
        start = stop
