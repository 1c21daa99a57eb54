"""The declarations of a sentence-transformers folder: pooling, further modules, length, lower case and prompt."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
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


def declared_by(model_type: str) -> Declared:
    """Read what the files of an encoder declare; an encoder without such files declares nothing."""
    folder = os.path.expanduser(model_type)
    home = str(Path(folder).resolve()) if os.path.isdir(folder) else locate(model_type)
    modules = _read(home, "modules.json")
    if not modules:
        return Declared(home, locate(home))
    if not isinstance(modules, list) or not all(isinstance(each, Mapping) for each in modules):
        raise _refusal(home, "has a modules.json that is not a list of modules")
    first, *others = [(str(each.get("type", "")).split(".")[-1], str(each.get("path", ""))) for each in modules]
    if first[0] != "Transformer":
        raise _refusal(home, f"begins with a module {first[0]!r} in place of a network of transformers")
    inside = first[1]
    if inside and not os.path.isdir(home):
        raise _refusal(home, f"has its network in the sub-folder {inside!r}: download it, and give the folder")
    settings = _object(home, os.path.join(inside, "sentence_bert_config.json"))
    if settings.get("transformer_task", "feature-extraction") != "feature-extraction":
        raise _refusal(home, f"uses its network for {settings['transformer_task']!r}, not for embeddings")
    network = locate(os.path.join(home, inside) if inside else home)
    prompt = _prompt(_object(home, "config_sentence_transformers.json"))
    pooling, steps = _behind(home, others, prompt)
    length = settings.get("max_seq_length")
    return Declared(
        home, network, pooling, steps, length if isinstance(length, int) else None,
        bool(settings.get("do_lower_case")), prompt,
    )  # fmt: skip


def _behind(home: str, modules: list[tuple[str, str]], prompt: str) -> tuple[str | None, tuple[Dense | None, ...]]:
    """Return the pooling and the modules after it."""
    pooling: str | None = None
    steps: list[Dense | None] = []
    for kind, path in modules:
        if kind == "Pooling" and pooling is None and not steps:
            pooling = _pooling(home, _object(home, f"{path}/config.json"), prompt)
        elif kind == "Normalize":
            steps.append(None)
        elif kind == "Dense" and pooling is not None:
            steps.append(_dense(home, path, _object(home, f"{path}/config.json")))
        elif kind != "Dropout":  # which acts only in training
            raise _refusal(home, f"has a module {kind!r}")
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
    activation = str(config.get("activation_function", "Tanh")).split(".")[-1]
    if activation not in _ACTIVATIONS or config.get("use_residual"):
        raise _refusal(home, f"has a dense layer of a kind that is not known here ({activation})")
    for name in ("module_input_name", "module_output_name"):
        if config.get(name) not in (None, "sentence_embedding"):
            raise _refusal(home, f"has a dense layer for {config[name]!r}")
    return Dense(path, _ACTIVATIONS[activation])


def _prompt(config: Mapping[str, Any]) -> str:
    prompts, name = config.get("prompts"), config.get("default_prompt_name")
    if not isinstance(prompts, Mapping) or name is None:
        return ""
    return str(prompts.get(name) or "")


def _object(home: str, name: str) -> Mapping[str, Any]:
    found = _read(home, name)
    return found if isinstance(found, Mapping) else {}


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
