"""Diversity of a set of texts: self-BLEU, distinct n-grams, MATTR, repetition, compression, and pairs by chrF."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.rows import divide_or_zero
from tercet.base.shared_options import TOKENIZER_OF_WORDS
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import as_entry, as_list, check_texts, read_texts
from tercet.corpus.normalizers import label_of_normalizers
from tercet.corpus.reading import is_read_by_engine
from tercet.corpus.tokenizers import tokenize, tokenizer_label
from tercet.engine.chosen import engine
from tercet.errors import InputError
from tercet.explanation.explanation import Explanation
from tercet.explanation.levels import ngram_levels
from tercet.explanation.matches import Word, ngrams, words_of
from tercet.explanation.parts import Heading, Line, Part, Sentence, Table, orders_legend, score_on_scale
from tercet.locks import Lock
from tercet.option_checks import integer
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .bleu.metric import Bleu
from .chrf import Chrf

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

#: Threads that need the rows of the same set wait for the first of them.
_ONE_AT_A_TIME = Lock()


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
    ) = TOKENIZER_OF_WORDS
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
    def _whole(self) -> NDArray[np.int64]:
        """The columns whose sum for a set is a whole number, though those of its texts are not."""
        whole = [self.columns.index(name) for name in self._measures if name.startswith(("distinct", "compression"))]
        return np.array([*whole, len(self.columns) - 1])

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
            "normalize": label_of_normalizers(self.normalize),
        }
        return Signature.of(self.name, parts)

    def fit(self, batch: Corpus) -> Sets:
        """Return the texts of each system."""
        return Sets.of(batch)

    def segment_stats(self, batch: Corpus, context: Sets | None = None) -> SegmentStats:
        """Return one row per item.

        Time: that of counting the n-grams of the whole set, once, and of gzip; with pairs the square of the texts.
        Memory: about 150 bytes per token.
        """
        if context is None:
            context = self.fit(batch)
        if batch.n_systems > 1:  # each a set of its own
            stats_of_systems = []
            for system, sets in enumerate(context.systems):
                stats_of_systems.append(self.segment_stats(batch.system(system), sets))
            return SegmentStats.concatenate(stats_of_systems)
        if not batch.n_items:
            rows = np.zeros((0, len(self.columns)))
        elif context.grouped:
            rows = self._rows_of_sets(batch)
        else:
            with _ONE_AT_A_TIME:
                if not context.known:
                    texts = context.texts[0]
                    rows_of_set = _rows_of(self, texts, np.array([0, len(texts)]))
                    # Equal texts of a set have equal rows.
                    context.known.append((rows_of_set, {text: row for row, text in enumerate(texts)}))
            rows_of_set, row_of_text = context.known[0]
            rows = rows_of_set[[row_of_text[text] for text in _texts_of(batch)]]
        return SegmentStats(self.signature(context), self.columns, rows)

    def _rows_of_sets(self, batch: Corpus) -> Array:
        edges = batch.reference_offsets
        first = len(self.base_columns) + 1
        rows_of_texts = _rows_of(self, batch.references.to_pylist(), edges)
        rows = np.add.reduceat(rows_of_texts, edges[:-1])
        # Counts of a set are whole numbers, but the texts' shares in them do not sum to these to the last bit.
        rows[:, self._whole] = np.rint(rows[:, self._whole])
        wholes = rows[:, first + 1 :: 2]
        rows[:, first::2] = divide_or_zero(rows[:, first::2], wholes)
        rows[:, first + 1 :: 2] = wholes > 0
        # It is empty if no text of it has a token, which are those that MATTR counts.
        rows[:, :first] = 1, 0, 0, 0, 1
        rows[:, 1] = rows[:, self.columns.index("mattr_of")] == 0
        return rows

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sum of the rows: for one set, counts are the whole numbers that they stand for."""
        totals = stats.total().copy()
        if not totals[len(self.base_columns)]:
            totals[self._whole] = np.rint(totals[self._whole])
        return totals

    def finalize(self, totals: Array) -> Scores:
        """Return the measures of a set, but for the compression ratio; of several, their means."""
        scores = self._measured(totals)
        return {name: scores[..., column] for column, name in enumerate(self.score_names)}

    def _measured(self, totals: Array) -> Array:
        """Return all measures, shape (..., k)."""
        first = len(self.base_columns) + 1
        shares: Array = divide_or_zero(totals[..., first::2], totals[..., first + 1 :: 2])
        shares[..., :-1] *= self.scale  # but not the compression ratio
        return shares

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return all measures."""
        return dict(zip(self._measures, self._measured(totals).tolist(), strict=True))

    @cached_property
    def _bleu(self) -> Bleu:
        """What scores a text against the others of its set."""
        return Bleu(max_order=self.max_order, smooth_method=self.smooth_method).segment_metric

    def explained(self, batch: Corpus, context: Sets | None = None) -> Repetitions:
        """Explain a batch of one text, which nothing else of its set changes."""
        tokens, words = tokenize(batch, self.tokenizer, lowercase=self.lowercase)
        spelling = words()
        ids = tokens.tokens.lists()[0]
        limits: dict[int, Counter[tuple[int, ...]]] = {}
        repeated: list[Repeated] = []
        for order in range(self.max_order, 0, -1):
            ngram_counts_of_order = Counter(ngrams(ids, order))
            limits[order] = Counter({ngram: count for ngram, count in ngram_counts_of_order.items() if count > 1})
            for ngram, count in limits[order].most_common():
                repeated.append(Repeated(" ".join(spelling[token] for token in ngram), count))
        stats = self.segment_stats(batch)
        scores = self.report(self.corpus_totals(stats), stats)
        shown_scores = {
            name: score_on_scale(value, self.scale)
            for name, value in scores.items()
            if name.startswith(("distinct", "mattr", "rep"))
        }
        spellings = [spelling[token] for token in ids]
        levels = ngram_levels(ids, limits)
        return Repetitions(words_of(spellings, levels, spellings), repeated, shown_scores, str(stats.signature))


# The rows of texts of sets: their sums give the score of a set.

#: Pairs of texts that are compared at a time.
_PAIRS = 1 << 20
#: The time of day that gzip writes beside the texts, in seconds since 1970: any, as long as it is always the same.
_CLOCK = 1_700_000_000
#: The bytes of a gzip file but for what it compresses: its head, its name and a zero, a checksum and a length.
_AROUND = 10 + len(b"compressed\0") + 8


def _rows_of(metric: Diversity, texts: list[str], edges: NDArray[np.int64]) -> Array:
    """Return a row for each text. Set s has the texts ``edges[s]`` to ``edges[s + 1]``.

    A measure that a text has none of, such as the self-BLEU of a text without others, is 0 of 0.
    """
    ids, offsets, n_types = _tokens_of(metric, texts)
    window = min(metric.window, len(ids))
    divisors = metric.smooth_method == "nltk1"
    rows, rows_of_bleu = engine.diversity_rows(
        ids, offsets, edges, n_types, metric.max_order, window, divisors, len(metric.columns)
    )
    first = len(metric.base_columns) + 1
    has_others = rows[:, first + 1]
    rows[:, first] = metric._bleu.finalize(rows_of_bleu)["bleu"] * has_others
    if metric.pairwise_chrf:
        rows[:, -4] = _mean_chrf(metric, texts, edges)
        rows[:, -3] = has_others
    sizes = edges[1:] - edges[:-1]
    bytes_of_sets = np.array([_compressed(texts[start:stop]) for start, stop in pairwise(edges.tolist())], float)
    rows[:, -2:] = (bytes_of_sets / sizes[:, None]).repeat(sizes, axis=0)
    return rows


def _tokens_of(metric: Diversity, texts: list[str]) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Return the tokens of texts as ids, where each text begins among them, and how many tokens differ."""
    if is_read_by_engine(metric.tokenizer):
        try:
            strings = [text.lower() for text in texts] if metric.lowercase else texts
            ids, offsets, *_, word_offsets = engine.intern(strings, metric.tokenizer)
            return ids, offsets, len(word_offsets) - 1
        except ValueError:
            pass  # a text that cannot be encoded: what follows raises an error that names the item
    without_references = Corpus(texts, [], np.zeros(len(texts) + 1, np.int64))
    batch, _ = tokenize(without_references, metric.tokenizer, lowercase=metric.lowercase)
    return batch.tokens.values, batch.tokens.offsets, batch.n_types


