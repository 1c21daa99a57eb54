"""The declarations of a sentence-transformers folder: pooling, further modules, lengths, lower case and prompt.

What is declared and not read here is refused by name: it would change the embeddings without a word.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

from tercet.encoders.find import locate, optional_file
from tercet.errors import OptionError, shorten

#: How the embeddings of tokens become one; the names are those of sentence-transformers.
POOLINGS = ("mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens")

_LEGACY = {
    "cls_token": "cls",
    "max_tokens": "max",
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "weightedmean_tokens": "weightedmean",
    "lasttoken": "lasttoken",
}
_ACTIVATIONS = {"Identity": "none", "Tanh": "tanh"}
_SENTENCE = "sentence_embedding"

# Names of the file of settings of the network, the newest first: sentence-transformers takes the first that it meets.
_SETTINGS = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)
# What is read from the files, and what changes no embedding of a text: sizes, versions, the speed of padding, and the
# prompts and lengths of calls that ask for them. Values that are listed are the only ones that are known.
_KNOWN_OF_MODEL = {
    "model_type": "SentenceTransformer", "prompts": ..., "default_prompt_name": ..., "truncate_dim": ...,
    "similarity_fn_name": ..., "__version__": ..., "requirements": ...,
}  # fmt: skip
_KNOWN_OF_NETWORK = {
    "transformer_task": "feature-extraction", "modality_config": ..., "module_output_name": "token_embeddings",
    "max_seq_length": ..., "do_lower_case": ..., "unpad_inputs": ...,
}  # fmt: skip
_KNOWN_OF_POOLING = {
    "embedding_dimension": ..., "word_embedding_dimension": ..., "pooling_mode": ..., "include_prompt": ...,
    **{f"pooling_mode_{key}": ... for key in _LEGACY},
}  # fmt: skip
_KNOWN_OF_NORMALIZE = {"module_input_name": _SENTENCE, "module_output_name": _SENTENCE}
_KNOWN_OF_DENSE = {
    **_KNOWN_OF_NORMALIZE, "in_features": ..., "out_features": ..., "bias": ..., "activation_function": ...,
}  # fmt: skip
_TEXTS = {"method": "forward", "method_output_name": "last_hidden_state"}  # how the network is called with them


@dataclass(frozen=True, slots=True)
class Dense:
    """A linear layer after the pooling."""

    path: str  # its folder inside that of the encoder, such as 2_Dense
    activation: str


@dataclass(frozen=True, slots=True)
class Declared:
    """How an encoder makes one embedding of a text."""

    home: str  # the requested folder, or name on the Hub
    network: str  # the folder of the network itself: the same, or one inside it
    pooling: str | None = None  # None if not declared
    # modules after the pooling, in order; None is a division by the length
    steps: tuple[Dense | None, ...] = ()
    max_length: int | None = None
    lowercase: bool = False
    prompt: str = ""  # precedes every text
    truncate_dim: int | None = None  # how many of the first numbers of an embedding count; None for all
    similarity: str = "cosine"  # which comparison of embeddings the folder was made for


def declared_by(model_type: str) -> Declared:
    """Read what the files of an encoder declare; an encoder without such files declares nothing."""
    folder = os.path.expanduser(model_type)
    home = str(Path(folder).resolve()) if os.path.isdir(folder) else locate(model_type)
    modules = _read(home, "modules.json")
    if not modules:
        return Declared(home, locate(home))
    if not isinstance(modules, list) or not all(isinstance(each, Mapping) for each in modules):
        raise _refusal(home, "has a modules.json that is not a list of modules")
    first, *others = [_module(home, each) for each in modules]
    if first[0] != "Transformer":
        raise _refusal(home, f"begins with a module {first[0]!r} in place of a network of transformers")
    inside = first[1]
    if inside and not os.path.isdir(home):
        raise _refusal(home, f"has its network in the sub-folder {inside!r}: download it, and give the folder")
    settings = _settings(home, inside)
    network = locate(os.path.join(home, inside) if inside else home)
    model = _known(home, "config_sentence_transformers.json", _KNOWN_OF_MODEL)
    _check_requirements(home, model.get("requirements") or {})
    prompt = _prompt(home, model)
    pooling, steps = _behind(home, others, prompt)
    return Declared(
        home, network, pooling, steps, _count(home, settings, "max_seq_length"), bool(settings.get("do_lower_case")),
        prompt, _count(home, model, "truncate_dim"), str(model.get("similarity_fn_name") or "cosine"),
    )  # fmt: skip


def _module(home: str, module: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind of a module and its folder."""
    kind = str(module.get("type", ""))
    if not kind.startswith("sentence_transformers."):  # code that comes with the encoder
        raise _refusal(home, f"has a module {kind!r}")
    return kind.split(".")[-1], str(module.get("path", ""))


