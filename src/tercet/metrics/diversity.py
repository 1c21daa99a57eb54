"""Diversity of a set of texts: self-BLEU, distinct n-grams, MATTR, repetition, compression, and pairs by chrF."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import pairwise, zip_longest
from threading import RLock
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.about import from_card
from tercet.base.metric import Metric
from tercet.base.options import TOKENIZER, OnlyWith, option
from tercet.base.rows import base_without_references, divide_or_zero
from tercet.checks import integer
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import as_entry, as_list, check_texts, read_texts
from tercet.corpus.tokenizers import tokenize, tokenizer_label
from tercet.engine.counting import ngram_ids
from tercet.engine.ragged import Ragged
from tercet.errors import InputError
from tercet.explanation.explanation import Explanation
from tercet.explanation.levels import ngram_levels
from tercet.explanation.parts import Heading, Line, Part, Sentence, Share, Table, orders_legend
from tercet.explanation.places import Word, ngrams, words_of
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .bleu import Bleu
from .chrf import Chrf

Array = NDArray[np.float64]

#: Threads that need the rows of the same set wait for the first of them.
_ONE_AT_A_TIME = RLock()


class Diversity(Metric):
    """Diversity of the texts of a set, or of several sets.

    Source: Zhu et al. 2018 (self-BLEU), Li et al. 2016 (distinct-n), Covington and McFall 2010 (MATTR), Welleck et
    al. 2020 (rep-n), Shaib et al. 2024 (compression ratio).

    Examples
    --------
    >>> import tercet
    >>> diversity = tercet.Diversity(pairwise_chrf=True)
    >>> result = diversity(["the cat sat", "the cat ran", "a dog barked"])
    >>> round(result["distinct_1"], 3), round(result["pairwise_chrf"], 3)
    (0.778, 0.215)
    """

    # Of one set, the items are its texts. A row holds the base columns, and two numbers for each measure: the
    # text's part and what it is a part of, such as its share in the different n-grams of the set, and its n-grams.
    # Their sums are those of the set. Of several sets, the items are the sets: a row holds the set's score and 1.

    name = "diversity"
    about = from_card()
    extras = ("languages",)
    title = "diversity"
    primary = "self_bleu"
    takes_references = False
    takes_systems = True
    higher_is_better = False
    contrary_scores = ("distinct", "mattr")  # they grow with diversity
    # A lambda, because the function stands further down.
    reader = staticmethod(lambda predictions: _read_sets(predictions))
    fit_first = "the rows of a text depend on all others of its set. tercet.score takes the whole."

    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = TOKENIZER
    lowercase: bool = option(
        default=True,
        doc="Lowercase the texts first.",
        only_with=OnlyWith('a tokenizer other than "rouge", which always does', lambda o: o.tokenizer != "rouge"),
    )
    max_order: int = option(default=4, doc="The longest n-gram.", check=integer(1, 20))
    window: int = option(
        default=50, doc="Tokens of the moving window of MATTR; a shorter text is one window.", check=integer(1)
    )
    smooth_method: Literal["exp", "nltk1"] = option(
        default="exp",
        doc='How self-BLEU counts orders without a match. "exp": as sacrebleu scores a sentence. "nltk1": by method '
        "1 of NLTK, as Texygen does.",
    )
    pairwise_chrf: bool = option(
        default=False,
        doc="Add the mean chrF of all pairs of different texts of a set. Its time grows with the square of the set.",
    )
    missing_references: Literal["error", "skip", "zero"] = option(
        default="error",
        doc="No effect here: diversity takes no references. Accepted so that several metrics can share a call.",
    )

    @property
    def needs_corpus(self) -> bool:
        """Whether the rows of a part depend on the other parts: of one set they do."""
        return True

    @property
    def score_names(self) -> tuple[str, ...]:
        """All measures but the compression ratio, which is of a set alone."""
        orders = range(1, self.max_order + 1)
        pairs = ("pairwise_chrf",) if self.pairwise_chrf else ()
        return (
            "self_bleu",
            *(f"distinct_{n}" for n in orders),
            "mattr",
            *(f"rep_{n}" for n in orders),
            *pairs,
        )

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        names = {"self_bleu": "self-BLEU", "mattr": "MATTR", "pairwise_chrf": "pairwise chrF"}
        return names.get(score, score.replace("_", "-"))

    @cached_property
    def _measures(self) -> tuple[str, ...]:
        return (*self.score_names, "compression_ratio")

    @cached_property
    def _whole(self) -> list[int]:
        """The columns whose sum for a set is a whole number, though those of its texts are not."""
        whole = [self.columns.index(name) for name in self._measures if name.startswith(("distinct", "compression"))]
        return [*whole, len(self.columns) - 1]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        pairs = (name for measure in self._measures for name in (measure, f"{measure}_of"))
        return (*self.base_columns, "sets", *pairs)

    def signature(self, context: Sets | None = None) -> Signature:
        """Return the options that the score depends on."""
        parts = {
            "of": "sets" if context is not None and context.grouped else "texts",
            "tok": tokenizer_label(self.tokenizer),
            "case": "lc" if self.lowercase or self.tokenizer == "rouge" else "mixed",
            "order": self.max_order,
            "window": self.window,
            "smooth": self.smooth_method,
            "pairs": "chrf" if self.pairwise_chrf else None,
        }
        return Signature.of(self.name, parts)

    def fit(self, batch: Corpus) -> Sets:
        """Return the texts of each system."""
        return Sets.of(batch)

    def segment_stats(self, batch: Corpus, context: Sets | None = None) -> SegmentStats:
        """Return one row per item.

        Time: that of sorting the n-grams of the whole set, once, and of gzip; with pairs the square of the texts.
        Memory: about 150 bytes per token.
        """
        context = self.fit(batch) if context is None else context
        if batch.n_systems > 1:  # each a set of its own
            systems = zip(map(batch.system, range(batch.n_systems)), context.systems, strict=True)
            return SegmentStats.concatenate([self.segment_stats(system, sets) for system, sets in systems])
        if not batch.n_items:
            rows = np.zeros((0, len(self.columns)))
        elif context.grouped:
            rows = self._rows_of_sets(batch)
        else:
            with _ONE_AT_A_TIME:
                if not context.rows_of_texts:
                    texts = context.texts[0]
                    measures, lengths = _measures_of(self, texts, np.array([0, len(texts)]))
                    # Equal texts of a set have equal rows.
                    context.rows_of_texts.update(zip(texts, self._rows(measures, lengths, 0), strict=True))
            rows = np.stack([context.rows_of_texts[text] for text in _texts_of(batch)])
        return SegmentStats(self.signature(context), self.columns, rows)

    def _rows_of_sets(self, batch: Corpus) -> Array:
        edges = batch.reference_offsets
        measures, lengths = _measures_of(self, batch.references.to_pylist(), edges)
        sums = np.add.reduceat(measures, edges[:-1])
        flat = sums.reshape(len(sums), -1)
        first = len(self.base_columns) + 1
        # Counts of a set are whole numbers, but the texts' shares in them do not sum to these to the last bit.
        whole = [place - first for place in self._whole]
        flat[:, whole] = np.rint(flat[:, whole])
        parts, wholes = sums[..., 0], sums[..., 1]
        scores = np.stack([divide_or_zero(parts, wholes), wholes > 0], axis=-1)
        return self._rows(scores, np.add.reduceat(lengths, edges[:-1]), 1)

    def _rows(self, measures: Array, lengths: NDArray[np.int64], sets: int) -> Array:
        """Return rows of items: the base columns, whether they are sets, and their measures."""
        n = len(lengths)
        return np.column_stack([base_without_references(lengths), np.full(n, sets), measures.reshape(n, -1)])

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sum of the rows: for one set, counts are the whole numbers that they stand for."""
        totals = stats.total().copy()
        if not totals[len(self.base_columns)]:
            totals[self._whole] = np.rint(totals[self._whole])
        return totals

    def finalize(self, totals: Array) -> Scores:
        """Return the measures of a set, but for the compression ratio; of several, their means."""
        measures = self._measured(totals)
        return {name: measures[name] for name in self.score_names}

    def _measured(self, totals: Array) -> Scores:
        """Return all measures."""
        first = len(self.base_columns) + 1
        scores: Scores = {}
        for place, name in enumerate(self._measures):
            part, whole = totals[..., first + 2 * place], totals[..., first + 2 * place + 1]
            scores[name] = divide_or_zero(part, whole) * (1 if name == "compression_ratio" else self.scale)
        return scores

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return all measures."""
        return {name: value.tolist() for name, value in self._measured(totals).items()}

    def explained(self, batch: Corpus, context: Sets | None = None) -> Repetitions:
        """Explain a batch of one text, which nothing else of its set changes."""
        tokens, words = tokenize(batch, self.tokenizer, lowercase=self.lowercase)
        spelling, ids = words(), tokens.tokens.lists()[0]
        limits, repeated = {}, []
        for order in range(self.max_order, 0, -1):
            ngram_counts_of_order = Counter(ngrams(ids, order))
            limits[order] = Counter({ngram: count for ngram, count in ngram_counts_of_order.items() if count > 1})
            for ngram, count in limits[order].most_common():
                repeated.append(Repeated(" ".join(spelling[token] for token in ngram), count))
        stats = self.segment_stats(batch)
        scores = self._measured(self.corpus_totals(stats))
        shown_scores = {
            name: float(value) for name, value in scores.items() if name.startswith(("distinct", "mattr", "rep"))
        }
        spellings = [spelling[token] for token in ids]
        levels = ngram_levels(ids, limits)
        return Repetitions(words_of(spellings, levels, spellings), repeated, shown_scores, str(stats.signature))


# The measures of texts that are sets, as pairs of numbers of each text: their sums give the score of a set.

Numbers = NDArray[np.int64]

#: Pairs of texts that are compared at a time.
_PAIRS = 1 << 20
#: The time of day that gzip writes beside the texts, in seconds since 1970: any, as long as it is always the same.
_CLOCK = 1_700_000_000


def _measures_of(o: Diversity, texts: list[str], edges: Numbers) -> tuple[Array, Numbers]:
    """Return a part and what it is a part of for each text and measure, shape (t, k, 2), and its number of tokens.

    Set s has the texts ``edges[s]`` to ``edges[s + 1]``. A measure that a text has none of, such as the self-BLEU of
    a text without others, is 0 of 0.
    """
    without_references = Corpus(texts, [], np.zeros(len(texts) + 1, np.int64))
    batch, _ = tokenize(without_references, o.tokenizer, lowercase=o.lowercase)
    tokens, lengths = batch.tokens, batch.tokens.lengths
    sizes = np.diff(edges)
    sets = np.repeat(np.arange(len(sizes)), sizes)
    has_others = (sizes > 1)[sets].astype(np.float64)
    counts, ngrams = [], []
    for order in range(1, o.max_order + 1):
        counts.append(_ngram_counts(*ngram_ids(tokens, order, batch.n_types), sets))
        ngrams.append(np.maximum(lengths - order + 1, 0).astype(np.float64))
    measures = [(_bleu(o, lengths, _closest_others(lengths, sets), counts) * has_others, has_others)]
    measures += [(order_counts.shares, total) for order_counts, total in zip(counts, ngrams, strict=True)]
    measures += [(_moving_ratios(tokens, batch.n_types, o.window), (lengths > 0).astype(np.float64))]
    for order_counts, total in zip(counts, ngrams, strict=True):
        repeated_share = (total - order_counts.different) / np.maximum(total, 1)
        measures.append((repeated_share, (total > 0).astype(np.float64)))
    if o.pairwise_chrf:
        measures.append((_mean_chrf(o, texts, edges), has_others))
    sizes_in_bytes = [_compressed(texts[start:stop]) for start, stop in pairwise(edges.tolist())]
    bytes_of_texts = (np.array(sizes_in_bytes, float).reshape(-1, 2) / np.maximum(sizes, 1)[:, None])[sets]
    measures.append((bytes_of_texts[:, 0], bytes_of_texts[:, 1]))
    return np.stack([np.column_stack(measure) for measure in measures], axis=1), lengths


def _bleu(o: Diversity, lengths: Numbers, closest: Numbers, counts: list[NgramCounts]) -> Array:
    """Return the BLEU of each text against the others of its set."""
    bleu = Bleu(max_order=o.max_order, smooth_method=o.smooth_method)
    rows = np.zeros((len(lengths), len(bleu.columns)))
    columns = {"length": lengths, "closest": closest}
    for order, order_counts in enumerate(counts, 1):
        total = np.maximum(lengths - order + 1, 0)
        columns |= {
            f"match{order}": order_counts.matches,
            f"total{order}": total,
            f"floor{order}": np.maximum(total, 1),
        }
    for place, name in enumerate(bleu.columns):
        if name in columns:
            rows[:, place] = columns[name]
    scores: Array = bleu.segment_metric.finalize(rows)["bleu"]
    return scores


def _mean_chrf(o: Diversity, texts: list[str], edges: Numbers) -> Array:
    """Return the mean chrF of each text against each other one of its set; the pairs are scored in blocks."""
    chrf, means = Chrf(lowercase=o.lowercase, scale=1), np.zeros(len(texts))
    for first, end in pairwise(edges.tolist()):
        set_texts = texts[first:end]
        if len(set_texts) == 1:  # nothing to compare it with
            continue
        step = max(1, _PAIRS // len(set_texts))
        for start in range(0, len(set_texts), step):
            scores = chrf.pairwise(set_texts[start : start + step], set_texts)
            np.fill_diagonal(scores[:, start:], 0.0)  # a text and itself
            # Sorted, so that the sum does not depend on the order of the texts, to the last bit.
            scores.sort(axis=1)
            means[first + start : first + start + len(scores)] = scores.sum(axis=1) / (len(set_texts) - 1)
    return means


def _compressed(texts: list[str]) -> tuple[int, int]:
    """Return the bytes of texts joined by blanks, and those of the file that the package `diversity` compares.

    That package compresses the gzipped texts with gzip once more, into a file that contains its own name.
    """
    whole, file = " ".join(texts).encode(), BytesIO()
    with gzip.GzipFile("compressed.gz", "wb", fileobj=file, mtime=0) as compressed:
        compressed.write(gzip.compress(whole, mtime=_CLOCK))
    return len(whole), len(file.getvalue())


# What the texts of sets share, and what each repeats: counts of n-grams, for all texts of all sets at once.


class NgramCounts(NamedTuple):
    """Counts of the n-grams of one order, shape (t,) each."""

    #: Those that the other texts of the set cover: BLEU's clipped matches, with the others as references.
    matches: Numbers
    #: The text's part in the different n-grams of its set: each is split among its occurrences.
    shares: Array
    #: How many different ones the text has.
    different: Numbers


def _ngram_counts(ngrams: Ragged, n_types: int, sets: Numbers) -> NgramCounts:
    """Count the n-grams of texts, of which text t belongs to ``sets[t]``.

    An n-gram counts as a match at most as often as in the other text that has it most often: the greatest count of
    its set, or the second one for the only text that has the greatest. Time: that of sorting the n-grams.
    """
    n = len(sets)
    texts, ids, counts = _counted(ngrams, n_types)
    if not len(texts):
        return NgramCounts(np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
    set_ids = sets[texts] * n_types + ids
    order = np.argsort(set_ids)
    ordered_counts = counts[order]
    starts = np.flatnonzero(np.diff(set_ids[order], prepend=-1))
    groups = np.empty_like(order)
    groups[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    greatest, totals = (
        np.maximum.reduceat(ordered_counts, starts)[groups],
        np.add.reduceat(ordered_counts, starts)[groups],
    )
    has_greatest = counts == greatest
    second_greatest = np.maximum.reduceat(np.where(has_greatest, 0, counts)[order], starts)[groups]
    is_only_greatest = has_greatest & (np.bincount(groups, has_greatest)[groups] == 1)
    matches = np.bincount(texts, np.minimum(counts, np.where(is_only_greatest, second_greatest, greatest)), n).astype(
        np.int64
    )
    # `unique` sorts by rising totals, so that a sum does not depend on the order of the texts, to the last bit.
    base = int(totals.max()) + 1
    pairs, times = np.unique(np.repeat(texts * base + totals, counts), return_counts=True)
    shares = np.bincount(pairs // base, times / (pairs % base), n).astype(np.float64)
    return NgramCounts(matches, shares, np.bincount(texts, minlength=n))


def _counted(ngrams: Ragged, n_types: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return each text with each of its different n-grams, and how often it has it."""
    texts = np.repeat(np.arange(len(ngrams.lengths)), ngrams.lengths)
    keys, counts = np.unique(texts * n_types + ngrams.values, return_counts=True)
    base = max(1, n_types)
    return keys // base, keys % base, counts


