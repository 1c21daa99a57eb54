"""Types of the public functions, for static checkers: names of metrics, and the options of each.

``def report(**options: Unpack[BleuOptions])`` types the options of a function of your own. A test compares all this
with the registry and the declarations of the options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .bertscore.idf_table import IdfTable

if TYPE_CHECKING:
    import torch

Bleu = Literal["bleu_multi", "bleu"]
Rouge = Literal["rouge_nlws", "rouge"]
Bertscore = Literal["bertscore_idf", "bertscore"]
BleuRouge = Literal["bleu_rouge_f", "bleu_rouge"]
Chrf = Literal["chrf_multi", "chrf"]
Jaccard = Literal["jaccard_sets", "jaccard"]
Cosine = Literal["embedding_cosine", "cosine"]
Ter = Literal["ter"]

Perplexity = Literal["perplexity_lm", "perplexity"]

#: A metric of the suite, by its full or its short name.
Metric = Literal[Bleu, Chrf, Ter, Rouge, BleuRouge, Jaccard, Bertscore, Cosine, Perplexity]


class Options(TypedDict, total=False):
    """Options of every metric."""

    missing_references: Literal["error", "skip", "zero"]
    scale: Literal[1, 100]
    segments: bool
    confidence_level: float | None
    signature: bool
    n_resamples: int
    seed: int
    n_jobs: int


class BleuOptions(Options, total=False):
    """Options of bleu_multi."""

    tokenizer: (
        Literal[
            "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K",
            "ja", "jieba", "unicode",
        ]
        | str
        | PathLike[str]
        | Callable[[str], Iterable[str]]
    )  # fmt: skip
    lowercase: bool
    max_order: int
    weights: Sequence[float] | Mapping[str, Sequence[float]] | None
    smooth_method: Literal[
        "none", "floor", "add-k", "exp", "nltk1", "nltk2", "nltk3", "nltk4", "nltk5", "nltk6", "nltk7"
    ]
    smooth_value: float | None
    smooth: bool
    reference_length: Literal["closest", "shortest", "average"]
    effective_order: bool
    stemmer: str | Callable[[str], str] | None
    lemmatizer: str | Callable[[str], str] | None
    grid: bool | Mapping[str, Any] | None
    compat: Literal["sacrebleu", "evaluate", "nltk"] | None


class ChrfOptions(Options, total=False):
    """Options of chrf_multi."""

    char_order: int
    word_order: int | Sequence[int]
    beta: float
    lowercase: bool
    whitespace: bool
    eps_smoothing: bool
    compat: Literal["sacrebleu"] | None


class RougeOptions(Options, total=False):
    """Options of rouge_nlws."""

    rouge_types: str | Sequence[str]
    use_aggregator: bool
    use_stemmer: bool
    tokenizer: (
        Literal["auto", "rouge", "unicode", "char", "13a", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    )
    beta: float
    alpha: float | None
    multi_ref: Literal["best", "average", "jackknife"]
    stemmer: str | Callable[[str], str] | None
    lemmatizer: str | Callable[[str], str] | None
    stopwords: str | Collection[str] | None
    max_words: int | None
    max_bytes: int | None
    sentence_split: Literal["newline", "auto"]
    output: Literal["precision", "recall", "fmeasure", "all"]
    rounded: bool | None
    compat: Literal["rouge_score", "rouge155", "rouge", "rouge_chinese"] | None


class BertscoreOptions(Options, total=False):
    """Options of bertscore_idf."""

    lang: str | None
    model_type: str | PathLike[str] | None
    num_layers: int | None
    idf: bool | str | PathLike[str] | IdfTable | Mapping[Any, Any]
    idf_documents: Literal["references", "items"]
    zero_weight: Literal["uniform", "nan"]
    all_layers: bool
    rescale_with_baseline: bool
    baseline_path: str | PathLike[str] | None
    batch_size: int
    device: str | torch.device | None
    dtype: Literal["float32", "bfloat16", "float16"] | torch.dtype | None
    max_length: int | None
    long_text: Literal["truncate", "window", "error"]
    prefix_space: bool | Literal["auto", "installed"]
    multi_ref: Literal["max", "best_f"]
    use_safetensors: bool
    use_fast_tokenizer: bool
    nthreads: int
    verbose: bool
    compat: Literal["bert_score"] | None


class BleuRougeOptions(Options, total=False):
    """Options of bleu_rouge_f."""

    max_order: int
    beta: float
    brevity_penalty: bool
    multi_ref: Literal["best", "average"]
    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    )
    lowercase: bool
    stemmer: str | Callable[[str], str] | None
    lemmatizer: str | Callable[[str], str] | None


class JaccardOptions(Options, total=False):
    """Options of jaccard_sets."""

    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    )
    lowercase: bool
    ngram: int
    multiset: bool
    stemmer: str | Callable[[str], str] | None
    lemmatizer: str | Callable[[str], str] | None
    stopwords: str | Collection[str] | None
    multi_ref: Literal["best", "average"]
    variants: Mapping[str, Mapping[str, Any]] | None


class CosineOptions(Options, total=False):
    """Options of embedding_cosine."""

    model_type: str | PathLike[str] | None
    pooling: Literal["auto", "mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens"]
    batch_size: int
    device: str | torch.device | None
    dtype: Literal["float32", "bfloat16", "float16"] | torch.dtype | None
    max_length: int | None
    long_text: Literal["truncate", "window", "error"]
    multi_ref: Literal["best", "average"]
    use_safetensors: bool


class TerOptions(Options, total=False):
    """Options of ter."""

    normalized: bool
    no_punct: bool
    asian_support: bool
    case_sensitive: bool
    compat: Literal["sacrebleu"] | None


class PerplexityOptions(Options, total=False):
    """Options of perplexity_lm."""

    model_id: str | PathLike[str] | None
    add_start_token: bool
    max_length: int | None
    long_text: Literal["window", "truncate", "error"]
    stride: int | None
    empty_text: Literal["error", "skip"]
    batch_size: int
    device: str | torch.device | None
    dtype: Literal["float32", "bfloat16", "float16"] | torch.dtype | None
    compat: Literal["evaluate"] | None
