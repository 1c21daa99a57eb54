"""Encoders by name or folder: loaded once, and kept for later calls."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from tercet.errors import OptionError, shorten
from tercet.signature import digest
from tercet.statistics.progress import line_of

from .encoder import Encoder
from .find import load_config, load_tokenizer, locate, tell_of_load
from .layers import model_depth
from .names import best_layer
from .network import load_network
from .onednn import suit_processor
from .probe import probe
from .subwords import Subwords, lower_casing

T = TypeVar("T")


def subwords_of(
    model_type: str, prefix_space: bool | str = "auto", use_fast: bool = False, lowercase: bool = False
) -> Subwords:
    """Return the tokenizer of an encoder, without its weights; kept for later calls."""
    model = locate(model_type)
    by_release = use_fast and prefix_space == "installed"  # which alone makes a difference
    with LOADING:
        return _subwords(model, state_of(model), prefix_space, by_release, lowercase)


def encoder_of(
    model_type: str,
    num_layers: int | None,
    *,
    all_layers: bool = False,
    last_layer: bool = False,
    device: str | None = None,
    dtype: str | None = None,
    prefix_space: bool | str = "auto",
    use_fast: bool = False,
    lowercase: bool = False,
    use_safetensors: bool = True,
) -> Encoder:
    """Return an encoder; the last two are kept for later calls."""
    model = locate(model_type)
    chosen = None if all_layers or last_layer else chosen_layer(model_type, num_layers)
    with LOADING:
        state = state_of(model)
        subwords = _subwords(model, state, prefix_space, use_fast and prefix_space == "installed", lowercase)
        if last_layer:
            chosen = _depth(model, state)
        leave_threads_of_the_parent()
        return _encoder(model, state, chosen, best_device(device), dtype or "float32", use_safetensors, subwords)


def chosen_layer(model_type: str, num_layers: int | None) -> int:
    """Return the layer to use: the requested one, or bert-score's for this model."""
    layer = num_layers if num_layers is not None else best_layer(model_type)
    if layer is not None:
        return layer
    depth = model_depth(load_config(locate(model_type)))
    raise OptionError(
        f"bertscore_idf knows no best layer for the encoder {shorten(model_type)}: give 'num_layers', from 0 to "
        f"{depth}. Two thirds of the depth, num_layers={max(1, round(depth * 2 / 3))}, is a usual choice; "
        "all_layers=True scores with every layer, to compare them on graded data."
    )


_processes: set[int] = set()  # that have loaded an encoder: this one, and its ancestors by fork


def leave_threads_of_the_parent() -> None:
    """Let a forked child compute with one thread: it has none of PyTorch's pool, and would wait for them for ever."""
    import torch

    if _processes and os.getpid() not in _processes:
        torch.set_num_threads(1)
    _processes.add(os.getpid())


#: What was loaded and is kept for later calls.
_caches: list[Any] = []


def kept(count: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return a decorator that keeps the last results of a function that loads a model, until they are freed."""

    def decorate(load: Callable[..., T]) -> Callable[..., T]:
        cached = lru_cache(maxsize=count)(load)
        _caches.append(cached)
        return cached

    return decorate


def free_models() -> None:
    """Free the memory of the networks that metrics have loaded: encoders and language models, with their tokenizers.

    tercet keeps the last two encoders (of BERTScore and the cosine of embeddings, with the embeddings of texts) and
    the last two language models (of perplexity), so that the next call need not load them. After this call, the
    memory of those that nothing else uses is free, on a GPU too, for training or for another model. Metrics stay as
    they are: the next call that needs a network loads it again.

    Examples
    --------
    >>> import tercet
    >>> tercet.free_models()
    """
    with LOADING:
        for cached in _caches:
            cached.cache_clear()
    gc.collect()
    torch: Any = sys.modules.get("torch")  # which alone has taken memory of a GPU
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    if torch is not None and torch.backends.mps.is_available():
        torch.mps.empty_cache()


#: Of two threads that load a network one waits for the other: transformers switches the loading of all of them.
LOADING = Lock()


@kept(2)
def _encoder(
    model: str,
    state: tuple[object, ...],
    num_layers: int | None,
    device: str,
    dtype: str,
    use_safetensors: bool,
    subwords: Subwords,
) -> Encoder:
    import torch

    where = usable(device)
    tell_of_load(model, where)
    with line_of(f"loading the encoder {model_name(model)}"):
        network = load_network(model, load_config(model), num_layers, use_safetensors)
        network.model.to(where, getattr(torch, dtype))
        suit_processor(network.model, where, dtype)
        probed = probe(network.model, subwords, where, several=num_layers is None)
        return Encoder(subwords, network, where, *probed, label_of(model, network.digest, subwords.fingerprint))


@kept(8)
def _subwords(
    model: str, state: tuple[object, ...], prefix_space: bool | str, use_fast: bool, lowercase: bool
) -> Subwords:
    with line_of(f"loading the tokenizer of {model_name(model)}"):  # and PyTorch, before any other use of it
        tokenizer = load_tokenizer(model)
        if lowercase:
            tokenizer = lower_casing(tokenizer)
        return Subwords(tokenizer, load_config(model), prefix_space, use_fast)


@lru_cache(maxsize=8)
def _depth(model: str, state: tuple[object, ...]) -> int:
    return model_depth(load_config(model))


def state_of(model: str) -> tuple[object, ...]:
    """Return a key that changes with the files of a folder: a model in training is reloaded."""
    if not os.path.isabs(model):
        return ()
    with os.scandir(model) as entries:
        stats = [(entry.name, entry.stat()) for entry in entries if entry.is_file()]
    return tuple(sorted((name, stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in stats))


def label_of(model: str, *digests: str) -> str:
    """Return a located model's entry in a signature: its name, and a digest of its files."""
    name = re.sub(r"[|:,\s]", "_", model_name(model))
    return f"{name}@{digest(digests)}"


def model_name(model: str) -> str:
    """Return the name of a located model: on the Hub, or of its folder."""
    return Path(model).name if os.path.isdir(model) else model


def best_device(asked: str | None) -> str:
    """Return the requested device, or the first available of ``cuda``, ``mps`` and ``cpu``."""
    import torch

    if asked is not None:
        return asked
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def usable(device: str) -> Any:
    """Return a device of PyTorch, or raise an OptionError where it cannot be used."""
    import torch

    try:
        where = torch.device(device)
        torch.zeros(1, device=where).cpu()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise OptionError(f"The 'device' {shorten(device)} cannot be used here: {reason}") from error
    return where
