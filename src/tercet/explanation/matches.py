"""Which tokens of two texts match, and why: n-grams, longest common subsequences, skip-bigrams.

The engine counts; here, for one pair of texts and in plain Python, what counts is found in the texts. An n-gram may
occur in a text more often than it counts: which occurrences count is then chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Word:
    """A token as it is compared, and how it matches."""

    text: str
    level: int  # 0 without a match; else the length of its longest n-gram or run, or its number of skip-bigrams
    written: str | None = None  # as written, if a stem or lemma is compared


def words_of(compared: Sequence[str], levels: Sequence[int], written: Sequence[str]) -> list[Word]:
    """Return tokens as compared and as written, with their levels."""
    words = []
    for text, level, written_word in zip(compared, levels, written, strict=True):
        if text == written_word:
            words.append(Word(text, level))
        else:
            words.append(Word(text, level, written_word))
    return words


@dataclass(frozen=True, slots=True)
class Count:
    """An n-gram or skip-bigram of the prediction, its tokens joined by blanks."""

    text: str
    prediction: int  # how often it occurs there
    reference: int  # and in the reference that has it most often

    @property
    def counted(self) -> int:
        """How often it counts: the smaller of the two."""
        return min(self.prediction, self.reference)


def ngrams(ids: Ids, order: int) -> Iterator[tuple[int, ...]]:
    """Yield the n-grams of one order, by the position of their first token."""
    return zip(*(ids[start:] for start in range(order)), strict=False)


def skip_bigrams(ids: Ids, gap: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of each two tokens with at most `gap` others between them; any number if it is negative."""
    for first in range(len(ids)):
        stop = len(ids) if gap < 0 else min(first + gap + 2, len(ids))
        yield from ((first, second) for second in range(first + 1, stop))


def ngram_limits(texts: Sequence[Ids], orders: Iterable[int]) -> dict[int, Counter[tuple[int, ...]]]:
    """Return for each order how often each n-gram may count: as often as in the text that has it most often."""
    limits: dict[int, Counter[tuple[int, ...]]] = {}
    for order in orders:
        counter: Counter[tuple[int, ...]] = Counter()
        for ids in texts:
            counter |= Counter(ngrams(ids, order))
        limits[order] = counter
    return limits


def ngram_counts(
    counter: Counter[tuple[int, ...]], limits: Counter[tuple[int, ...]], spelling: Sequence[str]
) -> list[Count]:
    """Return the n-grams of a text, in the order of their first occurrence, with how often they may count."""
    counts = []
    for ngram, number in counter.items():
        text = " ".join([spelling[token] for token in ngram])
        counts.append(Count(text, number, limits[ngram]))
    return counts


def lcs_positions(ids: Ids, reference: Ids) -> tuple[list[int], list[int]]:
    """Return the positions of a longest common subsequence, in the text and in the reference, the last one first.

    The one of rouge_score and ROUGE-1.5.5: from the ends, a match first, else back in the reference unless that would
    shorten it (by Hyyrö's bit vectors, for which Python's integers serve).
    """
    all_bits = (1 << len(reference)) - 1
    # Bit i is 1 where token i of the reference is this one.
    bits_of_tokens: dict[int, int] = {}
    for position, token in enumerate(reference):
        bits_of_tokens[token] = bits_of_tokens.get(token, 0) | 1 << position
    # Bit i of row j is 0 where the reference up to and with token i has a longer common subsequence with the first j
    # tokens of the text than the reference before i has.
    rows = [all_bits]
    for token in ids:
        row = rows[-1]
        equal_bits = bits_of_tokens.get(token, 0)
        rows.append(((row + (row & equal_bits)) | (row & ~equal_bits)) & all_bits)

    in_text: list[int] = []
    in_reference: list[int] = []
    i = len(reference) - 1
    j = len(ids)
    while i >= 0 and j > 0:
        if reference[i] == ids[j - 1]:
            in_text.append(j - 1)
            in_reference.append(i)
            i -= 1
            j -= 1
        elif rows[j] >> i & 1:
            i -= 1
        else:
            j -= 1
    return in_text, in_reference


def weighted_lcs_positions(ids: Ids, reference: Ids, worth: Sequence[float]) -> tuple[list[int], list[int]]:
    """Return the positions of a common subsequence of the greatest weight (ROUGE-W), as `lcs_positions` does.

    `worth[k]` is the weight of a run of k. Time and memory: the product of the lengths.
    """
    match = 0
    back_in_reference = 1
    back_in_text = 2
    best = [0.0] * (len(reference) + 1)
    runs = [0] * (len(reference) + 1)
    steps: list[bytearray] = []
    for token in ids:
        row = bytearray(len(reference) + 1)
        diagonal = 0.0
        diagonal_run = 0
        left = 0.0
        for i in range(1, len(reference) + 1):
            above = best[i]
            above_run = runs[i]
            if reference[i - 1] == token:
                # the run that ended before both tokens grows by one: what this adds to its weight
                best[i] = diagonal + worth[diagonal_run + 1] - worth[diagonal_run]
                runs[i] = diagonal_run + 1
                row[i] = match
            else:
                runs[i] = 0
                row[i] = back_in_reference if left >= above else back_in_text
                best[i] = max(left, above)
            diagonal = above
            diagonal_run = above_run
            left = best[i]
        steps.append(row)

    in_text: list[int] = []
    in_reference: list[int] = []
    i = len(reference)
    j = len(ids)
    while i > 0 and j > 0:
        step = steps[j - 1][i]
        if step != back_in_text:
            i -= 1
        if step != back_in_reference:
            j -= 1
        if step == match:
            in_text.append(j)
            in_reference.append(i)
    return in_text, in_reference


def run_levels(positions: Iterable[int], size: int) -> list[int]:
    """Return for each of `size` tokens the length of the run of positions that it is in."""
    levels = [0] * size
    run: list[int] = []
    # -1, which follows no position, ends the last run
    for position, next_position in pairwise([*sorted(set(positions)), -1]):
        run.append(position)
        if next_position != position + 1:
            for position_in_run in run:
                levels[position_in_run] = len(run)
            run = []
    return levels
