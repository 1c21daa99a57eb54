"""Encoders by name or folder: loaded once, and kept for later calls."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tercet import numpy_later as np
from tercet.errors import InputError, OptionError, first_line, shorten
from tercet.locks import Lock
from tercet.option_checks import as_device
from tercet.signature import digest
from tercet.statistics.progress import line_of

from .encoder import Encoder, states_of_ids
from .in_memory import InMemory, is_quantized, tell_of_copy
from .layers import best_layer, model_depth
from .model_files import (
    ADAPTER_CONFIG,
    HubModel,
    Located,
    base_of,
    load_config,
    load_tokenizer,
    locate,
    quiet,
    tell_of_load,
)
from .network import load_network
from .onednn import suit_processor
from .subwords import Subwords, lower_casing
from .torch_settings import own_settings

T = TypeVar("T")


def subwords_of(
    model_type: Located, prefix_space: bool | str = "auto", use_fast: bool = False, lowercase: bool = False
) -> Subwords:
    """Return the tokenizer of an encoder, without its weights; kept for later calls."""
    model = locate(model_type)
    with LOADING, own_settings():
        return _shared_subwords(model, state_of(model), prefix_space, use_fast, lowercase)


def encoder_of(
    model_type: Located,
    num_layers: int | None,
    *,
    all_layers: bool = False,
    last_layer: bool = False,
    device: str | int | None = None,
    dtype: str | None = None,
    attn_implementation: str | None = None,
    prefix_space: bool | str = "auto",
    use_fast: bool = False,
    lowercase: bool = False,
    use_safetensors: bool = True,
    as_t5: bool = False,
) -> Encoder:
    """Return an encoder; the last two are kept for later calls.

    With `as_t5`, a umt5 runs as a T5, as in bert-score.
    """
    model = locate(model_type)
    chosen = None if all_layers or last_layer else chosen_layer(model_type, num_layers)
    tell_of_copy(model, dtype)
    with LOADING, own_settings():
        state = state_of(model)
        subwords = _shared_subwords(model, state, prefix_space, use_fast, lowercase)
        # asked for by its number, as all layers (None) are another encoder
        if last_layer:
            chosen = _depth(model, state)
        leave_threads_of_the_parent()
        precision = dtype or "float32"
        as_t5 = as_t5 and _kind(model, state) == "umt5"
        return _encoder(
            model,
            state,
            chosen,
            best_device(device),
            precision,
            attn_implementation,
            use_safetensors,
            subwords,
            as_t5,
        )


def chosen_layer(model_type: Located, num_layers: int | None) -> int:
    """Return the layer to use: the requested one, or bert-score's for this model."""
    if num_layers is not None:
        return num_layers
    layer = best_layer(str(model_type))
    if layer is not None:
        return layer
    depth = model_depth(load_config(locate(model_type)))
    raise OptionError(
        f"bertscore_idf knows no best layer for the encoder {shorten(str(model_type))}: give 'num_layers', from 0 to "
        f"{depth}. Two thirds of the depth, num_layers={max(1, round(depth * 2 / 3))}, is a usual choice; "
        "all_layers=True scores with every layer, to compare them on graded data."
    )


#: Processes that have loaded an encoder: this one, and its ancestors by fork.
_processes: set[int] = set()


def leave_threads_of_the_parent() -> None:
    """Let a forked child compute with one thread: it has none of PyTorch's pool, and would wait for them for ever."""
    import torch

    if _processes and os.getpid() not in _processes:
        torch.set_num_threads(1)
    _processes.add(os.getpid())


#: What was loaded and is kept for later calls.
_caches: list[Any] = []


