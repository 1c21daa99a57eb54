"""Why a prediction has its ROUGE: the n-grams, subsequences or skip-bigrams that it shares with a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from tercet import numpy_later as np
from tercet.engine.counting import skip_bigram_total
from tercet.errors import InputError
from tercet.explanation.explanation import Explanation
from tercet.explanation.levels import levels_of_pairs, ngram_levels
from tercet.explanation.matches import (
    Count,
    Ids,
    Word,
    lcs_positions,
    ngram_counts,
    ngram_limits,
    ngrams,
    run_levels,
    skip_bigrams,
    weighted_lcs_positions,
    words_of,
)
from tercet.explanation.parts import Heading, Legend, Line, Part, Sentence, Share, counts_table

from .counts import PACKAGES, union_words
from .options import RougeType

#: Meaning of the levels of the words, by kind.
_HINTS = {
    "n": "in a matched n-gram",
    "L": "in the longest common subsequence",
    "Lsum": "in a longest common subsequence of lines",
    "W": "run of {}",
    "S": "matched skip-bigrams: {}",
    "SU": "matches: {}",
}


@dataclass(frozen=True, slots=True, eq=False)
class TypeMatches:
    """The matching behind one type of ROUGE.

    Attributes
    ----------
    name, kind : str
        As given, such as ``rougeSU4``; n, L, Lsum, W, S or SU.
    reference : int
        Which reference: the best one (by F; with ``compat="rouge155"`` by recall).
    precision, recall, fmeasure : float
        Of the prediction and this reference, from 0 to 1.
    hits, prediction_total, reference_total : float
        What is divided: n-grams, tokens or skip-bigrams; for ROUGE-W weights.
    prediction_words, reference_words : list of Word
        Their level: 1 for a match, the length of the run for ROUGE-W, the number of matches for skip-bigrams.
    counts : list of Count
        The n-grams of the prediction, or the skip-bigrams that match; none for subsequences.
    """

    name: str
    kind: str
    reference: int
    precision: float
    recall: float
    fmeasure: float
    hits: float
    prediction_total: float
    reference_total: float
    prediction_words: list[Word]
    reference_words: list[Word]
    counts: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class RougeMatches(Explanation):
    """The matching behind the ROUGE of one prediction, type by type.

    Attributes
    ----------
    types : list of TypeMatches
    n_references : int
    signature : str
    """

    types: list[TypeMatches]
    n_references: int
    signature: str

    @property
    def title(self) -> Heading:
        """Nothing: each type has its own."""
        return Heading("", {})

    def parts(self) -> list[Part]:
        """Return the texts with their matches coloured, type by type."""
        return [part for type_matches in self.types for part in self._section(type_matches)]

    def _section(self, matches: TypeMatches) -> list[Part]:
        suffix = "" if self.n_references == 1 else f" with reference {matches.reference + 1} of {self.n_references}"
        hint = _HINTS[matches.kind]
        names = [hint] if "{}" not in hint else [hint.format(number) for number in ("1", "2", "3", "4 or more")]
        shares = {"precision": matches.precision, "recall": matches.recall, "F": matches.fmeasure}
        called = f"ROUGE-{matches.name.removeprefix('rouge')}{suffix}"
        unit = "n-grams of the prediction" if matches.kind == "n" else "matched skip-bigrams"
        return [
            Heading(f"{matches.name}{suffix}", {name: Share(value) for name, value in shares.items()}, called),
            Sentence(
                f"{matches.hits:g} of {matches.prediction_total:g} in the prediction, of "
                f"{matches.reference_total:g} in the reference"
            ),
            Legend(names),
            Line("prediction", matches.prediction_words, hint),
            Line("reference", matches.reference_words, hint),
            *([counts_table(f"all {unit}", matches.counts)] if matches.counts else []),
        ]


# Where a prediction and a reference match, for each type of ROUGE.

#: Most skip-bigrams of a text that are listed: they take a few seconds, and some hundred megabytes.
_MOST_PAIRS = 1_000_000
#: Most steps of common subsequences in plain Python: they take a few seconds. Comparing two tokens is one step in
#: ROUGE-W.
_MOST_STEPS = 5_000_000
#: As how many steps comparing two lines counts.
_STEPS_OF_TWO_LINES = 10

#: Finds a common subsequence: its positions in the one text and in the other.
FindSubsequence = Callable[[Ids, Ids], tuple[list[int], list[int]]]


@dataclass(frozen=True, slots=True)
class MatchedTokens:
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
        remaining_counts: Counter[int] | None = None,
    ) -> None:
        self._lines = prediction, reference
        self._prediction = list(chain.from_iterable(prediction))
        self._reference = list(chain.from_iterable(reference))
        self._spelling = spelling
        self._remaining_counts = Counter(self._prediction) if remaining_counts is None else remaining_counts

    def prediction_words(self, matched: MatchedTokens, written: list[str]) -> list[Word]:
        """Return the tokens of the prediction with their levels, and as they were written."""
        return words_of([self._spelling[i] for i in self._prediction], matched.prediction, written)

    def reference_words(self, matched: MatchedTokens, written: list[str]) -> list[Word]:
        """Return the tokens of the reference with their levels, and as they were written."""
        return words_of([self._spelling[i] for i in self._reference], matched.reference, written)

    def matched_tokens(self, rouge_type: RougeType, compat: str | None) -> MatchedTokens:
        """Return which tokens match, as the implementation counts: of what counts once, the first occurrence."""
        by_script = compat == "rouge155"
        if compat in PACKAGES and rouge_type.kind == "n":
            return self._different_ngrams(rouge_type.order)
        if compat == "rouge":
            words = union_words(*self._lines)
            return MatchedTokens(_first(self._prediction, words), _first(self._reference, words), [])
        if rouge_type.kind == "n":
            return self._ngrams(rouge_type.order)
        if rouge_type.kind in ("S", "SU"):
            return self._skip_bigrams(rouge_type, by_script)
        if rouge_type.kind == "W":
            self._check_steps(rouge_type, len(self._prediction) * len(self._reference))
            longest = max(map(len, self._lines[1]), default=0)
            run_weights = [float(run) ** rouge_type.weight for run in range(longest + 2)]
            text_positions, reference_positions = self._union(
                lambda ids, reference_ids: weighted_lcs_positions(ids, reference_ids, run_weights)
            )
            return MatchedTokens(
                prediction=run_levels(text_positions, len(self._prediction)),
                reference=run_levels(reference_positions, len(self._reference)),
                counts=[],
            )
        if rouge_type.kind == "L" and not by_script:
            text_positions, reference_positions = lcs_positions(self._prediction, self._reference)
        else:
            self._check_steps(rouge_type, n_steps=0)
            text_positions, reference_positions = self._union(lcs_positions)
        return MatchedTokens(
            prediction=_flags(text_positions, len(self._prediction)),
            reference=_flags(reference_positions, len(self._reference)),
            counts=[],
        )

    def _check_steps(self, rouge_type: RougeType, n_steps: int) -> None:
        """Refuse a pair whose lines, and what they are compared by, would take minutes."""
        n_lines = [len(lines) for lines in self._lines]
        n_steps += _STEPS_OF_TWO_LINES * n_lines[0] * n_lines[1]
        if n_steps > _MOST_STEPS:
            raise InputError(
                f"{rouge_type.name} compares {len(self._prediction):,} tokens in {n_lines[0]:,} lines with "
                f"{len(self._reference):,} in {n_lines[1]:,}, in {n_steps:,} steps; an explanation takes up to "
                f"{_MOST_STEPS:,}. Leave it out of rouge_types, or give a shorter text."
            )

    def _ngrams(self, order: int) -> MatchedTokens:
        text, reference = self._prediction, self._reference
        limits = Counter(ngrams(reference, order))
        counts = ngram_counts(Counter(ngrams(text, order)), limits, self._spelling)
        levels = levels_of_pairs([text, reference], [reference, text], (order,))
        flags = [[int(level > 0) for level in text_levels] for text_levels in levels]
        return MatchedTokens(flags[0], flags[1], counts)

    def _different_ngrams(self, order: int) -> MatchedTokens:
        # The packages count a repeated n-gram once.
        text_ngrams = dict.fromkeys(ngrams(self._prediction, order))
        reference_ngrams = dict.fromkeys(ngrams(self._reference, order))
        counts = [Count(self._joined(ngram), 1, int(ngram in reference_ngrams)) for ngram in text_ngrams]
        limits = {order: Counter({ngram: 1 for ngram in text_ngrams if ngram in reference_ngrams})}
        levels = [ngram_levels(ids, limits) for ids in (self._prediction, self._reference)]
        flags = [[int(level > 0) for level in text_levels] for text_levels in levels]
        return MatchedTokens(flags[0], flags[1], counts)

    def _union(self, find: FindSubsequence) -> tuple[list[int], list[int]]:
        """Return the positions of the union over lines; the reference's count while the text has the token left."""
        matched_in_text: set[int] = set()
        hits: list[int] = []
        remaining_counts = self._remaining_counts.copy()
        reference_start = 0
        for reference_line in self._lines[1]:
            matched_in_line: set[int] = set()
            text_start = 0
            for text_line in self._lines[0]:
                text_positions, reference_positions = find(text_line, reference_line)
                matched_in_text |= {text_start + position for position in text_positions}
                matched_in_line |= set(reference_positions)
                text_start += len(text_line)
            for position in sorted(matched_in_line):
                token = reference_line[position]
                if remaining_counts[token] > 0:
                    remaining_counts[token] -= 1
                    hits.append(reference_start + position)
            reference_start += len(reference_line)
        return sorted(matched_in_text), hits

    def _skip_bigrams(self, rouge_type: RougeType, by_script: bool) -> MatchedTokens:
        n_tokens = max(len(self._prediction), len(self._reference))
        n_pairs = int(skip_bigram_total(np.array([n_tokens]), rouge_type.gap)[0])
        if n_pairs > _MOST_PAIRS:
            raise InputError(
                f"{rouge_type.name} has {n_pairs:,} skip-bigrams in a text of {n_tokens:,} tokens; an explanation "
                f"takes up to {_MOST_PAIRS:,}. A gap, as in rougeS4, makes them fewer."
            )
        levels: list[list[int]] = []
        counters: list[Counter[tuple[int, int]]] = []
        for ids in (self._prediction, self._reference):
            counters.append(Counter((ids[first], ids[second]) for first, second in skip_bigrams(ids, rouge_type.gap)))
        shared = counters[0] & counters[1]
        for ids in (self._prediction, self._reference):
            remaining_pairs = shared.copy()
            level = [0] * len(ids)
            for first, second in skip_bigrams(ids, rouge_type.gap):
                pair = (ids[first], ids[second])
                if remaining_pairs[pair] > 0:
                    remaining_pairs[pair] -= 1
                    level[first] += 1
                    level[second] += 1
            levels.append(level)
        counts = [Count(self._joined(pair), counters[0][pair], counters[1][pair]) for pair in shared]
        if rouge_type.kind == "SU":
            # ROUGE-1.5.5 leaves out the last word of a text when it adds unigrams to the pairs.
            text, reference = [ids[:-1] if by_script else ids for ids in (self._prediction, self._reference)]
            sides = [(levels[0], text, reference), (levels[1], reference, text)]
            for side_levels, ids, other_ids in sides:
                unigram_levels = ngram_levels(ids, ngram_limits([other_ids], (1,)))
                for position, unigram_level in enumerate(unigram_levels):
                    side_levels[position] += unigram_level
            text_counts = Counter(text)
            reference_counts = Counter(reference)
            counts += [
                Count(self._spelling[token], text_counts[token], reference_counts[token])
                for token in text_counts & reference_counts
            ]
        return MatchedTokens(levels[0], levels[1], counts)

    def _joined(self, ids: tuple[int, ...]) -> str:
        return " ".join(self._spelling[token] for token in ids)


def _flags(positions: list[int], size: int) -> list[int]:
    levels = [0] * size
    for position in positions:
        levels[position] = 1
    return levels


def _first(ids: list[int], words: set[int]) -> list[int]:
    """Return 1 where one of the words stands for the first time."""
    return _flags([ids.index(word) for word in words], len(ids))