def _moving_ratios(tokens: Ragged, n_types: int, window: int) -> Array:
    """Return the mean share of different tokens in the windows of each text, shape (t,) (Covington and McFall 2010).

    A text that is shorter than the window is one. A token counts in the windows that it is the first of its type in.
    """
    lengths = tokens.lengths
    texts = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(texts)) - tokens.offsets[texts]
    size = np.minimum(window, lengths)
    keys = texts * n_types + tokens.values
    # A stable sort leaves equal tokens of a text in their order, so that each stands behind the one before it.
    order = np.argsort(keys, kind="stable")
    repeated_at = np.flatnonzero(np.diff(keys[order]) == 0)
    previous_places = np.full(len(texts), -1)
    previous_places[order[repeated_at + 1]] = places[order[repeated_at]]
    # The windows in which it is the first begin behind the previous one of its type, and reach it.
    first = np.maximum(np.maximum(previous_places, places - size[texts]) + 1, 0)
    last = np.minimum(places, (lengths - size)[texts])
    first_occurrences = np.bincount(texts, np.maximum(last - first + 1, 0), len(lengths))
    ratios: Array = first_occurrences / np.maximum((lengths - size + 1) * size, 1)
    return ratios


def _closest_others(lengths: Numbers, sets: Numbers) -> Numbers:
    """Return the length of the other text of the set that is closest to each, of two the shorter; alone, its own."""
    # In the order of lengths, the closest text is a neighbour.
    order = np.lexsort((lengths, sets))
    ordered_lengths, same_set = lengths[order], np.diff(sets[order]) == 0
    far = 2 * int(lengths.max(initial=0)) + 1  # farther than any
    below, above = np.full(len(order), far), np.full(len(order), far)
    below[1:][same_set] = above[:-1][same_set] = np.diff(ordered_lengths)[same_set]
    nearest = np.where(below <= above, ordered_lengths - below, ordered_lengths + above)
    closest = np.empty_like(lengths)
    closest[order] = np.where(np.minimum(below, above) == far, ordered_lengths, nearest)
    return closest


