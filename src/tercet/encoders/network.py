"""The encoder's network: loaded, cut after the layer that is used, and ready to run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tercet.errors import InputError

from .find import found, quiet
from .layers import cut, model_depth

# T5 and its kin have classes of their own for the encoder alone.
_ENCODER_CLASSES = {
    "t5": "T5EncoderModel",
    "mt5": "MT5EncoderModel",
    "umt5": "UMT5EncoderModel",
    "longt5": "LongT5EncoderModel",
}
_NOT_OF_THE_MODEL = ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype", "use_cache")


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded encoder."""

    model: Any  # in evaluation mode; without the layers after the one that is used
    config: Any
    digest: str  # eight characters that stand for the weights and the configuration


def load_network(model: str, config: Any, num_layers: int | None, use_safetensors: bool) -> Network:
    """Load a located encoder in single precision."""
    import torch
    import transformers

    kind = getattr(transformers, _ENCODER_CLASSES.get(config.model_type, "AutoModel"))
    given: dict[str, Any] = {"output_loading_info": True, **({"use_safetensors": True} if use_safetensors else {})}
    with quiet(), torch.random.fork_rng(devices=[]):  # heads without weights are drawn, and dropped
        network, report = found(model, kind.from_pretrained, **given)
    network = network.to(torch.float32).eval().requires_grad_(False)
    missing = set(report["missing_keys"])
    if hasattr(network, "decoder") and hasattr(getattr(network, "encoder", None), "config"):
        network = network.encoder
        missing = {key.removeprefix("encoder.") for key in missing if key.startswith("encoder.")}
    digest = weights_digest(network)
    if num_layers is not None:
        cut(network, num_layers, model_depth(config))
    if getattr(network, "pooler", None) is not None:
        network.pooler = torch.nn.Identity()  # not None: some models ask no questions before they call it
    check_weights(network, missing, model)
    return Network(network, network.config, digest)


def check_weights(network: Any, missing: set[str], model: str, called: str = "encoder") -> None:
    """Refuse a network with layers that no file filled: they would be random numbers."""
    left = sorted(missing & set(network.state_dict()))
    if left:
        raise InputError(
            f"The files of the {called} {model!r} lack weights of {len(left)} tensors, such as {left[0]!r}: "
            "config.json and the weights do not belong together."
        )


def weights_digest(network: Any) -> str:
    """Return a digest of all weights and of what the configuration changes of its defaults. Time: a second per GB."""
    import torch

    settings = network.config.to_diff_dict()
    for key in _NOT_OF_THE_MODEL:
        settings.pop(key, None)
    total = sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for name, tensor in sorted(network.state_dict().items()):
        if name.startswith("pooler."):  # which BERTScore does not use, and a file may lack
            continue
        total.update(f"{name}{tuple(tensor.shape)}".encode())
        total.update(tensor.contiguous().reshape(-1).view(torch.uint8).cpu().numpy())  # half precisions too
    return total.hexdigest()[:8]
