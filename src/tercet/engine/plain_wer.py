"""The fewest edits of single tokens between a text and a reference, in the alignment that rapidfuzz chooses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np

from .plain_ngrams import Ids, Places, tokens_of_documents
from .plain_ter import DELETION, INSERTION, MATCH, SUBSTITUTION
from .plain_text import Texts, pairs_of, strings

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A table of at least so many cells, rows and columns is made in halves, as in rapidfuzz: the choice between
#: alignments depends on it.
LEAST_CELLS = 1 << 22
LEAST_ROWS = 65
LEAST_COLUMNS = 10

#: Where the counts of words begin in a row, those of characters, and where these end.
_WORDS = 4
_CHARACTERS = 8
_END = 12

_FAR = 1 << 30  # the cost of a cell beside the band

Tokens: TypeAlias = "NDArray[Any]"


def edit_counts(ids: Ids, offsets: Places, texts: Places, references: Places, n_types: int) -> Places:
    """Return hits, substitutions, deletions and insertions of each text and its reference, shape (g, 4).

    Edits are as few as can be (Levenshtein 1966). A deletion is a token of the reference alone, an insertion one of
    the text alone. Several alignments can have as few edits, but not the same hits: the one of rapidfuzz is taken,
    which jiwer counts. Time per pair: the product of its lengths; compiled, 64 cells at once, and of texts that need
    d edits only those within 2 d of the diagonal. Memory: linear in the lengths, and 16 MiB.
    """
    documents = tokens_of_documents(ids, offsets)
    counts = []
    for text, reference in zip(texts.tolist(), references.tolist(), strict=True):
        steps = _steps(np.array(documents[reference]), np.array(documents[text]))
        counts.append(counted(steps))
    return np.array(counts, np.int64).reshape(-1, 4)


def counted(steps: list[int]) -> list[int]:
    """Return how often each kind of step occurs, in the order of the columns."""
    return [steps.count(kind) for kind in (MATCH, SUBSTITUTION, DELETION, INSERTION)]


def error_rows(
    texts: Texts,
    n: int,
    reference_offsets: Places | None,
    reading: str,
    n_systems: int = 1,
    with_characters: bool = True,
) -> NDArray[np.float64]:
    """Return the counts of predictions and the references that need the fewest edits, the first on ties.

    Texts are as for :func:`.plain_bleu.bleu_rows`, and so are the first four columns. Then come the counts of words
    as :func:`edit_counts` has them, without a reference all insertions; and those of characters, of texts without
    white space at their ends, for which another reference can be the nearest. Without `with_characters`
    these are 0: a text has several times as many characters as words, so they take most of the time.
    """
    rows = np.zeros((n_systems * n, _END))
    pairs = pairs_of(texts, n, reference_offsets, reading, n_systems)
    for row, (words, references) in zip(rows, pairs, strict=True):
        row[:4] = 1, not words, not references, len(references)
        row[_WORDS:_CHARACTERS] = _nearest(words, references)
    if with_characters:
        stripped = [text.strip() for text in strings(texts)]
        pairs = pairs_of(stripped, n, reference_offsets, "char-and-blank", n_systems)
        for row, (characters, references) in zip(rows, pairs, strict=True):
            row[_CHARACTERS:_END] = _nearest(characters, references)
    return rows


def _nearest(tokens: list[str], references: list[list[str]]) -> list[int]:
    """Return the counts of a text and the reference that needs the fewest edits."""
    if not references:
        return [0, 0, 0, len(tokens)]
    numbers: dict[str, int] = {}

    def ids(document: list[str]) -> Tokens:
        return np.array([numbers.setdefault(token, len(numbers)) for token in document], np.int32)

    text = ids(tokens)
    counts = [counted(_steps(ids(reference), text)) for reference in references]
    return min(counts, key=_n_edits)


def _n_edits(counts: list[int]) -> int:
    _, substitutions, deletions, insertions = counts
    return substitutions + deletions + insertions


def error_rates(rows: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return the error rates of words and of characters, match error rates, and word information lost and preserved.

    Rows are those of :func:`error_rows`, of an item or summed: behind four columns come the hits H, substitutions S,
    deletions D and insertions I of words, and those of characters. Shape (n, 6), times `scale`:

    - WER and CER are (S + D + I) / (H + S + D), edits per token of the reference; where that is empty, per one.
    - MER is (S + D + I) / (H + S + D + I), the share of the aligned places that are edits; of characters, it is last.
    - WIP is H / (H + S + D) * H / (H + S + I), the shares of both texts that are hits; 1 if both are empty.
    - WIL is 1 - WIP (Morris et al. 2004).
    """
    rates = np.empty((len(rows), 6))
    for row, rates_of_row in zip(rows.tolist(), rates, strict=True):
        hits, substitutions, deletions, insertions = row[_WORDS:_CHARACTERS]
        edits = substitutions + deletions + insertions
        reference = hits + substitutions + deletions
        prediction = hits + substitutions + insertions
        preserved = 1.0
        if hits + edits:
            preserved = hits / max(reference, 1.0) * (hits / max(prediction, 1.0))
        *hits_and_edits_of_reference, character_insertions = row[_CHARACTERS:_END]
        characters = sum(hits_and_edits_of_reference)  # of the reference
        character_hits = hits_and_edits_of_reference[0]
        character_edits = characters - character_hits + character_insertions
        rates_of_row[:] = (
            scale * (edits / max(reference, 1.0)),
            scale * (character_edits / max(characters, 1.0)),
            scale * (edits / max(hits + edits, 1.0)),
            scale * (1 - preserved),
            scale * preserved,
            scale * character_edits / max(character_hits + character_edits, 1.0),
        )
    return rates