# Sets of texts: one, whose texts are the items, or one an item.

#: The prediction of an item that is a set, whose texts are then its references: ASCII's group separator.
_GROUP = "\x1d"

_MIXED = "give either texts, which are one set, or a list of texts per item, each a set"


def _read_sets(predictions: Any) -> Corpus:
    """Return a user's texts, or lists of texts, checked; InputError names the first item that is neither."""
    items = as_list(predictions, "predictions", "one text, or one list of texts, per item", 2)
    if not items or not isinstance(as_entry(items[0], "item 0 of predictions"), list):
        return read_texts(items)
    groups = [as_entry(item, f"item {index} of predictions") for index, item in enumerate(items)]
    texts: list[str] = []
    sizes = []
    for index, group in enumerate(groups):
        if not isinstance(group, list):
            raise InputError(f"item {index} of predictions is no list, but an earlier one is: {_MIXED}.")
        if not group:
            raise InputError(f"item {index} of predictions is an empty list: expected at least one text.")
        check_texts(group, f"item {index} of predictions")
        texts += group
        sizes.append(len(group))
    return Corpus([_GROUP] * len(groups), texts, np.cumsum([0, *sizes]))


def _texts_of(batch: Corpus) -> list[str]:
    """Return the predictions of all systems, one system after the other."""
    texts: list[str] = batch.predictions.to_pylist() if batch.strings is None else batch.strings[0]
    return texts


