"""chrF in plain Python: n-grams of characters and of words that predictions share with their references, and F."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

from .plain_ngrams import ngrams
from .plain_readings import words_of_chrf
from .plain_text import Texts, texts_of_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

#: What eps_smoothing takes for a ratio that has no value (chrF++.py, Moses, NLTK).
EPSILON = 1e-16
#: N-grams of the prediction, of the reference, and matches, of one order.
Counts = tuple[int, int, int]
#: The characters of a text that count, and its words.
Split = tuple[list[str], list[str]]


def chrf_rows(
    texts: Texts, n: int, reference_offsets: NDArray[np.int64] | None, char_order: int, word_orders: list[int],
    whitespace: bool, beta: float, eps_smoothing: bool, n_systems: int = 1,
) -> Array:  # fmt: skip
    """Count what predictions share with their best references: n-grams of characters and words (Popovic 2015).

    Texts are as for :func:`.plain_bleu.bleu_rows`, and so are the first four columns. Then come, for each score (one
    for each of `word_orders`) and each order, of characters, then of words: the n-grams of the prediction, those of
    the reference, and the matches. The reference is the first with the greatest F by :func:`f_scores`. An order that
    it is too short for does not count in the prediction either.
    """
    rows = np.empty((n_systems, n, 4 + 3 * sum(char_order + order for order in word_orders)))
    longest = max(word_orders)
    for item, (predictions, references) in enumerate(texts_of_items(texts, n, reference_offsets, n_systems)):
        split_references = [_split(text, whitespace) for text in references]
        for system, prediction in enumerate(predictions):
            split = _split(prediction, whitespace)
            characters, _ = split
            # Without a reference, only the n-grams of the prediction count: the others are 0 below.
            counts = [_counts(split, reference, char_order, longest) for reference in split_references or [split]]
            row: list[float] = [1, not characters, not references, len(references)]
            for word_order in word_orders:
                n_orders = char_order + word_order
                pairs = np.array([counts_of_pair[:n_orders] for counts_of_pair in counts], np.float64)
                if not references:
                    pairs[:, :, 1:] = 0
                f = f_scores(pairs.reshape(len(pairs), -1), 0, n_orders, beta, eps_smoothing, 100)
                row += pairs[f.argmax()].ravel().tolist()
            rows[system, item] = row
    return rows.reshape(n_systems * n, rows.shape[2])


def f_scores(rows: Array, first: int, n_orders: int, beta: float, eps_smoothing: bool, scale: float) -> Array:
    """Return the F of chrF from 0 to `scale`, in the steps of sacrebleu's ``CHRF``: the same to the last digit.

    From column `first` on, `rows` hold for each order the n-grams of the prediction, those of the reference, and
    matches. With `eps_smoothing` the F of every order is averaged, instead of precision and recall over the orders
    that both texts have.
    """
    counts = rows[:, first : first + 3 * n_orders].tolist()
    return np.array([_f_score(row, beta, eps_smoothing, scale) for row in counts], np.float64)


def _f_score(row: Sequence[float], beta: float, eps_smoothing: bool, scale: float) -> float:
    factor = beta**2
    orders = list(zip(row[::3], row[1::3], row[2::3], strict=True))
    if eps_smoothing:
        total = 0.0
        for predicted, referenced, matched in orders:
            precision = matched / predicted if predicted else EPSILON
            recall = matched / referenced if referenced else EPSILON
            total += _mean(precision, recall, factor, EPSILON)
        return scale * total / len(orders)
    n_orders = 0  # those that both texts are long enough for
    precisions = recalls = 0.0
    for predicted, referenced, matched in orders:
        if predicted and referenced:
            precisions += matched / predicted
            recalls += matched / referenced
            n_orders += 1
    return scale * _mean(precisions / max(n_orders, 1), recalls / max(n_orders, 1), factor, 0.0)


def _mean(precision: float, recall: float, factor: float, of_nothing: float) -> float:
    """Return the weighted harmonic mean."""
    below = factor * precision + recall
    return (1 + factor) * precision * recall / below if below else of_nothing


def _split(text: str, whitespace: bool) -> Split:
    """Return the characters that count, and the words."""
    characters = [character for character in text if whitespace or not character.isspace()]
    return characters, words_of_chrf(text)


def _counts(text: Split, reference: Split, char_order: int, word_order: int) -> list[Counts]:
    """Return the counts of all orders, of characters and then of words."""
    characters, words = text
    reference_characters, reference_words = reference
    return [
        *_counts_of_tokens(characters, reference_characters, char_order),
        *_counts_of_tokens(words, reference_words, word_order),
    ]


def _counts_of_tokens(text: list[str], reference: list[str], max_order: int) -> list[Counts]:
    counts = []
    for order in range(1, max_order + 1):
        predicted = ngrams(text, order)
        referenced = ngrams(reference, order)
        n_predicted = predicted.total()
        if not referenced:
            n_predicted = 0
        counts.append((n_predicted, referenced.total(), (predicted & referenced).total()))
    return counts
