"""From token embeddings to the embedding of their text: the weight of each token, and the layers after pooling."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.embeddings import Windows
from tercet.encoders.find import optional_file
from tercet.encoders.load import kept
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, OptionError

from .declared import Declared, Dense

#: Poolings in which a text's embedding is a sum of its tokens' with weights that depend on their places alone.
SUMS_OF_ALL = ("mean", "weightedmean", "mean_sqrt_len_tokens")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A dense layer, loaded."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]
    activation: str

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return transformed vectors, shape (n, in)."""
        found = vectors @ self.weight.T + self.bias
        return np.tanh(found) if self.activation == "tanh" else found


@dataclass(frozen=True, slots=True, eq=False)
class Pooling:
    """How a text gets its embedding."""

    name: str  # one of POOLINGS
    steps: tuple[Layer | None, ...]  # modules after it; None is a division by the length
    digest: str | None  # eight characters that stand for the dense layers; None where there are none
    dimensions: int | None  # how many of the first numbers of an embedding count; None for all

    def finish(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return embeddings of texts, shape (n, out), from pooled vectors, shape (n, d)."""
        for step in self.steps:
            if step is None:
                lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
                vectors = vectors / np.maximum(lengths, 1e-12)
            else:
                vectors = step(vectors)
        return vectors[:, : self.dimensions]


def pooling_of(
    declared: Declared, asked: str, truncate_dim: int | None, width: int, use_safetensors: bool
) -> Pooling:
    """Return the requested pooling, or for ``"auto"`` the declared one, and the modules after it.

    `width` is that of the encoder's embeddings.
    """
    name = asked if asked != "auto" else declared.pooling or "mean"
    steps = tuple(None if step is None else _layer(declared.home, step, use_safetensors) for step in declared.steps)
    layers = [step for step in steps if step is not None]
    if layers:
        width = len(layers[-1].weight)
    if truncate_dim is not None and truncate_dim > width:
        raise OptionError(
            f"The 'truncate_dim' option must be from 1 to {width} for this encoder. Got {truncate_dim} instead."
        )
    first = declared.truncate_dim if truncate_dim is None else truncate_dim
    first = None if first is None or first >= width else first
    if not layers:
        return Pooling(name, (), None, first)  # a cosine divides by the lengths itself
    total = sha256()
    for layer in layers:
        total.update(layer.activation.encode())
        total.update(layer.weight.tobytes())
        total.update(layer.bias.tobytes())
    return Pooling(name, steps, total.hexdigest()[:8], first)


def token_weights(
    name: str, windows: Windows, chosen: NDArray[np.int64], taken: NDArray[np.bool_], rows: Ragged
) -> NDArray[np.float32]:
    """Return the contribution of each token of some windows to its text, shape (b, width).

    For a text in several windows, ``"cls"`` and ``"lasttoken"`` are means over its windows, each weighted by the
    number of tokens that are taken from it.
    """
    text = owners(windows, rows)[chosen]
    lengths = rows.lengths[text].astype(np.float64)[:, None]
    first = windows.first[chosen][:, None]
    within = np.arange(taken.shape[1])[None, :]
    if name in ("cls", "lasttoken"):
        given = (windows.last[chosen][:, None] - first) / lengths
        place = 0 if name == "cls" else windows.ids.lengths[chosen][:, None] - 1
        return np.where(within == place, given, 0.0).astype(np.float32)
    weights = {
        "mean": 1 / lengths,
        "mean_sqrt_len_tokens": 1 / np.sqrt(lengths),
        "weightedmean": (within + (windows.target[chosen] - rows.offsets[:-1][text])[:, None] - first + 1)
        / (lengths * (lengths + 1) / 2),
    }[name]
    return np.where(taken, weights, 0.0).astype(np.float32)


def owners(windows: Windows, rows: Ragged) -> NDArray[np.int64]:
    """Return the text that each window is of."""
    return np.searchsorted(rows.offsets, windows.target, side="right") - 1


def _layer(home: str, dense: Dense, use_safetensors: bool) -> Layer:
    path = optional_file(home, f"{dense.path}/model.safetensors")
    if path is None and not use_safetensors:
        path = optional_file(home, f"{dense.path}/pytorch_model.bin")
    if path is None:
        raise OptionError(
            f"The dense layer {dense.path!r} of the encoder {home!r} has no model.safetensors. Only safetensors "
            "files are read by default; for a source that you trust, use_safetensors=False reads pytorch_model.bin."
        )
    return _read_layer(path, os.stat(path).st_mtime_ns, dense.activation)


@kept(8)
def _read_layer(path: str, changed: int, activation: str) -> Layer:
    import torch
    from safetensors.torch import load_file

    try:
        is_safe = path.endswith(".safetensors")
        tensors: dict[str, Any] = load_file(path) if is_safe else torch.load(path, weights_only=True)
        weight = tensors["linear.weight"].float().numpy()
        bias = np.zeros(len(weight), np.float32)
        if "linear.bias" in tensors:
            bias = tensors["linear.bias"].float().numpy()
    except Exception as error:  # broken files raise errors of many kinds
        raise InputError(f"The file {path} is not a dense layer of sentence-transformers: {error}") from error
    return Layer(weight, bias, activation)
