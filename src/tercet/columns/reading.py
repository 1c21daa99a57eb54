"""Predictions and references as a user has them -> a corpus: lists of strings, or columns in Arrow's memory."""

from __future__ import annotations

from .arrow_items import read_arrow
from .batch import Batch, Corpus
from .items import read_items, read_texts


def read_corpus(predictions: object, references: object) -> Corpus:
    """Check predictions and references; columns that are Arrow inside are neither copied nor made Python strings.

    Parameters and errors are those of :func:`read_items`, which reads all that is not Arrow.

    Examples
    --------
    >>> import pyarrow as pa
    >>> type(read_corpus(["a"], ["b"])).__name__, type(read_corpus(pa.array(["a"]), pa.array(["b"]))).__name__
    ('Items', 'ArrowItems')
    """
    if type(predictions) is list and type(references) is list:
        return read_items(predictions, references)
    return read_arrow(predictions, references) or read_items(predictions, references)


def read_batch(predictions: object, references: object) -> Batch:
    """Check and encode predictions and references; see :func:`read_items`.

    Examples
    --------
    >>> batch = read_batch(["a b", "c"], [["a", "b"], ["c"]])
    >>> batch.n_items, batch.reference_counts.tolist(), batch.texts.to_pylist()
    (2, [2, 1], ['a b', 'c', 'a', 'b', 'c'])
    >>> read_batch(["a", 7], ["a", "b"])
    Traceback (most recent call last):
    tercet.errors.InputError: item 1 of predictions must be a string, got 7 (int).
    """
    return whole(read_corpus(predictions, references))


def read_predictions(predictions: object) -> Batch:
    """Check and encode predictions of which nothing is known but themselves; see :func:`read_texts`.

    Examples
    --------
    >>> batch = read_predictions(["a b", "c"])
    >>> batch.n_items, batch.reference_counts.tolist(), batch.texts.to_pylist()
    (2, [0, 0], ['a b', 'c'])
    """
    return read_texts(predictions).batch()


def whole(corpus: Corpus) -> Batch:
    """Return all items of a corpus as one batch, encoded; InputError for a text that cannot be."""
    batch = corpus.part(0, corpus.n_items)
    _ = batch.texts
    return batch
