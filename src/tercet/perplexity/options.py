"""The options of perplexity_lm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercet.core.dialect import Dialect
from tercet.core.options import MISSING_POLICIES, OnlyWith, Options, as_scale, flag, integer, one_of, option
from tercet.encoders.options import as_device, as_dtype, needs_packages, path
from tercet.errors import OptionError


def _device(value: Any) -> str | None:
    """Check that the value names a device; evaluate calls the first of CUDA's ``gpu``."""
    return as_device("cuda" if isinstance(value, str) and value == "gpu" else value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PerplexityOptions(Options):
    """Options of perplexity_lm."""

    model_id: str | None = option(
        None,
        path("the name of a causal language model on the Hub, the path of a folder, or None"),
        "The causal language model (required). Its name on the Hub, or its folder with config.json, "
        "model.safetensors and the tokenizer's files. Weights are read from safetensors files only, and code that "
        "comes with a model is never run. Offline, a model given by name must be in the local cache.",
        takes="str | PathLike[str] | None",
    )
    add_start_token: bool = option(
        True,
        flag,
        "Put the model's start token (BOS) before each text. The first token of the text is then scored too. "
        "Without it, the first token is read but not scored, so a text needs two tokens. Must be False for a "
        "tokenizer without BOS.",
    )
    max_length: int | None = option(
        None,
        integer(2, none=True),
        "Most tokens that the model sees at a time, the start token included. By default the model's own limit.",
    )
    long_text: str = option(
        "window",
        one_of("window", "truncate", "error"),
        'What to do with texts longer than max_length. "window": score them whole, in overlapping windows, each '
        'token once. "truncate": cut them to max_length, as evaluate does, with a warning; the result counts them. '
        '"error": refuse them.',
    )
    stride: int | None = option(
        None,
        integer(1, none=True),
        "How many tokens each window moves on. After the first window, every scored token has at least "
        "max_length - stride tokens before it. Small strides are more exact, and slower. By default half of "
        "max_length.",
        only_with=OnlyWith("long_text='window'", lambda o: o.long_text == "window"),
    )
    empty_text: str = option(
        "error",
        one_of("error", "skip"),
        'What to do with a text that has no token to score. "error": refuse the corpus, as evaluate does. "skip": '
        "leave the text out, with a warning; the result counts such texts.",
    )
    batch_size: int = option(
        16,
        integer(1),
        "Size of the model's batches. A batch holds up to 512 times as many tokens on an accelerator, 24 times as "
        "many on a CPU. In single precision, scores can change with it in the sixth digit.",
        local=True,
    )
    device: str | None = option(
        None,
        _device,
        'Where the model runs, such as cpu, cuda:1 or mps. By default the best device available; evaluate\'s "gpu" '
        "is cuda.",
        takes="str | torch.device | None",
        local=True,
    )
    dtype: str | None = option(
        None,
        as_dtype,
        "Precision of the model, float32 by default. The others are faster, but scores differ in the third digit.",
        takes='Literal["float32", "bfloat16", "float16"] | torch.dtype | None',
    )
    compat: str | None = option(
        None,
        one_of(None, "evaluate"),
        "Reproduce the scores of this package. Longer texts are truncated. "
        '`load("perplexity_lm", "evaluate")` sets it too, and then the result has only the two keys of evaluate\'s '
        "perplexity.",
    )
    missing_references: str = option(
        "error",
        one_of(*MISSING_POLICIES),
        "No effect here: perplexity takes no references. Accepted so that several metrics can share a call.",
    )
    scale: int = option(
        1,
        as_scale,
        "No effect here: a perplexity is not a share of 1. Accepted so that several metrics can share a call.",
        takes="Literal[1, 100]",
    )


#: What evaluate does where the default differs from it.
PRESETS = {"evaluate": {"long_text": "truncate"}}

#: What evaluate's perplexity returns.
DIALECTS = {
    "evaluate": Dialect(
        {"compat": "evaluate"}, keys={name: name for name in ("perplexities", "mean_perplexity")},
        left_out=("perplexity", "bits_per_"),
    )
}  # fmt: skip


def check_together(o: PerplexityOptions) -> None:
    """Raise an OptionError for a missing model, options that contradict each other, or missing packages."""
    if o.model_id is None:
        raise OptionError(
            "perplexity_lm needs 'model_id', the name of a causal language model on the Hub, such as 'gpt2', or its "
            "folder."
        )
    needs_packages("perplexity_lm", "perplexity")
