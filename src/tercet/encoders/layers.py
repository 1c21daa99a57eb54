"""The layers of an encoder: how many there are, and which are dropped."""

from __future__ import annotations

from typing import Any

from tercet.errors import OptionError

_LAYER_LISTS = (
    *("encoder.layer", "encoder.block", "encoder.layers"),
    *("transformer.layer", "layers", "layer", "block", "h"),
    *("language_model.layers", "text_model.layers"),  # of those that take images too
)
_NEED_A_LAYER = {"DebertaV2Model"}  # whose code in transformers fails without
_DEPTHS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")
_PARTS = ("encoder", "text_encoder", "text_config")  # of the configuration of a network of several parts


def text_config(config: Any) -> Any:
    """Return the part of a configuration that describes what reads texts: all of it, for most."""
    for name in _PARTS:
        part = getattr(config, name, None)
        if hasattr(part, "model_type"):
            return text_config(part)
    return config


def model_depth(config: Any) -> int:
    """Return the number of layers of an encoder."""
    for name in _DEPTHS:
        depth = getattr(text_config(config), name, None)
        if isinstance(depth, int):
            return depth
    raise OptionError(f"The configuration of a {config.model_type!r} model does not say how many layers it has.")


def cut(network: Any, num_layers: int, depth: int) -> None:
    """Drop the layers after the one that is used; norms after the last layer stay, as in bert-score."""
    import torch

    least = 1 if type(network).__name__ in _NEED_A_LAYER else 0
    if not least <= num_layers <= depth:
        raise OptionError(
            f"The 'num_layers' option of bertscore_idf must be from {least} to {depth} for this encoder. "
            f"Got {num_layers} instead."
        )
    if num_layers == depth:
        return
    if hasattr(network, "n_layers"):  # XLM counts them at run time
        network.n_layers = num_layers
        return
    if hasattr(getattr(network, "encoder", None), "albert_layer_groups"):  # ALBERT repeats the same layer
        network.encoder.config.num_hidden_layers = num_layers
        return
    for path in _LAYER_LISTS:
        *parents, name = path.split(".")
        owner = network
        for parent in parents:
            owner = getattr(owner, parent, None)
        layers = getattr(owner, name, None)
        if isinstance(layers, torch.nn.ModuleList):
            setattr(owner, name, layers[:num_layers])
            return
    raise OptionError(
        f"bertscore_idf does not know where {type(network).__name__} keeps its layers: only all_layers=True works."
    )
