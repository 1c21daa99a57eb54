"""What each ROUGE type counts: hits, and what they are divided by, for every pair of prediction and reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np
from tercet.base.metric import Metric
from tercet.base.rows import leave_out
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import rows_by_engine, texts_and_reading
from tercet.corpus.tokenizers import Splitter
from tercet.engine.chosen import engine
from tercet.engine.counting import (
    PairMatches,
    crossed_matches,
    pair_matches,
    skip_bigram_matches,
    skip_bigram_total,
    union_lcs_hits,
    way_back_bytes,
    weighted_lcs_hits,
)
from tercet.engine.plain_rouge import MOST_TYPES, MOST_WAY_BACK
from tercet.engine.ragged import Ragged, TokenBatch
from tercet.errors import InputError, OptionError
from tercet.explanation.matches import lcs_positions, ngrams

from .options import MEASURES, RougeOptions, RougeType
from .several_references import combine

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of m pairs of a prediction and one of its references."""

    #: (ndarray, shape (m,))
    hits: Array
    #: `text_totals`, `reference_totals`: Denominators of precision and recall. (ndarray, shape (m,))
    text_totals: Array
    reference_totals: Array
    #: The ratios are raised to 1 / root (ROUGE-W; else 1).
    root: float = 1.0
    #: ROUGE-W: what `reference_totals` are the power of, the sum of the weights of the lines. (ndarray, shape (m,),
    #: optional)
    reference_sums: Array | None = None

    def pooled(self, starts: NDArray[np.int64]) -> PairCounts:
        """Return the sums of the groups of pairs that begin at `starts`, added one after the other."""
        groups = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(self.hits))))

        def summed(values: Array) -> Array:
            return np.bincount(groups, values, minlength=len(starts)).astype(np.float64)

        sums = None if self.reference_sums is None else summed(self.reference_sums)
        return PairCounts(
            hits=summed(self.hits),
            text_totals=summed(self.text_totals),
            reference_totals=summed(self.reference_totals),
            root=self.root,
            reference_sums=sums,
        )


def power(values: Array, exponent: float) -> Array:
    """Return the power of each value, shape (m,), as C's `pow` gives it: NumPy's differs in last bits.

    On those bits it depends which of two equally good references is the best one.
    """
    if exponent == 1:
        return values
    return np.array([value**exponent for value in values.tolist()], np.float64)


