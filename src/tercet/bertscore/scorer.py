"""BERTScore (Zhang et al. 2020): greedy matching of contextual embeddings, weighted by IDF."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import Ragged
from tercet.core.dialect import Dialect
from tercet.core.scorer import Scorer, Scores, segment_lists
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.encoders.encoder import Encoder
from tercet.encoders.load import chosen_layer, encoder_of, subwords_of
from tercet.encoders.messages import long_text_error
from tercet.encoders.names import model_of_language
from tercet.encoders.subwords import Subwords
from tercet.errors import InputError, OptionError

from .baselines import baselines_of, find_baseline
from .idf_table import IdfTable
from .measures import MEASURES, best_of_references, padded_in_batch, pair_measures
from .messages import remark_on_texts, unnamed_token_error
from .options import DIALECTS, PRESETS, BertscoreOptions, check_together
from .pairs import Texts, prepare_texts, score_pairs
from .signature import bertscore_signature, official_hash
from .weights import Weights, mapped_weights, plain_weights

Array = NDArray[np.float64]


class BertScorer(Scorer[BertscoreOptions]):
    """BERTScore with its options fixed.

    The means of precision, recall and F over the items; the rows also hold which reference won, and how many texts
    were cut. The network is loaded at the first use and shared between scorers.

    Source: Zhang et al. 2020, "BERTScore: Evaluating Text Generation with BERT", sections 3 and 4. Equals bert-score
    0.3.13 within 1e-5 where the card says so.
    """

    name: ClassVar[str] = "bertscore_idf"
    loads_model: ClassVar[bool] = True
    takes_systems: ClassVar[bool] = True
    options_type = BertscoreOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    fit_first: ClassVar[str] = (
        "idf=True counts in how many of all references each token stands. Count them first, table = "
        "tercet.IdfTable.fit(references, model_type) (tables of parts add up), and give idf=table."
    )
    extra_columns: ClassVar[tuple[str, ...]] = ("truncated_predictions", "truncated_references", "unweighted")
    facts: ClassVar[tuple[str, ...]] = extra_columns[:2]

    def __init__(self, options: BertscoreOptions) -> None:
        super().__init__(options)
        check_together(options)
        self.model_type = options.model_type or model_of_language(options.lang or "")

    # -- what is loaded at the first use, and kept by the functions that load it
    def subwords(self) -> Subwords:
        """Return the tokenizer."""
        o = self.options
        return subwords_of(self.model_type, o.prefix_space, o.use_fast_tokenizer)

    def encoder(self) -> Encoder:
        """Return the encoder."""
        o = self.options
        return encoder_of(
            self.model_type, o.num_layers, all_layers=o.all_layers, device=o.device, dtype=o.dtype,
            prefix_space=o.prefix_space, use_fast=o.use_fast_tokenizer, use_safetensors=o.use_safetensors,
        )  # fmt: skip

    @cached_property
    def layers(self) -> range:
        """The layers that are scored: one, or with ``all_layers`` every one from 0, the embeddings, on."""
        if self.options.all_layers:
            layers = range(self.encoder().n_layers)
            if (self.options.num_layers or 0) not in layers:
                raise OptionError(
                    f"The 'num_layers' option of bertscore_idf must be from 0 to {layers[-1]} for this encoder. Got "
                    f"{self.options.num_layers} instead."
                )
            return layers
        layer = chosen_layer(self.model_type, self.options.num_layers)
        return range(layer, layer + 1)

    def baseline(self) -> Array | None:
        """Return the precision, recall and F of unrelated texts, shape (layers, 3); None without rescaling."""
        o = self.options
        if not o.rescale_with_baseline:
            return None
        return baselines_of(find_baseline(o.baseline_path, o.lang, self.model_type), self.layers)

    # -- names

    @property
    def primary(self) -> str:  # type: ignore[override]
        """The mean F of the layer that is asked for, with all layers and no such wish of the last."""
        if not self.options.all_layers:
            return "mean_f1"
        asked = self.options.num_layers
        return f"mean_f1_layer{self.layers[-1] if asked is None else asked}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        kinds = (*MEASURES, *(f"best_{measure}" for measure in MEASURES))
        return (*self.base_columns, *self.extra_columns, *(f"{kind}{end}" for end in self._ends for kind in kinds))

    @property
    def _ends(self) -> tuple[str, ...]:
        return tuple(f"_layer{layer}" for layer in self.layers) if self.options.all_layers else ("",)

    @property
    def score_names(self) -> tuple[str, ...]:
        """``mean_precision``, ``mean_recall`` and ``mean_f1``; with ``all_layers`` those of each layer."""
        return tuple(f"mean_{name}" for name in self.segment_names)

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The same for single items, of which no mean is taken."""
        return tuple(f"{measure}{end}" for end in self._ends for measure in MEASURES)

    # -- the corpus

    def fit(self, batch: Batch) -> IdfTable | None:
        """Return the document frequencies of the batch's references; None when they are not used."""
        if self.options.idf is not True:
            return None
        documents = np.arange(len(batch.references))
        if self.options.idf_documents == "items":
            documents = np.repeat(np.arange(batch.n_segments), np.diff(batch.reference_offsets))
        return self.count_documents(batch.texts[batch.n_items :].to_pylist(), documents)

    @property
    def needs_corpus(self) -> bool:
        """Whether the documents are those of the corpus."""
        return self.options.idf is True

    def count_documents(self, texts: list[str], documents: NDArray[np.int64]) -> IdfTable:
        """Return the document frequencies of texts as this scorer cuts them; text i is of ``documents[i]``."""
        subwords = self.subwords()
        rows = subwords.truncate(subwords.whole(texts), self.cut_at(subwords))
        return IdfTable.count(rows, documents, subwords, self.cut_at(subwords))

    def remark(self, totals: Array) -> str | None:
        """Return a warning when texts were cut, or had no weight."""
        *truncated, without = (self.total_of(totals, name) for name in self.extra_columns)
        cut, unweighted = sum(truncated), without if self.options.zero_weight == "uniform" else 0
        return remark_on_texts(cut, unweighted, self.cut_at(self.subwords()))

    def _weights(self, context: IdfTable | None, subwords: Subwords) -> Weights:
        idf = self.options.idf
        if idf is False:
            return plain_weights(subwords)
        if isinstance(idf, Mapping):
            return mapped_weights(idf, subwords, strict=self._official)
        if context is not None:
            return context.weights()
        table = self._given_table
        assert table is not None
        table.check(subwords)
        return table.weights()

    @cached_property
    def _given_table(self) -> IdfTable | None:
        idf = self.options.idf
        if isinstance(idf, str):
            try:
                return IdfTable.load(idf)
            except InputError as error:
                raise OptionError(f"The 'idf' option of bertscore_idf is not an IDF table: {error}") from error
        return idf if isinstance(idf, IdfTable) else None

    @property
    def _official(self) -> bool:
        return self.options.compat == "bert_score"

    def cut_at(self, subwords: Subwords) -> int | None:
        """Return the length at which texts are cut; None where they are scored whole."""
        limit = subwords.length_limit(self.options.max_length)
        return limit if self.options.long_text == "truncate" else None

    # -- signatures

    def signature(self, context: IdfTable | None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        table = context if self.options.idf is True else self._given_table
        weights = self._weights(context, self.subwords())
        return bertscore_signature(self.options, self.encoder(), self.layers, table, weights, self.baseline())

    # -- rows

    def prepare(self, texts: list[str], context: IdfTable | None) -> tuple[Ragged, Ragged, Texts]:
        """Return the ids of documents, whole and as they are scored, and the different texts with their weights."""
        subwords = self.subwords()
        whole = subwords.whole(texts)
        documents = subwords.truncate(whole, self.cut_at(subwords))
        weights = self._weights(context, subwords)
        prepared = prepare_texts(documents, weights, subwords, self.options.zero_weight)
        unnamed = prepared.rows.values[np.isnan(weights.of(prepared.rows.values))]
        if len(unnamed):
            raise unnamed_token_error(int(unnamed[0]), subwords)
        return whole, documents, prepared

    def segment_stats(self, batch: Batch, context: IdfTable | None) -> SegmentStats:
        """Return one row per item."""
        encoder, n_items = self.encoder(), batch.n_items
        counts = batch.reference_counts
        whole, documents, texts = self.prepare(batch.texts.to_pylist(), context)
        limit = encoder.subwords.length_limit(self.options.max_length)
        long = whole.lengths > limit if limit is not None else np.zeros(len(whole.lengths), bool)
        if self.options.long_text == "error" and long.any():
            raise long_text_error(int(np.flatnonzero(long)[0]), whole, batch, limit)
        cut = long if self.options.long_text == "truncate" else np.zeros_like(long)
        owners, references = batch.pairs
        of_systems = zip(*(np.split(each, batch.n_systems) for each in (owners, references)), strict=True)
        each = [self._pair_measures(texts, encoder, own, given, documents.lengths) for own, given in of_systems]
        measures = np.concatenate(each, axis=2)
        filled = counts > 0
        starts = np.append(0, np.cumsum(counts))[:-1]

        unweighted = texts.unweighted[texts.text]
        of_references = [np.bincount(owners, each[references], n_items) for each in (cut, unweighted)]
        content = documents.lengths - encoder.subwords.n_special
        rows = np.zeros((n_items, len(self.columns)))
        own = len(self.base_columns) + len(self.extra_columns)
        rows[:, : len(self.base_columns)] = self.base_rows(batch, content[:n_items])
        rows[:, len(self.base_columns) : own] = np.column_stack(
            [cut[:n_items], of_references[0], unweighted[:n_items] + of_references[1]]
        )
        rows[filled, own:] = self._item_columns(measures, starts[filled])
        if (
            self.options.missing_references == "zero" and not filled.all()
        ):  # no reference is no match: what that comes to is rescaled like all the rest
            rows[~filled, own:] = self._item_columns(np.zeros((3, encoder.n_layers, 1)), np.zeros(1, np.int64))
        return SegmentStats(self.signature(context), self.columns, rows)

    def _pair_measures(
        self, texts: Texts, encoder: Encoder, owners: NDArray[np.int64], references: NDArray[np.int64], lengths: Any
    ) -> Array:
        """Return precision, recall and F of every prediction with each of its references: (3, layers, m)."""
        o = self.options
        pairs = texts.text[owners], texts.text[references]
        sizes = lengths[owners], lengths[references]
        floors = None
        if self._official:
            floors = padded_in_batch(sizes[1], o.batch_size), padded_in_batch(sizes[0], o.batch_size)
        precision, recall = score_pairs(
            texts, encoder, *pairs, limit=encoder.subwords.length_limit(o.max_length), batch_size=o.batch_size,
            verbose=o.verbose, floors=floors,
        )  # fmt: skip
        if self._official:  # two tokens are CLS and SEP, it thinks
            empty = (sizes[0] == 2) | (sizes[1] == 2)
        else:
            empty = np.minimum(*sizes) <= encoder.subwords.n_special
        return pair_measures(precision, recall, empty, self._official)

    def _item_columns(self, measures: Array, starts: NDArray[np.int64]) -> Array:
        """Return the columns of items with references, layer by layer: the measures, and what gave them."""
        values, winners = best_of_references(measures, starts, self.options.multi_ref == "best_f")
        baseline = self.baseline()
        if baseline is not None:
            unrelated = baseline.T[:, :, None]
            values = (values - unrelated) / (1 - unrelated)
        columns = np.concatenate([values, winners]).transpose(2, 1, 0)
        return columns.reshape(len(starts), columns.shape[1] * columns.shape[2])

    # -- scores

    def finalize(self, totals: Array) -> Scores:
        """Return the mean of each measure over the items."""
        items = totals[..., self.columns.index("items")]
        means = self.options.scale * totals / np.where(items > 0, items, 1.0)[..., None]
        return {f"mean_{name}": means[..., self.columns.index(name)] for name in self.segment_names}

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the lists of the items as evaluate's bertscore does, and their means."""
        lists = {} if stats is None else segment_lists(self, stats)
        result: dict[str, Any] = {}
        for measure in MEASURES if lists else ():
            by_layer = [lists[f"{measure}{end}"] for end in self._ends]
            result[measure] = by_layer if self.options.all_layers else by_layer[0]
        result["hashcode"] = official_hash(self.options, self.model_type, self.layers)
        return {**result, **super().report(totals, stats)}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and, where items have several references, which of them won."""
        cut = {name: self.total_of(totals, name) for name in self.extra_columns[:2]}
        if stats is None or not (stats.column("references") > 1).any():
            return cut
        return {**cut, "best_references": self._best_references(stats)}

    def _best_references(self, stats: SegmentStats) -> dict[str, Any]:
        """Return which reference gave each item's scores, from 0; None for an item without reference."""
        best: dict[str, Any] = {}
        for measure in MEASURES:
            by_layer = [stats.column(f"best_{measure}{end}").astype(int).tolist() for end in self._ends]
            for winners in by_layer:
                for index in np.flatnonzero(stats.column("references") == 0).tolist():
                    winners[index] = None
            best[measure] = by_layer if self.options.all_layers else by_layer[0]
        return best
