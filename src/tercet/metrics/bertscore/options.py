"""The options of bertscore_idf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.shared_options import (
    ATTN_IMPLEMENTATION,
    DEVICE,
    PROCESSING_CLASS,
    REVISION,
    USE_SAFETENSORS,
    dtype_option,
)
from tercet.engine.ragged import first_greatest
from tercet.errors import OptionError, needs, setting
from tercet.networks.encoder import Encoder
from tercet.networks.layers import best_layer
from tercet.networks.path_options import path, path_or_model
from tercet.networks.subwords import DEFAULT_PREFIX_SPACES, PREFIX_SPACES, published_with_space, puts_space
from tercet.option_checks import flag, integer, refuse
from tercet.statistics.stats import SegmentStats

from .idf_table import IdfTable, Weights

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer


def _idf(value: Any) -> bool | str | IdfTable | Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return copy(value)  # the value does not change with it
    if isinstance(value, (bool, IdfTable)):
        return value
    # NumPy's truth values: bool_ before NumPy 2, bool from then on.
    if type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, (str, PathLike)):
        return str(fspath(value))
    raise refuse("True, False, an IdfTable, the path of one, or a mapping of ids or tokens to weights")


def _prefix_space(value: Any) -> bool | str:
    if isinstance(value, str) and value in PREFIX_SPACES:
        return str(value)
    try:
        return flag(value)
    except Exception:
        raise refuse("True, False, 'auto' or 'installed'") from None


class BertscoreOptions(Metric):
    """Options of bertscore_idf."""

    title = "BERTScore"

    lang: str | None = option(
        default=None,
        doc="A language code, which names the encoder as bert-score does. en: roberta-large, zh: "
        "bert-base-chinese, tr: dbmdz/bert-base-turkish-cased, en-sci: allenai/scibert_scivocab_uncased, any "
        "other: bert-base-multilingual-cased. For English, bert-score recommends model_type="
        '"microsoft/deberta-xlarge-mnli", which agrees best with human grades, and is slower.',
        check=path("the code of a language, such as 'en'"),
    )
    model_type: str | PathLike[str] | PreTrainedModel | SentenceTransformer | Trainer | None = option(
        default=None,
        doc="The encoder. Its name on the Hub, or its folder with config.json, model.safetensors and the "
        "tokenizer's files; or one in memory, such as a PreTrainedModel, SentenceTransformer or Trainer, "
        "which is copied as it is at the call. Any architecture of transformers with a stack of layers works; "
        "of an encoder-decoder only the encoder is used. Offline, an encoder given by name must be in the "
        "local cache. Code that comes with a model is never run.",
        check=path_or_model("the name of an encoder on the Hub, the path of a folder"),
    )
    revision: str | None = REVISION
    processing_class: PreTrainedTokenizerBase | None = PROCESSING_CLASS
    num_layers: int | None = option(
        default=None,
        doc="The layer whose embeddings are matched. 0 means the word embeddings. The default is the layer that "
        "bert-score found best, for the 140 encoders it knows. For other encoders the option is required, and the "
        "error suggests two thirds of the depth.",
        check=integer(0, none=True),
    )
    idf: bool | str | PathLike[str] | IdfTable | Mapping[Any, Any] = option(
        default=True,
        doc="Weigh tokens by inverse document frequency. True counts document frequencies in the references of the "
        "call. A tercet.IdfTable, or the path of one, has those of another corpus. Tokens that occur in no document "
        "get the greatest weight. False weighs all tokens the same. A mapping gives weights by id (int) or by token "
        "(str); a token missing from it gets the default of a defaultdict or Counter, or else the mapping's greatest "
        "weight.",
        check=_idf,
    )
    idf_documents: Literal["references", "items"] = option(
        default="references",
        doc="What a document is. Each reference, as in bert-score, or all references of an item together.",
        only_with=OnlyWith("idf=True", lambda o: o.idf is True),
    )
    zero_weight: Literal["uniform", "nan"] = option(
        default="uniform",
        doc='What to do where all tokens of a text have weight 0, as with a single reference. "uniform": give them '
        'equal weights, with a warning. "nan": P and R are NaN (which JSON does not have) and F is 0, as in '
        "bert-score.",
    )
    all_layers: bool = option(
        default=False,
        doc="Score with every layer. precision, recall and f1 are then a list per layer, and mean_f1_layer7 the "
        "mean of layer 7, so that you can choose the layer that agrees best with your own human ratings.",
    )
    rescale_with_baseline: bool = option(
        default=False,
        doc="Rescale scores so that unrelated texts score 0. A score x becomes (x - b) / (1 - b), where b is the "
        "baseline.",
    )
    baseline_path: str | PathLike[str] | None = option(
        default=None,
        doc="The file of baselines (LAYER,P,R,F, one row per layer). By default the one that the package bert-score "
        "has for lang and the encoder, if that package is installed. `tercet bertscore-baseline` makes one for any "
        "encoder from texts of yours.",
        check=path("the path of a file"),
        only_with=OnlyWith("rescale_with_baseline=True", lambda o: o.rescale_with_baseline),
    )
    batch_size: int = option(
        default=64,
        doc="Size of the encoder's batches. A batch holds up to 512 times as many tokens on an accelerator, 6 times "
        "as many on a CPU, where small batches stay in the caches. In single precision, scores can change with it in "
        'the seventh digit; with compat="bert_score" they depend on it as bert-score\'s do.',
        check=integer(1),
        local=True,
    )
    device: str | int | torch.device | None = DEVICE
    dtype: Literal["float32", "bfloat16", "float16", "auto"] | torch.dtype | None = dtype_option("encoder")
    attn_implementation: Literal["eager", "sdpa", "flash_attention_2"] | None = ATTN_IMPLEMENTATION
    max_length: int | None = option(
        default=None,
        doc="Most tokens of a text that are scored, special ones included. By default the encoder's own limit.",
        check=integer(1, none=True),
    )
    long_text: Literal["truncate", "window", "error"] = option(
        default="truncate",
        doc='What to do with texts longer than max_length. "truncate": cut them, as in bert-score, with a warning; '
        'the result counts them. "window": embed them in windows that overlap by half, take each token from the '
        'window where it is farthest from an edge, and match all tokens as one text. "error": raise an error.',
    )
    prefix_space: bool | Literal["auto", "installed"] = option(
        default="auto",
        doc='Whether a space is put before each text. "auto": for the byte-level tokenizers of RoBERTa, GPT-2 and '
        'BART, as in all published scores; "installed": as bert-score does with the installed transformers (from '
        "version 5 on it silently does not).",
        check=_prefix_space,
    )
    multi_ref: Literal["max", "best_f"] = option(
        default="max",
        doc='How several references count. "max": the greatest precision, recall and F, each taken separately, as in '
        'bert-score. "best_f": all three from the reference with the greatest F.',
    )
    use_safetensors: bool = USE_SAFETENSORS
    use_fast_tokenizer: bool = option(
        default=False,
        doc="Accepted for compatibility with bert-score. A fast tokenizer is used either way; the option shows only "
        "in hashcode.",
    )
    nthreads: int = option(
        default=4,
        doc="Accepted for compatibility with bert-score. It has no effect: PyTorch's own setting applies.",
        check=integer(0),
        local=True,
    )
    verbose: bool = option(default=False, doc="Show a progress bar.", local=True)
    compat: Literal["bert_score"] | None = option(
        default=None,
        doc="Reproduce the scores of this package. This sets its defaults (no IDF), and gives its scores even where "
        'ours differ on purpose. `load("bertscore_idf", "bert_score")` sets it too, and leaves the means out of the '
        "result.",
    )

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        return f"{self.title} {score.removeprefix('mean_').replace('f1', 'F1').replace('_', ' ')}"


#: bert-score's defaults where they differ.
PRESETS = {"bert_score": {"idf": False, "zero_weight": "nan", "prefix_space": DEFAULT_PREFIX_SPACES["bert_score"]}}

#: Keys of evaluate's bertscore.
DIALECTS = {
    "bert_score": Dialect(
        {"compat": "bert_score"},
        keys={name: name for name in ("precision", "recall", "f1", "hashcode")},
        left_out=("mean_",),
    )
}


def check_together(options: BertscoreOptions) -> None:
    """Raise an OptionError for options that exclude or need each other, or packages that are not there."""
    if options.lang is None and options.model_type is None:
        raise OptionError(
            f"bertscore_idf needs 'lang', such as {setting('bertscore', 'lang', 'en')}, to choose the encoder that "
            "bert-score uses, or 'model_type', the name of an encoder on the Hugging Face Hub or its folder."
        )
    if options.all_layers and options.multi_ref == "best_f":
        raise OptionError(
            "multi_ref='best_f' chooses a reference by the F of one layer: all_layers=True excludes it."
        )
    needs("bertscore_idf", "bertscore", "torch", "transformers")


# The hash of bert-score, and what the signature says of IDF and of bert-score.

#: The version in the hash of bert-score 0.3.13.
OFFICIAL_VERSION = "0.3.12"


def official_hash(options: BertscoreOptions, model_type: str, layers: range) -> str:
    """Return the hash that bert-score 0.3.13 prints for these options."""
    import transformers

    rescaled = ""
    if options.rescale_with_baseline:
        rescaled = "-rescaled" if options.baseline_path is None else "-custom-rescaled"
    layer = layers.start
    if options.all_layers:
        # bert-score prints the number of one layer although it uses all of them.
        layer = best_layer(model_type) or layers.stop - 1
        if options.num_layers is not None:
            layer = options.num_layers
    idf = "no-idf" if options.idf is False else "idf"
    fast = "_fast-tokenizer" if options.use_fast_tokenizer else ""
    versions = f"version={OFFICIAL_VERSION}(hug_trans={transformers.__version__})"
    return f"{model_type}_L{layer}_{idf}_{versions}{rescaled}{fast}"


def idf_label(options: BertscoreOptions, table: IdfTable | None, weights: Weights) -> str:
    """Return what a signature says of the weights: how documents were counted, and a digest of the counts."""
    if isinstance(options.idf, Mapping):
        return f"mapping,{weights.digest}"
    if table is None:
        return "no"
    documents = options.idf_documents if options.idf is True else "table"
    return f"{documents},{table.digest}"


def equal_implementation(options: BertscoreOptions, encoder: Encoder) -> str | None:
    """Return the implementation that gives the same numbers.

    By default that is bert-score with ``batch_size=1``, for its padding makes 0 of negative best matches; but for
    texts that it takes for empty (two tokens), and for NaN where all weights are 0.
    """
    official = options.compat is not None
    model_type = getattr(encoder.network.config, "model_type", "")
    counts_alike = isinstance(options.idf, bool) or (isinstance(options.idf, Mapping) and official)
    is_equal = (
        counts_alike
        and (options.multi_ref, options.idf_documents, options.missing_references) == ("max", "references", "error")
        and options.long_text in ("truncate", "error")
        and encoder.dtype == "float32"
        and (official or model_type != "umt5")  # bert-score runs it as a T5
        and model_type != "longt5"  # bert-score draws weights for it at random
        and encoder.subwords.length_limit(options.max_length) == encoder.subwords.limit
    )
    # From version 5 of transformers on, bert-score puts no space where the published scores have one.
    space = encoder.subwords.prefix_space
    tokenizer = encoder.subwords.tokenizer
    settings = [] if official else ["batch_size=1"]
    if space != puts_space(tokenizer, "installed", options.use_fast_tokenizer):
        is_equal = is_equal and space == published_with_space(tokenizer)
        settings.append("transformers<5")
    if not is_equal:
        return None
    if not settings:
        return "bert-score"
    return f"bert-score({','.join(settings)})"


# From the precision and recall of pairs to the measures of items with one or many references.

MEASURES = ("precision", "recall", "f1")

Array: TypeAlias = "NDArray[np.float64]"
Widths: TypeAlias = "NDArray[np.int64]"


def pair_measures(precision: Array, recall: Array, empty: NDArray[np.bool_], official: bool) -> Array:
    """Return precision, recall and their harmonic mean, shape (3, layers, pairs); 0 for pairs with an empty text."""
    measures = np.stack([precision, recall, np.zeros_like(precision)])
    if not official:
        measures[:2, :, empty] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = 2 * measures[0] * measures[1] / (measures[0] + measures[1])
    measures[2] = np.where(np.isnan(f1), 0.0, f1)
    measures[:2, :, empty] = 0.0
    return measures


def best_of_references(measures: Array, starts: NDArray[np.int64], by_f: bool) -> tuple[Array, NDArray[np.int64]]:
    """Return the measures of items, and which of their references gave them."""
    # The maximum of bert-score is NaN as soon as one value is.
    comparable = np.where(np.isnan(measures), np.inf, measures)
    values = np.empty((*measures.shape[:2], len(starts)))
    winners = np.empty(values.shape, np.int64)
    for side, layer in np.ndindex(*measures.shape[:2]):
        deciding_side = 2 if by_f else side
        chosen = first_greatest(comparable[deciding_side, layer], starts)
        values[side, layer] = measures[side, layer, chosen]
        winners[side, layer] = chosen - starts
    return values, winners


def padded_in_batch(lengths: NDArray[np.int64], batch_size: int) -> NDArray[np.bool_]:
    """Return which texts bert-score pads: all but the longest of each batch.

    The padding has similarity 0 to every token, so that no best match in such a text is negative there.
    """
    starts = np.arange(0, len(lengths), batch_size)
    widest = np.maximum.reduceat(lengths, starts) if len(lengths) else lengths
    padded: NDArray[np.bool_] = lengths < np.repeat(widest, batch_size)[: len(lengths)]
    return padded


def widths_in_batches(texts: Sequence[str], lengths: NDArray[np.int64], batch_size: int) -> tuple[Widths, bool]:
    """Return to how many tokens bert-score pads each of some texts, and whether the texts alone decide that.

    Its batches have the different texts, those of more words first. Texts of as many words come in the order of a
    set, which is another one in each process, here in that of their first occurrence.
    """
    n_words = {text: len(text.split(" ")) for text in texts}
    length_of = dict(zip(texts, lengths.tolist(), strict=True))
    order = sorted(n_words, key=lambda text: -n_words[text])
    width_of: dict[str, int] = {}
    is_settled = True
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        width_of |= dict.fromkeys(batch, max(length_of[text] for text in batch))
        if start > 0 and n_words[order[start - 1]] == n_words[order[start]]:
            is_settled = False
    return np.array([width_of[text] for text in texts], np.int64), is_settled


def winning_references(stats: SegmentStats, ends: Sequence[str], all_layers: bool) -> dict[str, Any]:
    """Return which reference gave each item's scores, from 0, by measure; None for an item without reference."""
    best: dict[str, Any] = {}
    for measure in MEASURES:
        by_layer = [stats.column(f"best_{measure}{end}").astype(int).tolist() for end in ends]
        for winners in by_layer:
            for index in np.flatnonzero(stats.column("references") == 0).tolist():
                winners[index] = None
        best[measure] = by_layer if all_layers else by_layer[0]
    return best