def _mean_chrf(metric: Diversity, texts: list[str], edges: NDArray[np.int64]) -> Array:
    """Return the mean chrF of each text against each other one of its set; the pairs are scored in blocks."""
    chrf = Chrf(lowercase=metric.lowercase, scale=1)
    means = np.zeros(len(texts))
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
    whole = " ".join(texts).encode()
    return len(whole), _AROUND + len(zlib.compress(gzip.compress(whole, mtime=_CLOCK), wbits=-15, level=9))


# Sets of texts: one, whose texts are the items, or one an item.

#: The prediction of an item that is a set, whose texts are then its references: ASCII's group separator. A corpus has
#: no other place for several texts of an item, and carries them through streams, workers and files as they are. It is
#: white space to Python, which no normalizer changes (`normalizers.change_of`); that tells it from a text, which has
#: no references here.
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
    def known(self) -> list[tuple[Array, dict[str, int]]]:
        """The rows of the texts, and which row a text has, once known: no field, as they follow from these."""
        return []

    @classmethod
    def of(cls, batch: Corpus) -> Sets:
        """Return the sets of a batch; InputError if some of its items are texts, and others sets."""
        texts = _texts_of(batch)
        n = batch.n_segments
        counts = [0] * len(texts)
        if batch.has_references:
            counts = batch.reference_counts.tolist()
        is_set = [text == _GROUP and count > 0 for text, count in zip(texts, counts, strict=True)]
        if len(set(is_set)) > 1:
            index = batch.first_item + is_set.index(not is_set[0]) % n
            raise InputError(f"item {index} of predictions is of another kind than those before: {_MIXED}.")
        grouped = is_set[0] if is_set else None
        of_systems = [texts[system * n : (system + 1) * n] for system in range(batch.n_systems)]
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
            Table("", ("measure", "score"), [*self.scores.items()]),
            *([Table("repeated", ("tokens", "times"), rows)] if rows else []),
        ]