@dataclass(frozen=True, eq=False)
class Sets:
    """What the rows of a text depend on: all texts of its system; nothing where items are sets (`grouped`)."""

    texts: list[list[str]]  # of each system
    grouped: bool | None  # None without an item

    @cached_property
    def systems(self) -> list[Sets]:
        """The set of each system."""
        return [Sets([texts], self.grouped) for texts in self.texts]

    @cached_property
    def rows_of_texts(self) -> dict[str, Any]:
        """The rows of each text, once they are known: no field, as they follow from the texts."""
        return {}

    @classmethod
    def of(cls, batch: Corpus) -> Sets:
        """Return the sets of a batch; InputError if some of its items are texts, and others sets."""
        texts, n = _texts_of(batch), batch.n_segments
        counts = batch.reference_counts.tolist()
        is_set = [text == _GROUP and count > 0 for text, count in zip(texts, counts, strict=True)]
        if len(set(is_set)) > 1:
            index = batch.first_item + is_set.index(not is_set[0]) % n
            raise InputError(f"item {index} of predictions is of another kind than those before: {_MIXED}.")
        grouped = is_set[0] if is_set else None
        of_systems = [texts[place * n : (place + 1) * n] for place in range(batch.n_systems)]
        return cls([] if grouped else of_systems, grouped)

    def __add__(self, other: Sets) -> Sets:
        """Return the sets of both parts of a corpus; InputError as :meth:`of`."""
        kinds = {self.grouped, other.grouped} - {None}
        if len(kinds) > 1:
            raise InputError(f"Some items of predictions are texts, and others lists of texts: {_MIXED}.")
        nothing: list[str] = []
        joined = [
            [*texts, *other_texts] for texts, other_texts in zip_longest(self.texts, other.texts, fillvalue=nothing)
        ]
        return Sets(joined, next(iter(kinds), None))


