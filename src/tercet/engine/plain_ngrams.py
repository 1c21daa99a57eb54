"""What texts share: n-grams, subsequences. Their tokens are words or ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tercet import numpy_later as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ids: TypeAlias = "NDArray[np.int32]"
Places: TypeAlias = "NDArray[np.int64]"
Tokens = Sequence[Any]
T = TypeVar("T")


def ngrams(tokens: Sequence[Any], n: int) -> Counter[tuple[Any, ...]]:
    """Return the n-grams of a text, and how often each occurs."""
    return Counter(ngrams_in_order(tokens, n))


def ngrams_in_order(tokens: Sequence[Any], n: int) -> Iterator[tuple[Any, ...]]:
    """Return the n-grams of a text, one after the other: the text beside itself, moved by one token each time."""
    moved = [tokens[i:] for i in range(n)]
    return zip(*moved, strict=False)


def clipped(text: Sequence[Any], references: Sequence[Sequence[Any]], n: int) -> int:
    """Return how many n-grams of a text count, each at most as often as in the reference that has it most often."""
    most: Counter[tuple[Any, ...]] = Counter()
    for reference in references:
        most |= ngrams(reference, n)
    return (ngrams(text, n) & most).total()


# Of many texts, ids are given as ragged arrays: document d has the tokens ``ids[offsets[d]:offsets[d + 1]]``, int32
# numbers below `n_types`; `offsets`, and `texts` and `references`, the two documents of each of g pairs, are int64.


def pair_matches(
    ids: Ids, offsets: Places, texts: Places, references: Places, n_types: int, max_order: int, with_lcs: bool,
    most_by_places: int,
) -> tuple[Places, Places]:  # fmt: skip
    """Return the clipped n-gram matches of each pair, shape (g, max_order), and its longest common subsequence, (g,).

    The latter is 0 unless asked for. `most_by_places` changes no number: beyond so many tokens, the compiled engine
    counts n-grams by hashing. 512 is usual; where few types make up the texts, fewer are faster. Time per pair: the
    product of its tokens / 64 (n-grams beyond some hundreds of tokens: linear).
    """
    pairs = _pairs(tokens_of_documents(ids, offsets), texts, references)
    common = [common_length(text, reference) if with_lcs else 0 for text, reference in pairs]
    matches = clipped_matches(ids, offsets, texts, references, references + 1, n_types, max_order)
    return matches, np.array(common, np.int64)


def clipped_matches(
    ids: Ids, offsets: Places, texts: Places, firsts: Places, lasts: Places, n_types: int, max_order: int
) -> Places:
    """Return how many n-grams of each text its references cover, shape (g, max_order) (Papineni et al. 2002, 2.1).

    The references of text i are the documents ``firsts[i]`` up to ``lasts[i]``. An n-gram counts at most as often as
    in the reference that has it most often. With several, time is linear in the tokens times `max_order`.
    """
    documents = tokens_of_documents(ids, offsets)
    counts = np.zeros((len(texts), max_order), np.int64)
    for row, text, first, last in zip(counts, texts.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        for n in range(1, max_order + 1):
            row[n - 1] = clipped(documents[text], documents[first:last], n)
            if row[n - 1] == 0:  # nor does a longer one match
                break
    return counts


def crossed_matches(ids: Ids, offsets: Places, n_texts: int, max_order: int) -> Places:
    """Return the clipped n-gram matches of each of the first documents with each of the others: many against many.

    The first `n_texts` documents are texts, the others their references; the shape is (texts times references,
    max_order), the first text with all references first. Time per pair: a few steps for each n-gram that both have, a
    sixteenth of one where most references have it. Memory: 150 bytes for each token at most, and for each n-gram that
    a share of the references has, a byte for each reference.
    """
    n_references = len(offsets) - 1 - n_texts
    matches = np.zeros((n_texts, n_references, max_order), np.int64)
    for n in range(1, max_order + 1):
        counts = [ngrams(row, n) for row in tokens_of_documents(ids, offsets)]
        for text in range(n_texts):
            for reference in range(n_references):
                matches[text, reference, n - 1] = (counts[text] & counts[n_texts + reference]).total()
    return matches.reshape(n_texts * n_references, max_order)


def skip_bigram_matches(
    ids: Ids, offsets: Places, texts: Places, references: Places, n_types: int, gap: int
) -> Places:  # fmt: skip
    """Return the clipped skip-bigrams that each pair shares, shape (g,) (Lin 2004, section 5).

    At most `gap` tokens stand between the two; any number if it is negative. Time per pair: tokens times (gap + 1);
    with any gap, tokens times the different tokens that both texts have.
    """
    pairs = _pairs(tokens_of_documents(ids, offsets), texts, references)
    shared = [(skip_bigrams(text, gap) & skip_bigrams(reference, gap)).total() for text, reference in pairs]
    return np.array(shared, np.int64)


def overlaps(
    ids: Ids, offsets: Places, texts: Places, references: Places, n_types: int, multiset: bool
) -> tuple[Places, Places]:  # fmt: skip
    """Return the sizes of the intersection and of the union of each pair of documents, as sets or multisets."""
    counts = [Counter(row if multiset else set(row)) for row in tokens_of_documents(ids, offsets)]
    pairs = _pairs(counts, texts, references)
    intersections = [(one & other).total() for one, other in pairs]
    unions = [(one | other).total() for one, other in pairs]
    return np.array(intersections, np.int64), np.array(unions, np.int64)


def ngram_ids(ids: Ids, offsets: Places, n_types: int, order: int) -> tuple[Ids, Places, int]:
    """Return the n-grams of every document as ids, in the order in which they first appear, and how many differ."""
    if order == 1:
        return ids.copy(), offsets.copy(), n_types
    numbers: dict[tuple[int, ...], int] = {}
    ngram_numbers: list[int] = []
    edges = [0]
    for row in tokens_of_documents(ids, offsets):
        for ngram in ngrams_in_order(row, order):
            ngram_numbers.append(numbers.setdefault(ngram, len(numbers)))
        edges.append(len(ngram_numbers))
    return np.array(ngram_numbers, np.int32), np.array(edges, np.int64), len(numbers)


def tokens_of_documents(ids: Ids, offsets: Places) -> list[list[int]]:
    """Return the tokens of each document."""
    tokens = ids.tolist()
    return [tokens[start:stop] for start, stop in pairwise(offsets.tolist())]


def _pairs(found: list[T], texts: Places, references: Places) -> list[tuple[T, T]]:
    return [(found[one], found[other]) for one, other in zip(texts.tolist(), references.tolist(), strict=True)]


def common_length(text: Sequence[Any], reference: Sequence[Any]) -> int:
    """Return the length of the longest common subsequence.

    A row of the textbook's table is one number (Hyyro 2004): a bit is 0 where it grows from a column to the next.
    """
    positions: dict[Any, int] = {}
    ones = (1 << len(reference)) - 1
    for i, token in enumerate(reference):
        positions[token] = positions.get(token, 0) | (1 << i)
    row = ones
    for token in text:
        both = row & positions.get(token, 0)
        row = ((row + both) | (row - both)) & ones
    return len(reference) - row.bit_count()


def skip_bigrams(tokens: Tokens, gap: int) -> Counter[tuple[Any, Any]]:
    """Return the skip-bigrams of a text; a negative gap stands for any."""
    reach = len(tokens) if gap < 0 else gap + 1
    return Counter((left, right) for i, left in enumerate(tokens) for right in tokens[i + 1 : i + 1 + reach])
