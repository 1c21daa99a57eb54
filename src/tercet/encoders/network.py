"""The encoder's network: found by name or folder, cut behind the layer that is used, and ready to run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tercet.core.surroundings import check_working_directory
from tercet.errors import InputError, OptionError, shorten

# T5 and its kin have classes of their own for the encoder alone.
_ENCODER_CLASSES = {
    "t5": "T5EncoderModel",
    "mt5": "MT5EncoderModel",
    "umt5": "UMT5EncoderModel",
    "longt5": "LongT5EncoderModel",
}
_LAYER_LISTS = (
    *("encoder.layer", "encoder.block", "encoder.layers"),
    *("transformer.layer", "layers", "layer", "block", "h"),
)
_NOT_OF_THE_MODEL = ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype", "use_cache")
_NEED_A_LAYER = {"DebertaV2Model"}  # whose code in transformers fails without
_DEPTHS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded encoder.

    Attributes
    ----------
    model : torch.nn.Module
        In evaluation mode; without the layers behind the one that is used.
    config : transformers.PretrainedConfig
    depth : int
        Number of layers before it was cut.
    digest : str
        Eight characters that stand for the weights and the configuration.
    """

    model: Any
    config: Any
    depth: int
    digest: str


def locate(model_type: str) -> str:
    """Return the absolute path of a folder, or the name of a model of the Hub as it is.

    Raises
    ------
    OptionError
        For what is written as a path but is no folder with a config.json.
    InputError
        Where there is no working directory, which transformers asks for as it is imported.
    """
    check_working_directory("transformers")
    path = os.path.expanduser(model_type)
    if os.path.isdir(path):  # False also for what cannot be the name of a folder
        if not os.path.isfile(os.path.join(path, "config.json")):
            raise OptionError(f"The folder {path!r}, given as 'model_type', has no config.json.")
        return str(Path(path).resolve())
    if model_type.startswith((".", "/", "~")) or model_type.count("/") > 1 or "\\" in model_type:
        raise OptionError(f"There is no folder {shorten(model_type, 300)}, given as 'model_type'.")
    return model_type


def load_config(model: str) -> Any:
    """Return the configuration of a located model."""
    import transformers

    return _found(model, transformers.AutoConfig.from_pretrained)


def load_tokenizer(model: str) -> Any:
    """Return the tokenizer of a located model; the fast one where there is one."""
    import transformers

    with _quiet():
        return _found(model, transformers.AutoTokenizer.from_pretrained)


def model_depth(config: Any) -> int:
    """Return the number of layers of an encoder."""
    for name in _DEPTHS:
        depth = getattr(config, name, None)
        if isinstance(depth, int):
            return depth
    raise OptionError(f"The configuration of a {config.model_type!r} model does not say how many layers it has.")


def load_network(model: str, config: Any, num_layers: int | None, use_safetensors: bool) -> Network:
    """Load a located encoder in single precision.

    Parameters
    ----------
    model : str
        A folder or a name of the Hub, from :func:`locate`.
    config : transformers.PretrainedConfig
    num_layers : int or None
        Layers to keep: 0 for the embeddings alone, None for all.
    use_safetensors : bool
        Whether to take weights from safetensors files only.

    Raises
    ------
    OptionError
        When the weights are not found, when the encoder has fewer layers, or none that can be cut.
    InputError
        When the weights do not fill the network.
    """
    import torch
    import transformers

    kind = getattr(transformers, _ENCODER_CLASSES.get(config.model_type, "AutoModel"))
    given = {"output_loading_info": True, **({"use_safetensors": True} if use_safetensors else {})}
    with _quiet(), torch.random.fork_rng(devices=[]):  # heads without weights are drawn, and dropped
        network, report = _found(model, kind.from_pretrained, **given)
    network = network.to(torch.float32).eval().requires_grad_(False)
    missing = set(report["missing_keys"])
    if hasattr(network, "encoder") and hasattr(network, "decoder"):
        network = network.encoder
        missing = {key.removeprefix("encoder.") for key in missing if key.startswith("encoder.")}
    depth, digest = model_depth(config), _digest(network)
    if num_layers is not None:
        _cut(network, num_layers, depth)
    if getattr(network, "pooler", None) is not None:
        network.pooler = torch.nn.Identity()  # not None: some models ask no questions before they call it
    _check_weights(network, missing, model)
    return Network(network, network.config, depth, digest)


