"""The words of the predictions as a page shows them: lengths, rare and frequent words, and n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .bucket_scores import IN_NUMBERS, BucketScores, ByBucket, by_bucket
from .histograms import has_few_segments
from .matched_ngrams import Ngram, ngram_pairs
from .plots import PlotTexts
from .segments import Pair, SegmentChooser, compared_pairs
from .word_frequencies import Frequencies, word_frequencies
from .words import read_words

if TYPE_CHECKING:
    from tercet.comparison.values.scores import SystemScore


@dataclass(frozen=True, slots=True)
class LengthRow:
    """The length of a system's output."""

    system: str
    length: int  # words
    ratio: float  # to those of the references; NaN without
    empty: int  # predictions


@dataclass(frozen=True, slots=True, eq=False)
class WordsView:
    """The words of the systems as the template shows them; rows have the best system first."""

    unit: str
    rows: list[LengthRow]
    has_references: bool = True
    pairs: list[Pair[Ngram]] = field(default_factory=list)
    # By how often words occur in the references, of test sets that are not small.
    frequencies: Frequencies | None = None
    by_frequency: ByBucket | None = None


def words_view(chooser: SegmentChooser, rows: Sequence[SystemScore], names: dict[str, str]) -> WordsView:
    """Return what a page shows of the words of all outputs; pairs of systems are those whose segments are shown."""
    comparison = chooser.comparison
    texts = comparison.test_set.systems
    words = read_words(comparison.corpus or comparison.test_set.corpus(), list(texts))
    lengths = []
    for row in rows:
        length = words.length(row.system)
        n_empty = sum(not text.strip() for text in texts[row.system])
        lengths.append(LengthRow(row.system, length.n_words, length.ratio, n_empty))
    if not words.tokens.lengths[words.references].any():
        return WordsView(words.unit, lengths, has_references=False)
    pairs = ngram_pairs(words, compared_pairs(comparison, chooser.table))
    # where no pair has any, there is nothing to show
    pairs = [pair for pair in pairs if any(pair.groups.values())]
    if has_few_segments(comparison):
        return WordsView(words.unit, lengths, pairs=pairs)
    frequencies = word_frequencies(words)
    scores = BucketScores(
        called="frequency groups",
        labels=frequencies.labels,
        values=[frequencies.values[row.system] for row in rows],
        higher_is_better=True,
    )
    plot_texts = PlotTexts(
        x_label=f"occurrences of the {words.unit} in the references",
        y_label="F in percent",
        description=f"F of {words.unit} by how often they occur in the references; {IN_NUMBERS}",
    )
    by_frequency = by_bucket(comparison, rows, names, scores, plot_texts)
    return WordsView(words.unit, lengths, pairs=pairs, frequencies=frequencies, by_frequency=by_frequency)
