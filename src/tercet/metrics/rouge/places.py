"""Where a prediction and a reference match, for each type of ROUGE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from tercet.engine.counting import skip_bigram_total
from tercet.errors import InputError
from tercet.metric.drawing.places import (
    Count,
    Ids,
    Word,
    lcs_places,
    ngram_counts,
    ngram_levels,
    ngram_limits,
    ngrams,
    run_levels,
    skip_bigrams,
    weighted_lcs_places,
    words_of,
)

from .package import PACKAGES, union_words
from .types import RougeType

#: Skip-bigrams of a text that are listed: a few seconds, and some hundred megabytes.
MOST_PAIRS = 1_000_000
#: Steps of common subsequences, in plain Python: a few seconds. Two tokens are one in ROUGE-W, two lines are ten.
MOST_STEPS, _OF_LINES = 5_000_000, 10

FindPlaces = Callable[[Ids, Ids], tuple[list[int], list[int]]]


@dataclass(frozen=True, slots=True)
class Places:
    """The level of each token of the prediction and of the reference, and what was counted."""

    prediction: list[int]
    reference: list[int]
    counts: list[Count]


class PairOfTexts:
    """A prediction and a reference, as lines of token ids."""

    def __init__(
        self,
        prediction: list[list[int]],
        reference: list[list[int]],
        spelling: list[str],
        left: Counter[int] | None = None,
    ) -> None:
        self._lines = prediction, reference
        self._prediction = list(chain.from_iterable(prediction))
        self._reference = list(chain.from_iterable(reference))
        self._spelling = spelling
        self._left = Counter(self._prediction) if left is None else left

    def prediction_words(self, places: Places, written: list[str]) -> list[Word]:
        """Return the tokens of the prediction with their levels, and as they were written."""
        return words_of([self._spelling[i] for i in self._prediction], places.prediction, written)

    def reference_words(self, places: Places, written: list[str]) -> list[Word]:
        """Return the tokens of the reference with their levels, and as they were written."""
        return words_of([self._spelling[i] for i in self._reference], places.reference, written)

    def places(self, kind: RougeType, compat: str | None) -> Places:
        """Return where the texts match, as the implementation counts: of what counts once, the first place."""
        by_script = compat == "rouge155"
        if compat in PACKAGES and kind.kind == "n":
            return self._different_ngrams(kind.order)
        if compat == "rouge":
            words = union_words(*self._lines)
            return Places(_first(self._prediction, words), _first(self._reference, words), [])
        if kind.kind == "n":
            return self._ngrams(kind.order)
        if kind.kind in ("S", "SU"):
            return self._skip_bigrams(kind, by_script)
        if kind.kind == "W":
            self._check_steps(kind, len(self._prediction) * len(self._reference))
            longest = max(map(len, self._lines[1]), default=0)
            worth = [float(run) ** kind.weight for run in range(longest + 2)]
            text, reference = self._union(lambda ids, other: weighted_lcs_places(ids, other, worth))
            return Places(run_levels(text, len(self._prediction)), run_levels(reference, len(self._reference)), [])
        if kind.kind == "L" and not by_script:
            text, reference = lcs_places(self._prediction, self._reference)
        else:
            self._check_steps(kind, 0)
            text, reference = self._union(lcs_places)
        return Places(_flags(text, len(self._prediction)), _flags(reference, len(self._reference)), [])

    def _check_steps(self, kind: RougeType, n_steps: int) -> None:
        """Refuse a pair whose lines, and what they are compared by, would take minutes."""
        lines = [len(each) for each in self._lines]
        n_steps += _OF_LINES * lines[0] * lines[1]
        if n_steps > MOST_STEPS:
            raise InputError(
                f"{kind.name} compares {len(self._prediction):,} tokens in {lines[0]:,} lines with "
                f"{len(self._reference):,} in {lines[1]:,}, in {n_steps:,} steps; an explanation takes up to "
                f"{MOST_STEPS:,}. Leave it out of rouge_types, or give a shorter text."
            )

    def _ngrams(self, order: int) -> Places:
        text, reference = self._prediction, self._reference
        limits = Counter(ngrams(reference, order))
        counts = ngram_counts(Counter(ngrams(text, order)), limits, self._spelling)
        levels = [
            ngram_levels(own, ngram_limits([other], (order,)))
            for own, other in ((text, reference), (reference, text))
        ]
        flags = [[int(level > 0) for level in each] for each in levels]
        return Places(flags[0], flags[1], counts)

    def _different_ngrams(self, order: int) -> Places:
        found = [dict.fromkeys(ngrams(ids, order)) for ids in (self._prediction, self._reference)]
        counts = [Count(self._joined(ngram), 1, int(ngram in found[1])) for ngram in found[0]]
        limits = {order: Counter({ngram: 1 for ngram in found[0] if ngram in found[1]})}
        levels = [ngram_levels(ids, limits) for ids in (self._prediction, self._reference)]
        flags = [[int(level > 0) for level in each] for each in levels]
        return Places(flags[0], flags[1], counts)

    def _union(self, find: FindPlaces) -> tuple[list[int], list[int]]:
        """Return the places of the union over lines; the reference's count while the text has the token left."""
        in_text: set[int] = set()
        hits: list[int] = []
        left = self._left.copy()
        start = 0
        for line in self._lines[1]:
            marked: set[int] = set()
            begin = 0
            for other in self._lines[0]:
                of_text, of_reference = find(other, line)
                in_text |= {begin + place for place in of_text}
                marked |= set(of_reference)
                begin += len(other)
            for place in sorted(marked):
                if left[line[place]] > 0:
                    left[line[place]] -= 1
                    hits.append(start + place)
            start += len(line)
        return sorted(in_text), hits

    def _skip_bigrams(self, kind: RougeType, by_script: bool) -> Places:
        n_tokens = max(len(self._prediction), len(self._reference))
        n_pairs = int(skip_bigram_total(np.array([n_tokens]), kind.gap)[0])
        if n_pairs > MOST_PAIRS:
            raise InputError(
                f"{kind.name} has {n_pairs:,} skip-bigrams in a text of {n_tokens:,} tokens; an explanation takes up "
                f"to {MOST_PAIRS:,}. A gap, as in rougeS4, makes them fewer."
            )
        levels: list[list[int]] = []
        counters = [
            Counter((ids[first], ids[second]) for first, second in skip_bigrams(ids, kind.gap))
            for ids in (self._prediction, self._reference)
        ]
        shared = counters[0] & counters[1]
        for ids in (self._prediction, self._reference):
            left, level = shared.copy(), [0] * len(ids)
            for first, second in skip_bigrams(ids, kind.gap):
                pair = (ids[first], ids[second])
                if left[pair] > 0:
                    left[pair] -= 1
                    level[first], level[second] = level[first] + 1, level[second] + 1
            levels.append(level)
        counts = [Count(self._joined(pair), counters[0][pair], counters[1][pair]) for pair in shared]
        if kind.kind == "SU":
            texts = [ids[:-1] if by_script else ids for ids in (self._prediction, self._reference)]
            for level, own, other in ((levels[0], *texts), (levels[1], *reversed(texts))):
                for place, unigram in enumerate(ngram_levels(own, ngram_limits([other], (1,)))):
                    level[place] += unigram
            often = [Counter(text) for text in texts]
            counts += [Count(self._spelling[i], often[0][i], often[1][i]) for i in often[0] & often[1]]
        return Places(levels[0], levels[1], counts)

    def _joined(self, ids: tuple[int, ...]) -> str:
        return " ".join(self._spelling[token] for token in ids)


def _flags(places: list[int], size: int) -> list[int]:
    levels = [0] * size
    for place in places:
        levels[place] = 1
    return levels


def _first(ids: list[int], words: set[int]) -> list[int]:
    """Return 1 where one of the words stands for the first time."""
    return _flags([ids.index(word) for word in words], len(ids))
