"""Edits and shifts that turn a text into a reference: Tercom's greedy search, in the form of sacrebleu."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet import numpy_later as np

from .plain_ngrams import tokens_of_documents
from .plain_text import Texts, texts_of_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What an alignment is made of.
#: The word of the text equals that of the reference.
MATCH = 0
#: It stands for that of the reference.
SUBSTITUTION = 1
#: It has no counterpart in the reference.
INSERTION = 2
#: The word of the reference has none in the text.
DELETION = 3

# Tercom's limits, and that of sacrebleu.
#: How many cells beside the diagonal count.
BEAM = 25
#: Words of a shift.
MOST_WORDS = 10
#: How far the words that a shift matches may be apart.
MOST_DISTANCE = 50
#: How many shifts a text tries: sacrebleu's.
MOST_CANDIDATES = 1000

_FAR = 1 << 29  # the cost of a cell beside the beam

Words = Sequence[Any]
Row = list[int]
Shift = tuple[int, int, int]


def ter_rows(
    texts: Texts, n: int, reference_offsets: NDArray[np.int64] | None, n_systems: int = 1
) -> NDArray[np.float64]:
    """Return how many edits turn texts into references; a shift of words next to each other is one edit.

    Words are what is between white space. The rules are those of Tercom (Snover et al. 2006) in the form of
    sacrebleu, which the number is equal to: of all shifts of up to 10 words that match the reference, by up to 50
    places, the one that lowers the edit distance most is made, as long as there is one; the distance counts paths in
    a beam of 25 cells around the diagonal; a text tries 1,000 shifts at most.

    Texts are as for :func:`.plain_bleu.bleu_rows`, and so are the first four columns. Then come the fewest edits that
    turn the prediction into a reference (an empty text where there is none), and the words of these on average.
    Time per pair: 50 cells of a table a word, and for each shift that is tried 50 cells a word that it passes.
    """
    rows = np.empty((n_systems, n, 6))
    for item, (predictions, references) in enumerate(texts_of_items(texts, n, reference_offsets, n_systems)):
        words_of_references = [reference.split() for reference in references]
        length = sum(map(len, words_of_references)) / max(len(references), 1)
        for system, prediction in enumerate(predictions):
            words = prediction.split()
            fewest = min((_edits(words, reference).number for reference in words_of_references), default=len(words))
            rows[system, item] = 1, not words, not references, len(references), fewest, length
    return rows.reshape(n_systems * n, 6)


def ter_scores(rows: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return the edits per word of the references, times `scale`, of rows of :func:`ter_rows` or sums of them.

    Where the references have no word, any edit makes it 1, as in sacrebleu.
    """
    if rows.shape[1] != 6:
        raise ValueError("rows have edits and words of references")
    edits = rows[:, 4]
    length = rows[:, 5]
    rates = np.where(length > 0, edits, edits > 0) / np.where(length > 0, length, 1.0)
    return scale * rates


