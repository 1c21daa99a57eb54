"""The options of embedding_cosine."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.core.options import Options, flag, integer, one_of, option
from tercet.encoders.options import as_device, as_dtype, needs_packages, path
from tercet.errors import OptionError

#: How the embeddings of tokens become one; the names are those of sentence-transformers.
POOLINGS = ("mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class CosineOptions(Options):
    """Options of embedding_cosine."""

    model_type: str | None = option(
        None,
        path("the name of an encoder on the Hub, the path of a folder, or None"),
        "The encoder (required). Its name on the Hub, or its folder with config.json, model.safetensors and the "
        "tokenizer's files. What a sentence-transformers folder declares is applied: pooling, dense layers, length, "
        "lower case and default prompt. Any architecture of transformers with a stack of layers works; of an "
        "encoder-decoder only the encoder is used. Offline, an encoder given by name must be in the local cache. "
        "Code that comes with a model is never run.",
        takes="str | PathLike[str] | None",
    )
    pooling: str = option(
        "auto",
        one_of("auto", *POOLINGS),
        'How token embeddings become one embedding of the text. "auto": as a sentence-transformers folder declares, '
        'or "mean" where nothing is declared. "mean": the mean of all tokens, special ones included. "cls": the '
        'first token. "max": the greatest value in each dimension. "lasttoken": the last token, as is usual for '
        'decoders. "weightedmean": a mean in which later tokens weigh more. "mean_sqrt_len_tokens": the sum divided '
        "by the square root of the number of tokens.",
    )
    batch_size: int = option(
        64,
        integer(1),
        "Size of the encoder's batches. A batch holds up to 512 times as many tokens on an accelerator, 6 times as "
        "many on a CPU, where small batches stay in the caches. Scores can change with it in the seventh digit.",
        local=True,
    )
    device: str | None = option(
        None,
        as_device,
        "Where the encoder runs, such as cpu, cuda:1 or mps. By default the best device available.",
        takes="str | torch.device | None",
        local=True,
    )
    dtype: str | None = option(
        None,
        as_dtype,
        "Precision of the encoder, float32 by default. The others are faster, but scores differ in the third digit.",
        takes='Literal["float32", "bfloat16", "float16"] | torch.dtype | None',
    )
    max_length: int | None = option(
        None,
        integer(1, none=True),
        "Most tokens that are embedded at a time, special ones included. By default the length that a "
        "sentence-transformers folder declares, or else the encoder's own limit.",
    )
    long_text: str = option(
        "truncate",
        one_of("truncate", "window", "error"),
        'What to do with texts longer than max_length. "truncate": cut them, as sentence-transformers does, with a '
        'warning; the result counts them. "window": embed them in windows that overlap by half, take each token from '
        'the window where it is farthest from an edge, and pool all tokens. "error": raise an error.',
    )
    multi_ref: str = option(
        "best",
        one_of("best", "average"),
        "How several references count. The greatest cosine, or the average of all cosines.",
    )
    use_safetensors: bool = option(
        True,
        flag,
        "Take weights from safetensors files only. Other formats can run code when loaded: use False only for "
        "sources that you trust.",
    )


def check_together(o: CosineOptions) -> None:
    """Raise an OptionError without an encoder, or without the packages that run one."""
    if o.model_type is None:
        raise OptionError(
            "embedding_cosine needs 'model_type', the name of an encoder on the Hub, such as "
            "'sentence-transformers/all-MiniLM-L6-v2', or its folder."
        )
    needs_packages("embedding_cosine")