# What a text repeats of itself: its n-grams that occur more than once, where they are.


@dataclass(frozen=True, slots=True)
class Repeated:
    """An n-gram that a text has more than once.

    Attributes
    ----------
    text : str
        Its tokens, joined by blanks.
    count : int
        How often it occurs.
    """

    text: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Repetitions(Explanation):
    """What one text repeats of itself.

    Attributes
    ----------
    prediction : list of Word
        The tokens; the level of each is the longest n-gram through it that the text has more than once.
    repeated : list of Repeated
        These n-grams, the longest first, then those that occur most often.
    scores : dict of str to float
        Of a set of this text alone: ``distinct_1`` and so on, ``mattr``, ``rep_1`` and so on.
    signature : str
    """

    prediction: list[Word]
    repeated: list[Repeated]
    scores: dict[str, float]
    signature: str

    @property
    def title(self) -> Heading:
        """What it is."""
        return Heading("What the text repeats of itself", {})

    def parts(self) -> list[Part]:
        """Return the text in colour, its scores, and a table of what it repeats."""
        rows = [(ngram.text, ngram.count) for ngram in self.repeated]
        return [
            orders_legend(sum(name.startswith("rep_") for name in self.scores)),
            Sentence("Diversity is that of a set of texts; of one text, what it repeats is shown."),
            Line("text", self.prediction, "repeated {}-gram"),
            Table("", ("measure", "score"), [(name, Share(score)) for name, score in self.scores.items()]),
            *([Table("repeated", ("tokens", "times"), rows)] if rows else []),
        ]
