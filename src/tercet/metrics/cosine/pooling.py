"""From token embeddings to the embedding of their text: the weight of each token, and the layers after pooling."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, OptionError
from tercet.networks.in_memory import InMemory
from tercet.networks.load import keep_last
from tercet.networks.long_texts import Windows
from tercet.networks.model_files import Located, optional_file

from .declarations import Declared, Dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Poolings in which a text's embedding is a sum of its tokens' with weights that depend on their positions alone.
_SUMS_OF_ALL = ("mean", "weightedmean", "mean_sqrt_len_tokens")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A dense layer, loaded."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]
    activation: str

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return transformed vectors, shape (n, in)."""
        outputs = vectors @ self.weight.T + self.bias
        return np.tanh(outputs) if self.activation == "tanh" else outputs


@dataclass(frozen=True, slots=True, eq=False)
class Pooling:
    """How a text gets its embedding."""

    name: str  # "mean", "cls" ... as the option `pooling` has them
    steps: tuple[Layer | None, ...]  # modules after it; None is a division by the length
    digest: str | None  # eight characters that stand for the dense layers; None where there are none
    dimensions: int | None  # how many of the first numbers of an embedding count; None for all

    @property
    def is_sum_of_tokens(self) -> bool:
        """Whether a text's embedding is a weighted sum of those of its tokens, so that a cosine can be divided."""
        return self.name in _SUMS_OF_ALL and self.digest is None

    def finish(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return embeddings of texts, shape (n, out), from pooled vectors, shape (n, d)."""
        for step in self.steps:
            if step is None:
                lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
                # The least divisor of torch's `normalize`.
                vectors = vectors / np.maximum(lengths, 1e-12)
            else:
                vectors = step(vectors)
        return vectors[:, : self.dimensions]


def requested_pooling(
    declared: Declared, requested: str, truncate_dim: int | None, width: int, use_safetensors: bool
) -> Pooling:
    """Return the requested pooling, or for ``"auto"`` the declared one, and the modules after it.

    `width` is that of the encoder's embeddings.
    """
    name = requested
    if requested == "auto":
        name = declared.pooling or "mean"
    steps: list[Layer | None] = []
    layers: list[Layer] = []
    for step in declared.steps:
        if step is None:
            steps.append(None)
        else:
            layer = _load_layer(declared.home, step, use_safetensors)
            steps.append(layer)
            layers.append(layer)
    if layers:
        width = len(layers[-1].weight)
    if truncate_dim is not None and truncate_dim > width:
        raise OptionError(
            f"The 'truncate_dim' option must be from 1 to {width} for this encoder. Got {truncate_dim} instead."
        )
    n_dimensions = declared.truncate_dim if truncate_dim is None else truncate_dim
    if n_dimensions is not None and n_dimensions >= width:
        n_dimensions = None
    if not layers:
        # Without a dense layer only divisions by the length are left out, and a cosine divides by it anyway.
        return Pooling(name, (), None, n_dimensions)
    checksum = sha256()
    for layer in layers:
        checksum.update(layer.activation.encode())
        checksum.update(layer.weight.tobytes())
        checksum.update(layer.bias.tobytes())
    return Pooling(name, tuple(steps), checksum.hexdigest()[:8], n_dimensions)


def token_weights(
    name: str, windows: Windows, chosen: NDArray[np.int64], is_taken: NDArray[np.bool_], rows: Ragged
) -> NDArray[np.float32]:
    """Return the contribution of each token of some windows to its text, shape (b, width).

    For a text in several windows, ``"cls"`` and ``"lasttoken"`` are means over its windows, each weighted by the
    number of tokens that are taken from it.
    """
    text = texts_of_windows(windows, rows)[chosen]
    lengths = rows.lengths[text].astype(np.float64)[:, None]
    first = windows.first[chosen][:, None]
    within = np.arange(is_taken.shape[1])[None, :]
    if name in ("cls", "lasttoken"):
        window_share = (windows.last[chosen][:, None] - first) / lengths
        position = 0 if name == "cls" else windows.ids.lengths[chosen][:, None] - 1
        return np.where(within == position, window_share, 0.0).astype(np.float32)
    if name == "mean":
        weights = 1 / lengths
    elif name == "mean_sqrt_len_tokens":
        weights = 1 / np.sqrt(lengths)
    else:  # "weightedmean": the first token of a text weighs 1, the second 2 ...
        in_text = (windows.target[chosen] - rows.offsets[:-1][text])[:, None]
        weights = (within + in_text - first + 1) / (lengths * (lengths + 1) / 2)
    return np.where(is_taken, weights, 0.0).astype(np.float32)


def texts_of_windows(windows: Windows, rows: Ragged) -> NDArray[np.int64]:
    """Return the text that each window is of."""
    return np.searchsorted(rows.offsets, windows.target, side="right") - 1


def _load_layer(home: Located, dense: Dense, use_safetensors: bool) -> Layer:
    if isinstance(home, InMemory):
        return _layer_of_tensors(home.sentence[int(dense.path)].linear.state_dict(), "", dense.activation)
    path = optional_file(home, f"{dense.path}/model.safetensors")
    if path is None and not use_safetensors:
        path = optional_file(home, f"{dense.path}/pytorch_model.bin")
    if path is None:
        raise OptionError(
            f"The dense layer {dense.path!r} of the encoder {home!r} has no model.safetensors. Only safetensors "
            "files are read by default; for a source that you trust, use_safetensors=False reads pytorch_model.bin."
        )
    return _read_layer(path, os.stat(path).st_mtime_ns, dense.activation)


@keep_last(8)
def _read_layer(path: str, changed: int, activation: str) -> Layer:
    import torch
    from safetensors.torch import load_file

    try:
        is_safe = path.endswith(".safetensors")
        tensors: dict[str, Any] = load_file(path) if is_safe else torch.load(path, weights_only=True)
        return _layer_of_tensors(tensors, "linear.", activation)
    except Exception as error:  # broken files raise errors of many kinds
        raise InputError(f"The file {path} is not a dense layer of sentence-transformers: {error}") from error


def _layer_of_tensors(tensors: Mapping[str, Any], prefix: str, activation: str) -> Layer:
    """Return a layer by copies of its tensors: those of a model in memory may change."""
    weight = tensors[f"{prefix}weight"].float().cpu().numpy().copy()
    bias = np.zeros(len(weight), np.float32)
    if f"{prefix}bias" in tensors:
        bias = tensors[f"{prefix}bias"].float().cpu().numpy().copy()
    return Layer(weight, bias, activation)
