"""The declarations of a sentence-transformers folder: pooling, further modules, lengths, lower case and prompt.

What is declared and not read here is refused by name: it would change the embeddings silently.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from platform import python_version
from typing import Any

from tercet.errors import OptionError, did_you_mean, shorten
from tercet.networks.in_memory import InMemory
from tercet.networks.load import read_static
from tercet.networks.model_files import HubModel, Located, locate, optional_file

#: How the embeddings of tokens become one; the names are those of sentence-transformers.
_POOLINGS = ("mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens")

_LEGACY_MODES = {
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
# The keys that are read from the files, and those that change no embedding of a text: sizes, versions, the speed of
# padding, and the prompts and lengths of calls that ask for them. Where a value is listed, any other is refused.
_KNOWN_OF_MODEL = {
    "model_type": "SentenceTransformer",
    "prompts": ...,
    "default_prompt_name": ...,
    "truncate_dim": ...,
    "similarity_fn_name": ...,
    "__version__": ...,
    "requirements": ...,
}
_KNOWN_OF_NETWORK = {
    "transformer_task": "feature-extraction",
    "modality_config": ...,
    "module_output_name": "token_embeddings",
    "max_seq_length": ...,
    "do_lower_case": ...,
    "unpad_inputs": ...,
}
_KNOWN_OF_POOLING = {
    "embedding_dimension": ...,
    "word_embedding_dimension": ...,
    "pooling_mode": ...,
    "include_prompt": ...,
    **{f"pooling_mode_{key}": ... for key in _LEGACY_MODES},
}
_KNOWN_OF_NORMALIZE = {"module_input_name": _SENTENCE, "module_output_name": _SENTENCE}
_KNOWN_OF_DENSE = {
    **_KNOWN_OF_NORMALIZE,
    "in_features": ...,
    "out_features": ...,
    "bias": ...,
    "activation_function": ...,
}
# How the network is called with texts.
_TEXTS = {"method": "forward", "method_output_name": "last_hidden_state"}


@dataclass(frozen=True, slots=True)
class Dense:
    """A linear layer after the pooling."""

    path: str  # its folder inside that of the encoder, such as 2_Dense
    activation: str


@dataclass(frozen=True, slots=True)
class Declared:
    """How an encoder makes one embedding of a text."""

    home: Located  # the requested folder, or name on the Hub
    network: Located  # the folder of the network itself: the same, or one inside it
    pooling: str | None = None  # None if not declared
    # modules after the pooling, in order; None is a division by the length
    steps: tuple[Dense | None, ...] = ()
    max_length: int | None = None
    lowercase: bool = False
    prompt: str = ""  # precedes every text
    prompts: Mapping[str, str] = field(default_factory=dict)  # by name
    leaves_out_prompt: bool = False  # whether the tokens of a prompt are left out of the pooling
    truncate_dim: int | None = None  # how many of the first numbers of an embedding count; None for all
    similarity: str = "cosine"  # which comparison of embeddings the folder was made for


def declared_by(model_type: Located) -> Declared:
    """Read what the files of an encoder declare; an encoder without such files declares nothing."""
    if isinstance(model_type, str) and os.path.isdir(folder := os.path.expanduser(model_type)):
        home: Located = str(Path(folder).resolve())
    else:
        home = locate(model_type)
    modules = _read_json(home, "modules.json")
    if not modules:
        return Declared(home, locate(home))
    if not isinstance(modules, list) or not all(isinstance(module, Mapping) for module in modules):
        raise _refusal(home, "has a modules.json that is not a list of modules")
    (network_kind, subfolder), *later_modules = [_kind_and_folder(home, module) for module in modules]
    is_static = network_kind == "StaticEmbedding"
    if network_kind != "Transformer" and not is_static:
        raise _refusal(home, f"begins with a module {network_kind!r} in place of a network of transformers")
    if subfolder == ".":  # as model2vec writes it
        subfolder = ""
    if subfolder and not is_static and not os.path.isdir(str(home)):
        raise _refusal(home, f"has its network in the sub-folder {subfolder!r}: download it, and give the folder")
    settings = _network_settings(home, subfolder)
    if is_static:
        network = _static_embeddings(home, subfolder)
    elif subfolder:
        network = locate(os.path.join(str(home), subfolder))
    else:
        network = locate(home)
    model = _checked_json(home, "config_sentence_transformers.json", _KNOWN_OF_MODEL)
    _check_requirements(home, model.get("requirements") or {})
    prompt = _default_prompt(home, model)
    pooling, steps, leaves_out_prompt = _after_network(home, later_modules, "mean" if is_static else None)
    return Declared(
        home=home,
        network=network,
        pooling=pooling,
        steps=steps,
        max_length=_positive_integer(home, settings, "max_seq_length"),
        lowercase=bool(settings.get("do_lower_case")),
        prompt=prompt,
        prompts=_prompts_by_name(model),
        leaves_out_prompt=leaves_out_prompt,
        truncate_dim=_positive_integer(home, model, "truncate_dim"),
        similarity=str(model.get("similarity_fn_name") or "cosine"),
    )


def _kind_and_folder(home: Located, module: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind of a module and its folder."""
    kind = str(module.get("type", ""))
    if not kind.startswith("sentence_transformers."):  # code that comes with the encoder
        raise _refusal(home, f"has a module {kind!r}")
    return kind.split(".")[-1], str(module.get("path", ""))


