"""Cosine similarity of the embeddings of whole texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import Ragged, different_rows, first_greatest
from tercet.core.scorer import Scorer, Scores
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.encoders.encoder import Encoder
from tercet.encoders.load import encoder_of, subwords_of
from tercet.encoders.messages import cut_remark, long_text_error
from tercet.encoders.subwords import Subwords

from .declared import Declared, declared_by
from .options import CosineOptions, check_together
from .pooling import Pooling, pooling_of
from .signature import cosine_signature
from .vectors import cosines, embed

Array = NDArray[np.float64]


class CosineScorer(Scorer[CosineOptions]):
    """Cosine of whole-text embeddings with its options fixed.

    The mean over the items; the rows also hold which reference is nearest, and how many texts were cut. The network
    is loaded at the first use and shared between scorers.

    Source: Reimers and Gurevych 2019, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks", section 3.
    Equals sentence-transformers 6.2.0 within 1e-5 where the card says so.
    """

    name: ClassVar[str] = "embedding_cosine"
    primary: ClassVar[str] = "cosine"
    loads_model: ClassVar[bool] = True
    takes_systems: ClassVar[bool] = True
    options_type = CosineOptions
    columns = (*Scorer.base_columns, "truncated_predictions", "truncated_references", "cosine", "best_reference")
    score_names = ("cosine",)
    facts = ("truncated_predictions", "truncated_references")

    def __init__(self, options: CosineOptions) -> None:
        super().__init__(options)
        check_together(options)

    # -- what is loaded at the first use, and kept by the functions that load it

    @cached_property
    def declared(self) -> Declared:
        """What the encoder's folder declares."""
        assert self.options.model_type is not None
        return declared_by(self.options.model_type)

    def subwords(self) -> Subwords:
        """Return the tokenizer."""
        return subwords_of(self.declared.network, False, lowercase=self.declared.lowercase)

    def encoder(self) -> Encoder:
        """Return the encoder, with all of its layers."""
        o, declared = self.options, self.declared
        return encoder_of(
            declared.network, None, last_layer=True, device=o.device, dtype=o.dtype, prefix_space=False,
            lowercase=declared.lowercase, use_safetensors=o.use_safetensors,
        )  # fmt: skip

    @cached_property
    def pooling(self) -> Pooling:
        """How a text gets its embedding."""
        return pooling_of(self.declared, self.options.pooling, self.options.use_safetensors)

    def limit(self, subwords: Subwords) -> int | None:
        """Return how many tokens the encoder takes at a time: as asked, as declared, or all that it can."""
        declared = self.declared.max_length
        if self.options.max_length is not None or declared is None:
            return subwords.length_limit(self.options.max_length)
        return declared if subwords.limit is None else min(declared, subwords.limit)

    # -- the corpus

    def signature(self, context: None = None) -> Signature:
        """Return the options that the score depends on, and the package that it equals."""
        return self._signature(self.encoder())

    def _signature(self, encoder: Encoder) -> Signature:
        return cosine_signature(self.options, encoder, self.declared, self.pooling, self.limit(encoder.subwords))

    def remark(self, totals: Array) -> str | None:
        """Return a warning when texts were cut."""
        cut = sum(self._cut(totals).values())
        return cut_remark(cut, self.limit(self.subwords())) if cut else None

    def prepare(self, texts: list[str], subwords: Subwords) -> tuple[Ragged, Ragged]:
        """Return the ids of documents, whole and as they are embedded."""
        whole = subwords.whole([self.declared.prompt + text for text in texts])
        limit = self.limit(subwords)
        return whole, subwords.truncate(whole, limit) if self.options.long_text == "truncate" else whole

    def is_empty(self, whole: Ragged, subwords: Subwords) -> NDArray[np.bool_]:
        """Return which documents are empty: they have no tokens but special ones, and those of the prompt."""
        prompt = self.declared.prompt.strip()
        least = len(subwords.whole([prompt]).values) if prompt else subwords.n_special
        return whole.lengths <= least

    def segment_stats(self, batch: Batch, context: None = None) -> SegmentStats:
        """Return one row per item."""
        n_items, counts, texts = batch.n_items, batch.reference_counts, batch.texts.to_pylist()
        encoder = self.encoder()
        whole, documents = self.prepare(texts, encoder.subwords)
        limit = self.limit(encoder.subwords)
        long = whole.lengths > limit if limit is not None else np.zeros(len(whole.lengths), bool)
        if self.options.long_text == "error" and long.any():
            raise long_text_error(int(np.flatnonzero(long)[0]), whole, batch, limit)
        cut = long if self.options.long_text == "truncate" else np.zeros_like(long)
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
        different, text = different_rows(documents)
        of_references = np.zeros(len(different.lengths), bool)
        of_references[text[references]] = True
        vectors = embed(
            encoder, self.pooling, different, of_references,
            limit=self.limit(encoder.subwords), batch_size=self.options.batch_size,
        )  # fmt: skip
        found = cosines(vectors, text[owners], text[references])
        found[empty[owners] | empty[references]] = 0.0
        return found

    def _items(self, pairs: Array, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> Array:
        """Return the cosine of items with references, and which reference is nearest, shape (items, 2)."""
        if not len(starts):
            return np.zeros((0, 2))
        nearest = first_greatest(pairs, starts)
        values = pairs[nearest] if self.options.multi_ref == "best" else np.add.reduceat(pairs, starts) / counts
        return np.column_stack([values, nearest - starts])

    # -- scores

    def finalize(self, totals: Array) -> Scores:
        """Return the mean over the items."""
        items = totals[..., self.columns.index("items")]
        return {
            "cosine": self.options.scale * totals[..., self.columns.index("cosine")] / np.where(items > 0, items, 1)
        }

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