class PairCounter:
    """Counts for the types of ROUGE; what several types need is counted once."""

    def __init__(self, tokens: TokenBatch, types: Sequence[RougeType], by_script: bool) -> None:
        self._tokens = tokens
        self._by_line = tokens if tokens.cut_by_line is None else tokens.cut_by_line
        self._by_script = by_script
        # ROUGE-SU adds unigrams to its pairs.
        self._max_order = max(1 if rouge_type.kind == "SU" else rouge_type.order for rouge_type in types)
        self._with_lcs = any(rouge_type.kind in ("L", "Lsum") for rouge_type in types)
        self._lengths = tokens.tokens.lengths
        self._texts, self._references = tokens.pairs
        self._skip_hits: dict[int, NDArray[np.int64]] = {}

    def count(self, rouge_type: RougeType) -> PairCounts:
        """Return the counts of one type."""
        if rouge_type.kind == "n":
            return self._counts(
                self._matches.ngrams[:, rouge_type.order - 1], np.maximum(self._lengths - rouge_type.order + 1, 0)
            )
        if rouge_type.kind == "W":
            return self._weighted(rouge_type.weight)
        if rouge_type.kind in ("S", "SU"):
            return self._skip(rouge_type)
        if rouge_type.kind == "L" and not self._by_script:
            return self._counts(self._matches.common, self._lengths)
        return self._counts(self._line_hits, self._lengths, self._by_line.tokens.lengths)

    def _counts(
        self, hits: NDArray[np.int64], totals: NDArray[np.int64], as_references: NDArray[np.int64] | None = None
    ) -> PairCounts:
        """Return counts from the total of each document, and perhaps another one for where it is a reference."""
        if as_references is None:
            as_references = totals
        text_totals = totals[self._texts]
        reference_totals = as_references[self._references]
        return PairCounts(hits.astype(float), text_totals.astype(float), reference_totals.astype(float))

    @cached_property
    def _matches(self) -> PairMatches:
        """N-grams of all orders and, if a type asks for them, longest common subsequences."""
        return self._matches_of(self._tokens.tokens, self._max_order, self._with_lcs)

    def _matches_of(self, tokens: Ragged, max_order: int, with_lcs: bool = False) -> PairMatches:
        if self._tokens.is_crossed and not with_lcs:
            ngrams = crossed_matches(tokens, self._tokens.n_items, max_order)
            return PairMatches(ngrams, np.zeros(len(ngrams), np.int64))
        pairs = self._texts, self._references
        return pair_matches(tokens, *pairs, self._tokens.n_types, max_order=max_order, with_lcs=with_lcs)

    @cached_property
    def _line_hits(self) -> NDArray[np.int64]:
        batch = self._by_line
        n_lines = batch.lines.lengths
        has_lines = (n_lines[self._texts] > 1) | (n_lines[self._references] > 1)
        # Lines that were cut each by itself differ from the lines of the text that was cut as a whole.
        has_lines |= self._by_line is not self._tokens
        # Between two single lines there is one subsequence: their union.
        if not has_lines.any():
            return self._matches.common
        hits = self._matches.common.copy()
        pairs = self._texts[has_lines], self._references[has_lines]
        self._check_memory(*pairs)
        hits[has_lines] = union_lcs_hits(batch.tokens, batch.lines, *pairs, batch.n_types, self._tokens.tokens)
        return hits

    def _check_memory(self, texts: NDArray[np.int64], references: NDArray[np.int64]) -> None:
        """Raise an InputError for a pair whose way back takes too much memory, before any is taken."""
        lengths = self._by_line.tokens.lengths
        memory = way_back_bytes(self._by_line.tokens, self._by_line.lines, texts, references)
        if memory.max(initial=0) <= MOST_WAY_BACK:
            return
        pair = int(np.argmax(memory > MOST_WAY_BACK))
        text = texts[pair]
        reference = references[pair]
        segment = self._tokens.first_item + text % (len(self._tokens.reference_offsets) - 1)
        name = f"item {segment}"
        if self._tokens.name_of is not None:
            name = self._tokens.name_of(int(text))
        raise InputError(
            f"{name} is too long for ROUGE-W and ROUGE-L by lines (rougeLsum): its "
            f"prediction of {lengths[text]:,} tokens against a reference of {lengths[reference]:,} takes "
            f"{memory[pair] / 2**30:.1f} GiB of memory, but the limit is {MOST_WAY_BACK / 2**30:g}. Leave these "
            "types out of rouge_types, cut the texts with max_words, or give them lines, as by sentence_split='auto'."
        )

    def _weighted(self, weight: float) -> PairCounts:
        """ROUGE-W: recall divides by the weight of the sum of the weights of lines, as ROUGE-1.5.5 does."""
        batch = self._by_line
        line_lengths = np.diff(batch.lines.values)
        run_weights = np.array([float(k) ** weight for k in range(int(line_lengths.max(initial=0)) + 2)])
        # bincount adds line after line, so a document's sum does not depend on other texts, to the last bit.
        documents_of_lines = np.repeat(np.arange(len(self._lengths)), batch.lines.lengths)
        line_sums = np.bincount(documents_of_lines, run_weights[line_lengths], minlength=len(self._lengths)).astype(
            np.float64
        )
        self._check_memory(self._texts, self._references)
        pairs = self._texts, self._references
        hits = weighted_lcs_hits(batch.tokens, batch.lines, *pairs, run_weights, batch.n_types, self._tokens.tokens)
        return PairCounts(
            hits,
            power(self._lengths.astype(np.float64), weight)[self._texts],
            power(line_sums, weight)[self._references],
            root=weight,
            reference_sums=line_sums[self._references],
        )

    def _skip(self, rouge_type: RougeType) -> PairCounts:
        batch = self._tokens
        # Types of the same gap, such as rougeS4 and rougeSU4, share their pairs.
        if rouge_type.gap not in self._skip_hits:
            self._skip_hits[rouge_type.gap] = skip_bigram_matches(
                batch.tokens, self._texts, self._references, batch.n_types, rouge_type.gap
            )
        hits = self._skip_hits[rouge_type.gap]
        totals = skip_bigram_total(self._lengths, rouge_type.gap)
        if rouge_type.kind == "SU" and self._by_script:
            # ROUGE-1.5.5 leaves out the last word of a text when it adds unigrams to the pairs.
            hits = hits + self._matches_of(_without_last(batch.tokens), 1).ngrams[:, 0]
            totals = totals + np.maximum(self._lengths - 1, 0)
        elif rouge_type.kind == "SU":
            hits = hits + self._matches.ngrams[:, 0]
            totals = totals + self._lengths
        return self._counts(hits, totals)