def _cut(network: Any, num_layers: int, depth: int) -> None:
    """Drop the layers behind the one that is used; norms behind the last layer stay, as in bert-score."""
    import torch

    least = 1 if type(network).__name__ in _NEED_A_LAYER else 0
    if not least <= num_layers <= depth:
        raise OptionError(
            f"The 'num_layers' option of bertscore_idf must be from {least} to {depth} for this encoder. "
            f"Got {num_layers} instead."
        )
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


def _check_weights(network: Any, missing: set[str], model: str) -> None:
    """Refuse an encoder with layers that no file filled: they would be random numbers."""
    left = sorted(missing & set(network.state_dict()))
    if left:
        raise InputError(
            f"The files of the encoder {model!r} lack weights of {len(left)} tensors, such as {left[0]!r}: "
            "config.json and the weights do not belong together."
        )


def _digest(network: Any) -> str:
    """Return a digest of all weights and of what the configuration changes of its defaults. Time: a second per GB."""
    settings = network.config.to_diff_dict()
    for key in _NOT_OF_THE_MODEL:
        settings.pop(key, None)
    total = sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for name, tensor in sorted(network.state_dict().items()):
        if name.startswith("pooler."):  # which BERTScore does not use, and a file may lack
            continue
        total.update(f"{name}{tuple(tensor.shape)}".encode())
        total.update(tensor.contiguous().numpy())
    return total.hexdigest()[:8]


def _found(model: str, from_pretrained: Callable[..., Any], **given: Any) -> Any:
    """Load from a folder, or from the cache of the Hub, or, for what is not there, from the Hub itself."""
    try:
        if not os.path.isdir(model):
            try:
                return from_pretrained(model, trust_remote_code=False, local_files_only=True, **given)
            except (OSError, ValueError):
                _check_hub(model)
        return from_pretrained(model, trust_remote_code=False, **given)
    except OptionError:
        raise
    except Exception as error:  # broken files raise errors of many kinds
        raise _not_found(model, str(error), "use_safetensors" in given) from error


def _check_hub(model: str) -> None:
    """Raise an OptionError when the Hub cannot be asked or has no such model: transformers tries for a minute."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    if constants.HF_HUB_OFFLINE:
        raise _not_found(model, "the Hub was not asked, for HF_HUB_OFFLINE is set")
    try:
        HfApi().model_info(model, timeout=10)
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise _not_found(model, str(error)) from error
    except HfHubHTTPError:  # it answers: what transformers asks for may be there
        return
    except Exception as error:  # of the HTTP library, which is another one in each release
        raise _not_found(model, f"the Hub cannot be reached ({error})") from error


def _not_found(model: str, reason: str, safetensors_only: bool = False) -> OptionError:
    from huggingface_hub import constants

    looked = f"in the cache {constants.HF_HUB_CACHE!r} and at {constants.ENDPOINT}"
    if os.path.isdir(model):
        looked = f"in the folder {model!r}"
    reason = " ".join(reason.split())[:400].rstrip(".")
    weights = " Only safetensors files are read; use_safetensors=False takes other files, of a source that you trust."
    return OptionError(
        f"The encoder {shorten(model, 300)} could not be loaded; looked {looked}: {reason}. Give as "
        "'model_type' the path of a folder with config.json, model.safetensors and the files of the tokenizer, or a "
        f"name of the Hub.{weights if safetensors_only else ''}"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from reporting on heads that BERTScore does not use, and on its progress."""
    from transformers.utils import logging

    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