def _static_embeddings(home: Located, subfolder: str) -> Located:
    """Return static embeddings, in memory."""
    if isinstance(home, InMemory):
        return home
    weights = _file_of_static(home, os.path.join(subfolder, "model.safetensors"))
    tokenizer = _file_of_static(home, os.path.join(subfolder, "tokenizer.json"))
    changed = (os.stat(weights).st_mtime_ns, os.stat(tokenizer).st_mtime_ns)
    return read_static(weights, tokenizer, changed, str(home))


def _file_of_static(home: str | HubModel, name: str) -> str:
    """Return the path of a file that static embeddings need, or raise an OptionError."""
    path = optional_file(home, name)
    if path is None:
        raise OptionError(
            f"The encoder {shorten(str(home), 300)}, given as 'model_type', has static embeddings, but no {name}. "
            "They are read from safetensors files only."
        )
    return path


def _network_settings(home: Located, subfolder: str) -> Mapping[str, Any]:
    """Return the settings of the network."""
    settings: Mapping[str, Any] = {}
    for name in _SETTINGS:
        settings = _checked_json(home, os.path.join(subfolder, name), _KNOWN_OF_NETWORK)
        if settings:
            break
    if settings.get("modality_config", {"text": _TEXTS}).get("text") != _TEXTS:
        raise _refusal(home, f"declares 'modality_config': {settings['modality_config']!r}")
    return settings


def _after_network(
    home: Located, modules: list[tuple[str, str]], pooling: str | None
) -> tuple[str, tuple[Dense | None, ...], bool]:
    """Return the pooling, the modules after it, and whether it leaves out prompts; `pooling` is of the network."""
    leaves_out_prompt = False
    steps: list[Dense | None] = []
    for kind, folder in modules:
        file = f"{folder}/config.json"
        if kind == "Pooling" and pooling is None:
            config = _checked_json(home, file, _KNOWN_OF_POOLING)
            pooling = _pooling_mode(home, config)
            leaves_out_prompt = config.get("include_prompt") is False
        elif kind == "Normalize" and pooling is not None:
            _checked_json(home, file, _KNOWN_OF_NORMALIZE)
            steps.append(None)
        elif kind == "Dense" and pooling is not None:
            steps.append(_dense_layer(home, folder, _checked_json(home, file, _KNOWN_OF_DENSE)))
        elif kind != "Dropout":  # Dropout acts only in training
            order = "" if pooling else " before any pooling"
            raise _refusal(home, f"has a module {kind!r}{order}")
    if pooling is None:
        raise _refusal(home, "has no module that pools")
    return pooling, tuple(steps), leaves_out_prompt


def _pooling_mode(home: Located, config: Mapping[str, Any]) -> str:
    declared = config.get("pooling_mode")
    if isinstance(declared, str):
        modes = [declared]
    elif declared is not None:
        modes = list(declared)
    else:
        modes = [mode for key, mode in _LEGACY_MODES.items() if config.get(f"pooling_mode_{key}")] or ["mean"]
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise _refusal(home, f"pools by {' and '.join(map(str, modes))}")
    return str(modes[0])


def _dense_layer(home: Located, path: str, config: Mapping[str, Any]) -> Dense:
    name = str(config.get("activation_function", "torch.nn.Tanh"))
    activation = name.split(".")[-1]
    if activation not in _ACTIVATIONS or not name.startswith("torch."):
        raise _refusal(home, f"has a dense layer of a kind that is not known here ({name})")
    return Dense(path, _ACTIVATIONS[activation])


