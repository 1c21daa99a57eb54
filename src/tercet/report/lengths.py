"""Scores by the length of the reference: segments in buckets, and the score of each bucket."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.api import segment_stats
from tercet.comparison.compare import Comparison, ScoreTable
from tercet.comparison.metric_specs import parse_metric
from tercet.core.batch import make_batch
from tercet.core.items import read_items
from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats
from tercet.errors import TercetError
from tercet.text.letters import count_letters

_MOST_BUCKETS = 5
_LEAST_SEGMENTS = 8  # of a bucket, if there is to be more than one
_FROM_TEXTS = ("bleu_multi", "rouge_nlws")  # these are counted again in no time; an encoder is not asked again

EXACT = "The score of a bucket is computed from the statistics of its segments, like that of the test set."
MEAN = "The score of a bucket is the mean of its segments' scores, as it is for the whole test set."
ONLY_MEAN = "Of a bucket the mean of its segments' scores is shown, which is not how the score above is made."


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Segments by the length of their references.

    Attributes
    ----------
    unit : str
        What the length counts: words, or characters for scripts without blanks.
    labels : list of str
        The least and the greatest length of each bucket.
    members : list of ndarray of int
        The segments of each bucket.
    """

    unit: str
    labels: list[str]
    members: list[NDArray[np.int64]]


def make_buckets(references: Sequence[Sequence[str]], scored: Sequence[int]) -> Buckets:
    """Put segments into at most five buckets of about as many; of several references the mean length counts.

    Parameters
    ----------
    references : sequence of sequence of str
        Of all segments.
    scored : sequence of int
        The segments to put into buckets, those with references.

    Examples
    --------
    >>> buckets = make_buckets([["w " * length] for length in range(1, 21)], range(20))
    >>> buckets.unit, buckets.labels
    ('words', ['1–10', '11–20'])
    """
    texts = [list(references[index]) for index in scored]
    letters = count_letters(make_batch(read_items([""] * len(texts), texts))) if texts else None
    by_characters = letters is not None and letters.mostly_without_blanks
    size = _characters if by_characters else _words
    lengths = np.array([round(sum(map(size, each)) / max(1, len(each))) for each in texts], np.int64)
    number = min(_MOST_BUCKETS, max(1, len(lengths) // _LEAST_SEGMENTS))
    shares = np.arange(1, number) / number
    edges = np.unique(np.quantile(lengths, shares, method="lower")) if len(shares) else np.empty(0)
    places = np.searchsorted(edges, lengths)  # a length that is an edge belongs below it
    members, labels = [], []
    for place in np.unique(places):
        inside = np.flatnonzero(places == place)
        low, high = int(lengths[inside].min()), int(lengths[inside].max())
        members.append(np.asarray(scored, np.int64)[inside])
        labels.append(str(low) if low == high else f"{low}–{high}")
    return Buckets("characters" if by_characters else "words", labels, members)


def _words(text: str) -> int:
    return len(text.split())


def _characters(text: str) -> int:
    return sum(not letter.isspace() and unicodedata.category(letter)[0] != "M" for letter in text)


class BucketScores:
    """Scores of the buckets of a comparison; what texts must be counted again for is counted once."""

    def __init__(self, comparison: Comparison, buckets: Buckets) -> None:
        self._comparison, self._buckets = comparison, buckets
        self._counted: dict[str, tuple[Scorer[Any], list[SegmentStats]] | None] = {}

    def of(self, table: ScoreTable) -> tuple[list[list[float]], str]:
        """Return a row for each system with a score for each bucket, and the sentence that says how they are made."""
        means = self._means(table)
        whole = [float(np.mean([each for each in scores if each is not None])) for scores in table.segments.values()]
        if np.allclose(whole, [row.value for row in table.rows], rtol=1e-7, atol=1e-9):
            return means, MEAN
        exact = self._exact(table)
        return (means, ONLY_MEAN) if exact is None else (exact, EXACT)

    def _means(self, table: ScoreTable) -> list[list[float]]:
        arrays = [np.array(scores, dtype=np.float64) for scores in table.segments.values()]
        return [[float(each[inside].mean()) for inside in self._buckets.members] for each in arrays]

    def _exact(self, table: ScoreTable) -> list[list[float]] | None:
        if table.metric not in self._counted:
            self._counted[table.metric] = self._count(table.metric)
        counted = self._counted[table.metric]
        if counted is None:
            return None
        scorer, stats = counted
        whole = [self._score(scorer, each, table.name, None) for each in stats]
        if not np.allclose(whole, [row.value for row in table.rows], rtol=1e-9, atol=1e-9):
            return None  # the label did not say all of how it was scored
        return [[self._score(scorer, each, table.name, inside) for inside in self._buckets.members] for each in stats]

    def _count(self, label: str) -> tuple[Scorer[Any], list[SegmentStats]] | None:
        """Return the statistics of all systems; None where the label does not tell how to make them."""
        systems, references = self._comparison.test_set.systems, self._comparison.test_set.references
        if label.partition(":")[0] not in _FROM_TEXTS:
            return None
        try:
            scorer = parse_metric(label).scorer(scale=100)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the comparison has said it already
                return scorer, [segment_stats(scorer, each, references) for each in systems.values()]
        except TercetError:
            return None

    @staticmethod
    def _score(scorer: Scorer[Any], stats: SegmentStats, name: str, inside: NDArray[np.int64] | None) -> float:
        kept = np.flatnonzero(stats.column("items") > 0) if inside is None else inside
        if name not in scorer.score_names:
            return float("nan")
        part = stats.selected(kept)
        return float(scorer.finalize(scorer.corpus_totals(part))[name])
