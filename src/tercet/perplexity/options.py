"""The options of perplexity_lm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercet.core.dialect import Dialect
from tercet.core.options import MISSING_POLICIES, Options, as_scale, flag, integer, one_of, option
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
        "The causal language model, which is required. Its name on the Hub, or its folder (config.json, "
        "model.safetensors, the files of the tokenizer). Weights are read from safetensors files only, and code that "
        "comes with a model is never run. Without a network a name must be in the local cache.",
        takes="str | PathLike[str] | None",
    )
    add_start_token: bool = option(
        True,
        flag,
        "Put the model's start token (BOS) before each text. The first token of the text is then scored too; "
        "without it a text needs two tokens, and the first is only read. Required False for a tokenizer without BOS.",
    )
    max_length: int | None = option(
        None,
        integer(2, none=True),
        "Tokens that the model sees at a time, the start token included. By default as many as it takes.",
    )
    long_text: str = option(
        "window",
        one_of("window", "truncate", "error"),
        "What to do with longer texts. They are scored whole, in windows that overlap, each token once; or, with "
        '"truncate", cut to max_length, as in evaluate, and counted in the result, with a warning; or refused '
        '("error").',
    )
    stride: int | None = option(
        None,
        integer(1, none=True),
        "How far a window moves on. Every token but those of the first window then has at least max_length - stride "
        "tokens before it: small strides are exact and slow. By default half of max_length.",
    )
    empty_text: str = option(
        "error",
        one_of("error", "skip"),
        'What to do with a text that has no token to score. Refuse the corpus ("error"), as evaluate does, or leave '
        'the text out ("skip"), with a warning; the result counts such texts.',
    )
    batch_size: int = option(
        16,
        integer(1),
        "Size of the model's batches. It takes 512 times as many tokens at a time on an accelerator, 24 times as "
        "many on a CPU. Scores in single precision depend on it in the sixth digit.",
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
        "Precision of the model, float32 by default. The others are faster, and off in the third digit.",
        takes='Literal["float32", "bfloat16", "float16"] | torch.dtype | None',
    )
    compat: str | None = option(
        None,
        one_of(None, "evaluate"),
        "Reproduce the scores of this package: longer texts are truncated. The second name in "
        '`load("perplexity_lm", "evaluate")` sets it, and leaves only the two keys of evaluate\'s perplexity.',
    )
    missing_references: str = option(
        "error",
        one_of(*MISSING_POLICIES),
        "Accepted for calls of several metrics, and of no effect. Perplexity takes no references.",
    )
    scale: int = option(
        1,
        as_scale,
        "Accepted for calls of several metrics, and of no effect. A perplexity is no share of 1.",
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
    """Raise an OptionError for a model that is not named, options that do not fit, packages that are not there."""
    if o.model_id is None:
        raise OptionError(
            "perplexity_lm needs 'model_id', the name of a causal language model on the Hub, such as 'gpt2', or its "
            "folder."
        )
    if o.stride is not None and o.long_text != "window":
        raise OptionError("'stride' is how far the windows of long_text='window' move on: it needs that.")
    needs_packages("perplexity_lm", "perplexity")
