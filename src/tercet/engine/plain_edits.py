"""Edits and shifts that turn a text into a reference: Tercom's greedy search, in the form of sacrebleu."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np

from .plain_counts import rows_of
from .plain_text import Texts, texts_of_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What an alignment is made of: the word of the text equals that of the reference, stands for it, has no counterpart
#: there, or the other way round.
MATCH, SUBSTITUTION, INSERTION, DELETION = 0, 1, 2, 3

#: Tercom's limits: how many cells beside the diagonal count, words of a shift, and how far the words it matches may
#: be apart; and that of sacrebleu: how many shifts a text tries.
BEAM, MOST_WORDS, MOST_DISTANCE, MOST_CANDIDATES = 25, 10, 50, 1000

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

    Texts are as for :func:`.plain_rows.bleu_rows`, and so are the first four columns. Then come the fewest edits that
    turn the prediction into a reference (an empty text where there is none), and the words of these on average.
    Time per pair: 50 cells of a table a word, and for each shift that is tried 50 cells a word that it passes.
    """
    rows = np.empty((n_systems, n, 6))
    for item, own in enumerate(texts_of_items(texts, n, reference_offsets, n_systems)):
        predictions, references = ([text.split() for text in side] for side in own)
        length = sum(map(len, references)) / max(len(references), 1)
        for system, words in enumerate(predictions):
            fewest = min((_edits(words, reference)[0] for reference in references), default=len(words))
            rows[system, item] = 1, not words, not references, len(references), fewest, length
    return rows.reshape(n_systems * n, 6)


def ter_scores(rows: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return the edits per word of the references, times `scale`, of rows of :func:`ter_rows` or sums of them.

    Where the references have no word, any edit makes it 1, as in sacrebleu.
    """
    edits, length = rows[:, 4], rows[:, 5]
    rates = np.where(length > 0, edits, edits > 0) / np.where(length > 0, length, 1.0)
    return scale * rates


def pair_edits(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], texts: NDArray[np.int64], references: NDArray[np.int64],
    n_types: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Return the edits that :func:`ter_rows` counts, of pairs of documents: as for :func:`.plain_counts.overlaps`."""
    documents = rows_of(ids, offsets)
    pairs = zip(texts.tolist(), references.tolist(), strict=True)
    return np.array([_edits(documents[text], documents[reference])[0] for text, reference in pairs], np.int64)


def edit_path(text: str, reference: str) -> tuple[list[Shift], list[int]]:
    """Return the shifts and the alignment that :func:`ter_rows` counts.

    A shift is where its first word was, how many words there are, and where the first one is afterwards. The steps
    align the shifted text with the reference: an `INSERTION` is a word of the text alone.
    """
    return _edits(text.split(), reference.split())[1:]


def _edits(text: Words, reference: Words) -> tuple[int, list[Shift], list[int]]:
    """Return the number of edits, the shifts, and the alignment."""
    shifts: list[Shift] = []
    if not text or not reference:
        return len(text) + len(reference), shifts, [INSERTION] * len(text) + [DELETION] * len(reference)
    beam, n_tried = _beam(len(text), len(reference)), 0
    while True:
        table = _rows(text, reference, [[*range(len(reference) + 1)]], beam)
        cost = table[-1][-1]
        steps = _steps(text, reference, table)
        candidates = _candidates(text, reference, steps, n_tried)
        n_tried += len(candidates)
        if n_tried >= MOST_CANDIDATES or not candidates:
            break  # sacrebleu drops what it found in this round
        found = []
        for start, length, target in candidates:  # of equal cost: the longest, then the one most to the front
            shifted, to = _shifted(text, start, length, target)
            rows = _rows(shifted, reference, table[: min(start, to) + 1], beam)
            found.append((rows[-1][-1], -length, start, target, to, shifted))
        least, length, start, _, to, shifted = min(found)
        if least >= cost:
            break
        shifts.append((start, -length, to))
        text = shifted
    return len(shifts) + cost, shifts, steps


def _beam(n_words: int, n_reference: int) -> list[range]:
    """Return the columns of the table that count in each row."""
    ratio = n_reference / n_words
    beam = BEAM if ratio / 2 <= BEAM else math.ceil(ratio / 2 + BEAM)
    diagonals = [math.floor(i * ratio) for i in range(n_words)]
    inside = [range(max(0, place - beam), min(n_reference + 1, place + beam)) for place in diagonals]
    return [*inside, range(max(0, math.floor(n_words * ratio) - beam), n_reference + 1)]


def _rows(text: Words, reference: Words, rows: list[Row], beam: list[range]) -> list[Row]:
    """Return the table of costs of all beginnings; `rows` are its first ones."""
    rows = list(rows)
    for i in range(len(rows), len(text) + 1):
        word, above, here, left = text[i - 1], rows[-1], [_FAR] * (len(reference) + 1), _FAR
        for j in beam[i]:
            cost = min(left, above[j]) + 1
            if j and above[j - 1] + (word != reference[j - 1]) < cost:
                cost = above[j - 1] + (word != reference[j - 1])
            here[j] = left = cost
        rows.append(here)
    return rows


def _steps(text: Words, reference: Words, rows: list[Row]) -> list[int]:
    """Return the alignment. Of equal ones: a match or a substitution first, then a word of the text alone."""
    i, j, steps = len(text), len(reference), list[int]()
    while i or j:
        differs = i > 0 and j > 0 and text[i - 1] != reference[j - 1]
        if i and j and rows[i - 1][j - 1] + differs == rows[i][j]:
            steps.append(SUBSTITUTION if differs else MATCH)
        else:
            steps.append(INSERTION if i and rows[i - 1][j] + 1 == rows[i][j] else DELETION)
        i -= steps[-1] != DELETION
        j -= steps[-1] != INSERTION
    return steps[::-1]


def _candidates(text: Words, reference: Words, steps: list[int], n_before: int) -> list[Shift]:
    """Return the shifts to try: first word, number of words, and the word before which they go.

    They are of words that occur in the reference too, and are not aligned there, to a place that is wrong.
    """
    aligned, errors, reference_errors = list[int](), [0], [0]
    for step in steps:
        if step != DELETION:
            errors.append(errors[-1] + (step != MATCH))
        if step != INSERTION:  # a word without counterpart is aligned with the word before it, -1 at the beginning
            aligned.append(len(errors) - 2)
            reference_errors.append(reference_errors[-1] + (step != MATCH))
    found: list[Shift] = []
    for start in range(len(text)):
        for place in range(max(0, start - MOST_DISTANCE), min(len(reference), start + MOST_DISTANCE + 1)):
            for length in range(1, min(MOST_WORDS, len(text) - start, len(reference) - place) + 1):
                if text[start + length - 1] != reference[place + length - 1]:
                    break
                is_right = errors[start + length] == errors[start]
                is_right |= reference_errors[place + length] == reference_errors[place]
                if is_right or start <= aligned[place] < start + length:
                    continue
                targets = [aligned[k] + 1 if k >= 0 else 0 for k in range(place - 1, place + length)]
                found.extend((start, length, target) for target in dict.fromkeys(targets))
                if n_before + len(found) >= MOST_CANDIDATES:
                    return found
    return found


def _shifted(text: Words, start: int, length: int, target: int) -> tuple[list[str], int]:
    """Return the text after a shift, and where the first of its words is then."""
    to = target if target < start else target - length if target > start + length else target
    block, rest = [*text[start : start + length]], [*text[:start], *text[start + length :]]
    to = min(to, len(rest))
    return [*rest[:to], *block, *rest[to:]], to