def keep_last(count: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
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
    torch: Any = sys.modules.get("torch")  # if it was not imported, no memory of a GPU was taken
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    if torch is not None and torch.backends.mps.is_available():
        torch.mps.empty_cache()


#: Of two threads that load a network one waits for the other: transformers switches the loading of all of them.
LOADING = Lock()


# `state` is not read: it makes the key under which an encoder is kept change with its files.
@keep_last(2)
def _encoder(
    model: Located,
    state: tuple[object, ...],
    num_layers: int | None,
    device: str,
    dtype: str,
    attn_implementation: str | None,
    use_safetensors: bool,
    subwords: Subwords,
    as_t5: bool,
) -> Encoder:
    import torch

    torch_device = usable(device)
    tell_of_load(model, torch_device)
    with line_of(f"loading the encoder {model_name(model)}"):
        network = load_network(model, load_config(model), num_layers, use_safetensors, as_t5)
        use_attention(network.model, attn_implementation)
        if dtype == "auto" or is_quantized(network.model):
            dtype = network.dtype
        if is_quantized(network.model):
            torch_device = network.model.device
        else:
            network.model.to(torch_device, getattr(torch, dtype))
            suit_processor(network.model, torch_device, dtype)
        probed = probe(network.model, subwords, torch_device, several=num_layers is None)
        return Encoder(
            subwords=subwords,
            network=network,
            device=torch_device,
            n_layers=probed.n_layers,
            dimensions=probed.dimensions,
            padding_shows=probed.padding_shows,
            label=label_of(model, network.digest, subwords.fingerprint),
            dtype=dtype,
        )


def _shared_subwords(
    model: Located, state: tuple[object, ...], prefix_space: bool | str, use_fast: bool, lowercase: bool
) -> Subwords:
    """Return the tokenizer that is kept: with another prefix_space, both values of use_fast have the same."""
    by_release = use_fast and prefix_space == "installed"
    return _subwords(model, state, prefix_space, by_release, lowercase)


@keep_last(8)
def _subwords(
    model: Located, state: tuple[object, ...], prefix_space: bool | str, use_fast: bool, lowercase: bool
) -> Subwords:
    with line_of(f"loading the tokenizer of {model_name(model)}"):  # and PyTorch, before any other use of it
        tokenizer = load_tokenizer(model)
        if lowercase:
            tokenizer = lower_casing(tokenizer)
        return Subwords(tokenizer, load_config(model), prefix_space, use_fast)


@keep_last(8)
def _depth(model: Located, state: tuple[object, ...]) -> int:
    return model_depth(load_config(model))


@keep_last(8)
def _kind(model: Located, state: tuple[object, ...]) -> str:
    return str(load_config(model).model_type)


@keep_last(2)
def read_static(weights: str, tokenizer: str, changed: tuple[int, int], source: str) -> InMemory:
    """Return the static embeddings that two files hold; `changed`, when they did, is part of the key for later calls.

    `source` is the folder or the name on the Hub.
    """
    from tokenizers import Tokenizer

    from .static import StaticNetwork, read_vectors, static_tokenizer

    try:
        network = StaticNetwork(read_vectors(weights), source)
    except Exception as error:  # broken files raise errors of many kinds
        raise InputError(f"The file {weights} does not hold static embeddings: {first_line(error)}") from error
    try:
        return InMemory(network, static_tokenizer(Tokenizer.from_file(tokenizer)))
    except Exception as error:
        raise InputError(f"The file {tokenizer} is not a tokenizer: {first_line(error)}") from error


def state_of(model: Located, option: str = "model_type") -> tuple[object, ...]:
    """Return a key that changes with the files of a folder, or with weights: a model in training is reloaded."""
    if isinstance(model, InMemory):
        return model.state()
    if isinstance(model, HubModel) or not os.path.isabs(model):
        return ()
    files = {}
    with os.scandir(model) as entries:
        for entry in entries:
            if entry.is_file():
                stat = entry.stat()
                files[entry.name] = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    state: tuple[object, ...] = tuple(sorted(files.items()))
    if ADAPTER_CONFIG not in files:
        return state
    base = base_of(model, option)
    if base is None:
        return state
    return state + state_of(base, option)


def label_of(model: Located, *digests: str) -> str:
    """Return a located model's entry in a signature: its name, and a digest of its files."""
    name = re.sub(r"[|:,\s]", "_", model_name(model))
    return f"{name}@{digest(digests)}"


def model_name(model: Located) -> str:
    """Return the name of a located model: on the Hub, or of its folder."""
    name = str(model)
    if os.path.isdir(name):
        return Path(name).name
    return name


def best_device(device: str | int | None) -> str:
    """Return the requested device, or the first available of ``cuda``, ``mps`` and ``cpu``."""
    import torch

    if device is not None:
        return str(as_device(device))
    if torch.cuda.is_available():
        return "cuda"
    if torch.backends.mps.is_available():
        return "mps"
    return "cpu"


def usable(device: str) -> Any:
    """Return a device of PyTorch, or raise an OptionError where it cannot be used."""
    import torch

    try:
        torch_device = torch.device(device)
        torch.zeros(1, device=torch_device).cpu()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise OptionError(f"The 'device' {shorten(device)} cannot be used here: {reason}") from error
    return torch_device


def use_attention(network: Any, attn_implementation: str | None) -> None:
    """Let a network compute attention as asked, or raise an OptionError where it cannot."""
    if attn_implementation is None:
        return
    reason = "its code computes attention in one way only"
    try:
        with quiet():
            network.set_attn_implementation(attn_implementation)
    except AttributeError:
        pass
    except Exception as error:  # of packages that are missing too
        reason = " ".join(str(error).split())[:400].rstrip(".")
    if getattr(network.config, "_attn_implementation", None) != attn_implementation:
        raise OptionError(
            f"attn_implementation={attn_implementation!r} cannot be used with {type(network).__name__}: {reason}."
        )


# What a loaded network gives for short texts: how many layers, of which width, and whether padding shows in them.


class Probed(NamedTuple):
    """What a network is, as its states of short texts show."""

    n_layers: int  # of those that are embedded
    dimensions: int
    padding_shows: bool  # whether the padding of a batch changes a text's embedding


def probe(model: Any, subwords: Subwords, device: Any, *, several: bool) -> Probed:
    """Return what short texts show of a network.

    An OptionError for a network that does not give a vector for each token of a text, or cannot run on text alone:
    then transformers raises errors of many kinds.
    """
    import torch

    def ids_of(text: str) -> Any:
        ids = subwords.whole([text]).values[: subwords.limit].astype(np.int64)
        return torch.from_numpy(ids).to(device)[None]

    def embeddings(states: Any) -> Any:
        # of the tokens of the short text, which is alone in one batch, and the last in the other
        return torch.nn.functional.normalize(states[-1, -1, : short.shape[1]].float(), dim=1)

    short = ids_of("a b")
    long = ids_of("a b c d e f g h i j")
    padded = torch.full_like(long, subwords.padding_id)
    padded[:, : short.shape[1]] = short
    mask = (torch.arange(long.shape[1], device=device) < short.shape[1])[None]
    with torch.inference_mode():
        try:
            unbatched = states_of_ids(model, short, None, several=several)
            batched = states_of_ids(
                model, torch.cat([long, padded]), torch.cat([torch.ones_like(mask), mask]).long(), several=several
            )
        except Exception as error:
            raise _refusal(model, f"cannot be run on text alone ({type(error).__name__}: {error})") from error
        # only the shape of the batch's ids matters here
        for ids, states in ((short, unbatched), (padded.repeat(2, 1), batched)):
            if states.ndim != 4 or states.shape[1:3] != ids.shape:
                raise _refusal(
                    model, f"gives states of shape {tuple(states.shape[1:])} for ids of {tuple(ids.shape)}"
                )
        greatest_difference = (embeddings(unbatched) - embeddings(batched)).abs().max()
        # in half precision, rounding alone differs by more than 1e-4
        tolerance = 1e-4 if model.dtype == torch.float32 else 0.05
        return Probed(len(unbatched), unbatched.shape[-1], bool(greatest_difference > tolerance))


def _refusal(model: Any, reason: str) -> OptionError:
    reason = " ".join(reason.split())[:300]
    return OptionError(
        f"The network {type(model).__name__} of this encoder {reason}: expected one that gives each token of a text "
        "a vector, in every layer that is asked for."
    )
