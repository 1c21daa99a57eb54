"""Adapters of PEFT that were saved alone: put into the model to which they belong."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tercet.errors import OptionError, first_line, shorten

from .model_files import ADAPTER_CONFIG, HubModel, optional_file, quiet

_WEIGHTS = "adapter_model.safetensors"
#: What PEFT writes before the name of a layer.
_OF_PEFT = "base_model.model."


def put_adapter(adapter: str | HubModel, network: Any, option: str = "model_type") -> None:
    """Put a located adapter into its base, or raise an OptionError where not all of it fits.

    PEFT itself leaves out what does not fit, and draws at random what the files lack.
    """
    import peft
    import torch
    from safetensors.torch import load_file

    name = shorten(str(adapter), 300)
    config = optional_file(adapter, ADAPTER_CONFIG, option)
    weights = optional_file(adapter, _WEIGHTS, option)
    if config is None or weights is None:
        raise OptionError(
            f"The adapter {name}, given as {option!r}, has no {_WEIGHTS}: adapters are read from safetensors files "
            "only."
        )
    try:
        settings = peft.PeftConfig.from_pretrained(os.path.dirname(config))
        tensors = load_file(weights)
    except Exception as error:  # broken files raise errors of many kinds
        raise OptionError(f"The adapter {name}, given as {option!r}, cannot be read: {first_line(error)}") from error
    if settings.is_prompt_learning:
        raise OptionError(
            f"The adapter {name}, given as {option!r}, is a learned prompt ({settings.peft_type.value}), which is no "
            "layer of its model and would be left out: only adapters that are layers, such as LoRA, are scored."
        )
    settings.inference_mode = True
    paths = _paths(network, tensors)
    used_tensors = {paths[key]: tensor for key, tensor in tensors.items() if key in paths}
    try:
        with quiet(), torch.random.fork_rng(devices=[]):  # PEFT draws weights before it reads them
            peft.inject_adapter_in_model(settings, network)
            expected_keys = set(peft.get_peft_model_state_dict(network, save_embedding_layers=False))
            outcome = peft.set_peft_model_state_dict(network, used_tensors)
    except Exception as error:  # of layers that the base lacks, or that have another size there
        raise _error_of_another_model(name, network, option, first_line(error)) from error
    unfilled = sorted(expected_keys - set(paths.values()))
    unused = sorted(outcome.unexpected_keys)
    if unfilled:
        raise _error_of_another_model(name, network, option, f"its files lack the weights {unfilled[0]!r}")
    if not unused and not paths:
        unused = list(tensors) or [""]
    if unused:
        raise _error_of_another_model(name, network, option, f"there is no place for its weights {unused[0]!r}")


def base_names(network: Any, names: Iterable[str]) -> set[str]:
    """Return what names of weights are called once an adapter is put in, which wraps the layers it changes."""
    known = set(network.state_dict())
    renamed = set()
    for name in names:
        layer, _, weight = name.rpartition(".")
        wrapped = f"{layer}.base_layer.{weight}"
        if wrapped in known:
            renamed.add(wrapped)
        else:
            renamed.add(name)
    return renamed


def _paths(network: Any, keys: Iterable[str]) -> dict[str, str]:
    """Return the path in the network of each weight of an adapter.

    Adapters are trained in a body with a head or without, and scored in either: then the name of the body is left
    out, or added. What belongs to a head or decoder that is not used here has no path.
    """
    body = f"{network.base_model_prefix}."
    paths = {}
    for key in keys:
        name = key.removeprefix(_OF_PEFT)
        for path in (name, name.removeprefix(body), body + name):
            if hasattr(network, path.partition(".")[0]):
                paths[key] = path
                break
    return paths


def _error_of_another_model(name: str, network: Any, option: str, reason: str) -> OptionError:
    return OptionError(
        f"The adapter {name}, given as {option!r}, does not fit into its base, a {type(network).__name__}: {reason}. "
        "Merge it into the model in which it was trained (merge_and_unload of PEFT), and give the folder of that."
    )
