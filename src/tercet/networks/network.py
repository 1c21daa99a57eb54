"""The network of an encoder: loaded, cut after the layer that is used, and ready to run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tercet.errors import InputError

from .adapters import base_names, put_adapter
from .in_memory import InMemory, adapters_of, dtype_of, is_quantized, tensors_of
from .layers import cut, model_depth
from .model_files import Located, base_of, load_base, quiet

# T5 and its kin have classes of their own for the encoder alone.
_ENCODER_CLASSES = {
    "t5": "T5EncoderModel",
    "mt5": "MT5EncoderModel",
    "umt5": "UMT5EncoderModel",
    "longt5": "LongT5EncoderModel",
}
#: Settings that say nothing of the model itself: they do not count in its digest.
_NOT_OF_THE_MODEL = ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype", "use_cache")


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded encoder."""

    model: Any  # in evaluation mode; without the layers after the one that is used
    config: Any
    digest: str  # eight characters that stand for the weights and the configuration
    dtype: str  # the precision of the weights as they were found


def load_network(
    model: Located, config: Any, num_layers: int | None, use_safetensors: bool, as_t5: bool = False
) -> Network:
    """Load a located encoder in single precision; with `as_t5` a umt5 runs as a T5, as in bert-score."""
    import torch
    import transformers

    if isinstance(model, InMemory):
        network = model.network()
        network = getattr(network, "base_model", network)
        missing: set[str] = set()
    else:
        kind = getattr(transformers, _ENCODER_CLASSES.get(config.model_type, "AutoModel"))
        options: dict[str, Any] = {"output_loading_info": True}
        if use_safetensors:
            options["use_safetensors"] = True
        with quiet(), torch.random.fork_rng(devices=[]):  # heads without weights are drawn, and dropped
            network, report = load_base(model, kind.from_pretrained, **options)
        missing = set(report["missing_keys"])
        if base_of(model) is not None:
            put_adapter(model, network)
            missing = base_names(network, missing)
    dtype = dtype_of(network)
    if not is_quantized(network):
        network = network.to(torch.float32)
    network = network.eval().requires_grad_(False)
    if hasattr(network, "decoder") and hasattr(getattr(network, "encoder", None), "config"):
        network = network.encoder
        missing = {key.removeprefix("encoder.") for key in missing if key.startswith("encoder.")}
    if as_t5:
        _share_positions(network)
    digest = weights_digest(network)
    if num_layers is not None:
        cut(network, num_layers, model_depth(config))
    if getattr(network, "pooler", None) is not None:
        network.pooler = torch.nn.Identity()  # not None: some models call it without a check
    check_weights(network, missing, str(model))
    return Network(network, network.config, digest, dtype)


def _share_positions(network: Any) -> None:
    """Let all layers use the relative positions of the first one: a T5 has no others, where umt5 has its own."""
    first, *others = (block.layer[0].SelfAttention for block in network.encoder.block)
    for attention in others:
        attention.relative_attention_bias = first.relative_attention_bias


def check_weights(network: Any, missing: set[str], model: str, kind: str = "encoder") -> None:
    """Refuse a network with layers that no file filled: they would be random numbers."""
    unfilled = sorted(missing & set(network.state_dict()))
    if unfilled:
        raise InputError(
            f"The files of the {kind} {model!r} lack weights of {len(unfilled)} tensors, such as {unfilled[0]!r}: "
            "config.json and the weights do not belong together."
        )


def weights_digest(network: Any) -> str:
    """Return a digest of all weights and of what the configuration changes of its defaults. Time: a second per GB."""
    import torch

    settings = network.config.to_diff_dict()
    for key in _NOT_OF_THE_MODEL:
        settings.pop(key, None)
    checksum = sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for name, tensor in sorted(tensors_of(network), key=lambda named: named[0]):
        if name.startswith("pooler."):  # BERTScore does not use the pooler, and a file may lack it
            continue
        checksum.update(f"{name}{tuple(tensor.shape)}".encode())
        checksum.update(tensor.contiguous().reshape(-1).view(torch.uint8).cpu().numpy())  # half precisions too
    for setting in adapters_of(network):
        checksum.update(setting.encode())
    return checksum.hexdigest()[:8]