def pair_edits(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], texts: NDArray[np.int64], references: NDArray[np.int64],
    n_types: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Return the edits that :func:`ter_rows` counts, of pairs of documents: as for :func:`.plain_ngrams.overlaps`."""
    documents = tokens_of_documents(ids, offsets)
    pairs = zip(texts.tolist(), references.tolist(), strict=True)
    return np.array([_edits(documents[text], documents[reference]).number for text, reference in pairs], np.int64)


def edit_path(text: str, reference: str) -> tuple[list[Shift], list[int]]:
    """Return the shifts and the alignment that :func:`ter_rows` counts.

    A shift is where its first word was, how many words there are, and where the first one is afterwards. The steps
    align the shifted text with the reference: an `INSERTION` is a word of the text alone.
    """
    edits = _edits(text.split(), reference.split())
    return edits.shifts, edits.steps


class _Edits(NamedTuple):
    number: int
    shifts: list[Shift]
    #: The alignment after the shifts.
    steps: list[int]


def _edits(text: Words, reference: Words) -> _Edits:
    """Return what turns a text into a reference."""
    shifts: list[Shift] = []
    if not text or not reference:
        steps = [INSERTION] * len(text) + [DELETION] * len(reference)
        return _Edits(len(steps), shifts, steps)
    beam = _beam(len(text), len(reference))
    n_tried = 0
    while True:
        table = _rows(text, reference, [list(range(len(reference) + 1))], beam)
        cost = table[-1][-1]
        steps = _steps(text, reference, table)
        candidates = _candidates(text, reference, steps, n_tried)
        n_tried += len(candidates)
        if n_tried >= MOST_CANDIDATES or not candidates:
            break  # sacrebleu drops what it found in this round
        tried = []
        for start, length, target in candidates:
            shifted, to = _shifted(text, start, length, target)
            rows = _rows(shifted, reference, table[: min(start, to) + 1], beam)
            # The least: the cheapest, of equal cost the longest, then the one most to the front.
            tried.append((rows[-1][-1], -length, start, target, to, shifted))
        least_cost, negative_length, start, _, to, shifted = min(tried)
        if least_cost >= cost:
            break
        shifts.append((start, -negative_length, to))
        text = shifted
    return _Edits(len(shifts) + cost, shifts, steps)


def _beam(n_words: int, n_reference: int) -> list[range]:
    """Return the columns of the table that count in each row."""
    ratio = n_reference / n_words
    width = BEAM
    if ratio / 2 > BEAM:
        width = math.ceil(ratio / 2 + BEAM)
    rows = []
    for i in range(n_words + 1):
        diagonal = math.floor(i * ratio)
        last = diagonal + width
        if i == n_words:  # which has the end
            last = n_reference + 1
        rows.append(range(max(0, diagonal - width), min(n_reference + 1, last)))
    return rows


def _rows(text: Words, reference: Words, rows: list[Row], beam: list[range]) -> list[Row]:
    """Return the table of costs of all beginnings; `rows` are its first ones."""
    rows = list(rows)
    for i in range(len(rows), len(text) + 1):
        word = text[i - 1]
        above = rows[-1]
        row = [_FAR] * (len(reference) + 1)
        left = _FAR
        for j in beam[i]:
            cost = min(left, above[j]) + 1
            if j:
                cost = min(cost, above[j - 1] + (word != reference[j - 1]))
            row[j] = cost
            left = cost
        rows.append(row)
    return rows


def _steps(text: Words, reference: Words, rows: list[Row]) -> list[int]:
    """Return the alignment. Of equal ones: a match or a substitution first, then a word of the text alone."""
    steps: list[int] = []
    i = len(text)
    j = len(reference)
    while i or j:
        differs = i > 0 and j > 0 and text[i - 1] != reference[j - 1]
        if i and j and rows[i - 1][j - 1] + differs == rows[i][j]:
            step = SUBSTITUTION if differs else MATCH
        elif i and rows[i - 1][j] + 1 == rows[i][j]:
            step = INSERTION
        else:
            step = DELETION
        steps.append(step)
        i -= step != DELETION
        j -= step != INSERTION
    return steps[::-1]


def _candidates(text: Words, reference: Words, steps: list[int], n_before: int) -> list[Shift]:
    """Return the shifts to try: first word, number of words, and the word before which they go.

    They are of words that occur in the reference too, and are not aligned there, to a position that is wrong.
    """
    aligned: list[int] = []  # for each word of the reference, the word of the text
    errors = [0]  # before each word of the text
    reference_errors = [0]
    for step in steps:
        if step != DELETION:
            errors.append(errors[-1] + (step != MATCH))
        if step != INSERTION:  # a word without counterpart is aligned with the word before it, -1 at the beginning
            aligned.append(len(errors) - 2)
            reference_errors.append(reference_errors[-1] + (step != MATCH))
    candidates: list[Shift] = []
    for start in range(len(text)):
        for other in range(max(0, start - MOST_DISTANCE), min(len(reference), start + MOST_DISTANCE + 1)):
            for length in range(1, min(MOST_WORDS, len(text) - start, len(reference) - other) + 1):
                if text[start + length - 1] != reference[other + length - 1]:
                    break
                is_right = errors[start + length] == errors[start]
                is_right |= reference_errors[other + length] == reference_errors[other]
                if is_right or start <= aligned[other] < start + length:
                    continue
                targets = [aligned[k] + 1 if k >= 0 else 0 for k in range(other - 1, other + length)]
                for target in dict.fromkeys(targets):
                    candidates.append((start, length, target))
                if n_before + len(candidates) >= MOST_CANDIDATES:
                    return candidates
    return candidates


def _shifted(text: Words, start: int, length: int, target: int) -> tuple[list[str], int]:
    """Return the text after a shift, and where the first of its words is then."""
    block = text[start : start + length]
    rest = [*text[:start], *text[start + length :]]
    to = target
    if target > start + length:
        to = target - length
    to = min(to, len(rest))
    return [*rest[:to], *block, *rest[to:]], to