def _default_prompt(home: Located, config: Mapping[str, Any]) -> str:
    prompts = _prompts_by_name(config)
    name = config.get("default_prompt_name")
    if name is None:
        return ""
    if name not in prompts:
        raise _refusal(home, f"declares 'default_prompt_name': {name!r}, but no such prompt")
    return prompts[name]


def _prompts_by_name(config: Mapping[str, Any]) -> dict[str, str]:
    prompts = config.get("prompts")
    if not isinstance(prompts, Mapping):
        return {}
    return {name: str(text or "") for name, text in prompts.items()}


def requested_prompt(declared: Declared, prompt: str | None, name: str | None) -> str:
    """Return the prompt that options ask for, as sentence-transformers finds it."""
    names = {"query": "", "document": "", **declared.prompts}  # these two every SentenceTransformer has
    if name is not None and name not in names:
        raise OptionError(
            f"The encoder {shorten(str(declared.home), 300)} declares no prompt {shorten(name)}, given as "
            f"'prompt_name'. {did_you_mean(name, names)}"
        )
    chosen = declared.prompt if name is None else names[name]
    if prompt is not None:
        chosen = prompt
    if chosen and declared.leaves_out_prompt:
        which = "its default prompt" if prompt is None and name is None else "a prompt"
        raise _refusal(declared.home, f"leaves the tokens of {which} out of the pooling")
    return chosen


def _check_requirements(home: Located, requirements: Mapping[str, Any]) -> None:
    """Refuse a folder made for other versions of the packages that run its network."""
    from importlib.metadata import PackageNotFoundError, version

    from packaging.specifiers import SpecifierSet

    for package, requirement in requirements.items():
        if package.replace("_", "-").lower() == "sentence-transformers":  # the network runs without this package
            continue
        specifier = requirement
        if isinstance(requirement, Mapping):
            specifier = requirement.get("specifier", "")
        try:
            if package == "python":
                installed = python_version()
            else:
                installed = version({"pytorch": "torch"}.get(package, package))
            is_met = SpecifierSet(str(specifier)).contains(installed, prereleases=True)
        except (PackageNotFoundError, ValueError):
            is_met = False
        if not is_met:
            raise _refusal(home, f"requires {package} {specifier}")


def _positive_integer(home: Located, config: Mapping[str, Any], name: str) -> int | None:
    value = config.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise _refusal(home, f"declares {name!r}: {value!r}")
    return value


def _checked_json(home: Located, file: str, known_values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a file declares, if all of it is known: with ``...`` any value, or else only the one listed."""
    config = _read_json(home, file)
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise _refusal(home, f"has a {file} that is not an object")
    for name, value in config.items():
        says_nothing = value in (None, False, "", [], {})
        if not says_nothing and known_values.get(name) not in (..., value):
            raise _refusal(home, f"declares {name!r}: {shorten(value)} in {file}")
    return config


def _read_json(home: Located, name: str) -> Any:
    """Return the contents of a JSON file; None if there is none."""
    if isinstance(home, InMemory):
        return _files_in_memory(home.sentence).get(name)
    path = optional_file(home, name)
    if path is None:
        return None
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(
            f"The file {name} of the encoder {shorten(home, 300)}, given as 'model_type', cannot be read: {error}."
        ) from error


def _files_in_memory(sentence: Any) -> dict[str, Any]:
    """Return what a SentenceTransformer in memory would save, by the name of the file; a module is its number."""
    if sentence is None:
        return {}
    kinds = [f"{type(module).__module__}.{type(module).__name__}" for module in sentence]
    modules = [{"type": kind, "path": str(number or "")} for number, kind in enumerate(kinds)]
    settings = {
        # of static embeddings it is infinite
        "max_seq_length": sentence.max_seq_length if isinstance(sentence.max_seq_length, int) else None,
        "do_lower_case": getattr(sentence[0], "do_lower_case", False),
    }
    model = {
        name: getattr(sentence, name)
        for name in ("prompts", "default_prompt_name", "truncate_dim", "similarity_fn_name")
    }
    configs = {
        f"{number}/config.json": module.get_config_dict()
        for number, module in enumerate(sentence)
        if number and hasattr(module, "get_config_dict")
    }
    return {
        "modules.json": modules,
        "config_sentence_transformers.json": model,
        _SETTINGS[0]: settings,
        **configs,
    }


def _refusal(home: Located, reason: str) -> OptionError:
    return OptionError(
        f"The encoder {shorten(str(home), 300)}, given as 'model_type', {reason}, which embedding_cosine does not "
        "support. Give a folder of the network alone (config.json, model.safetensors and the tokenizer's files, "
        "without modules.json), and choose its pooling with the option 'pooling'."
    )