def edit_steps(text: Ids, reference: Ids, n_types: int) -> list[int]:
    """Return the alignment that :func:`edit_counts` counts, of two documents as the ids of their tokens."""
    return _steps(reference, text)


def _steps(reference: Tokens, text: Tokens, cost: int | None = None) -> list[int]:
    """Align two documents; the number of edits is known of halves alone."""
    start = _in_common(reference, text)
    end = _in_common(reference[start:][::-1], text[start:][::-1])
    # What is between the tokens that both have at their beginnings and ends.
    n = len(reference) - start - end
    m = len(text) - start - end
    rows = reference[start : start + n]
    columns = text[start : start + m]
    most = max(n, m)
    if cost is not None:
        most = cost
    if not n or not m:
        middle = [DELETION] * n + [INSERTION] * m
    elif min(n, 2 * most + 1) * m < LEAST_CELLS or n < LEAST_ROWS or m < LEAST_COLUMNS:
        middle = _way_back(rows, columns, most)
    else:
        half = m // 2
        before = _costs(rows, columns[:half])
        behind = _costs(rows[::-1], columns[half:][::-1])[::-1]
        split = int((before + behind).argmin())
        middle = _steps(rows[:split], columns[:half], int(before[split]))
        middle += _steps(rows[split:], columns[half:], int(behind[split]))
    return [MATCH] * start + middle + [MATCH] * end


def _in_common(one: Tokens, other: Tokens) -> int:
    """Return how many tokens at the beginning are the same."""
    size = min(len(one), len(other))
    return int(np.append(one[:size] != other[:size], True).argmax())


def _rows(reference: Tokens, text: Tokens, most: int) -> Iterator[tuple[int, Tokens]]:
    """Yield what all beginnings of the reference cost, for each beginning of the text, and the first in the band.

    The band is of the cells that `most` edits reach.
    """
    columns = np.arange(len(reference) + 1, dtype=np.int32)
    row = np.where(columns <= most, columns, _FAR).astype(np.int32)
    yield 0, row[: most + 1].copy()
    for j, token in enumerate(text, 1):
        low = max(0, j - most)
        stop = min(len(row), j + most + 1)
        first = max(low, 1)
        here = row[low:stop] + 1
        differs = reference[first - 1 : stop - 1] != token
        here[first - low :] = np.minimum(here[first - low :], row[first - 1 : stop - 1] + differs)
        row[low:stop] = np.minimum.accumulate(here - columns[low:stop]) + columns[low:stop]
        row[max(0, low - 1) : low] = _FAR
        yield low, row[low:stop].copy()


def _costs(reference: Tokens, text: Tokens) -> Tokens:
    """Return what turning a text into each beginning of the reference costs."""
    _, last_row = deque(_rows(reference, text, max(len(reference), len(text))), maxlen=1).pop()
    return last_row


def _way_back(reference: Tokens, text: Tokens, most: int) -> list[int]:
    """Return the alignment, found from its end: a deletion if it can be, then an insertion in place of a match."""
    table = list(_rows(reference, text, most))

    def cost(i: int, j: int) -> int:
        low, row = table[j]
        return int(row[i - low]) if low <= i < low + len(row) else _FAR

    steps: list[int] = []
    i = len(reference)
    j = len(text)
    while i and j:
        if cost(i, j) == cost(i - 1, j) + 1:
            step = DELETION
        elif cost(i - 1, j - 1) == cost(i, j - 1) + 1:
            step = INSERTION
        elif reference[i - 1] == text[j - 1]:
            step = MATCH
        else:
            step = SUBSTITUTION
        steps.append(step)
        i -= step != INSERTION
        j -= step != DELETION
    return [DELETION] * i + [INSERTION] * j + steps[::-1]