def _settings(home: str, inside: str) -> Mapping[str, Any]:
    """Return the settings of the network."""
    settings = next(
        filter(None, (_known(home, os.path.join(inside, name), _KNOWN_OF_NETWORK) for name in _SETTINGS)), {}
    )
    if settings.get("modality_config", {"text": _TEXTS}).get("text") != _TEXTS:
        raise _refusal(home, f"declares 'modality_config': {settings['modality_config']!r}")
    return settings


def _behind(home: str, modules: list[tuple[str, str]], prompt: str) -> tuple[str, tuple[Dense | None, ...]]:
    """Return the pooling and the modules after it."""
    pooling: str | None = None
    steps: list[Dense | None] = []
    for kind, path in modules:
        file = f"{path}/config.json"
        if kind == "Pooling" and pooling is None:
            pooling = _pooling(home, _known(home, file, _KNOWN_OF_POOLING), prompt)
        elif kind == "Normalize" and pooling is not None:
            _known(home, file, _KNOWN_OF_NORMALIZE)
            steps.append(None)
        elif kind == "Dense" and pooling is not None:
            steps.append(_dense(home, path, _known(home, file, _KNOWN_OF_DENSE)))
        elif kind != "Dropout":  # which acts only in training
            raise _refusal(home, f"has a module {kind!r}{'' if pooling else ' before any pooling'}")
    if pooling is None:
        raise _refusal(home, "has no module that pools")
    return pooling, tuple(steps)


def _pooling(home: str, config: Mapping[str, Any], prompt: str) -> str:
    modes = config.get("pooling_mode")
    if modes is None:
        modes = [mode for key, mode in _LEGACY.items() if config.get(f"pooling_mode_{key}")] or ["mean"]
    modes = [modes] if isinstance(modes, str) else list(modes)
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise _refusal(home, f"pools by {' and '.join(map(str, modes))}")
    if prompt and config.get("include_prompt") is False:
        raise _refusal(home, "leaves the tokens of its default prompt out of the pooling")
    return str(modes[0])


def _dense(home: str, path: str, config: Mapping[str, Any]) -> Dense:
    name = str(config.get("activation_function", "torch.nn.Tanh"))
    activation = name.split(".")[-1]
    if activation not in _ACTIVATIONS or not name.startswith("torch."):
        raise _refusal(home, f"has a dense layer of a kind that is not known here ({name})")
    return Dense(path, _ACTIVATIONS[activation])


def _prompt(home: str, config: Mapping[str, Any]) -> str:
    prompts, name = config.get("prompts"), config.get("default_prompt_name")
    if name is None:
        return ""
    if not isinstance(prompts, Mapping) or name not in prompts:
        raise _refusal(home, f"declares 'default_prompt_name': {name!r}, but no such prompt")
    return str(prompts[name] or "")


def _check_requirements(home: str, requirements: Mapping[str, Any]) -> None:
    """Refuse a folder made for other versions of the packages that run its network."""
    from packaging.specifiers import SpecifierSet

    for package, wanted in requirements.items():
        if package.replace("_", "-").lower() == "sentence-transformers":  # which does not run here
            continue
        needed = str(wanted.get("specifier", "") if isinstance(wanted, Mapping) else wanted)
        try:
            installed = (
                python_version() if package == "python" else version({"pytorch": "torch"}.get(package, package))
            )
            met = SpecifierSet(needed).contains(installed, prereleases=True)
        except (PackageNotFoundError, ValueError):
            met = False
        if not met:
            raise _refusal(home, f"requires {package} {needed}")


def _count(home: str, config: Mapping[str, Any], name: str) -> int | None:
    value = config.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise _refusal(home, f"declares {name!r}: {value!r}")
    return value


def _known(home: str, file: str, known: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a file declares, if all of it is known: with ``...`` any value, or else only the one listed."""
    config = _read(home, file)
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise _refusal(home, f"has a {file} that is not an object")
    for name, value in config.items():
        if value not in (None, False, "", [], {}) and known.get(name, None) not in (..., value):
            raise _refusal(home, f"declares {name!r}: {shorten(value)} in {file}")
    return config


def _read(home: str, name: str) -> Any:
    """Return the contents of a JSON file; None if there is none."""
    path = optional_file(home, name)
    if path is None:
        return None
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(
            f"The file {name} of the encoder {shorten(home, 300)}, given as 'model_type', cannot be read: {error}."
        ) from error


def _refusal(home: str, what: str) -> OptionError:
    return OptionError(
        f"The encoder {shorten(home, 300)}, given as 'model_type', {what}, which embedding_cosine does not support. "
        "Give a folder of the network alone (config.json, model.safetensors and the tokenizer's files, without "
        "modules.json), and choose its pooling with the option 'pooling'."
    )