def _without_last(tokens: Ragged) -> Ragged:
    """Return the rows without their last value."""
    has_values = tokens.lengths > 0
    is_kept = np.ones(len(tokens.values), bool)
    is_kept[tokens.offsets[1:][has_values] - 1] = False
    return replace(
        tokens, values=tokens.values[is_kept], offsets=tokens.offsets - np.concatenate([[0], np.cumsum(has_values)])
    )


# Rows of ROUGE from texts as they are, in one call of the engine.

#: Tokenizers for which texts are not lowercased beforehand: "rouge" lowercases them itself, "none" keeps capitals.
KEEP_CASE = ("rouge", "none")


def types_for_engine(types: Sequence[RougeType]) -> tuple[tuple[str, float], ...] | None:
    """Return each type as the engine takes it; None for more types than it takes."""
    if len(types) > MOST_TYPES or sum(rouge_type.kind == "W" for rouge_type in types) > 1:
        return None
    kinds_and_numbers = []
    for rouge_type in types:
        numbers = {"n": rouge_type.order, "S": rouge_type.gap, "SU": rouge_type.gap, "W": rouge_type.weight}
        kinds_and_numbers.append((rouge_type.kind, numbers.get(rouge_type.kind, 0)))
    return tuple(kinds_and_numbers)


def rows_of_texts(
    batch: Corpus,
    tokenizer: str | Splitter,
    types: tuple[tuple[str, float], ...],
    options: RougeOptions,
    prepare: Callable[[str], str] | None,
    porter: bool,
) -> Array | None:
    """Return the rows of a batch; None where texts are too long for the table of rougeLsum or rougeW."""
    lowercase = isinstance(tokenizer, str) and tokenizer not in KEEP_CASE
    texts, reading = texts_and_reading(batch, tokenizer, lowercase=lowercase, prepare=prepare, lines=True)
    every_pair = not batch.one_each and options.multi_ref != "best"
    rows: Array
    count = partial(engine.rouge_rows, porter=porter) if porter else engine.rouge_rows
    rows, pairs, uncounted = rows_by_engine(batch, count, texts, reading, types, options.beta, every_pair)
    if uncounted:
        return None
    if pairs is not None:
        counts = batch.reference_counts
        item_triples = rows[:, len(Metric.base_columns) :]
        has_reference = counts > 0
        starts = (np.cumsum(counts) - counts)[has_reference]
        n_references = counts[has_reference]
        item_triples[:] = 0.0
        for start in range(0, item_triples.shape[1], len(MEASURES)):
            type_columns = slice(start, start + len(MEASURES))
            item_triples[has_reference, type_columns] = combine(
                pairs[:, type_columns], starts, n_references, options.multi_ref
            )
    leave_out(rows, batch, options.missing_references)
    return rows


# Scores of pairs of a prediction and a reference.


def pair_scores(counts: PairCounts, beta: float, epsilon: float = 0.0, alpha: float | None = None) -> Array:
    """Return precision, recall and F of pairs, shape (m, 3); a text or reference without tokens scores 0.

    `epsilon` is added to F's denominator. With `alpha`, F is P R / ((1 - alpha) P + alpha R) instead.
    """
    precision = counts.hits / np.where(counts.text_totals > 0, counts.text_totals, 1)
    recall = counts.hits / np.where(counts.reference_totals > 0, counts.reference_totals, 1)
    if counts.root != 1:
        precision = precision ** (1 / counts.root)
        recall = recall ** (1 / counts.root)
    if alpha is None:
        weight = beta * beta
        denominator = recall + weight * precision + epsilon
    else:
        weight = 0.0
        denominator = (1 - alpha) * precision + alpha * recall
    f = np.where(denominator > 0, (1 + weight) * precision * recall / np.where(denominator > 0, denominator, 1), 0.0)
    return np.stack([precision, recall, f], axis=1)


# What the packages ``rouge`` (PyPI, by pltrdy) and ``rouge_chinese`` count, for ``compat`` of these names.
#
# They split at blanks, keep capitals and marks, count repeated n-grams once, and find sentences by their marks.

#: epsilon in F's denominator.
EPSILON = 1e-8

#: The types that they compute by default.
PACKAGE_TYPES = ("rouge1", "rouge2", "rougeL")

# rouge_chinese applies these one after the other, and puts a line end between the two groups of each match.
_CHINESE_ENDS = (
    re.compile(r"([。！？?])([^”’])"),
    re.compile(r"(\.{6})([^”’])"),
    re.compile(r"(…{2})([^”’])"),
    re.compile(r"([。！？?][”’])([^，。！？?])"),
)


def _by_chinese_marks(text: str) -> list[str]:
    for end in _CHINESE_ENDS:
        text = end.sub(r"\1\n\2", text)
    return text.rstrip().split("\n")


#: How each package finds sentences.
PACKAGES: dict[str, Callable[[str], list[str]]] = {
    "rouge": lambda text: text.split("."),
    "rouge_chinese": _by_chinese_marks,
}


def check_types(package: str, types: tuple[RougeType, ...]) -> None:
    """Raise an OptionError for a type that the packages do not have."""
    for rouge_type in types:
        if rouge_type.kind != "L" and not 1 <= rouge_type.order <= 5:
            raise OptionError(
                f"The package {package} has the types rouge1 to rouge5 and rougeL: with compat={package!r} the "
                f"'rouge_types' option must name these. Got {rouge_type.name!r} instead."
            )


def mark_sentences(text: str, package: str) -> str:
    r"""Put each sentence on a line, after a mark: for the packages, one of blanks only has one word, an empty one."""
    return "\n".join("." + " ".join(sentence.split()) for sentence in PACKAGES[package](text) if sentence)


def split_marked(line: str) -> list[str]:
    """Return the words of a line that :func:`mark_sentences` made."""
    return line[1:].split(" ") if line else []


class PackageCounter:
    """Counts of pairs as a package makes them; the interface is that of :class:`PairCounter`.

    ROUGE-N counts different n-grams. ROUGE-L of ``rouge`` counts the different words of the longest common
    subsequences of all pairs of sentences; that of ``rouge_chinese`` is one subsequence of the whole texts.
    """

    def __init__(self, tokens: TokenBatch, package: str) -> None:
        self._tokens = tokens
        self._package = package
        self._texts, self._references = tokens.pairs

    @cached_property
    def _documents(self) -> list[list[int]]:
        return self._tokens.tokens.lists()

    def count(self, rouge_type: RougeType) -> PairCounts:
        """Return the counts of one type."""
        batch = self._tokens
        if rouge_type.kind == "L" and self._package == "rouge_chinese":
            hits = pair_matches(batch.tokens, self._texts, self._references, batch.n_types, with_lcs=True).common
            return self._counts(hits, batch.tokens.lengths)
        order = 1 if rouge_type.kind == "L" else rouge_type.order
        ngram_sets = [set(ngrams(ids, order)) for ids in self._documents]
        totals = np.array([len(ngrams_of_text) for ngrams_of_text in ngram_sets], np.int64)
        if rouge_type.kind == "L":
            lines = batch.line_lists()
            n_hits = [len(union_words(lines[text], lines[reference])) for text, reference in self._pairs()]
        else:
            n_hits = [len(ngram_sets[text] & ngram_sets[reference]) for text, reference in self._pairs()]
        return self._counts(np.array(n_hits, np.int64), totals)

    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self._texts.tolist(), self._references.tolist(), strict=True))

    def _counts(self, hits: NDArray[np.int64], totals: NDArray[np.int64]) -> PairCounts:
        float_totals = totals.astype(np.float64)
        return PairCounts(hits.astype(np.float64), float_totals[self._texts], float_totals[self._references])


def union_words(text: list[list[int]], reference: list[list[int]]) -> set[int]:
    """Return the different words of the longest common subsequences of each two sentences.

    Of several longest ones it is that of the package: from the ends, a match first, else back in the text unless that
    would shorten it.
    """
    words: set[int] = set()
    for reference_line in reference:
        for text_line in text:
            positions, _ = lcs_positions(reference_line, text_line)
            words |= {reference_line[position] for position in positions}
    return words
